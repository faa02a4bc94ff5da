//! A decode step in terms, and the speed that follows.

use tokmark_catalog::KvCache;
use tokmark_catalog::roofline::{Load, Machine, Prompts, Roofline, Speculation};
use tokmark_units::float;

use crate::constant::ConstantId;
use crate::constants::Constants;
use crate::setup::{CacheLaw, Setup};

/// Bytes of one element of the vectors that accelerators exchange.
const EXCHANGED_BYTES: f64 = 2.0;

/// Seconds until an exchange between accelerators begins to flow.
const EXCHANGE_LATENCY_S: f64 = 10e-6;

/// Share of the bandwidth that the host's memory reaches with weights of experts.
pub(crate) const HOST_EFFICIENCY: f64 = 0.65;

/// The rounds that mean length and speed need to agree; they agree to 10^-9 before.
const ROUNDS: u32 = 40;

/// What is decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecodeLoad {
    /// Requests at once.
    pub requests: f64,
    /// Tokens of each prompt.
    pub prompt_tokens: f64,
    /// Whether the requests share their prompt.
    pub prompts: Prompts,
    /// How long they go on.
    pub output: Output,
}

/// What is generated while the speed is measured. A sequence grows, and with it the time of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Output {
    /// The mean number of generated tokens in the cache is known.
    Mean(f64),
    /// From the prompt on for some seconds, or until the longest output: on average half of it is
    /// there.
    Window {
        /// Seconds.
        seconds: f64,
        /// Tokens of the longest output.
        most_tokens: f64,
    },
}

/// The terms of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepTerm {
    /// Linear layers outside the routed experts.
    Dense,
    /// Output head.
    Head,
    /// Routed experts.
    Experts,
    /// State of recurrent layers.
    State,
    /// Attention over the cache.
    Cache,
    /// Launches of mixers and feed-forward parts.
    Parts,
    /// Routing.
    Routing,
    /// Launches of recurrent mixers.
    Recurrent,
    /// Scheduling and sampling.
    Sequences,
    /// Exchange between accelerators.
    Exchange,
    /// Weights in the host's memory.
    Host,
    /// Drafting.
    Drafting,
}

/// How many terms there are.
const TERMS: usize = 12;

impl StepTerm {
    /// Every term, in the order in which tables show them.
    pub const ALL: [Self; TERMS] = [
        Self::Dense,
        Self::Head,
        Self::Experts,
        Self::State,
        Self::Cache,
        Self::Parts,
        Self::Routing,
        Self::Recurrent,
        Self::Sequences,
        Self::Exchange,
        Self::Host,
        Self::Drafting,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Head => "head",
            Self::Experts => "experts",
            Self::State => "state",
            Self::Cache => "cache",
            Self::Parts => "parts",
            Self::Routing => "routing",
            Self::Recurrent => "recurrent",
            Self::Sequences => "sequences",
            Self::Exchange => "exchange",
            Self::Host => "host",
            Self::Drafting => "drafting",
        }
    }

    /// What it is, in a few words for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Dense => "linear layers",
            Self::Head => "output head",
            Self::Experts => "experts",
            Self::State => "states",
            Self::Cache => "KV cache",
            Self::Parts => "kernel launches",
            Self::Routing => "routing",
            Self::Recurrent => "launches of recurrent layers",
            Self::Sequences => "scheduling and sampling",
            Self::Exchange => "exchange between accelerators",
            Self::Host => "host's memory",
            Self::Drafting => "drafting",
        }
    }
}

/// A step: seconds by term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    seconds: [f64; TERMS],
}

impl Step {
    /// Seconds of one term.
    pub fn term(&self, term: StepTerm) -> f64 {
        StepTerm::ALL
            .iter()
            .zip(self.seconds)
            .find(|(one, _)| **one == term)
            .map_or(0.0, |(_, seconds)| seconds)
    }

    /// Terms with their seconds.
    pub fn terms(&self) -> impl Iterator<Item = (StepTerm, f64)> {
        StepTerm::ALL.into_iter().zip(self.seconds)
    }

