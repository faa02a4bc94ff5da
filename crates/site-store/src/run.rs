//! What goes into a store and comes out of it.

use tokmark_run_format::hardware::MachineClass;
use tokmark_run_format::{CellStatus, Trust};
use tokmark_units::Timestamp;

use crate::cursor::Cursor;
use crate::filter::{RunFilter, RunOrder};

/// A run to store.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The run document as JSON, kept byte for byte.
    pub document: String,
    /// The evidence file, where there is one.
    pub evidence: Option<Vec<u8>>,
    /// Now: a store reads no clock.
    pub received_at: Timestamp,
}

/// What became of a run that was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOutcome {
    /// It is stored now, under this identity.
    Created(String),
    /// It was there already, byte for byte.
    Existed(String),
}

impl PutOutcome {
    /// The run's identity.
    pub fn id(&self) -> &str {
        match self {
            Self::Created(id) | Self::Existed(id) => id,
        }
    }
}

/// What a list shows of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Its identity.
    pub id: String,
    /// When the store received it.
    pub received_at: Timestamp,
    /// When it was measured, RFC 3339, where that is known.
    pub started_at: Option<String>,
    /// How far to trust it: what the document says, lowered when the evidence is not here.
    pub trust: Trust,
    /// The model's name for titles.
    pub model: String,
    /// The machine's name for titles.
    pub hardware: Option<String>,
    /// What kind of machine it is.
    pub class: MachineClass,
    /// The engine.
    pub engine: String,
    /// The engine's version.
    pub engine_version: Option<String>,
    /// The quantization of the weights.
    pub quantization: Option<String>,
    /// Whether its evidence is stored.
    pub has_evidence: bool,
    /// The decode cells by context, then requests.
    pub cells: Vec<CellSummary>,
}

/// What a list shows of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellSummary {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests kept in flight.
    pub requests: u32,
    /// Its status.
    pub status: CellStatus,
    /// Tokens in the window over its length.
    pub total_tokens_per_s: Option<f64>,
}

/// A run with its document.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// What a list shows of it.
    pub summary: RunSummary,
    /// The document, byte for byte as it was put.
    pub document: String,
    /// SHA-256 of the document, lower-case hexadecimal.
    pub document_sha256: String,
}

/// Which page of the list is asked for.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// Which runs; by default all that are public.
    pub filter: RunFilter,
    /// In which order.
    pub order: RunOrder,
    /// Runs after this place of the same order; `None` begins with the first.
    pub after: Option<Cursor>,
    /// Most runs of the page.
    pub limit: u32,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPage {
    /// The runs, in the order that was asked for.
    pub runs: Vec<RunSummary>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<Cursor>,
}
