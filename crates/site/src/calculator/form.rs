//! What an address asks, read field by field.

use std::time::Duration;

use http::StatusCode;
use tokmark_pages::{Field, FieldFault, FormValues};
use tokmark_units::context::ContextEntry;
use tokmark_units::{Context, ParseError, parse_context_list, parse_duration, parse_level_list};

/// Longer than any name or list that means something.
const LONGEST: usize = 400;

/// The values of an address, and the faults that were found in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    /// What was typed into the fields, without what is empty.
    pub(crate) values: FormValues,
    /// What is wrong.
    pub(crate) faults: Vec<FieldFault>,
    /// Names that mean nothing here.
    pub(crate) unknown: Vec<String>,
    /// Whether the address asks nothing at all.
    pub(crate) is_empty: bool,
}

impl Form {
    /// Reads the part of an address behind the `?`.
    pub(crate) fn read(query: Option<&str>, fields: &'static [Field]) -> Self {
        let mut form = Self {
            is_empty: true,
            ..Self::default()
        };
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        for (name, value) in pairs {
            let Some(field) = fields.iter().find(|field| field.name == name) else {
                form.unknown.push(name.into_owned());
                continue;
            };
            form.is_empty = false;
            let value = value.trim();
            if value.len() > LONGEST {
                form.wrong(field.name, "this is too long");
            } else if value.is_empty() {
                form.values.remove(field.name);
            } else {
                form.values.insert(field.name, value.to_owned());
            }
        }
        form
    }

    /// The same, or an example where the address asks nothing at all.
    pub(crate) fn read_or(
        query: Option<&str>,
        fields: &'static [Field],
        example: &[(&'static str, &str)],
    ) -> Self {
        let mut form = Self::read(query, fields);
        if form.is_empty {
            let example = example
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()));
            form.values.extend(example);
        }
        form
    }

    /// The status of a page that shows the form.
    pub(crate) fn status(&self) -> StatusCode {
        if self.faults.is_empty() {
            StatusCode::OK
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        }
    }

    /// Says what is wrong with a field; only the first is shown.
    pub(crate) fn wrong(&mut self, field: &'static str, message: impl Into<String>) {
        if self.faults.iter().all(|fault| fault.field != field) {
            self.faults.push(FieldFault {
                field,
                message: message.into(),
                candidates: Vec::new(),
            });
        }
    }

    /// What was typed.
    pub(crate) fn text(&self, field: &'static str) -> Option<String> {
        self.values.get(field).cloned()
    }

    /// Yes or no; a box that is ticked sends `on`.
    pub(crate) fn flag(&mut self, field: &'static str) -> bool {
        match self.text(field).as_deref() {
            None | Some("off" | "false" | "0" | "no") => false,
            Some("on" | "true" | "1" | "yes") => true,
            Some(_) => {
                self.wrong(field, "this is `on`, or left out");
                false
            }
        }
    }

    fn read_by<T>(
        &mut self,
        field: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.text(field)?;
        read(&text)
            .inspect_err(|message| self.wrong(field, message.clone()))
            .ok()
    }

    /// A number.
    pub(crate) fn number(&mut self, field: &'static str) -> Option<f64> {
        self.read_by(field, |text| {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("`{text}` is no number"))
        })
    }

    /// A number above 0.
    pub(crate) fn positive(&mut self, field: &'static str) -> Option<f64> {
        let number = self.number(field)?;
        if number > 0.0 {
            return Some(number);
        }
        self.wrong(field, "this must be above 0");
        None
    }

    /// A whole number.
    pub(crate) fn count(&mut self, field: &'static str) -> Option<u32> {
        self.read_by(field, |text| {
            text.parse::<u32>()
                .map_err(|_| format!("`{text}` is no whole number"))
        })
    }

    /// Tokens: `8192`, `8k`.
    pub(crate) fn tokens(&mut self, field: &'static str) -> Option<u64> {
        self.read_by(field, |text| {
            Context::parse(text).map(|context| context.0).map_err(told)
        })
    }

    /// Contexts: `0,8k,max`.
    pub(crate) fn contexts(&mut self, field: &'static str) -> Option<Vec<ContextEntry>> {
        self.read_by(field, |text| parse_context_list(text).map_err(told))
    }

    /// Requests at once: `1,2,4` or `1..128x2`.
    pub(crate) fn levels(&mut self, field: &'static str) -> Option<Vec<u32>> {
        self.read_by(field, |text| parse_level_list(text).map_err(told))
    }

    /// A time: `5s`, `500ms`.
    pub(crate) fn duration(&mut self, field: &'static str) -> Option<Duration> {
        self.read_by(field, |text| parse_duration(text).map_err(told))
    }

    /// The part of an address that asks the same, with some values replaced.
    pub(crate) fn query(&self, fields: &[Field], replaced: &[(&'static str, &str)]) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for field in fields {
            let new = replaced.iter().find(|(name, _)| *name == field.name);
            let value = match new {
                Some((_, value)) => Some(*value),
                None => self.values.get(field.name).map(String::as_str),
            };
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                out.append_pair(field.name, value);
            }
        }
        out.finish()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "stands in `map_err`")]
fn told(error: ParseError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use tokmark_pages::FIELDS;

    use super::*;

    #[test]
    fn an_address_is_read_and_written() {
        let text = "model=a%2Fb+c&hardware=&kv=%3Cx%3E&elsewhere=1&at_context=8k";
        let mut form = Form::read(Some(text), &FIELDS);
        assert_eq!(form.text("model").as_deref(), Some("a/b c"));
        assert_eq!(form.text("hardware"), None);
        assert_eq!(form.unknown, ["elsewhere"]);
        assert_eq!(form.tokens("at_context"), Some(8_192));
        assert!(!form.is_empty && form.faults.is_empty());
        assert_eq!(
            form.query(&FIELDS, &[("hardware", "RTX 3090")]),
            "model=a%2Fb+c&hardware=RTX+3090&kv=%3Cx%3E&at_context=8k"
        );
        assert!(Form::read(None, &FIELDS).is_empty);
    }

    #[test]
    fn what_cannot_be_read_is_told_at_its_field() {
        let text =
            "price=x&at_requests=1.5&contexts=0,q&rent_per_hour=0&unlocked=maybe&utilization=inf";
        let mut form = Form::read(Some(text), &FIELDS);
        assert_eq!(form.number("price"), None);
        assert_eq!(form.count("at_requests"), None);
        assert_eq!(form.contexts("contexts"), None);
        assert_eq!(form.positive("rent_per_hour"), None);
        assert_eq!(form.number("utilization"), None);
        assert!(!form.flag("unlocked"));
        let told: Vec<&str> = form.faults.iter().map(|fault| fault.field).collect();
        let fields = [
            "price",
            "at_requests",
            "contexts",
            "rent_per_hour",
            "utilization",
            "unlocked",
        ];
        assert_eq!(told, fields);
        assert_eq!(form.faults[0].message, "`x` is no number");
        form.wrong("price", "again");
        assert_eq!(form.faults.len(), 6);
    }
}
