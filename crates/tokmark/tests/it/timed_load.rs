//! The load path on the real clock, server and client on cores of their own: `./test --timed`.

use serde_json::Value;

use crate::timed::Sim;
use crate::tokmark;

/// One measurement by a client process of `tokmark selftest`.
fn client(sim: &Sim, streams: u32, options: &[&str]) -> Value {
    let mut args = vec!["selftest-client", "--role", "load", "--distinct"];
    let (address, streams) = (sim.address.replace("http://", ""), streams.to_string());
    args.extend(["--address", &address, "--streams", &streams]);
    args.extend(["--tokens", "20000", "--seconds", "4", "--core", "1"]);
    args.extend(options);
    let ran = tokmark(&args);
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// A server on the first core that sends a token every 5 ms on each stream and keeps its truth.
fn paced() -> Sim {
    Sim::with(&[
        "--pace",
        "5ms",
        "--first",
        "100ms",
        "--truth-events",
        "--core",
        "0",
    ])
}

fn error(found: &Value, name: &str) -> f64 {
    found["accuracy"][name].as_f64().unwrap()
}

#[test]
#[ignore = "takes half a minute on the real clock"]
fn timed_times_and_totals_at_any_number_of_streams() {
    for (streams, launch) in [(1, 0.2), (16, 0.2), (64, 0.2), (256, 0.5)] {
        let found = client(&paced(), streams, &[]);
        println!("{streams}: {}", found["accuracy"]);
        assert_eq!(found["status"], "valid", "{found}");
        for (name, most) in [
            ("ttft_p50_ms", 0.2),
            ("ttft_p99_ms", launch),
            ("gap_p50_ms", 0.2),
            ("gap_p99_ms", 0.2),
            ("total", 0.001),
        ] {
            let error = error(&found, name).abs();
            assert!(error <= most, "{streams} streams: {name} {error}");
        }
    }
}

#[test]
#[ignore = "takes half a minute on the real clock"]
fn timed_kernel_stamps_outlast_a_busy_core() {
    let starved = client(&paced(), 64, &["--starve"]);
    let by_reads = client(&paced(), 64, &["--starve", "--arrival", "read"]);
    println!("kernel stamps: {}", starved["accuracy"]);
    println!("read times:    {}", by_reads["accuracy"]);
    assert!(error(&starved, "gap_p99_ms").abs() < 0.5, "{starved}");
    assert!(error(&by_reads, "gap_p99_ms").abs() > 0.5, "{by_reads}");
    assert_eq!(by_reads["status"], "client_limited", "{by_reads}");
}

#[test]
#[ignore = "takes some seconds on the real clock"]
fn timed_a_flooded_client_says_so() {
    let sim = Sim::with(&["--flood", "16", "--core", "0"]);
    let found = client(&sim, 64, &["--starve"]);
    println!("{found}");
    assert_eq!(found["status"], "client_limited", "{found}");
    assert!(found["tokens_per_s"].as_f64().unwrap() > 0.0);
}
