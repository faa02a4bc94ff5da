//! The scheduler of one data-parallel rank.
//!
//! Continuous batching as vLLM's scheduler does it. A step first serves the running sequences in
//! their order: one token for those that decode, a chunk of the prompt for the others, as long as
//! the step's token budget lasts. When the cache has no block left for one of them, the latest
//! arrival among the running loses its blocks and goes back to the head of the queue. Only when
//! nobody was turned out are waiting sequences admitted, first come first served, with whatever
//! their prompts have in the prefix cache.

use std::collections::VecDeque;

use tokmark_units::{Nanos, float};

use super::blocks::{BlockId, BlockPool};
use super::config::EngineConfig;
use super::cost::StepWork;
use super::counters::{Counters, RankStats, SequenceStats};
use super::request::{Finish, Output, RequestId};
use super::sequence::Sequence;
use crate::rng::Rng;

/// One rank: its cache, its queue, its running sequences and the step in flight.
#[derive(Debug)]
pub(super) struct Rank {
    index: u32,
    pool: BlockPool,
    waiting: VecDeque<Sequence>,
    running: Vec<Sequence>,
    step_end: Option<Nanos>,
    rng: Rng,
    counters: Counters,
}

impl Rank {
    pub(super) fn new(index: u32, config: &EngineConfig) -> Self {
        let drafts = config.speculation.map_or(0, |s| s.drafts);
        Self {
            index,
            pool: BlockPool::new(config.num_blocks),
            waiting: VecDeque::new(),
            running: Vec::new(),
            step_end: None,
            rng: Rng::new(config.seed).split(u64::from(index)),
            counters: Counters::new(drafts),
        }
    }

    /// End of the step in flight.
    pub(super) fn step_end(&self) -> Option<Nanos> {
        self.step_end
    }

    /// How busy the rank is. A waiting sequence weighs as four running ones, as in vLLM's balancer.
    pub(super) fn load(&self) -> usize {
        self.waiting.len() * 4 + self.running.len()
    }

    /// Puts a sequence at the end of the queue.
    pub(super) fn enqueue(&mut self, sequence: Sequence) {
        self.waiting.push_back(sequence);
    }

    /// Takes a sequence out wherever it is; the step in flight keeps its length.
    pub(super) fn take(&mut self, id: RequestId) -> Option<Sequence> {
        if let Some(at) = self.waiting.iter().position(|s| s.id == id) {
            return self.waiting.remove(at);
        }
        let at = self.running.iter().position(|s| s.id == id)?;
        let mut sequence = self.running.remove(at);
        self.pool.release(&mut sequence.blocks);
        Some(sequence)
    }

    /// Counts a sequence that was taken out on somebody's order.
    pub(super) fn count_abort(&mut self, sequence: &Sequence) {
        let (prompt, generated) = (sequence.prompt_tokens, sequence.generated);
        self.counters.count_finish(Finish::Abort, prompt, generated);
    }

    /// Forgets all cached prefixes; only an idle rank may be asked.
    pub(super) fn clear_cache(&mut self, config: &EngineConfig) {
        self.pool = BlockPool::new(config.num_blocks);
    }

    /// Starts a step at `now` when none is in flight and there is something to do.
    pub(super) fn start_step(&mut self, now: Nanos, config: &EngineConfig) {
        if self.step_end.is_some() {
            return;
        }
        let mut work = StepWork::default();
        let mut budget = config.max_num_batched_tokens;
        if self.serve_running(&mut budget, &mut work, config) {
            self.admit(now, &mut budget, &mut work, config);
        }
        if work.sequences == 0 {
            return;
        }
        let factor = if config.jitter > 0.0 {
            1.0 + config.jitter * (2.0 * self.rng.unit() - 1.0)
        } else {
            1.0
        };
        self.counters.steps += 1;
        self.step_end = Some(now + config.cost.span(&work, factor));
    }

    /// Gives the running sequences their tokens. False when somebody was turned out.
    fn serve_running(
        &mut self,
        budget: &mut u32,
        work: &mut StepWork,
        config: &EngineConfig,
    ) -> bool {
        let mut roomy = true;
        let mut at = 0;
        while *budget > 0 {
            let Some(sequence) = self.running.get_mut(at) else {
                break;
            };
            let tokens = sequence.missing().min(*budget);
            let drafts = drafts_for(sequence, *budget, config);
            let need = sequence.blocks_needed(tokens + drafts, config.block_size);
            if !self.pool.take(need, &mut sequence.blocks) {
                roomy = false;
                self.preempt_last();
                continue;
            }
            if sequence.decodes() {
                work.add_decode(sequence.computed + tokens, drafts);
            } else {
                work.add_prefill(sequence.computed, tokens);
            }
            sequence.scheduled = tokens;
            sequence.drafts = drafts;
            name_blocks(&mut self.pool, sequence, config);
            *budget -= tokens + drafts;
            at += 1;
        }
        roomy
    }

