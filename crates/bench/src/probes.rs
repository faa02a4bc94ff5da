//! What is measured before the matrix: idle TTFT, warm-up, admission limit, first rate.

use std::sync::Arc;

use bytes::Bytes;
use tokmark_measure::{cell, stats};
use tokmark_run_format::PrefillMode;
use tokmark_run_format::evidence::{Record, RequestEvidence};
use tokmark_units::{Nanos, float};
use tokmark_workload::Purpose;

use crate::drain::{self, Drained};
use crate::flight::Flight;
use crate::gauges;
use crate::matrix;
use crate::progress::Progress;
use crate::prompts::{BodyMaker, Document};
use crate::requests::Requests;
use crate::run::{Run, RunError};
use crate::single::{self, PROBE_TOKENS, Patience};
use crate::task::CellTask;

/// How long the machine is read at rest.
const REST: Nanos = Nanos::from_secs(3);
/// Short prompts on the idle server.
const IDLE_PROBES: u32 = 5;
/// The context of the warm-up before anything is recorded.
const WARM_UP_CONTEXT: u64 = 8_192;
const WARM_UP_TOKENS: u64 = 64;
/// Output tokens of the admission probe, and of its confirmation.
const ADMISSION_TOKENS: u64 = 32;
const ADMISSION_CONFIRM_TOKENS: u64 = 256;
/// The hidden rate probe's window.
const RATE_WINDOW: Nanos = Nanos::from_secs(2);
/// First-event patience where nothing is known: a cold 8K prefill on the slowest machines.
const UNKNOWN_PATIENCE: Nanos = Nanos::from_secs(600);

