use tokio::io::AsyncReadExt;
use tokmark_driver::{Clock, ConnectError, What};

use crate::server::{HEAD, answer, chunk, listen, request, run, start, tcp};

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
            answer(&mut io, &[HEAD, &chunk("x"), b"0\r\n\r\n"]).await;
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
    let ends = all
        .iter()
        .filter(|a| matches!(a.what, What::Complete(_)))
        .count();
    assert_eq!(ends, 3);
}

#[tokio::test]
async fn a_server_that_closes_after_each_answer_is_reconnected_to() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        for _ in 0..2 {
            let (mut io, _) = listener.accept().await.unwrap();
            request(&mut io).await.unwrap();
            answer(
                &mut io,
                &[b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx"],
            )
            .await;
        }
    };
    let (all, ()) = tokio::join!(run(tcp(port, clock), clock, 2), server);
    let ends = all
        .iter()
        .filter(|a| matches!(a.what, What::Complete(_)))
        .count();
    assert_eq!(ends, 2, "{all:?}");
}

#[tokio::test]
async fn b028_a_cut_body_is_broken_not_complete() {
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        answer(&mut io, &[HEAD, &chunk("half")]).await;
    };
    let (all, ()) = tokio::join!(run(tcp(port, clock), clock, 5), server);
    assert!(
        matches!(all.last().unwrap().what, What::Broken { .. }),
        "{all:?}"
    );
    assert!(
        all.iter()
            .any(|a| matches!(&a.what, What::Data(b, _) if b == "half"))
    );
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
    answer(&mut io, &[HEAD, &chunk("x")]).await;
    while let Some(arrival) = arrivals.recv().await {
        if matches!(arrival.what, What::Data(..)) {
            break;
        }
    }
    task.abort();
    let mut rest = Vec::new();
    // Ends, by a close or a reset, only because the client is gone.
    let _closed = io.read_to_end(&mut rest).await;
    assert_eq!(rest, b"");
}
