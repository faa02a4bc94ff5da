//! One request on an otherwise idle server: probes, prefill samples, warm-ups.

use std::sync::Arc;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tokmark_run_format::evidence::RequestEvidence;
use tokmark_units::Nanos;

use crate::flight::Flight;
use crate::requests::Requests;
use crate::session::Session;

/// Output tokens of a prefill request and of a short probe.
pub(crate) const PROBE_TOKENS: u64 = 8;

/// A request made once.
struct Once {
    body: Bytes,
    max_tokens: u64,
    home: Option<u32>,
}

impl Requests for Once {
    fn body(&self, _stream: u32, attempt: u32) -> Option<Bytes> {
        (attempt == 0).then(|| self.body.clone())
    }

    fn max_tokens(&self, _stream: u32, _attempt: u32) -> u64 {
        self.max_tokens
    }

    fn home(&self, _stream: u32) -> Option<u32> {
        self.home
    }
}

/// How long one request may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Until the first event.
    pub first: Nanos,
    /// Between two events.
    pub stall: Nanos,
}

/// Why there is no evidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stopped by the user")]
pub(crate) struct Stopped;

const LOOK: Nanos = Nanos::from_millis(100);

/// Sends one request and waits for its end. A failure is part of the evidence.
pub(crate) async fn run(
    session: &Session,
    body: Bytes,
    max_tokens: u64,
    patience: Patience,
    home: Option<u32>,
    stop: &CancellationToken,
) -> Result<RequestEvidence, Stopped> {
    let requests = Arc::new(Once {
        body,
        max_tokens,
        home,
    });
    let mut flight = Flight::prepare(session, 1, requests);
    let launch = flight.launch().await;
    loop {
        if stop.is_cancelled() {
            return Err(Stopped);
        }
        let now = session.clock.now();
        give_up(&mut flight, launch, now, patience);
        let done = flight.collector.requests().next();
        if done.is_some_and(|request| !request.is_open()) {
            break;
        }
        tokio::select! {
            () = stop.cancelled() => return Err(Stopped),
            _ = flight.advance(now + LOOK) => {}
        }
    }
    let landed = flight.land(false).await;
    Ok(landed.into_iter().next().unwrap_or_default())
}

fn give_up(flight: &mut Flight<'_>, launch: Nanos, now: Nanos, patience: Patience) {
    let collector = &mut flight.collector;
    let silence = match collector.last_start() {
        None if now.saturating_sub(launch) > patience.first => patience.first,
        Some(_)
            if collector
                .stalled(now.saturating_sub(patience.stall))
                .is_some() =>
        {
            patience.stall
        }
        _ => return,
    };
    collector.mark_stalled(0, 0, now, silence);
}
