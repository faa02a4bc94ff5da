//! Feeding a reader by hand.

use tokmark_openai_stream::reply::{BodyEnd, Channel, Reply, ReplyReader, TokenEvent};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// What a reader made of an answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) events: Vec<TokenEvent>,
    pub(crate) reply: Reply,
}

/// Reads a streamed chat; each piece arrives at its milliseconds.
pub(crate) fn chat(pieces: &[(u64, &str)]) -> Seen {
    chat_ended(pieces, BodyEnd::Complete)
}

pub(crate) fn chat_ended(pieces: &[(u64, &str)], end: BodyEnd) -> Seen {
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(ms, text)| (*ms, text.as_bytes()))
        .collect();
    answer(Endpoint::Chat, (200, Some(EVENTS)), &pieces, end)
}

pub(crate) fn completions(pieces: &[(u64, &str)]) -> Seen {
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(ms, text)| (*ms, text.as_bytes()))
        .collect();
    let end = BodyEnd::Complete;
    answer(Endpoint::Completions, (200, Some(EVENTS)), &pieces, end)
}

/// Reads an answer that arrives at once, at 2 s.
pub(crate) fn whole(status: u16, content_type: Option<&str>, body: &str) -> Seen {
    let pieces = [(2_000, body.as_bytes())];
    answer(
        Endpoint::Chat,
        (status, content_type),
        &pieces,
        BodyEnd::Complete,
    )
}

pub(crate) fn answer(
    endpoint: Endpoint,
    head: (u16, Option<&str>),
    pieces: &[(u64, &[u8])],
    end: BodyEnd,
) -> Seen {
    let mut reader = ReplyReader::new(endpoint);
    reader.head(head.0, head.1, None, None);
    read(reader, pieces, end)
}

pub(crate) fn read(mut reader: ReplyReader, pieces: &[(u64, &[u8])], end: BodyEnd) -> Seen {
    let mut events = Vec::new();
    for (ms, bytes) in pieces {
        reader.push(Nanos::from_millis(*ms), bytes, &mut events);
    }
    // The end is noticed later than the last byte came; no time may come from it.
    let at = pieces.last().map_or(0, |(ms, _)| ms + 5_000);
    let reply = reader.finish(Nanos::from_millis(at), end, &mut events);
    Seen { events, reply }
}

/// A frame with this object.
pub(crate) fn frame(object: &str) -> String {
    format!("data: {object}\n\n")
}

/// A chat frame with this delta, and further members of the choice.
pub(crate) fn delta(delta: &str, more: &str) -> String {
    frame(&format!(
        r#"{{"choices":[{{"index":0,"delta":{delta}{more}}}]}}"#
    ))
}

/// A chat frame with this answer text.
pub(crate) fn content(text: &str) -> String {
    delta(&format!(r#"{{"content":{}}}"#, serde_json::json!(text)), "")
}

/// A frame that ends the choice.
pub(crate) fn finish(reason: &str) -> String {
    delta("{}", &format!(r#","finish_reason":"{reason}""#))
}

impl Seen {
    /// Arrivals in milliseconds.
    pub(crate) fn times(&self) -> Vec<f64> {
        self.events
            .iter()
            .map(|event| event.at.as_millis_f64())
            .collect()
    }

    /// First event, of any kind.
    pub(crate) fn ttft(&self) -> Option<f64> {
        self.times().first().copied()
    }

    /// First event with a piece of the answer.
    pub(crate) fn ttfat(&self) -> Option<f64> {
        let answer = |event: &&TokenEvent| event.channel == Channel::Content;
        self.events
            .iter()
            .find(answer)
            .map(|event| event.at.as_millis_f64())
    }

    /// Between events, in milliseconds.
    pub(crate) fn gaps(&self) -> Vec<f64> {
        self.times()
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect()
    }

    /// (last - first) / (tokens - 1), in milliseconds (methodology section 7).
    pub(crate) fn tpot(&self, tokens: f64) -> f64 {
        let times = self.times();
        (times.last().unwrap() - times[0]) / (tokens - 1.0)
    }

    pub(crate) fn text(&self) -> String {
        self.events
            .iter()
            .map(|event| event.text.as_str())
            .collect()
    }

    pub(crate) fn channels(&self) -> Vec<Channel> {
        self.events.iter().map(|event| event.channel).collect()
    }

    pub(crate) fn counts(&self) -> Vec<Option<u64>> {
        self.events
            .iter()
            .map(|event| event.completion_tokens)
            .collect()
    }

    pub(crate) fn output_tokens(&self) -> Option<u64> {
        self.reply.usage.and_then(|usage| usage.completion_tokens)
    }

    /// The failure as `class: message`.
    pub(crate) fn failure(&self) -> Option<String> {
        let failure = self.reply.failure.as_ref()?;
        Some(format!("{}: {}", failure.class.as_str(), failure.message))
    }

    #[track_caller]
    pub(crate) fn succeeded(&self) {
        assert_eq!(self.reply.failure, None);
    }
}
