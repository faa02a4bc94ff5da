//! Whole runs by the number of the case that went wrong elsewhere, through a hop between client and
//! server that a test can watch or delay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokmark_bench::{Route, Settings};
use tokmark_driver::{Io, MemoryConnect};
use tokmark_run_format::CellStatus;
use tokmark_run_format::plan::{CapacityRule, PrefillMode};
use tokmark_sim::{Dialect, Fault, SimConfig};
use tokmark_test_kit::SimBench;
use tokmark_units::{Context, Nanos};

use crate::{CHAT, cell, evidence, measure, settings, sim, status};

/// What lies between client and server.
#[derive(Debug, Clone, Copy)]
struct Hop {
    /// Bytes that fit into each direction's pipe.
    room: usize,
    /// How long the server is not told that the client has gone.
    lingers: Duration,
}

/// What passed through the hops.
#[derive(Debug, Default)]
struct Passed {
    bytes: AtomicU64,
    /// Nanoseconds in which an answer waited for the client to read.
    blocked_ns: AtomicU64,
}

/// A session whose measured connections go through hops.
async fn behind(hop: Hop, config: SimConfig) -> (SimBench, Arc<Passed>) {
    let mut bench = SimBench::start(config, CHAT).await.unwrap();
    let passed = Arc::new(Passed::default());
    let (server, seen) = (Arc::clone(&bench.server), Arc::clone(&passed));
    let clock = bench.session.clock;
    bench.session.connector = Arc::new(MemoryConnect::new(move || {
        let (client, near) = tokio::io::duplex(hop.room);
        let (from_client, to_client) = tokio::io::split(near);
        let (from_server, to_server) = tokio::io::split(server.connect());
        tokio::spawn(requests(from_client, to_server, hop.lingers));
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            answers(from_server, to_client, &seen, || clock.now()).await;
        });
        let io: Box<dyn Io> = Box::new(client);
        io
    }));
    (bench, passed)
}

async fn requests(
    mut client: ReadHalf<DuplexStream>,
    mut server: WriteHalf<DuplexStream>,
    lingers: Duration,
) {
    let mut buffer = vec![0; 16_384];
    while let Ok(count) = client.read(&mut buffer).await {
        if count == 0 || server.write_all(&buffer[..count]).await.is_err() {
            break;
        }
    }
    tokio::time::sleep(lingers).await;
    let _ = server.shutdown().await;
}

async fn answers(
    mut server: ReadHalf<DuplexStream>,
    mut client: WriteHalf<DuplexStream>,
    passed: &Passed,
    now: impl Fn() -> Nanos,
) {
    let mut buffer = vec![0; 16_384];
    let mut gone = false;
    while let Ok(count) = server.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        let before = now();
        // A client that has gone takes nothing more; the server is read on all the same.
        gone = gone || client.write_all(&buffer[..count]).await.is_err();
        let blocked = now().saturating_sub(before);
        if !gone {
            passed.blocked_ns.fetch_add(blocked.0, Ordering::Relaxed);
            passed
                .bytes
                .fetch_add(u64::try_from(count).unwrap(), Ordering::Relaxed);
        }
    }
}

/// Whoever compresses a stream buffers it, so that nobody is asked to.
#[test]
fn b034_a_stream_is_asked_for_as_it_is() {
    let route = Route::new(CHAT, "box:8000", "/prefix", &[]);
    let said = |name: &str| route.headers.get(name).unwrap().to_str().unwrap();
    assert_eq!(said("accept-encoding"), "identity");
    assert_eq!(said("accept"), "text/event-stream");
    assert_eq!(said("host"), "box:8000");
    assert_eq!(&*route.path, "/prefix/v1/chat/completions");
}

