//! What a prediction is made for: a model in a format, served by an engine on accelerators.

use tokmark_catalog::{
    Engine, Hardware, HardwareKind, KvCache, KvType, ModelSpec, Rates, WeightFormat,
};
use tokmark_units::float;

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// A model, an engine and a machine, as they are set up together.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// Layers and weights.
    pub model: ModelSpec,
    /// Format of the linear layers, which decides the kernels.
    pub format: WeightFormat,
    /// The server.
    pub engine: Engine,
    /// Type of the KV cache.
    pub cache: KvCache,
    /// One of the accelerators.
    pub card: Card,
    /// How many there are, and how the model lies on them.
    pub layout: Layout,
    /// Tokens guessed ahead, where the server does so.
    pub drafting: Option<Drafting>,
}

/// One accelerator, or a machine with one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The catalog's id, or a word made from the name for one that it does not know.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// What kind of thing it is.
    pub kind: HardwareKind,
    /// The maker.
    pub vendor: String,
    /// The generation.
    pub architecture: String,
    /// Bytes of its memory.
    pub memory_bytes: f64,
    /// Theoretical bandwidth of the memory in GB/s (10^9 bytes a second).
    pub bandwidth_gb_per_s: f64,
    /// Arithmetic.
    pub rates: Rates,
    /// Thermal design or board power in watts.
    pub tdp_w: Option<f64>,
    /// Whether limits of its maker were taken off (`gpu-unlock`): it calculates at the rate with
    /// 16-bit accumulation also where it accumulates in 32 bits. Never the stock card's path.
    pub unlocked: bool,
}

/// How a model lies on several accelerators and in the host's memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Accelerators that share each layer.
    pub tensor: u32,
    /// Accelerators that hold the layers one after another.
    pub pipeline: u32,
    /// Copies of the model, each with a part of the requests.
    pub data: u32,
    /// What one accelerator sends to the others, in GB/s one way.
    pub link_gb_per_s: f64,
    /// Part of the weights in the host's memory.
    pub host: Option<Host>,
}

/// Weights that lie in the host's memory and are multiplied there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host {
    /// Share of the dense weights, 0 to 1.
    pub dense_share: f64,
    /// Share of the routed experts, 0 to 1.
    pub expert_share: f64,
    /// Theoretical bandwidth of the host's memory in GB/s.
    pub bandwidth_gb_per_s: f64,
}

/// Speculative decoding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drafting {
    /// Tokens drafted a step.
    pub drafted: f64,
    /// Share of them that is accepted, 0 to 1.
    pub accepted_share: f64,
    /// Time of drafting one token, as a share of a step.
    pub draft_share: f64,
}

/// Families of kernels that multiply weights, each with constants of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// 16 or 32-bit floats.
    Wide,
    /// Weights of 8 bits and less, widened to 16 bits before multiplying.
    WeightOnly,
    /// 8-bit floats or whole numbers on both sides.
    EightBit,
    /// 4-bit floats.
    Fp4,
    /// llama.cpp's blocks.
    Ggml,
}

/// How the time of attention over the cache grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CacheLaw {
    /// With the bytes that are read.
    Streamed,
    /// With the tokens that one block of threads goes through, whatever their bytes: the kernels for
    /// caches with a scale a token and head.
    Latency,
}

impl Setup {
    /// One accelerator, no drafting.
    pub fn new(
        model: ModelSpec,
        format: WeightFormat,
        engine: Engine,
        cache: KvCache,
        card: Card,
    ) -> Self {
        Self {
            model,
            format,
            engine,
            cache,
            card,
            layout: Layout::single(),
            drafting: None,
        }
    }

    /// Its model's layers in words, which tell two models apart.
    pub fn shape(&self) -> String {
        let model = &self.model;
        format!(
            "{} {} x {} / {}",
            model.architecture, model.blocks, model.hidden, model.vocabulary
        )
    }

    /// The kernels of its linear layers.
    pub fn kernel(&self) -> Kernel {
        Kernel::of(self.format)
    }

    /// How its attention kernel's time grows.
    pub fn cache_law(&self) -> CacheLaw {
        CacheLaw::of(self.engine, self.cache)
    }

    /// Mixers and feed-forward parts, each of which is a row of kernel launches.
    ///
    /// A block holds a mixer and a feed-forward part, or (Nemotron-H) only one of them.
    pub fn parts(&self) -> f64 {
        let of = |count: u32| float::from_u64(count.into());
        let mixers = of(self.model.attention_layers()) + self.recurrent_layers();
        let blocks = of(self.model.blocks);
        if mixers >= blocks {
            return mixers + blocks;
        }
        mixers + self.moe_layers().max(blocks - mixers)
    }

