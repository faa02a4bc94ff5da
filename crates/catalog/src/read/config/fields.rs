//! Fields of a JSON object, with bounds on what they may hold.

use serde_json::{Map, Value};

use super::super::ReadError;
use super::super::bounds::at_most;

/// Bounds far above every model that exists, far below what overflows.
pub(super) const MOST_LAYERS: u64 = 2_000;
pub(super) const MOST_WIDTH: u64 = 1 << 20;
pub(super) const MOST_HEADS: u64 = 1 << 14;
pub(super) const MOST_EXPERTS: u64 = 1 << 14;
pub(super) const MOST_VOCABULARY: u64 = 1 << 24;
pub(super) const MOST_CONTEXT: u64 = 1 << 40;

/// An object of the configuration.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
}

pub(super) fn parse(json: &[u8], most: usize) -> Result<Map<String, Value>, ReadError> {
    let length = tokmark_units::float::len_u64(json.len());
    at_most(
        "the configuration",
        length,
        tokmark_units::float::len_u64(most),
    )?;
    serde_json::from_slice(json).map_err(ReadError::Json)
}

/// A number that a bound has kept small.
pub(super) fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl<'a> Fields<'a> {
    pub(super) fn new(map: &'a Map<String, Value>) -> Self {
        Self { map }
    }

    /// The value of a field; `null` is as good as absent.
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// All fields, in the file's order.
    pub(super) fn all(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter()
    }

    /// The first of a field and its other names that is there. Where it is a list, one value a
    /// layer, the largest is taken.
    pub(super) fn number(
        self,
        name: &str,
        others: &[&str],
        most: u64,
    ) -> Result<Option<u64>, ReadError> {
        let names = std::iter::once(&name).chain(others);
        for name in names {
            let Some(value) = self.get(name) else {
                continue;
            };
            let number = match value {
                Value::Array(values) => {
                    let numbers: Option<Vec<u64>> = values.iter().map(Value::as_u64).collect();
                    numbers.and_then(|numbers| numbers.into_iter().max())
                }
                value => value.as_u64(),
            };
            let Some(number) = number else {
                return Err(ReadError::wrong(name, &value.to_string(), "a whole number"));
            };
            at_most(name, number, most)?;
            return Ok(Some(number));
        }
        Ok(None)
    }

    /// As [`Self::number`], where nothing can be said without it.
    pub(super) fn needed(self, name: &str, others: &[&str], most: u64) -> Result<u64, ReadError> {
        match self.number(name, others, most)? {
            Some(0) => Err(ReadError::wrong(name, "0", "above zero")),
            Some(number) => Ok(number),
            None => Err(ReadError::missing(name)),
        }
    }

    pub(super) fn flag(self, name: &str) -> Result<Option<bool>, ReadError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(ReadError::wrong(name, &other.to_string(), "true or false")),
        }
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, ReadError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(ReadError::wrong(name, &other.to_string(), "a text")),
        }
    }

    pub(super) fn object(self, name: &str) -> Result<Option<Fields<'a>>, ReadError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self { map })),
            Some(other) => Err(ReadError::wrong(name, &other.to_string(), "an object")),
        }
    }

    pub(super) fn list(self, name: &str) -> Result<Option<&'a [Value]>, ReadError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(values)) => Ok(Some(values)),
            Some(other) => Err(ReadError::wrong(name, &other.to_string(), "a list")),
        }
    }

    /// A list of texts.
    pub(super) fn texts(self, name: &str) -> Result<Option<Vec<&'a str>>, ReadError> {
        let Some(values) = self.list(name)? else {
            return Ok(None);
        };
        let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        texts
            .map(Some)
            .ok_or_else(|| ReadError::wrong(name, "something else", "a list of texts"))
    }

    /// A list of whole numbers.
    pub(super) fn numbers(self, name: &str) -> Result<Option<Vec<u64>>, ReadError> {
        let Some(values) = self.list(name)? else {
            return Ok(None);
        };
        let numbers: Option<Vec<u64>> = values.iter().map(Value::as_u64).collect();
        numbers
            .map(Some)
            .ok_or_else(|| ReadError::wrong(name, "something else", "a list of whole numbers"))
    }
}