    /// Turns out the latest arrival: it keeps its tokens, loses its cache and waits at the head.
    fn preempt_last(&mut self) {
        let Some(mut sequence) = self.running.pop() else {
            return;
        };
        self.pool.release(&mut sequence.blocks);
        sequence.computed = 0;
        sequence.scheduled = 0;
        sequence.drafts = 0;
        sequence.named = 0;
        sequence.preemptions += 1;
        self.counters.preemptions += 1;
        self.waiting.push_front(sequence);
    }

    /// Admits from the head of the queue while sequences, tokens and blocks last. The whole prompt
    /// must find room, although only its first chunk takes blocks now: else a sequence that was
    /// turned out would come back at once, only to be turned out again.
    fn admit(&mut self, now: Nanos, budget: &mut u32, work: &mut StepWork, config: &EngineConfig) {
        let limit = usize::try_from(config.admission_limit()).unwrap_or(usize::MAX);
        while *budget > 0 && self.running.len() < limit {
            let Some(sequence) = self.waiting.front() else {
                break;
            };
            let found = self.find_cached(sequence, config);
            let found_blocks = u32::try_from(found.len()).unwrap_or(u32::MAX);
            let cached = found_blocks * config.block_size;
            let tokens = (sequence.total() - cached).min(*budget);
            let beyond = |tokens: u32| {
                let whole = tokens.div_ceil(config.block_size);
                usize::try_from(whole - found_blocks).unwrap_or(usize::MAX)
            };
            let all = beyond(sequence.total());
            if self.pool.free() < all + self.pool.idle_among(&found) {
                break;
            }
            let need = beyond(cached + tokens);
            let Some(mut sequence) = self.waiting.pop_front() else {
                break;
            };
            self.pool.hold(&found);
            sequence.named = found.len();
            sequence.blocks = found;
            self.pool.take(need, &mut sequence.blocks);
            sequence.computed = cached;
            sequence.scheduled = tokens;
            name_blocks(&mut self.pool, &mut sequence, config);
            self.count_admission(&mut sequence, now, cached);
            work.add_prefill(cached, tokens);
            *budget -= tokens;
            self.running.push(sequence);
        }
    }

    /// The cached blocks that a sequence may use. Its last token is always computed, since that
    /// gives the next one; so a prompt that is cached whole still has a block to compute.
    fn find_cached(&self, sequence: &Sequence, config: &EngineConfig) -> Vec<BlockId> {
        if !config.prefix_cache {
            return Vec::new();
        }
        let most = sequence.total().saturating_sub(1) / config.block_size;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let hashes = sequence.hashes();
        let mut found = self
            .pool
            .find(hashes.get(..most.min(hashes.len())).unwrap_or_default());
        if config.cache_fraction < 1.0 {
            let share = float::from_usize(found.len()) * config.cache_fraction;
            found.truncate(float::floor_to_usize(share));
        }
        found
    }

    fn count_admission(&mut self, sequence: &mut Sequence, now: Nanos, cached: u32) {
        if sequence.prefill_start.is_some() {
            return;
        }
        sequence.prefill_start = Some(now);
        sequence.cached_tokens = cached;
        self.counters.prefix_queries += u64::from(sequence.prompt_tokens);
        self.counters.prefix_hits += u64::from(cached);
        let queued = now.saturating_sub(sequence.queued);
        self.counters.queue_s.observe(queued.as_secs_f64());
    }

    /// Ends the step in flight when it is due: sequences with a complete prompt get their tokens.
    pub(super) fn finish_step(&mut self, now: Nanos, config: &EngineConfig, out: &mut Vec<Output>) {
        if self.step_end.is_none_or(|end| end > now) {
            return;
        }
        self.step_end = None;
        let acceptance = config.speculation.map_or(0.0, |s| s.acceptance);
        let Self {
            index,
            pool,
            running,
            rng,
            counters,
            ..
        } = self;
        running.retain_mut(|sequence| {
            if sequence.scheduled == 0 {
                return true;
            }
            let complete = sequence.scheduled == sequence.missing();
            sequence.computed += sequence.scheduled;
            sequence.scheduled = 0;
            let drafted = std::mem::take(&mut sequence.drafts);
            if !complete {
                return true;
            }
            let mut accepted = 0;
            while accepted < drafted && rng.chance(acceptance) {
                accepted += 1;
            }
            if drafted > 0 {
                counters.count_drafts(drafted, accepted);
            }
            sequence.computed += accepted;
            out.push(emit(sequence, accepted + 1, now, *index, counters));
            let ended = sequence.generated >= sequence.output_tokens;
            if ended {
                pool.release(&mut sequence.blocks);
            }
            !ended
        });
    }

