//! What a server is expected to tell: one row per adapter, for the conformance suite.

use crate::fake::{Fake, llamacpp, recorded, vllm};

/// What an adapter makes of the recorded answers of its server.
#[derive(Default)]
pub struct Told {
    pub word: &'static str,
    /// Its command line, where nothing else names the model.
    pub launch: &'static str,
    pub version: Option<&'static str>,
    pub served_name: &'static str,
    pub max_length: Option<u64>,
    /// Tokens in all, of a rank, ranks, and a part of the source's name.
    pub budget: Option<(u64, u64, u32, &'static str)>,
    pub kv_type: Option<&'static str>,
    pub quantization: Option<&'static str>,
    pub max_sequences: Option<u32>,
    pub gauges: Option<Load>,
    /// A part of a note that a person gets to see.
    pub says: &'static str,
}

/// One reading.
#[derive(Default)]
pub struct Load {
    pub running: f64,
    pub waiting: f64,
    pub preemptions: Option<f64>,
    pub kv_use_max: Option<f64>,
    /// Hits and queries.
    pub prefix: Option<(f64, f64)>,
    pub output_tokens: Option<f64>,
    /// Drafted and accepted.
    pub speculation: Option<(f64, f64)>,
    pub engines: u32,
}

impl Told {
    /// The recorded server.
    pub fn server(&self) -> Fake {
        match self.word {
            "vllm" => vllm(),
            "llamacpp" => llamacpp(),
            word => recorded(word),
        }
    }
}

/// The load that most recordings show.
fn load() -> Load {
    Load {
        running: 21.0,
        waiting: 3.0,
        kv_use_max: Some(0.9),
        output_tokens: Some(4_000.0),
        engines: 1,
        ..Load::default()
    }
}

const HITS: Option<(f64, f64)> = Some((1.6e6, 2e6));
const SPECULATION: Option<(f64, f64)> = Some((400.0, 280.0));

/// Servers with gauges.
#[expect(clippy::too_many_lines, reason = "a table, one row after the other")]
fn with_gauges() -> Vec<Told> {
    vec![
        Told {
            word: "vllm",
            version: Some("0.32.0"),
            served_name: "bench",
            max_length: Some(32_768),
            budget: Some((400_000, 200_000, 2, "kv_cache_size_tokens")),
            kv_type: Some("fp8"),
            gauges: Some(Load {
                preemptions: Some(3.0),
                prefix: HITS,
                speculation: SPECULATION,
                engines: 2,
                ..load()
            }),
            ..Told::default()
        },
        Told {
            word: "llm-d-sim",
            served_name: "dolphin",
            max_length: Some(1_024),
            budget: Some((16_384, 16_384, 1, "admin/config")),
            max_sequences: Some(5),
            gauges: Some(Load {
                prefix: HITS,
                ..load()
            }),
            says: "a simulator",
            ..Told::default()
        },
        Told {
            word: "sglang",
            version: Some("0.5.23"),
            served_name: "bench",
            max_length: Some(16_384),
            budget: Some((200_000, 100_000, 2, "max_total_num_tokens")),
            kv_type: Some("fp8_e5m2"),
            quantization: Some("awq"),
            max_sequences: Some(48),
            gauges: Some(Load {
                preemptions: Some(3.0),
                prefix: HITS,
                engines: 2,
                ..load()
            }),
            ..Told::default()
        },
        Told {
            word: "llamacpp",
            version: Some("b11434-0a1b2c3"),
            served_name: "dolphin",
            max_length: Some(8_192),
            budget: Some((8_192, 8_192, 1, "lower bound")),
            quantization: Some("Q4_K - Medium"),
            max_sequences: Some(4),
            gauges: Some(Load {
                running: 4.0,
                waiting: 2.0,
                output_tokens: Some(1_000.0),
                prefix: Some((2_000.0, 15_000.0)),
                speculation: Some((0.0, 0.0)),
                engines: 1,
                ..Load::default()
            }),
            says: "does not tell whether its 4 slots share one pool",
            ..Told::default()
        },
        Told {
            word: "tgi",
            version: Some("3.3.7"),
            served_name: "acme/dolphin",
            max_length: Some(4_096),
            budget: Some((50_000, 50_000, 1, "tgi_batch_max_total_tokens")),
            gauges: Some(load()),
            ..Told::default()
        },
        Told {
            word: "tensorrt-llm",
            version: Some("1.2.0"),
            served_name: "dolphin",
            budget: Some((32_000, 32_000, 1, "kv_cache_max_blocks")),
            kv_type: Some("fp8"),
            quantization: Some("FP8"),
            max_sequences: Some(64),
            gauges: Some(Load {
                prefix: HITS,
                speculation: SPECULATION,
                ..load()
            }),
            says: "--max-length",
            ..Told::default()
        },
        Told {
            word: "lmdeploy",
            served_name: "dolphin",
            gauges: Some(Load {
                prefix: HITS,
                speculation: SPECULATION,
                engines: 2,
                ..load()
            }),
            says: "LMDeploy does not tell it",
            ..Told::default()
        },
        Told {
            word: "dynamo",
            served_name: "dolphin",
            max_length: Some(32_768),
            budget: Some((48_000, 16_000, 3, "x workers")),
            max_sequences: Some(192),
            gauges: Some(Load {
                prefix: HITS,
                engines: 3,
                ..load()
            }),
            ..Told::default()
        },
        Told {
            word: "mistralrs",
            version: Some("0.9.2"),
            served_name: "acme/dolphin",
            max_sequences: Some(32),
            gauges: Some(Load {
                preemptions: Some(3.0),
                output_tokens: None,
                speculation: SPECULATION,
                ..load()
            }),
            says: "1,000 blocks, whose size",
            ..Told::default()
        },
    ]
}

/// Servers that show no load.
fn without_gauges() -> Vec<Told> {
    vec![
        Told {
            word: "tabbyapi",
            served_name: "dolphin-exl3-4.0bpw",
            max_length: Some(8_192),
            budget: Some((32_768, 32_768, 1, "cache_size")),
            kv_type: Some("8,8"),
            max_sequences: Some(8),
            ..Told::default()
        },
        Told {
            word: "mlc",
            served_name: "Dolphin-1B-q4f16_1-MLC",
            quantization: Some("q4f16_1"),
            says: "MLC LLM does not tell it",
            ..Told::default()
        },
        Told {
            word: "mlx-lm",
            served_name: "acme/dolphin-4bit",
            says: "until memory ends",
            ..Told::default()
        },
        Told {
            word: "lmstudio",
            served_name: "dolphin-14b",
            max_length: Some(8_192),
            quantization: Some("Q4_K_M"),
            max_sequences: Some(4),
            says: "LM Studio does not tell it",
            ..Told::default()
        },
        Told {
            word: "ollama",
            version: Some("0.33.0"),
            served_name: "dolphin:14b",
            max_length: Some(4_096),
            quantization: Some("Q4_K_M"),
            says: "OLLAMA_NUM_PARALLEL",
            ..Told::default()
        },
        Told {
            word: "transformers",
            launch: "python3 /env/bin/transformers serve --port 8000 --dtype bfloat16 acme/dolphin",
            served_name: "acme/dolphin",
            quantization: Some("bfloat16"),
            max_sequences: Some(1),
            says: "`transformers serve` does not tell it",
            ..Told::default()
        },
        Told {
            word: "openai",
            served_name: "dolphin",
            max_length: Some(131_072),
            says: "not recognised",
            ..Told::default()
        },
    ]
}

/// A row for every adapter.
pub fn all() -> Vec<Told> {
    with_gauges().into_iter().chain(without_gauges()).collect()
}
