//! A run that was read, checked and packed, and only has to be written.

use std::io::Read;

use tokmark_run_format::{RunDocument, write_document};
use tokmark_units::Timestamp;

use crate::accept::{self, Accepted};
use crate::derived::Derived;
use crate::error::StoreError;
use crate::objects::ObjectKey;
use crate::run::NewRun;

/// zstd's fastest level: documents repeat their field names and shrink to a twentieth with any.
const LEVEL: i32 = 1;

/// What a packed object begins with; no JSON text does.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A run that only has to be written.
#[derive(Debug)]
pub struct PreparedRun {
    pub(crate) accepted: Accepted,
    pub(crate) derived: Derived,
    pub(crate) received_at: Timestamp,
    pub(crate) document: ObjectKey,
    pub(crate) packed: Vec<u8>,
    pub(crate) evidence: Option<Vec<u8>>,
    pub(crate) has_evidence: bool,
}

impl PreparedRun {
    /// Reads, checks and packs what was sent.
    pub(crate) fn of(run: NewRun) -> Result<Self, StoreError> {
        let accepted = accept::check(&run)?;
        Self::pack(accepted, &run.document, run.evidence, run.received_at)
    }

    /// A document that this program made.
    ///
    /// # Errors
    ///
    /// The document would be refused too if it were sent.
    pub fn made(document: RunDocument, received_at: Timestamp) -> Result<Self, StoreError> {
        let text = write_document(&document)?;
        let accepted = accept::check_document(document, None)?;
        Self::pack(accepted, &text, None, received_at)
    }

    fn pack(
        accepted: Accepted,
        text: &str,
        evidence: Option<Vec<u8>>,
        received_at: Timestamp,
    ) -> Result<Self, StoreError> {
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL);
        Ok(Self {
            derived: Derived::of(&accepted.document),
            document: ObjectKey::of(text.as_bytes()),
            packed: packed.map_err(|source| StoreError::Io {
                path: "a document in memory".to_owned(),
                source,
            })?,
            accepted,
            received_at,
            has_evidence: evidence.is_some(),
            evidence,
        })
    }
}

/// The text of a document's object; objects of the first version are not packed.
pub(crate) fn unpack(bytes: Vec<u8>) -> Option<String> {
    let bytes = if bytes.starts_with(&PACKED) {
        let most = u64::try_from(accept::LARGEST_DOCUMENT).ok()?;
        let decoder = zstd::stream::read::Decoder::new(bytes.as_slice()).ok()?;
        let mut text = Vec::new();
        decoder.take(most).read_to_end(&mut text).ok()?;
        text
    } else {
        bytes
    };
    String::from_utf8(bytes).ok()
}
