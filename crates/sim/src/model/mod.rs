//! A language-model engine in virtual time: pure, deterministic, without a clock.
//!
//! [`Engine`] takes requests with the time of their arrival, says when it wants to be called again
//! ([`Engine::next_due`]), and gives out tokens with the exact time at which a step produced them
//! ([`Engine::advance`]). A caller that comes late gets the same tokens at the same times.
//!
//! Requests of one instant share their first step when all of them are submitted before the engine
//! is advanced to that instant, as a real scheduler finds them together in its queue.

mod blocks;
pub mod config;
pub mod cost;
pub mod counters;
#[cfg(test)]
mod property;
mod rank;
pub mod request;
mod sequence;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use tokmark_units::{Nanos, float};

pub use config::{ConfigError, EngineConfig, FrontEnd, Speculation};
pub use cost::{
    NanosPerExpert, NanosPerPair, NanosPerSequence, NanosPerToken, RoutedExperts, StepCost,
    StepWork,
};
pub use counters::{Counters, Histogram, RankStats, SequenceStats};
pub use request::{Finish, Output, Refusal, Request, RequestId};

use rank::Rank;
use sequence::Sequence;

/// The simulated engine: a front end, and one scheduler a data-parallel rank.
#[derive(Debug)]
pub struct Engine {
    config: EngineConfig,
    ranks: Vec<Rank>,
    /// Requests still in the front end, in the order in which they leave it.
    arriving: VecDeque<Sequence>,
    /// When the tokenizer is done with what it has.
    tokenizer_free: Nanos,
    now: Nanos,
    next_id: u64,
    /// Tokens produced while time moved on without [`Engine::advance`].
    backlog: Vec<Output>,
}

impl Engine {
    /// An idle engine at time zero.
    pub fn new(config: EngineConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        let ranks = (0..config.ranks).map(|at| Rank::new(at, &config)).collect();
        Ok(Self {
            config,
            ranks,
            arriving: VecDeque::new(),
            tokenizer_free: Nanos::ZERO,
            now: Nanos::ZERO,
            next_id: 0,
            backlog: Vec::new(),
        })
    }

    /// What the engine was made from.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Takes a request that arrived at `at`; a time before the engine's own counts as now.
    pub fn submit(&mut self, at: Nanos, request: Request) -> Result<RequestId, Refusal> {
        self.check(&request)?;
        self.move_up_to(at);
        let id = RequestId(self.next_id);
        self.next_id += 1;
        let front_end = self.config.front_end;
        let tokens = float::from_usize(request.prompt.len());
        let tokenizing = Nanos(float::round_to_u64(front_end.per_token.0 * tokens));
        self.tokenizer_free = self.tokenizer_free.max(self.now) + tokenizing;
        let queued = self.tokenizer_free + front_end.fixed;
        let sequence = Sequence::new(id, self.now, queued, request, self.config.block_size);
        self.arriving.push_back(sequence);
        Ok(id)
    }

    fn check(&self, request: &Request) -> Result<(), Refusal> {
        if request.prompt.is_empty() {
            return Err(Refusal::EmptyPrompt);
        }
        if request.output_tokens == 0 {
            return Err(Refusal::NoOutput);
        }
        let prompt = u32::try_from(request.prompt.len()).unwrap_or(u32::MAX);
        let total = prompt.checked_add(request.output_tokens);
        if total.is_none_or(|total| total > self.config.max_model_len) {
            return Err(Refusal::TooLong {
                prompt,
                output: request.output_tokens,
                max_model_len: self.config.max_model_len,
            });
        }
        match request.rank {
            Some(rank) if rank >= self.config.ranks => Err(Refusal::NoSuchRank {
                rank,
                last: self.config.ranks.saturating_sub(1),
            }),
            _ => Ok(()),
        }
    }

    /// Drops a request at `at`; its blocks are free from then on. False when it is not there any
    /// more.
    pub fn cancel(&mut self, at: Nanos, id: RequestId) -> bool {
        self.take(at, id).is_some()
    }

