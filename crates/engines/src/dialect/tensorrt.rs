//! TensorRT-LLM's `trtllm-serve`.
//!
//! Prometheus metrics lie at `/prometheus/metrics`. What lies at `/metrics` is a list that every
//! reader empties for all others, and is left alone. A request with a field that it does not know is
//! refused.

use futures_util::future::BoxFuture;
use tokmark_run_format::TokenBudget;
use tokmark_units::float;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges, Reading};
use crate::identify::FirstLook;
use crate::launch;
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

/// Who owns the models in its list.
pub(crate) const OWNER: &str = "tensorrt_llm";
const PREFIX: &str = "trtllm_";
const METRICS: &str = "/prometheus/metrics";
const METRICS_OFF: &str =
    "server metrics: off (TensorRT-LLM needs `return_perf_metrics: true` in its configuration)";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    absent: METRICS_OFF,
    running: &["trtllm_num_requests_running"],
    waiting: &["trtllm_num_requests_waiting"],
    // Token totals advance when a request ends.
    output_tokens: &["trtllm_generation_tokens_total"],
    prompt_tokens: &["trtllm_prompt_tokens_total"],
    kv_use: &["trtllm_kv_cache_utilization", "kv_cache_utilization"],
    drafted: &["trtllm_spec_decode_num_draft_tokens_total"],
    accepted: &["trtllm_spec_decode_num_accepted_tokens_total"],
    ttft: "trtllm_time_to_first_token_seconds",
    ..Families::NONE
};

/// TensorRT-LLM.
#[derive(Debug)]
pub(crate) struct TensorRtLlm;

impl Adapter for TensorRtLlm {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by(OWNER) || look.has_metrics(PREFIX)
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: METRICS,
            accepts: |answer| {
                Exposition::parse(&answer.body).is_ok_and(|all| all.has_prefix(PREFIX))
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::Yes,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            token_prompts: Tri::Yes,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            advice: Advice {
                more_requests: "start trtllm-serve with a larger `--max_batch_size`",
                longer_context: "start trtllm-serve with a larger `--max_seq_len`",
                more_cache: "start trtllm-serve with a larger \
                             `--kv_cache_free_gpu_memory_fraction`, a smaller `kv_cache_config: \
                             dtype`, or more GPUs",
                show_gauges: "start trtllm-serve with `return_perf_metrics: true` in the file of \
                              `--extra_llm_api_options`",
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
            let metrics = scrape::metrics(control, METRICS).await.ok().flatten();
            let shown = metrics.filter(|all| all.has_prefix(PREFIX));
            server.metrics = Some(shown.is_some());
            match &shown {
                Some(exposition) => read_metrics(server, exposition),
                None => server.note(METRICS_OFF),
            }
            if server.engine.kv_budget.is_none() {
                server.budget_note =
                    Some("KV budget: the server does not tell it; give `--kv-budget`".to_owned());
            }
            Ok(())
        })
    }

    fn gauges<'a>(
        &'a self,
        server: &'a Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        Box::pin(async move {
            Ok(match scrape::metrics(control, METRICS).await? {
                Some(exposition) => read_gauges(&exposition, server.chosen_id()),
                None => Gauges::nothing(METRICS_OFF),
            })
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let engine = &mut server.engine;
        let number = |names: &[&str]| launch::number(arguments, names);
        engine.max_length = number(&["--max_seq_len", "--max-seq-len"]).or(engine.max_length);
        engine.max_sequences = engine.max_sequences.or_else(|| {
            number(&["--max_batch_size", "--max-batch-size"])
                .and_then(|size| u32::try_from(size).ok())
        });
    }
}

fn whole(reading: &Reading<'_>, names: &[&str]) -> Option<u64> {
    let value = reading.sum(names).map(float::round_to_u64);
    value.filter(|value| *value > 0)
}

fn read_metrics(server: &mut Server, exposition: &Exposition) {
    let Ok(reading) = FAMILIES.reading(exposition, server.chosen_id()) else {
        return;
    };
    let block = whole(&reading, &["trtllm_kv_cache_tokens_per_block"]);
    let blocks = whole(&reading, &["trtllm_kv_cache_max_blocks"]);
    let sequences = whole(
        &reading,
        &[
            "trtllm_max_num_active_requests",
            "trtllm_max_batch_size_runtime",
            "trtllm_max_batch_size_static",
        ],
    );
    let label = |family: &'static str, names: &[&str]| {
        let series = reading.series(&[family]);
        let sample = series.first()?;
        let word = names.iter().find_map(|name| sample.label(name))?;
        let known = !word.is_empty() && !matches!(word, "None" | "auto" | "unknown");
        known.then(|| word.to_owned())
    };
    let quantization = label(
        "trtllm_model_config_info",
        &["quantization", "quant_algo", "dtype"],
    );
    let kv_type = label("trtllm_kv_cache_config_info", &["dtype", "kv_cache_dtype"]);
    let engine = &mut server.engine;
    engine.quantization = quantization.or(engine.quantization.take());
    engine.kv_type = kv_type.or(engine.kv_type.take());
    engine.max_sequences = sequences.and_then(|all| u32::try_from(all).ok());
    engine.kv_budget = block.zip(blocks).map(|(block, blocks)| {
        let source = "metrics kv_cache_max_blocks x kv_cache_tokens_per_block";
        TokenBudget::of_one(block.saturating_mul(blocks), block, source)
    });
}

/// Hits and misses are counted in blocks; where they are not, cached tokens are, when requests end.
fn read_gauges(exposition: &Exposition, chosen: Option<&str>) -> Gauges {
    let gauges = FAMILIES.read(exposition, chosen);
    let Ok(reading) = FAMILIES.reading(exposition, chosen) else {
        return gauges;
    };
    let block = reading.sum(&["trtllm_kv_cache_tokens_per_block"]);
    let tokens = |name: &str| Some(reading.sum(&[name])? * block?);
    let reused = tokens("trtllm_kv_cache_reused_blocks_total");
    let missed = tokens("trtllm_kv_cache_missed_blocks_total");
    let cached = reading.sum(&["trtllm_prompt_cached_tokens_total"]);
    let (prefix_hits, prefix_queries) = match (reused, missed) {
        (Some(reused), Some(missed)) => (Some(reused), Some(reused + missed)),
        _ => (cached, gauges.prompt_tokens.filter(|_| cached.is_some())),
    };
    Gauges {
        prefix_queries,
        prefix_hits,
        ..gauges
    }
}
