//! Feeding an answer in and getting its events and its outcome out.

use tokmark_units::Nanos;

use super::progress::{Pieces, Place, Progress};
use super::sniff::{self, Body};
use super::{BodyEnd, Failure, FailureClass, Reply, Secrets, Timings, TokenSink, Usage};
use crate::chunk::{Chunk, parse_error};
use crate::encoding::{self, Decoder};
use crate::redirect::kept_location;
use crate::request::Endpoint;
use crate::sse::{EVENT_LIMIT, SseSplitter};

/// The most bytes that are kept of the body of a refusal.
const REFUSAL_LIMIT: usize = 64 * 1024;

/// Characters of a body that is no answer which are shown (case B029).
const SAMPLE_LIMIT: usize = 200;

/// Follows one answer: [`head`](Self::head) once, [`push`](Self::push) for every read,
/// [`finish`](Self::finish) at the end.
#[derive(Debug)]
pub struct ReplyReader {
    progress: Progress,
    content_type: Option<String>,
    /// Where a redirection leads, as it may be kept.
    location: Option<String>,
    /// Unpacks a compressed answer.
    decoder: Option<Decoder>,
    state: State,
    /// When the last bytes arrived.
    last_at: Option<Nanos>,
}

#[derive(Debug)]
enum State {
    /// Too little has come to tell what the body is.
    Start(Vec<u8>),
    Events(SseSplitter),
    Whole(Vec<u8>),
    /// The stream broke the protocol: the rest is not read.
    Broken,
}

