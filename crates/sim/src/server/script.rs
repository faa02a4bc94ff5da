//! The events of a stream prepared before it begins, so that sending one is a few copies.
//!
//! The emitter writes every kind of event once, with marks where the text and the counts stand; an
//! event is then the pieces between the marks with the values put in. What is sent is therefore what
//! the emitter would have sent, in any dialect, and no event is formatted on its own.

use std::collections::VecDeque;
use std::sync::Arc;

use tokmark_units::Nanos;

use super::emitter::{Emitter, Item};
use super::prose::Prose;
use crate::model::{Finish, Output, RequestId};

/// Stands for a token's text: characters for private use, which the simulator never writes.
pub(super) const TEXT_MARK: &str = "\u{e000}\u{e001}";
/// Stands for the completion's count in the steady event. No count becomes so large, and with the
/// colon before it it is a JSON number and not a part of an id.
const COUNT_MARK: u32 = 3_916_527_841;

/// Room before a chunk's data for its length in hexadecimal digits and the line break.
const CHUNK_HEAD: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Box<[u8]>),
    Text,
    Completion,
    Total,
}

/// One event with gaps for its text and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Event {
    parts: Box<[Part]>,
    tokens: u32,
}

impl Event {
    fn new(frame: &[u8], prompt: u32, tokens: u32) -> Self {
        let text = String::from_utf8_lossy(frame);
        let total = format!(":{}", prompt.saturating_add(COUNT_MARK));
        let count = format!(":{COUNT_MARK}");
        let marks = [
            (TEXT_MARK, 0, Part::Text),
            // The colon belongs to the piece before.
            (count.as_str(), 1, Part::Completion),
            (total.as_str(), 1, Part::Total),
        ];
        let mut parts = Vec::new();
        let mut rest = text.as_ref();
        loop {
            let next = marks
                .iter()
                .filter_map(|(mark, kept, part)| {
                    rest.find(mark).map(|at| (at + kept, at + mark.len(), part))
                })
                .min_by_key(|(at, _, _)| *at);
            let Some((at, end, part)) = next else { break };
            parts.push(literal(rest.get(..at)));
            parts.push(part.clone());
            rest = rest.get(end..).unwrap_or_default();
        }
        parts.push(literal(Some(rest)));
        Self {
            parts: parts.into(),
            tokens,
        }
    }

    fn write(&self, token: &[u8], completion: u32, prompt: u32, into: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Literal(bytes) => into.extend_from_slice(bytes),
                Part::Text => into.extend_from_slice(token),
                Part::Completion => decimal(completion, into),
                Part::Total => decimal(prompt.saturating_add(completion), into),
            }
        }
    }
}

fn literal(text: Option<&str>) -> Part {
    Part::Literal(text.unwrap_or_default().as_bytes().into())
}

fn decimal(mut value: u32, into: &mut Vec<u8>) {
    let mut digits = [b'0'; 10];
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(value % 10).unwrap_or(0);
        value /= 10;
        used += 1;
        if value == 0 {
            break;
        }
    }
    into.extend_from_slice(digits.get(10 - used..).unwrap_or_default());
}

/// All events of one answer, in order.
#[derive(Debug)]
pub(super) struct Script {
    emitter: Emitter,
    prose: Arc<Prose>,
    /// The token of the prose that comes next.
    next_token: u32,
    prompt: u32,
    max_tokens: u32,
    /// Tokens that the events so far are about.
    given: u32,
    /// What belongs to the first or the last token and is still to be written.
    waiting: VecDeque<Event>,
    /// The event of every token between them.
    steady: Event,
}

impl Script {
    /// The answer of `max_tokens` tokens, one an event, that `emitter` writes. It yields fresh
    /// emitters without faults whose text is [`TEXT_MARK`]. `None` when the events between the first
    /// and the last one differ in more than text and counts.
    pub(super) fn new(
        emitter: impl Fn() -> Emitter,
        prose: Arc<Prose>,
        from: u32,
        prompt: u32,
        max_tokens: u32,
    ) -> Option<Self> {
        Some(Self {
            steady: steady(emitter(), prompt)?,
            emitter: emitter(),
            prose,
            next_token: from,
            prompt,
            max_tokens,
            given: 0,
            waiting: VecDeque::new(),
        })
    }

    /// Whether the next event has to wait for a token, and there is one more to come.
    pub(super) fn waits(&self) -> bool {
        self.waiting.is_empty() && self.given < self.max_tokens
    }

    /// Appends the next event and tells how many tokens it has; `None` after the last one. A token
    /// that it needs is due at `at`.
    pub(super) fn next(&mut self, at: Nanos, into: &mut Vec<u8>) -> Option<u32> {
        if self.waits() {
            self.given += 1;
            let (first, last) = (self.given == 1, self.given == self.max_tokens);
            if !first && !last {
                return Some(self.write(None, into));
            }
            self.emitter.go_on_after(self.given - 1);
            self.waiting = events(&mut self.emitter, at, first, last, self.prompt);
        }
        let event = self.waiting.pop_front()?;
        Some(self.write(Some(&event), into))
    }