    /// Layers with routed experts.
    pub fn moe_layers(&self) -> f64 {
        let layers = self.model.experts.map_or(0, |experts| experts.layers);
        float::from_u64(layers.into())
    }

    /// Layers with a state of fixed size.
    pub fn recurrent_layers(&self) -> f64 {
        let layers: u32 = self.model.recurrent.iter().map(|group| group.layers).sum();
        float::from_u64(layers.into())
    }
}

impl Card {
    /// A row of the catalog; for one that shares its memory, or has several sizes, `memory_gib` says
    /// how much there is.
    pub fn of(row: &Hardware, memory_gib: Option<f64>) -> Self {
        Self {
            id: row.id.clone(),
            name: row.full_name(),
            kind: row.kind,
            vendor: row.vendor.clone(),
            architecture: row.architecture.clone(),
            memory_bytes: memory_gib.or(row.memory_gib).unwrap_or_default() * GIB,
            bandwidth_gb_per_s: row.bandwidth_gb_per_s,
            rates: row.rates,
            tdp_w: row.tdp_w,
            unlocked: false,
        }
    }

    /// Bytes a second of its memory.
    pub fn bytes_per_s(&self) -> f64 {
        self.bandwidth_gb_per_s * 1e9
    }

    /// Operations a second that kernels of a family can reach in theory; `None` where no figure is
    /// known. Weights that are widened run at the rate of 16 bits with 32-bit accumulation, unless
    /// the card is unlocked.
    pub fn operations_per_s(&self, kernel: Kernel) -> Option<f64> {
        let rates = &self.rates;
        let accumulate = rates.fp16_accumulate_tflops.filter(|_| self.unlocked);
        let wide = accumulate.or(rates.fp16_tflops);
        let tera = match kernel {
            Kernel::Wide | Kernel::WeightOnly => wide,
            Kernel::EightBit => rates.fp8_tflops.or(rates.int8_tops).or(wide),
            Kernel::Fp4 => rates.fp4_tflops.or(wide),
            Kernel::Ggml => rates.int8_tops.or(wide),
        };
        tera.map(|tera| tera * 1e12)
    }
}

impl Layout {
    /// One accelerator.
    pub fn single() -> Self {
        Self {
            tensor: 1,
            pipeline: 1,
            data: 1,
            link_gb_per_s: 0.0,
            host: None,
        }
    }

    /// Accelerators in all.
    pub fn cards(&self) -> u32 {
        let of = |count: u32| count.max(1);
        of(self.tensor)
            .saturating_mul(of(self.pipeline))
            .saturating_mul(of(self.data))
    }

    /// Whether it is more than one accelerator without help of the host. The formulas for the rest
    /// were not held against measurements.
    pub fn is_validated(&self) -> bool {
        self.cards() == 1 && self.host.is_none()
    }
}

impl CacheLaw {
    /// Of an engine's kernels for a type of cache.
    pub fn of(engine: Engine, cache: KvCache) -> Self {
        match (engine, cache.key) {
            (
                Engine::Vllm,
                KvType::FourBitPerTokenHead
                | KvType::EightBitPerTokenHead
                | KvType::TurboquantKey3
                | KvType::TurboquantKey4,
            ) => Self::Latency,
            _ => Self::Streamed,
        }
    }
}

impl Kernel {
    /// The kernels that a format needs.
    pub fn of(format: WeightFormat) -> Self {
        match format {
            WeightFormat::F32 | WeightFormat::F16 => Self::Wide,
            WeightFormat::Int { group: None, .. } | WeightFormat::Fp8 | WeightFormat::Fp8Block => {
                Self::EightBit
            }
            WeightFormat::Int { .. }
            | WeightFormat::Nf4 { .. }
            | WeightFormat::Hqq { .. }
            | WeightFormat::Exl { .. } => Self::WeightOnly,
            WeightFormat::Nvfp4 | WeightFormat::Mxfp4 => Self::Fp4,
            WeightFormat::Ggml(_) | WeightFormat::Gguf(_) => Self::Ggml,
        }
    }

    /// The kernels that a word means.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Wide,
            Self::WeightOnly,
            Self::EightBit,
            Self::Fp4,
            Self::Ggml,
        ]
        .into_iter()
        .find(|kernel| kernel.as_str() == word)
    }

    /// The word in files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wide => "16-bit",
            Self::WeightOnly => "weight-only",
            Self::EightBit => "8-bit",
            Self::Fp4 => "fp4",
            Self::Ggml => "ggml",
        }
    }
}
