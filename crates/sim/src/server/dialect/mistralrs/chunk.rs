//! Answers of mistral.rs: usage unasked with the finish reason of a chat, and never in streamed
//! completions.

use tokmark_units::Nanos;

use super::super::super::error::ApiError;
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step};
use super::words;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    fn choice(&self, step: &Step<'_>, choice: &mut Object<'_>) {
        let finish = step.finish_word();
        match self.0 {
            Speech::Chat => {
                choice.word("finish_reason", finish);
                choice.number("index", 0u32);
                choice.object("delta", |delta| {
                    delta.word("content", step.delta.said());
                    delta.text("role", "assistant");
                    if let Some(thought) = step.delta.thought() {
                        delta.text("reasoning_content", thought);
                    }
                });
            }
            Speech::Text => {
                choice.text("text", &step.delta.content);
                choice.number("index", 0u32);
                choice.word("finish_reason", finish);
            }
        }
        choice.null("logprobs");
    }
}

fn error(message: &str, chunks: &mut Chunks) {
    chunks.aside(|chunk| {
        chunk.object("error", |error| {
            error.text("message", message);
            error.text("type", "server_error");
            error.null("param");
            error.null("code");
        });
    });
    chunks.done();
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
    let both = Nanos(prompt.0.saturating_add(decode.0));
    chunk.object("usage", |usage| {
        usage.number("completion_tokens", step.tally.completion);
        usage.number("prompt_tokens", step.tally.prompt);
        usage.number("total_tokens", step.tally.total());
        usage.float("avg_tok_per_sec", rate(step.tally.total(), both));
        usage.float("avg_prompt_tok_per_sec", rate(step.tally.prompt, prompt));
        usage.float("avg_compl_tok_per_sec", rate(step.tally.completion, decode));
        usage.float("total_time_sec", both.as_secs_f64());
        usage.float("total_prompt_time_sec", prompt.as_secs_f64());
        usage.float("total_completion_time_sec", decode.as_secs_f64());
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
        chunks.tokens(|chunk| {
            chunk.text("id", &head.id);
            chunk.only("choices", |choice| self.choice(step, choice));
            chunk.number("created", head.created);
            chunk.text("model", &head.model);
            chunk.text("system_fingerprint", &head.fingerprint);
            match self.0 {
                Speech::Chat => {
                    chunk.text("object", "chat.completion.chunk");
                    if step.finish.is_some() {
                        usage(step, chunk);
                    } else {
                        chunk.null("usage");
                    }
                }
                Speech::Text => chunk.text("object", "text_completion"),
            }
        });
        if step.finish.is_some() {
            chunks.done();
        }
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        error("The engine failed while it generated.", chunks);
    }

    fn refusal(&self, refused: &ApiError, chunks: &mut Chunks) -> bool {
        let told = !matches!(
            refused,
            ApiError::Json { .. } | ApiError::Field { .. } | ApiError::RateLimited { .. }
        );
        if told {
            error(&words(refused), chunks);
        }
        told
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        out.text("id", &head.id);
        out.only("choices", |choice| {
            choice.word("finish_reason", step.finish_word());
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("content", &step.delta.content);
                    message.text("role", "assistant");
                    if let Some(thought) = step.delta.thought() {
                        message.text("reasoning_content", thought);
                    }
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            choice.null("logprobs");
        });
        out.number("created", head.created);
        out.text("model", &head.model);
        out.text("system_fingerprint", &head.fingerprint);
        out.text(
            "object",
            match self.0 {
                Speech::Chat => "chat.completion",
                Speech::Text => "text_completion",
            },
        );
        usage(step, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn a_chat_ends_with_usage_beside_its_choice() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        assert_eq!(
            check::written(&chat, &head, &step(&delta, true, false)),
            [
                r#"{"id":"x-1","choices":[{"finish_reason":null,"index":0,"delta":{"content":" a","role":"assistant"},"logprobs":null}],"created":7,"model":"m","system_fingerprint":"f","object":"chat.completion.chunk","usage":null}"#
            ]
        );
        let last = check::written(&chat, &head, &step(&delta, false, true));
        assert_eq!(last.len(), 2);
        assert!(
            last[0].ends_with(r#""usage":{"completion_tokens":2,"prompt_tokens":51,"total_tokens":53,"avg_tok_per_sec":10600.0,"avg_prompt_tok_per_sec":17000.0,"avg_compl_tok_per_sec":1000.0,"total_time_sec":0.005,"total_prompt_time_sec":0.003,"total_completion_time_sec":0.002}}"#),
            "{last:?}"
        );
        let text = check::written(&Answers(Speech::Text), &head, &step(&delta, false, true));
        assert!(!text[0].contains("usage"), "{text:?}");
    }
}
