//! Latencies of one request, and what many of them come to: methodology section 7.

use tokmark_run_format::evidence::{RequestEvidence, Window};
use tokmark_units::float;

use crate::{stats, tokens};

/// A request faster than this after its first token is an artefact of buffering or of a clock, and
/// never enters an average (case B014).
const FASTEST_REQUEST: f64 = 10_000.0;
/// Share of the end-to-end time from which waiting in the client is worth a warning (case B049).
const LONG_QUEUE: f64 = 0.1;

/// Where a request's output tokens were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// The server's usage or timings.
    ByUsage,
    /// The events' own counts.
    ByEvents,
    /// One per event: nothing else is known.
    OnePerEvent,
}

/// The figures of one request. Sent-based latencies start when its first byte was written,
/// scheduled ones when the plan wanted that (they contain the wait in the client).
#[derive(Debug, Clone, PartialEq)]
pub struct RequestNumbers {
    /// First event less send.
    pub ttft_ms: Option<f64>,
    /// First event of the answer (content, not reasoning) less send.
    pub answer_ms: Option<f64>,
    /// Last event less send.
    pub e2e_ms: Option<f64>,
    /// Send less scheduled time: the wait in the client.
    pub queue_ms: Option<f64>,
    /// First event less scheduled time.
    pub scheduled_ttft_ms: Option<f64>,
    /// Last event less scheduled time.
    pub scheduled_e2e_ms: Option<f64>,
    /// Times between events.
    pub gaps_ms: Vec<f64>,
    /// Last event less first event.
    pub decode_ms: Option<f64>,
    /// Output tokens.
    pub output_tokens: u64,
    /// Where they were counted.
    pub counted: Counted,
    /// `decode / (output tokens - 1)`; `None` under 2 tokens.
    pub tpot_ms: Option<f64>,
    /// Output tokens over events.
    pub tokens_per_event: Option<f64>,
}

/// The figures of a request. A negative span (a clock that went backwards) is no figure, never a
/// clamped one (case B053). A failed request has none.
pub fn numbers(request: &RequestEvidence) -> RequestNumbers {
    let (output_tokens, counted) = output_tokens(request);
    let arrivals: &[_] = if request.failure.is_some() {
        &[]
    } else {
        &request.events
    };
    let first = arrivals.first().map(|event| event.at_ns);
    let last = arrivals.last().map(|event| event.at_ns);
    let answer = request
        .first_answer
        .and_then(|index| usize::try_from(index).ok());
    let answer = answer
        .and_then(|index| arrivals.get(index))
        .map(|event| event.at_ns);
    let since = |from: u64, to: Option<u64>| to?.checked_sub(from).map(ms);
    let decode_ms = first.and_then(|first| since(first, last));
    let pairs = arrivals.iter().zip(arrivals.iter().skip(1));
    let gaps = pairs.filter_map(|(before, after)| after.at_ns.checked_sub(before.at_ns));
    let after_first = output_tokens.checked_sub(1).filter(|tokens| *tokens > 0);
    RequestNumbers {
        ttft_ms: since(request.sent_ns, first),
        answer_ms: since(request.sent_ns, answer),
        e2e_ms: since(request.sent_ns, last),
        queue_ms: since(request.due_ns, Some(request.sent_ns)),
        scheduled_ttft_ms: since(request.due_ns, first),
        scheduled_e2e_ms: since(request.due_ns, last),
        gaps_ms: gaps.map(ms).collect(),
        decode_ms,
        output_tokens,
        counted,
        tpot_ms: decode_ms
            .zip(after_first)
            .map(|(decode, tokens)| decode / float::from_u64(tokens)),
        tokens_per_event: (!arrivals.is_empty())
            .then(|| float::from_u64(output_tokens) / float::from_usize(arrivals.len())),
    }
}

impl RequestNumbers {
    /// Tokens per second after the first one: the inverse of TPOT. `None` where TPOT is not known
    /// or is zero.
    pub fn decode_tokens_per_s(&self) -> Option<f64> {
        self.tpot_ms
            .filter(|tpot| *tpot > 0.0)
            .map(|tpot| 1e3 / tpot)
    }

    /// Whether so much of the time was spent in the client that the person should know.
    pub fn waited_in_client(&self) -> bool {
        let share = self.queue_ms.zip(self.scheduled_e2e_ms);
        share.is_some_and(|(queue, e2e)| queue > LONG_QUEUE * e2e)
    }
}

/// Whether a request ended well without writing anything: not a failure, and no latency either.
pub fn is_empty_output(request: &RequestEvidence) -> bool {
    request.failure.is_none() && request.finish.is_some() && request.events.is_empty()
}

/// Whether a request's latencies belong to a window: it was sent inside. One that was already under
/// way gives the window its tokens and nothing else (case B043).
pub fn belongs_to(request: &RequestEvidence, window: Window) -> bool {
    window.contains(request.sent_ns)
}

/// Mean TPOT in which every request counts alike.
pub fn mean_tpot_ms(requests: &[RequestNumbers]) -> Option<f64> {
    let all: Vec<f64> = requests
        .iter()
        .filter_map(|request| request.tpot_ms)
        .collect();
    stats::mean(&all)
}

/// Mean TPOT in which every token counts alike: decode times over tokens after the first.
pub fn pooled_tpot_ms(requests: &[RequestNumbers]) -> Option<f64> {
    let with_tpot = requests.iter().filter(|request| request.tpot_ms.is_some());
    let (ms, tokens) = with_tpot.fold((0.0, 0_u64), |(ms, tokens), request| {
        let after_first = request.output_tokens.saturating_sub(1);
        (
            ms + request.decode_ms.unwrap_or(0.0),
            tokens.saturating_add(after_first),
        )
    });
    (tokens > 0).then(|| ms / float::from_u64(tokens))
}

/// Decode rates of many requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecodeRates {
    /// Tokens per second of each believable request.
    pub tokens_per_s: Vec<f64>,
    /// Requests whose rate no server reaches: marked, counted, and left out.
    pub implausible: usize,
}

/// Decode rates, the impossible ones apart.
pub fn decode_rates(requests: &[RequestNumbers]) -> DecodeRates {
    let rates = requests
        .iter()
        .filter_map(RequestNumbers::decode_tokens_per_s);
    let (tokens_per_s, beyond): (Vec<f64>, Vec<f64>) =
        rates.partition(|rate| *rate <= FASTEST_REQUEST);
    DecodeRates {
        tokens_per_s,
        implausible: beyond.len(),
    }
}

fn output_tokens(request: &RequestEvidence) -> (u64, Counted) {
    if let Some(tokens) = request.output_tokens {
        return (tokens, Counted::ByUsage);
    }
    if tokens::is_counted(request) {
        let all = request.events.iter().filter_map(|event| event.tokens);
        return (all.map(u64::from).sum(), Counted::ByEvents);
    }
    (float::len_u64(request.events.len()), Counted::OnePerEvent)
}

fn ms(ns: u64) -> f64 {
    float::from_u64(ns) / 1e6
}
