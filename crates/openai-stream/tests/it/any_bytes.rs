//! What holds for any bytes, wherever their reads begin and end.
//!
//! The fuzz targets `sse`, `encoding` and `reply` include this file and look for bytes that break it; the tests
//! of `corpus` take those that are kept. An input begins with [`CONTROL`] bytes that choose how the
//! rest is read.

use tokmark_openai_stream::encoding::Decoder;
use tokmark_openai_stream::reply::{BodyEnd, Channel, Reply, ReplyReader, TokenEvent};
use tokmark_openai_stream::request::Endpoint;
use tokmark_openai_stream::sse::{EVENT_LIMIT, SseError, SseEvent, SseSplitter};
use tokmark_units::Nanos;

/// Bytes in front of an input that are not read but choose how.
pub(crate) const CONTROL: usize = 4;

/// The choices, zero where the input is too short, and the bytes to read.
fn parted(input: &[u8]) -> ([u8; CONTROL], &[u8]) {
    let (front, body) = input.split_at(input.len().min(CONTROL));
    let mut control = [0; CONTROL];
    control[..front.len()].copy_from_slice(front);
    (control, body)
}

/// The ways of reading a body that must not differ: at once, byte by byte, and in pieces whose
/// lengths come from a seed.
fn splits(length: usize, seed: [u8; 2]) -> [Vec<usize>; 3] {
    let mut state = u32::from(u16::from_le_bytes(seed)) << 1 | 1;
    let longest = if seed[0] & 1 == 0 { 7 } else { 61 };
    let mut ends = Vec::new();
    let mut end = 0;
    while end < length {
        // xorshift32, of Marsaglia.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        end = (end + 1 + usize::try_from(state % longest).unwrap()).min(length);
        ends.push(end);
    }
    [vec![length], (1..=length).collect(), ends]
}

/// Calls `read` with every piece and the place of its last byte, which stands for its time.
fn each_piece<'a>(body: &'a [u8], ends: &[usize], mut read: impl FnMut(u64, &'a [u8])) {
    let mut from = 0;
    for end in ends {
        read(at(*end), &body[from..*end]);
        from = *end;
    }
}

fn at(end: usize) -> u64 {
    u64::try_from(end).unwrap()
}

/// The time of the read that brought the byte which a reading byte by byte saw at `time`.
fn read_of(ends: &[usize], time: u64) -> u64 {
    let later = ends.iter().map(|end| at(*end)).find(|end| *end >= time);
    later.unwrap_or(time)
}

/// What a splitter made of a body.
#[derive(Debug, PartialEq)]
struct Cut {
    /// Name, data and time of every event.
    events: Vec<(Option<String>, Vec<u8>, u64)>,
    comments: u64,
    left: Vec<u8>,
    error: Option<SseError>,
}

fn cut(body: &[u8], ends: &[usize], limit: usize) -> Cut {
    let mut splitter = SseSplitter::with_limit(limit);
    let mut events = Vec::new();
    let mut error = None;
    each_piece(body, ends, |time, piece| {
        let pushed = splitter.push(piece, |event| {
            events.push((event.event.map(str::to_owned), event.data.to_vec(), time));
        });
        error = error.or(pushed.err());
    });
    // After an error nothing is read, and what was kept of the last line is nobody's business.
    let left = error.map_or_else(|| splitter.unfinished().to_vec(), |_| Vec::new());
    let time = at(body.len());
    let ended = splitter.finish(|event| {
        events.push((event.event.map(str::to_owned), event.data.to_vec(), time));
    });
    Cut {
        events,
        comments: splitter.comments(),
        left,
        error: error.or(ended.err()),
    }
}

/// Any split of a body gives the same events, each at the time of the read that completed it.
pub(crate) fn sse(input: &[u8]) {
    let (control, body) = parted(input);
    let limit = match control[0] & 1 {
        0 => EVENT_LIMIT,
        _ => usize::from(control[1]),
    };
    let [whole, bytes, pieces] = splits(body.len(), [control[2], control[3]]);
    let exact = cut(body, &bytes, limit);
    for ends in [&whole, &pieces] {
        let mut expect = Vec::new();
        for (name, data, time) in &exact.events {
            expect.push((name.clone(), data.clone(), read_of(ends, *time)));
        }
        let seen = cut(body, ends, limit);
        assert_eq!(seen.events, expect, "reads end at {ends:?}");
        let rest = |cut: &Cut| (cut.comments, cut.left.clone(), cut.error);
        assert_eq!(rest(&seen), rest(&exact), "reads end at {ends:?}");
    }
    for (_, data, _) in &exact.events {
        assert!(data.len() <= limit, "an event above the limit");
    }
}

