//! Fields of a request body, and what is said of wrong ones.

use serde_json::{Map, Value};
use tokmark_units::float;

use super::error::{ApiError, FieldFault};

/// A body as JSON object.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(wrong(
            "",
            "dict_type",
            "Input should be a valid dictionary",
            &Value::Null,
        )),
        Err(error) => Err(ApiError::Json {
            at: error.column(),
            reason: if error.is_eof() {
                "Expecting value".to_owned()
            } else {
                "Invalid JSON".to_owned()
            },
        }),
    }
}

/// Refuses the configured fields.
pub(super) fn refuse(fields: &Map<String, Value>, refused: &[String]) -> Result<(), ApiError> {
    let present = |path: &&String| {
        let mut steps = path.split('.');
        let first = steps.next().and_then(|step| fields.get(step));
        steps
            .try_fold(first, |at, step| at.map(|value| value.get(step)))
            .flatten()
            .is_some()
    };
    match refused.iter().find(present) {
        Some(field) => Err(ApiError::Field {
            field: field.clone(),
            fault: FieldFault::Refused,
        }),
        None => Ok(()),
    }
}

/// The error of a field that is not there.
pub(super) fn missing(field: &str, fields: &Map<String, Value>) -> ApiError {
    ApiError::Field {
        field: field.to_owned(),
        fault: FieldFault::Missing {
            fields: fields.len(),
        },
    }
}

/// The error of a field of the wrong type, in the validator's words.
pub(super) fn wrong(
    field: &str,
    kind: &'static str,
    wanted: &'static str,
    given: &Value,
) -> ApiError {
    let given = given
        .as_str()
        .map_or_else(|| given.to_string(), str::to_owned);
    ApiError::Field {
        field: field.to_owned(),
        fault: FieldFault::Type {
            kind,
            wanted,
            given,
        },
    }
}

/// A whole number, if given; `null` is not given.
pub(super) fn integer(fields: &Map<String, Value>, name: &str) -> Result<Option<i64>, ApiError> {
    const WANTED: &str = "Input should be a valid integer, unable to parse string as an integer";
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(given) => {
            let whole = given.as_f64().filter(|v| v.fract() == 0.0 && *v >= 0.0);
            let whole = whole.and_then(|v| i64::try_from(float::round_to_u64(v)).ok());
            let value = given.as_i64().or(whole);
            value
                .map(Some)
                .ok_or_else(|| wrong(name, "int_parsing", WANTED, given))
        }
    }
}

/// A number, if given; `null` is not given.
pub(super) fn number(fields: &Map<String, Value>, name: &str) -> Result<Option<f64>, ApiError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(given) => given
            .as_f64()
            .map(Some)
            .ok_or_else(|| wrong(name, "float_type", "Input should be a valid number", given)),
    }
}

/// A truth value; not given and `null` are false.
pub(super) fn boolean(fields: &Map<String, Value>, name: &str) -> Result<bool, ApiError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(given) => given
            .as_bool()
            .ok_or_else(|| wrong(name, "bool_type", "Input should be a valid boolean", given)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_fields_are_found_at_depth() {
        let fields = object(br#"{"a":{"b":1},"c":null}"#).unwrap();
        let check = |path: &str, expect: bool| {
            assert_eq!(
                refuse(&fields, &[path.to_owned()]).is_err(),
                expect,
                "{path}"
            );
        };
        check("a", true);
        check("a.b", true);
        check("a.x", false);
        check("c", true);
        check("d", false);
    }
}
