//! llama.cpp's `llama-server`.
//!
//! `/props` tells the slots and the context of one; whether slots share one pool is not told over
//! HTTP. Load comes from `/metrics`, which is off unless asked for, or else from `/slots`. Closing
//! the connection cancels a request at the next step.

use futures_util::future::BoxFuture;
use http::StatusCode;
use serde_json::Value;
use tokmark_run_format::{LaunchSettings, TokenBudget};
use tokmark_units::{float, format};

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::launch;
use crate::model::{ModelCard, Origin, last_segment, weights_stem};
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "llamacpp:";
const METRICS_OFF: &str = "server metrics: off (llama-server needs --metrics)";

/// llama.cpp.
#[derive(Debug)]
pub(crate) struct LlamaCpp;

impl Adapter for LlamaCpp {
    fn recognises(&self, look: &FirstLook) -> bool {
        let header = look.server_header.as_deref().unwrap_or_default();
        look.is_owned_by("llamacpp") || header.starts_with("llama.cpp") || look.has_metrics(PREFIX)
    }

    /// `TabbyAPI` has such a route, too, without a build.
    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/props",
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|props| props.get("build_info").is_some())
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::Yes,
            return_token_ids: Tri::No,
            cached_tokens: Tri::Yes,
            tokenize: TokenizeKind::LlamaCppTemplateThenTokenize,
            token_prompts: Tri::Yes,
            slot_pinning: true,
            cache_prompt_field: true,
            ..Capabilities::default()
        }
    }

    /// Its slots can be erased only when a folder to save them was given, and its host's memory
    /// keeps prompts besides: there is no reset to rely on.
    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            advice: Advice {
                more_requests: "start llama-server with a larger `--parallel`, and with `-c` as \
                                many times larger when its slots do not share one pool \
                                (`--kv-unified`)",
                longer_context: "start llama-server with a larger `-c`; slots that do not share one \
                                 pool have `-c` divided by `--parallel` each, so that \
                                 `--kv-unified` or fewer slots give longer ones",
                more_cache: "start llama-server with a larger `-c`, or a smaller type (`-ctk q8_0 \
                             -ctv q8_0`)",
                show_gauges: "start llama-server with `--metrics`",
            },
            ..Habits::UNKNOWN
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        Box::pin(read_capacity(server, control))
    }

    fn gauges<'a>(
        &'a self,
        server: &'a Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        Box::pin(async move {
            match scrape::metrics(control, &route(server, "/metrics")).await? {
                Some(exposition) => Ok(read_gauges(&exposition)),
                None => Ok(slots(server, control).await),
            }
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        learn_from_launch(server, arguments);
    }

    /// The context that was asked for is that of all slots, and may have been made smaller.
    fn learn_from_settings(&self, server: &mut Server, settings: &LaunchSettings) {
        let settings = LaunchSettings {
            context: None,
            ..settings.clone()
        };
        launch::fill(&mut server.engine, &settings);
    }
}

/// A control route, naming the model where a router stands in front.
fn route(server: &Server, path: &str) -> String {
    match &server.chosen {
        Some(card) if server.routes_name_model => {
            let query: String = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("model", &card.id)
                .finish();
            format!("{path}?{query}")
        }
        _ => path.to_owned(),
    }
}

async fn read_capacity(server: &mut Server, control: &Control) -> Result<(), IdentifyError> {
    let path = route(server, "/props");
    let props = match control.get(&path).await {
        // The model list is open to everybody here; the other routes want the key that requests want.
        Ok(answer) if answer.status == StatusCode::UNAUTHORIZED => {
            return Err(IdentifyError::Unauthorized {
                authority: control.authority().to_owned(),
                status: answer.status.as_u16(),
                shown: answer.shown(),
            });
        }
        Ok(answer) if answer.status == StatusCode::SERVICE_UNAVAILABLE => {
            return Err(IdentifyError::Loading {
                authority: control.authority().to_owned(),
                shown: answer.shown(),
            });
        }
        Ok(answer) => answer.success_json(),
        Err(_) => None,
    };
    let Some(props) = props else {
        server.note("`/props` is hidden: slots and context are not known");
        return Ok(());
    };
    if props.get("role").and_then(Value::as_str) == Some("router") {
        server.routes_name_model = true;
        server.note("llama-server is a router: limits are those of the chosen model's process");
        return Ok(());
    }
    read_props(server, &props);
    Ok(())
}

