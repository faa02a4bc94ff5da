//! What fits: the KV cache that is left beside the weights, and the requests that it holds.

use tokmark_catalog::{Engine, HardwareKind};
use tokmark_units::float;

use crate::setup::Setup;

/// How far the pool may be off, in bytes: cells within it are borderline.
const DOUBT_BYTES: f64 = 0.5e9;

/// A block of a hybrid's shared pool has a whole number of so many tokens.
const BLOCK_STEP_TOKENS: f64 = 16.0;

/// What a server may take, and what it needs beside weights and cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryRule {
    /// Share of the accelerator's memory that it may take.
    pub fraction: f64,
    /// Bytes beside weights and cache on each accelerator: context, graphs, activations.
    pub overhead_bytes: f64,
    /// Where both come from.
    pub source: &'static str,
}

/// What the cache holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    /// Bytes of the weights, all accelerators together.
    pub weight_bytes: f64,
    /// Bytes beside weights and cache, all together.
    pub overhead_bytes: f64,
    /// Bytes for caches and states, all together; negative where not even the weights fit.
    pub pool_bytes: f64,
    /// Bytes of one token of context.
    pub token_bytes: f64,
    /// Bytes of the states of one sequence.
    pub state_bytes: f64,
    /// Tokens that the pool holds, as the server would count them.
    pub tokens: f64,
    /// The same with 0.5 GB less and more.
    pub tokens_between: (f64, f64),
    /// Sequences that the states leave room for; `None` without states of fixed size.
    pub sequences: Option<f64>,
}

/// Whether a load fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fit {
    /// It does, also with 0.5 GB less.
    Fits,
    /// It depends on 0.5 GB.
    Borderline,
    /// It does not, also with 0.5 GB more.
    DoesNotFit,
}

impl Fit {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Borderline => "borderline",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// Limits that a server was given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Share of the accelerator's memory that the server may take.
    pub memory_fraction: Option<f64>,
    /// Most sequences at once.
    pub max_sequences: Option<u32>,
    /// Most tokens of one request, prompt and output.
    pub max_length: Option<u64>,
    /// Tokens that the cache holds, where the server said so: it knows better.
    pub kv_tokens: Option<u64>,
}

impl MemoryRule {
    /// The usual rule of an engine.
    pub fn of(engine: Engine, kind: HardwareKind) -> Self {
        let (fraction, overhead_bytes, source): (f64, f64, &str) = match engine {
            Engine::Vllm => (
                0.92,
                2.1e9,
                "vLLM's default share; 1.5 to 2.6 GB were seen beside weights and cache",
            ),
            Engine::Sglang => (0.88, 2.1e9, "SGLang's static share; overhead as vLLM's"),
            Engine::TensorRtLlm | Engine::Dynamo => {
                (0.9, 2.1e9, "default share; overhead as vLLM's")
            }
            Engine::Lmdeploy | Engine::Tgi => (0.8, 2.1e9, "default share; overhead as vLLM's"),
            Engine::Transformers => (0.95, 2.5e9, "estimate: no graphs, whole activations"),
            _ => (0.97, 1.0e9, "estimate: buffers of one step, driver context"),
        };
        let fraction = match kind {
            // Apple gives the accelerator about three quarters; others keep room for the system.
            HardwareKind::UnifiedMemory => fraction.min(0.75),
            _ => fraction,
        };
        Self {
            fraction,
            overhead_bytes,
            source,
        }
    }
}

impl Setup {
    /// What the cache holds on one copy of the model.
    ///
    /// `pool = fraction · memory − weights − overhead`, over the accelerators that share the model.
    /// Attention only: `tokens = pool / bytes of a token`, windowed layers at their full window a
    /// sequence. Hybrids on vLLM share one pool of equal blocks: see [`Self::hybrid`].
    pub fn memory(&self, limits: &Limits) -> Memory {
        let rule = MemoryRule::of(self.engine, self.card.kind);
        let fraction = limits.memory_fraction.unwrap_or(rule.fraction);
        let of = |count: u32| float::from_u64(count.max(1).into());
        let cards = of(self.layout.tensor) * of(self.layout.pipeline);
        let host = self.layout.host.map_or(0.0, |host| {
            self.model.weights.dense.bytes * host.dense_share
                + self.model.weights.experts.bytes * host.expert_share
        });
        let weight_bytes = self.model.weights.bytes() - host;
        let overhead_bytes = rule.overhead_bytes * cards;
        let pool_bytes = fraction * self.card.memory_bytes * cards - weight_bytes - overhead_bytes;
        let held = |pool: f64| self.held(pool.max(0.0), limits);
        let (tokens, sequences) = held(pool_bytes);
        Memory {
            weight_bytes,
            overhead_bytes,
            pool_bytes,
            token_bytes: self.model.kv_bytes_per_token(self.cache),
            state_bytes: self.model.state_bytes(),
            tokens,
            tokens_between: (
                held(pool_bytes - DOUBT_BYTES).0,
                held(pool_bytes + DOUBT_BYTES).0,
            ),
            sequences,
        }
    }