impl Run<'_> {
    /// Runs all probes in order.
    pub(crate) async fn probe(&mut self) -> Result<(), RunError> {
        self.tell(Progress::Phase("waiting for an idle server".into()));
        match self.drain().await {
            Drained::Idle | Drained::Returned(_) => {}
            Drained::IdleByProbe(text) => self.note("gauges_stick", text),
            Drained::Busy(reason) => return Err(RunError::Busy(reason)),
            Drained::Broken(failure) => return Err(RunError::of(failure)),
            Drained::Stopped => return Err(RunError::Stopped),
        }
        if self.recalled.probed {
            return self.probe_again().await;
        }
        self.rest().await?;
        self.tell(Progress::Phase("measuring the idle server".into()));
        self.idle_ttft().await?;
        self.tell(Progress::Phase("warming up".into()));
        self.warm_up().await?;
        // Without cells nothing is admitted, and no rate is expected.
        if self.settings.prefill != PrefillMode::Standalone {
            self.admission().await?;
            self.first_rate().await;
        }
        self.keep(Record::Probes(self.probes.clone()));
        Ok(())
    }

    /// A run that goes on keeps what its probes found; the server may have been restarted since and
    /// is warmed up again.
    async fn probe_again(&mut self) -> Result<(), RunError> {
        self.tell(Progress::Phase("warming up".into()));
        self.prompts.count_template(self.session).await;
        self.warm_up().await?;
        if self.settings.prefill != PrefillMode::Standalone && !self.knows_a_rate() {
            self.first_rate().await;
        }
        Ok(())
    }

    /// Reads the machine at rest, before anything is sent.
    async fn rest(&mut self) -> Result<(), RunError> {
        if self.session.watch.is_none() {
            return Ok(());
        }
        self.tell(Progress::Phase("reading the machine at rest".into()));
        let from = self.session.clock.now();
        let until = self.session.clock.instant(from + REST);
        tokio::select! {
            () = self.stop.cancelled() => return Err(RunError::Stopped),
            () = tokio::time::sleep_until(until) => {}
        }
        self.probes.idle = self.session.watched(from).await;
        Ok(())
    }

    pub(crate) async fn drain(&mut self) -> Drained {
        let maker = self.body_maker();
        let probe = self.prompts.short(Purpose::Probe, 0, 1_000);
        let body = move || maker.body(&probe, 0, 1);
        let known = drain::Known {
            idle: self.known.idle,
            was_broken: self.broken,
            away: self.settings.wait_server.into(),
        };
        let drained = drain::until_idle(self.session, known, &body, &self.cell_stop).await;
        self.broken = matches!(drained, Drained::Broken(_));
        let text = match &drained {
            Drained::Returned(away) => {
                format!("the server answered nobody for {away} and was waited for")
            }
            Drained::Idle | Drained::IdleByProbe(_) if known.was_broken => {
                "the server answered nobody for a while".to_owned()
            }
            _ => return drained,
        };
        self.note("server_restarted", text);
        // Its cache is as empty as after any start.
        self.forget_warmed();
        match drained {
            Drained::Returned(_) => Drained::Idle,
            other => other,
        }
    }

    pub(crate) fn patience(&self, context: u64) -> Patience {
        let first = self
            .known
            .cold_ttft(context)
            .map_or(UNKNOWN_PATIENCE, |ttft| {
                UNKNOWN_PATIENCE.max(Nanos(ttft.0.saturating_mul(10)))
            });
        Patience {
            first,
            stall: self.settings.stall_timeout.into(),
        }
    }

    /// One request on the idle server.
    pub(crate) async fn single(
        &self,
        document: &Document,
        context: u64,
        max_tokens: u64,
    ) -> Result<RequestEvidence, RunError> {
        let body = self.body_maker().body(document, 0, max_tokens);
        single::run(
            self.session,
            body,
            max_tokens,
            self.patience(context),
            document.home,
            self.stop,
        )
        .await
        .map_err(|_| RunError::Stopped)
    }

    async fn idle_ttft(&mut self) -> Result<(), RunError> {
        self.prompts.count_template(self.session).await;
        // The first request of a server's life compiles kernels: it is not a sample.
        for n in 0..=IDLE_PROBES {
            let document = self.prompts.short(Purpose::Probe, 0, n);
            let request = self.single(&document, 0, PROBE_TOKENS).await?;
            if let Some(failure) = &request.failure {
                return Err(RunError::of(failure.clone()));
            }
            if n > 0
                && let Some(ttft) = first_token(&request)
            {
                self.probes.idle_ttft_ns.push(ttft.0);
            }
        }
        let all: Vec<f64> = self
            .probes
            .idle_ttft_ns
            .iter()
            .map(|ns| float::from_u64(*ns))
            .collect();
        let median = stats::median(&all).map(float::round_to_u64);
        self.probes.fixed_ttft_ns = median;
        self.known.fixed = median.map(Nanos);
        self.known.idle = self.known.fixed;
        self.probes.block_tokens = self.limits.budget.as_ref().map_or(0, |b| b.block_tokens);
        self.probes.template_tokens = self.prompts.template_tokens();
        Ok(())
    }

    /// One long prefill with some output, so that nothing recorded pays for compilation.
    async fn warm_up(&mut self) -> Result<(), RunError> {
        let longest = self
            .matrix
            .prefill_contexts
            .iter()
            .chain(&self.matrix.contexts)
            .copied()
            .filter(|context| *context > 0 && self.prefill_left_out(*context).is_none())
            .max();
        let Some(longest) = longest else {
            return Ok(());
        };
        let context = WARM_UP_CONTEXT.min(longest);
        let document = self
            .prompts
            .once(self.session, context, Purpose::WarmUp)
            .await?;
        let request = self.single(&document, context, WARM_UP_TOKENS).await?;
        let ttft = first_token(&request).filter(|_| request.failure.is_none());
        self.known.warm_up = ttft.map(|ttft| (context, ttft));
        if let Some(failure) = request.failure {
            // A server that died of it answers no short request either.
            if let Drained::Broken(_) = self.drain().await {
                return Err(RunError::of(failure));
            }
            self.note(
                "warm_up_failed",
                format!(
                    "the warm-up at {context} tokens failed: {}",
                    failure.message
                ),
            );
        }
        Ok(())
    }

    /// C short requests at once, rising, until fewer than C overlap.
    async fn admission(&mut self) -> Result<(), RunError> {
        let levels: Vec<u32> = self
            .matrix
            .levels
            .iter()
            .copied()
            .filter(|c| *c > 1)
            .collect();
        let largest = levels.last().copied();
        for requests in levels {
            self.tell(Progress::Phase(format!(
                "probing {requests} requests at once"
            )));
            let tokens = if Some(requests) == largest {
                WARM_UP_TOKENS
            } else {
                ADMISSION_TOKENS
            };
            let mut overlap = self.overlap(requests, tokens).await?;
            if overlap < requests {
                // Short answers may end while others still prefill: longer ones tell for sure.
                let longer = self.overlap(requests, ADMISSION_CONFIRM_TOKENS).await?;
                overlap = overlap.max(longer);
            }
            self.probes.admission.push((requests, overlap));
            if overlap < requests {
                self.probes.admission_limit = Some(overlap);
                self.limits.admission = Some(overlap);
                let text = format!(
                    "the server runs {} at once; {requests} were asked",
                    matrix::requests_in_words(overlap)
                );
                self.note("admission_limit", text);
                return Ok(());
            }
        }
        Ok(())
    }

    /// How many of C short requests decoded at the same time.
    async fn overlap(&mut self, requests: u32, tokens: u64) -> Result<u32, RunError> {
        let group = u64::from(requests) * 1_000 + tokens;
        let short = ShortRequests {
            documents: (0..requests)
                .map(|n| self.prompts.short(Purpose::Admission, group, n))
                .collect(),
            maker: self.body_maker(),
            max_tokens: tokens,
        };
        let mut flight = Flight::prepare(self.session, requests, Arc::new(short));
        let launch = flight.launch().await;
        let limit = launch + UNKNOWN_PATIENCE;
        let mut gauge: f64 = 0.0;
        loop {
            if self.stop.is_cancelled() {
                return Err(RunError::Stopped);
            }
            let now = self.session.clock.now();
            while flight.advance(now + Nanos::from_millis(250)).await {}
            if let Some(scrape) = gauges::read(self.session).await {
                gauge = gauge.max(scrape.running.unwrap_or(0.0));
            }
            let landed = flight.collector.requests().filter(|r| !r.is_open()).count();
            if landed >= flight.collector.streams.len() || now > limit {
                break;
            }
        }
        let landed = flight.land(false).await;
        if let Some(failure) = landed.iter().find_map(|request| request.failure.as_ref()) {
            // Not a limit: a failure is told as such, here or by the cells.
            self.note(
                "admission_probe_failed",
                format!(
                    "a request of the probe at {requests} requests failed: {}",
                    failure.message
                ),
            );
            return Ok(requests);
        }
        let seen = overlapping(&landed).max(u32::try_from(float::round_to_u64(gauge)).unwrap_or(0));
        Ok(seen.min(requests))
    }

    /// A hidden cell that tells what rate to expect.
    async fn first_rate(&mut self) {
        let task = CellTask {
            window: RATE_WINDOW,
            settle: Nanos::from_millis(200),
            ..self.cell_task(0, 1, 0)
        };
        let requests = self.short_requests(self.settings.max_output);
        let evidence = crate::cell::run(
            self.session,
            &task,
            requests,
            self.listener,
            self.stop,
            &self.steering,
        )
        .await;
        if let Some(rate) = cell::evaluate(&evidence).per_request_tokens_per_s {
            self.known.learn(0, 1, rate);
        }
    }

    fn short_requests(&self, max_tokens: u64) -> Arc<dyn Requests> {
        Arc::new(ShortRequests {
            documents: vec![self.prompts.short(Purpose::Probe, 1, 0)],
            maker: self.body_maker(),
            max_tokens,
        })
    }

    pub(crate) fn body_maker(&self) -> BodyMaker {
        BodyMaker::of(self.session)
    }
}