    /// Seconds of all.
    pub fn seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// The term that takes longest.
    pub fn largest(&self) -> StepTerm {
        self.terms()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(StepTerm::Dense, |(term, _)| term)
    }
}

/// The speed of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecodeSpeed {
    /// Tokens a second of all requests.
    pub tokens_per_s: f64,
    /// Tokens in the cache of each request on average.
    pub depth_tokens: f64,
    /// The step behind it: of one copy of the model, with its share of the requests.
    pub step: Step,
    /// What no result can pass.
    pub ceiling_tokens_per_s: f64,
}

impl DecodeLoad {
    /// Requests with prompts of their own that generate a few hundred tokens.
    pub fn new(requests: f64, prompt_tokens: f64) -> Self {
        Self {
            requests,
            prompt_tokens,
            prompts: Prompts::Distinct,
            output: Output::Mean(256.0),
        }
    }
}

impl Setup {
    /// The speed of decoding, by the terms of [`Setup::step`].
    ///
    /// Where the output depends on the speed, both are found together: the mean length gives a
    /// speed, the speed a mean length, until neither changes. Never above the roofline.
    pub fn decode(&self, constants: &Constants, load: &DecodeLoad) -> DecodeSpeed {
        let per_step = self.tokens_per_step();
        let mut rate = 50.0;
        let mut found = self.speed_at(constants, load, Self::depth(load, rate), per_step);
        for _ in 0..ROUNDS {
            let next = found.tokens_per_s / load.requests.max(f64::MIN_POSITIVE);
            if (next - rate).abs() <= 1e-9 * rate {
                break;
            }
            rate = next;
            found = self.speed_at(constants, load, Self::depth(load, rate), per_step);
        }
        found
    }

    /// Tokens that a step gives each request: 1, and the drafted ones that are accepted.
    pub(crate) fn tokens_per_step(&self) -> f64 {
        self.drafting.map_or(1.0, |drafting| {
            1.0 + drafting.accepted_share * drafting.drafted
        })
    }

    fn depth(load: &DecodeLoad, rate_per_request: f64) -> f64 {
        let generated = match load.output {
            Output::Mean(tokens) => tokens,
            Output::Window {
                seconds,
                most_tokens,
            } => (seconds * rate_per_request).min(most_tokens) / 2.0,
        };
        load.prompt_tokens + generated
    }

    /// Copies of the model, and groups of requests of each copy that are on their way at once.
    ///
    /// Copies take equal shares of the requests; stages of a pipeline work on as many groups at once,
    /// so that each step carries one group's.
    fn shares(&self, requests: f64) -> (f64, f64) {
        let of = |count: u32| float::from_u64(count.max(1).into());
        let copies = of(self.layout.data).min(requests.max(1.0));
        let groups = of(self.layout.pipeline).min((requests / copies).max(1.0));
        (copies, groups)
    }

    /// Requests of one step.
    pub(crate) fn batch(&self, requests: f64) -> f64 {
        let (copies, groups) = self.shares(requests);
        requests / copies / groups
    }

    fn speed_at(
        &self,
        constants: &Constants,
        load: &DecodeLoad,
        depth: f64,
        per_step: f64,
    ) -> DecodeSpeed {
        let (copies, groups) = self.shares(load.requests);
        let batch = self.batch(load.requests);
        let step = self.step(constants, batch, depth, load.prompts);
        let ceiling = self.ceiling(batch, depth, per_step) * copies * groups;
        let rate = load.requests * per_step / step.seconds().max(f64::MIN_POSITIVE);
        DecodeSpeed {
            tokens_per_s: rate.min(ceiling),
            depth_tokens: depth,
            step,
            ceiling_tokens_per_s: ceiling,
        }
    }

    /// The roofline of one step, whatever its requests have in common.
    fn ceiling(&self, batch: f64, depth: f64, per_step: f64) -> f64 {
        let mut load = Load::new(batch, depth, self.cache).at_best();
        load.speculation = self.drafting.map(|drafting| Speculation {
            drafted: drafting.drafted,
            tokens_per_step: per_step,
        });
        let machine = Machine {
            bandwidth_gb_per_s: self.card.bandwidth_gb_per_s,
            rates: self.card.rates,
            count: self.layout.tensor.max(1),
        };
        Roofline::decode(&self.model, machine, &load)
            .memory_tokens_per_s()
            .unwrap_or(f64::MAX)
    }

