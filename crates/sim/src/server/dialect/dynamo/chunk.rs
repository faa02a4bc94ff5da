//! Answers of Dynamo's frontend.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step, Tally};
use super::super::{openai, parts};

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    fn message(step: &Step<'_>, message: &mut Object<'_>) {
        message.word("content", step.delta.said());
        message.null("function_call");
        message.null("tool_calls");
        message.text("role", "assistant");
        message.null("refusal");
        message.word("reasoning_content", step.delta.thought());
    }

    fn choice(&self, step: &Step<'_>, member: &str, choice: &mut Object<'_>) {
        match self.0 {
            Speech::Chat => {
                choice.number("index", 0u32);
                choice.object(member, |message| Self::message(step, message));
                choice.word("finish_reason", step.finish_word());
            }
            Speech::Text => {
                choice.text("text", &step.delta.content);
                choice.number("index", 0u32);
                choice.word("finish_reason", step.finish_word());
            }
        }
        choice.null("logprobs");
    }

    fn tail(&self, head: &Head, whole: bool, chunk: &mut Object<'_>) {
        let object = match (self.0, whole) {
            (Speech::Chat, false) => "chat.completion.chunk",
            (Speech::Chat, true) => "chat.completion",
            (Speech::Text, _) => "text_completion",
        };
        chunk.number("created", head.created);
        chunk.text("model", &head.model);
        chunk.text("object", object);
    }
}

fn usage(tally: Tally, cached: Option<u32>, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| {
        parts::counts(tally, usage);
        if let Some(cached) = cached {
            parts::cached(cached, usage);
        }
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
            chunk.only("choices", |choice| self.choice(step, "delta", choice));
            self.tail(head, false, chunk);
            if step.wishes.usage.every {
                usage(step.tally, step.told_cached(), chunk);
            } else {
                chunk.null("usage");
            }
        });
        if step.finish.is_none() {
            return;
        }
        if step.wishes.usage.last {
            chunks.aside(|chunk| {
                chunk.text("id", &head.id);
                chunk.array("choices", |_| {});
                self.tail(head, false, chunk);
                usage(step.tally, step.told_cached(), chunk);
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        openai::failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        out.text("id", &head.id);
        out.only("choices", |choice| self.choice(step, "message", choice));
        self.tail(head, true, out);
        usage(step.tally, step.told_cached(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn chunks_carry_usage_when_asked_and_null_when_not() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        let plain = check::written(&chat, &head, &step(&delta, true, false));
        assert_eq!(
            plain,
            [
                r#"{"id":"x-1","choices":[{"index":0,"delta":{"content":" a","function_call":null,"tool_calls":null,"role":"assistant","refusal":null,"reasoning_content":null},"finish_reason":null,"logprobs":null}],"created":7,"model":"m","object":"chat.completion.chunk","usage":null}"#
            ]
        );
        let wishes = Wishes {
            usage: UsageWish {
                every: true,
                last: true,
            },
            cached_tokens: true,
            ..Wishes::default()
        };
        let counted = Step {
            wishes,
            ..step(&delta, true, true)
        };
        let chunks = check::written(&chat, &head, &counted);
        let usage = r#""usage":{"prompt_tokens":51,"completion_tokens":2,"total_tokens":53,"prompt_tokens_details":{"cached_tokens":50}}}"#;
        assert!(chunks[0].ends_with(usage), "{chunks:?}");
        assert_eq!(
            chunks[1],
            format!(
                r#"{{"id":"x-1","choices":[],"created":7,"model":"m","object":"chat.completion.chunk",{usage}"#
            )
        );
    }
}
