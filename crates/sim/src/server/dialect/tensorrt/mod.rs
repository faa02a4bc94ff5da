//! TensorRT-LLM's `trtllm-serve` 1.2.

mod chunk;
mod metrics;

use serde_json::json;

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::shape::Speech;
use super::openai::prefixed_id;
use super::{Accepts, Content, Interface, Naming, Route, UsageRule, View};
use chunk::Answers;

/// The version that the simulated server claims to be.
const VERSION: &str = "1.2.0";

/// TensorRT-LLM's interface.
#[derive(Debug)]
pub(super) struct TensorRt;

const ROUTES: &[Route] = &[
    Route::get("/health", health),
    Route::get("/health_generate", health),
    Route::get("/version", version),
    Route::get("/v1/models", models),
    Route::get("/metrics", metrics::iterations),
    Route::get("/prometheus/metrics", metrics::page),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

/// Every other field is an error.
const FIELDS: &[&str] = &[
    "model",
    "messages",
    "prompt",
    "prompt_token_ids",
    "max_tokens",
    "max_completion_tokens",
    "min_tokens",
    "ignore_eos",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "seed",
    "n",
    "best_of",
    "stop",
    "stop_token_ids",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "echo",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "cache_salt",
    "add_generation_prompt",
    "add_special_tokens",
    "skip_special_tokens",
    "response_format",
    "tools",
    "tool_choice",
    "reasoning_effort",
    "user",
];

const ACCEPTS: Accepts = Accepts {
    checks_output: false,
    ignore_eos: true,
    min_tokens: Some("min_tokens"),
    naming: Naming::Ignore,
    usage: UsageRule::RunningUnlessDenied,
    options_need_stream: false,
    only: Some(FIELDS),
    ..Accepts::OPENAI
};

impl Interface for TensorRt {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    /// There is no key.
    fn guards(&self, _path: &str) -> bool {
        false
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        prefixed_id(speech, word)
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("trtllm-{VERSION}-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        let body = match error {
            ApiError::Route { .. } => json!({"detail": "Not Found"}),
            ApiError::Method { .. } => json!({"detail": "Method Not Allowed"}),
            other => json!({
                "object": "error",
                "message": message(other),
                "type": "BadRequestError",
                "param": null,
                "code": status,
            }),
        };
        Refused::json(status, &body)
    }
}

fn message(error: &ApiError) -> String {
    let ApiError::Field { field, fault } = error else {
        return error.words();
    };
    let (kind, text) = match fault {
        FieldFault::Missing { .. } => ("missing", "Field required"),
        FieldFault::Refused => ("extra_forbidden", "Extra inputs are not permitted"),
        FieldFault::Type { kind, wanted, .. } => (*kind, *wanted),
    };
    format!("[{{'type': '{kind}', 'loc': ('body', '{field}'), 'msg': '{text}'}}]")
}

fn health(_view: &View<'_>) -> Content {
    Content::empty()
}

fn version(_view: &View<'_>) -> Content {
    Content::json(&json!({"version": VERSION}))
}

fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    view.models(|name| {
        json!({"id": name, "object": "model", "created": created, "owned_by": "tensorrt_llm"})
    })
}
