//! `transformers serve` 5.19: fields are checked by name, usage stands beside the finish reason, and
//! no mark ends a stream.

use serde_json::{Value, json};

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::json::Object;
use super::super::shape::{Chunks, Fields, Head, Shape, Speech, Step, Tally};
use super::{Accepts, Content, Fit, Interface, Route, UsageRule, View};

/// The interface of `transformers serve`.
#[derive(Debug)]
pub(super) struct Transformers;

const ROUTES: &[Route] = &[
    Route::get("/health", health),
    Route::get("/v1/models", models),
    Route::get("/openapi.json", api),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

/// Output of a request that does not say how long it may be.
const UNSAID_TOKENS: Option<u32> = Some(1_024);

/// The real server checks no length; the simulated engine has one, at which the output ends.
const ACCEPTS: Accepts = Accepts {
    chat_limits: &["max_tokens"],
    chat_tokens: UNSAID_TOKENS,
    text_tokens: UNSAID_TOKENS,
    checks_output: false,
    fit: Fit::Cap,
    ignore_eos: true,
    usage: UsageRule::Ignored,
    options_need_stream: false,
    id_prompts: false,
    ..Accepts::OPENAI
};

/// OpenAI's names, and one of its own.
const FIELDS: &[&str] = &[
    "best_of",
    "echo",
    "frequency_penalty",
    "generation_config",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "n",
    "presence_penalty",
    "prompt",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "suffix",
    "temperature",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
];

impl Interface for Transformers {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    fn id(&self, _speech: Speech, word: u64) -> String {
        let (high, low) = (word >> 32, word & 0xffff_ffff);
        let tail = crate::rng::mix(word) >> 16;
        format!(
            "{high:08x}-{:04x}-{:04x}-8000-{tail:012x}",
            low >> 16,
            low & 0xffff
        )
    }

    fn fingerprint(&self, _build: u64) -> String {
        String::new()
    }

    fn error(&self, error: &ApiError) -> Refused {
        let detail = match error {
            ApiError::Route { .. } => "Not Found".to_owned(),
            ApiError::Method { .. } => "Method Not Allowed".to_owned(),
            ApiError::Field {
                field,
                fault: FieldFault::Refused,
            } => {
                let detail = format!("Unexpected fields in the request: {{'{field}'}}");
                return Refused::json(422, &json!({ "detail": detail }));
            }
            ApiError::Model { asked, served } => {
                let pinned = served.first().map(String::as_str).unwrap_or_default();
                let detail = format!("Server is pinned to '{pinned}'; requested '{asked}'.");
                return Refused::json(400, &json!({ "detail": detail }));
            }
            other => other.words(),
        };
        Refused::json(error.status(), &json!({ "detail": detail }))
    }
}

fn health(_view: &View<'_>) -> Content {
    Content::json(&json!({"status": "ok"}))
}

/// What lies in the cache folder, where the served model need not be.
fn models(_view: &View<'_>) -> Content {
    Content::json(&json!({"object": "list", "data": []}))
}

fn api(_view: &View<'_>) -> Content {
    let post = || json!({"post": {}});
    let get = || json!({"get": {}});
    Content::json(&json!({
        "openapi": "3.1.0",
        "info": {"title": "FastAPI", "version": "0.1.0"},
        "paths": {
            "/v1/chat/completions": post(),
            "/v1/completions": post(),
            "/v1/responses": post(),
            "/v1/audio/transcriptions": post(),
            "/load_model": post(),
            "/reset": post(),
            "/v1/models": get(),
            "/health": get(),
        },
    }))
}

/// The two routes.
#[derive(Debug)]
struct Answers(Speech);

impl Answers {
    /// A chunk: what stands in its only choice besides the index, and the usage at the end.
    fn chunk(
        &self,
        head: &Head,
        usage: Option<Tally>,
        chunk: &mut Object<'_>,
        choice: impl FnOnce(&mut Object<'_>),
    ) {
        let object = match self.0 {
            Speech::Chat => "chat.completion.chunk",
            Speech::Text => "text_completion",
        };
        chunk.text("id", &head.id);
        chunk.only("choices", |one| {
            choice(one);
            one.number("index", 0u32);
        });
        chunk.number("created", head.created);
        chunk.text("model", &format!("{}@main", head.model));
        chunk.text("object", object);
        if self.0 == Speech::Chat {
            chunk.text("system_fingerprint", &head.fingerprint);
        }
        if let Some(tally) = usage {
            counts(tally, chunk);
        }
    }

    fn text(&self, step: &Step<'_>, choice: &mut Object<'_>) {
        match self.0 {
            Speech::Chat => choice.object("delta", |delta| {
                if let Some(thought) = step.delta.thought() {
                    delta.text("reasoning_content", thought);
                }
                if let Some(said) = step.delta.said() {
                    delta.text("content", said);
                }
            }),
            Speech::Text => choice.text("text", &step.delta.content),
        }
    }
}

fn counts(tally: Tally, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| {
        usage.number("completion_tokens", tally.completion);
        usage.number("prompt_tokens", tally.prompt);
        usage.number("total_tokens", tally.total());
    });
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    /// Unknown names are refused. A generation configuration is JSON in a string, and no answer
    /// ends by itself when its end token is none that there is.
    fn fields(&self, mut fields: Fields) -> Result<Fields, ApiError> {
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(ApiError::Field {
                field: unknown.clone(),
                fault: FieldFault::Refused,
            });
        }
        if let Some(text) = fields.remove("generation_config") {
            let config: Option<Value> = text
                .as_str()
                .and_then(|text| serde_json::from_str(text).ok());
            let Some(config) = config else {
                return Err(ApiError::Value {
                    param: Some("generation_config"),
                    message: "the JSON object must be str".to_owned(),
                });
            };
            let end = config.get("eos_token_id").and_then(Value::as_i64);
            let is_endless = end.is_some_and(|end| end < 0);
            fields.insert("ignore_eos".to_owned(), is_endless.into());
        }
        Ok(fields)
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first && self.0 == Speech::Chat {
            chunks.aside(|chunk| {
                self.chunk(head, None, chunk, |choice| {
                    choice.object("delta", |delta| delta.text("role", "assistant"));
                });
            });
        }
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                self.chunk(head, None, chunk, |choice| self.text(step, choice));
            });
        }
        let Some(finish) = step.finish_word() else {
            return;
        };
        chunks.aside(|chunk| {
            self.chunk(head, Some(step.tally), chunk, |choice| {
                match self.0 {
                    Speech::Chat => choice.object("delta", |_| {}),
                    Speech::Text => choice.text("text", ""),
                }
                choice.text("finish_reason", finish);
            });
        });
    }

    /// The bare words, in a stream that ends without any mark.
    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        chunks.aside(|chunk| chunk.text("error", "the generation failed"));
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        let object = match self.0 {
            Speech::Chat => "chat.completion",
            Speech::Text => "text_completion",
        };
        out.text("id", &head.id);
        out.only("choices", |choice| {
            choice.word("finish_reason", step.finish_word());
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("content", &step.delta.content);
                    message.text("role", "assistant");
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
        });
        out.number("created", head.created);
        out.text("model", &format!("{}@main", head.model));
        out.text("object", object);
        counts(step.tally, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_finish_carries_the_usage_and_nothing_follows() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let around = |choice: &str, usage: &str| {
            format!(
                r#"{{"id":"x-1","choices":[{{{choice},"index":0}}],"created":7,"model":"m@main","object":"chat.completion.chunk","system_fingerprint":"f"{usage}}}"#
            )
        };
        let usage = r#","usage":{"completion_tokens":2,"prompt_tokens":51,"total_tokens":53}"#;
        assert_eq!(
            check::written(&Answers(Speech::Chat), &head, &step(&delta, true, true)),
            [
                around(r#""delta":{"role":"assistant"}"#, ""),
                around(r#""delta":{"content":" a"}"#, ""),
                around(r#""delta":{},"finish_reason":"length""#, usage),
            ]
        );
    }

    #[test]
    fn only_known_names_pass_and_an_end_token_below_zero_is_none() {
        let read = |body: Value| {
            let Value::Object(fields) = body else {
                panic!("{body}");
            };
            Answers(Speech::Chat).fields(fields)
        };
        let endless = |config: &str| {
            let fields = read(json!({ "generation_config": config })).unwrap();
            fields["ignore_eos"].as_bool().unwrap()
        };
        assert!(endless(r#"{"eos_token_id":-1}"#));
        assert!(!endless(r#"{"eos_token_id":2}"#));
        assert!(!endless("{}"));
        assert!(read(json!({"generation_config": {}})).is_err());
        let error = read(json!({"ignore_eos": true})).unwrap_err();
        let refused = Transformers.error(&error);
        assert_eq!(refused.status, 422);
        assert!(refused.body.contains("{'ignore_eos'}"), "{}", refused.body);
    }
}
