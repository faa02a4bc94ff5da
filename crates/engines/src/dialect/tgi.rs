//! Text Generation Inference.
//!
//! `/info` tells lengths and version, the metrics tell the KV budget and the batch. There is no way
//! to make an answer go on behind its end, and the output of a request is reserved from the start.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;
use tokmark_units::float;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, FixedLength, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::launch;
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "tgi_";
const BUDGET: &str = "tgi_batch_max_total_tokens";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    running: &["tgi_batch_current_size"],
    waiting: &["tgi_queue_size"],
    // Both sums advance when a request ends.
    output_tokens: &["tgi_request_generated_tokens_sum"],
    prompt_tokens: &["tgi_request_input_length_sum"],
    ..Families::NONE
};

/// Text Generation Inference.
#[derive(Debug)]
pub(crate) struct Tgi;

fn is_info(info: &Value) -> bool {
    let router = info.get("router").and_then(Value::as_str);
    router == Some("text-generation-router")
        || (info.get("max_total_tokens").is_some() && info.get("model_id").is_some())
}

impl Adapter for Tgi {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.has_metrics(PREFIX)
    }

    /// In its list a model is owned by itself, which is no name to go by.
    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/info",
            accepts: |answer| answer.json().as_ref().is_some_and(is_info),
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::No,
            fixed_length: FixedLength::Never,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            tokenize: TokenizeKind::Tgi,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            reserves_output: true,
            advice: Advice {
                more_requests: "start TGI with a larger `--max-batch-size` or \
                                `--max-batch-total-tokens`, and `--max-concurrent-requests` above \
                                the requests that are sent",
                longer_context: "start TGI with a larger `--max-total-tokens` and \
                                 `--max-input-tokens`",
                more_cache: "start TGI with a larger `--max-batch-total-tokens` or \
                             `--cuda-memory-fraction`, or measure with a smaller `--max-output`: \
                             every request reserves it",
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
            match scrape::json(control, "/info").await.filter(is_info) {
                Some(info) => {
                    let text = |key: &str| info.get(key).and_then(Value::as_str).map(str::to_owned);
                    server.engine.version = text("version").or(server.engine.version.take());
                    server.engine.build = text("docker_label");
                    server.engine.max_length = info.get("max_total_tokens").and_then(Value::as_u64);
                }
                None => server.note("`/info` is hidden: version and lengths are not known"),
            }
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            server.metrics = Some(metrics.as_ref().is_some_and(|all| all.has_prefix(PREFIX)));
            let budget = metrics.as_ref().and_then(budget);
            if budget.is_none() {
                server.budget_note =
                    Some("KV budget: the server does not tell it; give `--kv-budget`".to_owned());
            }
            server.engine.kv_budget = budget;
            Ok(())
        })
    }

    fn gauges<'a>(
        &'a self,
        _server: &'a Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        Box::pin(async move {
            Ok(match scrape::metrics(control, "/metrics").await? {
                Some(exposition) => read_gauges(&exposition),
                None => Gauges::nothing("server metrics: hidden"),
            })
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let engine = &mut server.engine;
        let word = |names: &[&str]| launch::value(arguments, names).map(str::to_owned);
        engine.max_sequences = launch::number(arguments, &["--max-batch-size"])
            .and_then(|size| u32::try_from(size).ok())
            .or(engine.max_sequences);
        engine.quantization = word(&["--quantize"])
            .or_else(|| word(&["--dtype"]))
            .or(engine.quantization.take());
        engine.kv_type = word(&["--kv-cache-dtype"]).or(engine.kv_type.take());
    }
}

fn budget(exposition: &Exposition) -> Option<TokenBudget> {
    let reading = FAMILIES.reading(exposition, None).ok()?;
    let tokens = float::round_to_u64(reading.sum(&[BUDGET])?);
    (tokens > 0).then(|| TokenBudget::of_one(tokens, 1, format!("metrics {BUDGET}")))
}

/// A gauge is absent until it is first set, which the first request does: until then nothing runs.
/// The tokens of the batch are those that are reserved.
fn read_gauges(exposition: &Exposition) -> Gauges {
    let gauges = FAMILIES.read(exposition, None);
    let Ok(reading) = FAMILIES.reading(exposition, None) else {
        return gauges;
    };
    let reserved = reading.sum(&["tgi_batch_current_max_tokens"]);
    let all = reading.sum(&[BUDGET]).filter(|tokens| *tokens > 0.0);
    let share = reserved.zip(all).map(|(reserved, all)| reserved / all);
    Gauges {
        running: gauges.running.or(Some(0.0)),
        waiting: gauges.waiting.or(Some(0.0)),
        kv_use_mean: share,
        kv_use_max: share,
        engines: 1,
        ..gauges
    }
}
