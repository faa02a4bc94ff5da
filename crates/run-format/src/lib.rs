//! The run document, version 1, and the evidence file beside it.
//!
//! These types are what is written to disk and sent over the wire, and nothing else: live code has
//! its own. Every number is defined in the methodology; a field's name carries its unit. Absent is
//! `null`, never a sentinel. A document of any released version stays readable: see [`read`].

pub mod cell;
pub mod document;
pub mod energy;
pub mod evidence;
pub mod hardware;
pub mod launch;
pub mod plan;
pub mod prefill;
pub mod read;
pub mod roofline;
pub mod server;
pub mod status;
pub mod telemetry;
pub mod wire;

pub use cell::DecodeCell;
pub use document::{EvidenceRef, ImportSource, Note, RunDocument, Tool, Trust};
pub use energy::Energy;
pub use hardware::{
    Accelerator, AcceleratorBandwidth, AcceleratorFacts, AcceleratorLink, AcceleratorSelection,
    Hardware, Host, MachineClass, MeasuredBandwidth, PcieLink, ProcessorFacts, Slice, UnknownFact,
};
pub use launch::{LaunchSettings, Speculation};
pub use plan::{CapacityRule, Plan, PrefillMode, Profile, Sampling};
pub use prefill::PrefillRow;
pub use read::{ReadError, read_document};
pub use roofline::{FigureSource, Roofline, RooflineBound};
pub use server::{Accepts, Engine, Model, TokenBudget};
pub use status::{CellStatus, PrefillStatus};
pub use telemetry::{DeviceKind, DeviceSample, DeviceSeries, Telemetry, Throttle};

/// The value of a run document's `format` field that this crate writes.
pub const FORMAT: &str = "tokmark-run/1";

/// The version of the definitions that new documents follow. 1: a cell's interval came from batches
/// of its window. 2: it comes from the window's slowest cosines, and drift and outliers are noted.
pub const METHODOLOGY: u32 = 2;

/// The JSON Schema of the run document (draft 2020-12), made from the types.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RunDocument).to_value()
}

/// The document as it is written to disk: indented JSON with a final newline.
///
/// # Errors
/// Only when a value cannot be represented in JSON, which these types rule out.
pub fn write_document(document: &RunDocument) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}
