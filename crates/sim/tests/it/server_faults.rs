//! Faults of the server as a whole: its connections, its metrics, its life.

use std::time::Duration;

use http::Method;
use tokio::io::AsyncReadExt;
use tokmark_sim::server::Ending;
use tokmark_sim::{Fault, Hits, SimServer};

use crate::client::{complete, config, document, gauge, get, now, open, request, server};

fn faulty(words: &str) -> SimServer {
    let mut config = config();
    config.engine.ranks = 2;
    config.faults.add_words(words).unwrap();
    SimServer::start(config).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_connection_waits_to_be_served() {
    let server = server(|c| {
        let slow = Fault::SlowAccept { wait_ms: 500 };
        c.faults.add_to(slow, Hits::first(1));
    });
    for expect in [500, 0] {
        let mut asked = now();
        let mut sender = open(&server).await;
        for wait in [expect, 0] {
            let answer = sender.send_request(request(Method::GET, "/health", ""));
            assert_eq!(answer.await.unwrap().status(), 200);
            let ms = asked.elapsed().as_millis();
            asked = now();
            assert!((wait..wait + 5).contains(&ms), "{ms} for {wait}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_are_absent_renamed_or_of_one_rank() {
    let (status, _) = get(&faulty("metrics-absent"), "/metrics").await;
    assert_eq!(status, 404);
    let (status, renamed) = get(&faulty("metrics-renamed"), "/metrics").await;
    assert_eq!(status, 200);
    assert!(renamed.contains("\nrenamed_vllm:num_requests_running{engine=\"1\","));
    assert!(!renamed.contains("\nvllm:"), "{renamed}");
    let (_, one) = get(&faulty("metrics-one-rank"), "/metrics").await;
    assert!(one.contains("\nvllm:num_requests_running{engine=\"0\","));
    assert!(!one.contains("engine=\"1\""), "{one}");
    let (_, all) = get(&faulty("crlf"), "/metrics").await;
    assert!(all.contains("engine=\"1\""));
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_has_forgotten_everything() {
    let server = server(|c| c.faults.add_words("restart:1:20:5000").unwrap());
    let prompt = document(1, 200);
    let first = complete(&server, &prompt, 5).await;
    assert_eq!(first.usage()["prompt_tokens_details"]["cached_tokens"], 0);
    let second = complete(&server, &prompt, 50).await;
    // 5 tokens of the first request and 15 of this one.
    assert_eq!(second.token_ms().len(), 15);
    assert!(!second.complete && !second.done());
    assert_eq!(server.truth().requests[1].ended.unwrap().0, Ending::Fault);
    assert!(!server.is_dead());

    tokio::time::sleep(Duration::from_millis(4_900)).await;
    let mut buffer = Vec::new();
    assert_eq!(server.connect().read_to_end(&mut buffer).await.unwrap(), 0);
    tokio::time::sleep(Duration::from_millis(200)).await;
    for name in ["generation_tokens_total", "num_requests_running"] {
        assert!(gauge(&server, name).await.abs() < 1e-9, "{name}");
    }
    let third = complete(&server, &prompt, 50).await;
    assert_eq!(third.usage()["prompt_tokens_details"]["cached_tokens"], 0);
    assert!(third.done(), "it dies once");
    let fourth = complete(&server, &prompt, 5).await;
    let cached = &fourth.usage()["prompt_tokens_details"]["cached_tokens"];
    assert!(cached.as_u64().unwrap() > 100, "{cached}");
    assert!((gauge(&server, "generation_tokens_total").await - 55.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn other_peoples_load_comes_back_with_the_server() {
    let server = server(|c| c.faults.add(Fault::BackgroundLoad { sequences: 2 }));
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.restart(Duration::from_secs(1));
    server.restart(Duration::from_secs(9));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!((gauge(&server, "num_requests_running").await - 2.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn over_tcp_the_port_is_closed_while_the_server_is_away() {
    let server = server(|_| {});
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let client = async {
        assert!(tokio::net::TcpStream::connect(address).await.is_ok());
        server.restart(Duration::from_secs(30));
        // Yielding keeps the paused clock where it is.
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_secs(31)).await;
        while tokio::net::TcpStream::connect(address).await.is_err() {
            tokio::task::yield_now().await;
        }
        stop.send(()).unwrap();
    };
    let shutdown = async {
        let _ = stopped.await;
    };
    let (end, ()) = tokio::join!(server.serve(listener, shutdown), client);
    end.unwrap();
}
