//! Frames that differ from the one before only in their text and their running counts.
//!
//! A server writes hundreds of frames of one answer from one mould. Once a frame was read in full,
//! the next ones are compared with it byte by byte: only the text and some whole numbers may
//! differ. That costs a few percent of reading JSON, and it is exact: a frame that differs anywhere
//! else is read in full.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use super::Channel;
use crate::chunk::{Choice, Chunk, Usage};

/// Members whose whole number may change from frame to frame. Only the first one means something;
/// a list of token ids counts by its length, which a pattern fixes.
const NUMBERS: [&[u8]; 6] = [
    b"\"completion_tokens\":",
    b"\"total_tokens\":",
    b"\"token_ids\":[",
    b"\"output_ids\":[",
    b"\"created\":",
    b"\"predicted_n\":",
];

/// The text that stands for any text while a pattern is being tested.
const PROBE_TEXT: &str = "a text that no server sends";
/// The first number that stands for any number; no server counts that far.
const PROBE_NUMBER: u64 = 900_000_000_000;
/// The most digits of a number that is read here: far below the limits of 64 bits.
const MOST_DIGITS: usize = 15;

/// One mould of frames.
#[derive(Debug)]
pub(super) struct FramePattern {
    /// What the text is.
    pub(super) channel: Channel,
    /// How many token ids each frame carries.
    pub(super) token_ids: Option<u64>,
    /// Usage of the frame that it was learned from; its count is replaced.
    usage: Option<Usage>,
    /// Everything in front of the text, its opening quote included.
    before: Box<[u8]>,
    /// Everything behind it; between two of these lies a whole number.
    after: Box<[Box<[u8]>]>,
    /// Which number is the running count.
    count: Option<usize>,
}

/// What a frame of a pattern says.
#[derive(Debug, PartialEq)]
pub(super) struct Hit<'a> {
    pub(super) text: &'a str,
    /// The running count of generated tokens.
    pub(super) count: Option<u64>,
    /// Token counts with the running count in them.
    pub(super) usage: Option<Usage>,
}

impl FramePattern {
    /// Learns from a frame that was read in full and is an event with exactly this text. `None`
    /// when frames like it cannot be told apart safely.
    pub(super) fn learn(
        data: &[u8],
        chunk: &Chunk<'_>,
        channel: Channel,
        text: &str,
    ) -> Option<Self> {
        if chunk.usage.is_some_and(|usage| usage.is_empty()) {
            // Ollama: these zeros are no counts, later numbers in their place would be.
            return None;
        }
        let (before, rest) = around_text(data, text)?;
        let (after, numbers) = cut_numbers(rest);
        let mut pattern = Self {
            channel,
            token_ids: chunk.choices.first.as_ref().and_then(Choice::ids),
            usage: chunk.usage,
            before: before.into(),
            after,
            count: None,
        };
        let filled = pattern.filled(numbers);
        let read = Chunk::parse(&filled).ok().flatten()?;
        pattern.count = numbers_meaning(&read, numbers);
        // A count that the pattern cannot follow would stand still.
        let is_followed = pattern.count.is_some() || chunk.usage.is_none();
        (is_followed && read == expected(chunk, channel, &read)?).then_some(pattern)
    }

    /// The pattern with probes in all its gaps.
    fn filled(&self, numbers: usize) -> Vec<u8> {
        let mut bytes = self.before.to_vec();
        bytes.extend_from_slice(PROBE_TEXT.as_bytes());
        for (index, literal) in self.after.iter().enumerate() {
            bytes.extend_from_slice(literal);
            if index < numbers {
                bytes.extend_from_slice(probe_number(index).to_string().as_bytes());
            }
        }
        bytes
    }

