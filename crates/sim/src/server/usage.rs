//! Usage that goes wrong, whatever the shape of an answer.

use serde_json::{Map, Value};

use super::shape::UsageWish;
use crate::faults::UsageFault;

/// What is told, of what was asked for.
pub(super) fn wish(fault: Option<UsageFault>, asked: UsageWish) -> UsageWish {
    match fault {
        None => asked,
        Some(UsageFault::Absent | UsageFault::Null) => UsageWish::default(),
        Some(UsageFault::Continuous) => UsageWish {
            every: true,
            last: true,
        },
    }
}

/// Takes usage out of a JSON object, or makes it null; other bytes stay as they are. False when
/// nothing worth sending is left.
pub(super) fn mend(fault: UsageFault, json: &mut Vec<u8>) -> bool {
    if fault == UsageFault::Continuous {
        return true;
    }
    let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(json) else {
        return true;
    };
    let told = fields.remove("usage").is_some();
    if told && is_empty(&fields) {
        return false;
    }
    if told {
        *json = Value::Object(fields).to_string().into_bytes();
    }
    if fault == UsageFault::Null && json.pop() == Some(b'}') {
        json.extend_from_slice(b",\"usage\":null}");
    }
    true
}

/// Whether it was a chunk of usage alone.
fn is_empty(fields: &Map<String, Value>) -> bool {
    fields
        .get("choices")
        .and_then(Value::as_array)
        .is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_goes_or_becomes_null() {
        let check = |fault: UsageFault, json: &str, expect: Option<&str>| {
            let mut bytes = json.as_bytes().to_vec();
            let kept = mend(fault, &mut bytes);
            assert_eq!(kept, expect.is_some(), "{json}");
            if let Some(expect) = expect {
                assert_eq!(String::from_utf8(bytes).unwrap(), expect);
            }
        };
        let (absent, null) = (UsageFault::Absent, UsageFault::Null);
        check(absent, r#"{"b":1,"a":2}"#, Some(r#"{"b":1,"a":2}"#));
        check(absent, r#"{"a":2,"usage":{"x":1}}"#, Some(r#"{"a":2}"#));
        check(absent, r#"{"choices":[],"usage":{"x":1}}"#, None);
        check(null, r#"{"b":1}"#, Some(r#"{"b":1,"usage":null}"#));
        check(
            null,
            r#"{"b":1,"usage":{}}"#,
            Some(r#"{"b":1,"usage":null}"#),
        );
        check(null, "[DONE]", Some("[DONE]"));
        let told = r#"{"usage":{"x":1}}"#;
        check(UsageFault::Continuous, told, Some(told));
    }
}
