//! One measurement in a process of its own, so that processor time and memory are its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokmark_bench::CellTask;
use tokmark_bench::cell;
use tokmark_bench::{Endpoint, Requests, Session, Steering};
use tokmark_driver::threads::process_cpu;
use tokmark_run_format::cell::{ClientHealth, Gaps};
use tokmark_run_format::evidence::{CellEvidence, Event, RequestEvidence};
use tokmark_sim::drain::{DrainConfig, drain};
use tokmark_units::{Nanos, float};

use super::system;
use super::truth::{Accuracy, Truth};
use crate::args::{SelftestClientArgs, SelftestRole, ServerArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{load, reach, say};

/// What one measurement found. Times in seconds or milliseconds, memory in bytes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) tokens_per_s: f64,
    /// Processor time of the whole process per million events.
    pub(crate) cpu_s_per_million: f64,
    pub(crate) ttft_p50_ms: Option<f64>,
    pub(crate) ttft_p99_ms: Option<f64>,
    pub(crate) gap_p50_ms: Option<f64>,
    pub(crate) gap_p99_ms: Option<f64>,
    /// Measured beside the server's truth; only of the load path, and only where the server keeps
    /// every event.
    pub(crate) accuracy: Option<Accuracy>,
    /// Highest memory, less what the evidence takes.
    pub(crate) memory_bytes: u64,
    /// Memory of one stream that waits.
    pub(crate) idle_stream_bytes: Option<f64>,
    pub(crate) status: String,
    pub(crate) client: Option<ClientHealth>,
}

/// Runs one measurement and prints what it found.
pub(crate) fn run(args: &SelftestClientArgs) -> Outcome {
    if let Some(core) = args.core {
        load::pin(core)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let starving = args.starve.then(|| starve(Arc::clone(&stop)));
    let found = match args.role {
        SelftestRole::Drain => drained(args)?,
        SelftestRole::Load => system::runtime()?.block_on(loaded(args))?,
        SelftestRole::Open => system::runtime()?.block_on(super::open::opened(args))?,
    };
    stop.store(true, Ordering::Relaxed);
    if let Some(thread) = starving {
        let _panicked = thread.join();
    }
    let text = serde_json::to_string(&found).map_err(|e| Failure::new(Exit::Failed, e))?;
    say::result(text);
    Ok(Exit::Done)
}

/// Another program on the same core that never rests.
fn starve(stop: Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    })
}

