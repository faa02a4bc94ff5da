//! Answers of `SGLang` 0.5: the OpenAI routes, with explicit nulls.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step};
use super::super::{openai, parts};
use crate::model::Finish;
use crate::tokenizer::END;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

/// What stands behind the text of every choice.
fn tail(finish: Option<Finish>, word: Option<&str>, choice: &mut Object<'_>) {
    choice.null("logprobs");
    choice.word("finish_reason", word);
    match finish {
        Some(Finish::Stop) => choice.number("matched_stop", END),
        _ => choice.null("matched_stop"),
    }
}

fn counts(step: &Step<'_>, cached: Option<u32>, usage: &mut Object<'_>) {
    parts::counts_total_second(step.tally, usage);
    match cached {
        Some(cached) => parts::cached(cached, usage),
        None => usage.null("prompt_tokens_details"),
    }
    usage.number("reasoning_tokens", 0u32);
}

impl Answers {
    /// A chat chunk with one choice.
    fn chat(
        head: &Head,
        finish: Option<(Finish, &str)>,
        delta: impl FnOnce(&mut Object<'_>),
        chunk: &mut Object<'_>,
    ) {
        parts::chunk_head(head, Speech::Chat, chunk);
        chunk.only("choices", |choice| {
            choice.number("index", 0u32);
            choice.object("delta", delta);
            tail(finish.map(|f| f.0), finish.map(|f| f.1), choice);
        });
    }

    /// Role, text and finish reason each come in a chunk of their own.
    fn chat_step(head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first {
            chunks.aside(|chunk| {
                let delta = |delta: &mut Object<'_>| {
                    delta.null("reasoning_content");
                    delta.text("role", "assistant");
                    delta.text("content", "");
                };
                Self::chat(head, None, delta, chunk);
            });
        }
        if !step.delta.is_silent() || (step.wishes.usage.every && step.finish.is_none()) {
            chunks.tokens(|chunk| {
                let delta = |delta: &mut Object<'_>| {
                    delta.word("reasoning_content", step.delta.thought());
                    if let Some(said) = step.delta.said() {
                        delta.text("content", said);
                    }
                };
                Self::chat(head, None, delta, chunk);
                if step.wishes.usage.every {
                    chunk.object("usage", |usage| {
                        counts(step, step.told_cached(), usage);
                        usage.null("completion_tokens_details");
                    });
                }
            });
        }
        if let Some(finish) = step.finish.zip(step.finish_word()) {
            chunks.aside(|chunk| {
                let delta = |delta: &mut Object<'_>| delta.null("reasoning_content");
                Self::chat(head, Some(finish), delta, chunk);
            });
        }
    }

    /// Text and finish reason come together, and a usage that is not told is null.
    fn text_step(head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        chunks.tokens(|chunk| {
            parts::chunk_head(head, Speech::Text, chunk);
            chunk.only("choices", |choice| {
                choice.number("index", 0u32);
                choice.text("text", &step.delta.content);
                tail(step.finish, step.finish_word(), choice);
                ids(step, choice);
            });
            if step.wishes.usage.every {
                chunk.object("usage", |usage| {
                    counts(step, None, usage);
                    usage.null("completion_tokens_details");
                });
            } else {
                chunk.null("usage");
            }
        });
    }
}

/// Token ids are there only where they were asked for.
fn ids(step: &Step<'_>, choice: &mut Object<'_>) {
    if let Some(ids) = step.asked_ids() {
        choice.ids("token_ids", Some(ids));
    }
    if let Some(prompt) = step.asked_prompt() {
        choice.ids("prompt_token_ids", Some(prompt));
    }
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        match self.0 {
            Speech::Chat => Self::chat_step(head, step, chunks),
            Speech::Text => Self::text_step(head, step, chunks),
        }
        if step.finish.is_none() {
            return;
        }
        if step.wishes.usage.last {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.array("choices", |_| {});
                chunk.object("usage", |usage| {
                    counts(step, step.told_cached(), usage);
                    if self.0 == Speech::Chat {
                        usage.null("completion_tokens_details");
                    }
                });
            });
        }
        chunks.done();
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        openai::failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        parts::whole_head(head, self.0, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("role", "assistant");
                    message.text("content", &step.delta.content);
                    message.word("reasoning_content", step.delta.thought());
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            tail(step.finish, step.finish_word(), choice);
            ids(step, choice);
        });
        out.object("usage", |usage| {
            counts(step, step.told_cached(), usage);
            usage.null("completion_tokens_details");
        });
        out.object("metadata", |metadata| {
            metadata.text("weight_version", "default");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    fn wishing(step: Step<'_>) -> Step<'_> {
        let wishes = Wishes {
            usage: UsageWish {
                every: true,
                last: true,
            },
            cached_tokens: true,
            ..Wishes::default()
        };
        Step { wishes, ..step }
    }

    /// The shapes that a real `SGLang` 0.5.23 sent, with ids and texts of our own.
    #[test]
    fn chat_chunks_have_the_fields_of_the_real_ones() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        assert_eq!(
            check::written(&chat, &head, &step(&delta, true, true)),
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":null,"role":"assistant","content":""},"logprobs":null,"finish_reason":null,"matched_stop":null}]}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":null,"content":" a"},"logprobs":null,"finish_reason":null,"matched_stop":null}]}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":null},"logprobs":null,"finish_reason":"length","matched_stop":null}]}"#,
                "[DONE]",
            ]
        );
        let usage = r#""usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":50},"reasoning_tokens":0,"completion_tokens_details":null}}"#;
        let chunks = check::written(&chat, &head, &wishing(step(&delta, false, true)));
        assert!(chunks[0].ends_with(usage), "{}", chunks[0]);
        assert!(!chunks[1].contains("usage"), "{}", chunks[1]);
        assert_eq!(
            chunks[2],
            format!(
                r#"{{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],{usage}"#
            )
        );
    }

    #[test]
    fn completions_say_null_where_they_tell_no_usage() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let text = Answers(Speech::Text);
        let plain = check::written(&text, &head, &step(&delta, true, true));
        assert_eq!(
            plain[0],
            r#"{"id":"x-1","object":"text_completion","created":7,"model":"m","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":"length","matched_stop":null}],"usage":null}"#
        );
        let counted = check::written(&text, &head, &wishing(step(&delta, true, true)));
        assert!(
            counted[0].contains(r#""prompt_tokens_details":null,"reasoning_tokens":0"#),
            "{}",
            counted[0]
        );
        assert!(
            counted[1].ends_with(
                r#""prompt_tokens_details":{"cached_tokens":50},"reasoning_tokens":0}}"#
            ),
            "{}",
            counted[1]
        );
    }
}
