//! LM Studio.
//!
//! `/api/v0/models` lists what is there and what is loaded; newer versions have `/api/v1/models`
//! with the settings of each loaded instance. A model may be loaded by its first request.

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::scrape;
use crate::server::Server;

const MODELS: &str = "/api/v0/models";

/// LM Studio.
#[derive(Debug)]
pub(crate) struct LmStudio;

/// Whether a list has the fields that only this server's has.
fn is_list(list: &Value) -> bool {
    let entries = list.get("data").and_then(Value::as_array);
    entries.is_some_and(|entries| {
        let known = |entry: &Value| {
            entry.get("state").is_some() && entry.get("compatibility_type").is_some()
        };
        !entries.is_empty() && entries.iter().all(known)
    })
}

impl Adapter for LmStudio {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("organization_owner")
    }

    fn needs_proof(&self) -> bool {
        true
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: MODELS,
            accepts: |answer| answer.json().as_ref().is_some_and(is_list),
        })
    }

    /// It has no word on `ignore_eos`: the first request shows whether it is taken.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnectionUnverified,
            loads_on_demand: true,
            queues_silently: true,
            advice: Advice {
                more_requests: "load the model with more parallel predictions (`lms load \
                                --parallel N`, or Max Concurrent Predictions among the model's \
                                load parameters)",
                longer_context: "load the model with a larger context (`lms load \
                                 --context-length N`)",
                more_cache: "load the model with a larger context (`lms load --context-length N`)",
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
            server.engine.version = None;
            let list = scrape::json(control, MODELS).await.filter(is_list);
            let entries = list
                .as_ref()
                .and_then(|list| list.get("data")?.as_array())
                .cloned()
                .unwrap_or_default();
            leave_out_embeddings(server, &entries);
            let Some(id) = server.chosen_id().map(str::to_owned) else {
                return Ok(());
            };
            if let Some(entry) = entries.iter().find(|entry| named(entry, "id") == Some(&id)) {
                read_entry(server, entry);
            }
            if let Some(instance) = instance(control, &id).await {
                let number = |key: &str| instance.pointer(&format!("/config/{key}"))?.as_u64();
                server.engine.max_length = number("context_length").or(server.engine.max_length);
                server.engine.max_sequences =
                    number("parallel").and_then(|all| u32::try_from(all).ok());
            }
            if server.engine.max_length.is_none() {
                server.note("the model is not loaded: its context is known after a first request");
            }
            server.budget_note = Some(
                "KV budget: LM Studio does not tell it; give it with `--kv-budget`".to_owned(),
            );
            Ok(())
        })
    }
}

fn named<'a>(entry: &'a Value, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

/// Models that answer no chat are listed, too.
fn leave_out_embeddings(server: &mut Server, entries: &[Value]) {
    let is_embedding = |id: &str| {
        entries.iter().any(|entry| {
            named(entry, "id") == Some(id)
                && matches!(named(entry, "type"), Some("embeddings" | "embedding"))
        })
    };
    server.models.retain(|card| !is_embedding(&card.id));
    if let ([only], None) = (server.models.as_slice(), &server.chosen) {
        server.chosen = Some(only.clone());
    }
}

/// The length that counts is that of the loaded instance, not what the model could have.
fn read_entry(server: &mut Server, entry: &Value) {
    let loaded = named(entry, "state") == Some("loaded");
    let engine = &mut server.engine;
    engine.quantization = named(entry, "quantization").map(str::to_owned);
    engine.build = named(entry, "compatibility_type").map(|kind| format!("{kind} runtime"));
    engine.max_length = entry
        .get("loaded_context_length")
        .and_then(Value::as_u64)
        .filter(|length| loaded && *length > 0);
}

/// The loaded instance in the list of newer versions.
async fn instance(control: &Control, id: &str) -> Option<Value> {
    let list = scrape::json(control, "/api/v1/models").await?;
    let models = list.get("models")?.as_array()?.iter();
    let instances = models.filter_map(|model| {
        let instances = model.get("loaded_instances")?.as_array()?;
        let by_key = named(model, "key") == Some(id);
        let by_id = instances.iter().find(|one| named(one, "id") == Some(id));
        by_id.or_else(|| instances.first().filter(|_| by_key))
    });
    instances.into_iter().next().cloned()
}
