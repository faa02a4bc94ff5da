//! Which place of a matrix a load is, if any: so many requests at a time, prompts of one length.

use serde_json::Value;
use tokmark_units::float;

use crate::error::ImportError;
use crate::object::{self, Object};

/// A place of the matrix, or why the load has none.
pub(crate) type Place<T> = Result<T, String>;

/// Requests in flight, of clients that send at a rate (`request_rate`, infinite by default) within
/// a limit (`max_concurrency`).
pub(crate) fn limited(
    record: &Object<'_>,
    prompts: Option<u64>,
) -> Result<Place<u32>, ImportError> {
    if let Some(rate) = finite_rate(record)? {
        return Ok(Err(format!(
            "requests come at {rate} per second (`request_rate`), not so many at a time"
        )));
    }
    let Some(limit) = record.requests("max_concurrency")? else {
        return Ok(Err(
            "all requests are sent at once (`max_concurrency` is not set), so the number in flight \
             only falls"
                .to_owned(),
        ));
    };
    Ok(match prompts {
        Some(prompts) if prompts < u64::from(limit) => Err(format!(
            "{prompts} requests never fill `max_concurrency` {limit}"
        )),
        _ => Ok(limit),
    })
}

/// A rate that is a number and not infinite.
fn finite_rate(record: &Object<'_>) -> Result<Option<f64>, ImportError> {
    match record.get("request_rate") {
        Some(Value::String(text)) if is_infinite(text) => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(|_| {
            ImportError::figure(text, record.place("request_rate"), "a rate or `inf`")
        }),
        _ => record.number("request_rate"),
    }
}

fn is_infinite(text: &str) -> bool {
    text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("infinity")
}

/// The one length that the prompts of a list have, or how they differ. A chat template or another
/// tokenizer moves a length by a few tokens; that is still one length.
pub(crate) fn one_length(
    lengths: &[Value],
    place: &str,
) -> Result<Place<Option<u64>>, ImportError> {
    let mut all = Vec::with_capacity(lengths.len());
    for length in lengths {
        match object::number(length) {
            Ok(value) => all.extend(value.filter(|value| *value > 0.0)),
            Err(wanted) => return Err(ImportError::figure(length, place, wanted)),
        }
    }
    let Some(shortest) = all.iter().copied().reduce(f64::min) else {
        return Ok(Ok(None));
    };
    let longest = all.iter().copied().fold(shortest, f64::max);
    let mean = all.iter().sum::<f64>() / float::from_usize(all.len());
    if longest - shortest > (mean * 0.1).max(32.0) {
        return Ok(Err(format!(
            "prompts have lengths between {shortest} and {longest} tokens (`{place}`)"
        )));
    }
    Ok(Ok(Some(float::round_to_u64(mean))))
}

/// Why a file that names no length has no place.
pub(crate) fn no_length(completed: u64) -> String {
    if completed == 0 {
        "no request came through, and the file names no prompt length".to_owned()
    } else {
        "the file names no prompt length".to_owned()
    }
}

/// The mean of a sum over requests, to the nearest token.
pub(crate) fn mean(sum: Option<u64>, requests: u64) -> Option<u64> {
    let sum = sum.filter(|_| requests > 0)?;
    let exact = float::from_u64(sum) / float::from_u64(requests);
    Some(float::round_to_u64(exact))
}

/// The length of every answer, where the sum says that all can have had the same.
pub(crate) fn even(sum: Option<u64>, requests: u64) -> Option<u64> {
    sum.filter(|sum| requests > 0 && sum % requests == 0)
        .map(|sum| sum / requests)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_limit_is_a_level_only_when_nothing_else_decides() {
        let check = |record: Value, expect: Result<u32, &str>| {
            let object = Object::new(&record, "").unwrap();
            match (limited(&object, Some(10)).unwrap(), expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{record}"),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{found}"),
                (found, expect) => panic!("{record}: {found:?}, not {expect:?}"),
            }
        };
        check(json!({"request_rate": "inf", "max_concurrency": 4}), Ok(4));
        check(
            json!({"request_rate": "Infinity", "max_concurrency": 4}),
            Ok(4),
        );
        check(json!({"max_concurrency": 10}), Ok(10));
        check(json!({"max_concurrency": 11}), Err("never fill"));
        check(
            json!({"request_rate": 5.0, "max_concurrency": 4}),
            Err("5 per second"),
        );
        check(
            json!({"request_rate": "2.5", "max_concurrency": 4}),
            Err("2.5 per second"),
        );
        check(
            json!({"request_rate": "inf", "max_concurrency": null}),
            Err("only falls"),
        );
    }

    #[test]
    fn lengths_are_one_or_differ() {
        let check = |lengths: Value, expect: Place<Option<u64>>| {
            let list = lengths.as_array().unwrap();
            assert_eq!(one_length(list, "input_lens").unwrap(), expect);
        };
        check(json!([]), Ok(None));
        check(json!([64, 64]), Ok(Some(64)));
        check(json!([86, 95]), Ok(Some(91)));
        check(json!([8192, 8300]), Ok(Some(8246)));
        check(
            json!([100, 900]),
            Err("prompts have lengths between 100 and 900 tokens (`input_lens`)".to_owned()),
        );
        assert!(one_length(&[json!("x")], "input_lens").is_err());
    }
}
