use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokmark_driver::{Clock, ConnectError, MemoryConnect, What};
use tokmark_openai_stream::reply::FailureClass;

use crate::server::{
    HEAD, answer, batches, done, endings, event, listen, request, run, start, tcp, text,
};

#[tokio::test]
async fn b058_connect_time_stands_apart_once_for_a_kept_connection() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        let mut served = 0;
        while let Some(text) = request(&mut io).await {
            assert!(
                text.starts_with("POST /v1/completions HTTP/1.1\r\n"),
                "{text}"
            );
            served += 1;
            answer(&mut io, &[HEAD, &event("x"), &done()]).await;
            if served == 3 {
                break;
            }
        }
        served
    };
    let (all, answers) = tokio::join!(run(tcp(port, clock), clock, 3), server);
    assert_eq!(answers, 3);
    let connects: Vec<bool> = all
        .iter()
        .filter_map(|a| match &a.what {
            What::Due { connect, .. } => Some(connect.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(connects, [true, false, false]);
    assert_eq!(endings(&all), [None; 3]);
}

#[tokio::test]
async fn a_server_that_closes_after_each_answer_is_reconnected_to() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        for _ in 0..2 {
            let (mut io, _) = listener.accept().await.unwrap();
            request(&mut io).await.unwrap();
            let head: &[u8] =
                b"HTTP/1.1 200 OK\r\nConnection: Close\r\ntransfer-encoding: chunked\r\n\r\n";
            answer(&mut io, &[head, &event("x"), &done()]).await;
        }
    };
    let (all, ()) = tokio::join!(run(tcp(port, clock), clock, 2), server);
    assert_eq!(endings(&all), [None; 2], "{all:?}");
}

#[tokio::test]
async fn b028_a_cut_body_is_broken_not_complete() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        answer(&mut io, &[HEAD, &event("half")]).await;
    };
    let (all, ()) = tokio::join!(run(tcp(port, clock), clock, 5), server);
    assert_eq!(endings(&all), [Some(FailureClass::CutStream)], "{all:?}");
    assert_eq!(text(&all), "half");
}

#[tokio::test]
async fn nobody_listening_is_told_with_the_address() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    drop(listener);
    let all = run(tcp(port, clock), clock, 1).await;
    let What::NoConnection { error, .. } = &all.last().unwrap().what else {
        panic!("{all:?}");
    };
    assert!(matches!(error, ConnectError::Tcp { .. }));
    assert!(error.to_string().contains(&port.to_string()), "{error}");
}

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let (mut arrivals, task) = start(tcp(port, clock), clock, 1);
    let (mut io, _) = listener.accept().await.unwrap();
    request(&mut io).await.unwrap();
    answer(&mut io, &[HEAD, &event("x")]).await;
    while let Some(arrival) = arrivals.recv().await {
        if matches!(arrival.what, What::Events(_)) {
            break;
        }
    }
    task.abort();
    let mut rest = Vec::new();
    // Ends, by a close or a reset, only because the client is gone.
    let _closed = io.read_to_end(&mut rest).await;
    assert_eq!(rest, b"");
}

#[tokio::test(start_paused = true)]
async fn what_a_dropped_stream_has_read_is_not_lost() {
    let clock = Clock::start();
    let connector = MemoryConnect::new(|| {
        let (client, mut server) = tokio::io::duplex(65_536);
        tokio::spawn(async move {
            request(&mut server).await.unwrap();
            server.write_all(HEAD).await.unwrap();
            for text in ["a", "b", "c"] {
                tokio::time::sleep(Duration::from_millis(5)).await;
                server.write_all(&event(text)).await.unwrap();
            }
            std::future::pending::<()>().await;
        });
        Box::new(client)
    });
    let (mut arrivals, task) = start(Arc::new(connector), clock, 1);
    tokio::time::sleep(Duration::from_millis(17)).await;
    task.abort();
    let mut all = Vec::new();
    while let Some(arrival) = arrivals.recv().await {
        all.push(arrival);
    }
    assert_eq!(text(&all), "abc");
    assert_eq!(
        batches(&all).count(),
        2,
        "the first at once, the rest at the end"
    );
    assert!(matches!(all.last().unwrap().what, What::Dropped(_)));
}

#[tokio::test]
async fn a_refused_stream_sends_nothing_more() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        let refusal: &[u8] =
            b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 5\r\ncontent-length: 2\r\n\r\n{}";
        answer(&mut io, &[refusal]).await;
        // Ends with the client's close; another request would be `Some`.
        request(&mut io).await
    };
    let (all, next) = tokio::join!(run(tcp(port, clock), clock, 5), server);
    assert_eq!(endings(&all), [Some(FailureClass::RateLimited)], "{all:?}");
    assert_eq!(next, None);
}
