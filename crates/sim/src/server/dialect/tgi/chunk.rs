//! TGI's answers on OpenAI's routes.

use super::super::super::error::ApiError;
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step};
use super::super::parts;
use super::{status, words};
use tokmark_units::Nanos;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    /// The id is empty, and the model is named after the object.
    fn head(&self, head: &Head, whole: bool, chunk: &mut Object<'_>) {
        let object = match (self.0, whole) {
            (Speech::Chat, false) => "chat.completion.chunk",
            (Speech::Chat, true) => "chat.completion",
            (Speech::Text, _) => "text_completion",
        };
        chunk.text("object", object);
        chunk.text("id", "");
        chunk.number("created", head.created);
        chunk.text("model", &head.model);
        chunk.text("system_fingerprint", &head.fingerprint);
    }
}

fn error(message: &str, code: u16, chunks: &mut Chunks) {
    chunks.aside(|chunk| {
        chunk.object("error", |error| {
            error.text("message", message);
            error.number("http_status_code", code);
        });
    });
    chunks.done();
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        let finish = step.finish_word();
        chunks.tokens(|chunk| {
            self.head(head, false, chunk);
            chunk.only("choices", |choice| {
                choice.number("index", 0u32);
                match self.0 {
                    Speech::Chat => {
                        choice.object("delta", |delta| {
                            delta.text("role", "assistant");
                            delta.text("content", &all(step));
                        });
                        choice.null("logprobs");
                        choice.word("finish_reason", finish);
                    }
                    Speech::Text => {
                        choice.text("text", &step.delta.content);
                        choice.null("logprobs");
                        choice.text("finish_reason", finish.unwrap_or_default());
                    }
                }
            });
            match (self.0, finish) {
                (Speech::Chat, _) => chunk.null("usage"),
                (Speech::Text, Some(_)) => {
                    chunk.object("usage", |usage| parts::counts(step.tally, usage));
                }
                (Speech::Text, None) => {}
            }
        });
        if finish.is_none() {
            return;
        }
        if self.0 == Speech::Chat && step.wishes.usage.last {
            chunks.aside(|chunk| {
                self.head(head, false, chunk);
                chunk.array("choices", |_| {});
                chunk.object("usage", |usage| parts::counts(step.tally, usage));
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        error("Request failed during generation", 424, chunks);
    }

    fn refusal(&self, refused: &ApiError, chunks: &mut Chunks) -> bool {
        let told = !matches!(refused, ApiError::Json { .. } | ApiError::Field { .. });
        if told {
            error(&words(refused), status(refused), chunks);
        }
        told
    }

    fn headers(&self, step: &Step<'_>) -> Vec<(&'static str, String)> {
        figures(step)
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        self.head(head, true, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("role", "assistant");
                    message.text("content", &all(step));
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            choice.null("logprobs");
            choice.word("finish_reason", step.finish_word());
        });
        out.object("usage", |usage| parts::counts(step.tally, usage));
    }
}

/// What the router tells of a whole answer beside it; times in milliseconds.
pub(super) fn figures(step: &Step<'_>) -> Vec<(&'static str, String)> {
    let ms = |span: Nanos| (span.0 / 1_000_000).to_string();
    let each = step.times.decode().0 / u64::from(step.tally.completion.max(1));
    vec![
        ("x-total-time", ms(step.times.total())),
        ("x-queue-time", ms(step.times.queue())),
        (
            "x-inference-time",
            ms(step.times.total().saturating_sub(step.times.queue())),
        ),
        ("x-time-per-token", ms(Nanos(each))),
        ("x-prompt-tokens", step.tally.prompt.to_string()),
        ("x-generated-tokens", step.tally.completion.to_string()),
    ]
}

/// There is no name for reasoning; it is part of the text.
fn all(step: &Step<'_>) -> String {
    let mut text = step.delta.thought().unwrap_or_default().to_owned();
    text.push_str(&step.delta.content);
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn chat_chunks_have_the_role_and_completions_an_empty_reason() {
        let (head, delta) = (check::head(), check::delta(" a"));
        assert_eq!(
            check::written(&Answers(Speech::Chat), &head, &step(&delta, true, true)),
            [
                r#"{"object":"chat.completion.chunk","id":"","created":7,"model":"m","system_fingerprint":"f","choices":[{"index":0,"delta":{"role":"assistant","content":" a"},"logprobs":null,"finish_reason":"length"}],"usage":null}"#,
                "[DONE]",
            ]
        );
        let text = Answers(Speech::Text);
        assert_eq!(
            check::written(&text, &head, &step(&delta, true, false)),
            [
                r#"{"object":"text_completion","id":"","created":7,"model":"m","system_fingerprint":"f","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":""}]}"#
            ]
        );
        let last = check::written(&text, &head, &step(&delta, false, true));
        assert!(last[0].ends_with(r#""finish_reason":"length"}],"usage":{"prompt_tokens":51,"completion_tokens":2,"total_tokens":53}}"#));
    }

    #[test]
    fn refusals_come_in_a_stream_with_http_200() {
        let mut chunks = Chunks::default();
        let error = ApiError::RateLimited { retry_after_s: 1 };
        assert!(Answers(Speech::Chat).refusal(&error, &mut chunks));
        assert_eq!(
            check::texts(chunks),
            [
                r#"{"error":{"message":"Model is overloaded","http_status_code":429}}"#,
                "[DONE]"
            ]
        );
    }
}