fn read_props(server: &mut Server, props: &Value) {
    let text = |key: &str| props.get(key).and_then(Value::as_str).map(str::to_owned);
    let slots = props.get("total_slots").and_then(Value::as_u64);
    let slot_context = props
        .pointer("/default_generation_settings/n_ctx")
        .and_then(Value::as_u64);
    let card = server.chosen.clone().unwrap_or_default();
    server.metrics = props.get("endpoint_metrics").and_then(Value::as_bool);
    if server.metrics == Some(false) {
        server.note(METRICS_OFF);
    }
    server.engine.version = text("build_info").or(server.engine.version.take());
    server.engine.max_length = slot_context;
    server.engine.max_sequences = slots.and_then(|slots| u32::try_from(slots).ok());
    let path = text("model_path");
    server.engine.quantization = text("model_ftype")
        .or(card.weight_type)
        .or_else(|| path.as_deref().and_then(quantization_in_name));
    if let Some(path) = path {
        // The path's folders may name a user; what `describe` makes of it is a file and a hub name.
        for_each_card(server, |card| {
            card.root.get_or_insert_with(|| path.clone());
        });
    }
    if let (Some(slots), Some(slot_context)) = (slots, slot_context) {
        let (budget, note) = budget(slots, slot_context, card.running_context);
        server.engine.kv_budget = Some(budget);
        server.budget_note = note;
    }
}

/// Changes the chosen model's card, in the list, too. A server that is no router has one model.
fn for_each_card(server: &mut Server, change: impl Fn(&mut ModelCard)) {
    let id = server.chosen.as_ref().map(|card| card.id.clone());
    server
        .models
        .iter_mut()
        .filter(|card| Some(&card.id) == id.as_ref())
        .for_each(&change);
    server.chosen.iter_mut().for_each(change);
}

/// The last part of a file name that looks like a quantization, as in `model-Q4_K_M.gguf`.
fn quantization_in_name(path: &str) -> Option<String> {
    let stem = weights_stem(last_segment(path))?;
    let last = stem.rsplit(['-', '.']).next()?.to_uppercase();
    let known = ["Q", "IQ", "TQ", "F16", "F32", "BF16", "MXFP"];
    let has_digit = last.bytes().any(|b| b.is_ascii_digit());
    (has_digit && known.iter().any(|start| last.starts_with(start))).then_some(last)
}

/// The pool, or its lower bound. Slots may share one pool of `slot_context` tokens (unified) or own
/// as much each (split), and HTTP tells only when the model's context is above a slot's.
fn budget(
    slots: u64,
    slot_context: u64,
    running_context: Option<u64>,
) -> (TokenBudget, Option<String>) {
    if slots <= 1 {
        let source = "props n_ctx of the only slot".to_owned();
        return (TokenBudget::of_one(slot_context, 1, source), None);
    }
    let most = slot_context.saturating_mul(slots);
    match running_context {
        Some(pool) if pool > slot_context => (
            TokenBudget::of_one(pool.min(most), 1, "models meta.n_ctx"),
            None,
        ),
        _ => {
            let source = format!("props n_ctx, the lower bound of {slot_context} to {most}");
            let note = format!(
                "KV budget: between {} and {} tokens, because llama-server does not tell whether \
                 its {slots} slots share one pool; the lower bound is used; give `--kv-budget`, or \
                 run on the server's machine, where its command line tells",
                format::count(slot_context),
                format::count(most)
            );
            (TokenBudget::of_one(slot_context, 1, source), Some(note))
        }
    }
}

