//! From what arrived to the evidence of each request, and the live picture of a flight.

use tokmark_driver::{Arrival, Batch, Partial, TokenSource, What};
use tokmark_openai_stream::chunk::Timings;
use tokmark_openai_stream::reply::{Failure, FailureClass, Reply};
use tokmark_run_format::evidence::{
    Event, LoopVerdict, RequestEvidence, RequestFailure, StampSource,
};
use tokmark_units::Nanos;

use crate::loops;
use crate::requests::Requests;

/// One request in the air or landed.
pub(crate) struct LiveRequest {
    /// What will be kept.
    pub evidence: RequestEvidence,
    /// What the model wrote; for the loop check and the viewer, never stored.
    pub text: String,
    open: bool,
    read_stamps: bool,
}

impl LiveRequest {
    fn new(stream: u32, attempt: u32, max_tokens: u64) -> Self {
        Self {
            evidence: RequestEvidence {
                stream,
                attempt,
                max_tokens,
                ..RequestEvidence::default()
            },
            text: String::new(),
            open: true,
            read_stamps: false,
        }
    }

    /// Whether it can still bring events.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    fn take(&mut self, batch: &Batch) {
        let evidence = &mut self.evidence;
        if evidence.first_answer.is_none() {
            let index = batch
                .first_answer
                .map(|index| evidence.events.len() + index);
            evidence.first_answer = index.and_then(|index| u32::try_from(index).ok());
        }
        if evidence.token_source.is_none() {
            evidence.token_source = batch.token_source.map(|source| word(source).to_owned());
        }
        evidence
            .events
            .extend(batch.events.iter().map(|event| Event {
                at_ns: event.at.0,
                tokens: event.tokens,
            }));
        self.read_stamps |= batch.read_stamps;
        self.text.push_str(&batch.text);
    }

    /// Tokens of its events by the server's running count.
    fn counted(&self) -> u64 {
        let tokens = self.evidence.events.iter().filter_map(|event| event.tokens);
        tokens.map(u64::from).sum()
    }

    fn end(&mut self, at: Nanos, reply: Reply, broken: Option<&str>) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        self.keep(at, reply);
        // The reader names the class; the system's words say why.
        if let (Some(failure), Some(words)) = (&mut self.evidence.failure, broken)
            && !failure.message.contains(words)
        {
            failure.message = format!("{}: {words}", failure.message);
        }
    }

    fn keep(&mut self, at: Nanos, reply: Reply) {
        let evidence = &mut self.evidence;
        evidence.ended_ns = Some(
            reply
                .finish_at
                .unwrap_or(at)
                .0
                .max(evidence.events.last().map_or(0, |event| event.at_ns)),
        );
        evidence.stamps = source(self.read_stamps);
        evidence.content_encoding = reply.encoded;
        if let Some(usage) = &reply.usage {
            evidence.prompt_tokens = usage.prompt_tokens;
            evidence.output_tokens = usage.completion_tokens;
            evidence.cached_tokens = usage.cached_tokens;
        }
        evidence.finish = reply.finish.map(|finish| finish.to_string());
        evidence.failure = reply.failure.map(failure);
        if let Some(timings) = &reply.timings {
            self.keep_timings(*timings);
        }
    }

    /// llama.cpp's timings: the prompt in two parts, and running counts under another name.
    fn keep_timings(&mut self, timings: Timings) {
        let evidence = &mut self.evidence;
        let prompt = timings.prompt_n.zip(timings.cache_n);
        evidence.prompt_tokens = evidence
            .prompt_tokens
            .or(prompt.map(|(new, old)| new + old));
        evidence.cached_tokens = evidence.cached_tokens.or(timings.cache_n);
        evidence.output_tokens = evidence.output_tokens.or(timings.predicted_n);
        evidence.drafted = timings.draft_n.zip(timings.draft_n_accepted);
        if evidence.token_source.as_deref() == Some("usage") {
            evidence.token_source = Some("timings".to_owned());
        }
    }

    fn fail(&mut self, at: Nanos, class: FailureClass, message: String) {
        self.open = false;
        self.evidence.ended_ns = Some(at.0);
        self.evidence.failure = Some(RequestFailure {
            class: class.as_str().to_owned(),
            http_status: None,
            message,
            retry_after_s: None,
        });
    }

    /// Closes a request that tokmark cancelled. What arrived with the events is known even though
    /// the answer never ended.
    fn cancel(&mut self, partial: Partial) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        self.evidence.cancelled = true;
        self.evidence.stamps = source(self.read_stamps);
        self.evidence.content_encoding = partial.encoded;
        self.evidence.prompt_tokens = partial.usage.and_then(|usage| usage.prompt_tokens);
        self.evidence.cached_tokens = partial.usage.and_then(|usage| usage.cached_tokens);
        if let Some(timings) = partial.timings {
            self.keep_timings(timings);
        }
        let counted = self.counted();
        if counted > 0 {
            self.evidence.output_tokens = Some(counted);
        }
    }
}

fn word(source: TokenSource) -> &'static str {
    match source {
        TokenSource::Count => "usage",
        TokenSource::Ids => "token_ids",
    }
}

fn source(read_stamps: bool) -> StampSource {
    if read_stamps {
        StampSource::Read
    } else {
        StampSource::Kernel
    }
}

fn failure(failure: Failure) -> RequestFailure {
    RequestFailure {
        class: failure.class.as_str().to_owned(),
        http_status: failure.status,
        message: failure.message,
        retry_after_s: failure.retry_after,
    }
}

