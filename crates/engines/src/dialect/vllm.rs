//! vLLM.
//!
//! Capacity and load come from `/metrics`; sequence limit and weight type only from a server in
//! development mode (`/server_info`) or from the command line. Closing the stream aborts a request.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;
use tokmark_units::{float, format};

use crate::adapter::{Adapter, Habits};
use crate::advice::Advice;
use crate::cache::{self, CacheReset};
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges, Reading};
use crate::identify::FirstLook;
use crate::launch;
use crate::prometheus::{Exposition, Sample};
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "vllm:";
const CACHE_INFO: &str = "vllm:cache_config_info";

/// Figures of the cache that differ by more than this share disagree (case B077).
const AGREEMENT: f64 = 0.02;

/// The families of vLLM, which llm-d's simulator imitates.
pub(crate) const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: RUNNING_PREFIX,
    absent: "server metrics: no engine metrics (vLLM runs with --disable-log-stats?)",
    running: &["vllm:num_requests_running"],
    waiting: &["vllm:num_requests_waiting"],
    preemptions: &["vllm:num_preemptions_total"],
    output_tokens: &["vllm:generation_tokens_total"],
    prompt_tokens: &["vllm:prompt_tokens_total"],
    prefix_queries: &[
        "vllm:prefix_cache_queries_total",
        "vllm:gpu_prefix_cache_queries_total",
    ],
    prefix_hits: &[
        "vllm:prefix_cache_hits_total",
        "vllm:gpu_prefix_cache_hits_total",
    ],
    kv_use: &["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"],
    drafted: &["vllm:spec_decode_num_draft_tokens_total"],
    accepted: &["vllm:spec_decode_num_accepted_tokens_total"],
    ttft: "vllm:time_to_first_token_seconds",
    ..Families::NONE
};

/// vLLM.
#[derive(Debug)]
pub(crate) struct Vllm;

impl Adapter for Vllm {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("vllm") || look.has_metrics(PREFIX)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::Yes,
            timings_per_token: Tri::No,
            // Only newer versions have it.
            return_token_ids: Tri::Unknown,
            tokenize: TokenizeKind::VllmMessages,
            token_prompts: Tri::Yes,
            rank_header: Some("x-data-parallel-rank"),
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            reset: Some(CacheReset {
                path: "/reset_prefix_cache",
                names_model: false,
                judge: cache::success,
            }),
            counts_output_live: true,
            advice: Advice {
                more_requests: "start vLLM with a larger `--max-num-seqs`",
                longer_context: "start vLLM with a larger `--max-model-len`",
                more_cache: "give vLLM more memory (`--gpu-memory-utilization`, \
                             `--kv-cache-memory-bytes`), a smaller type (`--kv-cache-dtype fp8`), \
                             or more GPUs",
                show_gauges: "start vLLM without `--disable-log-stats`",
            },
            ..Habits::UNKNOWN
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        Box::pin(async move {
            read_capacity(server, control).await;
            Ok(())
        })
    }

    fn gauges<'a>(
        &'a self,
        server: &'a Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        Box::pin(async move {
            Ok(match scrape::metrics(control, "/metrics").await? {
                Some(exposition) => FAMILIES.read(&exposition, server.chosen_id()),
                None => Gauges::nothing("server metrics: off"),
            })
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        learn_from_launch(server, arguments);
    }
}

async fn read_capacity(server: &mut Server, control: &Control) {
    if let Some(length) = server.chosen.as_ref().and_then(|card| card.max_model_len) {
        server.engine.max_length = Some(length);
    }
    if server.engine.version.is_none() {
        server.note("the server does not tell its version: perhaps a proxy hides it");
    }
    server.engine.backend = server.engine.version.as_deref().and_then(backend_of);
    match scrape::metrics(control, "/metrics").await {
        Ok(Some(exposition)) => {
            server.metrics = Some(exposition.has_prefix(RUNNING_PREFIX));
            read_cache(server, &exposition);
        }
        Ok(None) => server.metrics = Some(false),
        Err(error) => {
            server.metrics = Some(false);
            server.note(format!("server metrics: {error}"));
        }
    }
    read_reports(server, control).await;
    read_server_info(server, control).await;
    if server.engine.kv_budget.is_none() && server.budget_note.is_none() {
        server.budget_note =
            Some("KV budget: the server's metrics do not tell it; give `--kv-budget`".to_owned());
    }
}