    /// What a frame says, when it is one of this pattern.
    pub(super) fn read<'a>(&self, data: &'a [u8]) -> Option<Hit<'a>> {
        let rest = data.strip_prefix(&*self.before)?;
        // A text with an escape is read in full.
        let end = memchr2(b'"', b'\\', rest)?;
        let (text, mut rest) = rest.split_at_checked(end)?;
        if text.is_empty() || text.iter().any(u8::is_ascii_control) {
            return None;
        }
        let mut count = None;
        let (last, others) = self.after.split_last()?;
        for (index, literal) in others.iter().enumerate() {
            let (number, behind) = whole_number(rest.strip_prefix(&**literal)?)?;
            if self.count == Some(index) {
                count = Some(number);
            }
            rest = behind;
        }
        (rest == &**last).then_some(())?;
        let usage = self.usage.map(|usage| Usage {
            completion_tokens: count.or(usage.completion_tokens),
            ..usage
        });
        if usage.is_some_and(|usage| usage.is_empty()) {
            return None;
        }
        Some(Hit {
            text: std::str::from_utf8(text).ok()?,
            count,
            usage,
        })
    }
}

fn probe_number(index: usize) -> u64 {
    PROBE_NUMBER + u64::try_from(index).unwrap_or(0)
}

/// What lies in front of the text's first place and behind it. A text that stands there with
/// escapes is not found; one that is found in a wrong place fails the test that follows.
fn around_text<'a>(data: &'a [u8], text: &str) -> Option<(&'a [u8], &'a [u8])> {
    let quoted = format!("\"{text}\"");
    let start = memmem::find(data, quoted.as_bytes())? + 1;
    let before = data.get(..start)?;
    let behind = data.get(start + text.len()..)?;
    Some((before, behind))
}

/// Cuts what follows the text at the numbers that may change; also how many there are.
fn cut_numbers(rest: &[u8]) -> (Box<[Box<[u8]>]>, usize) {
    let mut literals = Vec::new();
    let mut open = rest;
    let mut searched = 0;
    while let Some(start) = next_number(open, searched) {
        let (literal, at_number) = open.split_at_checked(start).unwrap_or((open, &[]));
        if let Some((_, behind)) = whole_number(at_number) {
            literals.push(Box::from(literal));
            open = behind;
            searched = 0;
        } else {
            searched = start;
        }
    }
    let numbers = literals.len();
    literals.push(Box::from(open));
    (literals.into(), numbers)
}

/// Where the next member's number begins, at or behind `from`.
fn next_number(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let places = NUMBERS.iter().filter_map(|name| {
        let at = memmem::find(rest, name)?;
        Some(from + at + name.len())
    });
    places.min()
}

/// A whole number without a leading zero and what follows it.
fn whole_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    let length = digits.count();
    let (digits, behind) = bytes.split_at_checked(length)?;
    let leading_zero = length > 1 && digits.first() == Some(&b'0');
    let is_part_of_more = matches!(behind.first(), Some(b'.' | b'e' | b'E'));
    if length == 0 || length > MOST_DIGITS || leading_zero || is_part_of_more {
        return None;
    }
    let value = digits
        .iter()
        .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    Some((value, behind))
}

/// Which of the probe numbers became the running count.
fn numbers_meaning(read: &Chunk<'_>, numbers: usize) -> Option<usize> {
    let count = read.usage?.completion_tokens?;
    (0..numbers).find(|index| probe_number(*index) == count)
}