fn body(tokens: u32) -> Bytes {
    let body = serde_json::json!({
        "model": "small",
        "messages": [{"role": "user", "content": "Tell a long story."}],
        "max_tokens": tokens,
        "ignore_eos": true,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    body.to_string().into()
}

fn drained(args: &SelftestClientArgs) -> Outcome<Found> {
    let config = DrainConfig {
        address: args.address,
        path: "/v1/chat/completions".to_owned(),
        body: body(args.tokens).to_vec(),
        max_tokens: args.tokens,
        streams: args.streams,
        duration: std::time::Duration::from_secs(args.seconds),
        nap: None,
        answers: None,
    };
    let result = drain(&config).map_err(|error| Failure::new(Exit::Server, error))?;
    let tokens = float::from_u64(result.tokens);
    Ok(Found {
        tokens_per_s: tokens / result.wall.as_secs_f64(),
        cpu_s_per_million: result.cpu.as_secs_f64() / (float::from_u64(result.events) / 1e6),
        ttft_p50_ms: Some(result.ttft.p50.as_millis_f64()),
        ttft_p99_ms: Some(result.ttft.p99.as_millis_f64()),
        gap_p50_ms: Some(result.gaps.p50.as_millis_f64()),
        gap_p99_ms: Some(result.gaps.p99.as_millis_f64()),
        memory_bytes: system::highest_memory(),
        ..Found::default()
    })
}

/// The same short request for all streams, but for its output limit.
struct Same {
    body: Bytes,
    tokens: u32,
    /// Whether the limits differ, so that the server's record tells the requests apart.
    distinct: bool,
}

impl Same {
    fn limit(&self, stream: u32) -> u32 {
        if self.distinct {
            self.tokens.saturating_add(stream)
        } else {
            self.tokens
        }
    }
}

impl Requests for Same {
    fn body(&self, stream: u32, attempt: u32) -> Option<Bytes> {
        if attempt == 0 && self.distinct {
            return Some(body(self.limit(stream)));
        }
        Some(self.body.clone())
    }

    fn max_tokens(&self, stream: u32, _: u32) -> u64 {
        u64::from(self.limit(stream))
    }

    fn home(&self, _: u32) -> Option<u32> {
        None
    }
}

/// Reaches the simulated server as `tokmark run` does.
pub(super) async fn session(args: &SelftestClientArgs) -> Outcome<Session> {
    let server = ServerArgs {
        arrival: args.arrival,
        ..ServerArgs::plain(args.address.to_string())
    };
    let load = load::start().map_err(|error| Failure::new(Exit::Failed, error))?;
    let reached = reach::reach(&server, Endpoint::Chat, load, false).await?;
    Ok(reached.session)
}

async fn loaded(args: &SelftestClientArgs) -> Outcome<Found> {
    let session = session(args).await?;
    let requests = Arc::new(Same {
        body: body(args.tokens),
        tokens: args.tokens,
        distinct: args.distinct,
    });
    let task = CellTask {
        context: 0,
        requests: args.streams,
        window: Nanos::from_secs(args.seconds),
        settle: Nanos::from_millis(500),
        stall: Nanos::from_secs(10),
        cold_ttft: None,
        single_ttft: None,
        fixed_ttft: None,
        // The totals of the requests that end in the window say how many tokens an event has.
        counted: true,
        loop_check: false,
        admission_limit: None,
        may_end_early: false,
        idle_power_w: None,
        retry: 0,
    };
    let (listener, _told) = mpsc::unbounded_channel();
    let before = process_cpu();
    let evidence = cell::run(
        &session,
        &task,
        requests,
        &listener,
        &CancellationToken::new(),
        &Steering::default(),
    )
    .await;
    let cpu = process_cpu().zip(before);
    let cpu = cpu.map_or(Nanos::ZERO, |(after, before)| after.saturating_sub(before));
    // Memory is measured before the evaluation and the server's record take any.
    let held: usize = evidence
        .streams
        .iter()
        .map(|request| request.events.capacity() * size_of::<Event>())
        .sum();
    let memory_bytes = system::highest_memory().saturating_sub(float::len_u64(held));
    let found = Found {
        memory_bytes,
        ..found(&evidence, cpu)
    };
    let truth = Truth::settled(args.address);
    let accuracy = truth.and_then(|truth| Accuracy::of(&evidence, &truth));
    Ok(Found { accuracy, ..found })
}

fn found(evidence: &CellEvidence, cpu: Nanos) -> Found {
    let cell = tokmark_measure::cell::evaluate(evidence);
    let events: usize = evidence
        .streams
        .iter()
        .map(|request| request.events.len())
        .sum();
    let events = float::len_u64(events);
    let first: Vec<f64> = evidence
        .streams
        .iter()
        .filter_map(RequestEvidence::ttft_ns)
        .map(|ns| Nanos(ns).as_millis_f64())
        .collect();
    let quantile = |share| tokmark_measure::stats::percentile(&first, share);
    let gap = |of: fn(&Gaps) -> f64| cell.gaps.as_ref().map(of);
    Found {
        tokens_per_s: cell.total_tokens_per_s.unwrap_or(0.0),
        cpu_s_per_million: cpu.as_secs_f64() / (float::from_u64(events) / 1e6),
        ttft_p50_ms: quantile(0.5),
        ttft_p99_ms: quantile(0.99),
        gap_p50_ms: gap(|gaps| gaps.p50_ms),
        gap_p99_ms: gap(|gaps| gaps.p99_ms),
        accuracy: None,
        memory_bytes: 0,
        idle_stream_bytes: None,
        status: cell.status.to_string(),
        client: evidence.client.clone(),
    }
}
