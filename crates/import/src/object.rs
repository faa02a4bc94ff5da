//! Fields of a foreign JSON object, each read as what it should be or refused by its name.

use serde_json::{Map, Value};
use tokmark_units::float;

use crate::error::ImportError;
use crate::redact;

/// No time, rate or count of a benchmark is larger; what is, is damage.
const LARGEST: f64 = 1e15;

/// Nothing that took place took less, in any unit; what is smaller has no finite reciprocal.
const SMALLEST: f64 = 1e-12;

/// An object of another tool's file, and where in the file it stands.
#[derive(Clone)]
pub(crate) struct Object<'a> {
    fields: &'a Map<String, Value>,
    place: String,
}

impl<'a> Object<'a> {
    /// Takes a value that has to be an object. `place` is empty for the file itself.
    pub(crate) fn new(value: &'a Value, place: impl Into<String>) -> Result<Self, ImportError> {
        let place = place.into();
        match value {
            Value::Object(fields) => Ok(Self { fields, place }),
            other if place.is_empty() => Err(ImportError::figure(
                &short(other),
                "the file",
                "a JSON object",
            )),
            other => Err(ImportError::figure(&short(other), place, "an object")),
        }
    }

    /// The name of a field with its place in the file, for messages.
    pub(crate) fn place(&self, name: &str) -> String {
        if self.place.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.place)
        }
    }

    /// A value that is there; `null` is not.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A figure of at least 0. Tools write NaN where a statistic had no values: that is no figure.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, ImportError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        number(value).map_err(|wanted| ImportError::figure(&short(value), self.place(name), wanted))
    }

    /// A time or rate: tools write 0 where there was nothing to measure.
    pub(crate) fn positive(&self, name: &str) -> Result<Option<f64>, ImportError> {
        Ok(self.number(name)?.filter(|value| *value >= SMALLEST))
    }

    /// A whole number, also one that is written as `10.0`.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<u64>, ImportError> {
        match self.number(name)? {
            None => Ok(None),
            Some(value) if value.fract() == 0.0 => Ok(Some(float::round_to_u64(value))),
            Some(value) => Err(ImportError::figure(
                &value,
                self.place(name),
                "a whole number",
            )),
        }
    }

    /// A number of requests in flight.
    pub(crate) fn requests(&self, name: &str) -> Result<Option<u32>, ImportError> {
        self.whole(name)?
            .map(|value| {
                u32::try_from(value)
                    .ok()
                    .filter(|value| *value > 0)
                    .ok_or_else(|| {
                        ImportError::figure(&value, self.place(name), "a number of requests")
                    })
            })
            .transpose()
    }

    /// A text without secrets; an empty one is none.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, ImportError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => {
                Ok(Some(redact::text(text)).filter(|text| !text.is_empty()))
            }
            Some(other) => Err(ImportError::figure(
                &short(other),
                self.place(name),
                "a text",
            )),
        }
    }

    /// Whether a field is `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    /// An object inside this one.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Self>, ImportError> {
        self.get(name)
            .map(|value| Self::new(value, self.place(name)))
            .transpose()
    }

    /// An object at the end of a way through others; `None` where the way ends before.
    pub(crate) fn at(&self, way: &[&str]) -> Result<Option<Self>, ImportError> {
        let mut here = self.clone();
        for name in way {
            match here.object(name)? {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    /// A list; one that is absent is empty.
    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], ImportError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(ImportError::figure(
                &short(other),
                self.place(name),
                "a list",
            )),
        }
    }

    /// The objects of a list.
    pub(crate) fn objects(&self, name: &str) -> Result<Vec<Self>, ImportError> {
        self.list(name)?
            .iter()
            .enumerate()
            .map(|(index, value)| Self::new(value, format!("{}[{index}]", self.place(name))))
            .collect()
    }
}

/// A figure of at least 0; `None` for NaN; else what it should have been.
pub(crate) fn number(value: &Value) -> Result<Option<f64>, &'static str> {
    const WANTED: &str = "a figure of at least 0";
    let figure = match value {
        Value::Number(number) => number.as_f64().ok_or(WANTED)?,
        Value::String(text) if text.eq_ignore_ascii_case("nan") => return Ok(None),
        _ => return Err(WANTED),
    };
    if figure.is_nan() || figure < 0.0 {
        return Err(WANTED);
    }
    if figure > LARGEST {
        return Err("a figure that anything could have");
    }
    Ok(Some(figure))
}

/// A value in few characters.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => redact::text(text),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(fields) => format!("an object of {}", fields.len()),
        other => other.to_string(),
    };
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_figures_or_refused() {
        let value = json!({"a": 1.5, "b": "NaN", "c": null, "n": -1, "t": "7", "h": 1e200,
            "w": 10.0, "z": 0, "s": 5e-324});
        let object = Object::new(&value, "x").unwrap();
        let read = |name: &str| object.number(name).map_err(|error| error.to_string());
        assert_eq!(read("a"), Ok(Some(1.5)));
        assert_eq!(read("b"), Ok(None));
        assert_eq!(read("c"), Ok(None));
        assert_eq!(read("missing"), Ok(None));
        assert_eq!(
            read("n"),
            Err("`-1` in `x.n` is not a figure of at least 0".to_owned())
        );
        assert_eq!(
            read("t"),
            Err("`7` in `x.t` is not a figure of at least 0".to_owned())
        );
        assert!(read("h").is_err());
        assert_eq!(object.whole("w").unwrap(), Some(10));
        assert!(object.whole("a").is_err());
        assert_eq!(object.positive("z").unwrap(), None);
        assert_eq!(object.positive("s").unwrap(), None);
        assert_eq!(object.positive("a").unwrap(), Some(1.5));
        assert!(object.requests("z").is_err());
        assert!(object.text("a").is_err());
        assert!(Object::new(&json!([1]), "y").is_err());
    }
}