impl ReplyReader {
    /// For a new answer of this endpoint.
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            progress: Progress::new(endpoint),
            content_type: None,
            location: None,
            decoder: None,
            state: State::Start(Vec::new()),
            last_at: None,
        }
    }

    /// Keeps these values out of every message.
    #[must_use]
    pub fn hiding(mut self, secrets: Secrets) -> Self {
        self.progress.secrets = secrets;
        self
    }

    /// Takes the answer's head in: the status, `content-type`, `content-encoding` and the seconds
    /// of `retry-after`.
    pub fn head(
        &mut self,
        status: u16,
        content_type: Option<&str>,
        content_encoding: Option<&str>,
        retry_after: Option<u64>,
    ) {
        self.progress.status = Some(status);
        self.content_type = content_type.map(str::to_owned);
        self.progress.retry_after = retry_after;
        self.progress.reply.encoded = encoding::named(content_encoding);
        self.decoder = self.encoded().and_then(Decoder::of);
        if self.refusal().is_some() {
            self.state = State::Whole(Vec::new());
        }
    }

    /// Takes the answer's `location` in, which says where a redirection leads.
    pub fn location(&mut self, location: Option<&str>) {
        self.location = location.map(kept_location);
    }

    /// How the answer is compressed, if it is: the times of its events are then those of the
    /// compressed pieces (case B034).
    pub fn encoded(&self) -> Option<&str> {
        self.progress.reply.encoded.as_deref()
    }

    /// Takes the bytes of one read in, which arrived at `at`, and hands the events that they
    /// complete to `out`.
    pub fn push(&mut self, at: Nanos, bytes: &[u8], out: &mut impl TokenSink) {
        if bytes.is_empty() {
            return;
        }
        self.last_at = Some(at);
        let Some(mut decoder) = self.decoder.take() else {
            return self.plain(at, bytes, out);
        };
        let unpacked = decoder.push(bytes, &mut |piece| self.plain(at, piece, out));
        match unpacked {
            Ok(()) => self.decoder = Some(decoder),
            Err(error) => {
                let encoding = self.encoded().unwrap_or_default();
                let words =
                    format!("an answer compressed with `{encoding}` that is broken: {error}");
                self.fail(FailureClass::Protocol, &words);
                self.state = State::Broken;
            }
        }
    }

    /// Takes bytes in that are not compressed.
    fn plain(&mut self, at: Nanos, bytes: &[u8], out: &mut impl TokenSink) {
        let limit = self.whole_limit();
        match &mut self.state {
            State::Events(_) => self.events(at, bytes, out),
            State::Whole(body) => {
                let room = limit.saturating_sub(body.len());
                body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            }
            State::Start(start) if start.is_empty() => self.begin(at, bytes, out),
            State::Start(start) => {
                let mut start = std::mem::take(start);
                start.extend_from_slice(bytes);
                self.begin(at, &start, out);
            }
            State::Broken => {}
        }
    }

    /// The last usage so far, for an answer that is given up before its end.
    pub fn usage_so_far(&self) -> Option<Usage> {
        self.progress.reply.usage
    }

    /// llama.cpp's last timings so far.
    pub fn timings_so_far(&self) -> Option<Timings> {
        self.progress.reply.timings
    }

    /// Ends the answer. `at` is when the end was noticed; an event that only the end completes
    /// keeps the arrival time of its last byte.
    pub fn finish(mut self, at: Nanos, end: BodyEnd, out: &mut impl TokenSink) -> Reply {
        let at = self.last_at.unwrap_or(at);
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Events(splitter) => self.finish_events(at, end, splitter, out),
            State::Start(body) | State::Whole(body) => self.finish_whole(at, end, &body),
            State::Broken => {}
        }
        self.progress.reply
    }

    /// The status, when it is not a success.
    fn refusal(&self) -> Option<u16> {
        let status = self.progress.status;
        status.filter(|status| !(200..300).contains(status))
    }

    /// The encoding, when it is one that cannot be unpacked.
    fn cannot_unpack(&self) -> Option<&str> {
        self.encoded().filter(|word| Decoder::of(word).is_none())
    }

    /// The most bytes of a body that are kept; one more than an answer may have, to notice it.
    fn whole_limit(&self) -> usize {
        self.refusal().map_or(EVENT_LIMIT + 1, |_| REFUSAL_LIMIT)
    }

    fn begin(&mut self, at: Nanos, start: &[u8], out: &mut impl TokenSink) {
        let declared = self.content_type.as_deref().unwrap_or_default();
        let declared = declared.trim_start().to_ascii_lowercase();
        // A body that cannot be unpacked is no stream of events, whatever its type says.
        let packed = self.cannot_unpack().is_some();
        let declared = declared.starts_with("text/event-stream") && !packed;
        match sniff::body(start, declared) {
            None => self.state = State::Start(start.to_vec()),
            Some(Body::Whole) => self.state = State::Whole(start.to_vec()),
            Some(Body::Events) => {
                self.progress.reply.streamed = true;
                self.state = State::Events(SseSplitter::new());
                self.events(at, start, out);
            }
        }
    }

    fn events(&mut self, at: Nanos, bytes: &[u8], out: &mut impl TokenSink) {
        let State::Events(splitter) = &mut self.state else {
            return;
        };
        let progress = &mut self.progress;
        let pushed = splitter.push(bytes, |event| progress.event(at, event, Place::Closed, out));
        progress.reply.comments = splitter.comments();
        if let Err(error) = pushed {
            progress.fail_as(FailureClass::Protocol, &error.to_string());
            self.state = State::Broken;
        }
    }

    fn fail(&mut self, class: FailureClass, words: &str) {
        self.progress.fail_as(class, words);
    }

    fn finish_events(
        &mut self,
        at: Nanos,
        end: BodyEnd,
        mut splitter: SseSplitter,
        out: &mut impl TokenSink,
    ) {
        let left = left_over(splitter.unfinished());
        let progress = &mut self.progress;
        let ended = splitter.finish(|event| progress.event(at, event, Place::Tail, out));
        progress.reply.comments = splitter.comments();
        if let Err(error) = ended {
            return self.fail(FailureClass::Protocol, &error.to_string());
        }
        let reply = &self.progress.reply;
        let events = reply.events;
        if let Some(finish) = &reply.finish {
            if finish.is_failure(events) {
                let words = format!("finish_reason:{finish}");
                self.fail(FailureClass::ErrorInStream, &words);
            }
        } else if events == 0 && (reply.ended_with_done || end == BodyEnd::Complete) {
            let words = self.empty_words();
            self.fail(FailureClass::EmptyStream, &words);
        } else if !reply.ended_with_done {
            let words = format!("{} after {events} events{left}", closing(end));
            self.fail(FailureClass::CutStream, &words);
        }
    }

    fn empty_words(&self) -> String {
        let words = "the stream ended without a token and without a finish reason";
        match &self.progress.passed_over {
            Some(name) => format!("{words}; it has events named `{name}`"),
            None => words.to_owned(),
        }
    }

    fn finish_whole(&mut self, at: Nanos, end: BodyEnd, body: &[u8]) {
        if let Some(status) = self.refusal() {
            if let Some(location) = self
                .location
                .take()
                .filter(|_| (300..400).contains(&status))
            {
                let words = format!("HTTP {status} redirects to `{location}`");
                return self.fail(FailureClass::Http, &words);
            }
            let progress = &mut self.progress;
            let failure = Failure::of_status(status, progress.retry_after, body, &progress.secrets);
            return progress.fail(failure);
        }
        let body = body.trim_ascii();
        if body.len() > EVENT_LIMIT {
            let words = format!("an answer of more than {EVENT_LIMIT} bytes");
            return self.fail(FailureClass::Protocol, &words);
        }
        let text = String::from_utf8_lossy(body);
        match Chunk::parse(text.as_bytes()).ok().flatten() {
            Some(chunk) => self.whole_answer(at, &chunk, &text),
            None if end != BodyEnd::Complete => {
                let words = format!("{} after {} bytes", closing(end), body.len());
                self.fail(FailureClass::CutStream, &words);
            }
            None if body.is_empty() => {
                self.fail(FailureClass::EmptyStream, "an answer without a body");
            }
            None => self.no_answer(&text),
        }
    }

    /// A whole JSON object (case B029): a success without events if it answers.
    fn whole_answer(&mut self, at: Nanos, chunk: &Chunk<'_>, body: &str) {
        if let Some(error) = chunk.failure() {
            return self.progress.fail_with(&error);
        }
        let Some(choice) = &chunk.choices.first else {
            return self.no_answer(body);
        };
        self.progress.facts(chunk);
        self.progress.ending(at, choice);
        let (_, text) = Pieces::of_whole(choice, self.progress.endpoint()).join();
        let pieces = u64::from(!text.is_empty());
        self.progress.reply.text = text;
        let finish = self.progress.reply.finish.as_ref();
        if let Some(finish) = finish.filter(|finish| finish.is_failure(pieces)) {
            let words = format!("finish_reason:{finish}");
            self.fail(FailureClass::ErrorInStream, &words);
        }
    }

    /// A body that is neither events nor an answer: a login page, a proxy's words, compressed
    /// bytes, an error as a JSON string.
    fn no_answer(&mut self, body: &str) {
        if let Some(error) = parse_error(body) {
            return self.progress.fail_with(&error);
        }
        let words = if let Some(encoding) = self.cannot_unpack() {
            format!(
                "the answer came compressed with `{encoding}`, which was not asked for and cannot \
                 be unpacked"
            )
        } else {
            let declared = self.content_type.as_deref().unwrap_or("no content type");
            let sample: String = body.chars().take(SAMPLE_LIMIT).collect();
            format!("not an event stream ({declared}): {sample}")
        };
        self.fail(FailureClass::Protocol, &words);
    }
}

fn closing(end: BodyEnd) -> &'static str {
    match end {
        BodyEnd::Complete => "the answer ended without a finish reason and without `[DONE]`",
        BodyEnd::Cut => "the connection closed in the middle of the answer",
        BodyEnd::Reset => "the connection was reset in the middle of the answer",
    }
}

/// What is said about an unfinished last line. An event's text is generated text and is not kept
/// (methodology section 8); anything else, such as a server's last words, is shown.
fn left_over(line: &[u8]) -> String {
    if line.is_empty() {
        String::new()
    } else if line.starts_with(b"data") || line.starts_with(b":") {
        format!(", {} bytes into another one", line.len())
    } else {
        format!(", then: {}", String::from_utf8_lossy(line))
    }
}
