//! A whole run: probes, rows, records, document.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;
use tokmark_measure::{cell, passes, prefill};
use tokmark_run_format::evidence::{
    CellEvidence, PrefillEvidence, ProbeEvidence, Record, RequestFailure,
};
use tokmark_run_format::{DecodeCell, Note, PrefillRow};
use tokmark_units::Nanos;

use crate::hints::hints;
use crate::journal::Recalled;
use crate::matrix::{self, Limits, Matrix};
use crate::output::Keep;
use crate::progress::{Listener, Progress};
use crate::prompts::{PromptError, Prompts};
use crate::rates::Known;
use crate::session::Session;
use crate::settings::Settings;
use crate::steering::Steering;

/// Why a run could not begin. Once it has begun, what went wrong is part of its result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The very first request failed.
    #[error("the server does not answer a request: {class}: {message}")]
    FirstRequest {
        /// The class of failure.
        class: String,
        /// HTTP status, when there was one.
        http_status: Option<u16>,
        /// The server's words.
        message: String,
    },
    /// Somebody else uses the server.
    #[error("the server is busy: {0}")]
    Busy(String),
    /// No prompt could be made.
    #[error("no prompt of the wanted length could be made")]
    Prompt(#[from] PromptError),
    /// Stopped before anything was measured.
    #[error("stopped before anything was measured")]
    Stopped,
}

impl RunError {
    pub(crate) fn of(failure: RequestFailure) -> Self {
        Self::FirstRequest {
            class: failure.class,
            http_status: failure.http_status,
            message: failure.message,
        }
    }
}

/// What a run brought.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The matrix as resolved.
    pub matrix: Matrix,
    /// Prefill rows by context.
    pub prefill: Vec<PrefillRow>,
    /// Cells by context, then requests.
    pub decode: Vec<DecodeCell>,
    /// The probes.
    pub probes: ProbeEvidence,
    /// Whether a repeated prompt comes from the server's cache.
    pub prefix_cache: Option<bool>,
    /// The KV budget that the capacity rule was held against.
    pub budget: Option<tokmark_run_format::TokenBudget>,
    /// Every record, in the order of keeping.
    pub records: Vec<Record>,
    /// Remarks about the whole run.
    pub notes: Vec<Note>,
    /// Whether every cell of the plan was decided without being stopped.
    pub complete: bool,
    /// Whether keeping a record failed, and why.
    pub keep_failure: Option<String>,
}

/// A run under way.
pub struct Run<'a> {
    pub(crate) session: &'a Session,
    pub(crate) settings: &'a Settings,
    pub(crate) listener: &'a Listener,
    pub(crate) stop: &'a CancellationToken,
    pub(crate) steering: Steering,
    /// Also cancelled when the running cell is skipped.
    pub(crate) cell_stop: CancellationToken,
    pub(crate) matrix: Matrix,
    pub(crate) limits: Limits,
    pub(crate) known: Known,
    pub(crate) prompts: Prompts,
    pub(crate) probes: ProbeEvidence,
    pub(crate) samples: Vec<PrefillEvidence>,
    /// By context, the streams whose documents were prefilled.
    pub(crate) warmed: BTreeMap<u64, u32>,
    pub(crate) began: Nanos,
    /// Whether the server answered no request the last time.
    pub(crate) broken: bool,
    /// By cell, its passes.
    pub(crate) cells: BTreeMap<(u64, u32), Vec<DecodeCell>>,
    pub(crate) records: Vec<Record>,
    pub(crate) notes: Vec<Note>,
    pub(crate) keep: &'a mut dyn Keep,
    pub(crate) keep_failure: Option<String>,
    pub(crate) recalled: Recalled,
}

impl<'a> Run<'a> {
    /// Prepares a run on an identified server. `run_id` seeds the prompts together with the
    /// settings' seed.
    pub fn new(
        session: &'a Session,
        settings: &'a Settings,
        run_id: &str,
        keep: &'a mut dyn Keep,
        listener: &'a Listener,
        stop: &'a CancellationToken,
    ) -> Self {
        let limits = Limits::of(&session.server.engine, settings.kv_budget);
        Self {
            matrix: matrix::resolve(settings, limits.max_length),
            limits,
            known: Known::default(),
            prompts: Prompts::new(run_id, settings),
            probes: ProbeEvidence::default(),
            samples: Vec::new(),
            warmed: BTreeMap::new(),
            began: session.clock.now(),
            broken: false,
            cells: BTreeMap::new(),
            records: Vec::new(),
            notes: Vec::new(),
            keep,
            keep_failure: None,
            recalled: Recalled::default(),
            session,
            settings,
            listener,
            stop,
            steering: Steering::default(),
            cell_stop: stop.clone(),
        }
    }

    /// The same run, steered by a person.
    #[must_use]
    pub fn steered_by(mut self, steering: &Steering) -> Self {
        self.steering = steering.clone();
        self
    }

