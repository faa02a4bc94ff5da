//! Reader of the Prometheus text format, as servers answer it on `/metrics`.
//!
//! Names are matched whole: `vllm:num_requests_waiting` is not `…_waiting_by_reason`. A line that
//! cannot be understood is reported and skipped, because one broken exporter line must not hide the
//! rest (case B079). A web page is an error, and an empty body holds nothing rather than zeros
//! (case B080).

use crate::answer::{looks_like_html, shown};

/// Malformed lines that are kept with their text; more are only counted.
const KEPT_MALFORMED: usize = 3;

/// One time series with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Metric name, with prefix and suffix.
    pub name: String,
    /// Labels in the order of the text.
    pub labels: Vec<(String, String)>,
    /// The value; may be NaN or infinite, which [`Exposition`] readers leave out.
    pub value: f64,
}

impl Sample {
    /// The value of one label.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels
            .iter()
            .find(|(label, _)| label == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A line that is no sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Line number from 1.
    pub line: usize,
    /// Its first characters.
    pub text: String,
}

/// Everything that one scrape said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposition {
    /// The samples in the order of the text.
    pub samples: Vec<Sample>,
    /// The first lines that were not understood.
    pub malformed: Vec<Malformed>,
    /// How many lines were not understood.
    pub malformed_lines: usize,
}

/// Why a body is not metrics at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpositionError {
    /// A web page, for example of a proxy that wants a login.
    #[error("the metrics route answers a web page: `{shown}`")]
    Html {
        /// Its first characters.
        shown: String,
    },
    /// Bytes that are no text.
    #[error("the metrics are not UTF-8 text")]
    NotText,
}

impl Exposition {
    /// Reads one scrape.
    pub fn parse(body: &[u8]) -> Result<Self, ExpositionError> {
        if looks_like_html(body) {
            return Err(ExpositionError::Html { shown: shown(body) });
        }
        let text = std::str::from_utf8(body).map_err(|_| ExpositionError::NotText)?;
        let mut read = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(sample) = parse_sample(line) {
                read.samples.push(sample);
            } else {
                read.malformed_lines += 1;
                if read.malformed.len() < KEPT_MALFORMED {
                    read.malformed.push(Malformed {
                        line: at + 1,
                        text: shown(line.as_bytes()),
                    });
                }
            }
        }
        Ok(read)
    }

    /// Whether the scrape held no sample.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Whether any metric's name begins with `prefix`.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        self.samples
            .iter()
            .any(|sample| sample.name.starts_with(prefix))
    }

    /// The series of exactly this name.
    pub fn series<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Sample> {
        self.samples
            .iter()
            .filter(move |sample| sample.name == name)
    }

    /// A sentence about lines that were not understood, if there were any.
    pub fn complaint(&self) -> Option<String> {
        let first = self.malformed.first()?;
        Some(format!(
            "server metrics: {} line(s) not understood, the first is line {}: `{}`",
            self.malformed_lines, first.line, first.text
        ))
    }
}

/// `name{label="value",…} value [timestamp]`; an exemplar after ` # ` is left out.
fn parse_sample(line: &str) -> Option<Sample> {
    let name_end = line
        .find(|c: char| !is_name_character(c))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(name_end)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (labels, rest) = match rest.trim_start().strip_prefix('{') {
        Some(inside) => parse_labels(inside)?,
        // Without labels the name ends at white space, or it is some other text.
        None if rest.starts_with(char::is_whitespace) => (Vec::new(), rest),
        None => return None,
    };
    let rest = rest.split_once(" # ").map_or(rest, |(before, _)| before);
    let mut words = rest.split_whitespace();
    let value = words.next()?.parse().ok()?;
    let timestamp = words.next();
    let timestamp_is_number = timestamp.is_none_or(|text| text.parse::<f64>().is_ok());
    (timestamp_is_number && words.next().is_none()).then(|| Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}

/// The labels up to the closing brace, and what follows it.
fn parse_labels(inside: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut labels = Vec::new();
    let mut rest = inside.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, after) = rest.split_once('=')?;
        let name = name.trim();
        if name.is_empty() || !name.chars().all(is_name_character) {
            return None;
        }
        let (value, after) = parse_quoted(after.trim_start().strip_prefix('"')?)?;
        labels.push((name.to_owned(), value));
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if rest.starts_with('}') => rest,
            None => return None,
        };
    }
}

/// A label value up to its closing quote, escapes resolved, and what follows.
fn parse_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\') => value.push(escaped),
                // Unknown escapes are kept as they stand, which is what Prometheus does.
                other => value.extend(['\\', other]),
            },
            other => value.push(other),
        }
    }
    None
}
