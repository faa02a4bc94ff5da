//! NVIDIA Dynamo's frontend, in front of workers of vLLM, `SGLang` or TensorRT-LLM.
//!
//! The frontend keeps the settings of one worker of a model, so that the budget is multiplied by the
//! workers that its metrics name. It tells no version.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;
use tokmark_units::float;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::answer::Answer;
use crate::cache::{CacheReset, CacheState};
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges, Reading};
use crate::identify::FirstLook;
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "dynamo_frontend_";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    model_label: "model",
    rank_label: "dp_rank",
    // Everything that is in the frontend: what waits is taken away below.
    running: &[
        "dynamo_frontend_active_requests",
        "dynamo_frontend_inflight_requests",
    ],
    waiting: &["dynamo_frontend_queued_requests"],
    output_tokens: &["dynamo_frontend_output_tokens_total"],
    // Both sums advance when a request ends.
    prompt_tokens: &["dynamo_frontend_input_sequence_tokens_sum"],
    prefix_hits: &["dynamo_frontend_cached_tokens_sum"],
    ttft: "dynamo_frontend_time_to_first_token_seconds",
    ..Families::NONE
};

const WORKERS: &str = "dynamo_frontend_worker_active_decode_blocks";

/// Stages of a request before its first token.
const BEFORE_FIRST_TOKEN: [&str; 3] = ["preprocess", "route", "dispatch"];

/// Dynamo.
#[derive(Debug)]
pub(crate) struct Dynamo;

impl Adapter for Dynamo {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("nvidia") || look.has_metrics(PREFIX)
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/busy_threshold",
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|told| told.get("thresholds").is_some_and(Value::is_array))
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
            tokenize: TokenizeKind::VllmMessages,
            token_prompts: Tri::Unknown,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            reset: Some(CacheReset {
                path: "/clear_kv_blocks",
                names_model: false,
                judge: cleared,
            }),
            advice: Advice {
                more_requests: "start more workers, or the workers with a larger limit \
                                (`--max-num-seqs` of vLLM, `--max-running-requests` of SGLang, \
                                `--max_batch_size` of TensorRT-LLM)",
                longer_context: "start the workers with a larger maximum length (`--max-model-len` \
                                 of vLLM, `--context-length` of SGLang)",
                more_cache: "start more workers, or the workers with more cache memory",
                show_gauges: "",
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
            let card = server.chosen.as_ref();
            server.engine.max_length = card.and_then(|card| card.max_model_len);
            server.engine.kv_budget = None;
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            server.metrics = Some(metrics.as_ref().is_some_and(|all| all.has_prefix(PREFIX)));
            if let Some(exposition) = &metrics {
                read_metrics(server, exposition);
            }
            if server.engine.kv_budget.is_none() {
                server.budget_note =
                    Some("KV budget: the frontend does not tell it; give `--kv-budget`".to_owned());
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
            Ok(match scrape::metrics(control, "/metrics").await? {
                Some(exposition) => read_gauges(&exposition, server.chosen_id()),
                None => Gauges::nothing("server metrics: hidden"),
            })
        })
    }
}

/// Success may mean that there was nobody to do it, or that some did not.
fn cleared(answer: &Answer) -> CacheState {
    let told = answer.json().unwrap_or_default();
    let some = |key: &str| {
        let list = told.get(key).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    };
    if some("failed_workers") {
        CacheState::Busy
    } else if some("cleared_workers") {
        CacheState::Emptied
    } else {
        CacheState::Unsupported
    }
}

/// Workers and their data-parallel ranks that decode; one when none has reported yet.
fn workers(reading: &Reading<'_>) -> usize {
    let series = reading.series(&[WORKERS]);
    let decode: BTreeSet<(Option<&str>, Option<&str>)> = series
        .iter()
        .filter(|sample| {
            sample
                .label("worker_type")
                .is_none_or(|kind| kind != "prefill")
        })
        .map(|sample| (sample.label("worker_id"), sample.label("dp_rank")))
        .collect();
    decode.len().max(1)
}

fn setting(reading: &Reading<'_>, name: &str) -> Option<u64> {
    // Each model has one series; the labels of several namespaces would repeat it.
    let value = reading.series(&[name]).first()?.value;
    Some(float::round_to_u64(value)).filter(|value| *value > 0)
}

fn read_metrics(server: &mut Server, exposition: &Exposition) {
    let chosen = server.chosen_id();
    let Ok(reading) = FAMILIES.reading(exposition, chosen) else {
        return;
    };
    let blocks = setting(&reading, "dynamo_frontend_model_total_kv_blocks");
    let block = setting(&reading, "dynamo_frontend_model_kv_cache_block_size");
    let sequences = setting(&reading, "dynamo_frontend_model_max_num_seqs");
    let length = setting(&reading, "dynamo_frontend_model_context_length");
    let workers = workers(&reading);
    let engine = &mut server.engine;
    engine.max_length = engine.max_length.or(length);
    engine.max_sequences = sequences
        .map(|each| each.saturating_mul(float::len_u64(workers)))
        .and_then(|all| u32::try_from(all).ok());
    if let Some((blocks, block)) = blocks.zip(block) {
        let each = vec![blocks.saturating_mul(block); workers];
        let source = "metrics model_total_kv_blocks x kv_cache_block_size x workers";
        engine.kv_budget = TokenBudget::of_ranks(&each, block, source);
    }
}

fn read_gauges(exposition: &Exposition, chosen: Option<&str>) -> Gauges {
    let gauges = FAMILIES.read(exposition, chosen);
    let Ok(reading) = FAMILIES.reading(exposition, chosen) else {
        return gauges;
    };
    let stages = reading.series(&["dynamo_frontend_stage_requests"]);
    let before: Vec<f64> = stages
        .iter()
        .filter(|sample| {
            let stage = sample.label("stage").unwrap_or_default();
            BEFORE_FIRST_TOKEN.contains(&stage) && sample.value.is_finite()
        })
        .map(|sample| sample.value)
        .collect();
    let waiting = (!before.is_empty())
        .then(|| before.iter().sum::<f64>())
        .or(gauges.waiting);
    let workers = workers(&reading);
    let held = setting(&reading, "dynamo_frontend_model_total_kv_blocks")
        .map(|each| float::from_u64(each) * float::from_usize(workers));
    let used = reading.sum(&[WORKERS]);
    let fullest = reading.mean_and_max(&[WORKERS]).1;
    let each = held.map(|all| all / float::from_usize(workers));
    Gauges {
        // A labelled series is not there before the first request.
        running: gauges
            .running
            .map(|active| (active - waiting.unwrap_or(0.0)).max(0.0))
            .or(Some(0.0)),
        waiting: waiting.or(Some(0.0)),
        prefix_queries: gauges
            .prompt_tokens
            .filter(|_| gauges.prefix_hits.is_some()),
        kv_use_mean: used.zip(held).map(|(used, held)| used / held),
        kv_use_max: fullest.zip(each).map(|(used, held)| used / held),
        engines: u32::try_from(workers).unwrap_or(u32::MAX),
        ..gauges
    }
}
