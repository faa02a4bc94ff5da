//! One context: prefill samples, warm documents, then its cells in rising C.

use std::sync::Arc;

use tokmark_measure::stats;
use tokmark_run_format::evidence::{
    PrefillEvidence, PrefillPurpose, Record, RequestEvidence, RequestFailure, Scrape,
};
use tokmark_run_format::{PrefillMode, PrefillRow, PrefillStatus, Profile};
use tokmark_units::{Nanos, float};
use tokmark_workload::Purpose;

use crate::drain::Drained;
use crate::gauges;
use crate::matrix;
use crate::probes::first_token;
use crate::progress::Progress;
use crate::prompts::Document;
use crate::run::{Run, RunError};
use crate::single::PROBE_TOKENS;

/// Warm requests on a row's first document.
const WARM_REQUESTS: u32 = 3;

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
            for pass in 0..self.passes() {
                let mut levels = self.matrix.levels.clone();
                if pass % 2 == 1 {
                    levels.reverse();
                }
                for requests in levels {
                    self.place(context, requests, pass).await;
                }
            }
        }
    }

    /// One pass over a cell, when it is due and there is time for it.
    async fn place(&mut self, context: u64, requests: u32, pass: u32) {
        if !self.is_due(context, requests, pass) {
            return;
        }
        self.wait_while_paused().await;
        if self.stop.is_cancelled() {
            return;
        }
        let runs = self.left_out(context, requests).is_none();
        if runs && !self.affords(context, requests) {
            return;
        }
        if runs {
            // Stopping or running out of time inside shows in the cell.
            let _ended_early = self.warm_late(context, requests).await;
        }
        self.cell(context, requests, pass).await;
    }

    /// Prefills what a cell needs and the row's beginning did not: with what was measured since, a
    /// cell may fit that was expected not to.
    async fn warm_late(&mut self, context: u64, requests: u32) -> Result<(), RunError> {
        let warmed = self.warmed.get(&context).copied().unwrap_or(0);
        let most = self.admitted(requests);
        let is_needed = warmed > 0
            && warmed < most
            && self.documents(most) > warmed
            && !self.is_decided(context, requests)
            && self.left_out(context, requests).is_none();
        if !is_needed {
            return Ok(());
        }
        self.wait_while_paused().await;
        match self.drain().await {
            Drained::Stopped => Err(RunError::Stopped),
            // The cell finds and says it.
            Drained::Broken(_) | Drained::Busy(_) => Ok(()),
            Drained::Idle | Drained::IdleByProbe(_) | Drained::Returned(_) => {
                self.warm_documents(context, most).await
            }
        }
    }

    /// Puts the documents of a cell back into the cache of a server that was started again.
    pub(crate) async fn warm_after_return(
        &mut self,
        context: u64,
        requests: u32,
    ) -> Result<(), RunError> {
        let needed = self.documents(self.admitted(requests));
        let warmed = self.warmed.get(&context).copied().unwrap_or(0);
        if warmed < needed && self.recalled_documents(context) > warmed {
            self.warm_documents(context, needed).await?;
        }
        Ok(())
    }

    /// How many of so many requests the server runs at once.
    pub(crate) fn admitted(&self, requests: u32) -> u32 {
        requests.min(self.limits.admission.unwrap_or(requests))
    }

    /// How many documents so many streams have in the server's cache.
    pub(crate) fn documents(&self, streams: u32) -> u32 {
        match self.known.prefix_cache {
            Some(false) => 0,
            _ if self.settings.shared_context => streams.min(1),
            _ => streams,
        }
    }

    /// The largest C of this context that will run, and whose documents are warmed.
    fn most_streams(&self, context: u64) -> u32 {
        let levels = self.matrix.levels.iter().copied();
        levels
            .filter(|requests| !self.is_decided(context, *requests))
            .filter(|requests| self.left_out(context, *requests).is_none())
            .filter(|requests| self.affords(context, *requests))
            .max()
            .map_or(0, |most| self.admitted(most))
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
        self.wait_while_paused().await;
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
            Drained::Idle | Drained::IdleByProbe(_) | Drained::Returned(_) | Drained::Busy(_) => {}
        }
        let documents = self.documents(streams);
        let recorded = documents.max(self.recalled_documents(context));
        let wanted = self.settings.prefill != PrefillMode::Off
            && self.matrix.prefill_contexts.contains(&context);
        let mut extra = self.samples_of(context, PrefillPurpose::Extra);
        while wanted && self.wants_extra(context, recorded, extra) {
            if !self.spares(self.expected_prefill(context)) {
                return Ok(());
            }
            let document = self.extra_document(context).await?;
            self.sample(context, &document, PrefillPurpose::Extra)
                .await?;
            extra += 1;
            if !self.wants_extra(context, recorded, extra) && recorded == 0 {
                self.warm(context, &document).await?;
            }
        }
        self.warm_documents(context, documents).await
    }

    /// Prefills the documents of the first streams that are not in the cache yet, one at a time.
    async fn warm_documents(&mut self, context: u64, documents: u32) -> Result<(), RunError> {
        let warmed = self.warmed.get(&context).copied().unwrap_or(0);
        for stream in warmed..documents {
            let document = self.prompts.document(self.session, context, stream).await?;
            if stream < self.recalled_documents(context) {
                self.warm_again(context, stream).await?;
            } else {
                self.sample(context, &document, PrefillPurpose::Document)
                    .await?;
            }
            self.warmed.insert(context, stream + 1);
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

    pub(crate) fn wants_extra(&self, context: u64, documents: u32, extra: u32) -> bool {
        documents.saturating_add(extra) < self.sample_target(context)
    }

    /// Samples wanted: 3 when a cold TTFT is under 10 s, 2 under 60 s, else 1.
    pub(crate) fn sample_target(&self, context: u64) -> u32 {
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
        self.settings.prefill_samples.unwrap_or(by_profile)
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
        let from = self.session.clock.now();
        let request = self.single(document, context, PROBE_TOKENS).await?;
        let telemetry = match purpose {
            // No figure of a row comes from the machine while it answers from its cache.
            PrefillPurpose::Warm => None,
            _ => self.session.watched(from).await,
        };
        let after = gauges::read(self.session).await;
        let gained = |value: fn(&Scrape) -> Option<f64>| {
            let before = before.as_ref().and_then(value)?;
            let after = after.as_ref().and_then(value)?;
            (after >= before).then_some(after - before)
        };
        let tokens = |value| gained(value).map(float::round_to_u64);
        // Of this request only where the server has counted just one.
        let only =
            gained(|scrape| scrape.ttft_count).is_some_and(|count| (count - 1.0).abs() < 0.5);
        let server_ttft = gained(|scrape| scrape.ttft_seconds).filter(|_| only);
        Ok(PrefillEvidence {
            context,
            purpose,
            counter_hits: tokens(|scrape| scrape.prefix_hits),
            counter_queries: tokens(|scrape| scrape.prefix_queries),
            server_ttft_ns: server_ttft.map(|seconds| float::round_to_u64(seconds * 1e9)),
            request,
            telemetry,
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
        self.learn_sample(evidence);
        self.keep(Record::Prefill(Box::new(evidence.clone())));
    }

    /// What a sample tells about this context, and about the server's cache.
    pub(crate) fn learn_sample(&mut self, evidence: &PrefillEvidence) {
        let context = evidence.context;
        if evidence.purpose == PrefillPurpose::Warm {
            self.learn_cache(evidence);
        }
        self.samples.push(evidence.clone());
        let cold = evidence.purpose != PrefillPurpose::Warm;
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
        let mut done = self.samples_of(context, PrefillPurpose::Warm);
        while done < WARM_REQUESTS && !self.is_known_uncached() {
            let evidence = self
                .measure_prefill(context, document, PrefillPurpose::Warm)
                .await?;
            self.keep_sample(&evidence);
            done += 1;
        }
        Ok(())
    }

    fn is_known_uncached(&self) -> bool {
        self.known.prefix_cache == Some(false)
    }

    /// A server whose first repeats are twice not cached does not cache at all.
    fn learn_cache(&mut self, evidence: &PrefillEvidence) {
        let context = evidence.context;
        let verdict = self.looks_cached(context, evidence);
        if verdict == Some(true) {
            self.known.prefix_cache.get_or_insert(true);
        }
        if verdict != Some(false) || self.known.prefix_cache.is_some() {
            return;
        }
        let repeats = self
            .samples
            .iter()
            .filter(|s| s.context == context && s.purpose == PrefillPurpose::Warm);
        let uncached = repeats
            .filter(|s| self.looks_cached(context, s) == Some(false))
            .count();
        if uncached >= 1 {
            self.known.prefix_cache = Some(false);
            self.note(
                "prefix_cache_off",
                "the server does not cache prompts: every launch prefills its prompts, and no \
                 document is warmed"
                    .to_owned(),
            );
        }
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
