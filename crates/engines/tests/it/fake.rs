//! A server in memory: fixed answers per route, a log of what was asked.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokmark_engines::{Address, Control, ControlIo, DEFAULT_TIMEOUT, Dial, Target};

/// What a route answers.
#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Reply {
    pub fn json(body: impl Into<String>) -> Self {
        Self::new(200, "application/json", body)
    }

    pub fn text(body: impl Into<String>) -> Self {
        Self::new(200, "text/plain; version=0.0.4", body)
    }

    pub fn events(body: impl Into<String>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    pub fn html(status: u16, body: impl Into<String>) -> Self {
        Self::new(status, "text/html; charset=utf-8", body)
    }

    pub fn new(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        Self {
            status,
            content_type,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

type Responder = Box<dyn Fn(&Value) -> Reply + Send + Sync>;

/// Answers of a server; the last route that was added for a path wins.
#[derive(Default)]
pub struct Fake {
    routes: Vec<(Method, String, Responder)>,
    server_header: Option<String>,
    log: Mutex<Vec<Asked>>,
    connections: AtomicUsize,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: Method,
    pub path: String,
    pub headers: http::HeaderMap,
    pub body: Value,
}

impl Fake {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn server_header(mut self, header: &str) -> Self {
        self.server_header = Some(header.to_owned());
        self
    }

    pub fn get(self, path: &str, reply: Reply) -> Self {
        self.route(Method::GET, path, move |_| reply.clone())
    }

    pub fn post(self, path: &str, reply: Reply) -> Self {
        self.route(Method::POST, path, move |_| reply.clone())
    }

    pub fn route(
        mut self,
        method: Method,
        path: &str,
        responder: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.routes
            .insert(0, (method, path.to_owned(), Box::new(responder)));
        self
    }

    pub fn start(self) -> (Control, Arc<Served>) {
        let served = Arc::new(Served(Arc::new(self)));
        let target = Target::new(&Address::parse("fake:8000").unwrap(), Vec::new());
        let control = Control::new(served.clone(), target, DEFAULT_TIMEOUT);
        (control, served)
    }

    fn answer(&self, asked: Asked) -> Response<Full<Bytes>> {
        let bare = asked.path.split('?').next().unwrap_or_default().to_owned();
        let found = self.routes.iter().find(|(method, path, _)| {
            *method == asked.method && (*path == asked.path || *path == bare)
        });
        let reply = match found {
            Some((_, _, responder)) => responder(&asked.body),
            None => Reply::new(404, "application/json", r#"{"detail":"Not Found"}"#),
        };
        self.log.lock().unwrap().push(asked);
        let mut response = Response::builder()
            .status(reply.status)
            .header("content-type", reply.content_type);
        if let Some(server) = &self.server_header {
            response = response.header("server", server);
        }
        for (name, value) in &reply.headers {
            response = response.header(*name, value);
        }
        response.body(Full::new(Bytes::from(reply.body))).unwrap()
    }
}

/// A started fake.
pub struct Served(Arc<Fake>);

impl Served {
    pub fn asked(&self) -> Vec<Asked> {
        self.0.log.lock().unwrap().clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }

    pub fn connections(&self) -> usize {
        self.0.connections.load(Ordering::SeqCst)
    }

    pub fn control(self: &Arc<Self>, target: Target) -> Control {
        Control::new(self.clone(), target, DEFAULT_TIMEOUT)
    }
}

impl Dial for Served {
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>> {
        let fake = self.0.clone();
        Box::pin(async move {
            fake.connections.fetch_add(1, Ordering::SeqCst);
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            tokio::spawn(async move {
                let service = service_fn(move |request: Request<Incoming>| {
                    let fake = fake.clone();
                    async move {
                        let (head, body) = request.into_parts();
                        let body = body.collect().await?.to_bytes();
                        let asked = Asked {
                            method: head.method,
                            path: head.uri.to_string(),
                            headers: head.headers,
                            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
                        };
                        Ok::<_, hyper::Error>(fake.answer(asked))
                    }
                });
                let _ = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(theirs), service)
                    .await;
            });
            let io: Box<dyn ControlIo> = Box::new(ours);
            Ok(io)
        })
    }
}

/// A file of `tests/fixtures`.
pub fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The server of a file of `tests/fixtures/servers`: each route's answer stands below a line
/// `### METHOD PATH STATUS TYPE`.
pub fn recorded(name: &str) -> Fake {
    let text = fixture(&format!("servers/{name}.txt"));
    let mut fake = Fake::new();
    for block in text.split("### ").skip(1) {
        let (head, body) = block.split_once('\n').unwrap();
        if let Some(header) = head.strip_prefix("server ") {
            fake = fake.server_header(header);
            continue;
        }
        let words: Vec<&str> = head.split(' ').collect();
        let [method, path, status, kind] = words.as_slice() else {
            panic!("{name}: `{head}`")
        };
        let kind = match *kind {
            "application/json" => "application/json",
            "text/event-stream" => "text/event-stream",
            "text/html" => "text/html",
            "text/plain" => "text/plain",
            other => panic!("{name}: `{other}`"),
        };
        let reply = Reply::new(status.parse().unwrap(), kind, body);
        fake = fake.route(method.parse().unwrap(), path, move |_| reply.clone());
    }
    fake
}

/// A vLLM with two data-parallel ranks.
pub fn vllm() -> Fake {
    Fake::new()
        .server_header("uvicorn")
        .get("/v1/models", Reply::json(fixture("vllm/models.json")))
        .get("/version", Reply::json(r#"{"version":"0.32.0"}"#))
        .get("/metrics", Reply::text(fixture("vllm/metrics.txt")))
        .route(Method::POST, "/tokenize", |body| {
            // As the server does, messages get the template and a plain prompt does not.
            let count = if body["messages"].is_array() && body["add_generation_prompt"] == true {
                40
            } else {
                12
            };
            Reply::json(format!(
                r#"{{"count":{count},"max_model_len":32768,"tokens":[]}}"#
            ))
        })
        .post(
            "/v1/chat/completions",
            Reply::events(fixture("vllm/chat_stream.txt")),
        )
}

/// A llama-server with four slots.
pub fn llamacpp() -> Fake {
    Fake::new()
        .server_header("llama.cpp")
        .get("/v1/models", Reply::json(fixture("llamacpp/models.json")))
        .get("/props", Reply::json(fixture("llamacpp/props.json")))
        .get("/metrics", Reply::text(fixture("llamacpp/metrics.txt")))
        .get("/slots", Reply::json(fixture("llamacpp/slots.json")))
        .post(
            "/apply-template",
            Reply::json(r#"{"prompt":"<s>user: text"}"#),
        )
        .route(Method::POST, "/tokenize", |body| {
            let templated = body["content"]
                .as_str()
                .unwrap_or_default()
                .starts_with("<s>");
            let special = body["add_special"] == true && body["parse_special"] == true;
            let count = match (templated, special) {
                (true, true) => 41,
                (false, true) => 13,
                _ => 999,
            };
            Reply::json(format!(r#"{{"tokens":{:?}}}"#, vec![1; count]))
        })
        .post(
            "/v1/chat/completions",
            Reply::events(fixture("llamacpp/chat_stream.txt")),
        )
}
