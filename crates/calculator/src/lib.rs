//! The decode calculator: does a model fit on a machine, for how many at which context, how fast,
//! at what energy and cost, what limits it, and how sure that is.
//!
//! A [`Setup`] is what is predicted for; [`Constants`] say how well its engine and accelerator do
//! what the bytes and operations ask for. Constants belong to a path (engine, accelerator, kernels,
//! cache type) and are fitted to measured runs ([`fit`]); without runs they are what is believed
//! from published measurements. Everything is pure.

mod capacity;
pub mod compare;
pub mod constant;
mod constants;
pub mod cost;
pub mod cost_report;
pub mod csv;
mod decode;
mod energy;
mod explain;
pub mod figures;
pub mod fit;
pub mod fit_report;
mod memory;
pub mod need_report;
mod observe;
mod path;
mod places;
mod predict;
mod prefill;
pub mod query;
pub mod rent;
pub mod report;
mod search;
mod setup;
pub mod stored;
pub mod versus;

pub use capacity::{Came, Capacity, CellCapacity, Score};
pub use compare::{Comparison, compare};
pub use constant::ConstantId;
pub use constants::{Constant, Constants, Origin};
pub use decode::{DecodeLoad, DecodeSpeed, Output, Step, StepTerm};
pub use energy::Power;
pub use explain::{Explained, Input};
pub use fit_report::FitReport;
pub use memory::{Fit, Limits, Memory, MemoryRule};
pub use observe::{ObserveError, ObservedRun, observe};
pub use path::{Family, Scope};
pub use predict::{Banded, Knowledge, Matrix, Prediction};
pub use prefill::{PrefillTerm, PrefillTime};
pub use query::{FileModel, Query, QueryError, Question};
pub use report::Report;
pub use search::{Answer, Need, search};
pub use setup::{CacheLaw, Card, Drafting, Host, Kernel, Layout, Setup};
