//! IPv6, and names with addresses of both families (case B088).

use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokmark_driver::{Clock, TcpConnect, TlsSettings};

use crate::server::{HEAD, done, event, request, run, story, target};

/// One exchange with a server that listens on `listen` only, asked for as `host`; `None` where the
/// system has no such address.
async fn exchange(listen: &str, host: &str) -> Option<Vec<String>> {
    let listener = match TcpListener::bind((listen, 0)).await {
        Ok(listener) => listener,
        Err(error) => {
            eprintln!("skipped: {listen}: {error}");
            return None;
        }
    };
    let port = listener.local_addr().unwrap().port();
    let known: Vec<_> = tokio::net::lookup_host((host, port)).await.ok()?.collect();
    if !known.contains(&listener.local_addr().unwrap()) {
        eprintln!("skipped: `{host}` has no address {listen} here");
        return None;
    }
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        request(&mut io).await.unwrap();
        for part in [HEAD, &event("x"), &done()] {
            io.write_all(part).await.unwrap();
        }
    };
    let clock = Clock::start();
    let mut target = target(port, false);
    target.host = host.into();
    let connector = TcpConnect::new(target, &TlsSettings::default(), clock).unwrap();
    let (all, ()) = tokio::join!(run(Arc::new(connector), clock, 1), server);
    Some(story(&all))
}

#[tokio::test]
async fn b088_an_ipv6_address_and_a_name_served_on_one_family_only() {
    let whole = ["x complete"];
    for (listen, host) in [
        ("::1", "::1"),
        ("::1", "localhost"),
        ("127.0.0.1", "localhost"),
    ] {
        if let Some(story) = exchange(listen, host).await {
            assert_eq!(story, whole, "{listen} as {host}");
        }
    }
}
