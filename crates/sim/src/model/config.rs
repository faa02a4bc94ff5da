//! What a simulated engine is: its limits, its memory, its costs.

use tokmark_units::Nanos;

use super::cost::{NanosPerPair, NanosPerSequence, NanosPerToken, StepCost};

/// The work in front of the scheduler: HTTP, tokenisation, the way to the engine.
///
/// Requests that arrive together wait for each other's tokenisation, but not for each other's fixed
/// part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrontEnd {
    /// Every request.
    pub fixed: Nanos,
    /// Every prompt token, one request after the other.
    pub per_token: NanosPerToken,
}

/// Speculative decoding: drafts that are verified in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speculation {
    /// Tokens drafted for each sequence and step.
    pub drafts: u32,
    /// Probability that a draft is accepted when all before it were, in [0, 1].
    pub acceptance: f64,
}

/// A simulated engine. Times are on the caller's clock; nothing here reads one.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineConfig {
    /// Seed of everything random: jitter and acceptance.
    pub seed: u64,
    /// Most tokens of a sequence, prompt and output together.
    pub max_model_len: u32,
    /// Most sequences that run at once on a rank.
    pub max_num_seqs: u32,
    /// Most tokens of one step, prefill and decode together.
    pub max_num_batched_tokens: u32,
    /// Tokens in a block of KV cache.
    pub block_size: u32,
    /// Blocks of KV cache of a rank, the reserved one included, as vLLM counts them.
    pub num_blocks: u32,
    /// Whether full blocks are found again by their content.
    pub prefix_cache: bool,
    /// Share of the matching blocks that is used, in [0, 1]. Below 1 it stands for hybrid models,
    /// which keep their recurrent state at few positions only and compute the rest again.
    pub cache_fraction: f64,
    /// A second limit on running sequences, below `max_num_seqs`: recurrent states of hybrid models.
    pub max_states: Option<u32>,
    /// Data-parallel ranks, each with its own cache and queue.
    pub ranks: u32,
    /// What happens before the scheduler.
    pub front_end: FrontEnd,
    /// What a step costs.
    pub cost: StepCost,
    /// Steps take between `1 - jitter` and `1 + jitter` of their cost, uniformly; in [0, 1).
    pub jitter: f64,
    /// Speculative decoding, if any.
    pub speculation: Option<Speculation>,
}

/// A machine with a laptop's patience: about 100 tokens a second for one request, a prefill of
/// 20,000 tokens a second, 32K tokens of context.
impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            max_model_len: 32_768,
            max_num_seqs: 64,
            max_num_batched_tokens: 2_048,
            block_size: 16,
            num_blocks: 16_384,
            prefix_cache: true,
            cache_fraction: 1.0,
            max_states: None,
            ranks: 1,
            front_end: FrontEnd {
                fixed: Nanos::from_millis(5),
                per_token: NanosPerToken(500.0),
            },
            cost: StepCost {
                fixed: Nanos(9_500_000),
                sequence: NanosPerSequence(200_000.0),
                state: NanosPerSequence(0.0),
                kv_read: NanosPerToken(25.0),
                kv_depth: NanosPerToken(0.0),
                experts: None,
                prefill: NanosPerToken(40_000.0),
                prefill_attention: NanosPerPair(0.6),
                draft: NanosPerToken(100_000.0),
            },
            jitter: 0.0,
            speculation: None,
        }
    }
}

/// A configuration that cannot work.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A count that must not be zero.
    #[error("`{field}` must be at least 1")]
    Zero {
        /// Name of the field.
        field: &'static str,
    },
    /// A share outside its range.
    #[error("`{field}` must lie between 0 and 1, but is {value}")]
    Share {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// One sequence of the greatest length does not fit into the cache. Such an engine could wait
    /// for ever; vLLM refuses to start then, too.
    #[error(
        "a sequence of `max_model_len` tokens needs {needed} blocks, but only {usable} can be used"
    )]
    CacheTooSmall {
        /// Blocks that one sequence of the greatest length needs.
        needed: u32,
        /// Blocks that can be used.
        usable: u32,
    },
}

impl EngineConfig {
    /// Blocks that sequences can use: all but the reserved one.
    pub fn usable_blocks(&self) -> u32 {
        self.num_blocks.saturating_sub(1)
    }

    /// Tokens of KV cache of a rank as vLLM reports them, the reserved block included.
    pub fn kv_tokens(&self) -> u64 {
        u64::from(self.num_blocks) * u64::from(self.block_size)
    }

    /// Most sequences that run at once on a rank, whichever limit is lower.
    pub fn admission_limit(&self) -> u32 {
        self.max_states
            .map_or(self.max_num_seqs, |states| states.min(self.max_num_seqs))
    }

    /// Says why this configuration cannot work, if it cannot.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let counts = [
            ("max_model_len", self.max_model_len),
            ("max_num_seqs", self.max_num_seqs),
            ("max_num_batched_tokens", self.max_num_batched_tokens),
            ("block_size", self.block_size),
            ("ranks", self.ranks),
            ("max_states", self.max_states.unwrap_or(1)),
        ];
        if let Some((field, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(ConfigError::Zero { field });
        }
        let shares = [
            ("cache_fraction", self.cache_fraction),
            ("jitter", self.jitter),
            ("acceptance", self.speculation.map_or(0.0, |s| s.acceptance)),
        ];
        if let Some((field, value)) = shares.iter().find(|(_, v)| !(0.0..=1.0).contains(v)) {
            return Err(ConfigError::Share {
                field,
                value: *value,
            });
        }
        let needed = self.max_model_len.div_ceil(self.block_size);
        let usable = self.usable_blocks();
        if needed > usable {
            return Err(ConfigError::CacheTooSmall { needed, usable });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_refused_with_its_name() {
        let check = |change: fn(&mut EngineConfig), expect: &str| {
            let mut config = EngineConfig::default();
            change(&mut config);
            assert_eq!(config.validate().unwrap_err().to_string(), expect);
        };
        assert_eq!(EngineConfig::default().validate(), Ok(()));
        check(|c| c.ranks = 0, "`ranks` must be at least 1");
        check(
            |c| c.max_states = Some(0),
            "`max_states` must be at least 1",
        );
        check(
            |c| c.cache_fraction = 1.5,
            "`cache_fraction` must lie between 0 and 1, but is 1.5",
        );
        check(
            |c| c.num_blocks = 2_048,
            "a sequence of `max_model_len` tokens needs 2048 blocks, but only 2047 can be used",
        );
    }
}
