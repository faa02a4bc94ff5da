//! Evidence made by rule.

use tokmark_run_format::evidence::{
    CellEvidence, Event, RequestEvidence, RequestFailure, Scrape, Window,
};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000 * MS;

pub(crate) const LAUNCH: u64 = S;
pub(crate) const WINDOW: Window = Window {
    start_ns: 4 * S,
    end_ns: 34 * S,
};

/// An event every `gap_ns` from `first_ns` until (not at) `until_ns`.
pub(crate) fn every(gap_ns: u64, first_ns: u64, until_ns: u64, tokens: Option<u32>) -> Vec<Event> {
    let count = until_ns.saturating_sub(first_ns).div_ceil(gap_ns);
    (0..count)
        .map(|n| first_ns + n * gap_ns)
        .map(|at_ns| Event { at_ns, tokens })
        .collect()
}

/// Events at the given milliseconds.
pub(crate) fn at_ms(moments: &[(u64, u32)]) -> Vec<Event> {
    let event = |(at_ms, tokens): &(u64, u32)| Event {
        at_ns: at_ms * MS,
        tokens: Some(*tokens),
    };
    moments.iter().map(event).collect()
}

/// A request that decodes until it is cancelled after the window.
pub(crate) fn decoding(stream: u32, gap_ns: u64, tokens: Option<u32>) -> RequestEvidence {
    let first_ns = LAUNCH + 100 * MS + u64::from(stream) * MS;
    RequestEvidence {
        stream,
        due_ns: LAUNCH,
        sent_ns: LAUNCH,
        max_tokens: 4_096,
        prompt_tokens: Some(1_000),
        events: every(gap_ns, first_ns, WINDOW.end_ns + 20 * MS, tokens),
        first_answer: Some(0),
        token_source: tokens.map(|_| "usage".to_owned()),
        cancelled: true,
        ..RequestEvidence::default()
    }
}

/// C streams that decode evenly, one token every 20 ms each.
pub(crate) fn steady(requests: u32) -> CellEvidence {
    steady_with(requests, 20 * MS, Some(1))
}

pub(crate) fn steady_with(requests: u32, gap_ns: u64, tokens: Option<u32>) -> CellEvidence {
    CellEvidence {
        context: 1_024,
        requests,
        launch_ns: LAUNCH,
        window: Some(WINDOW),
        admitted: requests,
        loop_check: true,
        streams: (0..requests)
            .map(|stream| decoding(stream, gap_ns, tokens))
            .collect(),
        ..CellEvidence::default()
    }
}

/// The same stream as two requests: the first ends at `end_ns`, the next one has its first event
/// at `first_ns`.
pub(crate) fn restarted(
    mut request: RequestEvidence,
    end_ns: u64,
    first_ns: u64,
) -> [RequestEvidence; 2] {
    let mut next = RequestEvidence {
        attempt: request.attempt + 1,
        due_ns: end_ns,
        sent_ns: end_ns,
        ..request.clone()
    };
    next.events.retain(|event| event.at_ns >= first_ns);
    request.events.retain(|event| event.at_ns <= end_ns);
    request.ended_ns = Some(end_ns);
    request.finish = Some("stop".to_owned());
    request.cancelled = false;
    [request, next]
}

pub(crate) fn failure(class: &str, http_status: Option<u16>) -> RequestFailure {
    RequestFailure {
        class: class.to_owned(),
        http_status,
        message: format!("what the server said about {class}"),
        retry_after_s: None,
    }
}

/// A reading every second from before the launch until after the window.
pub(crate) fn scrapes(reading: impl Fn(u64) -> Scrape) -> Vec<Scrape> {
    (0..=35)
        .map(|second| Scrape {
            start_ns: second * S + 500 * MS,
            end_ns: second * S + 502 * MS,
            ..reading(second)
        })
        .collect()
}

pub(crate) fn close(found: f64, expect: f64) {
    let apart = (found - expect).abs();
    assert!(
        apart <= 1e-9 * expect.abs().max(1.0),
        "{found} is not {expect}"
    );
}

pub(crate) fn close_to(found: Option<f64>, expect: f64) {
    close(found.expect("a number"), expect);
}