/// A shared pool is asked for, or is what an automatic number of slots brings; an explicit number
/// of slots alone splits the context.
fn learn_from_launch(server: &mut Server, arguments: &[String]) {
    if let Some(repository) = repository_of(arguments) {
        for_each_card(server, |card| card.repository = Some(repository.clone()));
    }
    let engine = &mut server.engine;
    let keys = launch::value(arguments, &["-ctk", "--cache-type-k"]);
    let values = launch::value(arguments, &["-ctv", "--cache-type-v"]);
    engine.kv_type = match (keys, values) {
        (None, None) => engine.kv_type.take(),
        (Some(keys), Some(values)) if keys == values => Some(keys.to_owned()),
        (keys, values) => Some(format!(
            "{} keys, {} values",
            keys.unwrap_or("f16"),
            values.unwrap_or("f16")
        )),
    };
    let (Some(slots), Some(slot_context)) = (engine.max_sequences, engine.max_length) else {
        return;
    };
    let is_own = Dialect::of_program(arguments) == Some(Dialect::LlamaCpp);
    if slots <= 1 || !is_own || launch::value(arguments, &["--kv-unified-per-slot"]).is_some() {
        return;
    }
    let split_asked = launch::has(arguments, &["--no-kv-unified", "-no-kvu"]);
    let unified_asked = launch::has(arguments, &["--kv-unified", "-kvu"]);
    let explicit_slots = launch::value(arguments, &["-np", "--parallel"])
        .is_some_and(|slots| !slots.starts_with('-'));
    let is_split = split_asked || (explicit_slots && !unified_asked);
    let (tokens, source) = if is_split {
        let tokens = slot_context.saturating_mul(u64::from(slots));
        (tokens, "command line: split slots, n_ctx x slots")
    } else {
        (slot_context, "command line: unified pool, n_ctx")
    };
    engine.kv_budget = Some(TokenBudget::of_one(tokens, 1, source));
    server.budget_note = None;
}

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    running: &["llamacpp:requests_processing"],
    waiting: &["llamacpp:requests_deferred"],
    output_tokens: &["llamacpp:tokens_predicted_total"],
    output_seconds: &["llamacpp:tokens_predicted_seconds_total"],
    prompt_tokens: &["llamacpp:prompt_tokens_total"],
    prefix_hits: &["llamacpp:prompt_tokens_cached_total"],
    drafted: &["llamacpp:spec_decode_num_draft_tokens_total"],
    accepted: &["llamacpp:spec_decode_num_accepted_tokens_total"],
    ..Families::NONE
};

/// Here cached tokens are not among the prompt tokens, and older builds do not count them.
fn read_gauges(exposition: &Exposition) -> Gauges {
    let gauges = FAMILIES.read(exposition, None);
    let both = gauges.prompt_tokens.zip(gauges.prefix_hits);
    Gauges {
        prefix_queries: both.map(|(new, hit)| new + hit),
        ..gauges
    }
}

/// Running requests by the slots, which are shown unless turned off.
async fn slots(server: &Server, control: &Control) -> Gauges {
    let mut gauges = Gauges::nothing(METRICS_OFF);
    let Ok(answer) = control.get(&route(server, "/slots")).await else {
        return gauges;
    };
    if let Some(Value::Array(slots)) = answer.success_json() {
        let busy = slots
            .iter()
            .filter(|slot| slot.get("is_processing").and_then(Value::as_bool) == Some(true))
            .count();
        gauges.running = Some(float::from_usize(busy));
        gauges.engines = 1;
    }
    gauges
}

/// The repository that a command line names, for a server that runs a downloaded file.
fn repository_of(arguments: &[String]) -> Option<String> {
    let name = launch::value(arguments, &["-hf", "-hfr", "--hf-repo"])?;
    Origin::of(name.split(':').next()?).repository
}
