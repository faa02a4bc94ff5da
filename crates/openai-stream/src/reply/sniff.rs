//! What a successful answer's body is: events, or one document.

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Server-sent events.
    Events,
    /// Anything else, read as a whole.
    Whole,
}

const FIELDS: &[&[u8]] = &[b"data:", b"event:", b"id:", b"retry:"];
/// The bytes that are looked at: blanks that go on for longer are no event stream.
const WINDOW: usize = 4096;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Decides from the first bytes; `None` needs more of them. Servers and proxies send JSON under
/// the name of an event stream and the reverse, so the bytes decide where they can (case B029) and
/// `declared_events`, the `content-type`, where they cannot.
pub(super) fn body(start: &[u8], declared_events: bool) -> Option<Body> {
    let window = start.get(..WINDOW).unwrap_or(start);
    let decided = decide(window, declared_events);
    decided.or_else(|| (window.len() == WINDOW).then_some(Body::Whole))
}

fn decide(start: &[u8], declared_events: bool) -> Option<Body> {
    if start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(start) {
        return None;
    }
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let start = start.trim_ascii_start();
    match start.first()? {
        b'{' | b'[' | b'<' | b'"' => Some(Body::Whole),
        b':' => Some(Body::Events),
        _ if declared_events => Some(Body::Events),
        _ if FIELDS.iter().any(|field| start.starts_with(field)) => Some(Body::Events),
        _ if FIELDS.iter().any(|field| field.starts_with(start)) => None,
        _ => Some(Body::Whole),
    }
}