    /// Tokens and sequences that a pool holds.
    fn held(&self, pool: f64, limits: &Limits) -> (f64, Option<f64>) {
        let token = self.model.kv_bytes_per_token(self.cache);
        let states = self.model.state_bytes();
        let length = limits.max_length.or(self.model.max_context_tokens);
        let length = float::from_u64(length.unwrap_or(32_768));
        if token <= 0.0 {
            let sequence = (states + self.model.kv_bytes(length, self.cache)).max(1.0);
            let sequences = (pool / sequence).floor();
            return (sequences * length, Some(sequences));
        }
        if states > 0.0 && self.engine == Engine::Vllm {
            return self.hybrid(pool, length);
        }
        // A windowed layer holds at most its window for each sequence, which the longest one needs.
        let windowed = self.model.kv_bytes(length, self.cache) - length * token;
        let sequence = (length * token + windowed.max(0.0) + states).max(1.0);
        let sequences = (states > 0.0).then(|| (pool / states).floor());
        (pool / sequence * length, sequences)
    }

    /// vLLM's pool of equal blocks for a hybrid.
    ///
    /// A block of one attention layer is made as large as the state of one recurrent layer:
    /// `t = 16·⌈state / (bytes of a token and layer) / 16⌉` tokens. `blocks = pool / (layers·t·bytes)`,
    /// `groups = ⌈recurrent layers / attention layers⌉`; a running sequence holds at least
    /// `1 + groups` blocks, and the server counts
    /// `blocks / (⌈length/t⌉ + 2·groups) · length` tokens.
    fn hybrid(&self, pool: f64, length: f64) -> (f64, Option<f64>) {
        let layers = float::from_u64(self.model.attention_layers().max(1).into());
        let recurrent = self.recurrent_layers().max(1.0);
        let token = self.model.kv_bytes_per_token(self.cache) / layers;
        let state = self.model.state_bytes() / recurrent;
        let tokens = (state / token / BLOCK_STEP_TOKENS).ceil() * BLOCK_STEP_TOKENS;
        let blocks = (pool / (layers * tokens * token)).floor();
        let groups = (recurrent / layers).ceil();
        let held = blocks / ((length / tokens).ceil() + 2.0 * groups) * length;
        (held, Some((blocks / (1.0 + groups)).floor()))
    }

    /// Whether so many requests fit, each with its prompt and the longest output reserved.
    ///
    /// `(prompt + output)·requests ≤ tokens`, `requests ≤` most sequences and states,
    /// `prompt + output ≤` longest request. Tokens that the server itself states are not in doubt.
    pub fn fits(&self, limits: &Limits, requests: u32, prompt: f64, output: f64) -> Fit {
        let of = |count: u32| float::from_u64(count.into());
        let length = limits.max_length.or(self.model.max_context_tokens);
        let too_long = length.is_some_and(|most| prompt + output > float::from_u64(most));
        let too_many = limits.max_sequences.is_some_and(|most| requests > most);
        if too_long || too_many {
            return Fit::DoesNotFit;
        }
        let copies = of(self.layout.data.max(1));
        let each = (of(requests) / copies).ceil();
        let need = (prompt + output) * each;
        if let Some(tokens) = limits.kv_tokens {
            return if need <= float::from_u64(tokens) / copies {
                Fit::Fits
            } else {
                Fit::DoesNotFit
            };
        }
        let memory = self.memory(limits);
        if memory.sequences.is_some_and(|most| each > most) || memory.tokens_between.1 < need {
            return Fit::DoesNotFit;
        }
        if memory.tokens_between.0 < need {
            return Fit::Borderline;
        }
        Fit::Fits
    }
}