    /// Measures everything of the plan that can be measured.
    pub async fn measure(mut self) -> Result<Outcome, RunError> {
        self.tell(Progress::Planned(self.matrix.clone()));
        for cell in self.cells.values().cloned().filter_map(passes::combine) {
            self.tell(Progress::CellDone(Box::new(cell)));
        }
        if self.is_finished() {
            return Ok(self.outcome());
        }
        self.probe().await?;
        self.tell_time_left();
        let mut contexts = self.matrix.contexts.clone();
        if self.settings.prefill != tokmark_run_format::PrefillMode::Off {
            contexts.extend(&self.matrix.prefill_contexts);
        }
        contexts.sort_unstable();
        contexts.dedup();
        for context in &contexts {
            self.row(*context).await;
        }
        if self.settings.max_time.is_some() && !self.stop.is_cancelled() {
            // What was kept for later rows and not needed there.
            self.forget_warmed();
            for context in &contexts {
                self.row(*context).await;
            }
        }
        Ok(self.outcome())
    }

    fn outcome(mut self) -> Outcome {
        let complete = !self.stop.is_cancelled();
        self.fill_unmeasured();
        let contexts = match self.settings.prefill {
            tokmark_run_format::PrefillMode::Off => Vec::new(),
            _ => self.matrix.prefill_contexts.clone(),
        };
        let prefill = self.prefill_rows(&contexts);
        let decode: Vec<DecodeCell> = self
            .cells
            .into_values()
            .filter_map(passes::combine)
            .collect();
        self.notes.extend(hints(&self.session.server, &decode));
        Outcome {
            prefill,
            decode,
            matrix: self.matrix,
            probes: self.probes,
            prefix_cache: self.known.prefix_cache,
            budget: self.limits.budget,
            records: self.records,
            notes: self.notes,
            complete,
            keep_failure: self.keep_failure,
        }
    }

    fn prefill_rows(&self, contexts: &[u64]) -> Vec<PrefillRow> {
        prefill::rows(contexts, &self.samples, &self.probes)
            .into_iter()
            .map(|row| match self.prefill_left_out(row.context) {
                Some(left_out) if row.samples.is_empty() => left_out,
                _ => row,
            })
            .collect()
    }

    /// Cells that were never reached get a status, so that none is missing.
    fn fill_unmeasured(&mut self) {
        if self.settings.prefill == tokmark_run_format::PrefillMode::Standalone {
            return;
        }
        for context in self.matrix.contexts.clone() {
            for requests in self.matrix.levels.clone() {
                if !self.cells.contains_key(&(context, requests)) {
                    self.leave_unreached(context, requests);
                }
            }
        }
    }

    /// Keeps a record in the journal, and in memory for the evidence file.
    pub(crate) fn keep(&mut self, record: Record) {
        let kept = match self.keep_failure {
            None => self.keep.keep(&record),
            Some(_) => Ok(()),
        };
        self.records.push(record);
        if let Err(error) = kept {
            // The run goes on: what is in memory can still be written elsewhere at the end.
            self.keep_failure = Some(error.to_string());
            self.note(
                "journal_failed",
                format!(
                    "the journal cannot be written, so that this run could not be resumed; it goes on: \
                     {error}"
                ),
            );
        }
    }

    /// Keeps a cell's evidence and its numbers.
    pub(crate) fn keep_cell(&mut self, evidence: CellEvidence) {
        let place = (evidence.context, evidence.requests);
        self.settle(&evidence);
        self.keep(Record::Cell(Box::new(evidence)));
        let passes = self.cells.get(&place).cloned().unwrap_or_default();
        if let Some(cell) = passes::combine(passes) {
            self.tell(Progress::CellDone(Box::new(cell)));
        }
        self.tell_time_left();
    }

    /// Takes a pass's numbers from its evidence.
    pub(crate) fn settle(&mut self, evidence: &CellEvidence) {
        let cell = cell::evaluate(evidence);
        if let Some(rate) = cell.per_request_tokens_per_s {
            self.known.learn(cell.context, cell.requests, rate);
        }
        if let Some(measured) = cell.measured_s {
            let longest = self.settings.window.as_secs_f64();
            self.known.learn_window(measured / longest.max(1e-9));
        }
        let passes = self.cells.entry((cell.context, cell.requests));
        passes.or_default().push(cell);
    }

    pub(crate) fn note(&mut self, code: &str, text: String) {
        self.tell(Progress::Note(text.clone()));
        self.keep_note(code, text);
    }

    pub(crate) fn tell(&self, progress: Progress) {
        // Nobody has to listen.
        let _unheard = self.listener.send(progress);
    }

    fn tell_time_left(&self) {
        let all = self.matrix.contexts.len() * self.matrix.levels.len();
        let places = self.cells.keys();
        let done = places.filter(|(c, r)| self.is_decided(*c, *r)).count();
        self.tell(Progress::Left {
            left: self.time_left(),
            done,
            all,
            left_out: self.expected_left_out(),
        });
    }

    /// Waits while a person wants that. The time is not the run's: `--max-time` does not count it.
    pub(crate) async fn wait_while_paused(&mut self) {
        if !self.steering.is_paused() || self.stop.is_cancelled() {
            return;
        }
        let from = self.session.clock.now();
        self.tell(Progress::Paused(true));
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = self.steering.resumed() => {}
        }
        let waited = self.session.clock.now().saturating_sub(from);
        self.began = self.began + waited;
        self.tell(Progress::Paused(false));
    }
}
