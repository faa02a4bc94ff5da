//! `LMDeploy`.
//!
//! Nothing but its command line tells lengths, sequences or the size of the KV cache. The gauges of
//! its scheduler are refreshed every 10 s.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::launch;
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "lmdeploy:";
const METRICS_OFF: &str = "server metrics: off (LMDeploy runs with --disable-metrics?)";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    absent: METRICS_OFF,
    running: &["lmdeploy:num_requests_running"],
    waiting: &["lmdeploy:num_requests_waiting"],
    output_tokens: &["lmdeploy:generation_tokens_total"],
    prompt_tokens: &["lmdeploy:prompt_tokens_total"],
    prefix_queries: &["lmdeploy:prompt_tokens_total"],
    prefix_hits: &["lmdeploy:cached_tokens_total"],
    kv_use: &["lmdeploy:gpu_cache_usage_perc"],
    drafted: &["lmdeploy:spec_decode_num_draft_tokens_total"],
    accepted: &["lmdeploy:spec_decode_num_accepted_tokens_total"],
    ttft: "lmdeploy:time_to_first_token_seconds",
    ..Families::NONE
};

/// `LMDeploy`.
#[derive(Debug)]
pub(crate) struct LmDeploy;

impl Adapter for LmDeploy {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("lmdeploy") || look.has_metrics(PREFIX)
    }

    /// vLLM has the same route in some versions, and has been recognised before.
    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/is_sleeping",
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|state| state.get("is_sleeping").is_some_and(Value::is_boolean))
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::Yes,
            tokenize: TokenizeKind::LmDeployEncode,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            gauge_age: Duration::from_secs(10),
            advice: Advice {
                more_requests: "start LMDeploy with a larger `--max-batch-size`",
                longer_context: "start LMDeploy with a larger `--session-len`",
                more_cache: "start LMDeploy with a larger `--cache-max-entry-count`, a smaller \
                             type (`--quant-policy 8`), or more GPUs (`--tp`)",
                show_gauges: "start LMDeploy without `--disable-metrics`",
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
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            server.metrics = Some(metrics.is_some_and(|all| all.has_prefix(PREFIX)));
            server.budget_note =
                Some("KV budget: LMDeploy does not tell it; give it with `--kv-budget`".to_owned());
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
                None => Gauges::nothing(METRICS_OFF),
            })
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let engine = &mut server.engine;
        let number = |names: &[&str]| launch::number(arguments, names);
        engine.max_length = number(&["--session-len"]).or(engine.max_length);
        let ranks = number(&["--dp"]).unwrap_or(1);
        engine.max_sequences = number(&["--max-batch-size"])
            .and_then(|each| u32::try_from(each.saturating_mul(ranks)).ok())
            .or(engine.max_sequences);
        engine.kv_type = match number(&["--quant-policy"]) {
            Some(4) => Some("int4".to_owned()),
            Some(8) => Some("int8".to_owned()),
            _ => engine.kv_type.take(),
        };
        let format = launch::value(arguments, &["--model-format"]);
        engine.quantization = format.map(str::to_owned).or(engine.quantization.take());
    }
}
