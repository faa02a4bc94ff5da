//! What all connections of a server share.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::chunk::{Head, Route};
use super::clock::Clock;
use super::core::Command;
use super::error::ApiError;
use super::truth::Recorder;
use crate::config::SimConfig;
use crate::dialect::Dialect;
use crate::model::{RankStats, Refusal, RequestId};
use crate::rng::{Rng, mix};
use crate::tokenizer::Tokenizer;

/// The version that the simulated vLLM claims to be.
pub(super) const VLLM_VERSION: &str = "0.32.0";

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: SimConfig,
    pub(super) clock: Clock,
    pub(super) tokenizer: Tokenizer,
    pub(super) commands: mpsc::UnboundedSender<Command>,
    pub(super) recorder: Recorder,
    /// Generation requests so far, refused ones included.
    pub(super) numbered: AtomicU64,
    /// Generation requests in flight.
    pub(super) active: AtomicU64,
    emitted: AtomicU64,
    /// Cancelled when the server dies.
    pub(super) dead: CancellationToken,
}

impl Shared {
    pub(super) fn new(
        config: SimConfig,
        clock: Clock,
        commands: mpsc::UnboundedSender<Command>,
    ) -> Self {
        Self {
            tokenizer: Tokenizer::new(config.model.vocabulary),
            recorder: Recorder::new(config.keep_truth),
            config,
            clock,
            commands,
            numbered: AtomicU64::new(0),
            active: AtomicU64::new(0),
            emitted: AtomicU64::new(0),
            dead: CancellationToken::new(),
        }
    }

    /// Counts sent tokens, and dies of them when that was asked for.
    pub(super) fn count_emitted(&self, tokens: u64) {
        let sent = self.emitted.fetch_add(tokens, Ordering::Relaxed) + tokens;
        let last = self.config.faults.die_after_tokens;
        if last.is_some_and(|last| sent >= last) {
            self.dead.cancel();
        }
    }

    /// The counts of all ranks.
    pub(super) async fn stats(&self) -> Result<Vec<RankStats>, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(Command::Stats(reply))
            .map_err(|_| ApiError::Gone)?;
        answer.await.map_err(|_| ApiError::Gone)
    }

    /// What is the same in all chunks of answer number `number`.
    pub(super) fn head(&self, route: Route, model: String, number: u64) -> Head {
        let prefix = match route {
            Route::Chat => "chatcmpl",
            Route::Completion => "cmpl",
        };
        let seed = self.config.engine.seed;
        let id = Rng::new(seed).split(number).word();
        let started = self.clock.now().0 / 1_000_000_000;
        let build = mix(seed ^ u64::from(self.config.engine.max_model_len)) >> 32;
        let fingerprint = match self.config.dialect {
            Dialect::Vllm => format!("vllm-{VLLM_VERSION}-{build:08x}"),
            Dialect::OpenAi => format!("fp_{build:08x}"),
        };
        Head {
            dialect: self.config.dialect,
            route,
            id: format!("{prefix}-{id:016x}"),
            created: self.config.epoch_unix_s + started,
            model,
            fingerprint,
        }
    }
}

/// A refusal of the engine in the words of an interface.
pub(super) fn refused(refusal: Refusal) -> ApiError {
    let param = match refusal {
        Refusal::NoSuchRank { .. } => Some("data_parallel_rank"),
        Refusal::EmptyPrompt => Some("prompt"),
        Refusal::NoOutput => Some("max_tokens"),
        Refusal::TooLong { .. } => Some("input_tokens"),
    };
    ApiError::Value {
        param,
        message: refusal.to_string(),
    }
}

/// What the engine answers to a submission.
pub(super) type Taken = Result<RequestId, Refusal>;
