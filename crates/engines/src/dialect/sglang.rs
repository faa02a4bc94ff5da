//! `SGLang`.
//!
//! `/server_info` tells the arguments of the start and what became of them; `/v1/loads` tells the
//! load of every rank, also where `/metrics` is off. The gauges of `/metrics` are set with every 40th
//! step of decoding (`--decode-log-interval`), `/v1/loads` with every prefill: it is believed first.
//! Closing the connection aborts a request after a short while.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;
use tokmark_units::float;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::cache::{self, CacheReset};
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::{Families, Names, histogram};
use crate::gauges::{GaugeError, Gauges, Reading};
use crate::identify::FirstLook;
use crate::launch;
use crate::prometheus::{Exposition, Sample};
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "sglang:";
const METRICS_OFF: &str = "server metrics: off (SGLang needs --enable-metrics)";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: "sglang:num_running_reqs",
    absent: METRICS_OFF,
    rank_label: "dp_rank",
    ttft: "sglang:time_to_first_token_seconds",
    ..Families::NONE
};

/// `SGLang`.
#[derive(Debug)]
pub(crate) struct SgLang;

impl Adapter for SgLang {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("sglang") || look.has_metrics(PREFIX)
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/server_info",
            accepts: |answer| {
                let has = |info: &Value, key: &str| info.get(key).is_some();
                answer.json().is_some_and(|info| {
                    has(&info, "version")
                        && (has(&info, "max_total_num_tokens") || has(&info, "mem_fraction_static"))
                })
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            // Older versions drop it without a word.
            continuous_usage: Tri::Unknown,
            timings_per_token: Tri::No,
            return_token_ids: Tri::Unknown,
            tokenize: TokenizeKind::VllmMessages,
            token_prompts: Tri::Yes,
            rank_field: Some("data_parallel_rank"),
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            reset: Some(CacheReset {
                path: "/flush_cache",
                names_model: false,
                judge: cache::success,
            }),
            // Only the counter that advances with every step is read.
            counts_output_live: true,
            advice: Advice {
                more_requests: "start SGLang with a larger `--max-running-requests`",
                longer_context: "start SGLang with a larger `--context-length`",
                more_cache: "start SGLang with a larger `--mem-fraction-static`, a smaller type \
                             (`--kv-cache-dtype fp8_e5m2`), or more GPUs",
                show_gauges: "start SGLang with `--enable-metrics`",
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
            let mut info = scrape::json(control, "/server_info").await;
            if info.is_none() {
                info = scrape::json(control, "/get_server_info").await;
            }
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            let loads = loads(control).await;
            let shown = |exposition: &Exposition| exposition.has_prefix(FAMILIES.present);
            let scraped = metrics.as_ref().is_some_and(shown);
            server.metrics = Some(scraped || loads.is_some());
            match &info {
                Some(info) => read_info(server, info),
                None => server.note("`/server_info` is hidden: the arguments are not known"),
            }
            if server.engine.kv_budget.is_none() {
                server.engine.kv_budget = loads
                    .as_deref()
                    .and_then(budget_of_loads)
                    .or_else(|| metrics.as_ref().and_then(budget_of_metrics));
            }
            if server.engine.max_sequences.is_none() {
                server.engine.max_sequences = loads.as_deref().and_then(sequences_of_loads);
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
            let mut gauges = match scrape::metrics(control, "/metrics").await? {
                None => Gauges::nothing(METRICS_OFF),
                Some(exposition) => read_gauges(&exposition, server.chosen_id()),
            };
            if let Some(loads) = loads(control).await {
                take_loads(&mut gauges, &loads);
            }
            Ok(gauges)
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let engine = &mut server.engine;
        let ranks = launch::number(arguments, &["--dp-size", "--dp"]).unwrap_or(1);
        if engine.max_sequences.is_none() {
            engine.max_sequences = launch::number(arguments, &["--max-running-requests"])
                .and_then(|each| u32::try_from(each.saturating_mul(ranks)).ok());
        }
        let word = |names: &[&str]| launch::value(arguments, names).filter(|word| *word != "auto");
        if engine.quantization.is_none() {
            let word = word(&["--quantization"]).or_else(|| word(&["--dtype"]));
            engine.quantization = word.map(str::to_owned);
        }
        if engine.kv_type.is_none() {
            engine.kv_type = word(&["--kv-cache-dtype"]).map(str::to_owned);
        }
    }
}

/// The flat answer: arguments, what the scheduler made of them, and one state per rank.
fn read_info(server: &mut Server, info: &Value) {
    let number = |path: &str| info.pointer(path).and_then(Value::as_u64);
    let text = |key: &str| info.get(key).and_then(Value::as_str).map(str::to_owned);
    let ranks = number("/dp_size").filter(|ranks| *ranks > 0).unwrap_or(1);
    let ranks_usize = usize::try_from(ranks).unwrap_or(1);
    let engine = &mut server.engine;
    engine.version = text("version").or(engine.version.take());
    engine.max_length = engine.max_length.or(number("/context_length"));
    // `auto` means the model's own type, which is not told.
    engine.kv_type = text("kv_cache_dtype");
    engine.quantization = text("quantization").or_else(|| text("dtype").filter(|t| t != "auto"));
    engine.backend = text("device");
    engine.prefix_cache = info
        .get("disable_radix_cache")
        .and_then(Value::as_bool)
        .map(|disabled| !disabled);
    let per_rank = number("/internal_states/0/effective_max_running_requests_per_dp");
    let sequences = per_rank.map_or_else(
        || number("/max_running_requests"),
        |each| Some(each.saturating_mul(ranks)),
    );
    engine.max_sequences = sequences.and_then(|all| u32::try_from(all).ok());
    let page = number("/page_size").unwrap_or(1);
    let told = number("/max_total_num_tokens");
    let in_state = number("/internal_states/0/memory_usage/token_capacity");
    let each = match (told, in_state) {
        (Some(tokens), _) => Some((tokens, "server_info max_total_num_tokens")),
        (None, Some(tokens)) => Some((tokens, "server_info token_capacity")),
        (None, None) => None,
    };
    engine.kv_budget = each
        .filter(|(tokens, _)| *tokens > 0)
        .and_then(|(tokens, source)| {
            TokenBudget::of_ranks(&vec![tokens; ranks_usize], page, source)
        });
    let hybrid = ["token_capacity_swa", "token_capacity_mamba"]
        .iter()
        .any(|key| number(&format!("/internal_states/0/memory_usage/{key}")).is_some());
    if hybrid {
        server.budget_note = Some(
            "KV budget: a hybrid model: its window or state pools may be full before these tokens \
             are"
            .to_owned(),
        );
    }
}

/// One entry per data-parallel rank.
async fn loads(control: &Control) -> Option<Vec<Value>> {
    let answer = scrape::json(control, "/v1/loads").await?;
    let loads = answer.get("loads").unwrap_or(&answer).as_array()?;
    let known = |load: &Value| load.get("num_running_reqs").is_some();
    (!loads.is_empty() && loads.iter().all(known)).then(|| loads.clone())
}

fn budget_of_loads(loads: &[Value]) -> Option<TokenBudget> {
    let tokens: Option<Vec<u64>> = loads
        .iter()
        .map(|load| load.get("max_total_num_tokens")?.as_u64())
        .collect();
    TokenBudget::of_ranks(&tokens?, 1, "v1/loads max_total_num_tokens")
}

fn sequences_of_loads(loads: &[Value]) -> Option<u32> {
    let each: Option<Vec<u64>> = loads
        .iter()
        .map(|load| load.get("max_running_requests")?.as_u64())
        .collect();
    u32::try_from(each?.into_iter().fold(0, u64::saturating_add)).ok()
}

fn budget_of_metrics(exposition: &Exposition) -> Option<TokenBudget> {
    let reading = FAMILIES.reading(exposition, None).ok()?;
    let one = |name: &'static str| {
        let series = per_rank(&reading, &[name], None);
        let tokens: Vec<u64> = series
            .iter()
            .map(|sample| float::round_to_u64(sample.value))
            .filter(|tokens| *tokens > 0)
            .collect();
        Some(tokens).filter(|tokens| !tokens.is_empty())
    };
    let page = one("sglang:page_size").and_then(|pages| pages.first().copied());
    let tokens = one("sglang:max_total_num_tokens")?;
    TokenBudget::of_ranks(&tokens, page.unwrap_or(1), "metrics max_total_num_tokens")
}

/// One series per data-parallel rank: where every tensor-parallel rank reports, the first of them;
/// where priorities are told apart, the series of all.
fn per_rank<'a>(reading: &Reading<'a>, names: &[&str], mode: Option<&str>) -> Vec<&'a Sample> {
    let mut kept: BTreeMap<&str, &Sample> = BTreeMap::new();
    let place = |sample: &Sample| {
        ["pp_rank", "tp_rank", "moe_ep_rank"].map(|label| {
            let rank = sample.label(label).and_then(|rank| rank.parse().ok());
            rank.unwrap_or(0_u32)
        })
    };
    for sample in reading.series(names) {
        let wanted = sample.label("priority").is_none_or(str::is_empty)
            && mode.is_none_or(|mode| sample.label("mode") == Some(mode))
            && sample.value.is_finite();
        if !wanted {
            continue;
        }
        let slot = kept
            .entry(sample.label("dp_rank").unwrap_or_default())
            .or_insert(sample);
        if place(sample) < place(slot) {
            *slot = sample;
        }
    }
    kept.into_values().collect()
}

