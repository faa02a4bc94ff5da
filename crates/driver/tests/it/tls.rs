use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokmark_driver::{Arrival, Clock, TcpConnect, TlsError, TlsSettings, What};

use crate::server::{HEAD, batches, certified, done, event, listen, request, run, target};

/// One TLS exchange against a self-signed server.
async fn exchange(settings: impl FnOnce(&str) -> TlsSettings) -> Vec<Arrival> {
    let (acceptor, pem) = certified(&[]);
    let clock = Clock::start();
    let (listener, port) = listen().await;
    let server = async {
        let (io, _) = listener.accept().await.unwrap();
        // A client that does not trust the certificate ends the handshake.
        let Ok(mut io) = acceptor.accept(io).await else {
            return;
        };
        if request(&mut io).await.is_some() {
            for part in [HEAD, &event("x"), &done()] {
                io.write_all(part).await.unwrap();
            }
            io.flush().await.unwrap();
        }
    };
    let connector = TcpConnect::new(target(port, true), &settings(&pem), clock).unwrap();
    let (all, ()) = tokio::join!(run(Arc::new(connector), clock, 1), server);
    all
}

/// Whether the kernel stamped what arrived; `None` when nothing did.
fn kernel_stamps(all: &[Arrival]) -> Option<bool> {
    batches(all).next().map(|batch| !batch.read_stamps)
}

#[tokio::test]
async fn b089_an_unknown_certificate_is_refused() {
    let all = exchange(|_| TlsSettings::default()).await;
    let What::NoConnection { error, .. } = &all.last().unwrap().what else {
        panic!("{all:?}");
    };
    assert!(error.is_tls(), "{error}");
    assert!(error.to_string().contains("localhost"), "{error}");
    let kept = error.kept();
    assert!(
        kept.contains("UnknownIssuer") && !kept.contains("localhost"),
        "{kept}"
    );
}

#[tokio::test]
async fn b089_a_private_authority_is_trusted_when_given() {
    let all = exchange(|pem| TlsSettings {
        ca_pem: Some(pem.as_bytes().to_vec()),
        insecure: false,
    })
    .await;
    let stamped = kernel_stamps(&all);
    assert!(stamped.is_some(), "{all:?}");
    if cfg!(target_os = "linux") {
        assert_eq!(stamped, Some(true), "stamps reach through TLS");
    }
}

#[tokio::test]
async fn b089_insecure_accepts_anything() {
    let all = exchange(|_| TlsSettings {
        ca_pem: None,
        insecure: true,
    })
    .await;
    assert!(kernel_stamps(&all).is_some(), "{all:?}");
}

#[test]
fn a_file_without_a_certificate_is_refused() {
    let settings = TlsSettings {
        ca_pem: Some(b"no certificate here".to_vec()),
        insecure: false,
    };
    let made = TcpConnect::new(target(1, true), &settings, Clock::start());
    assert!(matches!(made, Err(TlsError::NoCertificate)));
}
