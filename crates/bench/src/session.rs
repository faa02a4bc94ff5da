//! Everything a run holds on to: the server, the connections' maker, the clock.

use std::sync::Arc;

use http::header::HOST;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokmark_driver::{Clock, Connect, LoadThreads, is_this_machine};
use tokmark_engines::{Capabilities, Control, Server};
use tokmark_machine::Watch;
use tokmark_openai_stream::reply::Secrets;
use tokmark_openai_stream::request::Endpoint;
use tokmark_run_format::Telemetry;
use tokmark_run_format::server::Model;
use tokmark_units::Nanos;

/// Path and headers of every measured request.
#[derive(Debug, Clone)]
pub struct Route {
    /// With the server's path prefix.
    pub path: Arc<str>,
    /// `Host`, `Content-Type`, `Accept`, authorisation and the user's own.
    pub headers: Arc<HeaderMap>,
    /// Which of the two routes it is.
    pub endpoint: Endpoint,
}

impl Route {
    /// For a server at `authority` under `path_prefix`; `extra` carries authorisation and the
    /// user's own headers.
    pub fn new(
        endpoint: Endpoint,
        authority: &str,
        path_prefix: &str,
        extra: &[(HeaderName, HeaderValue)],
    ) -> Self {
        let mut headers = HeaderMap::new();
        if let Ok(host) = HeaderValue::from_str(authority) {
            headers.insert(HOST, host);
        }
        let fixed = [
            (http::header::CONTENT_TYPE, "application/json"),
            (http::header::ACCEPT, "text/event-stream"),
            // A compressed stream would be buffered by whoever compresses it (case B034).
            (http::header::ACCEPT_ENCODING, "identity"),
            (
                http::header::USER_AGENT,
                concat!("tokmark/", env!("CARGO_PKG_VERSION")),
            ),
        ];
        for (name, value) in fixed {
            headers.insert(name, HeaderValue::from_static(value));
        }
        for (name, value) in extra {
            headers.insert(name.clone(), value.clone());
        }
        Self {
            path: format!("{path_prefix}{}", endpoint.path()).into(),
            headers: Arc::new(headers),
            endpoint,
        }
    }
}

/// The control plane's word for a route.
pub fn control_endpoint(endpoint: Endpoint) -> tokmark_engines::Endpoint {
    match endpoint {
        Endpoint::Chat => tokmark_engines::Endpoint::Chat,
        Endpoint::Completions => tokmark_engines::Endpoint::Completions,
    }
}

/// A server that was identified, and how to reach it.
pub struct Session {
    /// The run's clock.
    pub clock: Clock,
    /// Opens measured connections.
    pub connector: Arc<dyn Connect>,
    /// The control plane: identification, gauges, token counts.
    pub control: Arc<Control>,
    /// The adapter.
    pub server: Server,
    /// What the server accepts.
    pub capabilities: Capabilities,
    /// The model that is measured.
    pub model: Model,
    /// Where requests go.
    pub route: Route,
    /// The threads that only send, read and stamp. In tests under paused time the test's own
    /// runtime.
    pub load: LoadThreads,
    /// The server's machine, watched, where somebody can.
    pub watch: Option<Watch>,
}

impl Session {
    /// The headers of a request whose document lives on `home`: with several data-parallel ranks
    /// and a server that lets requests choose, it goes to rank `home mod R`.
    pub(crate) fn headers_for(&self, home: Option<u32>) -> Arc<HeaderMap> {
        let ranks = self.server.engine.kv_budget.as_ref().map_or(1, |b| b.ranks);
        let (Some(name), Some(home)) = (self.capabilities.rank_header, home) else {
            return Arc::clone(&self.route.headers);
        };
        if ranks < 2 {
            return Arc::clone(&self.route.headers);
        }
        let mut headers = HeaderMap::clone(&self.route.headers);
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            headers.insert(name, HeaderValue::from(home % ranks));
        }
        Arc::new(headers)
    }

    /// What no kept message may hold (methodology section 8): the user's own header values, and
    /// the server's name unless it is this machine.
    pub fn secrets(&self) -> Secrets {
        let headers = &self.route.headers;
        let own = headers.values().filter(|value| value.is_sensitive());
        let authority = headers.get(HOST).and_then(|host| host.to_str().ok());
        let name = authority.map(|authority| match authority.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => authority,
        });
        let bare = name.map(|name| name.trim_matches(['[', ']']));
        let place = [authority, name].into_iter().flatten();
        let place = place.filter(|_| bare.is_some_and(|name| !is_this_machine(name)));
        Secrets::of(
            own.map(HeaderValue::as_bytes)
                .chain(place.map(str::as_bytes)),
        )
    }

    /// What the machine did from an instant until now; `None` when nobody watches it.
    pub(crate) async fn watched(&self, from: Nanos) -> Option<Telemetry> {
        let watch = self.watch.as_ref()?;
        Some(watch.between(from, self.clock.now()).await)
    }

    /// The route's kind.
    pub fn endpoint(&self) -> Endpoint {
        self.route.endpoint
    }
}
