//! What went wrong with a question, as a document (RFC 9457).

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::Serialize;
use tokmark_pages::FieldFault;

use super::form::Form;

#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    errors: Vec<FieldProblem<'a>>,
}

#[derive(Serialize)]
struct FieldProblem<'a> {
    field: &'a str,
    detail: &'a str,
    /// Names that may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<&'a str>,
}

/// The faults of a form.
pub(crate) fn problem(form: &Form) -> Response {
    let unknown = form.unknown.iter().map(|name| FieldProblem {
        field: name,
        detail: "there is no such field",
        candidates: Vec::new(),
    });
    let errors: Vec<FieldProblem<'_>> = form
        .faults
        .iter()
        .map(FieldProblem::of)
        .chain(unknown)
        .collect();
    let told: Vec<String> = errors
        .iter()
        .map(|error| format!("{}: {}", error.field, error.detail))
        .collect();
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let problem = Problem {
        r#type: "about:blank",
        title: "this question cannot be answered",
        status: status.as_u16(),
        detail: told.join("; "),
        errors,
    };
    (status, json("application/problem+json", &problem)).into_response()
}

impl<'a> FieldProblem<'a> {
    fn of(fault: &'a FieldFault) -> Self {
        Self {
            field: fault.field,
            detail: &fault.message,
            candidates: fault
                .candidates
                .iter()
                .map(|(name, _)| name.as_str())
                .collect(),
        }
    }
}

/// A document of a media type.
pub(crate) fn json(content_type: &'static str, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => {
            let headers = [(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache")];
            (headers, bytes).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "an answer cannot be written");
            crate::fault::Fault::Internal.into_response()
        }
    }
}