/// The chunk that the filled pattern must be read as: the learned one with the probe's text and
/// count, and nothing else changed.
fn expected<'a>(chunk: &Chunk<'a>, channel: Channel, read: &Chunk<'_>) -> Option<Chunk<'a>> {
    let mut expected = chunk.clone();
    let choice = expected.choices.first.as_mut()?;
    if let Some(delta) = &choice.delta
        && delta.reasoning.is_some()
        && delta.reasoning_content.is_some()
    {
        // Which of the two counts depends on their lengths.
        return None;
    }
    let probe = Some(Cow::Borrowed(PROBE_TEXT));
    let text = match (&mut choice.delta, channel) {
        (Some(delta), Channel::Content) if delta.content.is_some() => &mut delta.content,
        (Some(delta), Channel::Reasoning) if delta.reasoning.is_some() => &mut delta.reasoning,
        (Some(delta), Channel::Reasoning) => &mut delta.reasoning_content,
        (_, Channel::Content) => &mut choice.text,
        _ => return None,
    };
    *text = probe;
    if let Some(usage) = &mut expected.usage {
        usage.completion_tokens = read.usage?.completion_tokens;
    }
    Some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(frame: &str, channel: Channel, text: &str) -> Option<FramePattern> {
        let chunk = Chunk::parse(frame.as_bytes()).unwrap().unwrap();
        FramePattern::learn(frame.as_bytes(), &chunk, channel, text)
    }

    const PLAIN: &str = r#"{"id":"c-1","created":7,"choices":[{"index":0,"delta":{"content":" a"},"finish_reason":null}]}"#;
    const COUNTED: &str = r#"{"id":"c-1","choices":[{"index":0,"delta":{"content":" a"},"finish_reason":null,"token_ids":[17]}],"created":7,"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1}}"#;

    #[test]
    fn frames_of_the_same_mould_are_read_without_json() {
        let pattern = learn(PLAIN, Channel::Content, " a").unwrap();
        let next = PLAIN.replace("\" a\"", "\" naïve 🙂\"");
        let hit = pattern.read(next.as_bytes()).unwrap();
        assert_eq!((hit.text, hit.count), (" naïve 🙂", None));
    }

    #[test]
    fn the_running_count_is_followed_and_other_numbers_may_change() {
        let pattern = learn(COUNTED, Channel::Content, " a").unwrap();
        assert_eq!(pattern.token_ids, Some(1));
        let next = COUNTED
            .replace("\" a\"", "\" b\"")
            .replace("total_tokens\":10", "total_tokens\":412")
            .replace("completion_tokens\":1", "completion_tokens\":403")
            .replace("[17]", "[90210]")
            .replace("created\":7", "created\":8");
        let hit = pattern.read(next.as_bytes()).unwrap();
        assert_eq!((hit.text, hit.count), (" b", Some(403)));
        let usage = hit.usage.unwrap();
        assert_eq!(usage.completion_tokens, Some(403));
        assert_eq!(usage.prompt_tokens, Some(9));
    }

    #[test]
    fn anything_else_is_read_in_full() {
        let pattern = learn(COUNTED, Channel::Content, " a").unwrap();
        let check = |from: &str, to: &str| {
            let other = COUNTED.replace(from, to);
            assert_ne!(other, COUNTED);
            assert_eq!(pattern.read(other.as_bytes()), None, "{other}");
        };
        check("null", "\"stop\"");
        check("\" a\"", "\"\"");
        check("\" a\"", r#"" a\n""#);
        check("\" a\"", "\" a\u{1}\"");
        check("prompt_tokens\":9", "prompt_tokens\":8");
        check("completion_tokens\":1", "completion_tokens\":1.5");
        check("completion_tokens\":1", "completion_tokens\":null");
        check("completion_tokens\":1", "completion_tokens\":01");
        check("[17]", "[17,18]");
        check("}}", "}} ");
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_learned() {
        let check = |frame: &str, channel: Channel, text: &str| {
            assert!(learn(frame, channel, text).is_none(), "{frame}");
        };
        // The text is first found where another member holds it.
        check(
            r#"{"model":"a","choices":[{"delta":{"content":"a"}}]}"#,
            Channel::Content,
            "a",
        );
        // The thinking text under two names has two places.
        check(
            r#"{"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]}"#,
            Channel::Reasoning,
            "a",
        );
        // The count stands in front of the text, where no number is looked for.
        check(
            r#"{"usage":{"completion_tokens":3},"choices":[{"delta":{"content":"a"}}]}"#,
            Channel::Content,
            "a",
        );
    }
}
