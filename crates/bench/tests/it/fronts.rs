//! Whole runs through what stands before servers: compressors, HTTP/2, gateways that tell too much.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use tokmark_bench::Route;
use tokmark_driver::{Io, MemoryConnect, Protocol};
use tokmark_run_format::CellStatus;
use tokmark_test_kit::{Front, SimBench};

use crate::{CHAT, cell, evidence, settings, sim};

/// A session whose measured requests go through a front.
async fn behind(front: Front) -> SimBench {
    let mut bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    let server = Arc::clone(&bench.server);
    let protocol = if front.http2 {
        Protocol::Http2
    } else {
        Protocol::Http1
    };
    let connector = MemoryConnect::new(move || {
        let (client, io) = tokio::io::duplex(256 * 1024);
        front.attach(io, &server);
        let client: Box<dyn Io> = Box::new(client);
        client
    });
    bench.session.connector = Arc::new(connector.speaking(protocol));
    bench
}

#[tokio::test(start_paused = true)]
async fn b034_a_compressed_run_is_measured_and_says_so() {
    let bench = behind(Front {
        gzip: true,
        ..Front::default()
    })
    .await;
    let (outcome, _) = bench.measure(&settings("0", &[2])).await.unwrap();
    let cell = cell(&outcome, 0, 2);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    assert!(cell.output_tokens.unwrap() > 100);
    let noted = cell
        .notes
        .iter()
        .any(|note| note.contains("compressed with `gzip`"));
    assert!(noted, "{:?}", cell.notes);
    for request in &evidence(&outcome, 0, 2).streams {
        assert_eq!(request.content_encoding.as_deref(), Some("gzip"));
    }
}

#[tokio::test(start_paused = true)]
async fn over_http2_a_cell_has_the_numbers_that_it_has_over_http1() {
    let measured = async |http2: bool| {
        let bench = behind(Front {
            http2,
            ..Front::default()
        })
        .await;
        let (outcome, _) = bench.measure(&settings("0", &[4])).await.unwrap();
        let cell = cell(&outcome, 0, 4).clone();
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        (cell.output_tokens, cell.gaps.unwrap().p50_ms)
    };
    assert_eq!(measured(true).await, measured(false).await);
}

#[tokio::test(start_paused = true)]
async fn b095_headers_that_a_server_repeats_are_in_no_record() {
    let mut bench = behind(Front {
        echo: true,
        ..Front::default()
    })
    .await;
    let secret = |name: &'static str, value: &'static str| {
        let mut value = HeaderValue::from_static(value);
        value.set_sensitive(true);
        (HeaderName::from_static(name), value)
    };
    let own = [
        secret("authorization", "Bearer tk-distinct-77"),
        secret("x-tenant", "tenant-42-x"),
    ];
    bench.session.route = Route::new(CHAT, "sim", "", &own);
    let (outcome, told) = bench.measure(&settings("0", &[1])).await.unwrap();
    let cell = cell(&outcome, 0, 1);
    assert_eq!(cell.status, CellStatus::Failed);
    assert!(cell.failures[0].sample.contains("[redacted]"), "{cell:?}");
    let all = format!("{outcome:?} {told:?}");
    assert!(
        !all.contains("tk-distinct") && !all.contains("tenant-42"),
        "{all}"
    );
}

/// Whoever redirects names a host, and a run keeps none.
#[tokio::test(start_paused = true)]
async fn a_redirections_host_is_in_no_record() {
    let bench = behind(Front {
        elsewhere: Some("https://me:pw@llm-7.corp.example:8443/v1/chat/completions?k=1".to_owned()),
        ..Front::default()
    })
    .await;
    let (outcome, told) = bench.measure(&settings("0", &[1])).await.unwrap();
    let cell = cell(&outcome, 0, 1);
    assert_eq!(cell.status, CellStatus::Failed);
    let said = "HTTP 307 redirects to `https://***/v1/chat/completions`";
    assert_eq!(cell.failures[0].sample, said);
    let all = format!("{outcome:?} {told:?}");
    for part in ["corp.example", "llm-7", "8443", "me:pw", "k=1"] {
        assert!(!all.contains(part), "`{part}` in {all}");
    }
}
