//! vLLM.
//!
//! Capacity and load come from `/metrics`; sequence limit and weight type only from a server in
//! development mode (`/server_info`) or from the command line. Closing the stream aborts a request.

use serde_json::Value;
use tokmark_run_format::TokenBudget;
use tokmark_units::{float, format};

use crate::capability::{Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::gauges::{GaugeError, Gauges, Reading};
use crate::identify::FirstLook;
use crate::launch;
use crate::prometheus::{Exposition, Sample};
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "vllm:";
const CACHE_INFO: &str = "vllm:cache_config_info";
const RUNNING: &[&str] = &["vllm:num_requests_running"];

/// Figures of the cache that differ by more than this share disagree (case B077).
const AGREEMENT: f64 = 0.02;

pub(crate) fn recognises(look: &FirstLook) -> bool {
    look.is_owned_by("vllm") || look.has_metrics(PREFIX)
}

pub(crate) fn capabilities() -> Capabilities {
    Capabilities {
        ignore_eos: Tri::Yes,
        stream_usage: Tri::Yes,
        continuous_usage: Tri::Yes,
        timings_per_token: Tri::No,
        // Only newer versions have it.
        return_token_ids: Tri::Unknown,
        tokenize: TokenizeKind::VllmMessages,
        rank_header: Some("x-data-parallel-rank"),
        ..Capabilities::default()
    }
}

pub(crate) async fn read_capacity(server: &mut Server, control: &Control) {
    if let Some(length) = server.chosen.as_ref().and_then(|card| card.max_model_len) {
        server.engine.max_length = Some(length);
    }
    if server.engine.version.is_none() {
        server.note("the server does not tell its version: perhaps a simulator or a proxy");
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
    if server.engine.kv_budget.is_none() {
        server.budget_note =
            Some("KV budget: the server's metrics do not tell it; give `--kv-budget`".to_owned());
    }
    read_server_info(server, control).await;
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
    let chosen = server.chosen.as_ref().map(|card| card.id.as_str());
    let reading = match Reading::of(exposition, PREFIX, chosen) {
        Ok(reading) => reading,
        Err(foreign) => {
            server.budget_note = Some(foreign.note(chosen));
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
    let (Some(first), Some(smallest)) = (caches.first(), tokens.iter().copied().min()) else {
        return (None, None);
    };
    let told = caches.iter().all(|cache| cache.told.is_some());
    let source = if told {
        "metrics kv_cache_size_tokens"
    } else {
        "metrics (num_gpu_blocks - 1) x block_size"
    };
    let budget = TokenBudget {
        tokens: tokens
            .iter()
            .fold(0, |sum, tokens| sum.saturating_add(*tokens)),
        tokens_per_rank: smallest,
        ranks: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
        block_tokens: first.block_tokens,
        source: source.to_owned(),
    };
    (Some(budget), disagreement(first))
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
    let Ok(answer) = control.get("/server_info?config_format=json").await else {
        return;
    };
    let Some(info) = answer.success_json() else {
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

pub(crate) fn learn_from_launch(server: &mut Server, arguments: &[String]) {
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

pub(crate) async fn gauges(server: &Server, control: &Control) -> Result<Gauges, GaugeError> {
    let Some(exposition) = scrape::metrics(control, "/metrics").await? else {
        return Ok(Gauges::nothing("server metrics: off"));
    };
    let chosen = server.chosen.as_ref().map(|card| card.id.as_str());
    Ok(read_gauges(&exposition, chosen))
}

fn read_gauges(exposition: &Exposition, chosen: Option<&str>) -> Gauges {
    let reading = match Reading::of(exposition, PREFIX, chosen) {
        Ok(reading) => reading,
        Err(foreign) => return Gauges::nothing(foreign.note(chosen)),
    };
    if !exposition.has_prefix(RUNNING_PREFIX) {
        return scrape::nothing_in(
            exposition,
            "server metrics: no engine metrics (vLLM runs with --disable-log-stats?)",
        );
    }
    let (kv_use_mean, kv_use_max) =
        reading.mean_and_max(&["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"]);
    Gauges {
        running: reading.sum(RUNNING),
        waiting: reading.sum(&["vllm:num_requests_waiting"]),
        preemptions: reading.sum(&["vllm:num_preemptions_total"]),
        output_tokens: reading.sum(&["vllm:generation_tokens_total"]),
        output_seconds: None,
        prompt_tokens: reading.sum(&["vllm:prompt_tokens_total"]),
        prefix_queries: reading.sum(&[
            "vllm:prefix_cache_queries_total",
            "vllm:gpu_prefix_cache_queries_total",
        ]),
        prefix_hits: reading.sum(&[
            "vllm:prefix_cache_hits_total",
            "vllm:gpu_prefix_cache_hits_total",
        ]),
        kv_use_mean,
        kv_use_max,
        drafted: reading.sum(&["vllm:spec_decode_num_draft_tokens_total"]),
        accepted: reading.sum(&["vllm:spec_decode_num_accepted_tokens_total"]),
        engines: reading.ranks(RUNNING, "engine"),
        process_start: reading.sum(&["process_start_time_seconds"]),
        notes: exposition.complaint().into_iter().collect(),
    }
}
