//! Errors as clients see them, in each dialect's shape.

use bytes::Bytes;
use http::{Response, StatusCode, header};
use serde::Serialize;
use serde_json::json;

use super::body::Reply;
use crate::dialect::Dialect;

/// Why a request gets no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ApiError {
    /// The body is not JSON; the place is a byte offset.
    Json { at: usize, reason: String },
    /// A field is missing or of the wrong type.
    Field { field: String, fault: FieldFault },
    /// A field's value makes no sense, or the request does not fit.
    Value {
        param: Option<&'static str>,
        message: String,
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
    /// The engine is gone.
    Gone,
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

    fn status(&self) -> StatusCode {
        match self {
            Self::Json { .. } | Self::Field { .. } | Self::Value { .. } | Self::Body(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Model { .. } | Self::Route { .. } => StatusCode::NOT_FOUND,
            Self::Key => StatusCode::UNAUTHORIZED,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Gone => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The error as a response.
    pub(super) fn response(&self, dialect: Dialect) -> Response<Reply> {
        let body = match dialect {
            Dialect::Vllm => self.vllm(),
            Dialect::OpenAi => self.openai(),
        };
        let mut response = Response::builder()
            .status(self.status())
            .header(header::CONTENT_TYPE, "application/json");
        if let Self::Method { allow } = self {
            response = response.header(header::ALLOW, *allow);
        }
        if let Self::RateLimited { retry_after_s } = self {
            response = response.header(header::RETRY_AFTER, *retry_after_s);
        }
        let bytes = Bytes::from(body.to_string());
        response
            .body(Reply::whole(bytes))
            .unwrap_or_else(|_| Response::new(Reply::whole(Bytes::new())))
    }

    fn vllm(&self) -> serde_json::Value {
        let code = self.status().as_u16();
        match self {
            Self::Key => json!({"error": "Unauthorized"}),
            Self::Route { .. } => json!({"detail": "Not Found"}),
            Self::Method { .. } => json!({"detail": "Method Not Allowed"}),
            Self::Json { at, reason } => {
                let detail = format!(
                    "{{'type': 'json_invalid', 'loc': 'body.{at}', 'msg': 'JSON decode error', \
                     'input': '<dict of 0 items>', 'ctx': {{'error': '{reason}'}}}}"
                );
                validation(&detail, &format!("body.{at}"))
            }
            Self::Field { field, fault } => {
                let (kind, message, input) = match fault {
                    FieldFault::Missing { fields } => (
                        "missing",
                        "Field required",
                        format!("<dict of {fields} items>"),
                    ),
                    FieldFault::Refused => (
                        "extra_forbidden",
                        "Extra inputs are not permitted",
                        "<value>".to_owned(),
                    ),
                    FieldFault::Type {
                        kind,
                        wanted,
                        given,
                    } => (*kind, *wanted, given.clone()),
                };
                let detail = format!(
                    "{{'type': '{kind}', 'loc': 'body.{field}', 'msg': '{message}', 'input': '{input}'}}"
                );
                validation(&detail, &format!("body.{field}"))
            }
            Self::Model { asked, served } => ErrorBody::vllm(
                format!(
                    "The model `{asked}` does not exist. Valid aliases: {}.",
                    served.join(", ")
                ),
                "NotFoundError",
                Some("model"),
                code,
            ),
            Self::Value { param, message } => {
                ErrorBody::vllm(message.clone(), "BadRequestError", *param, code)
            }
            Self::RateLimited { .. } => ErrorBody::vllm(
                "Too many requests.".to_owned(),
                "RateLimitError",
                None,
                code,
            ),
            Self::Body(reason) => ErrorBody::vllm(
                format!("The body could not be read: {reason}"),
                "BadRequestError",
                None,
                code,
            ),
            Self::Gone => ErrorBody::vllm(
                "The engine is gone.".to_owned(),
                "ServiceUnavailableError",
                None,
                code,
            ),
        }
    }

    fn openai(&self) -> serde_json::Value {
        let (message, code) = match self {
            Self::Json { reason, .. } => (format!("The body is not valid JSON: {reason}"), None),
            Self::Field { field, fault } => match fault {
                FieldFault::Missing { .. } => {
                    (format!("Missing required parameter: '{field}'."), None)
                }
                FieldFault::Refused => (
                    format!("Unrecognized request argument supplied: {field}"),
                    Some("unknown_parameter"),
                ),
                FieldFault::Type { wanted, .. } => (
                    format!("Invalid type for '{field}': {wanted}"),
                    Some("invalid_type"),
                ),
            },
            Self::Value { message, param } => (
                message.clone(),
                (*param == Some("input_tokens")).then_some("context_length_exceeded"),
            ),
            Self::Model { asked, .. } => (
                format!("The model `{asked}` does not exist."),
                Some("model_not_found"),
            ),
            Self::Key => (
                "The API key is missing or wrong.".to_owned(),
                Some("invalid_api_key"),
            ),
            Self::Route { method, path } => (format!("Invalid URL ({method} {path})"), None),
            Self::Method { .. } => ("Not allowed for this method.".to_owned(), None),
            Self::RateLimited { .. } => {
                ("Too many requests.".to_owned(), Some("rate_limit_exceeded"))
            }
            Self::Body(reason) => (format!("The body could not be read: {reason}"), None),
            Self::Gone => ("The engine is gone.".to_owned(), None),
        };
        let kind = match self {
            Self::RateLimited { .. } => "rate_limit_error",
            Self::Gone => "server_error",
            _ => "invalid_request_error",
        };
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
    }
}

fn validation(detail: &str, param: &str) -> serde_json::Value {
    let message = format!("1 validation error:\n  {detail}");
    ErrorBody::vllm(message, "Bad Request", Some(param), 400)
}

/// The inside of vLLM's error object.
#[derive(Serialize)]
struct ErrorBody<'a> {
    message: String,
    r#type: &'a str,
    param: Option<&'a str>,
    code: u16,
}

impl<'a> ErrorBody<'a> {
    fn vllm(
        message: String,
        kind: &'a str,
        param: Option<&'a str>,
        code: u16,
    ) -> serde_json::Value {
        json!({"error": ErrorBody { message, r#type: kind, param, code }})
    }
}

/// The error object of a stream that breaks off.
pub(super) fn in_stream() -> serde_json::Value {
    ErrorBody::vllm(
        "The engine failed while it generated.".to_owned(),
        "InternalServerError",
        None,
        500,
    )
}
