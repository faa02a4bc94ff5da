//! mlx-lm 0.32: one Python file, and a tokenizer that is nowhere exposed.

use serde_json::json;

use super::super::error::{ApiError, Refused};
use super::super::json::Object;
use super::super::shape::{Chunks, Head, Shape, Speech, Step};
use super::{Accepts, Content, Fit, Interface, Naming, Route, UsageRule, View, parts};

/// mlx-lm's interface.
#[derive(Debug)]
pub(super) struct MlxLm;

const ROUTES: &[Route] = &[
    Route::get("/health", health),
    Route::get("/v1/models", models),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

/// Output of a request that does not say how long it may be.
const UNSAID_TOKENS: Option<u32> = Some(512);

const LIMITS: &[&str] = &["max_completion_tokens", "max_tokens"];

/// The real server checks no length; the simulated engine has one, at which the output ends.
const ACCEPTS: Accepts = Accepts {
    text_limits: LIMITS,
    chat_tokens: UNSAID_TOKENS,
    text_tokens: UNSAID_TOKENS,
    checks_output: false,
    fit: Fit::Cap,
    naming: Naming::Echo {
        unsaid: Some("default_model"),
    },
    usage: UsageRule::Last,
    options_need_stream: false,
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for MlxLm {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "BaseHTTP/0.6 Python/3.12.11")]
    }

    /// There is no key.
    fn guards(&self, _path: &str) -> bool {
        false
    }

    fn id(&self, _speech: Speech, word: u64) -> String {
        let (high, low) = (word >> 32, word & 0xffff_ffff);
        let tail = crate::rng::mix(word) >> 16;
        format!(
            "chatcmpl-{high:08x}-{:04x}-{:04x}-8000-{tail:012x}",
            low >> 16,
            low & 0xffff
        )
    }

    fn fingerprint(&self, _build: u64) -> String {
        "0.32.0-0.30.1-macOS-15.6-arm64-arm-64bit-applegpu_g16s".to_owned()
    }

    /// What fails before the stream is not found, whatever it is.
    fn error(&self, error: &ApiError) -> Refused {
        match error {
            ApiError::Route { .. } | ApiError::Method { .. } => Refused {
                kind: "text/html",
                ..Refused::text(404, "Not Found")
            },
            ApiError::Json { reason, .. } => {
                let message = format!("Invalid JSON in request body: {reason}");
                Refused::json(400, &json!({"error": message}))
            }
            ApiError::RateLimited { .. } | ApiError::Gone { .. } => {
                Refused::json(error.status(), &json!({"error": error.words()}))
            }
            other => Refused::json(404, &json!({"error": other.words()})),
        }
    }
}

fn health(_view: &View<'_>) -> Content {
    Content::json(&json!({"status": "ok"}))
}

/// Cards without an owner.
fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    view.models(|name| json!({"id": name, "object": "model", "created": created}))
}

/// The two routes.
#[derive(Debug)]
struct Answers(Speech);

impl Answers {
    fn head(&self, head: &Head, whole: bool, chunk: &mut Object<'_>) {
        let object = match (self.0, whole) {
            (Speech::Chat, false) => "chat.completion.chunk",
            (Speech::Chat, true) => "chat.completion",
            (Speech::Text, _) => "text_completion",
        };
        chunk.text("id", &head.id);
        chunk.text("system_fingerprint", &head.fingerprint);
        chunk.text("object", object);
        chunk.text("model", &head.model);
        chunk.number("created", head.created);
    }

    fn message(step: &Step<'_>, text: bool, message: &mut Object<'_>) {
        message.text("role", "assistant");
        message.text("content", if text { &step.delta.content } else { "" });
        if let Some(thought) = step.delta.thought().filter(|_| text) {
            message.text("reasoning", thought);
        }
    }

    /// A choice of a stream: text, or the end without any.
    fn choice(&self, step: &Step<'_>, finish: Option<&str>, chunk: &mut Object<'_>) {
        let text = finish.is_none();
        chunk.only("choices", |choice| {
            choice.number("index", 0u32);
            choice.word("finish_reason", finish);
            match self.0 {
                Speech::Chat => {
                    choice.object("delta", |delta| Self::message(step, text, delta));
                }
                Speech::Text => choice.text("text", if text { &step.delta.content } else { "" }),
            }
        });
    }
}

fn usage(step: &Step<'_>, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| {
        parts::counts(step.tally, usage);
        parts::cached(step.tally.cached, usage);
    });
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first {
            // The prefill's progress; the simulator tells its end only.
            let prompt = step.tally.prompt;
            chunks.comment(format!("keepalive {prompt}/{prompt}"));
        }
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                self.head(head, false, chunk);
                self.choice(step, None, chunk);
            });
        }
        let Some(finish) = step.finish_word() else {
            return;
        };
        chunks.aside(|chunk| {
            self.head(head, false, chunk);
            self.choice(step, Some(finish), chunk);
        });
        if step.wishes.usage.last {
            chunks.aside(|chunk| {
                self.head(head, false, chunk);
                chunk.array("choices", |_| {});
                usage(step, chunk);
            });
        }
        chunks.done();
    }

    /// An exception drops the connection.
    fn failure(&self, _head: &Head, _chunks: &mut Chunks) {}

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        self.head(head, true, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            choice.word("finish_reason", step.finish_word());
            match self.0 {
                Speech::Chat => {
                    choice.object("message", |message| Self::message(step, true, message));
                }
                Speech::Text => choice.text("text", &step.delta.content),
            }
        });
        usage(step, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, step};
    use super::*;

    #[test]
    fn a_comment_comes_first_and_the_role_with_every_text() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let opening = r#"{"id":"x-1","system_fingerprint":"f","object":"chat.completion.chunk","model":"m","created":7,"choices":[{"index":0,"finish_reason":"#;
        assert_eq!(
            check::written(&Answers(Speech::Chat), &head, &step(&delta, true, true)),
            [
                "keepalive 51/51".to_owned(),
                format!(r#"{opening}null,"delta":{{"role":"assistant","content":" a"}}}}]}}"#),
                format!(r#"{opening}"length","delta":{{"role":"assistant","content":""}}}}]}}"#),
                "[DONE]".to_owned(),
            ]
        );
    }

    #[test]
    fn almost_every_error_is_not_found() {
        let error = ApiError::OutputTooSmall { asked: 0 };
        assert_eq!(MlxLm.error(&error).status, 404);
    }
}
