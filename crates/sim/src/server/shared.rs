//! What all connections of a server share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::clock::Clock;
use super::core::Command;
use super::dialect;
use super::direct::Direct;
use super::error::ApiError;
use super::feed::FeedCounts;
use super::lives::Lives;
use super::shape::{Head, Speech};
use super::truth::{Recorder, Truth};
use crate::config::SimConfig;
use crate::faults::ServerFaults;
use crate::histogram::Histogram;
use crate::model::{RankStats, Refusal, RequestId};
use crate::rng::{Rng, mix};
use crate::tokenizer::Tokenizer;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: SimConfig,
    pub(super) clock: Clock,
    pub(super) tokenizer: Tokenizer,
    pub(super) commands: mpsc::UnboundedSender<Command>,
    pub(super) recorder: Recorder,
    /// From when events are due to when they are handed over.
    pub(super) lateness: Histogram,
    /// What streams that bypass the engine add to the engine's counts.
    pub(super) feeds: FeedCounts,
    /// What they share.
    pub(super) direct: Option<Direct>,
    /// Generation requests so far, refused ones included.
    pub(super) numbered: AtomicU64,
    /// HTTP requests so far.
    pub(super) http_requests: AtomicU64,
    /// Connections so far.
    pub(super) connections: AtomicU64,
    /// Readings of the metrics so far.
    pub(super) scrapes: AtomicU64,
    /// Generation requests in flight.
    pub(super) active: AtomicU64,
    emitted: AtomicU64,
    /// What the engine runs, with the ids of the answers.
    live: Mutex<BTreeMap<RequestId, String>>,
    faults: ServerFaults,
    restarted: AtomicBool,
    pub(super) lives: Lives,
}

impl Shared {
    pub(super) fn new(
        config: SimConfig,
        clock: Clock,
        commands: mpsc::UnboundedSender<Command>,
    ) -> Self {
        Self {
            tokenizer: Tokenizer::new(config.model.vocabulary),
            recorder: Recorder::new(config.keep_truth, config.keep_events),
            lateness: Histogram::default(),
            feeds: FeedCounts::default(),
            direct: Direct::new(&config, clock),
            faults: config.faults.for_server(),
            config,
            clock,
            commands,
            numbered: AtomicU64::new(0),
            http_requests: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            scrapes: AtomicU64::new(0),
            active: AtomicU64::new(0),
            emitted: AtomicU64::new(0),
            live: Mutex::new(BTreeMap::new()),
            restarted: AtomicBool::new(false),
            lives: Lives::start(),
        }
    }

    /// Counts sent tokens, and dies of them when that was asked for.
    pub(super) fn count_emitted(&self, tokens: u64) {
        let sent = self.emitted.fetch_add(tokens, Ordering::Relaxed) + tokens;
        let last = self.faults.die_after_tokens;
        if last.is_some_and(|last| sent >= last) {
            self.lives.kill();
        }
        if let Some(restart) = self.faults.restart
            && sent >= restart.after_tokens
            && !self.restarted.swap(true, Ordering::Relaxed)
        {
            self.lives.restart(restart.down, self.commands.clone());
        }
    }

    /// What really happened so far.
    pub(super) fn truth(&self) -> Truth {
        self.recorder.truth(self.lateness.spread())
    }

    /// The counts of all ranks.
    pub(super) async fn stats(&self) -> Result<Vec<RankStats>, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(Command::Stats(reply))
            .map_err(|_| ApiError::Gone {
                retry_after_s: None,
            })?;
        let mut ranks = answer.await.map_err(|_| ApiError::Gone {
            retry_after_s: None,
        })?;
        if let Some(rank) = ranks.first_mut() {
            self.feeds.add_to(rank);
        }
        Ok(ranks)
    }

    /// Empties the prefix cache; false when something runs or waits, and nothing was done.
    pub(super) async fn clear_cache(&self) -> Result<bool, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(Command::ClearCache(reply))
            .map_err(|_| ApiError::Gone {
                retry_after_s: None,
            })?;
        answer.await.map_err(|_| ApiError::Gone {
            retry_after_s: None,
        })
    }

    /// Notes that the engine runs a request, under its answer's id.
    pub(super) fn note_live(&self, id: RequestId, answer: &str) {
        self.lock_live().insert(id, answer.to_owned());
    }

    /// Forgets a request that is over.
    pub(super) fn forget_live(&self, id: RequestId) {
        self.lock_live().remove(&id);
    }

    /// The running requests whose answers have one of these ids; all when `None`.
    pub(super) fn live(&self, answers: Option<&[String]>) -> Vec<RequestId> {
        let live = self.lock_live();
        let wanted = live
            .iter()
            .filter(|(_, answer)| answers.is_none_or(|answers| answers.contains(answer)));
        wanted.map(|(id, _)| *id).collect()
    }

    fn lock_live(&self) -> MutexGuard<'_, BTreeMap<RequestId, String>> {
        // A panic elsewhere leaves whole entries behind.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the server calls its build.
    pub(super) fn fingerprint(&self) -> String {
        let engine = &self.config.engine;
        let build = mix(engine.seed ^ u64::from(engine.max_model_len)) >> 32;
        dialect::of(self.config.dialect).fingerprint(build)
    }

    /// What is the same in all chunks of answer number `number`.
    pub(super) fn head(&self, speech: Speech, model: String, number: u64) -> Head {
        let seed = self.config.engine.seed;
        let id = Rng::new(seed).split(number).word();
        let started = self.clock.now().0 / 1_000_000_000;
        Head {
            id: dialect::of(self.config.dialect).id(speech, id),
            created: self.config.epoch_unix_s + started,
            model,
            fingerprint: self.fingerprint(),
        }
    }
}

/// A refusal of the engine in the words of an interface.
pub(super) fn refused(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::NoSuchRank { .. } => ApiError::Value {
            param: Some("data_parallel_rank"),
            message: refusal.to_string(),
        },
        Refusal::EmptyPrompt => ApiError::EmptyPrompt,
        Refusal::NoOutput => ApiError::OutputTooSmall { asked: 0 },
        Refusal::TooLong {
            prompt,
            output,
            max_model_len,
        } => ApiError::TooLong {
            prompt: prompt.into(),
            output: output.into(),
            longest: max_model_len.into(),
        },
    }
}

/// What the engine answers to a submission.
pub(super) type Taken = Result<RequestId, Refusal>;
