//! Splitting a byte stream into server-sent events (WHATWG HTML, section 9.2.6).

use memchr::memchr2;

/// Most bytes that one event may have.
const LARGEST: usize = 16 << 20;

/// One event: its data lines joined by line feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event:` field.
    pub event: Option<&'a str>,
    /// The `data:` fields.
    pub data: &'a [u8],
}

/// An event grew beyond 16 MiB without ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than 16 MiB")]
pub struct TooLarge;

/// Splits a stream that arrives in arbitrary pieces.
#[derive(Debug, Default)]
pub struct SseSplitter {
    /// A line whose end has not arrived.
    partial: Vec<u8>,
    /// Data lines of the event that has not ended.
    data: Vec<u8>,
    has_data: bool,
    event: Option<String>,
    comments: u64,
    /// The last piece ended with a carriage return: a line feed that follows belongs to it.
    skip_line_feed: bool,
    begun: bool,
}

impl SseSplitter {
    /// At the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Comment lines so far.
    pub fn comments(&self) -> u64 {
        self.comments
    }

    /// Takes a piece in and hands out every event that ended in it. An event that lies whole in
    /// one piece on one `data:` line is borrowed from it.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>),
    ) -> Result<(), TooLarge> {
        let mut rest = bytes;
        if self.skip_line_feed && !rest.is_empty() {
            self.skip_line_feed = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            let (line, tail) = rest.split_at(at);
            let is_return = tail.first() == Some(&b'\r');
            let mut after = tail.get(1..).unwrap_or_default();
            if is_return {
                match after.strip_prefix(b"\n") {
                    Some(next) => after = next,
                    None => self.skip_line_feed = after.is_empty(),
                }
            }
            if self.partial.is_empty() {
                after = self.whole_line(line, after, &mut on_event);
            } else {
                self.partial.extend_from_slice(line);
                let line = std::mem::take(&mut self.partial);
                self.line(&line, &mut on_event);
                self.partial = line;
                self.partial.clear();
            }
            rest = after;
        }
        self.partial.extend_from_slice(rest);
        if self.partial.len() + self.data.len() > LARGEST {
            return Err(TooLarge);
        }
        Ok(())
    }

    /// Ends the stream: a last line without its line feed, and a last event without its blank
    /// line, still count (case B023).
    pub fn finish(mut self, mut on_event: impl FnMut(SseEvent<'_>)) {
        if !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            self.line(&line, &mut on_event);
        }
        self.dispatch(&mut on_event);
    }

    /// A line that lies whole in the piece. When it is the only data line of its event and the
    /// blank line follows, the event is handed out without a copy. Gives what is left.
    fn whole_line<'a>(
        &mut self,
        line: &'a [u8],
        after: &'a [u8],
        on_event: &mut impl FnMut(SseEvent<'_>),
    ) -> &'a [u8] {
        let alone = !self.has_data && self.event.is_none();
        if let (true, Some(data)) = (alone, line.strip_prefix(b"data:"))
            && let Some(rest) = after
                .strip_prefix(b"\n")
                .or_else(|| after.strip_prefix(b"\r\n"))
        {
            self.begun = true;
            let data = data.strip_prefix(b" ").unwrap_or(data);
            if !data.is_empty() {
                on_event(SseEvent { event: None, data });
            }
            return rest;
        }
        self.line(line, on_event);
        after
    }

    fn line(&mut self, line: &[u8], on_event: &mut impl FnMut(SseEvent<'_>)) {
        let mut line = line;
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(on_event);
        }
        let colon = memchr::memchr(b':', line);
        let (field, value) = match colon {
            Some(0) => {
                self.comments += 1;
                return;
            }
            Some(at) => line.split_at(at),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => self.event = Some(String::from_utf8_lossy(value).into_owned()),
            // `id`, `retry` and unknown fields mean nothing here.
            _ => {}
        }
    }

    fn dispatch(&mut self, on_event: &mut impl FnMut(SseEvent<'_>)) {
        if self.has_data && !self.data.is_empty() {
            on_event(SseEvent {
                event: self.event.as_deref(),
                data: &self.data,
            });
        }
        self.data.clear();
        self.has_data = false;
        self.event = None;
    }
}