    /// Drops a request as [`Engine::cancel`] does, and gives its last output: no token, and
    /// [`Finish::Abort`].
    pub fn abort(&mut self, at: Nanos, id: RequestId) -> Option<Output> {
        let (sequence, rank) = self.take(at, id)?;
        if let Some(rank) = usize::try_from(rank)
            .ok()
            .and_then(|at| self.ranks.get_mut(at))
        {
            rank.count_abort(&sequence);
        }
        Some(Output {
            id,
            at: self.now,
            tokens: 0,
            first: sequence.generated == 0,
            finished: Some(Finish::Abort),
            prefill_start: sequence.prefill_start.unwrap_or(self.now),
            cached_tokens: sequence.cached_tokens,
            preemptions: sequence.preemptions,
            rank,
        })
    }

    /// Takes a request out, with the number of the rank that it was on.
    fn take(&mut self, at: Nanos, id: RequestId) -> Option<(Sequence, u32)> {
        self.move_up_to(at);
        if let Some(place) = self.arriving.iter().position(|s| s.id == id) {
            return self.arriving.remove(place).map(|sequence| (sequence, 0));
        }
        let mut ranks = self.ranks.iter_mut().zip(0u32..);
        ranks.find_map(|(rank, number)| rank.take(id).map(|sequence| (sequence, number)))
    }

    /// Forgets all cached prefixes. False, and nothing is done, while a request is in the engine.
    pub fn clear_cache(&mut self) -> bool {
        let idle = self.arriving.is_empty() && self.ranks.iter().all(|rank| rank.load() == 0);
        if idle {
            for rank in &mut self.ranks {
                rank.clear_cache(&self.config);
            }
        }
        idle
    }

    /// Forgets everything at `at`, as a process that is started again: caches, queues and counters
    /// are empty, and what ran is gone without a word. Numbers of requests go on.
    pub fn restart(&mut self, at: Nanos) {
        self.move_up_to(at);
        let config = &self.config;
        self.ranks = (0..config.ranks).map(|at| Rank::new(at, config)).collect();
        self.arriving.clear();
        self.backlog.clear();
        self.tokenizer_free = self.now;
    }

    /// When something happens next; `None` when the engine is idle.
    pub fn next_due(&self) -> Option<Nanos> {
        let arrival = self.arriving.front().map(|s| s.queued);
        let steps = self.ranks.iter().filter_map(Rank::step_end);
        steps.chain(arrival).min()
    }

    /// Moves time on to `to` and appends the tokens produced until then, `to` included.
    pub fn advance(&mut self, to: Nanos, out: &mut Vec<Output>) {
        self.process(|at| at <= to);
        self.now = self.now.max(to);
        out.append(&mut self.backlog);
    }

    /// The ranks at this moment, in their order.
    pub fn stats(&self) -> Vec<RankStats> {
        self.ranks.iter().map(Rank::stats).collect()
    }

    /// Everything before `at`, so that what happens at `at` still sees what the caller does now.
    fn move_up_to(&mut self, at: Nanos) {
        self.process(|due| due < at);
        self.now = self.now.max(at);
    }

    fn process(&mut self, wanted: impl Fn(Nanos) -> bool) {
        while let Some(at) = self.next_due().filter(|at| wanted(*at)) {
            for rank in &mut self.ranks {
                rank.finish_step(at, &self.config, &mut self.backlog);
            }
            self.route(at);
            for rank in &mut self.ranks {
                rank.start_step(at, &self.config);
            }
            self.now = self.now.max(at);
        }
    }

    /// Hands what has left the front end to the rank asked for, or to the least loaded one.
    fn route(&mut self, at: Nanos) {
        while let Some(sequence) = self.arriving.pop_front_if(|s| s.queued <= at) {
            let chosen = match sequence.rank {
                Some(rank) => self
                    .ranks
                    .get_mut(usize::try_from(rank).unwrap_or(usize::MAX)),
                None => self.ranks.iter_mut().min_by_key(|rank| rank.load()),
            };
            if let Some(rank) = chosen {
                rank.enqueue(sequence);
            }
        }
    }
}
