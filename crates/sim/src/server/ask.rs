//! What a generation request asks for, read from its JSON body and checked as the servers check it.

use serde_json::Value;

use super::dialect::{Accepts, Naming, UsageRule};
use super::error::{ApiError, FieldFault};
use super::field::{boolean, integer, number, wrong};
use super::prompt::{messages, text_prompt};
use super::room::Room;
use super::shape::{Fields, Speech, UsageWish, Wishes};
use crate::config::SimConfig;
use crate::rng::mix;
use crate::tokenizer::{TokenId, Tokenizer};

/// A generation request that can be run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ask {
    /// The model's id as the answer repeats it.
    pub(super) model: String,
    pub(super) prompt: Vec<TokenId>,
    pub(super) stream: bool,
    pub(super) max_tokens: u32,
    pub(super) min_tokens: u32,
    pub(super) ignore_eos: bool,
    /// The seed of an answer that is to be the same each time; `None` when each is its own.
    pub(super) seed: Option<u64>,
    pub(super) wishes: Wishes,
    /// The data-parallel rank asked for.
    pub(super) rank: Option<u32>,
    pub(super) cache_salt: u64,
}

impl Ask {
    /// Reads a request in the order in which vLLM checks it: fields, model, options, lengths.
    pub(super) fn read(
        fields: &Fields,
        speech: Speech,
        accepts: &Accepts,
        config: &SimConfig,
        tokenizer: Tokenizer,
    ) -> Result<Self, ApiError> {
        known(fields, accepts)?;
        let mut prompt = match speech {
            Speech::Chat => tokenizer.encode_chat(&messages(fields)?, true),
            Speech::Text => text_prompt(fields, tokenizer, accepts)?,
        };
        let limit = limit(fields, speech, accepts)?;
        let stream = boolean(fields, "stream")?;
        let min_tokens = match accepts.min_tokens {
            Some(name) => integer(fields, name)?.unwrap_or(0),
            None => 0,
        };
        let seed = integer(fields, "seed")?;
        let greedy = number(fields, "temperature")?.is_some_and(|t| t <= 0.0);
        number(fields, "top_p")?;
        let ignore_eos = accepts.ignore_eos && boolean(fields, "ignore_eos")?;
        let token_ids = asked_for(fields, accepts.token_ids)?;
        let timings = accepts.timings && boolean(fields, "timings_per_token")?;
        let rank = match accepts.rank_field {
            Some(name) => integer(fields, name)?.and_then(|rank| u32::try_from(rank).ok()),
            None => None,
        };
        let model = model(fields, accepts.naming, config)?;
        one_choice(fields)?;
        let usage = stream_options(fields, stream, accepts)?;
        let room = Room {
            speech,
            accepts,
            longest: i64::from(config.engine.max_model_len),
        };
        let max_tokens = room.fit(limit, &mut prompt)?;
        if min_tokens > i64::from(max_tokens) {
            let message =
                format!("min_tokens must be less than or equal to max_tokens={max_tokens}.");
            return Err(ApiError::parameter("min_tokens", &message, min_tokens));
        }
        let salt = fields.get("cache_salt").and_then(Value::as_str);
        Ok(Self {
            model,
            prompt,
            stream,
            max_tokens,
            min_tokens: u32::try_from(min_tokens).unwrap_or(0),
            ignore_eos,
            seed: if greedy {
                Some(0)
            } else {
                seed.map(|seed| mix(seed.unsigned_abs()))
            },
            wishes: Wishes {
                usage,
                token_ids,
                timings,
                cached_tokens: config.prompt_tokens_details,
            },
            rank,
            cache_salt: salt.map_or(0, salt_hash),
        })
    }
}

/// Refuses fields that the server does not know, where it does so.
fn known(fields: &Fields, accepts: &Accepts) -> Result<(), ApiError> {
    let Some(only) = accepts.only else {
        return Ok(());
    };
    match fields.keys().find(|name| !only.contains(&name.as_str())) {
        Some(name) => Err(ApiError::Field {
            field: name.clone(),
            fault: FieldFault::Refused,
        }),
        None => Ok(()),
    }
}

/// The first of the names of the output length that is given.
fn limit(fields: &Fields, speech: Speech, accepts: &Accepts) -> Result<Option<i64>, ApiError> {
    let names = match speech {
        Speech::Chat => accepts.chat_limits,
        Speech::Text => accepts.text_limits,
    };
    let mut limit = None;
    for name in names {
        limit = limit.or(integer(fields, name)?);
    }
    Ok(limit.filter(|limit| *limit != -1 || !accepts.minus_one_is_none))
}

fn asked_for(fields: &Fields, flag: Option<&str>) -> Result<bool, ApiError> {
    flag.map_or(Ok(false), |name| boolean(fields, name))
}

