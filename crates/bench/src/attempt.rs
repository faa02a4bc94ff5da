//! One cell of a row: whether it is run, how often, and what its requests are.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::sleep_until;
use tokmark_engines::Tri;
use tokmark_measure::cell::wants_retry;
use tokmark_run_format::evidence::{CellEnd, CellEvidence, NotRun};
use tokmark_run_format::{CellStatus, Profile};
use tokmark_units::{Context, Nanos};
use tokmark_workload::{Ending, Key, OutputNeed, Purpose, Slot, output_limit};

use crate::cell;
use crate::drain::Drained;
use crate::progress::Progress;
use crate::prompts::{BodyMaker, Document};
use crate::requests::Requests;
use crate::run::{Run, RunError};
use crate::task::CellTask;

/// The longest `Retry-After` that is heeded: a server that wants more is not measured now.
const LONGEST_RETRY_AFTER: Nanos = Nanos::from_secs(60);

impl Run<'_> {
    /// Measures one cell of the row, or says why not; a cell that failed is tried once more.
    pub(crate) async fn cell(&mut self, context: u64, requests: u32, pass: u32) {
        // What is learned between two passes leaves no cell out that was measured.
        if pass == 0
            && let Some(not_run) = self.left_out(context, requests)
        {
            self.keep_cell(self.unrun(context, requests, not_run));
            return;
        }
        self.tell(Progress::CellStarted {
            context,
            requests,
            expected: self.cell_time(context, requests),
        });
        self.cell_stop = self.steering.begin_cell(self.stop);
        let first = self.try_cell(context, requests, pass, 0).await;
        let again = wants_retry(&first) && !self.cell_stop.is_cancelled();
        let mut evidence = if again {
            self.heed_retry_after(&first).await;
            self.tell(Progress::Note("trying this cell once more".into()));
            self.try_cell(context, requests, pass, 1).await
        } else {
            first
        };
        self.steering.end_cell();
        self.cell_stop = self.stop.clone();
        if evidence.end == CellEnd::Interrupted && !self.stop.is_cancelled() {
            evidence.end = CellEnd::Skipped;
            evidence.end_reason = Some("skipped by the user".to_owned());
        }
        self.keep_cell(evidence);
    }

    /// A server that said when to come back is left alone until then.
    async fn heed_retry_after(&self, evidence: &CellEvidence) {
        let failures = evidence.streams.iter().filter_map(|r| r.failure.as_ref());
        let asked = failures.filter_map(|failure| failure.retry_after_s).max();
        let Some(wait) = asked.filter(|seconds| *seconds > 0) else {
            return;
        };
        let wait = Nanos::from_secs(wait).min(LONGEST_RETRY_AFTER);
        self.tell(Progress::Note(format!(
            "the server asks to wait; trying again in {wait}"
        )));
        let until = self.session.clock.now() + wait;
        tokio::select! {
            () = self.cell_stop.cancelled() => {}
            () = sleep_until(self.session.clock.instant(until)) => {}
        }
    }

    async fn try_cell(
        &mut self,
        context: u64,
        requests: u32,
        pass: u32,
        retry: u32,
    ) -> CellEvidence {
        let ended = |end: CellEnd, reason: Option<String>| CellEvidence {
            context,
            requests,
            end,
            end_reason: reason,
            retry,
            pass,
            ..CellEvidence::default()
        };
        let note = match self.drain().await {
            Drained::Idle | Drained::Returned(_) => None,
            Drained::IdleByProbe(text) => Some(text),
            Drained::Busy(reason) => return ended(CellEnd::BusyServer, Some(reason)),
            Drained::Broken(failure) => {
                let reason = format!("{}: {}", failure.class, failure.message);
                return ended(CellEnd::Failed, Some(reason));
            }
            Drained::Stopped => {
                return ended(CellEnd::Interrupted, Some("stopped by the user".into()));
            }
        };
        if self.warm_after_return(context, requests).await.is_err() {
            return ended(CellEnd::Interrupted, Some("stopped by the user".into()));
        }
        let rows = match self
            .row_requests(context, requests, first_task(pass, retry))
            .await
        {
            Ok(rows) => rows,
            Err(error) => return ended(CellEnd::Failed, Some(error.to_string())),
        };
        let task = self.cell_task(context, requests, retry);
        let mut evidence = cell::run(
            self.session,
            &task,
            Arc::new(rows),
            self.listener,
            &self.cell_stop,
            &self.steering,
        )
        .await;
        evidence.notes.extend(note);
        evidence.pass = pass;
        evidence
    }

    /// Whether events carry token counts.
    fn is_counted(&self) -> bool {
        let accepts = &self.session.capabilities;
        [
            accepts.continuous_usage,
            accepts.timings_per_token,
            accepts.return_token_ids,
        ]
        .contains(&Tri::Yes)
    }

    pub(crate) fn cell_task(&self, context: u64, requests: u32, retry: u32) -> CellTask {
        CellTask {
            context,
            requests,
            window: self.settings.window_ns(),
            settle: self.settings.settle.into(),
            stall: self.settings.stall_timeout.into(),
            cold_ttft: self.known.cold.get(&context).copied(),
            single_ttft: self.known.single_ttft(context),
            fixed_ttft: self.known.fixed,
            counted: self.is_counted(),
            loop_check: self.settings.loop_check,
            admission_limit: self.limits.admission,
            may_end_early: self.settings.profile == Profile::Quick,
            idle_power_w: self
                .probes
                .idle
                .as_ref()
                .and_then(tokmark_measure::energy::mean_power_w),
            retry,
        }
    }

    async fn row_requests(
        &mut self,
        context: u64,
        requests: u32,
        first_task: u32,
    ) -> Result<RowRequests, RunError> {
        let mut documents = Vec::new();
        for stream in 0..requests {
            documents.push(self.prompts.document(self.session, context, stream).await?);
        }
        let longest = documents
            .iter()
            .map(|document| document.tokens_or(context))
            .max()
            .unwrap_or(context);
        let room = self
            .limits
            .max_length
            .map_or(u64::MAX, |most| most.saturating_sub(longest));
        let limits = (0..requests)
            .map(|stream| self.output_limit(context, requests, stream, room))
            .collect();
        Ok(RowRequests {
            documents,
            limits,
            first_task,
            maker: self.body_maker(),
        })
    }

    fn output_limit(&self, context: u64, requests: u32, stream: u32, room: u64) -> u64 {
        let settle: Nanos = self.settings.settle.into();
        let need = OutputNeed {
            tokens_per_s: self.known.rate(context, requests),
            launch: self.known.launch(context, requests),
            settling: settle,
            window: self.settings.window_ns(),
            ending: if self.is_counted() {
                Ending::Late
            } else {
                Ending::Soon
            },
        };
        let seed = self.prompts.run_seed().derive(Key {
            context: Context(context),
            slot: Slot::Stream(stream),
            purpose: Purpose::OutputLimit,
            attempt: requests,
        });
        output_limit(&need, seed, self.settings.max_output, room)
    }

    fn unrun(&self, context: u64, requests: u32, not_run: NotRun) -> CellEvidence {
        CellEvidence {
            context,
            requests,
            not_run: Some(not_run),
            admission_limit: self.limits.admission,
            ..CellEvidence::default()
        }
    }

    /// Why a cell is left out that the time given does not suffice for.
    pub(crate) fn too_long(&self, context: u64, requests: u32) -> NotRun {
        let time = self.cell_time(context, requests);
        not_planned(format!("about {time} do not fit into the time given"))
    }

    /// A cell that the run never came to.
    pub(crate) fn leave_unreached(&mut self, context: u64, requests: u32) {
        let unreached = || {
            if self.stop.is_cancelled() {
                return not_planned("the run was stopped before this cell".to_owned());
            }
            self.too_long(context, requests)
        };
        let not_run = self.left_out(context, requests).unwrap_or_else(unreached);
        self.keep_cell(self.unrun(context, requests, not_run));
    }
}

