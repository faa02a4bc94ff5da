//! What llama.cpp tells of itself: models, properties, slots, metrics, tokens.

use http::StatusCode;
use serde_json::{Value, json};
use tokmark_units::float;

use super::super::super::error::ApiError;
use super::super::super::exposition::Exposition;
use super::super::super::field::boolean;
use super::super::super::prompt;
use super::super::{Content, View};
use crate::config::SimConfig;
use crate::model::{Counters, SequenceStats};
use crate::tokenizer::Tokenizer;

/// The type of its JSON pages.
const JSON: &str = "application/json; charset=utf-8";

fn page(value: &Value) -> Content {
    Content::of(JSON, value.to_string())
}

/// `GET /health`.
pub(super) fn health(_view: &View<'_>) -> Content {
    page(&json!({"status": "ok"}))
}

/// `GET /v1/models`: `OpenAI`'s list, and one that imitates Ollama's.
pub(super) fn models(view: &View<'_>) -> Content {
    let config = view.config();
    let name = &config.model.served_name;
    let aliases: Vec<_> = view.names().collect();
    page(&json!({
        "models": [{
            "name": name, "model": name, "modified_at": "", "size": "", "digest": "",
            "type": "model", "description": "", "tags": [""], "capabilities": ["completion"],
            "parameters": "",
            "details": {
                "parent_model": "", "format": "gguf", "family": "", "families": [""],
                "parameter_size": "", "quantization_level": "",
            },
        }],
        "object": "list",
        "data": [{
            "id": name,
            "aliases": aliases,
            "tags": [],
            "object": "model",
            "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
            "created": config.epoch_unix_s,
            "owned_by": "llamacpp",
            "meta": {
                "vocab_type": 2,
                "n_vocab": config.model.vocabulary,
                "n_ctx": config.engine.max_model_len,
                "n_ctx_train": config.engine.max_model_len,
            },
        }],
    }))
}

/// The parallel sequences that there are.
fn slot_count(config: &SimConfig) -> u32 {
    let engine = &config.engine;
    engine.admission_limit().saturating_mul(engine.ranks)
}

/// `GET /props`.
pub(super) fn props(view: &View<'_>) -> Content {
    let config = view.config();
    page(&json!({
        "default_generation_settings": {
            "params": {
                "seed": u32::MAX, "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05,
                "max_tokens": -1, "n_predict": -1, "ignore_eos": false, "stream": false,
                "timings_per_token": false,
            },
            "n_ctx": config.engine.max_model_len,
        },
        "total_slots": slot_count(config),
        "model_alias": config.model.served_name,
        "model_path": format!("{}.gguf", config.model.root),
        "modalities": {"vision": false, "video": false, "audio": false},
        "endpoint_slots": true,
        "endpoint_props": false,
        "endpoint_metrics": true,
        "chat_template": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' \
                          + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}\
                          {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "build_info": view.shared.fingerprint(),
        "is_sleeping": false,
    }))
}

/// `GET /slots`.
pub(super) fn slots(view: &View<'_>) -> Content {
    let config = view.config();
    let mut busy = view.ranks.iter().flat_map(|rank| &rank.sequences);
    let slots = (0..slot_count(config)).map(|id| slot(id, busy.next(), config));
    page(&Value::Array(slots.collect()))
}

fn slot(id: u32, sequence: Option<&SequenceStats>, config: &SimConfig) -> Value {
    let mut slot = json!({
        "id": id,
        "n_ctx": config.engine.max_model_len,
        "speculative": config.engine.speculation.is_some(),
        "is_processing": sequence.is_some(),
    });
    if let (Some(sequence), Value::Object(fields)) = (sequence, &mut slot) {
        let computed = sequence.computed.min(sequence.prompt_tokens);
        let left = sequence.output_tokens.saturating_sub(sequence.generated);
        let more = json!({
            "id_task": sequence.id.0,
            // The slot's tokens, those of the answer included.
            "n_prompt_tokens": sequence.prompt_tokens.saturating_add(sequence.generated),
            "n_prompt_tokens_processed": computed.saturating_sub(sequence.cached_tokens),
            "n_prompt_tokens_cache": sequence.cached_tokens,
            "params": {"n_predict": sequence.output_tokens, "stream": true},
            "next_token": [{
                "has_next_token": left > 0,
                "has_new_line": false,
                "n_remain": left,
                "n_decoded": sequence.generated,
            }],
        });
        if let Value::Object(more) = more {
            fields.extend(more);
        }
    }
    slot
}

