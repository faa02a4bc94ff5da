//! Answers of LMDeploy: the role in every delta, nulls left out.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step};
use super::super::parts;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    /// Role and text. An empty text is sent, too.
    fn message(step: &Step<'_>, message: &mut Object<'_>) {
        message.text("role", "assistant");
        message.text("content", &step.delta.content);
        if let Some(thought) = step.delta.thought() {
            message.text("reasoning_content", thought);
        }
    }

    fn choice(&self, step: &Step<'_>, member: &str, choice: &mut Object<'_>) {
        choice.number("index", 0u32);
        match self.0 {
            Speech::Chat => choice.object(member, |message| Self::message(step, message)),
            Speech::Text => choice.text("text", &step.delta.content),
        }
        if let Some(finish) = step.finish_word() {
            choice.text("finish_reason", finish);
        }
        if let Some(ids) = step.asked_ids() {
            choice.ids("output_ids", Some(ids));
        }
    }

    fn usage(step: &Step<'_>, chunk: &mut Object<'_>) {
        chunk.object("usage", |usage| {
            parts::counts_total_second(step.tally, usage);
            parts::cached(step.tally.cached, usage);
            usage.object("completion_tokens_details", |details| {
                details.number("reasoning_tokens", 0u32);
            });
        });
    }
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        let counted = step.wishes.usage.last;
        chunks.tokens(|chunk| {
            parts::chunk_head(head, self.0, chunk);
            chunk.only("choices", |choice| self.choice(step, "delta", choice));
            if counted {
                chunk.null("usage");
            }
        });
        if step.finish.is_none() {
            return;
        }
        if counted {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.array("choices", |_| {});
                Self::usage(step, chunk);
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        chunks.aside(|chunk| {
            chunk.object("error", |error| {
                error.text("message", "The engine failed while it generated.");
                error.text("type", "internal_error");
                error.number("code", 500u32);
                error.null("param");
                error.text("object", "error");
            });
        });
        chunks.done();
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        parts::whole_head(head, self.0, out);
        out.only("choices", |choice| self.choice(step, "message", choice));
        Self::usage(step, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_role_is_in_every_delta_and_usage_is_null_until_the_end() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        let plain = check::written(&chat, &head, &step(&delta, true, false));
        assert_eq!(
            plain,
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":" a"}}]}"#
            ]
        );
        let wishes = Wishes {
            usage: UsageWish {
                every: false,
                last: true,
            },
            token_ids: true,
            ..Wishes::default()
        };
        let last = Step {
            wishes,
            ..step(&delta, false, true)
        };
        let chunks = check::written(&chat, &head, &last);
        assert!(
            chunks[0].ends_with(r#""finish_reason":"length","output_ids":[9]}],"usage":null}"#),
            "{chunks:?}"
        );
        assert!(
            chunks[1].ends_with(r#""choices":[],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens_details":{"reasoning_tokens":0}}}"#),
            "{chunks:?}"
        );
    }
}