/// `/v1/capacity` of servers that have it: what every engine reports of itself.
async fn read_reports(server: &mut Server, control: &Control) {
    let Some(report) = scrape::json(control, "/v1/capacity").await else {
        return;
    };
    let engines = report.get("engines").and_then(Value::as_array);
    let each = |key: &str| -> Option<Vec<u64>> {
        let engines = engines.filter(|engines| !engines.is_empty())?;
        engines.iter().map(|one| one.get(key)?.as_u64()).collect()
    };
    if let Some(sequences) = each("max_num_seqs") {
        let all = sequences
            .iter()
            .fold(0, |sum: u64, n| sum.saturating_add(*n));
        server.engine.max_sequences = u32::try_from(all).ok();
    }
    if server.engine.kv_budget.is_none()
        && let Some(tokens) = each("kv_cache_capacity_tokens")
    {
        server.engine.kv_budget = TokenBudget::of_ranks(&tokens, 1, "v1/capacity");
    }
}

/// The engine's own families, which `--disable-log-stats` removes.
const RUNNING_PREFIX: &str = "vllm:num_requests_";

/// Builds for other devices carry them in the version, as in `0.9.1+cpu`.
fn backend_of(version: &str) -> Option<String> {
    let (_, local) = version.split_once('+')?;
    ["cpu", "rocm", "xpu", "tpu"]
        .into_iter()
        .find(|device| local.contains(device))
        .or_else(|| local.starts_with("cu1").then_some("cuda"))
        .map(str::to_owned)
}

fn read_cache(server: &mut Server, exposition: &Exposition) {
    let chosen = server.chosen_id();
    let reading = match Reading::labelled(exposition, PREFIX, "model_name", chosen) {
        Ok(reading) => reading,
        Err(foreign) => {
            let note = foreign.note(chosen);
            server.budget_note = Some(note);
            return;
        }
    };
    let ranks = reading.series(&[CACHE_INFO]);
    let Some(first) = ranks.first() else { return };
    let word = |name: &str| first.label(name).filter(|text| *text != "None");
    let kv_type = word("cache_dtype").map(str::to_owned);
    let prefix_cache = word("enable_prefix_caching").map(|text| text == "True");
    let (budget, note) = budget(&ranks, server.engine.max_length);
    server.engine.kv_type = kv_type;
    server.engine.prefix_cache = prefix_cache;
    server.engine.kv_budget = budget;
    server.budget_note = note;
}

/// The three figures that one rank gives for the same thing.
#[derive(Debug, Clone, Copy, Default)]
struct RankCache {
    /// `kv_cache_size_tokens`, which knows about cache groups.
    told: Option<u64>,
    /// Blocks without the reserved one, times their size.
    from_blocks: Option<u64>,
    /// `kv_cache_max_concurrency` times the model length.
    from_concurrency: Option<u64>,
    block_tokens: u64,
}

impl RankCache {
    fn read(sample: &Sample, max_length: Option<u64>) -> Self {
        let number = |name: &str| sample.label(name).and_then(launch::whole_number);
        let block_tokens = number("block_size").filter(|size| *size > 0);
        // One block is the reserved null block.
        let blocks = number("num_gpu_blocks").map(|blocks| blocks.saturating_sub(1));
        let concurrency: Option<f64> = sample
            .label("kv_cache_max_concurrency")
            .and_then(|text| text.parse().ok());
        Self {
            told: number("kv_cache_size_tokens").filter(|tokens| *tokens > 0),
            from_blocks: blocks
                .zip(block_tokens)
                .map(|(blocks, size)| blocks.saturating_mul(size))
                .filter(|tokens| *tokens > 0),
            from_concurrency: concurrency
                .zip(max_length)
                .map(|(times, length)| float::round_to_u64(times * float::from_u64(length)))
                .filter(|tokens| *tokens > 0),
            block_tokens: block_tokens.unwrap_or(1),
        }
    }

