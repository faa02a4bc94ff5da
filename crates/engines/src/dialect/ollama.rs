//! Ollama.
//!
//! The model is loaded by the first request, and only then `/api/ps` tells the context that one
//! sequence got. How many sequences run at once is not told over HTTP; more of them wait without a
//! sign. A prompt that is too long loses its beginning without an error.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokmark_run_format::launch::ENVIRONMENT;
use tokmark_run_format::{LaunchSettings, TokenBudget};

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, FixedLength, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::launch;
use crate::scrape;
use crate::server::Server;

/// Ollama.
#[derive(Debug)]
pub(crate) struct Ollama;

impl Adapter for Ollama {
    /// The owner is the namespace of a model: `library` for the official ones.
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("library")
    }

    fn needs_proof(&self) -> bool {
        true
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/api/version",
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|told| told.get("version").is_some_and(Value::is_string))
            },
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
            cached_tokens: Tri::No,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            loads_on_demand: true,
            queues_silently: true,
            advice: Advice {
                more_requests: "set `OLLAMA_NUM_PARALLEL` in the environment of `ollama serve` (1 \
                                unless set; some model families stay at 1)",
                longer_context: "set `OLLAMA_CONTEXT_LENGTH` in the environment of `ollama serve`",
                more_cache: "set `OLLAMA_KV_CACHE_TYPE=q8_0` (with `OLLAMA_FLASH_ATTENTION=1`) in \
                             the environment of `ollama serve`",
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
            server.metrics = Some(false);
            let version = scrape::json(control, "/api/version").await;
            let version = version
                .as_ref()
                .and_then(|told| told.get("version")?.as_str());
            server.engine.version = version.map(str::to_owned);
            let Some(id) = server.chosen_id().map(str::to_owned) else {
                return Ok(());
            };
            let shown = show(control, &id).await;
            let text = |path: &str| Some(shown.as_ref()?.pointer(path)?.as_str()?.to_owned());
            server.engine.quantization =
                text("/details/quantization_level").filter(|level| level != "unknown");
            server.family = text("/details/family");
            let loaded = loaded(control, &id).await;
            server.engine.max_length = loaded
                .as_ref()
                .and_then(|model| model.get("context_length")?.as_u64())
                .filter(|context| *context > 0);
            if server.engine.max_length.is_none() {
                server.note("the model is not loaded: its context is known after a first request");
            }
            server.note(
                "Ollama cuts a prompt that is longer than its context without an error: the prompt \
                 tokens that it reports tell",
            );
            Ok(())
        })
    }

    /// The arguments of the server that Ollama starts for a model, where they are given.
    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let sequences = launch::number(arguments, &["-np", "--parallel"]);
        let sequences = sequences.and_then(|slots| u32::try_from(slots).ok());
        server.engine.max_sequences = sequences.or(server.engine.max_sequences);
        let kv_type = launch::value(arguments, &["-ctk", "--cache-type-k"]);
        server.engine.kv_type = kv_type.map(str::to_owned).or(server.engine.kv_type.take());
    }

    /// Its settings stand in the environment of its process.
    fn learn_from_settings(&self, server: &mut Server, settings: &LaunchSettings) {
        let alone = server.family.as_deref().is_some_and(runs_alone);
        let sequences = settings
            .max_sequences
            .map(|most| if alone { 1 } else { most });
        let settings = LaunchSettings {
            max_sequences: sequences,
            ..settings.clone()
        };
        launch::fill(&mut server.engine, &settings);
    }

    /// Every sequence has the whole context to itself.
    fn settle(&self, server: &mut Server) {
        let source = budget_source(server);
        let engine = &mut server.engine;
        let sequences = engine.max_sequences.filter(|sequences| *sequences > 0);
        engine.kv_budget = engine
            .max_length
            .zip(sequences)
            .map(|(context, sequences)| {
                let tokens = context.saturating_mul(u64::from(sequences));
                TokenBudget::of_one(tokens, 1, source.clone())
            });
        server.budget_note = engine.kv_budget.is_none().then(|| {
            "KV budget: Ollama does not tell how many requests it runs at once; give \
             `--max-sequences` (its OLLAMA_NUM_PARALLEL), or `--kv-budget`"
                .to_owned()
        });
    }
}

/// Families of which Ollama runs one request at a time, whatever its environment says.
const ALONE: [&str; 6] = [
    "lfm2",
    "mllama",
    "nemotron_h",
    "qwen35",
    "qwen3next",
    "qwen3vl",
];

fn runs_alone(family: &str) -> bool {
    ALONE.iter().any(|alone| family.starts_with(alone))
}

/// Context times sequences, each by where it is from.
fn budget_source(server: &Server) -> String {
    let (settings, engine) = (&server.launch_settings, &server.engine);
    let context = engine.max_length == settings.context && settings.is_from_environment("context");
    let sequences = engine.max_sequences == settings.max_sequences
        && settings.is_from_environment("max_sequences");
    match (context, sequences) {
        (true, true) => {
            format!("{ENVIRONMENT}: OLLAMA_CONTEXT_LENGTH x OLLAMA_NUM_PARALLEL")
        }
        (false, true) => format!("api/ps context_length x OLLAMA_NUM_PARALLEL, {ENVIRONMENT}"),
        (_, false) => "api/ps context_length x sequences".to_owned(),
    }
}

/// What `/api/show` says of a model.
async fn show(control: &Control, id: &str) -> Option<Value> {
    let asked = control
        .post_json("/api/show", &json!({ "model": id }))
        .await;
    asked.ok()?.success_json()
}

/// The entry of a loaded model; a name without a tag means the tag `latest`.
async fn loaded(control: &Control, id: &str) -> Option<Value> {
    let answer = scrape::json(control, "/api/ps").await?;
    let latest = format!("{id}:latest");
    let is_it = |model: &&Value| {
        ["name", "model"].iter().any(|key| {
            let name = model.get(key).and_then(Value::as_str);
            name == Some(id) || name == Some(latest.as_str())
        })
    };
    answer
        .get("models")?
        .as_array()?
        .iter()
        .find(is_it)
        .cloned()
}