/// First event less send; for an answer without events its end.
pub(crate) fn first_token(request: &RequestEvidence) -> Option<Nanos> {
    let end = request
        .ended_ns
        .and_then(|end| end.checked_sub(request.sent_ns));
    request.ttft_ns().or(end).map(Nanos)
}

/// Requests that had their first event before any request had ended.
fn overlapping(requests: &[RequestEvidence]) -> u32 {
    let first_end = requests
        .iter()
        .filter_map(|r| r.ended_ns)
        .min()
        .unwrap_or(u64::MAX);
    let started = requests
        .iter()
        .filter_map(|r| r.events.first())
        .filter(|event| event.at_ns <= first_end)
        .count();
    u32::try_from(started).unwrap_or(u32::MAX)
}

/// One short request per stream.
struct ShortRequests {
    documents: Vec<Arc<Document>>,
    maker: BodyMaker,
    max_tokens: u64,
}

impl Requests for ShortRequests {
    fn body(&self, stream: u32, attempt: u32) -> Option<Bytes> {
        let document = self.documents.get(usize::try_from(stream).ok()?)?;
        (attempt == 0).then(|| self.maker.body(document, attempt, self.max_tokens))
    }

    fn max_tokens(&self, _stream: u32, _attempt: u32) -> u64 {
        self.max_tokens
    }

    fn home(&self, _stream: u32) -> Option<u32> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokmark_run_format::evidence::Event;

    fn request(first: u64, end: u64) -> RequestEvidence {
        RequestEvidence {
            events: vec![Event {
                at_ns: first,
                tokens: None,
            }],
            ended_ns: Some(end),
            ..RequestEvidence::default()
        }
    }

    #[test]
    fn requests_that_begin_after_another_ended_did_not_overlap_it() {
        let four = [
            request(1, 10),
            request(2, 11),
            request(11, 20),
            request(12, 21),
        ];
        assert_eq!(overlapping(&four), 2);
        assert_eq!(overlapping(&four[..2]), 2);
        assert_eq!(overlapping(&[]), 0);
    }
}
