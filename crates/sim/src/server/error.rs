//! Why a request gets no answer, and the response that says so.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::Value;

use super::body::Reply;
use super::dialect::Interface;

/// Why a request gets no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ApiError {
    /// The body is not JSON; the place is a byte offset.
    Json { at: usize, reason: String },
    /// A field is missing or of the wrong type.
    Field { field: String, fault: FieldFault },
    /// A field's value makes no sense.
    Value {
        param: Option<&'static str>,
        message: String,
    },
    /// The prompt has no token.
    EmptyPrompt,
    /// Fewer output tokens are asked for than there can be.
    OutputTooSmall { asked: i64 },
    /// More output tokens are asked for than the model is long.
    OutputTooLong { asked: i64, longest: i64 },
    /// The prompt alone is too long.
    PromptTooLong { prompt: i64, longest: i64 },
    /// Prompt and output together are too long.
    TooLong {
        prompt: i64,
        output: i64,
        longest: i64,
    },
    /// No such model.
    Model { asked: String, served: Vec<String> },
    /// The key is missing or wrong.
    Key,
    /// No such route.
    Route { method: String, path: String },
    /// The route exists, for another method.
    Method { allow: &'static str },
    /// Too many requests.
    RateLimited { retry_after_s: u32 },
    /// The body could not be read.
    Body(String),
    /// The engine is gone, for good or for so many seconds.
    Gone { retry_after_s: Option<u32> },
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldFault {
    /// It is needed; the object that lacks it has so many fields.
    Missing { fields: usize },
    /// It is not accepted here.
    Refused,
    /// It has the wrong type: the validator's word for it, what was wanted, what was given.
    Type {
        kind: &'static str,
        wanted: &'static str,
        given: String,
    },
}

/// An error as a server words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// The HTTP status.
    pub(super) status: u16,
    /// The body, JSON unless it is empty or [`Refused::kind`] says otherwise.
    pub(super) body: String,
    /// The type of the body.
    pub(super) kind: &'static str,
}

impl Refused {
    /// JSON.
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            body: body.to_string(),
            kind: "application/json",
        }
    }

    /// Plain text.
    pub(super) fn text(status: u16, body: &str) -> Self {
        Self {
            status,
            body: body.to_owned(),
            kind: "text/plain; charset=utf-8",
        }
    }
}

impl ApiError {
    /// A value error of one parameter, with vLLM's way of naming it at the end.
    pub(super) fn parameter(
        param: &'static str,
        message: &str,
        value: impl std::fmt::Display,
    ) -> Self {
        Self::Value {
            param: Some(param),
            message: format!("{message} (parameter={param}, value={value})"),
        }
    }

    /// The HTTP status that most servers give it.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Model { .. } | Self::Route { .. } => 404,
            Self::Key => 401,
            Self::Method { .. } => 405,
            Self::RateLimited { .. } => 429,
            Self::Gone { .. } => 503,
            _ => 400,
        }
    }

    /// Whether the request is longer than the model.
    pub(super) fn is_length(&self) -> bool {
        matches!(
            self,
            Self::OutputTooLong { .. } | Self::PromptTooLong { .. } | Self::TooLong { .. }
        )
    }

    /// What is wrong in plain words, for servers whose own words are not known.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Json { reason, .. } => format!("The body is not valid JSON: {reason}"),
            Self::Field { field, fault } => match fault {
                FieldFault::Missing { .. } => format!("Missing required parameter: '{field}'."),
                FieldFault::Refused => format!("Unrecognized request argument supplied: {field}"),
                FieldFault::Type { wanted, .. } => format!("Invalid type for '{field}': {wanted}"),
            },
            Self::Value { message, .. } => message.clone(),
            Self::EmptyPrompt => "The prompt is empty.".to_owned(),
            Self::OutputTooSmall { asked } => {
                format!("max_tokens must be at least 1, got {asked}.")
            }
            Self::OutputTooLong { asked, longest } => format!(
                "max_tokens is too large: {asked}. The model supports at most {longest} tokens."
            ),
            Self::PromptTooLong { prompt, longest } => format!(
                "This model's maximum context length is {longest} tokens. However, your prompt \
                 contains {prompt} tokens."
            ),
            Self::TooLong {
                prompt,
                output,
                longest,
            } => {
                let total = prompt.saturating_add(*output);
                format!(
                    "This model's maximum context length is {longest} tokens. However, you \
                     requested {total} tokens ({prompt} in the messages, {output} in the completion)."
                )
            }
            Self::Model { asked, .. } => format!("The model `{asked}` does not exist."),
            Self::Key => "The API key is missing or wrong.".to_owned(),
            Self::Route { method, path } => format!("Invalid URL ({method} {path})"),
            Self::Method { .. } => "Not allowed for this method.".to_owned(),
            Self::RateLimited { .. } => "Too many requests.".to_owned(),
            Self::Body(reason) => format!("The body could not be read: {reason}"),
            Self::Gone { .. } => "The engine is gone.".to_owned(),
        }
    }

    /// The error as a response.
    pub(super) fn response(&self, interface: &dyn Interface) -> Response<Reply> {
        self.response_as(interface.error(self))
    }

    /// The error as a response in these words.
    pub(super) fn response_as(&self, refused: Refused) -> Response<Reply> {
        let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = Response::new(Reply::whole(Bytes::from(refused.body)));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(refused.kind));
        if let Self::Method { allow } = self
            && status == StatusCode::METHOD_NOT_ALLOWED
        {
            headers.insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        let retry_after_s = match self {
            Self::RateLimited { retry_after_s } => Some(*retry_after_s),
            Self::Gone { retry_after_s } => *retry_after_s,
            _ => None,
        };
        if let Some(seconds) = retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
