//! The bare OpenAI interface: models and the two completion routes, nothing beside.

use serde_json::json;

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::json::Object;
use super::super::shape::{Chunks, Head, Shape, Speech, Step, Tally, word};
use super::{Accepts, Content, Interface, Route, View, parts};

/// `OpenAI`'s interface.
#[derive(Debug)]
pub(super) struct OpenAi;

const ROUTES: &[Route] = &[
    Route::get("/v1/models", models),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

impl Interface for OpenAi {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        const ACCEPTS: Accepts = Accepts::OPENAI;
        &ACCEPTS
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        prefixed_id(speech, word)
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("fp_{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let code = match error {
            ApiError::Field { fault, .. } => match fault {
                FieldFault::Missing { .. } => None,
                FieldFault::Refused => Some("unknown_parameter"),
                FieldFault::Type { .. } => Some("invalid_type"),
            },
            ApiError::PromptTooLong { .. } | ApiError::TooLong { .. } => {
                Some("context_length_exceeded")
            }
            ApiError::Model { .. } => Some("model_not_found"),
            ApiError::Key => Some("invalid_api_key"),
            ApiError::RateLimited { .. } => Some("rate_limit_exceeded"),
            _ => None,
        };
        let kind = match error {
            ApiError::RateLimited { .. } => "rate_limit_error",
            ApiError::Gone { .. } => "server_error",
            _ => "invalid_request_error",
        };
        let inner = json!({"message": error.words(), "type": kind, "param": null, "code": code});
        Refused::json(error.status(), &json!({"error": inner}))
    }
}

/// An id with the prefix that tells the route.
pub(super) fn prefixed_id(speech: Speech, word: u64) -> String {
    match speech {
        Speech::Chat => format!("chatcmpl-{word:016x}"),
        Speech::Text => format!("cmpl-{word:016x}"),
    }
}

fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    view.models(
        |name| json!({"id": name, "object": "model", "created": created, "owned_by": "system"}),
    )
}

/// The shape of the two routes.
#[derive(Debug)]
struct Answers(Speech);

impl Answers {
    /// A choice with a text, or with none at the end of a chat.
    fn choice(&self, text: Option<&str>, finish: Option<&str>, chunk: &mut Object<'_>) {
        chunk.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("delta", |delta| {
                    if let Some(text) = text {
                        delta.text("content", text);
                    }
                }),
                Speech::Text => choice.text("text", text.unwrap_or_default()),
            }
            choice.null("logprobs");
            choice.word("finish_reason", finish);
        });
    }
}

fn usage(tally: Tally, cached: Option<u32>, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| {
        parts::counts_total_second(tally, usage);
        if let Some(cached) = cached {
            parts::cached(cached, usage);
        }
    });
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first && self.0 == Speech::Chat {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.only("choices", |choice| {
                    choice.number("index", 0u32);
                    choice.object("delta", |delta| {
                        delta.text("role", "assistant");
                        delta.text("content", "");
                    });
                    choice.null("logprobs");
                    choice.null("finish_reason");
                });
            });
        }
        chunks.tokens(|chunk| {
            parts::chunk_head(head, self.0, chunk);
            if let Some(thought) = step.delta.thought() {
                chunk.only("choices", |choice| {
                    choice.number("index", 0u32);
                    choice.object("delta", |delta| {
                        delta.text("reasoning_content", thought);
                        if let Some(said) = step.delta.said() {
                            delta.text("content", said);
                        }
                    });
                    choice.null("logprobs");
                    choice.null("finish_reason");
                });
            } else {
                self.choice(Some(&step.delta.content), None, chunk);
            }
        });
        let Some(finish) = step.finish_word() else {
            return;
        };
        let last = !step.wishes.usage.last;
        chunks.aside(|chunk| {
            parts::chunk_head(head, self.0, chunk);
            self.choice(None, Some(finish), chunk);
            if last {
                chunk.text("system_fingerprint", &head.fingerprint);
            }
        });
        if !last {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.array("choices", |_| {});
                usage(step.tally, step.told_cached(), chunk);
                chunk.text("system_fingerprint", &head.fingerprint);
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        parts::whole_head(head, self.0, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("role", "assistant");
                    message.text("content", &step.delta.content);
                    message.null("refusal");
                    message.word("reasoning_content", step.delta.thought());
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            choice.null("logprobs");
            choice.word("finish_reason", step.finish.map(word));
        });
        out.null("service_tier");
        out.text("system_fingerprint", &head.fingerprint);
        usage(step.tally, step.told_cached(), out);
    }
}

/// An error in the middle of a stream, and the stream's orderly end.
pub(super) fn failure(chunks: &mut Chunks) {
    chunks.aside(|chunk| {
        chunk.object("error", |error| {
            error.text("message", "The engine failed while it generated.");
            error.text("type", "InternalServerError");
            error.null("param");
            error.number("code", 500u32);
        });
    });
    chunks.done();
}

#[cfg(test)]
mod tests {
    use super::super::super::shape::{UsageWish, Wishes};
    use super::super::check::{self, step};
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_bare_interface_has_none_of_the_additions() {
        let head = check::head();
        let delta = check::delta(" a");
        let wishes = Wishes {
            usage: UsageWish {
                every: false,
                last: true,
            },
            ..Wishes::default()
        };
        let last = Step {
            wishes,
            ..step(&delta, false, true)
        };
        assert_eq!(
            check::written(&Answers(Speech::Chat), &head, &last),
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":null}]}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2},"system_fingerprint":"f"}"#,
                "[DONE]",
            ]
        );
    }

    #[test]
    fn errors_have_codes_in_words() {
        let check = |error: ApiError, code: Value| {
            let body: Value = serde_json::from_str(&OpenAi.error(&error).body).unwrap();
            assert_eq!(body["error"]["code"], code);
        };
        let model = ApiError::Model {
            asked: "x".to_owned(),
            served: Vec::new(),
        };
        check(model, json!("model_not_found"));
        check(ApiError::EmptyPrompt, Value::Null);
        check(ApiError::Key, json!("invalid_api_key"));
    }
}
