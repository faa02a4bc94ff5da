//! Ollama's answers on OpenAI's routes.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step, Tally};
use super::super::parts;

/// The two OpenAI routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    fn head(&self, head: &Head, chunk: &mut Object<'_>) {
        parts::chunk_head(head, self.0, chunk);
        chunk.text("system_fingerprint", &head.fingerprint);
    }

    fn delta(step: &Step<'_>, delta: &mut Object<'_>) {
        delta.text("role", "assistant");
        delta.text("content", &step.delta.content);
        if let Some(thought) = step.delta.thought() {
            delta.text("reasoning", thought);
        }
    }

    /// Text with the role beside it, or the empty delta of the end.
    fn choice(&self, step: &Step<'_>, finish: Option<&str>, chunk: &mut Object<'_>) {
        chunk.only("choices", |choice| {
            choice.number("index", 0u32);
            match (self.0, finish) {
                (Speech::Chat, None) => choice.object("delta", |delta| Self::delta(step, delta)),
                (Speech::Chat, Some(_)) => choice.object("delta", |_| {}),
                (Speech::Text, None) => choice.text("text", &step.delta.content),
                (Speech::Text, Some(_)) => choice.text("text", ""),
            }
            choice.word("finish_reason", finish);
        });
    }

    /// Completions carry a usage of zeros with every chunk before the real one.
    fn zeros(&self, step: &Step<'_>, chunk: &mut Object<'_>) {
        if self.0 == Speech::Text && step.wishes.usage.last {
            usage(Tally::default(), chunk);
        }
    }
}

fn usage(tally: Tally, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| parts::counts(tally, usage));
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| {
                self.head(head, chunk);
                self.choice(step, None, chunk);
                self.zeros(step, chunk);
            });
        }
        let Some(finish) = step.finish_word() else {
            return;
        };
        chunks.aside(|chunk| {
            self.head(head, chunk);
            self.choice(step, Some(finish), chunk);
            self.zeros(step, chunk);
        });
        if step.wishes.usage.last {
            chunks.aside(|chunk| {
                self.head(head, chunk);
                chunk.array("choices", |_| {});
                usage(step.tally, chunk);
            });
        }
        chunks.done();
    }

    /// The error's text is lost on this route: an empty delta, and no end mark.
    fn failure(&self, head: &Head, chunks: &mut Chunks) {
        chunks.aside(|chunk| {
            self.head(head, chunk);
            chunk.only("choices", |choice| {
                choice.number("index", 0u32);
                match self.0 {
                    Speech::Chat => choice.object("delta", |_| {}),
                    Speech::Text => choice.text("text", ""),
                }
                choice.null("finish_reason");
            });
        });
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        parts::whole_head(head, self.0, out);
        out.text("system_fingerprint", &head.fingerprint);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            match self.0 {
                Speech::Chat => choice.object("message", |message| Self::delta(step, message)),
                Speech::Text => choice.text("text", &step.delta.content),
            }
            choice.word("finish_reason", step.finish_word());
        });
        usage(step.tally, out);
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
                every: false,
                last: true,
            },
            ..Wishes::default()
        };
        Step { wishes, ..step }
    }

    #[test]
    fn the_role_comes_with_the_text() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chunks = check::written(&Answers(Speech::Chat), &head, &step(&delta, true, false));
        assert_eq!(
            chunks,
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","system_fingerprint":"f","choices":[{"index":0,"delta":{"role":"assistant","content":" a"},"finish_reason":null}]}"#
            ]
        );
    }

    #[test]
    fn completions_carry_zeros_before_the_real_usage() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let last = wishing(step(&delta, false, true));
        let chunks = check::written(&Answers(Speech::Text), &head, &last);
        let zeros = r#""usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#;
        assert!(
            chunks[0].ends_with(zeros) && chunks[1].ends_with(zeros),
            "{chunks:?}"
        );
        let real =
            r#""choices":[],"usage":{"prompt_tokens":51,"completion_tokens":2,"total_tokens":53}}"#;
        assert!(chunks[2].ends_with(real), "{chunks:?}");
        let chat = check::written(&Answers(Speech::Chat), &head, &last);
        assert!(!chat[0].contains("usage"), "{chat:?}");
    }

    #[test]
    fn an_error_in_a_stream_is_an_empty_delta_without_an_end() {
        let mut chunks = Chunks::default();
        Answers(Speech::Chat).failure(&check::head(), &mut chunks);
        let texts = check::texts(chunks);
        assert_eq!(texts.len(), 1);
        assert!(texts[0].contains(r#""delta":{}"#), "{texts:?}");
    }
}
