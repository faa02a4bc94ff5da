//! Answers for what does not exist and for what went wrong.

use std::error::Error;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CACHE_CONTROL;
use tokmark_pages::not_found_page;
use tokmark_site_store::StoreError;

use crate::language::Language;
use crate::page::{self, html};

/// Why a request gets no page.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nothing is at this address.
    NotFound(Language),
    /// Something of ours failed. The visitor is told no more than that.
    Internal,
}

impl Fault {
    /// A stored document that this program can no longer read.
    pub(crate) fn unreadable(id: &str, error: &dyn Error) -> Self {
        tracing::error!(
            run = id,
            error = chain(error),
            "a stored document cannot be read"
        );
        Self::Internal
    }
}

impl Fault {
    /// A picture that could not be drawn.
    pub(crate) fn undrawn(id: &str, error: &dyn Error) -> Self {
        tracing::error!(run = id, error = chain(error), "a picture cannot be drawn");
        Self::Internal
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = chain(&error), "the store failed");
        Self::Internal
    }
}

/// An error with its causes, for the log.
fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |error: &&dyn Error| (*error).source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        match self {
            Self::NotFound(language) => {
                let text = not_found_page(&page::options(language, None));
                (StatusCode::NOT_FOUND, html(text)).into_response()
            }
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                [(CACHE_CONTROL, "no-store")],
                "Something went wrong here. It has been written down.\n",
            )
                .into_response(),
        }
    }
}
