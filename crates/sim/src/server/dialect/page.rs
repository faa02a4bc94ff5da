//! Pages: what the server tells of itself, and the bodies that it answers with.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use super::super::body::Reply;
use super::super::error::ApiError;
use super::super::field;
use super::super::shape::Fields;
use super::super::shared::Shared;
use crate::config::SimConfig;
use crate::model::RankStats;
use crate::tokenizer::Tokenizer;

/// What a page may look at.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct View<'a> {
    pub(in crate::server) shared: &'a Shared,
    /// The counts of the ranks at this moment.
    pub(in crate::server) ranks: &'a [RankStats],
    /// The request's body.
    pub(in crate::server) body: &'a [u8],
}

impl<'a> View<'a> {
    /// What the server was started with.
    pub(in crate::server) fn config(&self) -> &'a SimConfig {
        &self.shared.config
    }

    /// The tokenizer of the model.
    pub(in crate::server) fn tokenizer(&self) -> Tokenizer {
        self.shared.tokenizer
    }

    /// The request's body as an object.
    pub(in crate::server) fn fields(&self) -> Result<Fields, ApiError> {
        field::object(self.body)
    }

    /// The ids under which the model is served.
    pub(in crate::server) fn names(&self) -> impl Iterator<Item = &'a String> {
        let model = &self.config().model;
        std::iter::once(&model.served_name).chain(&model.aliases)
    }

    /// A list of models in OpenAI's envelope.
    pub(in crate::server) fn models(&self, card: impl Fn(&str) -> Value) -> Content {
        let cards: Vec<_> = self.names().map(|name| card(name)).collect();
        Content::json(&json!({"object": "list", "data": cards}))
    }

    /// Sequences that run, on all ranks.
    pub(in crate::server) fn running(&self) -> u32 {
        self.ranks.iter().map(|rank| rank.running).sum()
    }

    /// Sequences that wait, on all ranks.
    pub(in crate::server) fn waiting(&self) -> u32 {
        self.ranks.iter().map(|rank| rank.waiting).sum()
    }
}

/// The body of a page, with its status and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server) struct Content {
    pub(in crate::server) status: StatusCode,
    pub(in crate::server) kind: &'static str,
    pub(in crate::server) text: String,
}

impl Content {
    /// JSON.
    pub(in crate::server) fn json(value: &Value) -> Self {
        Self::of("application/json", value.to_string())
    }

    /// Plain text.
    pub(in crate::server) fn text(text: &str) -> Self {
        Self::of("text/plain; charset=utf-8", text.to_owned())
    }

    /// Text of a type.
    pub(in crate::server) fn of(kind: &'static str, text: String) -> Self {
        Self {
            status: StatusCode::OK,
            kind,
            text,
        }
    }

    /// Nothing, and without a type.
    pub(in crate::server) fn empty() -> Self {
        Self::of("", String::new())
    }

    /// The same with another status.
    #[must_use]
    pub(in crate::server) fn with(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The response.
    pub(in crate::server) fn response(self) -> Response<Reply> {
        let mut response = Response::new(Reply::whole(Bytes::from(self.text)));
        *response.status_mut() = self.status;
        if !self.kind.is_empty() {
            let kind = HeaderValue::from_static(self.kind);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
        response
    }
}
