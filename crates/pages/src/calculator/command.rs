//! The command line that asks the same.

use super::field::{Control, FIELDS, Field, Group};
use super::form::FormValues;

/// `tokmark calc` with an option for each field that was filled in.
pub(crate) fn command(fields: &[Field], values: &FormValues) -> String {
    let asked = fields.iter().filter(|field| counts(field, values));
    line(asked, values)
}

/// The same for every term of one cell.
pub(crate) fn explained(values: &FormValues, context: &str, requests: u32) -> String {
    let asked = FIELDS.iter().filter(|field| {
        let other = matches!(field.group, Group::Cost | Group::Versus | Group::Matrix);
        !other && counts(field, values)
    });
    let question = line(asked, values);
    format!("{question} --contexts {context} --requests {requests} --explain")
}

fn line<'a>(fields: impl Iterator<Item = &'a Field>, values: &FormValues) -> String {
    let mut parts = vec!["tokmark calc".to_owned()];
    for field in fields.filter(|field| !field.option.is_empty()) {
        parts.extend(filled(values, field.name).map(|value| match field.control {
            Control::Flag => field.option.to_owned(),
            _ => format!("{} {}", field.option, quoted(value)),
        }));
    }
    parts.join(" ")
}

fn filled<'a>(values: &'a FormValues, name: &str) -> Option<&'a str> {
    let value = values.get(name).map(String::as_str);
    value.filter(|value| !value.is_empty())
}

/// Whether the command takes the option beside the others: some mean nothing without another, and a
/// comparison has no costs.
fn counts(field: &Field, values: &FormValues) -> bool {
    let has = |name| filled(values, name).is_some();
    match (field.group, field.name) {
        (_, "accepted_share") => has("drafted_tokens"),
        (_, "versus_unlocked") => has("versus"),
        (Group::Cost, _) if has("versus") => false,
        (Group::Cost, "lifetime_years" | "electricity_per_kwh" | "power_overhead") => has("price"),
        (Group::Cost, "utilization" | "currency") => {
            has("price") || has("rent") || has("rent_per_hour")
        }
        _ => true,
    }
}

/// As a shell reads it: one word.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./,:@%+=".contains(letter);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    let clean: String = word.chars().filter(|letter| !letter.is_control()).collect();
    format!("'{}'", clean.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_one_word() {
        assert_eq!(quoted("Qwen/Qwen3-14B-AWQ"), "Qwen/Qwen3-14B-AWQ");
        assert_eq!(quoted("RTX 3090"), "'RTX 3090'");
        assert_eq!(quoted("a'; rm -rf /\n"), "'a'\\''; rm -rf /'");
    }

    #[test]
    fn fields_become_options() {
        let values = FormValues::from([
            ("model", "m".to_owned()),
            ("hardware", "RTX 3090".to_owned()),
            ("unlocked", "on".to_owned()),
            ("at_requests", "4".to_owned()),
            ("contexts", "0,8k".to_owned()),
            ("kv", String::new()),
        ]);
        assert_eq!(
            command(&FIELDS, &values),
            "tokmark calc --model m --hardware 'RTX 3090' --contexts 0,8k --unlocked"
        );
        assert_eq!(
            explained(&values, "8K", 4),
            "tokmark calc --model m --hardware 'RTX 3090' --unlocked --contexts 8K --requests 4 --explain"
        );
    }

    /// The command refuses what means nothing beside the rest.
    #[test]
    fn options_that_others_rule_out_are_left_out() {
        let check = |typed: &[(&'static str, &str)], expect: &str| {
            let values: FormValues = typed
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect();
            assert_eq!(command(&FIELDS, &values), format!("tokmark calc{expect}"));
        };
        check(&[("utilization", "0.5"), ("currency", "EUR")], "");
        check(&[("lifetime_years", "3"), ("accepted_share", "0.7")], "");
        check(
            &[("rent", "low"), ("utilization", "0.5")],
            " --rent low --utilization 0.5",
        );
        check(&[("rent", "low"), ("versus", "M4")], " --versus M4");
    }
}