    fn write(&mut self, event: Option<&Event>, into: &mut Vec<u8>) -> u32 {
        let event = event.unwrap_or(&self.steady);
        let token = self.prose.token(self.next_token);
        event.write(token, self.given, self.prompt, into);
        self.next_token = self.next_token.wrapping_add(event.tokens);
        event.tokens
    }
}

/// What the emitter writes for one token.
fn events(
    emitter: &mut Emitter,
    at: Nanos,
    first: bool,
    last: bool,
    prompt: u32,
) -> VecDeque<Event> {
    let output = Output {
        id: RequestId(0),
        at,
        tokens: 1,
        first,
        finished: last.then_some(Finish::Length),
        prefill_start: at,
        cached_tokens: 0,
        preemptions: 0,
        rank: 0,
    };
    let mut items = VecDeque::new();
    emitter.output(&output, &mut items);
    let frames = items.into_iter().filter_map(|item| match item {
        Item::Frame(frame) => {
            let tokens = frame.produced.iter().map(|(_, tokens)| tokens).sum();
            Some(Event::new(&frame.bytes, prompt, tokens))
        }
        _ => None,
    });
    frames.collect()
}

/// The event of a token that is neither the first nor the last, if all such events are alike.
fn steady(mut emitter: Emitter, prompt: u32) -> Option<Event> {
    let mut at_second = |second: u64, first: bool| {
        if !first {
            emitter.go_on_after(COUNT_MARK - 1);
        }
        let at = Nanos(second * 1_000_000_000);
        events(&mut emitter, at, first, false, prompt)
    };
    let opening = at_second(1, true);
    let (one, other) = (at_second(2, false), at_second(4, false));
    let [event] = one.as_slices().0 else {
        return None;
    };
    // An opening without its token would leave it to the next event.
    let prompt_one = opening.iter().map(|event| event.tokens).sum::<u32>() == 1;
    let texts = event
        .parts
        .iter()
        .filter(|part| **part == Part::Text)
        .count();
    (prompt_one && event.tokens == 1 && texts == 1 && one == other).then(|| event.clone())
}

/// One chunk of HTTP's chunked coding, written in place.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    sent: usize,
}

impl Chunk {
    /// Makes the data that `fill` appends the chunk; nothing appended is no chunk.
    pub(super) fn fill<T>(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.clear();
        self.bytes.extend_from_slice(&[b'0'; CHUNK_HEAD]);
        let filled = fill(&mut self.bytes);
        let mut length = self.bytes.len() - CHUNK_HEAD;
        if length == 0 {
            self.sent = self.bytes.len();
            return filled;
        }
        self.bytes.extend_from_slice(b"\r\n");
        let mut digits = 0;
        if let Some(head) = self.bytes.first_chunk_mut::<CHUNK_HEAD>() {
            let [number @ .., cr, lf] = head;
            (*cr, *lf) = (b'\r', b'\n');
            for place in number.iter_mut().rev() {
                let digit = u8::try_from(length % 16).unwrap_or(0);
                *place = if digit < 10 {
                    b'0' + digit
                } else {
                    b'a' - 10 + digit
                };
                length /= 16;
                digits += 1;
                if length == 0 {
                    break;
                }
            }
        }
        self.sent = CHUNK_HEAD - 2 - digits;
        filled
    }

    /// What is still to be sent.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.sent..).unwrap_or_default()
    }

    /// So much of it was sent.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.sent += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_their_length_before_them() {
        let check = |data: &[u8], expect: &[u8]| {
            let mut chunk = Chunk::default();
            chunk.fill(|into| into.extend_from_slice(b"an earlier and longer one"));
            chunk.fill(|into| into.extend_from_slice(data));
            assert_eq!(chunk.rest(), expect);
        };
        check(b"", b"");
        check(b"x", b"1\r\nx\r\n");
        check(b"0123456789", b"a\r\n0123456789\r\n");
        let long = vec![b'y'; 0x1e6];
        check(&long, &[b"1e6\r\n".as_slice(), &long, b"\r\n"].concat());
    }

    #[test]
    fn marks_are_filled_with_text_and_counts() {
        let marked = format!(
            "{{\"id\":\"x-{COUNT_MARK}\",\"c\":\"{TEXT_MARK}\",\"n\":{COUNT_MARK},\"t\":{}}}",
            COUNT_MARK + 12
        );
        let event = Event::new(marked.as_bytes(), 12, 1);
        let mut bytes = Vec::new();
        event.write(b" a", 30, 12, &mut bytes);
        let expect = format!("{{\"id\":\"x-{COUNT_MARK}\",\"c\":\" a\",\"n\":30,\"t\":42}}");
        assert_eq!(String::from_utf8(bytes).unwrap(), expect);
    }

    #[test]
    fn decimals_are_written_without_padding() {
        for value in [0, 7, 10, 99, 100, 4_294_967_295] {
            let mut bytes = Vec::new();
            decimal(value, &mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), value.to_string());
        }
    }
}
