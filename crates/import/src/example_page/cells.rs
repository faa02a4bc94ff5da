//! The page's prefill rows and cells.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow};
use tokmark_units::Context;

use super::shape::{PageCell, PagePrefill};
use crate::error::ImportError;
use crate::figure;

/// The prefill rows by context. The page does not say how many tokens a prompt had, and the
/// document does not guess: `prompt_tokens` and the samples stay empty.
pub(super) fn prefill(rows: &[PagePrefill]) -> Result<Vec<PrefillRow>, ImportError> {
    let mut read = rows
        .iter()
        .map(prefill_row)
        .collect::<Result<Vec<_>, _>>()?;
    read.sort_by_key(|row| row.context);
    let twice = read
        .windows(2)
        .find(|pair| matches!(pair, [a, b] if a.context == b.context));
    match twice {
        Some([row, ..]) => Err(ImportError::Twice {
            place: format!("prefill {}", row.context),
        }),
        _ => Ok(read),
    }
}

fn prefill_row(row: &PagePrefill) -> Result<PrefillRow, ImportError> {
    let place = format!("prefill {}", row.context);
    check_label(row.context, row.context_label.as_deref(), &place)?;
    let status = status(&row.status, &place, &PREFILL_WORDS)?;
    let mut read = PrefillRow::without_samples(row.context, status, None);
    read.requests = row.requests;
    read.completed_requests = row.completed_requests.unwrap_or_default();
    read.ttft_ms = checked(row.ttft_ms, &place)?;
    read.prompt_tokens_per_s = match &row.prompt_tokens_per_s_shown {
        None => None,
        Some(text) => Some(
            figure::number(text)
                .ok_or_else(|| ImportError::figure(text, &place, "a rate such as `8,169.0`"))?,
        ),
    };
    Ok(read)
}

/// The cells by context, then requests.
pub(super) fn decode(cells: &[PageCell]) -> Result<Vec<DecodeCell>, ImportError> {
    let mut read = cells.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
    read.sort_by_key(|cell| (cell.context, cell.requests));
    let twice = read
        .windows(2)
        .find(|pair| matches!(pair, [a, b] if (a.context, a.requests) == (b.context, b.requests)));
    match twice {
        Some([cell, ..]) => Err(ImportError::Twice {
            place: format!("decode {} × {}", cell.context, cell.requests),
        }),
        _ => Ok(read),
    }
}

fn cell(cell: &PageCell) -> Result<DecodeCell, ImportError> {
    let place = format!("decode {} × {}", cell.context, cell.requests);
    check_label(cell.context, cell.context_label.as_deref(), &place)?;
    let known = CellStatus::ALL.map(CellStatus::as_str);
    let status = status(&cell.status, &place, &known)?;
    let mut read = DecodeCell::without_numbers(cell.context, cell.requests, status, None);
    read.total_tokens_per_s = checked(cell.total_tokens_per_s, &place)?;
    read.per_request_tokens_per_s = checked(cell.per_request_tokens_per_s, &place)?;
    read.ttft_ms = checked(cell.ttft_ms, &place)?;
    read.time_between_tokens_ms = checked(cell.time_between_tokens_ms, &place)?;
    read.average_active_requests = checked(cell.average_active_requests, &place)?;
    read.completed_requests = cell.completed_requests;
    read.output_tokens = cell.output_tokens;
    read.measured_s = checked(cell.measured_s, &place)?;
    Ok(read)
}

const PREFILL_WORDS: [&str; 6] = [
    "valid",
    "partly_cached",
    "failed",
    "over_length",
    "over_capacity",
    "interrupted",
];

/// A status by its word in the document.
fn status<T: DeserializeOwned>(word: &str, place: &str, known: &[&str]) -> Result<T, ImportError> {
    serde_json::from_value(Value::String(word.to_owned()))
        .map_err(|_| ImportError::word(word, place, known))
}

/// Older versions of this tool write negative figures for cells without one: they are never
/// figures here.
fn checked(figure: Option<f64>, place: &str) -> Result<Option<f64>, ImportError> {
    match figure {
        Some(value) if value < 0.0 => {
            Err(ImportError::figure(&value, place, "a figure of at least 0"))
        }
        other => Ok(other),
    }
}

/// `16K` must say what `16384` says, for the document keeps only the number.
fn check_label(context: u64, label: Option<&str>, place: &str) -> Result<(), ImportError> {
    match label.map(Context::parse) {
        None => Ok(()),
        Some(Ok(read)) if read.0 == context => Ok(()),
        Some(_) => Err(ImportError::figure(
            label.unwrap_or_default(),
            place,
            "the label of its context",
        )),
    }
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::PrefillStatus;

    use super::*;

    #[test]
    fn every_prefill_word_is_known() {
        for word in PREFILL_WORDS {
            let read: PrefillStatus = status(word, "here", &PREFILL_WORDS).unwrap();
            assert_eq!(read.as_str(), word);
        }
    }
}