/// What a decoder made of a body: what it unpacked and whether it found a fault.
fn unpacked(encoding: &str, body: &[u8], ends: &[usize]) -> (Vec<u8>, bool) {
    let mut decoder = Decoder::of(encoding).unwrap();
    let (mut out, mut broken) = (Vec::new(), false);
    each_piece(body, ends, |_, piece| {
        if !broken {
            let pushed = decoder.push(piece, &mut |bytes| out.extend_from_slice(bytes));
            broken = pushed.is_err();
        }
    });
    (out, broken)
}

/// Any split of a compressed body unpacks to the same. A body that is broken is found to be so in
/// any split; what lies before the fault may be lost with the read that has it.
pub(crate) fn encoding(input: &[u8]) {
    let (control, body) = parted(input);
    let name = ["gzip", "deflate", "zstd"][usize::from(control[0]) % 3];
    let [whole, bytes, pieces] = splits(body.len(), [control[2], control[3]]);
    let (exact, exact_broken) = unpacked(name, body, &bytes);
    for ends in [&whole, &pieces] {
        let (out, broken) = unpacked(name, body, ends);
        assert_eq!(broken, exact_broken, "{name}, reads end at {ends:?}");
        let same = if broken {
            exact.starts_with(&out) || out.starts_with(&exact)
        } else {
            out == exact
        };
        assert!(same, "{name}, reads end at {ends:?}");
    }
}

/// How an answer begins and ends.
struct Frame {
    endpoint: Endpoint,
    status: u16,
    content_type: Option<&'static str>,
    encoding: Option<&'static str>,
    end: BodyEnd,
}

impl Frame {
    fn of(choice: u8) -> Self {
        Self {
            endpoint: if choice & 1 == 0 {
                Endpoint::Chat
            } else {
                Endpoint::Completions
            },
            status: if choice & 0b1110 == 0b1110 { 429 } else { 200 },
            content_type: match choice >> 4 & 3 {
                0 | 1 => Some("text/event-stream; charset=utf-8"),
                2 => Some("application/json"),
                _ => None,
            },
            encoding: match choice & 0b1110 {
                0b1100 => Some("gzip"),
                0b1010 => Some("zstd"),
                0b1000 => Some("br"),
                _ => None,
            },
            end: match choice >> 6 {
                0 | 1 => BodyEnd::Complete,
                2 => BodyEnd::Cut,
                _ => BodyEnd::Reset,
            },
        }
    }

    fn read(&self, body: &[u8], ends: &[usize]) -> (Vec<TokenEvent>, Reply) {
        let mut reader = ReplyReader::new(self.endpoint);
        reader.head(self.status, self.content_type, self.encoding, Some(3));
        let mut events = Vec::new();
        each_piece(body, ends, |time, piece| {
            reader.push(Nanos(time), piece, &mut events);
        });
        let so_far = (reader.usage_so_far(), reader.timings_so_far());
        let reply = reader.finish(Nanos(u64::MAX), self.end, &mut events);
        // What the end completes may still carry a usage; it cannot take one away.
        assert!(so_far.0.is_none() || reply.usage.is_some());
        assert!(so_far.1.is_none() || reply.timings.is_some());
        (events, reply)
    }
}