    fn tokens(&self) -> Option<u64> {
        self.told.or(self.from_blocks)
    }
}

/// The budget summed over ranks, and what to say about it. A request uses one rank's share only,
/// so the smallest rank is the share.
fn budget(ranks: &[&Sample], max_length: Option<u64>) -> (Option<TokenBudget>, Option<String>) {
    let caches: Vec<RankCache> = ranks
        .iter()
        .map(|sample| RankCache::read(sample, max_length))
        .collect();
    let tokens: Vec<u64> = caches.iter().filter_map(RankCache::tokens).collect();
    let Some(first) = caches.first().filter(|_| !tokens.is_empty()) else {
        return (None, None);
    };
    let told = caches.iter().all(|cache| cache.told.is_some());
    let source = if told {
        "metrics kv_cache_size_tokens"
    } else {
        "metrics (num_gpu_blocks - 1) x block_size"
    };
    let budget = TokenBudget::of_ranks(&tokens, first.block_tokens, source);
    (budget, disagreement(first))
}

/// Case B077: with several cache groups blocks are shared, so that blocks times block size says
/// nothing. The figure of the server's own group-aware rule is used and both are shown.
fn disagreement(cache: &RankCache) -> Option<String> {
    let Some(told) = cache.told else {
        return Some(
            "KV budget: computed from blocks, which overstates or understates hybrid models"
                .to_owned(),
        );
    };
    let apart = |other: Option<u64>| {
        other.filter(|other| {
            (float::from_u64(*other) - float::from_u64(told)).abs()
                > AGREEMENT * float::from_u64(told)
                // The null block alone may be more than 2 % of a tiny cache.
                && other.abs_diff(told) > cache.block_tokens
        })
    };
    let count = format::count;
    if let Some(blocks) = apart(cache.from_blocks) {
        return Some(format!(
            "KV budget: hybrid cache groups or context parallelism: kv_cache_size_tokens says {} \
             tokens per rank and is used; blocks x block size would be {}",
            count(told),
            count(blocks)
        ));
    }
    apart(cache.from_concurrency).map(|concurrency| {
        format!(
            "KV budget: kv_cache_size_tokens says {} tokens per rank and is used; \
             kv_cache_max_concurrency x model length would be {}",
            count(told),
            count(concurrency)
        )
    })
}

/// `/server_info` of a server in development mode: the only HTTP source of these facts.
async fn read_server_info(server: &mut Server, control: &Control) {
    let Some(info) = scrape::json(control, "/server_info?config_format=json").await else {
        return;
    };
    let number = |path: &str| info.pointer(path).and_then(Value::as_u64);
    let text = |path: &str| {
        info.pointer(path)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let ranks = number("/vllm_config/parallel_config/data_parallel_size").unwrap_or(1);
    if let Some(sequences) = number("/vllm_config/scheduler_config/max_num_seqs") {
        server.engine.max_sequences = u32::try_from(sequences.saturating_mul(ranks)).ok();
    }
    let quantization = text("/vllm_config/model_config/quantization").or_else(|| {
        text("/vllm_config/model_config/dtype").map(|name| name.replacen("torch.", "", 1))
    });
    server.engine.quantization = quantization.or(server.engine.quantization.take());
    let device = text("/vllm_config/device_config/device");
    server.engine.backend = device.or(server.engine.backend.take());
}

fn learn_from_launch(server: &mut Server, arguments: &[String]) {
    let ranks = launch::number(arguments, &["--data-parallel-size", "-dp"]).unwrap_or(1);
    let engine = &mut server.engine;
    if engine.max_sequences.is_none() {
        engine.max_sequences = launch::number(arguments, &["--max-num-seqs"])
            .and_then(|sequences| u32::try_from(sequences.saturating_mul(ranks)).ok());
    }
    if engine.quantization.is_none() {
        engine.quantization = launch::value(arguments, &["--quantization", "-q"])
            .or_else(|| launch::value(arguments, &["--dtype"]).filter(|dtype| *dtype != "auto"))
            .map(str::to_owned);
    }
    if engine.kv_type.is_none() {
        engine.kv_type = launch::value(arguments, &["--kv-cache-dtype"]).map(str::to_owned);
    }
}