    /// One step of `b` sequences with `L` tokens each in the cache; `t = b`, or `b·(drafted + 1)`.
    ///
    /// | term | seconds |
    /// |---|---|
    /// | dense | `max(bytes / (η·BW), 2·parameters·t / (f_small·F))` |
    /// | head | the same |
    /// | experts | `max(E·(1 − (1 − k/E)^(t^γ))/E · bytes / (η·BW), 2·k/E·parameters·t / (f_small·F))` |
    /// | state | `2·b·state / (η·BW)` |
    /// | cache, streamed | `b^s · bytes(L) / (η·BW)`, with `s = 1` for prompts of their own |
    /// | cache, latency | `Σ layers·min(L, window)·(a + min(c·kv_heads, a)·(b − 1))` |
    /// | parts | `(mixers + feed-forward parts)·τ_part` |
    /// | routing | `layers with experts·τ_moe` |
    /// | recurrent | `recurrent layers·τ_rec` |
    /// | sequences | `b·τ_seq` |
    /// | exchange | `2·blocks·(latency + b·hidden·2 bytes / link)` with tensor parallelism |
    /// | host | `bytes there / (0.65·BW of the host)` |
    ///
    /// With tensor parallelism over `g` accelerators, bytes and operations of one are a `g`-th.
    pub fn step(&self, constants: &Constants, batch: f64, depth: f64, prompts: Prompts) -> Step {
        let tokens = batch * (1.0 + self.drafting.map_or(0.0, |drafting| drafting.drafted));
        let shape = Shape {
            setup: self,
            constants,
            batch,
            tokens,
            depth,
            prompts,
        };
        let get = |id| constants.get(id);
        let mut seconds = StepTerm::ALL.map(|term| match term {
            StepTerm::Dense => shape.dense(),
            StepTerm::Head => shape.head(),
            StepTerm::Experts => shape.experts(),
            StepTerm::State => 2.0 * batch * shape.streamed(self.model.state_bytes()),
            StepTerm::Cache => shape.cache(),
            StepTerm::Parts => self.parts() * get(ConstantId::PartSeconds),
            StepTerm::Routing => self.moe_layers() * get(ConstantId::RoutingSeconds),
            StepTerm::Recurrent => self.recurrent_layers() * get(ConstantId::RecurrentSeconds),
            StepTerm::Sequences => batch * get(ConstantId::SequenceSeconds),
            StepTerm::Exchange => shape.exchange(),
            StepTerm::Host => shape.host(),
            StepTerm::Drafting => 0.0,
        });
        let verified: f64 = seconds.iter().sum();
        if let (Some(drafting), Some(last)) = (self.drafting, seconds.last_mut()) {
            *last = verified * drafting.drafted * drafting.draft_share;
        }
        Step { seconds }
    }
}

/// One step with what its terms share.
struct Shape<'a> {
    setup: &'a Setup,
    constants: &'a Constants,
    batch: f64,
    tokens: f64,
    depth: f64,
    prompts: Prompts,
}

