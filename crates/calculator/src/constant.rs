//! The constants of the decode model: what each means, and what is believed before any run.
//!
//! What is believed comes from kernel counts, published kernel measurements and datasheets. It never
//! comes from the runs that the model is judged by: a run that is held out has told the fit nothing.
//! One exception: how far a common prompt is read once is known only from pages of one harness, some
//! of them among those runs; the fit pulls it away from there, and no held-out error gains by it.

use tokmark_catalog::{Engine, HardwareKind, KvCache};

use crate::setup::{CacheLaw, Card, Kernel, Setup};

/// One constant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ConstantId {
    /// Share of the memory's bandwidth at which weights and caches stream.
    StreamEfficiency,
    /// Share of the arithmetic rate that decode's multiplications reach.
    DecodeArithmetic,
    /// Seconds of launches and synchronisation of one mixer or feed-forward part.
    PartSeconds,
    /// Seconds that routing adds to a part with experts.
    RoutingSeconds,
    /// Seconds that a recurrent mixer adds.
    RecurrentSeconds,
    /// Seconds of scheduling and sampling a sequence.
    SequenceSeconds,
    /// Exponent of the batch in the number of distinct experts, prompts alike.
    RoutingExponentShared,
    /// The same, prompts unlike.
    RoutingExponentDistinct,
    /// Exponent of the batch in what is read of a prompt that all share.
    CacheSharing,
    /// Seconds a cached token and layer of one sequence ([`CacheLaw::Latency`]).
    CacheLatency,
    /// Seconds a cached token, layer and key-value head of each further sequence.
    CacheThroughput,
    /// Share of the arithmetic rate of dense layers in prefill.
    PrefillDense,
    /// Share of the arithmetic rate of routed experts in prefill.
    PrefillExperts,
    /// Share of the 16-bit rate of attention in prefill.
    PrefillAttention,
    /// Seconds a prompt token and recurrent layer.
    PrefillRecurrent,
}

/// How many constants there are.
pub(crate) const COUNT: usize = 15;

/// What a constant depends on beside engine and accelerator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// Nothing.
    Family,
    /// The kernels of the weights.
    Kernel,
    /// The type of the KV cache.
    Cache,
}

/// What is believed of a constant before a run is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The value in the constant's unit.
    pub value: f64,
    /// Standard deviation of its natural logarithm.
    pub spread: f64,
    /// Where it comes from.
    pub source: &'static str,
}

struct Row {
    id: ConstantId,
    word: &'static str,
    symbol: &'static str,
    unit: &'static str,
    dependence: Dependence,
    /// What it cannot exceed, for shares and exponents.
    most: f64,
}

const fn row(
    id: ConstantId,
    word: &'static str,
    symbol: &'static str,
    unit: &'static str,
    dependence: Dependence,
    most: f64,
) -> Row {
    Row {
        id,
        word,
        symbol,
        unit,
        dependence,
        most,
    }
}