/// A pass or a retry gets new tasks: numbers far from those of the others.
fn first_task(pass: u32, retry: u32) -> u32 {
    pass.saturating_mul(100_000) + retry.saturating_mul(10_000)
}

fn not_planned(reason: String) -> NotRun {
    NotRun {
        status: CellStatus::NotPlanned,
        reason,
        need_tokens: None,
        budget_tokens: None,
        admission_limit: None,
    }
}

/// The requests of a cell: stream *i* keeps its document, a restart changes the task at its end.
struct RowRequests {
    documents: Vec<Arc<Document>>,
    limits: Vec<u64>,
    first_task: u32,
    maker: BodyMaker,
}

impl Requests for RowRequests {
    fn body(&self, stream: u32, attempt: u32) -> Option<Bytes> {
        let document = self.documents.get(usize::try_from(stream).ok()?)?;
        let task = self.first_task.saturating_add(attempt);
        let limit = self.max_tokens(stream, attempt);
        Some(self.maker.body(document, task, limit))
    }

    fn max_tokens(&self, stream: u32, _attempt: u32) -> u64 {
        let limit = usize::try_from(stream)
            .ok()
            .and_then(|i| self.limits.get(i));
        limit.copied().unwrap_or(256)
    }

    fn home(&self, stream: u32) -> Option<u32> {
        let document = self.documents.get(usize::try_from(stream).ok()?)?;
        document.home
    }
}
