//! Server-sent events: from reads of any size to whole events.

use memchr::memchr2;

/// The most bytes that one event may hold: its data and the line that is being read.
pub const EVENT_LIMIT: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event, as long as the callback runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event:` field; `None` when the event has no name. A name that is not UTF-8 becomes
    /// U+FFFD, so that it stays a name that nobody knows.
    pub event: Option<&'a str>,
    /// The `data:` fields, joined by line feeds.
    pub data: &'a [u8],
}

/// Why a body cannot be read on as server-sent events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// One event is larger than the limit.
    #[error("one event of the stream is larger than {limit} bytes")]
    EventTooLarge {
        /// The limit that was passed.
        limit: usize,
    },
}

/// Cuts a body into events, wherever its reads begin and end.
///
/// It follows the event-stream grammar of the HTML standard: lines end with LF, CRLF or CR, several
/// `data` lines make one event, a leading byte order mark and fields other than `event` and `data`
/// are ignored. Two things differ because servers need them: comments are counted, and
/// [`finish`](Self::finish) delivers an event whose closing blank line is missing.
///
/// An event that lies whole in one [`push`](Self::push) is handed on as a slice of that push,
/// without a copy or an allocation. Only what a read leaves unfinished is kept.
#[derive(Debug)]
pub struct SseSplitter {
    limit: usize,
    /// The unfinished last line of what was pushed.
    partial: Vec<u8>,
    /// Data lines of the unfinished event, joined; meaningful while `has_data`.
    data: Vec<u8>,
    has_data: bool,
    /// Name of the unfinished event.
    name: Option<Vec<u8>>,
    comments: u64,
    /// Whether the last byte was a CR, so that an LF right behind it belongs to it.
    after_cr: bool,
    /// Whether the next line is the body's first, where a byte order mark may stand.
    first_line: bool,
    failed: Option<SseError>,
}

/// What is known of the unfinished event and lies in the bytes being pushed.
#[derive(Default)]
struct Open<'a> {
    data: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
}

impl Default for SseSplitter {
    fn default() -> Self {
        Self::new()
    }
}

impl SseSplitter {
    /// For a new body; an event may hold [`EVENT_LIMIT`] bytes.
    pub fn new() -> Self {
        Self::with_limit(EVENT_LIMIT)
    }

    /// For a new body whose events may hold `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: None,
            comments: 0,
            after_cr: false,
            first_line: true,
            failed: None,
        }
    }

    /// Comment lines so far: keep-alives (case B022).
    pub fn comments(&self) -> u64 {
        self.comments
    }

    /// The unfinished last line of what was pushed.
    pub fn unfinished(&self) -> &[u8] {
        &self.partial
    }

    /// Takes the next bytes of the body and calls `on_event` for every event that they complete.
    ///
    /// # Errors
    /// An event above the limit. Events before it were delivered; every later call fails alike.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>),
    ) -> Result<(), SseError> {
        self.check()?;
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_cr = false;
        }
        if !self.partial.is_empty() {
            let Some((end, behind)) = self.cut(rest) else {
                return self.keep_partial(rest, &Open::default());
            };
            let mut line = std::mem::take(&mut self.partial);
            line.extend_from_slice(end);
            rest = behind;
            self.whole_line(&line, &mut on_event)?;
            line.clear();
            self.partial = line;
        }
        let mut open = Open::default();
        while let Some((line, behind)) = self.cut(rest) {
            self.line(line, &mut open, &mut on_event)?;
            rest = behind;
        }
        self.keep_partial(rest, &open)?;
        self.keep(&open);
        Ok(())
    }

    /// Ends the body: an unfinished last line counts as a line, and an event without its closing
    /// blank line as an event (case B023).
    ///
    /// # Errors
    /// An event above the limit.
    pub fn finish(&mut self, mut on_event: impl FnMut(SseEvent<'_>)) -> Result<(), SseError> {
        self.check()?;
        let line = std::mem::take(&mut self.partial);
        if !line.is_empty() {
            self.whole_line(&line, &mut on_event)?;
        }
        self.dispatch(&mut Open::default(), &mut on_event);
        Ok(())
    }

    fn check(&self) -> Result<(), SseError> {
        self.failed.map_or(Ok(()), Err)
    }

    /// The next line of `rest`, without its end, and what follows.
    fn cut<'a>(&mut self, rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let end = memchr2(b'\n', b'\r', rest)?;
        let (line, ending) = rest.split_at_checked(end)?;
        let (byte, mut behind) = ending.split_first()?;
        if *byte == b'\r' {
            match behind.split_first() {
                Some((b'\n', after)) => behind = after,
                Some(_) => {}
                None => self.after_cr = true,
            }
        }
        Some((line, behind))
    }

    /// A line that does not lie in the bytes being pushed: nothing of it can be borrowed.
    fn whole_line(
        &mut self,
        line: &[u8],
        on_event: &mut impl FnMut(SseEvent<'_>),
    ) -> Result<(), SseError> {
        let mut open = Open::default();
        self.line(line, &mut open, on_event)?;
        self.keep(&open);
        Ok(())
    }

    fn line<'a>(
        &mut self,
        line: &'a [u8],
        open: &mut Open<'a>,
        on_event: &mut impl FnMut(SseEvent<'_>),
    ) -> Result<(), SseError> {
        self.check_size(line.len(), open)?;
        let mut line = line;
        if self.first_line {
            self.first_line = false;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(open, on_event);
            return Ok(());
        }
        if let Some(value) = field(line, b"data") {
            self.add_data(value, open);
        } else if line.starts_with(b":") {
            self.comments += 1;
        } else if let Some(value) = field(line, b"event") {
            open.name = Some(value);
        }
        Ok(())
    }

    fn add_data<'a>(&mut self, value: &'a [u8], open: &mut Open<'a>) {
        if let Some(first) = open.data.take() {
            self.keep_data(first);
        }
        if self.has_data {
            self.keep_data(value);
        } else {
            open.data = Some(value);
        }
    }

    fn keep_data(&mut self, value: &[u8]) {
        if self.has_data {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        self.has_data = true;
    }

    fn dispatch(&mut self, open: &mut Open<'_>, on_event: &mut impl FnMut(SseEvent<'_>)) {
        let Open { data, name } = std::mem::take(open);
        let kept = self.name.take();
        let event = name.or(kept.as_deref()).filter(|name| !name.is_empty());
        let event = event.map(|name| std::str::from_utf8(name).unwrap_or("\u{FFFD}"));
        if self.has_data {
            on_event(SseEvent {
                event,
                data: &self.data,
            });
            self.data.clear();
            self.has_data = false;
        } else if let Some(data) = data {
            on_event(SseEvent { event, data });
        }
    }

    /// Keeps what the end of a push leaves of an unfinished event.
    fn keep(&mut self, open: &Open<'_>) {
        if let Some(data) = open.data {
            self.keep_data(data);
        }
        if let Some(name) = open.name {
            self.name = Some(name.to_vec());
        }
    }

    fn keep_partial(&mut self, rest: &[u8], open: &Open<'_>) -> Result<(), SseError> {
        self.check_size(self.partial.len() + rest.len(), open)?;
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// The limit holds for the data kept so far and the line being read, so that it does not depend
    /// on where reads begin and end.
    fn check_size(&mut self, line: usize, open: &Open<'_>) -> Result<(), SseError> {
        let held = self.data.len() + open.data.map_or(0, <[u8]>::len);
        if held + line <= self.limit {
            return Ok(());
        }
        let error = SseError::EventTooLarge { limit: self.limit };
        self.failed = Some(error);
        Err(error)
    }
}

/// The value of a line that is the field `name`; a line without a colon has an empty one.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = line.strip_prefix(name)?;
    if value.is_empty() {
        return Some(value);
    }
    let value = value.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}
