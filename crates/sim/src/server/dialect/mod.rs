//! Whose interface the server speaks: one file a dialect, behind one trait.
//!
//! A dialect says which routes there are, what a request may ask, how errors look, and by its
//! [`Shape`]s how answers look. What it tells of itself are pages: functions from a [`View`] of the
//! server to a body. Everything else is the same for all.

mod accepts;
#[cfg(test)]
mod check;
mod dynamo;
mod llamacpp;
mod lmdeploy;
mod mistralrs;
mod mlx;
mod ollama;
mod openai;
mod page;
mod parts;
mod sglang;
mod tabbyapi;
mod tensorrt;
mod tgi;
mod transformers;
mod vllm;

use std::fmt::Debug;

use super::error::{ApiError, Refused};
use super::shape::{Shape, Speech};
use crate::dialect::Dialect;

pub(super) use accepts::{Accepts, Fit, Naming, UsageRule, Zero};
pub(super) use page::{Content, View};

/// A server's interface.
pub(super) trait Interface: Debug + Sync {
    /// Its routes.
    fn routes(&self) -> &'static [Route];

    /// What its generation routes accept.
    fn accepts(&self) -> &'static Accepts;

    /// Headers of every response.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether a path asks for the key.
    fn guards(&self, path: &str) -> bool {
        path.starts_with("/v1/")
    }

    /// The id of an answer, from a random word.
    fn id(&self, speech: Speech, word: u64) -> String;

    /// What the build is called.
    fn fingerprint(&self, build: u64) -> String;

    /// A header that may carry the key, beside `authorization`.
    fn key_header(&self) -> Option<&'static str> {
        None
    }

    /// An error as the server words it.
    fn error(&self, error: &ApiError) -> Refused;
}

/// The interface of a dialect.
pub(super) fn of(dialect: Dialect) -> &'static dyn Interface {
    match dialect {
        Dialect::Vllm => &vllm::Vllm,
        Dialect::SgLang => &sglang::SgLang,
        Dialect::LlamaCpp => &llamacpp::LlamaCpp,
        Dialect::Ollama => &ollama::Ollama,
        Dialect::Tgi => &tgi::Tgi,
        Dialect::TensorRtLlm => &tensorrt::TensorRt,
        Dialect::LmDeploy => &lmdeploy::LmDeploy,
        Dialect::TabbyApi => &tabbyapi::TabbyApi,
        Dialect::MlxLm => &mlx::MlxLm,
        Dialect::Dynamo => &dynamo::Dynamo,
        Dialect::MistralRs => &mistralrs::MistralRs,
        Dialect::Transformers => &transformers::Transformers,
        Dialect::OpenAi => &openai::OpenAi,
    }
}

/// A page that tells something.
pub(super) type Page = fn(&View<'_>) -> Content;

/// A page that answers what it is sent.
pub(super) type Counter = fn(&View<'_>) -> Result<Content, ApiError>;

/// What a path stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// Generation in this shape.
    Generate(&'static dyn Shape),
    /// A page.
    Page(Page),
    /// A page that reads what it is sent.
    Counter(Counter),
    /// The prefix cache is emptied if nothing runs; the page is told whether it was.
    ClearCache(fn(bool) -> Content),
    /// Requests are aborted: all, or those whose answers have this id.
    Abort(fn(&View<'_>) -> Result<Aborted, ApiError>),
}

/// Which requests are to be aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Aborted {
    /// All of them.
    All,
    /// Those whose answers have one of these ids.
    Ids(Vec<String>),
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// Its path; a `*` at the end stands for anything.
    pub(super) path: &'static str,
    /// Its method: `GET` or `POST`.
    pub(super) method: &'static str,
    pub(super) target: Target,
}

impl Route {
    const fn new(method: &'static str, path: &'static str, target: Target) -> Self {
        Self {
            path,
            method,
            target,
        }
    }

    /// A page to get.
    pub(super) const fn get(path: &'static str, page: Page) -> Self {
        Self::new("GET", path, Target::Page(page))
    }

    /// A page to post to.
    pub(super) const fn post(path: &'static str, page: Counter) -> Self {
        Self::new("POST", path, Target::Counter(page))
    }

    /// A generation route.
    pub(super) const fn generate(path: &'static str, shape: &'static dyn Shape) -> Self {
        Self::new("POST", path, Target::Generate(shape))
    }

    /// Whether it has this path.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.path
            .strip_suffix('*')
            .map_or(self.path == path, |start| path.starts_with(start))
    }
}