/// Any split of an answer gives the same events and the same outcome, with every time that of the
/// read which brought the byte that decided it.
pub(crate) fn reply(input: &[u8]) {
    let (control, body) = parted(input);
    let frame = Frame::of(control[0]);
    let [whole, bytes, pieces] = splits(body.len(), [control[2], control[3]]);
    let (exact, outcome) = frame.read(body, &bytes);
    for ends in [&whole, &pieces] {
        if cannot_be_unpacked(&outcome) {
            let (_, seen) = frame.read(body, ends);
            assert!(seen.failure.is_some(), "reads end at {ends:?}");
            continue;
        }
        let moved = |time: Nanos| match time {
            // Without a byte, the end's own time is all there is.
            Nanos(u64::MAX) => time,
            Nanos(time) => Nanos(read_of(ends, time)),
        };
        let mut expect = exact.clone();
        for event in &mut expect {
            event.at = moved(event.at);
        }
        let mut expect_outcome = outcome.clone();
        expect_outcome.finish_at = outcome.finish_at.map(moved);
        let (events, seen) = frame.read(body, ends);
        assert_eq!(events, expect, "reads end at {ends:?}");
        assert_eq!(seen, expect_outcome, "reads end at {ends:?}");
    }
    check_events(&exact, &outcome);
    // What an encoding holds is not in the body as it stands.
    if outcome.streamed && outcome.encoded.is_none() {
        check_alone(frame.endpoint, body, &exact, &outcome);
    }
}

/// Whether the answer was compressed and something in it has a fault, perhaps the compression
/// itself: then what lies before that may be lost or not.
fn cannot_be_unpacked(reply: &Reply) -> bool {
    reply.encoded.is_some() && reply.failure.is_some()
}

/// A reader that knows what the frames before looked like finds in each of them what a new reader
/// finds, which has to read it in full.
fn check_alone(endpoint: Endpoint, body: &[u8], events: &[TokenEvent], reply: &Reply) {
    let mut frames = Vec::new();
    let mut splitter = SseSplitter::new();
    let mut keep = |event: SseEvent<'_>| frames.push(written(event));
    splitter.push(body, &mut keep).unwrap();
    splitter.finish(&mut keep).unwrap();
    let mut alone = Vec::new();
    let mut tokens = None;
    for frame in frames {
        let mut reader = ReplyReader::new(endpoint);
        reader.head(200, Some("text/event-stream"), None, None);
        reader.push(Nanos(0), &frame, &mut alone);
        let seen = reader.finish(Nanos(0), BodyEnd::Complete, &mut alone);
        tokens = seen
            .usage
            .and_then(|usage| usage.completion_tokens)
            .or(tokens);
        if seen.ended_with_done {
            break;
        }
    }
    // Whether a frame without text is an event depends on the counts before it.
    let told = |event: &&TokenEvent| event.channel != Channel::Silent;
    let parts = |event: &TokenEvent| (event.channel, event.text.clone(), event.token_ids);
    let found: Vec<_> = events.iter().filter(told).map(parts).collect();
    let expect: Vec<_> = alone.iter().filter(told).map(parts).collect();
    assert_eq!(found, expect);
    assert_eq!(
        reply.usage.and_then(|usage| usage.completion_tokens),
        tokens
    );
}

/// An event as a frame of its own.
fn written(event: SseEvent<'_>) -> Vec<u8> {
    let mut frame = Vec::new();
    if let Some(name) = event.event {
        frame.extend([b"event: ", name.as_bytes(), b"\n"].concat());
    }
    for line in event.data.split(|byte| *byte == b'\n') {
        frame.extend([b"data: ", line, b"\n"].concat());
    }
    frame.push(b'\n');
    frame
}

/// What every reply promises about its events.
fn check_events(events: &[TokenEvent], reply: &Reply) {
    assert_eq!(u64::try_from(events.len()).unwrap(), reply.events);
    assert!(events.is_sorted_by_key(|event| event.at));
    let mut highest = 0;
    for event in events {
        // An event is text, or a running count above every one before it, or token ids.
        let raised = event.completion_tokens.is_some_and(|count| count > highest);
        let ids = event.token_ids.is_some_and(|ids| ids > 0);
        assert!(
            event.channel != Channel::Silent || raised || ids,
            "{event:?}"
        );
        assert_eq!(event.text.is_empty(), event.channel == Channel::Silent);
        highest = highest.max(event.completion_tokens.unwrap_or(0));
    }
    assert!(reply.streamed || (events.is_empty() && reply.comments == 0));
    if let Some(failure) = &reply.failure {
        assert!(failure.message.chars().count() <= 300);
        assert!(!failure.message.chars().any(char::is_control));
    } else {
        // A success has a reason: text that came, or an end that the server named.
        assert!(
            !events.is_empty() || reply.finish.is_some() || !reply.streamed,
            "{reply:?}"
        );
    }
}
