//! The command line that asks the same.

use super::field::{Control, Field};
use super::form::FormValues;

/// `tokmark calc` with an option for each field that was filled in, and what follows.
pub(crate) fn command(fields: &[Field], values: &FormValues, more: &[(&str, String)]) -> String {
    let mut parts = vec!["tokmark calc".to_owned()];
    for field in fields.iter().filter(|field| !field.option.is_empty()) {
        let Some(value) = values.get(field.name).filter(|value| !value.is_empty()) else {
            continue;
        };
        let replaced = more.iter().any(|(option, _)| *option == field.option);
        if replaced {
            continue;
        }
        parts.push(match field.control {
            Control::Flag => field.option.to_owned(),
            _ => format!("{} {}", field.option, quoted(value)),
        });
    }
    for (option, value) in more {
        parts.push(match value.as_str() {
            "" => (*option).to_owned(),
            value => format!("{option} {}", quoted(value)),
        });
    }
    parts.join(" ")
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
    use crate::calculator::field::FIELDS;

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
            command(&FIELDS, &values, &[]),
            "tokmark calc --model m --hardware 'RTX 3090' --contexts 0,8k --unlocked"
        );
        let one = [
            ("--contexts", "8K".to_owned()),
            ("--explain", String::new()),
        ];
        assert_eq!(
            command(&FIELDS, &values, &one),
            "tokmark calc --model m --hardware 'RTX 3090' --unlocked --contexts 8K --explain"
        );
    }
}
