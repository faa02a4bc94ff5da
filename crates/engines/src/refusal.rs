//! The optional fields of a request, and which of them a refusal names.

use serde_json::{Map, Value, json};
use tokmark_openai_stream::request::refused_field;

use crate::capability::{Capabilities, ENDLESS_GENERATION, Endpoint, FixedLength, LimitField};

/// An optional field that a measured request would like to carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Temperature,
    TopP,
    Seed,
    StreamUsage,
    ContinuousUsage,
    IgnoreEos,
    LeastTokens(&'static str),
    DebugConfig,
    GenerationConfig,
    TokenIds,
    Timings,
    CachePrompt,
    Slot,
    Constant(&'static str, u64),
}

impl Field {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::Seed => "seed",
            Self::StreamUsage => "stream_options",
            Self::ContinuousUsage => "continuous_usage_stats",
            Self::IgnoreEos => "ignore_eos",
            Self::TokenIds => "return_token_ids",
            Self::Timings => "timings_per_token",
            Self::CachePrompt => "cache_prompt",
            Self::Slot => "id_slot",
            Self::DebugConfig => "debug_config",
            Self::GenerationConfig => "generation_config",
            Self::LeastTokens(name) | Self::Constant(name, _) => name,
        }
    }

    /// Whether it is what makes an answer have its full length.
    pub(crate) fn fixes_length(self) -> bool {
        matches!(
            self,
            Self::IgnoreEos | Self::LeastTokens(_) | Self::DebugConfig | Self::GenerationConfig
        )
    }

    /// Everything worth asking of a server with these capabilities, the most useful first.
    pub(crate) fn wanted(known: &Capabilities) -> Vec<Self> {
        let (fixed_length, has_one) = match known.fixed_length {
            FixedLength::IgnoreEos => (Self::IgnoreEos, true),
            FixedLength::LeastTokens(name) => (Self::LeastTokens(name), true),
            FixedLength::DebugConfig => (Self::DebugConfig, true),
            FixedLength::GenerationConfig => (Self::GenerationConfig, true),
            FixedLength::Never => (Self::IgnoreEos, false),
        };
        let asked = [
            (Self::Temperature, true),
            (Self::TopP, true),
            (Self::Seed, true),
            (Self::StreamUsage, known.stream_usage.is_possible()),
            (Self::ContinuousUsage, known.continuous_usage.is_possible()),
            (fixed_length, has_one && known.ignore_eos.is_possible()),
            (Self::TokenIds, known.return_token_ids.is_possible()),
            (Self::Timings, known.timings_per_token.is_possible()),
            (Self::CachePrompt, known.cache_prompt_field),
            (Self::Slot, known.slot_pinning),
        ];
        let constants = known.constants.iter();
        asked
            .into_iter()
            .filter_map(|(field, ask)| ask.then_some(field))
            .chain(constants.map(|(name, value)| Self::Constant(name, *value)))
            .collect()
    }
}

/// What a refusal names of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// One of its optional fields.
    Field(Field),
    /// The name of its output limit.
    Limit,
}

/// What of `fields`, or that the name of the output limit, is refused by an error's text.
pub(crate) fn named_in(fields: &[Field], limit: LimitField, refusal: &str) -> Option<Named> {
    // Usage may be refused by the name of the option or of what it holds.
    let usage = (Field::StreamUsage, "include_usage");
    let usage = Some(usage).filter(|(field, _)| fields.contains(field));
    let known: Vec<(Field, &str)> = fields
        .iter()
        .map(|field| (*field, field.name()))
        .chain(usage)
        .collect();
    let names = known.iter().map(|(_, name)| *name);
    let sent: Vec<&str> = names.chain([limit.name()]).collect();
    let refused = refused_field(refusal, &sent, limit.name())?;
    let field = known.iter().find(|(_, name)| *name == refused);
    Some(field.map_or(Named::Limit, |(field, _)| Named::Field(*field)))
}

/// The body of a request with exactly these optional fields.
pub(crate) fn body(
    model: &str,
    endpoint: Endpoint,
    prompt: &str,
    limit: (LimitField, u64),
    fields: &[Field],
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    match endpoint {
        Endpoint::Chat => {
            let messages = json!([{ "role": "user", "content": prompt }]);
            body.insert("messages".to_owned(), messages)
        }
        Endpoint::Completions => body.insert("prompt".to_owned(), json!(prompt)),
    };
    body.insert(limit.0.name().to_owned(), json!(limit.1));
    body.insert("stream".to_owned(), json!(true));
    for field in fields {
        let value = match field {
            Field::Temperature => json!(0.7),
            Field::TopP => json!(0.95),
            Field::Seed | Field::Slot => json!(0),
            Field::StreamUsage if fields.contains(&Field::ContinuousUsage) => {
                json!({ "include_usage": true, "continuous_usage_stats": true })
            }
            Field::StreamUsage => json!({ "include_usage": true }),
            // It lies inside `stream_options` and means nothing without it.
            Field::ContinuousUsage => continue,
            Field::LeastTokens(_) => json!(limit.1),
            Field::DebugConfig => json!({ "ignore_eos": true }),
            Field::GenerationConfig => json!(ENDLESS_GENERATION),
            Field::Constant(_, value) => json!(value),
            Field::IgnoreEos | Field::TokenIds | Field::Timings | Field::CachePrompt => json!(true),
        };
        body.insert(field.name().to_owned(), value);
    }
    Value::Object(body)
}
