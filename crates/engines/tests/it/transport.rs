//! The control plane's requests on the wire: forms, encodings, redirections, repeated headers.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokmark_engines::{
    Address, Control, ControlError, ControlIo, DEFAULT_TIMEOUT, Dial, Form, IdentifyError, Target,
    identify,
};
use tokmark_run_format::Model;

/// A server that gives every request the same answer and keeps what it was asked.
struct Same {
    form: Form,
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    asked: Arc<Mutex<Vec<Request<()>>>>,
}

impl Same {
    fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            form: Form::Origin,
            status,
            headers: Vec::new(),
            body: body.into(),
            asked: Arc::default(),
        }
    }

    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn control(self, address: &str, headers: Vec<(HeaderName, HeaderValue)>) -> Control {
        let address = Address::parse(address).unwrap();
        let target = Target::new(&address, headers).written(self.form);
        Control::new(Arc::new(self), target, DEFAULT_TIMEOUT)
    }

    fn answer(&self) -> Response<Full<Bytes>> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(*name, value);
        }
        response
            .body(Full::new(Bytes::from(self.body.clone())))
            .unwrap()
    }
}

impl Dial for Same {
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let asked = Arc::clone(&self.asked);
        let answer = self.answer();
        let service = service_fn(move |request: Request<Incoming>| {
            let (parts, _) = request.into_parts();
            asked.lock().unwrap().push(Request::from_parts(parts, ()));
            let answer = answer.clone();
            async move { Ok::<_, hyper::Error>(answer) }
        });
        let is_http2 = self.form == Form::Http2;
        tokio::spawn(async move {
            let io = TokioIo::new(theirs);
            if is_http2 {
                let http2 = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let _ended = http2.serve_connection(io, service).await;
            } else {
                let http1 = hyper::server::conn::http1::Builder::new();
                let _ended = http1.serve_connection(io, service).await;
            }
        });
        Box::pin(async move {
            let io: Box<dyn ControlIo> = Box::new(ours);
            Ok(io)
        })
    }
}

/// URI, version and `Host` of two requests written in this form.
async fn written(form: Form) -> Vec<(String, http::Version, Option<String>)> {
    let server = Same {
        form,
        ..Same::new(200, "{}")
    };
    let asked = Arc::clone(&server.asked);
    let control = server.control("http://box:8000/llm", Vec::new());
    for _ in 0..2 {
        let answer = control.get("/v1/models").await.unwrap();
        assert_eq!(answer.body, "{}");
    }
    let asked = asked.lock().unwrap();
    let tell = |request: &Request<()>| {
        let host = request.headers().get("host");
        (
            request.uri().to_string(),
            request.version(),
            host.map(|host| host.to_str().unwrap().to_owned()),
        )
    };
    assert_eq!(asked[0].headers()["accept-encoding"], "identity");
    asked.iter().map(tell).collect()
}

