//! TabbyAPI of August 2026: carriage returns in its streams, and usage with a choice beside it.

use serde_json::json;
use tokmark_units::Nanos;

use super::super::error::{ApiError, Refused};
use super::super::json::Object;
use super::super::prompt;
use super::super::shape::{Chunks, Framing, Head, Shape, Speech, Step};
use super::{Accepts, Content, Fit, Interface, Naming, Route, UsageRule, View};
use crate::model::Finish;

/// TabbyAPI's interface.
#[derive(Debug)]
pub(super) struct TabbyApi;

const ROUTES: &[Route] = &[
    Route::get("/health", health),
    Route::get("/.well-known/serviceinfo", service_info),
    Route::get("/v1/models", models),
    Route::get("/v1/model", model),
    Route::get("/props", props),
    Route::post("/v1/token/encode", encode),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

const LIMITS: &[&str] = &["max_tokens", "max_completion_tokens", "max_length"];

/// `ignore_eos` is accepted and does nothing.
const ACCEPTS: Accepts = Accepts {
    chat_limits: LIMITS,
    text_limits: LIMITS,
    text_tokens: None,
    checks_output: false,
    fit: Fit::Cap,
    min_tokens: Some("min_tokens"),
    naming: Naming::Ignore,
    usage: UsageRule::Last,
    options_need_stream: false,
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for TabbyApi {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    fn guards(&self, path: &str) -> bool {
        path != "/health" && !path.starts_with("/.well-known/")
    }

    fn key_header(&self) -> Option<&'static str> {
        Some("x-api-key")
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        let id = format!("{word:016x}{:016x}", crate::rng::mix(word));
        match speech {
            Speech::Chat => format!("chatcmpl-{id}"),
            Speech::Text => format!("cmpl-{id}"),
        }
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("tabby-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        let body = match error {
            ApiError::Route { .. } => json!({"detail": "Not Found"}),
            ApiError::Method { .. } => json!({"detail": "Method Not Allowed"}),
            ApiError::Key => json!({"detail": "Please provide an API key"}),
            ApiError::PromptTooLong { prompt, longest } => {
                let message = format!(
                    "Prompt length {prompt} exceeds the available context size of {longest} tokens"
                );
                object(&message, Some("context_length_exceeded"))
            }
            other => object(&other.words(), None),
        };
        Refused::json(status, &body)
    }
}

fn object(message: &str, code: Option<&str>) -> serde_json::Value {
    let kind = "invalid_request_error";
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn health(_view: &View<'_>) -> Content {
    Content::json(&json!({"status": "healthy", "issues": []}))
}

/// The version is a constant of the file, not the program's.
fn service_info(_view: &View<'_>) -> Content {
    Content::json(&json!({
        "version": 0.1,
        "software": {
            "name": "TabbyAPI",
            "version": 1,
            "repository": "https://github.com/theroyallab/tabbyAPI",
            "homepage": "https://github.com/theroyallab/tabbyAPI",
        },
        "api": {"openai": {"name": "OpenAI API", "relative_url": "/v1", "version": 1}},
    }))
}

fn card(view: &View<'_>, name: &str) -> serde_json::Value {
    let created = view.config().epoch_unix_s;
    json!({"id": name, "object": "model", "created": created, "owned_by": "tabbyAPI"})
}

fn models(view: &View<'_>) -> Content {
    view.models(|name| card(view, name))
}

/// The loaded model, with all that there is to know of its capacity.
fn model(view: &View<'_>) -> Content {
    let config = view.config();
    let engine = &config.engine;
    let mut card = card(view, &config.model.served_name);
    let parameters = json!({
        "max_seq_len": engine.max_model_len,
        "cache_size": engine.kv_tokens().saturating_mul(u64::from(engine.ranks)),
        "cache_mode": config.model.kv_cache_dtype,
        "rope_scale": 1.0,
        "rope_alpha": 1.0,
        "max_batch_size": engine.admission_limit(),
        "chunk_size": engine.max_num_batched_tokens,
        "prompt_template": "sim",
        "use_vision": false,
    });
    if let Some(fields) = card.as_object_mut() {
        fields.insert("parameters".to_owned(), parameters);
    }
    Content::json(&card)
}

/// Fewer properties than llama.cpp has.
fn props(view: &View<'_>) -> Content {
    let engine = &view.config().engine;
    Content::json(&json!({
        "total_slots": engine.admission_limit(),
        "chat_template": "sim",
        "default_generation_settings": {"n_ctx": engine.max_model_len},
    }))
}

/// A text, or a list of messages under the same name.
fn encode(view: &View<'_>) -> Result<Content, ApiError> {
    let mut fields = view.fields()?;
    if fields.get("text").is_some_and(serde_json::Value::is_array)
        && let Some(messages) = fields.remove("text")
    {
        fields.insert("messages".to_owned(), messages);
    }
    let tokens = prompt::tokenize(&fields, "text", view.tokenizer())?;
    Ok(Content::json(
        &json!({"tokens": tokens, "length": tokens.len()}),
    ))
}

/// The two routes.
#[derive(Debug)]
struct Answers(Speech);

impl Answers {
    /// What opens a chunk; completions name the model otherwise.
    fn head(
        &self,
        head: &Head,
        whole: bool,
        choice: impl FnOnce(&mut Object<'_>),
        chunk: &mut Object<'_>,
    ) {
        chunk.text("id", &head.id);
        chunk.only("choices", choice);
        chunk.number("created", head.created);
        match self.0 {
            Speech::Chat => {
                chunk.text("model", &head.model);
                let object = if whole {
                    "chat.completion"
                } else {
                    "chat.completion.chunk"
                };
                chunk.text("object", object);
            }
            Speech::Text => {
                chunk.text("model_name", &head.model);
                chunk.text("object", "text_completion");
            }
        }
    }

    fn text(&self, step: &Step<'_>, member: &str, choice: &mut Object<'_>) {
        match self.0 {
            Speech::Chat => choice.object(member, |delta| {
                if member == "message" {
                    delta.text("role", "assistant");
                }
                if let Some(said) = step.delta.said() {
                    delta.text("content", said);
                }
                if let Some(thought) = step.delta.thought() {
                    delta.text("reasoning_content", thought);
                }
            }),
            Speech::Text => choice.text("text", &step.delta.content),
        }
    }

    /// The end beside an empty text.
    fn end(&self, step: &Step<'_>, choice: &mut Object<'_>) {
        choice.number("index", 0u32);
        ending(step, choice);
        match self.0 {
            Speech::Chat => choice.object("delta", |_| {}),
            Speech::Text => choice.text("text", ""),
        }
    }
}

fn ending(step: &Step<'_>, choice: &mut Object<'_>) {
    if let Some(finish) = step.finish_word() {
        choice.text("finish_reason", finish);
    }
    if let Some(finish) = step.finish {
        let reason = match finish {
            Finish::Stop => "stop_token",
            Finish::Length => "max_new_tokens",
            Finish::Abort => "cancelled",
        };
        choice.text("eos_reason", reason);
    }
}

/// Counts, seconds, and tokens a second.
fn usage(step: &Step<'_>, chunk: &mut Object<'_>) {
    let rate = |tokens: u32, span: Nanos| {
        let seconds = span.as_secs_f64();
        if seconds > 0.0 {
            f64::from(tokens) / seconds
        } else {
            0.0
        }
    };
    let (prompt, decode) = (step.times.prompt(), step.times.decode());
    chunk.object("usage", |usage| {
        usage.number("prompt_tokens", step.tally.prompt);
        usage.float("prompt_time", prompt.as_secs_f64());
        let computed = step.tally.prompt.saturating_sub(step.tally.cached);
        usage.float("prompt_tokens_per_sec", rate(computed, prompt));
        usage.number("completion_tokens", step.tally.completion);
        usage.float("completion_time", decode.as_secs_f64());
        usage.float(
            "completion_tokens_per_sec",
            rate(step.tally.completion, decode),
        );
        usage.number("total_tokens", step.tally.total());
        usage.float("total_time", step.times.total().as_secs_f64());
    });
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn framing(&self) -> Framing {
        Framing::EventsCrlf
    }

    /// With usage the finish reason waits for the chunk of the usage.
    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        let counted = step.wishes.usage.last;
        chunks.tokens(|chunk| {
            let choice = |choice: &mut Object<'_>| {
                choice.number("index", 0u32);
                if !counted {
                    ending(step, choice);
                }
                self.text(step, "delta", choice);
            };
            self.head(head, false, choice, chunk);
        });
        if step.finish.is_none() {
            return;
        }
        if counted {
            chunks.aside(|chunk| {
                self.head(head, false, |choice| self.end(step, choice), chunk);
                usage(step, chunk);
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        chunks.aside(|chunk| {
            chunk.object("error", |error| {
                error.text("message", "The engine failed while it generated.");
                error.text("trace", "");
            });
        });
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        let choice = |choice: &mut Object<'_>| {
            choice.number("index", 0u32);
            ending(step, choice);
            self.text(step, "message", choice);
        };
        self.head(head, true, choice, out);
        usage(step, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::shape::{UsageWish, Wishes};
    use super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_finish_reason_waits_for_the_usage() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        let plain = check::written(&chat, &head, &step(&delta, true, true));
        assert_eq!(
            plain,
            [
                r#"{"id":"x-1","choices":[{"index":0,"finish_reason":"length","eos_reason":"max_new_tokens","delta":{"content":" a"}}],"created":7,"model":"m","object":"chat.completion.chunk"}"#,
                "[DONE]",
            ]
        );
        let wishes = Wishes {
            usage: UsageWish {
                every: false,
                last: true,
            },
            ..Wishes::default()
        };
        let counted = Step {
            wishes,
            ..step(&delta, true, true)
        };
        let chunks = check::written(&Answers(Speech::Text), &head, &counted);
        assert_eq!(
            chunks,
            [
                r#"{"id":"x-1","choices":[{"index":0,"text":" a"}],"created":7,"model_name":"m","object":"text_completion"}"#,
                r#"{"id":"x-1","choices":[{"index":0,"finish_reason":"length","eos_reason":"max_new_tokens","text":""}],"created":7,"model_name":"m","object":"text_completion","usage":{"prompt_tokens":51,"prompt_time":0.003,"prompt_tokens_per_sec":333.3333333333333,"completion_tokens":2,"completion_time":0.002,"completion_tokens_per_sec":1000.0,"total_tokens":53,"total_time":0.006}}"#,
                "[DONE]",
            ]
        );
    }
}
