//! The agent.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use futures_util::stream;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokmark_run_format::{Hardware, Telemetry};
use tokmark_units::Nanos;

use super::message::{Launched, Reading};
use super::token::Token;
use crate::inventory::Found;
use crate::launch::{LaunchPlaces, find_launch, flags, settings};
use crate::server_use::ServerUse;
use crate::telemetry::{Sampler, SharedNow, Store};

/// A look at the host: at all of it, or at what a server of it uses.
pub type Inventory = Arc<dyn Fn(Option<&ServerUse>) -> Found + Send + Sync>;

/// All that the agent tells.
#[derive(Clone)]
pub struct Agent {
    token: Token,
    inventory: Inventory,
    store: Arc<Store>,
    now: SharedNow,
    places: Arc<LaunchPlaces>,
}

impl Agent {
    /// An agent that tells what `inventory` finds and what `sampler` reads on the clock `now`.
    pub fn new(
        token: Token,
        inventory: Inventory,
        sampler: &Sampler,
        now: SharedNow,
        places: LaunchPlaces,
    ) -> Self {
        Self {
            token,
            inventory,
            store: sampler.store(),
            now,
            places: Arc::new(places),
        }
    }

    fn reading(&self, after_ns: Option<u64>) -> Reading {
        let telemetry = self.store.after(after_ns);
        Reading {
            now_ns: (self.now)().0,
            telemetry,
        }
    }
}

/// Serves until `stop` is done.
pub async fn serve(
    listener: TcpListener,
    agent: Agent,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router(agent))
        .with_graceful_shutdown(stop)
        .await
}

fn router(agent: Agent) -> Router {
    Router::new()
        .route("/v1/inventory", get(inventory))
        .route("/v1/telemetry", get(telemetry))
        .route("/v1/telemetry/stream", get(telemetry_stream))
        .route("/v1/launch", get(launch))
        // Also in front of unknown paths, so that nothing tells what is there.
        .fallback(|| async { plain(StatusCode::NOT_FOUND, "there is nothing at this path\n") })
        .layer(middleware::from_fn_with_state(agent.clone(), check_token))
        .with_state(agent)
}

async fn check_token(State(agent): State<Agent>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    if given.is_some_and(|given| agent.token.matches(given.as_bytes())) {
        return next.run(request).await;
    }
    let mut refused = plain(
        StatusCode::UNAUTHORIZED,
        "a token is needed: `Authorization: Bearer TOKEN`\n",
    );
    refused.headers_mut().insert(
        header::WWW_AUTHENTICATE,
        http::HeaderValue::from_static("Bearer"),
    );
    refused
}

#[derive(Debug, Deserialize)]
struct OfPort {
    port: Option<u16>,
}

async fn inventory(State(agent): State<Agent>, Query(query): Query<OfPort>) -> Response {
    read_host(move || {
        let server = query.port.and_then(|port| {
            let launch = find_launch(port, &agent.places).ok()?;
            ServerUse::of(&launch, &agent.places)
        });
        Hardware {
            source: Some("agent".to_owned()),
            ..(agent.inventory)(server.as_ref()).hardware
        }
    })
    .await
}

/// Many small files of the kernel are read, drivers asked, and a container engine may be waited for.
async fn read_host<T: Serialize + Send + 'static>(
    read: impl FnOnce() -> T + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(read).await {
        Ok(found) => json(&found),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "it could not be read\n"),
    }
}

#[derive(Debug, Deserialize)]
struct After {
    after: Option<u64>,
}

async fn telemetry(State(agent): State<Agent>, Query(query): Query<After>) -> Response {
    json(&agent.reading(query.after))
}

#[derive(Debug, Deserialize)]
struct Port {
    port: u16,
}

async fn launch(State(agent): State<Agent>, Query(query): Query<Port>) -> Response {
    read_host(move || launched(query.port, &agent)).await
}

fn launched(port: u16, agent: &Agent) -> Launched {
    match find_launch(port, &agent.places) {
        Ok(found) => Launched {
            devices: ServerUse::of(&found, &agent.places)
                .map(|server| (agent.inventory)(Some(&server)).devices),
            flags: flags(&found.argv),
            settings: Some(settings(&found)),
            command: Some(found.command),
            argv: found.argv,
            unknown: None,
        },
        Err(reason) => Launched {
            unknown: Some(reason.to_string()),
            ..Launched::default()
        },
    }
}

/// One line of JSON per period, from now on.
async fn telemetry_stream(State(agent): State<Agent>, Query(query): Query<After>) -> Response {
    let first = query.after.or_else(|| Some((agent.now)().0));
    let lines = stream::unfold((agent, first), |(agent, after)| async move {
        let period = agent.store.after(Some(u64::MAX)).period_ns;
        tokio::time::sleep(Nanos(period).into()).await;
        let reading = agent.reading(after);
        let next = last_ns(&reading.telemetry).max(after);
        let mut line = serde_json::to_vec(&reading).ok()?;
        line.push(b'\n');
        Some((Ok::<_, Infallible>(Bytes::from(line)), (agent, next)))
    });
    answer(
        StatusCode::OK,
        "application/jsonl",
        Body::from_stream(lines),
    )
}

/// The latest reading of the device that is furthest behind.
pub(super) fn last_ns(telemetry: &Telemetry) -> Option<u64> {
    let lasts = telemetry.devices.iter().map(|device| {
        let last = device.samples().next_back();
        last.map(|sample| sample.at_ns)
    });
    lasts.min().flatten()
}

fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => answer(StatusCode::OK, "application/json", Body::from(bytes)),
        Err(_) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "it could not be written\n",
        ),
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    answer(status, "text/plain; charset=utf-8", Body::from(text))
}

fn answer(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
    response
}