/// 64 streams through pipes that hold a few frames: nothing ever waits for the client.
#[tokio::test(start_paused = true)]
async fn b059_no_answer_waits_for_the_client() {
    let hop = Hop {
        room: 2_048,
        lingers: Duration::ZERO,
    };
    let wide = sim(|config| config.engine.max_num_seqs = 64);
    let (bench, passed) = behind(hop, wide).await;
    let asked = Settings {
        window: Duration::from_secs(2),
        capacity: CapacityRule::Try,
        ..settings("0", &[64])
    };
    let (outcome, _) = bench.measure(&asked).await.unwrap();
    assert_eq!(status(&outcome, 0, 64), CellStatus::Valid);
    let bytes = passed.bytes.load(Ordering::Relaxed);
    assert!(bytes > 64 * 50 * 1_024, "{bytes} bytes");
    assert_eq!(passed.blocked_ns.load(Ordering::Relaxed), 0);
}

/// A server that goes on generating for a while after its clients have gone: the next cell begins
/// when that has ended, and not before.
#[tokio::test(start_paused = true)]
async fn b061_left_over_work_is_waited_for() {
    let hop = |seconds| Hop {
        room: 65_536,
        lingers: Duration::from_secs(seconds),
    };
    let asked = settings("0", &[1, 2]);
    let (bench, _) = behind(hop(20), sim(|_| {})).await;
    let (late, _) = bench.measure(&asked).await.unwrap();
    assert_eq!(status(&late, 0, 2), CellStatus::Valid);
    let (first, next) = (evidence(&late, 0, 1), evidence(&late, 0, 2));
    let closed = first.window.unwrap().end_ns;
    let left_over = bench
        .server
        .truth()
        .requests
        .iter()
        .filter(|request| request.arrival.0 < closed)
        .filter_map(|request| request.ended.map(|(_, at)| at.0))
        .max()
        .unwrap();
    assert!(
        left_over > closed + Nanos::from_secs(2).0,
        "the fault is there"
    );
    assert!(
        next.launch_ns >= left_over,
        "{} {left_over}",
        next.launch_ns
    );

    let (quick, _) = behind(hop(0), sim(|_| {})).await;
    let (quick, _) = quick.measure(&asked).await.unwrap();
    // Which of two requests of one moment meets which step is chance, and no more than a step.
    let ttft = |outcome| cell(outcome, 0, 2).ttft_ms.unwrap();
    let (late_ms, quick_ms) = (ttft(&late), ttft(&quick));
    assert!(
        (late_ms - quick_ms).abs() < 10.0,
        "{late_ms} and {quick_ms} ms"
    );
    let launch = evidence(&quick, 0, 2).launch_ns;
    assert!(
        launch < next.launch_ns,
        "waiting is what made the difference"
    );
}

/// A proxy keeps eight events back; the server says when it had the first one.
#[tokio::test(start_paused = true)]
async fn b020_a_proxy_that_holds_answers_back_is_no_part_of_the_engine() {
    let asked = Settings {
        prefill_contexts: Some(vec![Context(1_024)]),
        prefill: PrefillMode::Standalone,
        prefill_samples: Some(1),
        ..settings("0", &[1])
    };
    let row = async |config| {
        let (_bench, outcome) = measure(config, &asked).await;
        outcome.prefill.into_iter().next().unwrap()
    };
    let held = row(sim(|config| {
        config.faults.add(Fault::BufferingProxy { events: 8 });
    }))
    .await;
    let server = held.server_ttft_ms.unwrap();
    // One event is the role: six tokens more, of at least 9.5 ms each.
    let outside = held.outside_engine_ms.unwrap();
    assert!(outside > 6.0 * 9.5, "{held:?}");
    assert!((held.ttft_ms.unwrap() - server - outside).abs() < 1e-6);
    for dialect in [
        Dialect::Vllm,
        Dialect::SgLang,
        Dialect::TensorRtLlm,
        Dialect::LmDeploy,
        Dialect::Dynamo,
        Dialect::MistralRs,
    ] {
        let plain = row(sim(|config| config.dialect = dialect)).await;
        assert_eq!(plain.outside_engine_ms, None, "{dialect}: {plain:?}");
        let (ours, theirs) = (plain.ttft_ms.unwrap(), plain.server_ttft_ms.unwrap());
        assert!(
            theirs <= ours && theirs > 0.8 * ours,
            "{dialect}: {theirs} of {ours}"
        );
    }
    let silent = row(sim(|config| config.dialect = Dialect::OpenAi)).await;
    assert_eq!(silent.server_ttft_ms, None);
}