#[tokio::test(start_paused = true)]
async fn requests_are_written_as_the_way_wants_them() {
    let host = Some("box:8000".to_owned());
    let http1 = http::Version::HTTP_11;
    let origin = ("/llm/v1/models".to_owned(), http1, host.clone());
    assert_eq!(written(Form::Origin).await, [origin.clone(), origin]);
    let whole = "http://box:8000/llm/v1/models".to_owned();
    let absolute = (whole.clone(), http1, host);
    assert_eq!(written(Form::Absolute).await, [absolute.clone(), absolute]);
    let http2 = (whole, http::Version::HTTP_2, None);
    assert_eq!(written(Form::Http2).await, [http2.clone(), http2]);
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test(start_paused = true)]
async fn b034_compressed_answers_are_unpacked_within_the_limit() {
    let control = |encoding: &str, body: Vec<u8>| {
        Same::new(200, body)
            .header("content-encoding", encoding)
            .control("box:8000", Vec::new())
    };
    let small = control("GZIP", gzipped(r#"{"a":1}"#))
        .get("/x")
        .await
        .unwrap();
    assert_eq!(small.json(), Some(serde_json::json!({"a": 1})));
    let plain = control("gzip", b"{}".to_vec()).get("/x").await.unwrap();
    assert_eq!(plain.body, "{}", "somebody unpacked it on the way");
    let bomb = control("gzip", gzipped(&"x".repeat(9 << 20)));
    let error = bomb.get("/x").await.unwrap_err();
    assert!(matches!(error, ControlError::TooLarge { .. }), "{error}");
    let unknown = control("br", b"\x1b\x2a".to_vec()).get("/x").await;
    let error = unknown.unwrap_err().to_string();
    assert!(error.contains("`br`") && error.contains("/x"), "{error}");
}

async fn redirected(address: &str, location: &str) -> (String, String) {
    let control = Same::new(307, "moved")
        .header("location", location)
        .control(address, Vec::new());
    let error = identify(&control, None).await.unwrap_err();
    assert!(matches!(error, IdentifyError::Redirected { .. }), "{error}");
    (error.to_string(), error.hint())
}

#[tokio::test(start_paused = true)]
async fn redirections_are_refused_with_an_address_that_can_be_used() {
    let (said, hint) =
        redirected("box:8000", "https://me:pw@box/v1/models?session=hunter2#x").await;
    assert_eq!(said, "`box:8000` redirects to `https://box/v1/models`");
    assert_eq!(hint, "use that address: `https://box/v1/models`");
    let (_, hint) = redirected("https://box/llm", "/login?next=%2Fv1").await;
    assert_eq!(hint, "use that address: `https://box/login`");
    let (_, hint) = redirected("http://box:8000", "//other/v1").await;
    assert_eq!(hint, "use that address: `http://other/v1`");
}

#[tokio::test(start_paused = true)]
async fn b095_a_key_that_the_server_repeats_is_in_no_message() {
    let headers = || {
        let pair = |name: &'static str, value: &'static str| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        vec![
            pair("authorization", "Bearer tk-distinct-77"),
            pair("x-tenant", "tenant-42-x"),
        ]
    };
    let echo = "authorization: Bearer tk-distinct-77, x-tenant: tenant-42-x";
    let tell = |error: &dyn std::error::Error| {
        let mut told = format!("{error} {error:?}");
        let mut cause = error.source();
        while let Some(error) = cause {
            told.push_str(&format!("{error} {error:?}"));
            cause = error.source();
        }
        for part in ["tk-distinct", "tenant-42-x"] {
            assert!(!told.contains(part), "{told}");
        }
        told
    };
    for status in [200, 401, 404, 429, 502, 503] {
        let control = Same::new(status, echo).control("box:8000", headers());
        let error = identify(&control, None).await.unwrap_err();
        let told = tell(&error);
        assert!(told.contains("[redacted]"), "{status}: {told}");
    }
    let away = Same::new(302, echo).header("location", "https://box/tk-distinct-77/x");
    let error = identify(&away.control("box:8000", headers()), None).await;
    assert!(tell(&error.unwrap_err()).contains("https://box/[redacted]/x"));
    // Behind the identification: fields, counting and metrics.
    let body = format!(r#"{{"error":{{"message":"{echo}"}}}}"#);
    let missing = Same::new(500, body.clone()).control("box:8000", headers());
    let server = identify(&missing, Some("openai")).await.unwrap();
    let model = Model {
        served_name: "m".to_owned(),
        ..Model::default()
    };
    for status in [400, 500, 302, 200] {
        let control = Same::new(status, body.clone()).control("box:8000", headers());
        let endpoint = tokmark_engines::Endpoint::Chat;
        let mut asked = server.clone();
        let fields = asked.probe_fields(&control, &model, endpoint).await;
        tell(&fields.unwrap_err());
        let counted = asked.count_tokens(&control, &model, endpoint, "x").await;
        tell(&counted.unwrap_err());
        if let Err(error) = asked.gauges(&control).await {
            tell(&error);
        }
    }
}
