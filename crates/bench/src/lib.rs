//! From a plan to cells, from cells to a run document, with one ordered stream of progress events.
//!
//! ```text
//! Settings + Session -> Run::measure -> Outcome -> assemble::document
//!                          |   row by row: drain, prefill, warm, cells
//!                          v
//!                       Keep (journal)
//! ```
//!
//! The numbers are not made here: evidence is collected, and `tokmark-measure` makes the numbers
//! from it, now and at every later verification.

pub mod assemble;
mod attempt;
pub mod cell;
mod collector;
pub mod dial;
mod drain;
mod expect;
mod flight;
mod forecast;
mod gauges;
pub mod hints;
pub mod journal;
mod live;
pub mod loops;
mod machine_now;
pub mod matrix;
pub mod output;
mod plan;
mod probes;
pub mod progress;
mod prompts;
pub mod rates;
mod recall;
mod requests;
mod row;
pub mod run;
mod schedule;
pub mod session;
pub mod settings;
mod single;
mod steering;
mod task;

pub use assemble::{Declared, Facts};
pub use dial::ConnectDial;
pub use forecast::{Forecast, PlannedCell, forecast};
pub use journal::{Journal, JournalError, Subject};
pub use machine_now::tell_machine;
pub use output::{InMemory, Keep, OutputDir, OutputError};
pub use progress::{Listener, Live, MachineNow, Progress, Sample, ServerNow, Stage};
pub use requests::Requests;
pub use run::{Outcome, Run, RunError};
pub use session::{Route, Session, control_endpoint};
pub use settings::{Endpoint, Settings};
pub use steering::Steering;
pub use task::CellTask;
