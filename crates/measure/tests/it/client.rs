//! `client_limited`: methodology section 5.

use tokmark_measure::cell::evaluate;
use tokmark_run_format::CellStatus;
use tokmark_run_format::cell::ClientHealth;
use tokmark_run_format::evidence::{CellEvidence, StampSource};

use crate::build::*;

/// A client that keeps up.
fn well() -> ClientHealth {
    ClientHealth {
        threads: 2,
        reads: 1_000,
        full_reads: 0,
        read_lag_p50_ms: Some(0.05),
        read_lag_p99_ms: Some(0.6),
        timer_lag_p99_ms: Some(1.2),
        stalled_ms: 0.0,
        busiest_cpu: Some(0.3),
    }
}

fn cell(change: impl FnOnce(&mut ClientHealth), stamps: StampSource) -> CellEvidence {
    let mut evidence = steady(10);
    for request in &mut evidence.streams {
        request.stamps = stamps;
    }
    let mut health = well();
    change(&mut health);
    evidence.client = Some(health);
    evidence
}

fn check(change: impl FnOnce(&mut ClientHealth), stamps: StampSource, reason: &str) {
    let cell = evaluate(&cell(change, stamps));
    assert_eq!(cell.status, CellStatus::ClientLimited, "{:?}", cell.notes);
    let found = cell.reason.unwrap_or_default();
    assert!(found.contains(reason), "`{found}` without `{reason}`");
    // The numbers stay: the server may be faster than they say.
    assert!(cell.total_tokens_per_s.is_some());
}

#[test]
fn a_client_that_keeps_up_changes_nothing_and_is_shown() {
    for stamps in [StampSource::Kernel, StampSource::Read] {
        let cell = evaluate(&cell(|_| {}, stamps));
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        assert_eq!(cell.client, Some(well()));
    }
}

#[test]
fn each_sign_of_a_slow_client_limits_the_cell() {
    let kernel = StampSource::Kernel;
    // The window is 30 s long: 1 % of it is 300 ms.
    check(
        |health| health.stalled_ms = 301.0,
        kernel,
        "0.30 s of the window (1.0 %)",
    );
    check(
        |health| health.full_reads = 11,
        kernel,
        "1.1 % of the reads",
    );
    check(
        |health| health.busiest_cpu = Some(0.86),
        kernel,
        "86.0 % of its processor core",
    );
}

#[test]
fn values_at_their_limits_are_allowed() {
    let at_limits = |health: &mut ClientHealth| {
        health.stalled_ms = 300.0;
        health.full_reads = 10;
        health.busiest_cpu = Some(0.85);
    };
    let cell = evaluate(&cell(at_limits, StampSource::Kernel));
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
}

#[test]
fn a_late_read_matters_only_where_it_gives_the_stamp() {
    let late = |health: &mut ClientHealth| health.read_lag_p99_ms = Some(60.0);
    check(
        late,
        StampSource::Read,
        "60.0 ms late (p99), and arrivals are read times",
    );
    let kernel = evaluate(&cell(late, StampSource::Kernel));
    assert_eq!(kernel.status, CellStatus::Valid, "{:?}", kernel.reason);
    // Without kernel stamps nobody knows the lag of a read: the timers' lag stands for it.
    let timers = |health: &mut ClientHealth| {
        health.read_lag_p99_ms = None;
        health.timer_lag_p99_ms = Some(80.0);
    };
    check(timers, StampSource::Read, "80.0 ms late");
}
