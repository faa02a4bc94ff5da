//! What `SGLang` tells of itself, and the two things that can be done to it.

use http::StatusCode;
use serde_json::{Value, json};

use super::super::super::error::ApiError;
use super::super::super::field::boolean;
use super::super::super::prompt;
use super::super::{Aborted, Content, View};
use super::VERSION;
use crate::model::RankStats;

/// `GET /health` and its kin.
pub(super) fn health(_view: &View<'_>) -> Content {
    Content::empty()
}

/// `GET /v1/models`.
pub(super) fn models(view: &View<'_>) -> Content {
    let config = view.config();
    view.models(|name| {
        json!({
            "id": name,
            "object": "model",
            "created": config.epoch_unix_s,
            "owned_by": "sglang",
            "root": name,
            "parent": null,
            "max_model_len": config.engine.max_model_len,
        })
    })
}

/// `POST /tokenize`.
pub(super) fn tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let tokens = prompt::tokenize(&view.fields()?, "prompt", view.tokenizer())?;
    Ok(Content::json(&json!({
        "tokens": tokens,
        "count": tokens.len(),
        "max_model_len": view.config().engine.max_model_len,
    })))
}

/// `GET /model_info`.
pub(super) fn model_info(view: &View<'_>) -> Content {
    let model = &view.config().model;
    Content::json(&json!({
        "model_path": model.root,
        "served_model_name": model.served_name,
        "tokenizer_path": model.root,
        "is_generation": true,
        "preferred_sampling_params": null,
        "weight_version": "default",
    }))
}

/// `GET /server_info`: the arguments of the start flat, and the state of every rank.
pub(super) fn server_info(view: &View<'_>) -> Content {
    let config = view.config();
    let engine = &config.engine;
    let states = view.ranks.iter().map(|_| {
        json!({
            "effective_max_running_requests_per_dp": engine.admission_limit(),
            "last_gen_throughput": 0.0,
            "memory_usage": {"weight": 0.0, "kvcache": 0.0, "token_capacity": engine.kv_tokens()},
        })
    });
    Content::json(&json!({
        "model_path": config.model.root,
        "tokenizer_path": config.model.root,
        "served_model_name": config.model.served_name,
        "context_length": engine.max_model_len,
        "dtype": "auto",
        "quantization": null,
        "kv_cache_dtype": config.model.kv_cache_dtype,
        "max_running_requests": engine.admission_limit(),
        "max_queued_requests": null,
        "chunked_prefill_size": engine.max_num_batched_tokens,
        "page_size": engine.block_size,
        "tp_size": 1,
        "pp_size": 1,
        "dp_size": engine.ranks,
        "disable_radix_cache": !engine.prefix_cache,
        "enable_metrics": true,
        "enable_cache_report": config.prompt_tokens_details,
        "speculative_algorithm": engine.speculation.map(|_| "NEXTN"),
        "speculative_num_draft_tokens": engine.speculation.map(|s| s.drafts),
        "stream_interval": 1,
        "status": "ready",
        "max_total_num_tokens": engine.kv_tokens(),
        "max_req_input_len": engine.max_model_len.saturating_sub(6),
        "internal_states": states.collect::<Vec<_>>(),
        "version": VERSION,
    }))
}

/// Tokens of a rank's cache that sequences hold.
pub(super) fn used_tokens(rank: &RankStats, block_size: u32) -> u64 {
    let blocks = rank.used_blocks();
    blocks.saturating_mul(u64::from(block_size))
}

/// `GET /v1/loads`.
pub(super) fn loads(view: &View<'_>) -> Content {
    let engine = &view.config().engine;
    let loads = view.ranks.iter().zip(0u32..).map(|(rank, number)| {
        let used = used_tokens(rank, engine.block_size);
        json!({
            "dp_rank": number,
            "num_running_reqs": rank.running,
            "num_waiting_reqs": rank.waiting,
            "num_used_tokens": used,
            "num_total_tokens": used,
            "max_total_num_tokens": engine.kv_tokens(),
            "max_running_requests": engine.admission_limit(),
            "token_usage": rank.kv_usage(),
            "memory": {"weight_gb": 0.0, "kv_cache_gb": 0.0, "graph_gb": 0.0, "token_capacity": engine.kv_tokens()},
            "queues": {"waiting": rank.waiting, "grammar": 0, "paused": 0, "retracted": 0},
        })
    });
    Content::json(&json!({
        "version": VERSION,
        "accelerator": null,
        "num_accelerators": 1,
        "loads": loads.collect::<Vec<_>>(),
    }))
}

/// The answer of `/flush_cache`.
pub(super) fn flushed(done: bool) -> Content {
    if done {
        Content::text("Cache flushed.\n")
    } else {
        let why = "The cache is not flushed while requests are running or waiting.\n";
        Content::text(why).with(StatusCode::BAD_REQUEST)
    }
}

/// `POST /abort_request`: one request by its `rid`, which is its answer's id, or all.
pub(super) fn abort(view: &View<'_>) -> Result<Aborted, ApiError> {
    let fields = view.fields()?;
    if boolean(&fields, "abort_all")? {
        return Ok(Aborted::All);
    }
    let ids = match fields.get("rid") {
        Some(Value::String(id)) => vec![id.clone()],
        Some(Value::Array(ids)) => ids
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    Ok(Aborted::Ids(ids))
}