/// Everything that a flight's streams brought.
pub(crate) struct Collector {
    /// Requests by stream, in the order of their attempts.
    pub streams: Vec<Vec<LiveRequest>>,
    /// The first attempt of each stream that counts: earlier ones were replaced.
    floors: Vec<u32>,
    opened: usize,
    unconnected: usize,
}

impl Collector {
    /// For a number of streams.
    pub(crate) fn new(streams: usize) -> Self {
        Self {
            streams: std::iter::repeat_with(Vec::new).take(streams).collect(),
            floors: vec![0; streams],
            opened: 0,
            unconnected: 0,
        }
    }

    /// Takes one arrival in. `requests` tells the output limit that it was sent with.
    pub(crate) fn take(&mut self, arrival: Arrival, requests: &dyn Requests) {
        let Arrival {
            stream,
            attempt,
            what,
        } = arrival;
        if matches!(what, What::Open) {
            self.opened += 1;
            return;
        }
        if matches!(what, What::NoConnection { .. }) {
            self.unconnected += 1;
        }
        let limit = || requests.max_tokens(stream, attempt);
        if let Some(request) = self.request(stream, attempt, limit) {
            apply(request, what);
        }
    }

    fn request(
        &mut self,
        stream: u32,
        attempt: u32,
        limit: impl FnOnce() -> u64,
    ) -> Option<&mut LiveRequest> {
        let index = usize::try_from(stream).ok()?;
        if attempt < *self.floors.get(index)? {
            return None;
        }
        let requests = self.streams.get_mut(index)?;
        let known = requests
            .iter()
            .position(|request| request.evidence.attempt == attempt);
        let index = known.unwrap_or_else(|| {
            requests.push(LiveRequest::new(stream, attempt, limit()));
            requests.len() - 1
        });
        requests.get_mut(index)
    }

    /// Whether every stream has a connection or has failed to get one.
    pub(crate) fn all_connected(&self) -> bool {
        self.opened + self.unconnected >= self.streams.len()
    }

    /// Streams that have had an event in this flight.
    pub(crate) fn started(&self) -> usize {
        self.streams
            .iter()
            .filter(|requests| requests.iter().any(|r| !r.evidence.events.is_empty()))
            .count()
    }

    /// The latest moment at which a stream had its first event.
    pub(crate) fn last_start(&self) -> Option<Nanos> {
        self.streams
            .iter()
            .filter_map(|requests| {
                requests
                    .iter()
                    .filter_map(|r| r.evidence.events.first())
                    .map(|event| Nanos(event.at_ns))
                    .min()
            })
            .max()
    }

    /// Drops what a stream has brought before `floor`: its request was replaced before the window
    /// opened. What is still under way of it is ignored.
    pub(crate) fn forget(&mut self, stream: u32, floor: u32) {
        let Ok(index) = usize::try_from(stream) else {
            return;
        };
        if let Some(known) = self.floors.get_mut(index) {
            *known = floor;
        }
        if let Some(requests) = self.streams.get_mut(index) {
            requests.retain(|request| request.evidence.attempt >= floor);
        }
    }

    /// Every request, stream by stream.
    pub(crate) fn requests(&self) -> impl Iterator<Item = &LiveRequest> {
        self.streams.iter().flatten()
    }

    /// The first failure, if any.
    pub(crate) fn failure(&self) -> Option<&RequestFailure> {
        self.requests().find_map(|r| r.evidence.failure.as_ref())
    }

    /// A started request that has been silent since before `limit`.
    pub(crate) fn stalled(&self, limit: Nanos) -> Option<(u32, u32)> {
        self.requests()
            .filter(|request| request.is_open())
            .find(|request| {
                let last = request.evidence.events.last();
                last.is_some_and(|event| event.at_ns < limit.0)
            })
            .map(|request| (request.evidence.stream, request.evidence.attempt))
    }

    /// Marks a request as stalled.
    pub(crate) fn mark_stalled(&mut self, stream: u32, attempt: u32, at: Nanos, silence: Nanos) {
        let message = format!("no event for {silence}");
        if let Some(request) = self.request(stream, attempt, || 0) {
            request.fail(at, FailureClass::Stalled, message);
        }
    }

    /// Open requests whose text loops.
    pub(crate) fn looping(&self) -> Vec<(u32, LoopVerdict)> {
        self.requests()
            .filter(|request| request.is_open())
            .filter_map(|request| {
                loops::find(&request.text).map(|verdict| (request.evidence.stream, verdict))
            })
            .collect()
    }

    /// Closes what is open and gives the evidence; the loop check looks at every text once more.
    pub(crate) fn land(mut self, loop_check: bool) -> Vec<RequestEvidence> {
        let mut landed = Vec::new();
        for mut request in self.streams.drain(..).flatten() {
            request.cancel(Partial::default());
            if loop_check {
                request.evidence.looped = loops::find(&request.text);
            }
            landed.push(request.evidence);
        }
        landed
    }
}

fn apply(request: &mut LiveRequest, what: What) {
    match what {
        What::Open => {}
        What::Due { due, connect } => {
            request.evidence.due_ns = due.0;
            request.evidence.connect_ns = connect.map(|span| span.0);
        }
        What::Sent(at) => request.evidence.sent_ns = at.0,
        What::Events(batch) => request.take(&batch),
        What::Ended { at, reply, broken } => request.end(at, *reply, broken.as_deref()),
        What::Dropped(partial) => request.cancel(partial),
        What::NoConnection { at, error } => {
            let class = if error.is_tls() {
                FailureClass::Tls
            } else {
                FailureClass::Connect
            };
            request.fail(at, class, error.kept());
        }
    }
}
