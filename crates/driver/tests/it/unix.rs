use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::UnixListener;
use tokmark_driver::{Clock, TcpConnect, TlsSettings, Way, What};

use crate::server::{HEAD, batches, certified, done, event, request, run, story, target, trusting};

fn connector(path: &std::path::Path, tls: Option<&str>, clock: Clock) -> Arc<TcpConnect> {
    let mut target = target(80, tls.is_some());
    target.host = "localhost".into();
    target.way = Way::Unix(path.to_owned());
    let settings = tls.map_or_else(TlsSettings::default, trusting);
    Arc::new(TcpConnect::new(target, &settings, clock).unwrap())
}

#[tokio::test]
async fn a_server_on_a_socket_is_measured_with_read_times() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("llm.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        for _ in 0..2 {
            let got = request(&mut io).await.unwrap();
            assert!(
                got.starts_with("POST /v1/completions HTTP/1.1\r\n"),
                "{got}"
            );
            for part in [HEAD, &event("x"), &done()] {
                io.write_all(part).await.unwrap();
            }
        }
    };
    let clock = Clock::start();
    let (all, ()) = tokio::join!(run(connector(&path, None, clock), clock, 2), server);
    assert_eq!(story(&all), ["x complete", "x complete"]);
    assert!(batches(&all).all(|batch| batch.read_stamps));
}

#[tokio::test]
async fn tls_works_on_a_socket() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tls.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (acceptor, pem) = certified(&[b"http/1.1"]);
    let server = async {
        let (io, _) = listener.accept().await.unwrap();
        let mut io = acceptor.accept(io).await.unwrap();
        request(&mut io).await.unwrap();
        for part in [HEAD, &event("x"), &done()] {
            io.write_all(part).await.unwrap();
        }
        io.flush().await.unwrap();
    };
    let clock = Clock::start();
    let (all, ()) = tokio::join!(run(connector(&path, Some(&pem), clock), clock, 1), server);
    assert_eq!(story(&all), ["x complete"]);
}

#[tokio::test]
async fn a_socket_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none.sock");
    let clock = Clock::start();
    let all = run(connector(&path, None, clock), clock, 1).await;
    let What::NoConnection { error, .. } = &all[0].what else {
        panic!("{all:?}");
    };
    assert!(!error.kept().contains("none.sock"), "{}", error.kept());
    let said = story(&all).join("\n");
    assert!(
        said.contains("none.sock") && said.contains("No such file"),
        "{said}"
    );
}
