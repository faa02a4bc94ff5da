//! What a run would measure and how long it would take, before anything is sent.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;
use tokmark_run_format::evidence::NotRun;
use tokmark_units::Nanos;

use crate::matrix::Matrix;
use crate::output::InMemory;
use crate::run::Run;
use crate::session::Session;
use crate::settings::Settings;

/// One cell of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCell {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests kept in flight.
    pub requests: u32,
    /// Why it is left out, or `None` when it runs.
    pub left_out: Option<NotRun>,
    /// Expected time of its passes, prefills of its documents excluded.
    pub time: Nanos,
}

/// A plan with its expected times.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The matrix as resolved.
    pub matrix: Matrix,
    /// Every cell, by context, then requests.
    pub cells: Vec<PlannedCell>,
    /// By context, the documents that are prefilled cold.
    pub documents: Vec<(u64, u32)>,
    /// Expected time of the cells.
    pub windows: Nanos,
    /// Expected time of everything.
    pub total: Nanos,
}

impl Forecast {
    /// Cells that run.
    pub fn running(&self) -> usize {
        let runs = |cell: &&PlannedCell| cell.left_out.is_none();
        self.cells.iter().filter(runs).count()
    }
}

/// What a run with these settings would do. Rates are assumed, since nothing was measured, and the
/// server's own limit of requests is taken for the one that a run would find.
pub fn forecast(session: &Session, settings: &Settings) -> Forecast {
    let (listener, _nobody) = tokio::sync::mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut keep = InMemory::default();
    let mut run = Run::new(session, settings, "", &mut keep, &listener, &stop);
    run.limits.admission = session.server.engine.max_sequences;
    run.forecast()
}

impl Run<'_> {
    fn forecast(&self) -> Forecast {
        let passes = u64::from(self.passes());
        let mut documents: BTreeMap<u64, u32> = BTreeMap::new();
        let mut cells = Vec::new();
        let levels = self.decode_levels();
        for context in &self.matrix.contexts {
            for requests in &levels {
                let (context, requests) = (*context, *requests);
                let left_out = self.left_out(context, requests).or_else(|| {
                    let kept = self.affords(context, requests);
                    (!kept).then(|| self.too_long(context, requests))
                });
                if left_out.is_none() && context > 0 {
                    let needed = self.documents(self.admitted(requests));
                    let most = documents.entry(context).or_default();
                    *most = needed.max(*most);
                }
                let time = Nanos(self.cell_time(context, requests).0.saturating_mul(passes));
                cells.push(PlannedCell {
                    context,
                    requests,
                    left_out,
                    time,
                });
            }
        }
        let run = cells.iter().filter(|cell| cell.left_out.is_none());
        Forecast {
            matrix: self.matrix.clone(),
            windows: run.fold(Nanos::ZERO, |sum, cell| sum + cell.time),
            documents: documents
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect(),
            total: self.time_left(),
            cells,
        }
    }
}
