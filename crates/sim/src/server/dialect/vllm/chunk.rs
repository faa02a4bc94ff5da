//! Answers of vLLM 0.32, field by field.

use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Head, Shape, Speech, Step, Tally};
use super::super::{openai, parts};

/// The two generation routes.
#[derive(Debug)]
pub(super) struct Answers(pub(super) Speech);

impl Answers {
    /// The first chat chunk, which has a role and no text. It comes with the first token, not
    /// before.
    fn role(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
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
            if step.wishes.usage.every {
                let tally = Tally {
                    completion: 0,
                    ..step.tally
                };
                usage(tally, None, chunk);
            }
            chunk.ids("prompt_token_ids", step.asked_prompt());
            chunk.null("prompt_text");
        });
    }

    fn choice(&self, step: &Step<'_>, choice: &mut Object<'_>) {
        let finish = step.finish_word();
        choice.number("index", 0u32);
        match self.0 {
            Speech::Chat => {
                choice.object("delta", |delta| {
                    if let Some(text) = &step.delta.reasoning {
                        delta.text("reasoning", text);
                    }
                    if let Some(text) = &step.delta.reasoning_content {
                        delta.text("reasoning_content", text);
                    }
                    if let Some(text) = step.delta.said() {
                        delta.text("content", text);
                    }
                });
                choice.null("logprobs");
                choice.word("finish_reason", finish);
                if finish.is_some() {
                    choice.null("stop_reason");
                }
            }
            Speech::Text => {
                choice.text("text", &step.delta.content);
                choice.null("logprobs");
                choice.word("finish_reason", finish);
                choice.null("stop_reason");
                choice.ids("prompt_token_ids", step.asked_prompt());
            }
        }
        choice.ids("token_ids", step.asked_ids());
    }
}

fn usage(tally: Tally, cached: Option<u32>, chunk: &mut Object<'_>) {
    chunk.object("usage", |usage| counts(tally, cached, usage));
}

fn counts(tally: Tally, cached: Option<u32>, usage: &mut Object<'_>) {
    parts::counts_total_second(tally, usage);
    if let Some(cached) = cached {
        parts::cached(cached, usage);
    }
}

impl Shape for Answers {
    fn speech(&self) -> Speech {
        self.0
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if step.first && self.0 == Speech::Chat {
            self.role(head, step, chunks);
        }
        let wish = step.wishes.usage;
        chunks.tokens(|chunk| {
            parts::chunk_head(head, self.0, chunk);
            chunk.only("choices", |choice| self.choice(step, choice));
            if wish.every {
                usage(step.tally, None, chunk);
            }
            if step.finish.is_some() && !wish.last {
                chunk.text("system_fingerprint", &head.fingerprint);
            }
        });
        if step.finish.is_none() {
            return;
        }
        if wish.last {
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
        openai::failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        let chat = self.0 == Speech::Chat;
        parts::whole_head(head, self.0, out);
        out.only("choices", |choice| {
            choice.number("index", 0u32);
            if chat {
                choice.object("message", |message| whole_message(step, message));
            } else {
                choice.text("text", &step.delta.content);
            }
            choice.null("logprobs");
            choice.word("finish_reason", step.finish_word());
            choice.null("stop_reason");
            choice.ids("token_ids", step.asked_ids());
            if !chat {
                choice.null("prompt_logprobs");
                choice.ids("prompt_token_ids", step.asked_prompt());
            }
            choice.null("routed_experts");
        });
        out.null("service_tier");
        out.text("system_fingerprint", &head.fingerprint);
        out.object("usage", |usage| {
            counts(step.tally, step.told_cached(), usage);
            // Here the details are null where they are not told, not absent.
            if step.told_cached().is_none() {
                usage.null("prompt_tokens_details");
            }
            usage.null("completion_tokens_details");
        });
        if chat {
            out.null("prompt_logprobs");
            out.ids("prompt_token_ids", step.asked_prompt());
            out.null("prompt_text");
        }
        for name in ["kv_transfer_params", "ec_transfer_params", "metrics"] {
            out.null(name);
        }
    }
}

fn whole_message(step: &Step<'_>, message: &mut Object<'_>) {
    message.text("role", "assistant");
    message.text("content", &step.delta.content);
    for name in ["refusal", "annotations", "audio", "function_call"] {
        message.null(name);
    }
    message.word("reasoning", step.delta.reasoning.as_deref());
    if let Some(text) = &step.delta.reasoning_content {
        message.text("reasoning_content", text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::shape::{Delta, UsageWish, Wishes};
    use super::super::super::check::{self, step};
    use super::*;

    fn wishing(step: Step<'_>, every: bool, last: bool) -> Step<'_> {
        let wishes = Wishes {
            usage: UsageWish { every, last },
            ..step.wishes
        };
        Step { wishes, ..step }
    }

    /// The shapes that a real vLLM 0.32 sent, with ids and texts of our own.
    #[test]
    fn chunks_have_the_fields_of_the_real_ones() {
        let (head, delta) = (check::head(), check::delta(" a"));
        let chat = Answers(Speech::Chat);
        assert_eq!(
            check::written(&chat, &head, &step(&delta, true, false)),
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null,"prompt_text":null}"#,
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":null,"token_ids":null}]}"#,
            ]
        );
        assert_eq!(
            check::written(&chat, &head, &step(&delta, false, true)),
            [
                r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":"length","stop_reason":null,"token_ids":null}],"system_fingerprint":"f"}"#,
                "[DONE]",
            ]
        );
        let with_usage = wishing(step(&delta, false, true), false, true);
        assert_eq!(
            check::written(&chat, &head, &with_usage)[1],
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2},"system_fingerprint":"f"}"#
        );
    }

    #[test]
    fn completions_carry_running_usage_and_ids() {
        let (head, delta) = (check::head(), check::delta("a"));
        let mut with_ids = wishing(step(&delta, true, false), true, true);
        with_ids.wishes.token_ids = true;
        assert_eq!(
            check::written(&Answers(Speech::Text), &head, &with_ids),
            [
                r#"{"id":"x-1","object":"text_completion","created":7,"model":"m","choices":[{"index":0,"text":"a","logprobs":null,"finish_reason":null,"stop_reason":null,"prompt_token_ids":[1,2],"token_ids":[9]}],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2}}"#
            ]
        );
    }

    #[test]
    fn whole_answers_have_nulls_where_streams_have_nothing() {
        let (head, delta) = (check::head(), check::delta("a"));
        assert_eq!(
            check::whole(&Answers(Speech::Chat), &head, &step(&delta, true, true)),
            r#"{"id":"x-1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"annotations":null,"audio":null,"function_call":null,"reasoning":null},"logprobs":null,"finish_reason":"length","stop_reason":null,"token_ids":null,"routed_experts":null}],"service_tier":null,"system_fingerprint":"f","usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2,"prompt_tokens_details":null,"completion_tokens_details":null},"prompt_logprobs":null,"prompt_token_ids":null,"prompt_text":null,"kv_transfer_params":null,"ec_transfer_params":null,"metrics":null}"#
        );
    }

    #[test]
    fn reasoning_comes_under_its_names() {
        let both = Delta {
            reasoning: Some("r".to_owned()),
            reasoning_content: Some("r".to_owned()),
            ..Delta::default()
        };
        let chat = Answers(Speech::Chat);
        let chunks = check::written(&chat, &check::head(), &step(&both, false, false));
        assert!(
            chunks[0].contains(r#""delta":{"reasoning":"r","reasoning_content":"r"}"#),
            "{chunks:?}"
        );
    }
}
