//! Each fault does what its name says, and the truth knows of it.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokmark_sim::server::Ending;
use tokmark_sim::{Fault, Hits};

use crate::client::{
    chat, complete, completion, document, gauge, get, now, open, post, read, request, server,
    stream, whole,
};

#[tokio::test(start_paused = true)]
async fn an_error_in_the_stream() {
    let server = server(|c| {
        let error = Fault::ErrorInStream { after_tokens: 3 };
        c.faults.add_to(error, Hits::first(1));
    });
    let stream = complete(&server, &document(1, 10), 50).await;
    assert_eq!(stream.token_ms().len(), 3);
    assert!(stream.complete && stream.done());
    let error = stream.events[3].json();
    assert_eq!(error["error"]["code"], 500);
    let request = &server.truth().requests[0];
    assert_eq!(
        (request.tokens(), request.ended.unwrap().0),
        (3, Ending::Fault)
    );
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert!(gauge(&server, "num_requests_running").await.abs() < 1e-9);
    // The second request is spared.
    assert_eq!(
        complete(&server, &document(2, 10), 50)
            .await
            .token_ms()
            .len(),
        50
    );
}

#[tokio::test(start_paused = true)]
async fn a_cut_stream() {
    let server = server(|c| c.faults.add(Fault::CutStream { after_tokens: 3 }));
    let stream = complete(&server, &document(1, 10), 50).await;
    assert_eq!(stream.token_ms().len(), 3);
    assert!(!stream.complete && !stream.done());
    assert_eq!(server.truth().requests[0].ended.unwrap().0, Ending::Fault);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_stream_stays_open_until_the_client_goes() {
    let server = server(|c| c.faults.add(Fault::Stall { after_tokens: 3 }));
    let mut sender = open(&server).await;
    let body = completion(&document(1, 10), 5_000);
    let response = sender
        .send_request(request(Method::POST, "/v1/completions", body.to_string()))
        .await
        .unwrap();
    let reading = tokio::time::timeout(Duration::from_hours(1), read(now(), response));
    assert!(reading.await.is_err());
    assert_eq!(server.truth().requests[0].tokens(), 3);
    drop(sender);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(
        server.truth().requests[0].ended.unwrap().0,
        Ending::Cancelled
    );
}

#[tokio::test(start_paused = true)]
async fn held_back_events_come_together() {
    let server = server(|c| c.faults.add(Fault::BufferingProxy { events: 5 }));
    let stream = complete(&server, &document(1, 10), 12).await;
    // Tokens are produced at 22, 32, ... ms; the last two leave with the end of the stream.
    assert_eq!(
        stream.token_ms(),
        [62, 62, 62, 62, 62, 112, 112, 112, 112, 112, 132, 132]
    );
    assert!(stream.done());
    let emissions = server.truth().requests[0].emissions.clone();
    assert_eq!(emissions.len(), 12);
    assert!(emissions[0].at == emissions[4].at && emissions[0].produced < emissions[4].produced);
}

#[tokio::test(start_paused = true)]
async fn no_answer_ever() {
    let server = server(|c| c.faults.add(Fault::NeverAnswer));
    assert_eq!(get(&server, "/v1/models").await.0, 200);
    let mut sender = open(&server).await;
    let body = completion("x", 5).to_string();
    let send = sender.send_request(request(Method::POST, "/v1/completions", body));
    assert!(
        tokio::time::timeout(Duration::from_mins(10), send)
            .await
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn refused_fields() {
    let server = server(|c| {
        for field in ["ignore_eos", "stream_options.continuous_usage_stats"] {
            let field = field.to_owned();
            c.faults.add(Fault::RefuseField { field });
        }
    });
    let mut body = completion("x", 2);
    for field in ["ignore_eos", "stream_options.continuous_usage_stats"] {
        let (status, answer) = post(&server, "/v1/completions", &body).await;
        assert_eq!(status, 400);
        assert_eq!(answer["error"]["param"], format!("body.{field}"));
        body.as_object_mut().unwrap().remove("ignore_eos");
    }
    body["stream_options"] = json!({"include_usage": true});
    assert!(stream(&server, "/v1/completions", &body).await.done());
}

#[tokio::test(start_paused = true)]
async fn html_everywhere() {
    let server = server(|c| c.faults.add(Fault::Html));
    for path in ["/v1/models", "/metrics", "/nothing"] {
        let (status, text) = get(&server, path).await;
        assert_eq!(status, 200);
        assert!(text.starts_with("<!doctype html>"), "{text}");
    }
    let body = completion("x", 2).to_string();
    let response =
        crate::client::send(&server, request(Method::POST, "/v1/completions", body)).await;
    assert_eq!(
        response.headers()["content-type"],
        "text/html; charset=utf-8"
    );
}

#[tokio::test(start_paused = true)]
async fn refusals_say_when_to_come_again() {
    let server = server(|c| {
        let many = Fault::TooManyRequests { retry_after_s: 7 };
        c.faults.add_to(many, Hits::first(2));
        let busy = Fault::Unavailable { retry_after_s: 2 };
        c.faults.add_to(busy, Hits::Numbers(2..3));
    });
    for (status, wait) in [(429, "7"), (429, "7"), (503, "2"), (200, "")] {
        let body = completion("x", 2).to_string();
        let response =
            crate::client::send(&server, request(Method::POST, "/v1/completions", body)).await;
        assert_eq!(response.status(), status);
        let after = response.headers().get("retry-after");
        assert_eq!(after.map_or("", |v| v.to_str().unwrap()), wait);
    }
}

#[tokio::test(start_paused = true)]
async fn comments_between_events() {
    let server = server(|c| c.faults.add(Fault::KeepAlive { every: 4 }));
    let stream = stream(&server, "/v1/chat/completions", &chat("Hi", 10)).await;
    assert_eq!(stream.token_ms().len(), 10);
    let comments = stream
        .raw
        .split("\n\n")
        .filter(|block| block.starts_with(':'))
        .count();
    assert_eq!(comments, 3);
    // The first one comes before anything was computed.
    assert!(
        stream.raw.starts_with(": still here\n\ndata: "),
        "{}",
        stream.raw
    );
}

#[tokio::test(start_paused = true)]
async fn other_peoples_load_never_ends() {
    let server = server(|c| {
        c.faults.add(Fault::BackgroundLoad { sequences: 3 });
        c.engine.cost.sequence.0 = 2_000_000.0;
    });
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(7)).await;
        assert!((gauge(&server, "num_requests_running").await - 3.0).abs() < 1e-9);
    }
    let stream = complete(&server, &document(1, 10), 20).await;
    let ms = stream.token_ms();
    // 10 ms and 2 ms for each of four sequences.
    assert_eq!(ms[10] - ms[9], 18);
    assert!(server.truth().requests.len() == 1);
}

#[tokio::test(start_paused = true)]
async fn the_server_dies_after_its_tokens() {
    let server = server(|c| c.faults.add(Fault::Die { after_tokens: 25 }));
    let prompts: Vec<_> = (0..2).map(|seed| document(seed, 10)).collect();
    let streams =
        futures_util::future::join_all(prompts.iter().map(|p| complete(&server, p, 500))).await;
    for stream in &streams {
        assert!(!stream.complete && !stream.done());
    }
    let received: usize = streams.iter().map(|stream| stream.token_ms().len()).sum();
    assert_eq!(received, 25);
    assert!(server.is_dead());
    let mut buffer = Vec::new();
    assert_eq!(server.connect().read_to_end(&mut buffer).await.unwrap(), 0);
    assert!(
        server
            .truth()
            .requests
            .iter()
            .all(|r| r.ended.unwrap().0 == Ending::Fault)
    );
}

#[tokio::test]
async fn over_tcp_the_listener_closes_with_the_server() {
    let server = server(|c| {
        c.faults.add(Fault::Die { after_tokens: 2 });
        c.engine.cost.fixed = tokmark_units::Nanos::from_millis(1);
        c.engine.cost.prefill.0 = 0.0;
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = async {
        let io =
            hyper_util::rt::TokioIo::new(tokio::net::TcpStream::connect(address).await.unwrap());
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        let body = completion("x", 50).to_string();
        let response = sender
            .send_request(request(Method::POST, "/v1/completions", body))
            .await
            .unwrap();
        read(now(), response).await
    };
    let (end, stream) = tokio::join!(server.serve(listener, std::future::pending()), client);
    end.unwrap();
    assert!(!stream.complete);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn over_tcp_until_shutdown() {
    let server = server(|_| {});
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let client = async {
        let io =
            hyper_util::rt::TokioIo::new(tokio::net::TcpStream::connect(address).await.unwrap());
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        let response = sender
            .send_request(request(Method::GET, "/version", ""))
            .await
            .unwrap();
        stop.send(()).unwrap();
        response.status()
    };
    let shutdown = async {
        let _ = stopped.await;
    };
    let (end, status) = tokio::join!(server.serve(listener, shutdown), client);
    end.unwrap();
    assert_eq!(status, 200);
    assert!(!server.is_dead());
    assert_eq!(
        whole(&server, request(Method::GET, "/health", "")).await.0,
        200
    );
}