fn read_gauges(exposition: &Exposition, chosen: Option<&str>) -> Gauges {
    let reading = match FAMILIES.reading(exposition, chosen) {
        Ok(reading) => reading,
        Err(note) => return Gauges::nothing(note),
    };
    let values = |names: Names, mode: Option<&str>| -> Vec<f64> {
        let series = per_rank(&reading, names, mode);
        series.iter().map(|sample| sample.value).collect()
    };
    let sum = |names: Names, mode: Option<&str>| {
        let values = values(names, mode);
        (!values.is_empty()).then(|| values.iter().sum::<f64>())
    };
    let now: Names = &["sglang:realtime_tokens_total"];
    let computed = sum(now, Some("prefill_compute"));
    let cached = sum(now, Some("prefill_cache"));
    let use_of_ranks = values(&["sglang:token_usage"], None);
    let running = values(&["sglang:num_running_reqs"], None);
    Gauges {
        running: sum(&["sglang:num_running_reqs"], None),
        waiting: sum(&["sglang:num_queue_reqs"], None),
        preemptions: sum(&["sglang:num_retracted_requests_total"], None),
        // `generation_tokens_total` advances when a request ends.
        output_tokens: sum(now, Some("decode")),
        prompt_tokens: computed
            .zip(cached)
            .map(|(new, hit)| new + hit)
            .or_else(|| reading.sum(&["sglang:prompt_tokens_total"])),
        prefix_queries: computed
            .zip(cached)
            .map(|(new, hit)| new + hit)
            .or_else(|| reading.sum(&["sglang:prompt_tokens_total"])),
        prefix_hits: cached.or_else(|| reading.sum(&["sglang:cached_tokens_total"])),
        kv_use_mean: mean(&use_of_ranks),
        kv_use_max: use_of_ranks.iter().copied().reduce(f64::max),
        ttft_seconds: histogram(&reading, FAMILIES.ttft, "sum"),
        ttft_count: histogram(&reading, FAMILIES.ttft, "count"),
        engines: u32::try_from(running.len()).unwrap_or(u32::MAX),
        process_start: reading.sum(&["process_start_time_seconds"]),
        notes: exposition.complaint().into_iter().collect(),
        ..Gauges::default()
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / float::from_usize(values.len()))
}

/// The load of every rank in place of what the metrics said.
fn take_loads(gauges: &mut Gauges, loads: &[Value]) {
    let values = |key: &str| -> Vec<f64> {
        loads
            .iter()
            .filter_map(|load| load.get(key)?.as_f64())
            .collect()
    };
    let sum = |key: &str| {
        let values = values(key);
        (!values.is_empty()).then(|| values.iter().sum::<f64>())
    };
    let shares = values("token_usage");
    let fullest = shares.iter().copied().reduce(f64::max);
    gauges.running = sum("num_running_reqs").or(gauges.running);
    gauges.waiting = sum("num_waiting_reqs").or(gauges.waiting);
    gauges.kv_use_mean = mean(&shares).or(gauges.kv_use_mean);
    gauges.kv_use_max = fullest.or(gauges.kv_use_max);
    gauges.engines = u32::try_from(loads.len()).unwrap_or(u32::MAX);
}