    /// The rank's counts at this moment.
    pub(super) fn stats(&self) -> RankStats {
        RankStats {
            running: u32::try_from(self.running.len()).unwrap_or(u32::MAX),
            waiting: u32::try_from(self.waiting.len()).unwrap_or(u32::MAX),
            sequences: self.running.iter().map(sequence_stats).collect(),
            free_blocks: float::len_u64(self.pool.free()),
            usable_blocks: float::len_u64(self.pool.usable()),
            counters: self.counters.clone(),
        }
    }

    /// What the property tests compare: the pool's own sums, and the blocks of all sequences.
    #[cfg(test)]
    pub(super) fn audit(&self) -> (usize, usize, usize) {
        let (holders, held) = self.pool.holders();
        assert_eq!(held + self.pool.free(), self.pool.usable());
        let blocks = self.running.iter().map(|s| s.blocks.len()).sum();
        assert!(self.waiting.iter().all(|s| s.blocks.is_empty()));
        (holders, blocks, self.running.len())
    }
}

fn sequence_stats(sequence: &Sequence) -> SequenceStats {
    SequenceStats {
        id: sequence.id,
        prompt_tokens: sequence.prompt_tokens,
        cached_tokens: sequence.cached_tokens,
        computed: sequence.computed,
        generated: sequence.generated,
        output_tokens: sequence.output_tokens,
    }
}

/// Drafts for a sequence's next step: none in prefill, never past its last token or the budget.
fn drafts_for(sequence: &Sequence, budget: u32, config: &EngineConfig) -> u32 {
    if !sequence.decodes() {
        return 0;
    }
    let left = sequence.output_tokens.saturating_sub(sequence.generated);
    config
        .speculation
        .map_or(0, |s| s.drafts)
        .min(left.saturating_sub(1))
        .min(budget.saturating_sub(1))
}

/// Makes the blocks findable that are full once the step in flight has ended. They count from the
/// step's start on, as in vLLM: whoever is scheduled later in the same step may use them.
fn name_blocks(pool: &mut BlockPool, sequence: &mut Sequence, config: &EngineConfig) {
    if !config.prefix_cache {
        return;
    }
    let full = (sequence.computed + sequence.scheduled) / config.block_size;
    let full = usize::try_from(full).unwrap_or(usize::MAX);
    let pairs = sequence.blocks.iter().zip(sequence.hashes());
    for (id, hash) in pairs.take(full).skip(sequence.named) {
        pool.name(*id, *hash);
    }
    sequence.named = sequence.named.max(full);
}

fn emit(
    sequence: &mut Sequence,
    tokens: u32,
    now: Nanos,
    rank: u32,
    counters: &mut Counters,
) -> Output {
    let first = sequence.generated == 0;
    if first {
        sequence.first_output = Some(now);
        counters.prompt_tokens += u64::from(sequence.prompt_tokens);
        counters.cached_prompt_tokens += u64::from(sequence.cached_tokens);
        let ttft = now.saturating_sub(sequence.arrival);
        counters.ttft_s.observe(ttft.as_secs_f64());
    }
    if let Some(last) = sequence.last_output.replace(now) {
        let gap = now.saturating_sub(last);
        counters.gap_s.observe(gap.as_secs_f64());
    }
    counters.generation_tokens += u64::from(tokens);
    sequence.generate(tokens);
    let ended = sequence.generated >= sequence.output_tokens;
    if ended {
        let e2e = now.saturating_sub(sequence.arrival);
        counters.e2e_s.observe(e2e.as_secs_f64());
        counters.count_finish(sequence.finish, sequence.prompt_tokens, sequence.generated);
    }
    Output {
        id: sequence.id,
        at: now,
        tokens,
        first,
        finished: ended.then_some(sequence.finish),
        prefill_start: sequence.prefill_start.unwrap_or(now),
        cached_tokens: sequence.cached_tokens,
        preemptions: sequence.preemptions,
        rank,
    }
}
