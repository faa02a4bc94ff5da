//! Answers of llama.cpp's OpenAI routes and of its own `/completion`.

use tokmark_units::Nanos;

use super::super::super::error::ApiError;
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Fields, Head, Shape, Speech, Step};
use super::super::parts;
use crate::model::Finish;

/// The `content-type` of its streams, which names no encoding.
const STREAM: &str = "text/event-stream";

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    /// A chat choice: the finish reason comes first.
    fn chat(finish: Option<&str>, delta: impl FnOnce(&mut Object<'_>), chunk: &mut Object<'_>) {
        chunk.only("choices", |choice| {
            choice.word("finish_reason", finish);
            choice.number("index", 0u32);
            choice.object("delta", delta);
        });
    }

    /// What follows the choices of a chat chunk.
    fn chat_tail(head: &Head, chunk: &mut Object<'_>) {
        chunk.number("created", head.created);
        chunk.text("id", &head.id);
        chunk.text("model", &head.model);
        chunk.text("system_fingerprint", &head.fingerprint);
        chunk.text("object", "chat.completion.chunk");
    }

    fn chat_step(head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first {
            chunks.aside(|chunk| {
                let delta = |delta: &mut Object<'_>| {
                    delta.text("role", "assistant");
                    delta.null("content");
                };
                Self::chat(None, delta, chunk);
                Self::chat_tail(head, chunk);
            });
        }
        // The end token has no text, and a difference of nothing is not sent.
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                let delta = |delta: &mut Object<'_>| {
                    if let Some(thought) = step.delta.thought() {
                        delta.text("reasoning_content", thought);
                    }
                    if let Some(said) = step.delta.said() {
                        delta.text("content", said);
                    }
                };
                Self::chat(None, delta, chunk);
                Self::chat_tail(head, chunk);
                if step.wishes.timings {
                    timings(step, chunk);
                }
            });
        }
        let Some(finish) = step.finish_word() else {
            return;
        };
        let last = !step.wishes.usage.last;
        chunks.aside(|chunk| {
            Self::chat(Some(finish), |_| {}, chunk);
            Self::chat_tail(head, chunk);
            if last {
                timings(step, chunk);
            }
        });
        if !last {
            chunks.aside(|chunk| {
                chunk.array("choices", |_| {});
                Self::chat_tail(head, chunk);
                usage(step, chunk);
                timings(step, chunk);
            });
        }
        chunks.done();
    }

    /// A completion's choice and what follows it, up to the object's name.
    fn text(text: &str, finish: Option<&str>, head: &Head, chunk: &mut Object<'_>) {
        chunk.only("choices", |choice| {
            choice.text("text", text);
            choice.number("index", 0u32);
            choice.null("logprobs");
            choice.word("finish_reason", finish);
        });
        chunk.number("created", head.created);
        chunk.text("model", &head.model);
        chunk.text("system_fingerprint", &head.fingerprint);
        chunk.text("object", "text_completion");
    }

    fn text_step(head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                Self::text(&step.delta.content, None, head, chunk);
                chunk.text("id", &head.id);
                if step.wishes.timings {
                    timings(step, chunk);
                }
            });
        }
        if let Some(finish) = step.finish_word() {
            chunks.aside(|chunk| {
                Self::text("", Some(finish), head, chunk);
                usage(step, chunk);
                chunk.text("id", &head.id);
                timings(step, chunk);
            });
            chunks.done();
        }
    }
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn stream_type(&self) -> &'static str {
        STREAM
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        match self.0 {
            Speech::Chat => Self::chat_step(head, step, chunks),
            Speech::Text => Self::text_step(head, step, chunks),
        }
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        let finish = step.finish_word();
        match self.0 {
            Speech::Chat => {
                out.only("choices", |choice| {
                    choice.word("finish_reason", finish);
                    choice.number("index", 0u32);
                    choice.object("message", |message| {
                        message.text("role", "assistant");
                        message.text("content", &step.delta.content);
                        if let Some(thought) = step.delta.thought() {
                            message.text("reasoning_content", thought);
                        }
                    });
                });
                out.number("created", head.created);
                out.text("model", &head.model);
                out.text("system_fingerprint", &head.fingerprint);
                out.text("object", "chat.completion");
            }
            Speech::Text => Self::text(&step.delta.content, finish, head, out),
        }
        usage(step, out);
        out.text("id", &head.id);
        timings(step, out);
    }
}

fn usage(step: &Step<'_>, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| {
        usage.number("completion_tokens", step.tally.completion);
        usage.number("prompt_tokens", step.tally.prompt);
        usage.number("total_tokens", step.tally.total());
        parts::cached(step.tally.cached, usage);
    });
}

fn failure(chunks: &mut Chunks) {
    chunks.aside(|chunk| {
        chunk.object("error", |error| {
            error.number("code", 500u32);
            error.text("message", "The engine failed while it generated.");
            error.text("type", "server_error");
        });
    });
}

/// Counts and milliseconds. The time of the first token belongs to the prompt, so that one token
/// fewer is divided by.
fn timings(step: &Step<'_>, chunk: &mut Object<'_>) {
    let computed = step.tally.prompt.saturating_sub(step.tally.cached);
    let predicted = step.tally.completion;
    let decode = predicted.saturating_sub(1);
    let (prompt_ms, decode_ms) = (ms(step.times.prompt()), ms(step.times.decode()));
    chunk.object("timings", |timings| {
        timings.number("cache_n", step.tally.cached);
        timings.number("prompt_n", computed);
        timings.float("prompt_ms", prompt_ms);
        timings.float("prompt_per_token_ms", per(prompt_ms, f64::from(computed)));
        timings.float(
            "prompt_per_second",
            per(1e3 * f64::from(computed), prompt_ms),
        );
        timings.number("predicted_n", predicted);
        timings.float("predicted_ms", decode_ms);
        timings.float("predicted_per_token_ms", per(decode_ms, f64::from(decode)));
        timings.float(
            "predicted_per_second",
            per(1e3 * f64::from(decode), decode_ms),
        );
    });
}

