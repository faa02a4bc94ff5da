//! One run in a list.

use tokmark_run_format::{CellStatus, RunDocument, Trust};
use tokmark_units::{Timestamp, format};

use super::MatrixPicture;
use crate::summary::{self, context_label};
use crate::words;

/// A cell as lists need it: context, requests, status, total tok/s.
pub type ListedCell = (u64, u32, CellStatus, Option<f64>);

/// What a list knows of a run.
#[derive(Debug, Clone)]
pub struct ListedRun<'a> {
    /// Address of the run's page.
    pub href: String,
    /// The model.
    pub model: &'a str,
    /// The machine, when it has a name.
    pub hardware: Option<&'a str>,
    /// Engine, version, quantization.
    pub engine: [Option<&'a str>; 3],
    /// How far to trust it.
    pub trust: Trust,
    /// When it was measured, RFC 3339, where that is known.
    pub started_at: Option<&'a str>,
    /// When it was received, where it was.
    pub received_at: Option<Timestamp>,
    /// Its decode cells.
    pub cells: Vec<ListedCell>,
}

impl<'a> ListedRun<'a> {
    /// A document at an address.
    pub fn of(run: &'a RunDocument, href: String) -> Self {
        let engine = &run.engine;
        let cells = run.decode.iter();
        Self {
            href,
            model: summary::model_name(run),
            hardware: run.hardware.name.as_deref(),
            engine: [
                Some(engine.name.as_str()),
                engine.version.as_deref(),
                engine.quantization.as_deref(),
            ],
            trust: run.trust,
            started_at: run.started_at.as_deref(),
            received_at: None,
            cells: cells
                .map(|c| (c.context, c.requests, c.status, c.total_tokens_per_s))
                .collect(),
        }
    }
}

/// One line of a list, ready to be shown.
#[derive(Debug, Clone)]
pub struct RunListRow {
    pub(crate) href: String,
    pub(crate) model: String,
    pub(crate) hardware: String,
    pub(crate) engine_line: String,
    pub(crate) single: String,
    pub(crate) highest: String,
    pub(crate) highest_place: Option<String>,
    pub(crate) trust: &'static str,
    pub(crate) trust_class: &'static str,
    pub(crate) date: String,
    pub(crate) picture: MatrixPicture,
}

impl From<ListedRun<'_>> for RunListRow {
    /// Only valid cells give figures; the smallest context stands for a single stream.
    fn from(run: ListedRun<'_>) -> Self {
        let valid = || {
            let cells = run.cells.iter();
            cells.filter_map(|(context, requests, status, rate)| {
                (*status == CellStatus::Valid).then_some((*context, *requests, (*rate)?))
            })
        };
        let single = valid()
            .filter(|(_, requests, _)| *requests == 1)
            .min_by_key(|(context, ..)| *context);
        let highest = valid().max_by(|a, b| a.2.total_cmp(&b.2));
        let received = || run.received_at.map(Timestamp::minute);
        let date = run.started_at.map(crate::run::minute).or_else(received);
        Self {
            single: format::or_dash(single, |(.., rate)| format::rate(rate)),
            highest: format::or_dash(highest, |(.., rate)| format::rate(rate)),
            highest_place: highest
                .map(|(context, requests, _)| words::at_cell(requests, &context_label(context))),
            href: run.href,
            model: run.model.to_owned(),
            hardware: run.hardware.unwrap_or(words::UNKNOWN_HARDWARE).to_owned(),
            engine_line: summary::joined(run.engine),
            trust: run.trust.label(),
            trust_class: crate::run::trust_class(run.trust),
            date: format::or_dash(date, |date| date),
            picture: MatrixPicture::of(&run.cells),
        }
    }
}
