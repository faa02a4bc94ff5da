//! Which request gets which answer.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;

use super::body::Reply;
use super::core::Command;
use super::dialect::{self, Aborted, Content, Interface, Target, View};
use super::error::ApiError;
use super::generate::generate;
use super::scrape;
use super::shared::Shared;

/// Largest body that is read; a prompt of a million tokens stays far below.
const BODY_LIMIT: usize = 256 << 20;

/// The simulator's own page, in every dialect.
const TRUTH: [&str; 2] = ["/truth", "/sim/truth"];

/// Answers one request; what cannot be answered is an HTTP error.
pub(super) async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Infallible> {
    let interface = dialect::of(shared.config.dialect);
    let truth = TRUTH.contains(&request.uri().path());
    let number = shared.http_requests.fetch_add(1, Ordering::Relaxed);
    let answered = if shared.config.faults.html(number) && !truth {
        Ok(html())
    } else {
        answer(shared, interface, request).await
    };
    let mut response = answered.unwrap_or_else(|error| error.response(interface));
    for (name, value) in interface.headers() {
        let name = HeaderName::from_static(name);
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

async fn answer(
    shared: Arc<Shared>,
    interface: &'static dyn Interface,
    request: Request<Incoming>,
) -> Result<Response<Reply>, ApiError> {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    if TRUTH.contains(&path) {
        let truth = shared.truth().to_json();
        return Ok(Content::of("application/json", truth).response());
    }
    let target = target(interface, &head.method, path)?;
    if interface.guards(path) {
        check_key(&shared, interface, &head.headers)?;
    }
    let body = read(body).await?;
    match target {
        Target::Generate(shape) => generate(shared, shape, &head, &body).await,
        Target::ClearCache(page) => Ok(page(shared.clear_cache().await?).response()),
        Target::Page(page) => {
            let mut ranks = shared.stats().await?;
            let scrape = scrape::faults(&shared, path);
            scrape::before(scrape, &head.method, path, &mut ranks)?;
            let content = page(&view(&shared, &ranks, &body));
            Ok(scrape::after(scrape, content).response())
        }
        Target::Counter(page) => page(&view(&shared, &[], &body)).map(Content::response),
        Target::Abort(page) => {
            let aborted = page(&view(&shared, &[], &body))?;
            abort(&shared, &aborted)?;
            Ok(Content::empty().response())
        }
    }
}

fn view<'a>(shared: &'a Shared, ranks: &'a [crate::model::RankStats], body: &'a [u8]) -> View<'a> {
    View {
        shared,
        ranks,
        body,
    }
}

/// What a method and a path stand for.
fn target(
    interface: &'static dyn Interface,
    method: &Method,
    path: &str,
) -> Result<Target, ApiError> {
    let mut allow = None;
    for route in interface.routes().iter().filter(|route| route.is_at(path)) {
        if method == route.method {
            return Ok(route.target);
        }
        allow = Some(route.method);
    }
    Err(match allow {
        Some(allow) => ApiError::Method { allow },
        None => ApiError::Route {
            method: method.to_string(),
            path: path.to_owned(),
        },
    })
}

fn abort(shared: &Shared, aborted: &Aborted) -> Result<(), ApiError> {
    let ids = match aborted {
        Aborted::All => None,
        Aborted::Ids(ids) => Some(ids.as_slice()),
    };
    for id in shared.live(ids) {
        let command = Command::Abort(id);
        shared.commands.send(command).map_err(|_| ApiError::Gone {
            retry_after_s: None,
        })?;
    }
    Ok(())
}

async fn read(body: Incoming) -> Result<Bytes, ApiError> {
    let collected = Limited::new(body, BODY_LIMIT).collect().await;
    collected
        .map(http_body_util::Collected::to_bytes)
        .map_err(|error| ApiError::Body(error.to_string()))
}

fn check_key(
    shared: &Shared,
    interface: &dyn Interface,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    let Some(key) = &shared.config.api_key else {
        return Ok(());
    };
    let given = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    let own = interface.key_header().and_then(|name| headers.get(name));
    let is_own = own.is_some_and(|given| given.as_bytes() == key.as_bytes());
    if is_own || given == Some(format!("Bearer {key}").as_bytes()) {
        Ok(())
    } else {
        Err(ApiError::Key)
    }
}

fn html() -> Response<Reply> {
    let page = "<!doctype html><html><head><title>Sign in</title></head>\
                <body><h1>Sign in to use this network</h1></body></html>";
    Content::of("text/html; charset=utf-8", page.to_owned()).response()
}
