//! One context: prefill samples, warm documents, then its cells in rising C.

use std::sync::Arc;

use bytes::Bytes;
use tokmark_engines::Tri;
use tokmark_measure::cell::wants_retry;
use tokmark_measure::stats;
use tokmark_run_format::evidence::{
    CellEnd, CellEvidence, NotRun, PrefillEvidence, PrefillPurpose, Record, RequestEvidence,
    RequestFailure,
};
use tokmark_run_format::{CellStatus, PrefillMode, PrefillRow, PrefillStatus, Profile};
use tokmark_units::{Context, Nanos, float};
use tokmark_workload::{Key, OutputNeed, Purpose, Slot, output_limit};

use crate::cell::{self, CellTask};
use crate::drain::Drained;
use crate::gauges;
use crate::matrix;
use crate::probes::{PROBE_TOKENS, first_token};
use crate::progress::Progress;
use crate::prompts::{BodyMaker, Document};
use crate::requests::Requests;
use crate::run::{Run, RunError};

/// Warm requests on a row's first document.
const WARM_REQUESTS: usize = 3;

impl Run<'_> {
    /// Measures one context.
    pub(crate) async fn row(&mut self, context: u64) {
        if self.stop.is_cancelled() {
            return;
        }
        let decode = self.matrix.contexts.contains(&context)
            && self.settings.prefill != PrefillMode::Standalone;
        let most = if decode {
            self.most_streams(context)
        } else {
            0
        };
        if context > 0 && self.prefill_left_out(context).is_none() {
            // Stopping or running out of time inside leaves what was measured.
            let _ended_early = self.prefill(context, most).await;
        }
        if decode {
            for requests in self.matrix.levels.clone() {
                self.cell(context, requests).await;
            }
        }
    }

    /// The largest C of this context that will run, and whose documents are warmed.
    fn most_streams(&self, context: u64) -> u32 {
        let levels = self.matrix.levels.iter().copied();
        levels
            .filter(|requests| self.left_out(context, *requests).is_none())
            .max()
            .map_or(0, |most| most.min(self.limits.admission.unwrap_or(most)))
    }

    /// Why a context is not prefilled.
    pub(crate) fn prefill_left_out(&self, context: u64) -> Option<PrefillRow> {
        if let Some(gone) = matrix::over_length(&self.limits, context) {
            let status = PrefillStatus::OverLength;
            return Some(PrefillRow::without_samples(
                context,
                status,
                Some(gone.reason),
            ));
        }
        let budget = self.limits.budget.as_ref()?.tokens_per_rank;
        (context + PROBE_TOKENS > budget).then(|| {
            let reason = format!(
                "{} prompt tokens are more than the {} that the KV cache holds",
                tokmark_units::format::count(context),
                tokmark_units::format::count(budget)
            );
            PrefillRow::without_samples(context, PrefillStatus::OverCapacity, Some(reason))
        })
    }

    async fn prefill(&mut self, context: u64, streams: u32) -> Result<(), RunError> {
        self.tell(Progress::Phase(format!(
            "prefill at {}",
            matrix::label(context)
        )));
        match self.drain().await {
            Drained::Stopped => return Err(RunError::Stopped),
            Drained::Broken(failure) => {
                self.keep_sample(&failed_sample(context, failure));
                return Ok(());
            }
            Drained::Idle | Drained::IdleByProbe(_) | Drained::Busy(_) => {}
        }
        let documents = match self.known.prefix_cache {
            Some(false) => 0,
            _ if self.settings.shared_context => streams.min(1),
            _ => streams,
        };
        let wanted = self.settings.prefill != PrefillMode::Off
            && self.matrix.prefill_contexts.contains(&context);
        let mut extra = 0;
        while wanted && self.wants_extra(context, documents, extra) {
            if self.out_of_time(self.known.cold_ttft(context).unwrap_or(Nanos::ZERO)) {
                return Ok(());
            }
            let document = self.extra_document(context).await?;
            self.sample(context, &document, PrefillPurpose::Extra)
                .await?;
            extra += 1;
            if !self.wants_extra(context, documents, extra) && documents == 0 {
                self.warm(context, &document).await?;
            }
        }
        for stream in 0..documents {
            if self.out_of_time(self.known.cold_ttft(context).unwrap_or(Nanos::ZERO)) {
                return Ok(());
            }
            let document = self.prompts.document(self.session, context, stream).await?;
            self.sample(context, &document, PrefillPurpose::Document)
                .await?;
            if stream == 0 {
                self.warm(context, &document).await?;
                if self.known.prefix_cache == Some(false) {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn extra_document(&mut self, context: u64) -> Result<Arc<Document>, RunError> {
        Ok(self
            .prompts
            .once(self.session, context, Purpose::PrefillSample)
            .await?)
    }

    /// Samples towards 3 when a cold TTFT is under 10 s, 2 under 60 s, else 1.
    fn wants_extra(&self, context: u64, documents: u32, extra: u32) -> bool {
        let cold = self.known.cold_ttft(context);
        let by_time = match cold {
            Some(ttft) if ttft < Nanos::from_secs(10) => 3,
            Some(ttft) if ttft < Nanos::from_secs(60) => 2,
            // Unknown before the first sample, which tells.
            _ => 1,
        };
        let by_profile = match self.settings.profile {
            Profile::Rigorous => 3,
            Profile::Standard | Profile::Quick => by_time,
        };
        let target = self.settings.prefill_samples.unwrap_or(by_profile);
        documents + extra < target
    }

    /// One cold request on a document; what is not cold is repeated once with another one.
    async fn sample(
        &mut self,
        context: u64,
        document: &Arc<Document>,
        purpose: PrefillPurpose,
    ) -> Result<(), RunError> {
        let evidence = self.measure_prefill(context, document, purpose).await?;
        let cold = tokmark_measure::prefill::is_cold(&evidence, &self.probes);
        self.keep_sample(&evidence);
        if cold == Some(false) && purpose == PrefillPurpose::Extra {
            let again = self.extra_document(context).await?;
            let repeat = self
                .measure_prefill(context, &again, PrefillPurpose::Repeat)
                .await?;
            self.keep_sample(&repeat);
        }
        Ok(())
    }

    async fn measure_prefill(
        &mut self,
        context: u64,
        document: &Arc<Document>,
        purpose: PrefillPurpose,
    ) -> Result<PrefillEvidence, RunError> {
        let before = gauges::read(self.session).await;
        let request = self.single(document, context, PROBE_TOKENS).await?;
        let after = gauges::read(self.session).await;
        let gained = |value: fn(&tokmark_run_format::evidence::Scrape) -> Option<f64>| {
            let (before, after) = (
                before.as_ref().and_then(value)?,
                after.as_ref().and_then(value)?,
            );
            (after >= before).then(|| float::round_to_u64(after - before))
        };
        Ok(PrefillEvidence {
            context,
            purpose,
            counter_hits: gained(|scrape| scrape.prefix_hits),
            counter_queries: gained(|scrape| scrape.prefix_queries),
            request,
        })
    }

    fn keep_sample(&mut self, evidence: &PrefillEvidence) {
        let ttft = first_token(&evidence.request);
        let cold = matches!(
            evidence.purpose,
            PrefillPurpose::Extra | PrefillPurpose::Document | PrefillPurpose::Repeat
        );
        if let (Some(ttft), true, None) = (ttft, cold, &evidence.request.failure) {
            let tokens = evidence.request.prompt_tokens.unwrap_or(evidence.context);
            self.tell(Progress::Prefilled {
                context: evidence.context,
                ttft_ms: ttft.as_millis_f64(),
                tokens_per_s: float::from_u64(tokens) / ttft.as_secs_f64().max(1e-9),
            });
        }
        self.samples.push(evidence.clone());
        self.keep(Record::Prefill(Box::new(evidence.clone())));
        let context = evidence.context;
        if let Some(median) = self.median_ttft(context, cold) {
            let known = if cold {
                &mut self.known.cold
            } else {
                &mut self.known.warm
            };
            known.insert(context, median);
        }
    }

    fn median_ttft(&self, context: u64, cold: bool) -> Option<Nanos> {
        let all: Vec<f64> = self
            .samples
            .iter()
            .filter(|s| s.context == context && s.request.failure.is_none())
            .filter(|s| (s.purpose == PrefillPurpose::Warm) != cold)
            .filter_map(|s| first_token(&s.request))
            .map(|ttft| float::from_u64(ttft.0))
            .collect();
        stats::median(&all).map(|ns| Nanos(float::round_to_u64(ns)))
    }

    /// The same document again: its warm TTFT, and whether the server caches prefixes at all.
    async fn warm(&mut self, context: u64, document: &Arc<Document>) -> Result<(), RunError> {
        let mut uncached = 0;
        for _ in 0..WARM_REQUESTS {
            let evidence = self
                .measure_prefill(context, document, PrefillPurpose::Warm)
                .await?;
            let cached = self.looks_cached(context, &evidence);
            self.keep_sample(&evidence);
            match cached {
                Some(true) => {
                    self.known.prefix_cache.get_or_insert(true);
                }
                Some(false) if self.known.prefix_cache.is_none() => uncached += 1,
                _ => {}
            }
            if uncached == 2 {
                self.known.prefix_cache = Some(false);
                self.note(
                    "prefix_cache_off",
                    "the server does not cache prompts: every launch prefills its prompts, and no \
                     document is warmed"
                        .to_owned(),
                );
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a repeated request came from the cache; `None` when it failed.
    fn looks_cached(&self, context: u64, evidence: &PrefillEvidence) -> Option<bool> {
        if evidence.request.failure.is_some() {
            return None;
        }
        if let Some(cached) = evidence.request.cached_tokens.or(evidence.counter_hits)
            && cached > 0
        {
            return Some(true);
        }
        let told_nothing_cached = evidence.request.cached_tokens == Some(0);
        let cold = self.known.cold.get(&context)?;
        let ttft = first_token(&evidence.request)?;
        let as_slow = ttft.0.saturating_mul(2) >= cold.0;
        Some(!(told_nothing_cached || as_slow))
    }

    async fn cell(&mut self, context: u64, requests: u32) {
        if self.stop.is_cancelled() || self.is_decided(context, requests) {
            return;
        }
        if let Some(not_run) = self.left_out(context, requests) {
            self.keep_cell(self.unrun(context, requests, not_run));
            return;
        }
        let time = self.cell_time(context, requests);
        if self.out_of_time(time) {
            let reason = format!("about {time} do not fit into the time given");
            self.keep_cell(self.unrun(context, requests, not_planned(reason)));
            return;
        }
        self.tell(Progress::CellStarted { context, requests });
        let first = self.try_cell(context, requests, 0).await;
        let again = wants_retry(&first) && !self.stop.is_cancelled();
        let evidence = if again {
            self.tell(Progress::Note("trying this cell once more".into()));
            self.try_cell(context, requests, 1).await
        } else {
            first
        };
        self.keep_cell(evidence);
    }

    async fn try_cell(&mut self, context: u64, requests: u32, retry: u32) -> CellEvidence {
        let ended = |end: CellEnd, reason: Option<String>| CellEvidence {
            context,
            requests,
            end,
            end_reason: reason,
            retry,
            ..CellEvidence::default()
        };
        let note = match self.drain().await {
            Drained::Idle => None,
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
        let rows = match self.row_requests(context, requests, retry).await {
            Ok(rows) => rows,
            Err(error) => return ended(CellEnd::Failed, Some(error.to_string())),
        };
        let task = self.cell_task(context, requests, retry);
        let mut evidence = cell::run(
            self.session,
            &task,
            Arc::new(rows),
            self.listener,
            self.stop,
        )
        .await;
        evidence.notes.extend(note);
        evidence
    }

    pub(crate) fn cell_task(&self, context: u64, requests: u32, retry: u32) -> CellTask {
        let accepts = &self.session.capabilities;
        CellTask {
            context,
            requests,
            window: self.settings.window_ns(),
            settle: self.settings.settle.into(),
            stall: self.settings.stall_timeout.into(),
            cold_ttft: self.known.cold.get(&context).copied(),
            single_ttft: self.known.single_ttft(context),
            fixed_ttft: self.known.fixed,
            counted: [
                accepts.continuous_usage,
                accepts.timings_per_token,
                accepts.return_token_ids,
            ]
            .contains(&Tri::Yes),
            loop_check: self.settings.loop_check,
            admission_limit: self.limits.admission,
            retry,
        }
    }

    async fn row_requests(
        &mut self,
        context: u64,
        requests: u32,
        retry: u32,
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
            // A retried cell gets new tasks: attempts far from those of the first try.
            first_task: retry.saturating_mul(10_000),
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

    /// A cell that the run never came to.
    pub(crate) fn leave_unreached(&mut self, context: u64, requests: u32) {
        let not_run = self
            .left_out(context, requests)
            .unwrap_or_else(|| not_planned("the run was stopped before this cell".to_owned()));
        self.keep_cell(self.unrun(context, requests, not_run));
    }
}

/// A prefill that could not even be tried, because the server answers nothing.
fn failed_sample(context: u64, failure: RequestFailure) -> PrefillEvidence {
    PrefillEvidence {
        context,
        request: RequestEvidence {
            failure: Some(failure),
            ..RequestEvidence::default()
        },
        ..PrefillEvidence::default()
    }
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