const ROWS: [Row; COUNT] = [
    row(
        ConstantId::StreamEfficiency,
        "stream_efficiency",
        "η",
        "share of bandwidth",
        Dependence::Kernel,
        1.0,
    ),
    row(
        ConstantId::DecodeArithmetic,
        "decode_arithmetic",
        "f_small",
        "share of rate",
        Dependence::Kernel,
        1.0,
    ),
    row(
        ConstantId::PartSeconds,
        "part_seconds",
        "τ_part",
        "s",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::RoutingSeconds,
        "routing_seconds",
        "τ_moe",
        "s",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::RecurrentSeconds,
        "recurrent_seconds",
        "τ_rec",
        "s",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::SequenceSeconds,
        "sequence_seconds",
        "τ_seq",
        "s",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::RoutingExponentShared,
        "routing_exponent_shared",
        "γ_shared",
        "",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::RoutingExponentDistinct,
        "routing_exponent_distinct",
        "γ",
        "",
        Dependence::Family,
        1.0,
    ),
    row(
        ConstantId::CacheSharing,
        "cache_sharing",
        "s",
        "",
        Dependence::Cache,
        1.0,
    ),
    row(
        ConstantId::CacheLatency,
        "cache_latency",
        "a",
        "s",
        Dependence::Cache,
        1.0,
    ),
    row(
        ConstantId::CacheThroughput,
        "cache_throughput",
        "c",
        "s",
        Dependence::Cache,
        1.0,
    ),
    row(
        ConstantId::PrefillDense,
        "prefill_dense",
        "f_dense",
        "share of rate",
        Dependence::Kernel,
        1.0,
    ),
    row(
        ConstantId::PrefillExperts,
        "prefill_experts",
        "f_experts",
        "share of rate",
        Dependence::Kernel,
        1.0,
    ),
    row(
        ConstantId::PrefillAttention,
        "prefill_attention",
        "f_attention",
        "share of rate",
        Dependence::Cache,
        1.0,
    ),
    row(
        ConstantId::PrefillRecurrent,
        "prefill_recurrent",
        "t_rec",
        "s",
        Dependence::Family,
        1.0,
    ),
];

impl ConstantId {
    /// Every constant, in the order in which tables show them.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.id)
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.id == self)
    }

    /// The word in documents.
    pub fn word(self) -> &'static str {
        self.row().map_or("", |row| row.word)
    }

    /// The symbol in formulas.
    pub fn symbol(self) -> &'static str {
        self.row().map_or("", |row| row.symbol)
    }

    /// Its unit; empty for a number without one.
    pub fn unit(self) -> &'static str {
        self.row().map_or("", |row| row.unit)
    }

    /// What it depends on.
    pub fn dependence(self) -> Dependence {
        self.row().map_or(Dependence::Family, |row| row.dependence)
    }

    /// The value within what is possible.
    pub(crate) fn bounded(self, value: f64) -> f64 {
        let most = self.row().map_or(f64::MAX, |row| row.most);
        value.clamp(0.0, most)
    }

    /// Whether it belongs to prefill rather than decode.
    pub fn is_of_prefill(self) -> bool {
        matches!(
            self,
            Self::PrefillDense
                | Self::PrefillExperts
                | Self::PrefillAttention
                | Self::PrefillRecurrent
        )
    }

    /// What is believed of it for a setup.
    pub fn prior(self, setup: &Setup) -> Prior {
        self.prior_of(setup.engine, &setup.card, setup.kernel(), setup.cache)
    }

    /// What is believed of it for an engine on an accelerator, with these kernels and this cache.
    pub fn prior_of(self, engine: Engine, card: &Card, kernel: Kernel, cache: KvCache) -> Prior {
        match self {
            Self::StreamEfficiency => streaming(card, kernel),
            Self::DecodeArithmetic => prior(
                0.55,
                0.3,
                "small multiplications seldom pass half of the rate",
            ),
            Self::PartSeconds => launches(engine),
            Self::RoutingSeconds => prior(
                36e-6,
                0.7,
                "12 kernels more at 3 µs: gate, choice, sorting, grouped multiplications, sum",
            ),
            Self::RecurrentSeconds => prior(
                9e-6,
                0.7,
                "3 kernels more at 3 µs: convolution, state, norm",
            ),
            Self::SequenceSeconds => prior(
                100e-6,
                1.0,
                "estimate: scheduling, sampling and text of one sequence in Python",
            ),
            Self::RoutingExponentShared => prior(
                0.9,
                0.2,
                "between independent routes (1) and equal ones (0)",
            ),
            Self::RoutingExponentDistinct => prior(
                0.97,
                0.05,
                "independent routes, uniform within a few percent",
            ),
            Self::CacheSharing => prior(
                0.75,
                0.07,
                "pages of one harness whose requests share a prompt: up to 27 % faster than prompts of their own",
            ),
            Self::CacheLatency => prior(
                7e-9,
                1.0,
                "16 segments of tiles of 32 tokens, some 3.5 µs a tile",
            ),
            Self::CacheThroughput => prior(
                3.4e-10,
                1.0,
                "a twentieth of the latency for each further head",
            ),
            Self::PrefillDense => dense_arithmetic(kernel),
            Self::PrefillExperts => prior(
                dense_arithmetic(kernel).value / 2.0,
                0.3,
                "half of dense layers: small groups, padded tiles",
            ),
            Self::PrefillAttention => attention_arithmetic(CacheLaw::of(engine, cache), kernel),
            Self::PrefillRecurrent => prior(
                5e-7,
                0.7,
                "estimate: activations of a layer read and written a few times",
            ),
        }
    }
}

