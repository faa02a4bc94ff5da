//! Errors, in all the shapes that servers give them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};

use super::Chunk;
use crate::lenient::{self, Any, Loose};

/// What an error says, whatever its shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorBody<'a> {
    /// The text for people.
    pub message: Option<Cow<'a, str>>,
    /// Its kind: `BadRequestError`, `overloaded`, …
    pub kind: Option<Cow<'a, str>>,
    /// Its code: a number or a word.
    pub code: Option<Cow<'a, str>>,
    /// The request's parameter that it names.
    pub param: Option<Cow<'a, str>>,
    /// The HTTP status that TGI puts into an error within a stream.
    pub http_status_code: Option<u64>,
}

impl ErrorBody<'_> {
    /// The HTTP status that the error itself names.
    pub fn status(&self) -> Option<u16> {
        let code = self.code.as_deref().and_then(|code| code.parse().ok());
        self.http_status_code
            .or(code)
            .and_then(|status| u16::try_from(status).ok())
            .filter(|status| (400..600).contains(status))
    }

    /// What it says to people: the message and the parameter that it names.
    pub fn words(&self) -> String {
        self.line(&[("param", &self.param)])
    }

    /// Everything it says, to recognise it by.
    pub fn summary(&self) -> String {
        let (code, kind, param) = (&self.code, &self.kind, &self.param);
        self.line(&[("code", code), ("type", kind), ("param", param)])
    }

    /// The message, and behind it those of `members` whose value it does not hold.
    fn line(&self, members: &[(&str, &Option<Cow<'_, str>>)]) -> String {
        let message = self.message.as_deref().unwrap_or_default();
        let extra = members.iter().filter_map(|(name, value)| {
            let value = value.as_deref().filter(|value| !message.contains(*value))?;
            Some(format!("({name} {value})"))
        });
        let message = (!message.is_empty()).then(|| message.to_owned());
        message
            .into_iter()
            .chain(extra)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireError<'a> {
    #[serde(borrow, deserialize_with = "lenient::text")]
    message: Option<Cow<'a, str>>,
    #[serde(rename = "type", borrow, deserialize_with = "lenient::text")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient::label")]
    code: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient::text")]
    param: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient::count")]
    http_status_code: Option<u64>,
}

/// The `error` member is an object or plain text; `{}` is an error too, but null, `""` and `false`
/// are none.
impl<'de> Loose<'de> for Option<ErrorBody<'de>> {
    fn text(value: Cow<'de, str>) -> Self {
        let message = Some(value).filter(|text| !text.is_empty())?;
        Some(ErrorBody {
            message: Some(message),
            ..ErrorBody::default()
        })
    }

    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let wire = WireError::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Some(ErrorBody {
            message: wire.message,
            kind: wire.kind,
            code: wire.code,
            param: wire.param,
            http_status_code: wire.http_status_code,
        }))
    }
}

/// `FastAPI`'s `detail`: text, or a list of validation errors of which the first is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detail<'a> {
    /// What it says.
    pub message: Option<Cow<'a, str>>,
    /// Where, such as `body.max_tokens`.
    pub place: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Validation<'a> {
    #[serde(borrow, deserialize_with = "lenient::text")]
    msg: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient::loose")]
    loc: Place,
}

/// A path such as `["body", "max_tokens"]` as `body.max_tokens`.
#[derive(Default)]
struct Place(Option<String>);

struct Step(Option<String>);

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient::label(deserializer).map(|label| Self(label.map(Cow::into_owned)))
    }
}

impl<'de> Loose<'de> for Place {
    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut steps = Vec::new();
        while let Some(Step(step)) = seq.next_element()? {
            steps.extend(step);
        }
        Ok(Self(
            Some(steps.join(".")).filter(|place| !place.is_empty()),
        ))
    }
}

impl<'de> Loose<'de> for Detail<'de> {
    fn text(value: Cow<'de, str>) -> Self {
        Self {
            message: Some(value).filter(|text| !text.is_empty()),
            place: None,
        }
    }

    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let first = seq.next_element::<Any<Option<Validation<'de>>>>()?;
        lenient::skip_rest(&mut seq)?;
        let first = first.and_then(|Any(first)| first).unwrap_or_default();
        Ok(Self {
            message: first.msg,
            place: first.loc.0,
        })
    }
}

impl<'a> Chunk<'a> {
    /// The error that this object is or holds: an `error` member (object or text), the flat form
    /// of older vLLM, `SGLang`, TensorRT-LLM, LMDeploy, Dynamo and mistral.rs, or `FastAPI`'s
    /// `detail`. The flat forms count only where there are no choices.
    pub fn failure(&self) -> Option<ErrorBody<'a>> {
        if let Some(error) = &self.error {
            let mut error = error.clone();
            error.kind = error.kind.or_else(|| self.error_type.clone());
            return Some(error);
        }
        if self.choices.present {
            return None;
        }
        let detail = &self.detail;
        let flat = self.object.as_deref() == Some("error");
        let says = self.message.is_some() || detail.message.is_some() || detail.place.is_some();
        (flat || says).then(|| ErrorBody {
            message: self.message.clone().or_else(|| detail.message.clone()),
            kind: self.kind.clone(),
            code: self.code.clone(),
            param: self
                .param
                .clone()
                .or_else(|| detail.place.clone().map(Cow::Owned)),
            http_status_code: None,
        })
    }
}

/// The error in the body of an answer: any shape of [`Chunk::failure`], also wrapped in a JSON
/// string (mlc-llm) or in an event (`data: {…}`). `None` when the body is something else.
pub fn parse_error(body: &str) -> Option<ErrorBody<'static>> {
    let body = body.trim();
    let body = body.strip_prefix("data:").map_or(body, |data| {
        let line = data.lines().next().unwrap_or_default();
        line.trim()
    });
    if body.starts_with('"') {
        let inner: String = serde_json::from_str(body).ok()?;
        return error_of(&inner);
    }
    error_of(body)
}

fn error_of(json: &str) -> Option<ErrorBody<'static>> {
    let chunk = Chunk::parse(json.as_bytes()).ok()??;
    chunk.failure().map(|error| ErrorBody {
        message: error.message.map(owned),
        kind: error.kind.map(owned),
        code: error.code.map(owned),
        param: error.param.map(owned),
        http_status_code: error.http_status_code,
    })
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
