//! What is checked before a run is stored.

use std::collections::BTreeSet;

use tokmark_run_format::{RunDocument, Trust, read_document};

use crate::error::StoreError;
use crate::objects::ObjectKey;
use crate::run::NewRun;

/// Longest document in bytes: the largest real ones have a few hundred kilobytes.
pub(crate) const LARGEST_DOCUMENT: usize = 16 << 20;

/// Most places of the matrix, rows times columns, since a page draws every one of them.
const MOST_PLACES: usize = 10_000;

/// Longest identity; those of this tool have 26 characters.
const LONGEST_ID: usize = 64;

/// A run that may be stored.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) document: RunDocument,
    pub(crate) trust: Trust,
}

/// Whether a text can be a run's identity: it becomes part of addresses and file names.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    !text.is_empty() && text.len() <= LONGEST_ID && text.bytes().all(plain)
}

/// Reads and checks a run.
pub(crate) fn check(run: &NewRun) -> Result<Accepted, StoreError> {
    within("bytes", run.document.len(), LARGEST_DOCUMENT)?;
    check_document(read_document(&run.document)?, run.evidence.as_deref())
}

/// Checks a document that was read, or made here.
pub(crate) fn check_document(
    document: RunDocument,
    evidence: Option<&[u8]>,
) -> Result<Accepted, StoreError> {
    if !is_id(&document.id) {
        return Err(StoreError::Id { id: document.id });
    }
    let contexts: BTreeSet<u64> = document.decode.iter().map(|cell| cell.context).collect();
    let levels: BTreeSet<u32> = document.decode.iter().map(|cell| cell.requests).collect();
    let places = contexts.len().saturating_mul(levels.len());
    within("places in its matrix", places, MOST_PLACES)?;
    within("prefill rows", document.prefill.len(), MOST_PLACES)?;
    let mut seen = BTreeSet::new();
    for cell in &document.decode {
        if !seen.insert((cell.context, cell.requests)) {
            return Err(StoreError::Twice {
                context: cell.context,
                requests: cell.requests,
            });
        }
    }
    let trust = trust(&document, evidence)?;
    Ok(Accepted { document, trust })
}

fn within(what: &'static str, count: usize, most: usize) -> Result<(), StoreError> {
    if count > most {
        return Err(StoreError::TooMany { what, count, most });
    }
    Ok(())
}

/// What the document may claim: `measured` only with the very evidence that it names.
fn trust(document: &RunDocument, evidence: Option<&[u8]>) -> Result<Trust, StoreError> {
    let matches = match (&document.evidence, evidence) {
        (_, None) => false,
        (Some(named), Some(bytes)) if named.sha256 == ObjectKey::of(bytes).as_str() => true,
        (_, Some(_)) => return Err(StoreError::Evidence),
    };
    Ok(match document.trust {
        _ if document.source.is_some() => Trust::Imported,
        Trust::Measured if !matches => Trust::SelfReported,
        trust => trust,
    })
}

/// The word of a trust level in the database.
pub(crate) fn trust_word(trust: Trust) -> &'static str {
    match trust {
        Trust::SelfReported => "self_reported",
        Trust::Imported => "imported",
        Trust::Measured => "measured",
    }
}

/// A trust level by its word.
pub(crate) fn trust_of(word: &str) -> Option<Trust> {
    [Trust::SelfReported, Trust::Imported, Trust::Measured]
        .into_iter()
        .find(|trust| trust_word(*trust) == word)
}