fn prior(value: f64, spread: f64, source: &'static str) -> Prior {
    Prior {
        value,
        spread,
        source,
    }
}

/// Large matrices stream at 88 to 94 % of the bandwidth on a discrete card (profiles of single
/// kernels); other machines as their published results of dense models say.
fn streaming(card: &Card, kernel: Kernel) -> Prior {
    match (card.kind, card.vendor.as_str(), card.architecture.as_str()) {
        (HardwareKind::Cpu, ..) => prior(
            0.65,
            0.15,
            "published results of processors with many channels",
        ),
        (HardwareKind::UnifiedMemory, "AMD", _) => {
            prior(0.9, 0.05, "published results of Strix Halo")
        }
        (HardwareKind::UnifiedMemory, ..) => {
            prior(0.8, 0.1, "published results of Apple's chips and GB10")
        }
        (_, "AMD", architecture)
            if architecture.starts_with("RDNA 3") || architecture == "RDNA3" =>
        {
            prior(0.55, 0.2, "published results of RDNA 3")
        }
        (_, "Intel", _) => prior(0.55, 0.2, "published results of Arc"),
        (HardwareKind::DiscreteGpu, ..) if kernel == Kernel::Ggml => prior(
            0.82,
            0.1,
            "published results of a 14B file with llama.cpp on seven cards",
        ),
        _ => prior(
            0.92,
            0.03,
            "profiles of single kernels: 88 to 94 % on large matrices",
        ),
    }
}

fn launches(engine: Engine) -> Prior {
    match engine {
        Engine::LlamaCpp | Engine::Ollama | Engine::LmStudio => {
            prior(14e-6, 0.5, "llama.cpp: 15 to 40 µs a block of two parts")
        }
        Engine::Transformers => prior(150e-6, 0.7, "every kernel launched from Python"),
        _ => prior(24e-6, 0.3, "8 kernels at 3 µs"),
    }
}

fn dense_arithmetic(kernel: Kernel) -> Prior {
    match kernel {
        Kernel::Ggml => prior(0.35, 0.5, "blocks of llama.cpp on integer units"),
        _ => prior(
            0.7,
            0.15,
            "large multiplications reach about 70 % of the dense rate",
        ),
    }
}

fn attention_arithmetic(law: CacheLaw, kernel: Kernel) -> Prior {
    match (law, kernel) {
        (CacheLaw::Latency, _) => prior(
            0.21,
            0.7,
            "a third of a 16-bit cache: values are unpacked one by one",
        ),
        (_, Kernel::Ggml) => prior(0.4, 0.4, "llama.cpp's attention on matrix units"),
        _ => prior(
            0.6,
            0.15,
            "published attention kernels: 50 to 73 % of the rate",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_has_a_row_with_its_own_words() {
        let words: std::collections::BTreeSet<&str> =
            ConstantId::all().map(ConstantId::word).collect();
        let symbols: std::collections::BTreeSet<&str> =
            ConstantId::all().map(ConstantId::symbol).collect();
        assert_eq!((words.len(), symbols.len()), (COUNT, COUNT));
        assert!(!words.contains(""));
    }
}