impl Shape<'_> {
    fn cards(&self) -> f64 {
        float::from_u64(self.setup.layout.tensor.max(1).into())
    }

    /// Seconds of bytes that stream from the memories of all accelerators that share a layer.
    fn streamed(&self, bytes: f64) -> f64 {
        let efficiency = self.constants.get(ConstantId::StreamEfficiency);
        bytes / (self.setup.card.bytes_per_s() * efficiency * self.cards())
    }

    fn calculated(&self, operations: f64) -> f64 {
        let share = self.constants.get(ConstantId::DecodeArithmetic);
        match self.setup.card.operations_per_s(self.setup.kernel()) {
            Some(rate) => operations / (rate * share * self.cards()),
            None => 0.0,
        }
    }

    fn host_share(&self, of: impl Fn(crate::setup::Host) -> f64) -> f64 {
        self.setup.layout.host.map_or(0.0, of).clamp(0.0, 1.0)
    }

    fn dense(&self) -> f64 {
        let part = self.setup.model.weights.dense;
        let here = 1.0 - self.host_share(|host| host.dense_share);
        let operations = 2.0 * part.parameters * self.tokens * here;
        self.streamed(part.bytes * here)
            .max(self.calculated(operations))
    }

    fn head(&self) -> f64 {
        let part = self.setup.model.weights.head;
        let operations = 2.0 * part.parameters * self.tokens;
        self.streamed(part.bytes).max(self.calculated(operations))
    }

    /// Bytes of the experts that the step touches, and operations of all that it sends to them.
    fn touched(&self) -> (f64, f64) {
        let Some(experts) = self.setup.model.experts else {
            return (0.0, 0.0);
        };
        let part = self.setup.model.weights.experts;
        let exponent = self.constants.get(match self.prompts {
            Prompts::Shared => ConstantId::RoutingExponentShared,
            Prompts::Distinct => ConstantId::RoutingExponentDistinct,
        });
        let all = float::from_u64(experts.experts.max(1).into());
        let active = float::from_u64(experts.per_token.into()) / all;
        let bytes = part.bytes * experts.touched(self.tokens, exponent) / all;
        (bytes, 2.0 * part.parameters * active * self.tokens)
    }

    fn experts(&self) -> f64 {
        let (bytes, operations) = self.touched();
        let here = 1.0 - self.host_share(|host| host.expert_share);
        self.streamed(bytes * here)
            .max(self.calculated(operations * here))
    }

    fn cache(&self) -> f64 {
        match self.setup.cache_law() {
            CacheLaw::Streamed => self.cache_streamed(self.setup.cache),
            CacheLaw::Latency => self.cache_latency(),
        }
    }

    fn cache_streamed(&self, cache: KvCache) -> f64 {
        let exponent = match self.prompts {
            Prompts::Shared => self.constants.get(ConstantId::CacheSharing),
            Prompts::Distinct => 1.0,
        };
        let read = self.setup.model.kv_read_bytes(self.depth, cache);
        self.streamed(read * self.batch.powf(exponent))
    }

    fn cache_latency(&self) -> f64 {
        let first = self.constants.get(ConstantId::CacheLatency);
        let further = self.constants.get(ConstantId::CacheThroughput);
        let groups = self.setup.model.attention.iter().map(|group| {
            let seen = group
                .window_tokens
                .map_or(self.depth, |window| self.depth.min(float::from_u64(window)));
            let heads = match group.cache {
                tokmark_catalog::spec::CacheShape::Heads { kv_heads, .. } => kv_heads,
                tokmark_catalog::spec::CacheShape::Latent { .. } => 1,
            };
            let heads = float::from_u64(heads.into()) / self.cards();
            let others = (self.batch - 1.0).max(0.0);
            // A further sequence never costs more than the first.
            let each = (further * heads).min(first);
            float::from_u64(group.layers.into()) * seen * (first + each * others)
        });
        groups.sum()
    }

    fn exchange(&self) -> f64 {
        if self.setup.layout.tensor <= 1 {
            return 0.0;
        }
        let blocks = float::from_u64(self.setup.model.blocks.into());
        let hidden = float::from_u64(self.setup.model.hidden.into());
        let link = self.setup.layout.link_gb_per_s.max(1.0) * 1e9;
        let bytes = self.tokens * hidden * EXCHANGED_BYTES;
        2.0 * blocks * (EXCHANGE_LATENCY_S + bytes / link)
    }

    fn host(&self) -> f64 {
        let Some(host) = self.setup.layout.host else {
            return 0.0;
        };
        let dense = self.setup.model.weights.dense.bytes * host.dense_share.clamp(0.0, 1.0);
        let experts = self.touched().0 * host.expert_share.clamp(0.0, 1.0);
        let bandwidth = (host.bandwidth_gb_per_s * 1e9 * HOST_EFFICIENCY).max(f64::MIN_POSITIVE);
        (dense + experts) / bandwidth
    }
}
