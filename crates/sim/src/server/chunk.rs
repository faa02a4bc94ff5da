//! The JSON of answers: chunks of a stream and whole answers, field by field as the servers send
//! them.

use serde::Serialize;
use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::model::Finish;
use crate::tokenizer::TokenId;

/// Which of the two generation routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/completions`.
    Completion,
}

/// What is the same in every chunk of an answer.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) dialect: Dialect,
    pub(super) route: Route,
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) model: String,
    /// What the server calls its build; vLLM sends it with the last chunk.
    pub(super) fingerprint: String,
}

/// Token counts of an answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) prompt: u32,
    pub(super) completion: u32,
    /// Cached prompt tokens, where the server tells them.
    pub(super) cached: Option<u32>,
}

/// The text of one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Delta {
    /// Answer text.
    pub(super) content: String,
    /// Text under the name `reasoning`.
    pub(super) reasoning: Option<String>,
    /// Text under the name `reasoning_content`.
    pub(super) reasoning_content: Option<String>,
    /// The tokens, for those who asked for them.
    pub(super) ids: Vec<TokenId>,
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: u32,
    total_tokens: u32,
    completion_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Serialize)]
struct PromptDetails {
    cached_tokens: u32,
}

impl From<Tally> for Usage {
    fn from(tally: Tally) -> Self {
        Self {
            prompt_tokens: tally.prompt,
            total_tokens: tally.prompt.saturating_add(tally.completion),
            completion_tokens: tally.completion,
            prompt_tokens_details: tally
                .cached
                .map(|cached_tokens| PromptDetails { cached_tokens }),
        }
    }
}

#[derive(Serialize)]
struct Chunk<'a, C> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [C],
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
    #[serde(flatten)]
    prompt: Option<PromptEcho<'a>>,
}

/// What vLLM's first chat chunk says of the prompt.
#[derive(Serialize)]
struct PromptEcho<'a> {
    prompt_token_ids: Option<&'a [TokenId]>,
    prompt_text: Option<&'a str>,
}

#[derive(Serialize)]
struct ChatDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
}

#[derive(Serialize)]
struct ChatChoice<'a> {
    index: u32,
    delta: ChatDelta<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'static str>,
    #[serde(flatten)]
    end: Option<StopReason>,
    #[serde(flatten)]
    tokens: Option<ChoiceTokens<'a>>,
}

/// vLLM's field beside a finish reason.
#[derive(Serialize)]
struct StopReason {
    stop_reason: Option<()>,
}

#[derive(Serialize)]
struct ChoiceTokens<'a> {
    token_ids: Option<&'a [TokenId]>,
}

#[derive(Serialize)]
struct TextChoice<'a> {
    index: u32,
    text: &'a str,
    logprobs: Option<()>,
    finish_reason: Option<&'static str>,
    #[serde(flatten)]
    vllm: Option<TextExtras<'a>>,
}

#[derive(Serialize)]
struct TextExtras<'a> {
    stop_reason: Option<()>,
    prompt_token_ids: Option<&'a [TokenId]>,
    token_ids: Option<&'a [TokenId]>,
}

fn word(finish: Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Stop => "stop",
    }
}

/// What an event of generated tokens says beside its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extras<'a> {
    pub(super) finish: Option<Finish>,
    /// Running usage, where it was asked for.
    pub(super) usage: Option<Tally>,
    /// The prompt's tokens, with the first event, where they were asked for.
    pub(super) prompt_ids: Option<&'a [TokenId]>,
    /// Whether the event's tokens were asked for.
    pub(super) token_ids: bool,
    /// Whether no usage chunk follows, so that this is the last chunk.
    pub(super) last: bool,
}

