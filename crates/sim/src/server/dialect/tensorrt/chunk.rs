//! Answers of TensorRT-LLM.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step, Tally};
use super::super::parts;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    fn choice(&self, step: &Step<'_>, chunk: &mut Object<'_>) {
        chunk.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("delta", |delta| {
                    if let Some(said) = step.delta.said() {
                        delta.text("content", said);
                    }
                    if let Some(thought) = step.delta.thought() {
                        delta.text("reasoning_content", thought);
                        delta.text("reasoning", thought);
                    }
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            if let Some(finish) = step.finish_word() {
                choice.text("finish_reason", finish);
            }
            choice.float("avg_decoded_tokens_per_iter", 1.0);
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
        let wish = step.wishes.usage;
        if step.first && self.0 == Speech::Chat {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.only("choices", |choice| {
                    choice.number("index", 0u32);
                    choice.object("delta", |delta| {
                        delta.text("role", "assistant");
                        delta.text("content", "");
                    });
                });
                if wish.every {
                    let tally = Tally {
                        completion: 0,
                        ..step.tally
                    };
                    usage(tally, None, chunk);
                }
            });
        }
        chunks.tokens(|chunk| {
            parts::chunk_head(head, self.0, chunk);
            self.choice(step, chunk);
            if wish.every {
                usage(step.tally, None, chunk);
            }
        });
        if step.finish.is_none() {
            return;
        }
        if wish.last {
            chunks.aside(|chunk| {
                parts::chunk_head(head, self.0, chunk);
                chunk.array("choices", |_| {});
                usage(step.tally, Some(step.tally.cached), chunk);
            });
        }
        chunks.done();
    }

    /// The connection breaks without a word.
    fn failure(&self, _head: &Head, _chunks: &mut Chunks) {}

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        parts::whole_head(head, self.0, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| {
                    message.text("role", "assistant");
                    message.text("content", &step.delta.content);
                    message.word("reasoning_content", step.delta.thought());
                    message.word("reasoning", step.delta.thought());
                }),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            choice.null("logprobs");
            choice.word("finish_reason", step.finish_word());
            choice.float("avg_decoded_tokens_per_iter", 1.0);
        });
        usage(step.tally, Some(step.tally.cached), out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn usage_runs_and_ends_in_a_chunk_of_its_own() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let wishes = Wishes {
            usage: UsageWish {
                every: true,
                last: true,
            },
            ..Wishes::default()
        };
        let both = Step {
            wishes,
            ..step(&delta, true, true)
        };
        assert_eq!(
            check::written(&Answers(Speech::Chat), &head, &both),
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":51,"total_tokens":51,"completion_tokens":0}}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"finish_reason":"length","avg_decoded_tokens_per_iter":1.0}],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2}}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":50}}}"#,
                "[DONE]",
            ]
        );
    }

    #[test]
    fn an_error_in_a_stream_says_nothing() {
        let mut chunks = Chunks::default();
        Answers(Speech::Chat).failure(&check::head(), &mut chunks);
        assert_eq!(chunks, Chunks::default());
    }
}
