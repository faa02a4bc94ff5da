//! Comparing two JSON values field by field.

use serde_json::{Map, Value, json};

use super::Difference;

/// Relative difference up to which two numbers are the same: printing and reading a float is exact,
/// and this leaves room for another platform's mathematics library.
const TOLERANCE: f64 = 1e-9;

/// More differences than anybody reads. A made-up document may have one for every pair of two long
/// lists; the rest of them says nothing more, and is not kept.
const MOST: usize = 10_000;

/// Fields that hold sentences for people.
const SENTENCES: [&str; 2] = ["reason", "notes"];

/// A comparison under way.
pub(super) struct Comparing {
    with_sentences: bool,
    pub(super) found: Vec<Difference>,
}

impl Comparing {
    pub(super) fn new(with_sentences: bool) -> Self {
        Self {
            with_sentences,
            found: Vec::new(),
        }
    }

    /// Whether further differences are passed over.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST
    }

    /// Keeps a difference.
    pub(super) fn add(&mut self, path: &str, document: Value, evidence: Value) {
        if self.is_full() {
            return;
        }
        self.found.push(Difference {
            path: path.to_owned(),
            document,
            evidence,
        });
    }

    /// Compares two values and what is inside them.
    pub(super) fn values(&mut self, path: &str, document: &Value, evidence: &Value) {
        match (document, evidence) {
            (Value::Object(document), Value::Object(evidence)) => {
                self.objects(path, document, evidence);
            }
            (Value::Array(document), Value::Array(evidence))
                if document.len() == evidence.len() =>
            {
                for (index, (document, evidence)) in document.iter().zip(evidence).enumerate() {
                    self.values(&format!("{path}/{index}"), document, evidence);
                }
            }
            (document, evidence) if are_equal(document, evidence) => {}
            (document, evidence) => self.add(path, short(document), short(evidence)),
        }
    }

    fn objects(
        &mut self,
        path: &str,
        document: &Map<String, Value>,
        evidence: &Map<String, Value>,
    ) {
        for (name, value) in document {
            if !self.with_sentences && SENTENCES.contains(&name.as_str()) {
                continue;
            }
            let other = evidence.get(name).unwrap_or(&Value::Null);
            self.values(&format!("{path}/{name}"), value, other);
        }
        for (name, value) in evidence {
            if !document.contains_key(name) {
                self.values(&format!("{path}/{name}"), &Value::Null, value);
            }
        }
    }
}

/// Whether two numbers are the same for the purpose of verification.
pub(super) fn are_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
}

fn are_equal(document: &Value, evidence: &Value) -> bool {
    match (document, evidence) {
        (Value::Number(a), Value::Number(b)) => {
            let whole = a.as_u64().zip(b.as_u64());
            let float = a.as_f64().zip(b.as_f64());
            match whole {
                Some((a, b)) => a == b,
                None => float.is_some_and(|(a, b)| are_close(a, b)),
            }
        }
        (a, b) => a == b,
    }
}

/// A value as a line of a report holds it: of a list or a record only how much it is.
fn short(value: &Value) -> Value {
    match value {
        Value::Array(list) => json!(format!("{} entries", list.len())),
        Value::Object(_) => json!("a record"),
        other => other.clone(),
    }
}
