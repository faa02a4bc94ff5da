//! One request inside the engine: what is computed, what it holds, what it has produced.

use std::sync::Arc;

use tokmark_units::Nanos;

use super::blocks::{BlockHash, BlockId};
use super::request::{Finish, Request, RequestId};
use crate::text::Writer;
use crate::tokenizer::{END, TokenId};

/// A request on its way through the engine.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) id: RequestId,
    /// When it was submitted.
    pub(super) arrival: Nanos,
    /// When it entered the scheduler's queue.
    pub(super) queued: Nanos,
    /// When it was first put into a step.
    pub(super) prefill_start: Option<Nanos>,
    /// End of the step that gave its last output so far.
    pub(super) last_output: Option<Nanos>,
    pub(super) first_output: Option<Nanos>,
    pub(super) prompt_tokens: u32,
    pub(super) output_tokens: u32,
    pub(super) finish: Finish,
    pub(super) rank: Option<u32>,
    pub(super) generated: u32,
    /// Tokens whose KV is in the cache once the step in flight has ended.
    pub(super) computed: u32,
    /// Tokens of the step in flight, drafts excluded.
    pub(super) scheduled: u32,
    /// Drafts of the step in flight.
    pub(super) drafts: u32,
    pub(super) blocks: Vec<BlockId>,
    /// Blocks at the front whose content is already findable.
    pub(super) named: usize,
    pub(super) cached_tokens: u32,
    pub(super) preemptions: u32,
    content: Content,
}

/// The tokens as far as their blocks' hashes need them.
#[derive(Debug)]
struct Content {
    block_size: usize,
    hashes: Vec<BlockHash>,
    parent: BlockHash,
    /// Tokens behind the last full block.
    tail: Vec<TokenId>,
    writer: Writer,
    scratch: String,
}

impl Content {
    fn push(&mut self, token: TokenId) {
        self.tail.push(token);
        if self.tail.len() == self.block_size {
            self.parent = self.parent.then(&self.tail);
            self.hashes.push(self.parent);
            self.tail.clear();
        }
    }
}

impl Sequence {
    pub(super) fn new(
        id: RequestId,
        arrival: Nanos,
        queued: Nanos,
        request: Request,
        block_size: u32,
    ) -> Self {
        let prompt: Arc<[TokenId]> = request.prompt;
        let block_size = usize::try_from(block_size).unwrap_or(usize::MAX).max(1);
        let mut content = Content {
            block_size,
            hashes: Vec::with_capacity(prompt.len() / block_size + 1),
            parent: BlockHash::root(request.cache_salt),
            tail: Vec::new(),
            writer: request.writer,
            scratch: String::new(),
        };
        for token in prompt.iter() {
            content.push(*token);
        }
        Self {
            id,
            arrival,
            queued,
            prefill_start: None,
            last_output: None,
            first_output: None,
            prompt_tokens: u32::try_from(prompt.len()).unwrap_or(u32::MAX),
            output_tokens: request.output_tokens,
            finish: request.finish,
            rank: request.rank,
            generated: 0,
            computed: 0,
            scheduled: 0,
            drafts: 0,
            blocks: Vec::new(),
            named: 0,
            cached_tokens: 0,
            preemptions: 0,
            content,
        }
    }

    /// Tokens known so far, prompt and output.
    pub(super) fn total(&self) -> u32 {
        self.prompt_tokens + self.generated
    }

    /// Tokens whose KV is still missing.
    pub(super) fn missing(&self) -> u32 {
        self.total().saturating_sub(self.computed)
    }

    /// Whether its next step is an ordinary decode step: all but the newest token computed.
    pub(super) fn decodes(&self) -> bool {
        self.generated > 0 && self.missing() == 1
    }

    /// Hashes of the full blocks.
    pub(super) fn hashes(&self) -> &[BlockHash] {
        &self.content.hashes
    }

    /// How many more blocks it needs to hold `more` tokens behind the computed ones.
    pub(super) fn blocks_needed(&self, more: u32, block_size: u32) -> usize {
        let whole = (self.computed + more).div_ceil(block_size.max(1));
        usize::try_from(whole)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.blocks.len())
    }

    /// Adds generated tokens; the end token is the last one of a request that stops.
    pub(super) fn generate(&mut self, tokens: u32) {
        for _ in 0..tokens {
            self.generated += 1;
            let ends = self.generated == self.output_tokens && self.finish == Finish::Stop;
            let token = if ends {
                END
            } else {
                self.content.scratch.clear();
                self.content.writer.write(&mut self.content.scratch)
            };
            self.content.push(token);
        }
    }
}