fn ms(span: Nanos) -> f64 {
    span.as_secs_f64() * 1e3
}

/// A ratio, or zero where there is nothing to divide by.
fn per(amount: f64, by: f64) -> f64 {
    if by > 0.0 { amount / by } else { 0.0 }
}

/// The server's own `/completion`.
#[derive(Debug)]
pub(super) struct Native;

impl Native {
    fn last(head: &Head, step: &Step<'_>, text: &str, out: &mut Object<'_>) {
        let stop_type = match step.finish {
            Some(Finish::Stop) => "eos",
            Some(Finish::Length) => "limit",
            Some(Finish::Abort) | None => "none",
        };
        out.number("index", 0u32);
        out.text("content", text);
        out.ids("tokens", Some(step.asked_ids().unwrap_or_default()));
        out.number("id_slot", 0u32);
        out.flag("stop", true);
        out.text("model", &head.model);
        out.number("tokens_predicted", step.tally.completion);
        out.number("tokens_evaluated", step.tally.prompt);
        out.flag("truncated", false);
        out.text("stop_type", stop_type);
        out.text("stopping_word", "");
        out.number("tokens_cached", step.tally.total().saturating_sub(1));
        timings(step, out);
    }
}

impl Shape for Native {
    fn speech(&self) -> Speech {
        Speech::Text
    }

    fn stream_type(&self) -> &'static str {
        STREAM
    }

    fn fields(&self, mut fields: Fields) -> Result<Fields, ApiError> {
        if let Some(asked) = fields.remove("return_tokens") {
            fields.insert("return_token_ids".to_owned(), asked);
        }
        Ok(fields)
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                chunk.number("index", 0u32);
                chunk.text("content", &step.delta.content);
                chunk.ids("tokens", Some(step.asked_ids().unwrap_or_default()));
                chunk.flag("stop", false);
                chunk.number("id_slot", 0u32);
                chunk.number("tokens_predicted", step.tally.completion);
                chunk.number("tokens_evaluated", step.tally.prompt);
                if step.wishes.timings {
                    timings(step, chunk);
                }
            });
        }
        if step.finish.is_some() {
            chunks.aside(|chunk| Self::last(head, step, "", chunk));
        }
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        Self::last(head, step, &step.delta.content, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    const TIMINGS: &str = r#""timings":{"cache_n":50,"prompt_n":1,"prompt_ms":3.0,"prompt_per_token_ms":3.0,"prompt_per_second":333.3333333333333,"predicted_n":2,"predicted_ms":2.0,"predicted_per_token_ms":2.0,"predicted_per_second":500.0}"#;

    /// The shapes that a real build b11434 sent, with ids and texts of our own.
    #[test]
    fn chat_chunks_have_the_fields_of_the_real_ones() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        let tail = r#""created":7,"id":"x-1","model":"m","system_fingerprint":"f","object":"chat.completion.chunk""#;
        assert_eq!(
            check::written(&chat, &head, &step(&delta, true, false)),
            [
                format!(
                    r#"{{"choices":[{{"finish_reason":null,"index":0,"delta":{{"role":"assistant","content":null}}}}],{tail}}}"#
                ),
                format!(
                    r#"{{"choices":[{{"finish_reason":null,"index":0,"delta":{{"content":" a"}}}}],{tail}}}"#
                ),
            ]
        );
        let plain = check::written(&chat, &head, &step(&delta, false, true));
        assert_eq!(
            plain[1..],
            [
                format!(
                    r#"{{"choices":[{{"finish_reason":"length","index":0,"delta":{{}}}}],{tail},{TIMINGS}}}"#
                ),
                "[DONE]".to_owned(),
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
            ..step(&delta, false, true)
        };
        assert_eq!(
            check::written(&chat, &head, &counted)[2],
            format!(
                r#"{{"choices":[],{tail},"usage":{{"completion_tokens":2,"prompt_tokens":51,"total_tokens":53,"prompt_tokens_details":{{"cached_tokens":50}}}},{TIMINGS}}}"#
            )
        );
    }

    #[test]
    fn completions_end_with_usage_unasked() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chunks = check::written(&Answers(Speech::Text), &head, &step(&delta, false, true));
        assert_eq!(
            chunks,
            [
                r#"{"choices":[{"text":" a","index":0,"logprobs":null,"finish_reason":null}],"created":7,"model":"m","system_fingerprint":"f","object":"text_completion","id":"x-1"}"#.to_owned(),
                format!(r#"{{"choices":[{{"text":"","index":0,"logprobs":null,"finish_reason":"length"}}],"created":7,"model":"m","system_fingerprint":"f","object":"text_completion","usage":{{"completion_tokens":2,"prompt_tokens":51,"total_tokens":53,"prompt_tokens_details":{{"cached_tokens":50}}}},"id":"x-1",{TIMINGS}}}"#),
                "[DONE]".to_owned(),
            ]
        );
    }

    #[test]
    fn the_native_route_has_no_end_mark() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chunks = check::written(&Native, &head, &step(&delta, false, true));
        assert_eq!(chunks.len(), 2);
        assert!(
            chunks[1].contains(r#""stop":true"#) && chunks[1].contains(r#""stop_type":"limit""#)
        );
    }
}
