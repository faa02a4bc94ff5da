//! Streams that bypass the engine: a flood, or one token every so often.
//!
//! Over TCP they write straight to the socket ([`flood`](super::flood), [`pace`](super::pace)). An
//! answer that is not plain (a fault, token ids, reasoning), a client that knows no chunked coding,
//! and in-memory connections get the same events through the HTTP library.

use std::sync::Arc;

use http::Version;
use http::request::Parts;
use tokmark_units::Nanos;

use super::ask::Ask;
use super::body::Reply;
use super::clock::Clock;
use super::emitter::{Answer, Asked, Emitter};
use super::flood::FloodStream;
use super::generate::Job;
use super::ledger::Ledger;
use super::pace::{PacedStream, Pacer};
use super::prose::Prose;
use super::script::Script;
use super::shared::Shared;
use super::truth::Slot;
use super::wire::Wire;
use crate::config::{SimConfig, TokenSource};
use crate::faults::RequestFaults;
use crate::rng::mix;
use crate::text::TextStyle;
use crate::tokenizer::Tokenizer;

/// What streams that bypass the engine share.
#[derive(Debug)]
pub(super) struct Direct {
    prose: Arc<Prose>,
    /// The thread of paced streams; `None` in other modes and where the system gives no thread.
    pacer: Option<Arc<Pacer>>,
}

impl Direct {
    /// What a server needs; `None` when its tokens come from the engine.
    pub(super) fn new(config: &SimConfig, clock: Clock) -> Option<Self> {
        let pacer = match config.tokens {
            TokenSource::Engine => return None,
            TokenSource::Flood(_) => None,
            TokenSource::Pace(_) => match Pacer::start(clock) {
                Ok(pacer) => Some(Arc::new(pacer)),
                Err(error) => {
                    tracing::warn!(%error, "no thread for paced streams; they have the timer's grain");
                    None
                }
            },
        };
        let tokenizer = Tokenizer::new(config.model.vocabulary);
        Some(Self {
            prose: Arc::new(Prose::new(config.engine.seed, tokenizer)),
            pacer,
        })
    }
}

/// When a request arrived. For a stream that bypasses the engine that is when the connection
/// received its last bytes, where that is known.
pub(super) fn arrival(shared: &Shared, request: &Parts) -> Nanos {
    let wire = request.extensions.get::<Arc<Wire>>();
    wire.map_or_else(|| shared.clock.now(), |wire| wire.received())
}

/// The body of a plain answer that writes to the socket itself, or nothing where the answer goes
/// through the HTTP library.
pub(super) fn body(
    shared: &Arc<Shared>,
    request: &Parts,
    job: &Job,
    ask: &Ask,
    slot: Slot,
) -> Option<Reply> {
    let direct = shared.direct.as_ref()?;
    let wire = Arc::clone(request.extensions.get::<Arc<Wire>>()?);
    let config = &shared.config;
    // A chunk that repeats what was said is no event with a gap for one token.
    let repeats = job.shape.repeats();
    if request.version != Version::HTTP_11 || repeats || !plain(config, ask) {
        return None;
    }
    let script = script(direct, config, job, ask)?;
    let ledger = || Ledger::new(Arc::clone(shared), &job.head.id, slot);
    match config.tokens {
        TokenSource::Engine => None,
        TokenSource::Flood(per_write) => {
            let stream = FloodStream::new(wire, per_write, script, ledger());
            Some(Reply::Flood(Box::new(stream)))
        }
        TokenSource::Pace(pace) => {
            let pacer = Arc::clone(direct.pacer.as_ref()?);
            let (first, every) = (pace.first_at(job.arrival), Nanos::from(pace.every));
            let stream = PacedStream::new(pacer, wire, script, ledger(), first, every);
            Some(Reply::Paced(Box::new(stream)))
        }
    }
}

/// Whether nothing was asked for that an event of its own is needed for.
fn plain(config: &SimConfig, ask: &Ask) -> bool {
    let text = config.text == TextStyle::default();
    text && config.faults.rules.is_empty() && !ask.wishes.token_ids
}

fn script(direct: &Direct, config: &SimConfig, job: &Job, ask: &Ask) -> Option<Script> {
    let emitter = || {
        let asked = Asked {
            wishes: ask.wishes,
            prompt: ask.prompt.clone(),
            arrival: job.arrival,
        };
        let answer = Answer::marked();
        let faults = RequestFaults::default();
        Emitter::new(job.head.clone(), job.shape, answer, faults, asked)
    };
    let from = u32::try_from(mix(config.engine.seed ^ mix(job.number)) >> 40).unwrap_or(0);
    let prompt = u32::try_from(ask.prompt.len()).unwrap_or(u32::MAX);
    let prose = Arc::clone(&direct.prose);
    Script::new(emitter, prose, from, prompt, ask.max_tokens)
}