/// The model that the answer names.
pub(super) fn model(
    fields: &Fields,
    naming: Naming,
    config: &SimConfig,
) -> Result<String, ApiError> {
    let served = &config.model.served_name;
    match fields.get("model") {
        None | Some(Value::Null) => Ok(match naming {
            Naming::Echo {
                unsaid: Some(unsaid),
            } => unsaid.to_owned(),
            _ => served.clone(),
        }),
        Some(Value::String(_)) if naming == Naming::Ignore => Ok(served.clone()),
        Some(Value::String(asked))
            if matches!(naming, Naming::Echo { .. })
                || asked == served
                || config.model.aliases.contains(asked) =>
        {
            Ok(asked.clone())
        }
        Some(Value::String(asked)) => {
            let names = std::iter::once(served).chain(&config.model.aliases);
            Err(ApiError::Model {
                asked: asked.clone(),
                served: names.cloned().collect(),
            })
        }
        Some(other) => Err(wrong(
            "model",
            "string_type",
            "Input should be a valid string",
            other,
        )),
    }
}

fn one_choice(fields: &Fields) -> Result<(), ApiError> {
    match integer(fields, "n")? {
        None | Some(1) => Ok(()),
        Some(n) => Err(ApiError::parameter(
            "n",
            "The simulator gives one answer a request.",
            n,
        )),
    }
}

/// What a stream says of its token counts.
fn stream_options(fields: &Fields, stream: bool, accepts: &Accepts) -> Result<UsageWish, ApiError> {
    match fields.get("stream_options") {
        None | Some(Value::Null) => Ok(UsageWish::default()),
        Some(_) if accepts.usage == UsageRule::Ignored => Ok(UsageWish::default()),
        Some(_) if !stream && accepts.options_need_stream => Err(ApiError::Value {
            param: Some("stream_options"),
            message: "Stream options can only be defined when `stream=True`. \
                      (parameter=stream_options)"
                .to_owned(),
        }),
        Some(Value::Object(options)) => usage_wish(options, accepts.usage),
        Some(other) => Err(wrong(
            "stream_options",
            "dict_type",
            "Input should be a valid dictionary",
            other,
        )),
    }
}

fn usage_wish(options: &Fields, rule: UsageRule) -> Result<UsageWish, ApiError> {
    let asked = |name: &str| -> Result<bool, ApiError> {
        let unsaid = options.get(name).is_none_or(Value::is_null);
        let wanted = rule == UsageRule::RunningUnlessDenied && unsaid;
        Ok(wanted || boolean(options, name)?)
    };
    let last = asked("include_usage")?;
    let every = asked("continuous_usage_stats")?;
    Ok(match rule {
        UsageRule::Ignored => UsageWish::default(),
        UsageRule::Last => UsageWish { every: false, last },
        UsageRule::Running | UsageRule::RunningUnlessDenied => UsageWish {
            every: every && last,
            last,
        },
        UsageRule::RunningAlone => UsageWish { every, last },
    })
}

fn salt_hash(salt: &str) -> u64 {
    salt.bytes()
        .fold(1, |hash, byte| mix(hash ^ u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::super::field;
    use super::*;

    fn read(speech: Speech, body: &str) -> Result<Ask, ApiError> {
        let config = SimConfig::default();
        let fields = field::object(body.as_bytes())?;
        let accepts = super::super::dialect::of(config.dialect).accepts();
        let tokenizer = Tokenizer::new(config.model.vocabulary);
        Ask::read(&fields, speech, accepts, &config, tokenizer)
    }

    #[test]
    fn prompts_may_be_texts_or_tokens() {
        let check = |prompt: &str, expect: usize| {
            let ask = read(Speech::Text, &format!(r#"{{"prompt":{prompt}}}"#)).unwrap();
            assert_eq!(ask.prompt.len(), expect, "{prompt}");
            assert_eq!(ask.max_tokens, 16);
        };
        check(r#""one two""#, 2);
        check(r#"["one two three"]"#, 3);
        check("[5,6,7,8]", 4);
        check("[[5,6]]", 2);
        check("[5]", 1);
        for bad in [r#"["a","b"]"#, "[32000]", "[-1]", "7", "\"\"", "[]"] {
            let body = format!(r#"{{"prompt":{bad}}}"#);
            assert!(read(Speech::Text, &body).is_err(), "{bad}");
        }
    }

    #[test]
    fn chat_content_may_be_parts_and_fills_the_length() {
        let body = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"one two"}]}]}"#;
        let ask = read(Speech::Chat, body).unwrap();
        assert_eq!(ask.prompt.len(), 2 + 5 + 3);
        assert_eq!(ask.max_tokens, 32_768 - 10);
    }
}
