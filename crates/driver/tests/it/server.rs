//! A server that answers with bytes, and a stream of requests against it.

use std::sync::Arc;

use bytes::Bytes;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tokmark_driver::{
    Arrival, Batch, Clock, Connect, Outgoing, Protocol, StreamStart, Target, TcpConnect,
    TlsSettings, Way, What, run_stream,
};
use tokmark_openai_stream::reply::{FailureClass, Secrets};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

pub(crate) const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One chunk of a chunked body.
pub(crate) fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// One event of the completions endpoint, as a chunk.
pub(crate) fn event(text: &str) -> Vec<u8> {
    chunk(&format!(
        "data: {{\"choices\":[{{\"text\":\"{text}\"}}]}}\n\n"
    ))
}

/// The end of a stream that went well, with the end of its body.
pub(crate) fn done() -> Vec<u8> {
    let frames = "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    [chunk(frames), b"0\r\n\r\n".to_vec()].concat()
}

/// When the events of all requests came.
pub(crate) fn times(all: &[Arrival]) -> Vec<Nanos> {
    batches(all)
        .flat_map(|batch| batch.events.iter().map(|event| event.at))
        .collect()
}

/// What was generated.
pub(crate) fn text(all: &[Arrival]) -> String {
    batches(all).map(|batch| batch.text.as_str()).collect()
}

pub(crate) fn batches(all: &[Arrival]) -> impl Iterator<Item = &Batch> {
    all.iter().filter_map(|arrival| match &arrival.what {
        What::Events(batch) => Some(&**batch),
        _ => None,
    })
}

/// The class of failure of every answer that came to an end.
pub(crate) fn endings(all: &[Arrival]) -> Vec<Option<FailureClass>> {
    all.iter()
        .filter_map(|arrival| match &arrival.what {
            What::Ended { reply, .. } => Some(reply.failure.as_ref().map(|f| f.class)),
            _ => None,
        })
        .collect()
}

/// Reads one request whole.
pub(crate) async fn request<S: AsyncReadExt + Unpin>(io: &mut S) -> Option<String> {
    let mut got = Vec::new();
    loop {
        let mut buffer = [0; 4_096];
        let n = io.read(&mut buffer).await.ok()?;
        if n == 0 {
            return None;
        }
        got.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&got);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length: usize = head
                .lines()
                .find_map(|l| l.strip_prefix("content-length: "))
                .unwrap()
                .parse()
                .unwrap();
            if body.len() >= length {
                return Some(text.into_owned());
            }
        }
    }
}

pub(crate) async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

pub(crate) async fn answer(io: &mut TcpStream, parts: &[&[u8]]) {
    for part in parts {
        io.write_all(part).await.unwrap();
    }
    io.flush().await.unwrap();
}

/// A server's side of TLS for `localhost`, which offers these protocols, and the authority that
/// vouches for it.
pub(crate) fn certified(protocols: &[&[u8]]) -> (TlsAcceptor, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), cert.pem())
}

/// Trusts this authority.
pub(crate) fn trusting(pem: &str) -> TlsSettings {
    TlsSettings {
        ca_pem: Some(pem.as_bytes().to_vec()),
        insecure: false,
    }
}

/// What arrived in short: the text of each answer with its end.
pub(crate) fn story(all: &[Arrival]) -> Vec<String> {
    let mut told = Vec::new();
    let mut text = String::new();
    for arrival in all {
        match &arrival.what {
            What::Open | What::Due { .. } | What::Sent(_) | What::Dropped(_) => {}
            What::Events(batch) => text.push_str(&batch.text),
            What::Ended { reply, broken, .. } => {
                let failure = reply.failure.as_ref().map(|f| format!("{}: ", f.class));
                let end = format!(
                    "{}{}",
                    failure.unwrap_or_default(),
                    broken.as_deref().unwrap_or("complete")
                );
                told.push(format!("{} {end}", std::mem::take(&mut text)));
            }
            What::NoConnection { error, .. } => told.push(format!("no connection: {error}")),
        }
    }
    told
}

pub(crate) fn target(port: u16, tls: bool) -> Target {
    Target {
        host: "127.0.0.1".into(),
        port,
        tls,
        server_name: tls.then(|| "localhost".to_owned()),
        way: Way::Direct,
        protocol: Protocol::Http1,
        connect_timeout: std::time::Duration::from_secs(5),
    }
}

pub(crate) fn tcp(port: u16, clock: Clock) -> Arc<dyn Connect> {
    Arc::new(TcpConnect::new(target(port, false), &TlsSettings::default(), clock).unwrap())
}

/// Runs one stream of `requests` requests to its end and gives everything that arrived.
pub(crate) async fn run(connector: Arc<dyn Connect>, clock: Clock, requests: u32) -> Vec<Arrival> {
    run_at(connector, clock, requests, "/v1/completions").await
}

/// As [`run`], with another request target.
pub(crate) async fn run_at(
    connector: Arc<dyn Connect>,
    clock: Clock,
    requests: u32,
    path: &'static str,
) -> Vec<Arrival> {
    let (mut arrivals, _open) = start_at(connector, clock, requests, path);
    let mut all = Vec::new();
    while let Some(arrival) = arrivals.recv().await {
        all.push(arrival);
    }
    all
}

/// Starts one stream with an open gate.
pub(crate) fn start(
    connector: Arc<dyn Connect>,
    clock: Clock,
    requests: u32,
) -> (
    mpsc::UnboundedReceiver<Arrival>,
    tokio::task::JoinHandle<()>,
) {
    start_at(connector, clock, requests, "/v1/completions")
}

/// As [`start`], with another request target.
pub(crate) fn start_at(
    connector: Arc<dyn Connect>,
    clock: Clock,
    requests: u32,
    path: &'static str,
) -> (
    mpsc::UnboundedReceiver<Arrival>,
    tokio::task::JoinHandle<()>,
) {
    let (sender, arrivals) = mpsc::unbounded_channel();
    let (gate, gate_end) = watch::channel(true);
    let start = StreamStart {
        stream: 7,
        first_attempt: 0,
        connector,
        clock,
        endpoint: Endpoint::Completions,
        secrets: Secrets::default(),
        health: None,
        gate: gate_end,
        arrivals: sender,
    };
    let headers =
        http::HeaderMap::from_iter([(http::header::HOST, http::HeaderValue::from_static("test"))]);
    let headers = Arc::new(headers);
    let task = tokio::spawn(async move {
        let _open = gate;
        run_stream(start, move |attempt: u32, now| {
            (attempt < requests).then(|| Outgoing {
                due: now,
                path: path.into(),
                headers: Arc::clone(&headers),
                body: Bytes::from_static(b"{}"),
            })
        })
        .await;
    });
    (arrivals, task)
}