/// `POST /slots/{id}`: a server that was given no place for saved slots refuses all actions.
pub(super) fn slot_action(_view: &View<'_>) -> Content {
    let error = json!({
        "code": 501,
        "message": "This server does not support slots action. Start it with `--slot-save-path`",
        "type": "not_supported_error",
    });
    page(&json!({"error": error})).with(StatusCode::NOT_IMPLEMENTED)
}

/// `POST /tokenize`; special tokens in the text are tokens, as the template needs it.
pub(super) fn tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let fields = view.fields()?;
    let text = fields.get("content").and_then(Value::as_str);
    let text = text.unwrap_or_default();
    let tokens = view.tokenizer().encode_special(text);
    if boolean(&fields, "with_pieces")? {
        let pieces = Tokenizer::pieces(text);
        let pieces = pieces.map(|piece| json!({"id": view.tokenizer().id(piece), "piece": piece}));
        return Ok(page(&json!({"tokens": pieces.collect::<Vec<_>>()})));
    }
    Ok(page(&json!({"tokens": tokens})))
}

/// `POST /apply-template`.
pub(super) fn apply_template(view: &View<'_>) -> Result<Content, ApiError> {
    let messages = prompt::messages(&view.fields()?)?;
    Ok(page(
        &json!({"prompt": Tokenizer::template(&messages, true)}),
    ))
}

/// `GET /metrics`. Tokens are counted when their request ends, and cached ones are not among those
/// of the prompt.
pub(super) fn metrics(view: &View<'_>) -> Content {
    let mut out = Exposition::new(view.ranks, |_| Vec::new()).short_numbers();
    let name = |name: &str| format!("llamacpp:{name}");
    let mut counter = |short: &str, help: &str, value: &dyn Fn(&Counters) -> f64| {
        out.sum(&name(short), "counter", help, |rank| value(&rank.counters));
    };
    counter(
        "prompt_tokens_total",
        "Prompt tokens that were computed.",
        &|c| float::from_u64(c.prompt_tokens.saturating_sub(c.cached_prompt_tokens)),
    );
    counter(
        "prompt_tokens_cached_total",
        "Prompt tokens that came from the cache.",
        &|c| float::from_u64(c.cached_prompt_tokens),
    );
    counter("prompt_seconds_total", "Seconds of prompts.", &|c| {
        c.ttft_s.sum()
    });
    counter("tokens_predicted_total", "Generated tokens.", &generated);
    counter(
        "tokens_predicted_seconds_total",
        "Seconds of generation.",
        &|c| c.gap_s.sum(),
    );
    counter("n_decode_total", "Decode calls.", &|c| {
        float::from_u64(c.steps)
    });
    counter(
        "spec_decode_num_draft_tokens_total",
        "Drafted tokens.",
        &|c| float::from_u64(c.draft_tokens),
    );
    counter(
        "spec_decode_num_accepted_tokens_total",
        "Accepted tokens.",
        &|c| float::from_u64(c.accepted_by_position.iter().sum()),
    );
    counter("spec_decode_num_drafts_total", "Verifications.", &|c| {
        float::from_u64(c.drafts)
    });
    let gauges: [(&str, &str, f64); 3] = [
        (
            "predicted_tokens_seconds",
            "Generated tokens a second.",
            rate(view),
        ),
        (
            "requests_processing",
            "Requests that run.",
            f64::from(view.running()),
        ),
        (
            "requests_deferred",
            "Requests that wait.",
            f64::from(view.waiting()),
        ),
    ];
    for (short, help, value) in gauges {
        out.family(&name(short), "gauge", help);
        out.line(&name(short), &[], value);
    }
    Content::of("text/plain; version=0.0.4", out.text())
}

fn generated(counters: &Counters) -> f64 {
    counters.request_generation_tokens.sum()
}

fn rate(view: &View<'_>) -> f64 {
    let sum = |of: fn(&Counters) -> f64| -> f64 {
        view.ranks.iter().map(|rank| of(&rank.counters)).sum()
    };
    let seconds = sum(|c| c.gap_s.sum());
    if seconds > 0.0 {
        sum(generated) / seconds
    } else {
        0.0
    }
}