impl Head {
    fn object(&self) -> &'static str {
        match self.route {
            Route::Chat => "chat.completion.chunk",
            Route::Completion => "text_completion",
        }
    }

    fn chunk<'a, C: Serialize>(
        &'a self,
        choices: &'a [C],
        usage: Option<Tally>,
        last: bool,
        prompt: Option<PromptEcho<'a>>,
    ) -> String {
        let chunk = Chunk {
            id: &self.id,
            object: self.object(),
            created: self.created,
            model: &self.model,
            choices,
            usage: usage.map(Usage::from),
            system_fingerprint: last.then_some(self.fingerprint.as_str()),
            prompt,
        };
        serde_json::to_string(&chunk).unwrap_or_default()
    }

    fn is_vllm(&self) -> bool {
        self.dialect == Dialect::Vllm
    }

    /// The first chat chunk, which has a role and no text.
    pub(super) fn role(&self, extras: Extras<'_>) -> String {
        let choice = ChatChoice {
            index: 0,
            delta: ChatDelta {
                role: Some("assistant"),
                reasoning: None,
                reasoning_content: None,
                content: Some(""),
            },
            logprobs: None,
            finish_reason: None,
            end: None,
            tokens: None,
        };
        let prompt = self.is_vllm().then_some(PromptEcho {
            prompt_token_ids: extras.prompt_ids,
            prompt_text: None,
        });
        self.chunk(&[choice], extras.usage, false, prompt)
    }

    /// An event of generated tokens.
    pub(super) fn event(&self, delta: &Delta, extras: Extras<'_>) -> String {
        let finish_reason = extras.finish.map(word);
        let token_ids = extras.token_ids.then_some(delta.ids.as_slice());
        match self.route {
            Route::Chat => {
                let reasons = delta.reasoning.is_some() || delta.reasoning_content.is_some();
                let bare = reasons && delta.content.is_empty();
                let choice = ChatChoice {
                    index: 0,
                    delta: ChatDelta {
                        role: None,
                        reasoning: delta.reasoning.as_deref(),
                        reasoning_content: delta.reasoning_content.as_deref(),
                        content: (!bare).then_some(delta.content.as_str()),
                    },
                    logprobs: None,
                    finish_reason,
                    end: (self.is_vllm() && finish_reason.is_some())
                        .then_some(StopReason { stop_reason: None }),
                    tokens: self.is_vllm().then_some(ChoiceTokens { token_ids }),
                };
                self.chunk(&[choice], extras.usage, extras.last, None)
            }
            Route::Completion => {
                let choice = TextChoice {
                    index: 0,
                    text: &delta.content,
                    logprobs: None,
                    finish_reason,
                    vllm: self.is_vllm().then_some(TextExtras {
                        stop_reason: None,
                        prompt_token_ids: extras.prompt_ids,
                        token_ids,
                    }),
                };
                self.chunk(&[choice], extras.usage, extras.last, None)
            }
        }
    }

    /// The last chunk of `OpenAI`'s own servers: a finish reason without text.
    pub(super) fn finish(&self, finish: Finish, last: bool) -> String {
        match self.route {
            Route::Completion => {
                let extras = Extras {
                    finish: Some(finish),
                    last,
                    ..Extras::default()
                };
                self.event(&Delta::default(), extras)
            }
            Route::Chat => {
                let choice = ChatChoice {
                    index: 0,
                    delta: ChatDelta {
                        role: None,
                        reasoning: None,
                        reasoning_content: None,
                        content: None,
                    },
                    logprobs: None,
                    finish_reason: Some(word(finish)),
                    end: None,
                    tokens: None,
                };
                self.chunk(&[choice], None, last, None)
            }
        }
    }

    /// The chunk with the usage of the whole answer and no choice.
    pub(super) fn usage(&self, tally: Tally) -> String {
        let none: [TextChoice<'_>; 0] = [];
        self.chunk(&none, Some(tally), true, None)
    }

    /// A whole answer, for a request that did not ask for a stream.
    pub(super) fn whole(
        &self,
        delta: &Delta,
        finish: Finish,
        tally: Tally,
        prompt_ids: Option<&[TokenId]>,
    ) -> String {
        let token_ids = prompt_ids.map(|_| delta.ids.as_slice());
        let mut choice = match self.route {
            Route::Chat => json!({
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": delta.content,
                    "refusal": null,
                    "reasoning": delta.reasoning,
                    "reasoning_content": delta.reasoning_content,
                },
            }),
            Route::Completion => json!({"index": 0, "text": delta.content}),
        };
        if let Value::Object(fields) = &mut choice {
            fields.insert("logprobs".to_owned(), Value::Null);
            fields.insert("finish_reason".to_owned(), json!(word(finish)));
            if self.is_vllm() {
                fields.insert("stop_reason".to_owned(), Value::Null);
                fields.insert("token_ids".to_owned(), json!(token_ids));
                if self.route == Route::Completion {
                    fields.insert("prompt_token_ids".to_owned(), json!(prompt_ids));
                }
            }
        }
        let object = match self.route {
            Route::Chat => "chat.completion",
            Route::Completion => "text_completion",
        };
        let mut answer = json!({
            "id": self.id,
            "object": object,
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "service_tier": null,
            "system_fingerprint": self.fingerprint,
            "usage": self.whole_usage(tally),
        });
        if let Value::Object(fields) = &mut answer
            && self.is_vllm()
            && self.route == Route::Chat
        {
            fields.insert("prompt_token_ids".to_owned(), json!(prompt_ids));
        }
        answer.to_string()
    }

    /// In a whole answer vLLM sends the details as null where it does not tell them.
    fn whole_usage(&self, tally: Tally) -> Value {
        let mut usage = json!(Usage::from(tally));
        if let Value::Object(fields) = &mut usage
            && self.is_vllm()
        {
            fields.entry("prompt_tokens_details").or_insert(Value::Null);
        }
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(dialect: Dialect, route: Route) -> Head {
        Head {
            dialect,
            route,
            id: "x-1".to_owned(),
            created: 7,
            model: "m".to_owned(),
            fingerprint: "f".to_owned(),
        }
    }

    fn delta(content: &str) -> Delta {
        Delta {
            content: content.to_owned(),
            ids: vec![9],
            ..Delta::default()
        }
    }

    const TALLY: Tally = Tally {
        prompt: 51,
        completion: 2,
        cached: None,
    };

    /// The shapes that a real vLLM 0.32 sent, with ids and texts of our own.
    #[test]
    fn vllm_chunks_have_the_fields_of_the_real_ones() {
        let chat = head(Dialect::Vllm, Route::Chat);
        assert_eq!(
            chat.role(Extras::default()),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null,"prompt_text":null}"#
        );
        assert_eq!(
            chat.event(&delta(" a"), Extras::default()),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":null,"token_ids":null}]}"#
        );
        let finish = Extras {
            finish: Some(Finish::Length),
            last: true,
            ..Extras::default()
        };
        assert_eq!(
            chat.event(&delta(" a"), finish),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":"length","stop_reason":null,"token_ids":null}],"system_fingerprint":"f"}"#
        );
        assert_eq!(
            chat.usage(TALLY),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2},"system_fingerprint":"f"}"#
        );
        let ids = Extras {
            prompt_ids: Some(&[1, 2]),
            token_ids: true,
            usage: Some(Tally {
                cached: Some(16),
                ..TALLY
            }),
            ..Extras::default()
        };
        assert_eq!(
            head(Dialect::Vllm, Route::Completion).event(&delta("a"), ids),
            r#"{"id":"x-1","object":"text_completion","created":7,"model":"m","choices":[{"index":0,"text":"a","logprobs":null,"finish_reason":null,"stop_reason":null,"prompt_token_ids":[1,2],"token_ids":[9]}],"usage":{"prompt_tokens":51,"total_tokens":53,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":16}}}"#
        );
    }

    #[test]
    fn the_bare_interface_has_none_of_the_additions() {
        let chat = head(Dialect::OpenAi, Route::Chat);
        assert_eq!(
            chat.event(&delta(" a"), Extras::default()),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":" a"},"logprobs":null,"finish_reason":null}]}"#
        );
        assert_eq!(
            chat.finish(Finish::Stop, false),
            r#"{"id":"x-1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}"#
        );
    }

    #[test]
    fn reasoning_comes_under_its_names() {
        let chat = head(Dialect::Vllm, Route::Chat);
        let both = Delta {
            reasoning: Some("r".to_owned()),
            reasoning_content: Some("r".to_owned()),
            ..Delta::default()
        };
        let chunk = chat.event(&both, Extras::default());
        assert!(
            chunk.contains(r#""delta":{"reasoning":"r","reasoning_content":"r"}"#),
            "{chunk}"
        );
    }
}
