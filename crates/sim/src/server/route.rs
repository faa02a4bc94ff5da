//! Which request gets which answer.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde_json::json;

use super::ask;
use super::body::Reply;
use super::chunk::Route;
use super::error::ApiError;
use super::field;
use super::generate::{generate, json_response};
use super::metrics;
use super::shared::{Shared, VLLM_VERSION};
use crate::dialect::Dialect;

/// Largest body that is read; a prompt of a million tokens stays far below.
const BODY_LIMIT: usize = 256 << 20;

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Truth,
    Models,
    Generate(Route),
    Tokenize,
    Metrics,
    Version,
    Health,
    Load,
}

fn target(dialect: Dialect, path: &str) -> Option<Target> {
    let found = match path {
        "/sim/truth" => Target::Truth,
        "/v1/models" => Target::Models,
        "/v1/chat/completions" => Target::Generate(Route::Chat),
        "/v1/completions" => Target::Generate(Route::Completion),
        _ if dialect == Dialect::OpenAi => return None,
        "/tokenize" => Target::Tokenize,
        "/metrics" => Target::Metrics,
        "/version" => Target::Version,
        "/health" | "/ping" => Target::Health,
        "/load" => Target::Load,
        _ => return None,
    };
    Some(found)
}

/// Answers one request; what cannot be answered is an HTTP error.
pub(super) async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Infallible> {
    let dialect = shared.config.dialect;
    let answered = if shared.config.faults.html_everywhere && request.uri().path() != "/sim/truth" {
        Ok(html())
    } else {
        answer(shared, request).await
    };
    let mut response = answered.unwrap_or_else(|error| error.response(dialect));
    if dialect == Dialect::Vllm {
        let server = HeaderValue::from_static("uvicorn");
        response.headers_mut().insert(header::SERVER, server);
    }
    Ok(response)
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Reply>, ApiError> {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let target = target(shared.config.dialect, path).ok_or_else(|| ApiError::Route {
        method: head.method.to_string(),
        path: path.to_owned(),
    })?;
    let posted = matches!(target, Target::Generate(_) | Target::Tokenize);
    let wanted = if posted { Method::POST } else { Method::GET };
    if head.method != wanted && !(target == Target::Health && head.method == Method::POST) {
        let allow = if posted { "POST" } else { "GET" };
        return Err(ApiError::Method { allow });
    }
    if path.starts_with("/v1/") {
        check_key(&shared, &head.headers)?;
    }
    match target {
        Target::Truth => Ok(json_response(shared.recorder.truth().to_json())),
        Target::Models => Ok(json_response(models(&shared))),
        Target::Version => Ok(json_response(json!({"version": VLLM_VERSION}).to_string())),
        Target::Health => Ok(Response::new(Reply::whole(Bytes::new()))),
        Target::Load => {
            let active = shared.active.load(Ordering::Relaxed);
            Ok(json_response(json!({"server_load": active}).to_string()))
        }
        Target::Metrics => {
            let page = metrics::page(&shared.config, &shared.stats().await?);
            Ok(text(page, "text/plain; version=1.0.0; charset=utf-8"))
        }
        Target::Tokenize => tokenize(&shared, &read(body).await?),
        Target::Generate(route) => {
            let body = read(body).await?;
            generate(shared, route, &head.headers, &body).await
        }
    }
}

async fn read(body: Incoming) -> Result<Bytes, ApiError> {
    let collected = Limited::new(body, BODY_LIMIT).collect().await;
    collected
        .map(http_body_util::Collected::to_bytes)
        .map_err(|error| ApiError::Body(error.to_string()))
}

fn check_key(shared: &Shared, headers: &http::HeaderMap) -> Result<(), ApiError> {
    let Some(key) = &shared.config.api_key else {
        return Ok(());
    };
    let given = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    if given == Some(format!("Bearer {key}").as_bytes()) {
        Ok(())
    } else {
        Err(ApiError::Key)
    }
}

fn models(shared: &Shared) -> String {
    let config = &shared.config;
    let names = std::iter::once(&config.model.served_name).chain(&config.model.aliases);
    let cards = names.map(|name| match config.dialect {
        Dialect::Vllm => json!({
            "id": name,
            "object": "model",
            "created": config.epoch_unix_s,
            "owned_by": "vllm",
            "root": config.model.root,
            "parent": null,
            "max_model_len": config.engine.max_model_len,
            "permission": [],
        }),
        Dialect::OpenAi => json!({
            "id": name,
            "object": "model",
            "created": config.epoch_unix_s,
            "owned_by": "system",
        }),
    });
    json!({"object": "list", "data": cards.collect::<Vec<_>>()}).to_string()
}

fn tokenize(shared: &Shared, body: &[u8]) -> Result<Response<Reply>, ApiError> {
    let fields = field::object(body)?;
    let tokens = ask::tokenize(&fields, &shared.config, shared.tokenizer)?;
    let answer = json!({
        "count": tokens.len(),
        "max_model_len": shared.config.engine.max_model_len,
        "tokens": tokens,
        "token_strs": null,
    });
    Ok(json_response(answer.to_string()))
}

fn text(text: String, kind: &'static str) -> Response<Reply> {
    let mut response = Response::new(Reply::whole(Bytes::from(text)));
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn html() -> Response<Reply> {
    let page = "<!doctype html><html><head><title>Sign in</title></head>\
                <body><h1>Sign in to use this network</h1></body></html>";
    text(page.to_owned(), "text/html; charset=utf-8")
}
