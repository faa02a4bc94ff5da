//! What Ollama tells of itself.

use serde_json::{Value, json};

use super::super::super::ask;
use super::super::super::error::ApiError;
use super::super::super::stamp;
use super::super::{Content, Naming, View};
use super::VERSION;

/// `GET /`.
pub(super) fn root(_view: &View<'_>) -> Content {
    Content::text("Ollama is running")
}

/// `GET /api/version`.
pub(super) fn version(_view: &View<'_>) -> Content {
    Content::json(&json!({"version": VERSION}))
}

/// `GET /v1/models`.
pub(super) fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    view.models(
        |name| json!({"id": name, "object": "model", "created": created, "owned_by": "library"}),
    )
}

fn details() -> Value {
    json!({
        "parent_model": "", "format": "gguf", "family": "sim", "families": ["sim"],
        "parameter_size": "", "quantization_level": "unknown",
    })
}

/// `GET /api/tags`.
pub(super) fn tags(view: &View<'_>) -> Content {
    let modified = stamp::utc(view.config().epoch_unix_s);
    let models = view.names().map(|name| {
        json!({
            "name": name, "model": name, "modified_at": modified, "size": 0, "digest": "",
            "details": details(),
        })
    });
    Content::json(&json!({"models": models.collect::<Vec<_>>()}))
}

/// `GET /api/ps`: the loaded model, with the context of one sequence.
pub(super) fn processes(view: &View<'_>) -> Content {
    let config = view.config();
    let name = &config.model.served_name;
    Content::json(&json!({"models": [{
        "name": name, "model": name, "size": 0, "digest": "", "details": details(),
        "expires_at": stamp::utc(config.epoch_unix_s + 300), "size_vram": 0,
        "context_length": config.engine.max_model_len,
    }]}))
}

/// `POST /api/show`.
pub(super) fn show(view: &View<'_>) -> Result<Content, ApiError> {
    let config = view.config();
    ask::model(&view.fields()?, Naming::Served, config)?;
    Ok(Content::json(&json!({
        "details": details(),
        "model_info": {
            "general.architecture": "sim",
            "sim.context_length": config.engine.max_model_len,
            "sim.vocab_size": config.model.vocabulary,
        },
        "capabilities": ["completion"],
        "modified_at": stamp::utc(config.epoch_unix_s),
    })))
}
