//! llm-d's inference simulator, which imitates vLLM without a model: what it brings is synthetic.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::dialect::vllm;
use crate::error::IdentifyError;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::scrape;
use crate::server::Server;

const CONFIG: &str = "/admin/config";

/// llm-d's inference simulator.
#[derive(Debug)]
pub(crate) struct LlmDSim;

impl Adapter for LlmDSim {
    /// It looks like a vLLM that tells no version.
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("vllm") && look.version.is_none()
    }

    fn needs_proof(&self) -> bool {
        true
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: CONFIG,
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|config| setting(&config, "max-num-seqs").is_some())
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            cached_tokens: Tri::Yes,
            tokenize: TokenizeKind::VllmMessages,
            token_prompts: Tri::Yes,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnectionUnverified,
            advice: Advice {
                more_requests: "start the simulator with a larger `--max-num-seqs`",
                longer_context: "start the simulator with a larger `--max-model-len`",
                more_cache: "start the simulator with a larger `--kv-cache-size`",
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
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            let present = vllm::FAMILIES.present;
            server.metrics = Some(metrics.is_some_and(|all| all.has_prefix(present)));
            server.note("a simulator: nothing that it brings says anything about hardware");
            if let Some(config) = scrape::json(control, CONFIG).await {
                read_config(server, &config);
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
                Some(exposition) => vllm::FAMILIES.read(&exposition, server.chosen_id()),
                None => Gauges::nothing("server metrics: off"),
            })
        })
    }
}

/// A setting under its flag's name, with hyphens or underscores.
fn setting<'a>(config: &'a Value, flag: &str) -> Option<&'a Value> {
    config
        .get(flag)
        .or_else(|| config.get(flag.replace('-', "_")))
}

/// Without its cache turned on, the blocks in its metrics are only a label.
fn read_config(server: &mut Server, config: &Value) {
    let number = |flag: &str| setting(config, flag)?.as_u64().filter(|n| *n > 0);
    let ranks = number("data-parallel-size").unwrap_or(1);
    let enforced = setting(config, "enable-kvcache").and_then(Value::as_bool) == Some(true);
    let engine = &mut server.engine;
    // Its ranks listen on ports of their own: this port is one of them.
    engine.max_sequences = number("max-num-seqs").and_then(|all| u32::try_from(all).ok());
    engine.prefix_cache = Some(enforced);
    let blocks = number("kv-cache-size").zip(number("block-size"));
    engine.kv_budget = blocks.filter(|_| enforced).map(|(blocks, block)| {
        let source = "admin/config kv-cache-size x block-size";
        TokenBudget::of_one(blocks.saturating_mul(block), block, source)
    });
    server.budget_note = (!enforced).then(|| {
        "KV budget: none is enforced (the simulator runs without `--enable-kvcache`)".to_owned()
    });
    if ranks > 1 {
        server.note(format!(
            "{ranks} ranks listen on as many ports: this is one of them"
        ));
    }
}
