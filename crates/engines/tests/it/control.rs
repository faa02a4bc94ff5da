use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokmark_engines::{
    Address, Control, ControlError, ControlIo, DEFAULT_TIMEOUT, Dial, Limits, Target,
};

use crate::fake::{Fake, Reply};

/// A server that is a script: what to write on each connection after the request's head came.
struct Scripted {
    answers: Vec<Option<&'static str>>,
    dialled: AtomicUsize,
}

impl Dial for Scripted {
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>> {
        let turn = self.dialled.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.get(turn).copied().flatten();
        Box::pin(async move {
            let Some(answer) = answer else {
                return Err(io::Error::from(io::ErrorKind::ConnectionRefused));
            };
            let (ours, mut theirs) = tokio::io::duplex(4096);
            tokio::spawn(async move {
                let mut head = [0; 1024];
                let _ = theirs.read(&mut head).await;
                let _ = theirs.write_all(answer.as_bytes()).await;
                if answer.is_empty() {
                    // Says nothing, for ever.
                    std::future::pending::<()>().await;
                }
            });
            let io: Box<dyn ControlIo> = Box::new(ours);
            Ok(io)
        })
    }
}

fn scripted(answers: Vec<Option<&'static str>>) -> (Control, Arc<Scripted>) {
    let dial = Arc::new(Scripted {
        answers,
        dialled: AtomicUsize::new(0),
    });
    let address = Address::parse("box:8000").unwrap();
    let target = Target::new(&address, Vec::new());
    (Control::new(dial.clone(), target, DEFAULT_TIMEOUT), dial)
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

#[tokio::test(start_paused = true)]
async fn a_connection_that_the_server_closed_is_opened_again() {
    let (control, dial) = scripted(vec![Some(OK), Some(OK), Some(OK)]);
    for turn in 1..=3 {
        let answer = control.get("/x").await.unwrap();
        assert_eq!(answer.json(), Some(json!({})));
        assert_eq!(dial.dialled.load(Ordering::SeqCst), turn);
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_serves_every_request() {
    let (control, heard) = Fake::new().get("/a", Reply::json("{}")).start();
    for _ in 0..3 {
        control.get("/a").await.unwrap();
    }
    assert_eq!(heard.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_keeps_its_cause() {
    let (control, _) = scripted(vec![None]);
    let error = control.get("/x").await.unwrap_err();
    assert_eq!(error.to_string(), "cannot connect to `box:8000`");
    assert!(matches!(error, ControlError::Dial { source, .. }
        if source.kind() == io::ErrorKind::ConnectionRefused));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_after_the_time_limit() {
    let (control, _) = scripted(vec![Some(""), Some(OK)]);
    let error = control.get("/slow").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`box:8000/slow` did not answer within 5 s"
    );
    // The silent connection is gone, and the next request has one of its own.
    assert!(control.get("/x").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_is_not_http_is_an_error() {
    let (control, _) = scripted(vec![Some("\u{15}\u{3}\u{3}garbage\r\n\r\n")]);
    let error = control.get("/x").await.unwrap_err();
    assert!(matches!(error, ControlError::Http { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn long_answers_are_cut_off() {
    let (control, _) = Fake::new()
        .post("/long", Reply::json("x".repeat(1_001)))
        .start();
    let limits = |bytes| Limits {
        time: Duration::from_secs(5),
        bytes,
    };
    let error = control
        .post_json_within("/long", &json!({}), limits(1_000))
        .await
        .unwrap_err();
    assert!(matches!(error, ControlError::TooLarge { limit: 1_000, .. }));
    let whole = control
        .post_json_within("/long", &json!({}), limits(1_001))
        .await
        .unwrap();
    assert_eq!(whole.body.len(), 1_001);
}

#[tokio::test(start_paused = true)]
async fn requests_carry_prefix_host_and_headers_and_hide_them_from_logs() {
    let (_, heard) = Fake::new()
        .post("/llm/v1/x", Reply::json("{}").header("server", "unit"))
        .start();
    let address = Address::parse("http://box:8000/llm/v1").unwrap();
    let key = HeaderValue::from_static("Bearer sk-secret");
    let target = Target::new(
        &address,
        vec![(HeaderName::from_static("authorization"), key)],
    );
    assert!(!format!("{target:?}").contains("secret"));
    let control = heard.control(target);
    assert!(!format!("{control:?}").contains("secret"));
    let answer = control.post_json("/v1/x", &json!({"a": 1})).await.unwrap();
    assert_eq!(answer.server.as_deref(), Some("unit"));
    assert_eq!(answer.content_type.as_deref(), Some("application/json"));
    let asked = heard.asked();
    assert_eq!(asked[0].path, "/llm/v1/x");
    assert_eq!(asked[0].headers["host"], "box:8000");
    assert_eq!(asked[0].headers["authorization"], "Bearer sk-secret");
    assert_eq!(asked[0].headers["content-type"], "application/json");
    assert_eq!(asked[0].body, json!({"a": 1}));
}

#[tokio::test(start_paused = true)]
async fn unexpected_answers_are_shown_on_one_short_line() {
    let page = format!("<html>\n  <b>Sign in</b>\u{7}{}</html>", "é".repeat(400));
    let (control, _) = Fake::new()
        .get("/x", Reply::new(200, "text/plain", page))
        .start();
    let answer = control.get("/x").await.unwrap();
    assert!(answer.is_html(), "told by the body, whatever the type says");
    let shown = answer.shown();
    assert!(shown.starts_with("<html> <b>Sign in</b>é"), "{shown}");
    assert_eq!(shown.chars().count(), 200);
}
