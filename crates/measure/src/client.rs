//! Whether the client itself was too slow: methodology section 5, `client_limited`.

use tokmark_run_format::cell::{ClientHealth, DecodeCell};
use tokmark_run_format::evidence::CellEvidence;
use tokmark_units::format::percent;
use tokmark_units::{float, format};

/// Most reads that may find the receive buffer more than half full.
const MOST_FULL_READS: f64 = 0.01;
/// Most lag of a read time behind the arrival, as a share of the median gap.
const MOST_LAG: f64 = 0.1;
/// Most processor time of a load thread, as a share of the window.
const MOST_CPU: f64 = 0.85;
/// Most time that a load thread may not be scheduled, as a share of the window. Tokens that arrive
/// meanwhile pile up and get one stamp, also from the kernel.
const MOST_STALLED: f64 = 0.01;

/// Why the client limited this cell, if it did.
pub(crate) fn limit(evidence: &CellEvidence, cell: &DecodeCell) -> Option<String> {
    let health = evidence.client.as_ref()?;
    let reasons: Vec<String> = [
        stalled(health, cell),
        full(health),
        late(health, cell),
        busy(health),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn stalled(health: &ClientHealth, cell: &DecodeCell) -> Option<String> {
    let window_ms = cell.measured_s? * 1_000.0;
    let share = health.stalled_ms / window_ms;
    (share > MOST_STALLED).then(|| {
        format!(
            "this computer did not let the client run for {} s of the window ({})",
            format::decimal(health.stalled_ms / 1_000.0, 2),
            percent(share)
        )
    })
}

fn full(health: &ClientHealth) -> Option<String> {
    if health.reads == 0 {
        return None;
    }
    let share = float::from_u64(health.full_reads) / float::from_u64(health.reads);
    (share > MOST_FULL_READS).then(|| {
        format!(
            "{} of the reads found the receive buffer more than half full",
            percent(share)
        )
    })
}

/// Kernel stamps do not suffer from a late read; read times do.
fn late(health: &ClientHealth, cell: &DecodeCell) -> Option<String> {
    if cell.sources.arrival.as_deref() == Some("kernel") {
        return None;
    }
    let gap = cell.gaps.as_ref()?.p50_ms;
    let lag = health.read_lag_p99_ms.or(health.timer_lag_p99_ms)?;
    (lag > MOST_LAG * gap).then(|| {
        format!(
            "the client was up to {} late (p99), and arrivals are read times",
            format::gap_ms(lag)
        )
    })
}

fn busy(health: &ClientHealth) -> Option<String> {
    let cpu = health.busiest_cpu.filter(|cpu| *cpu > MOST_CPU)?;
    Some(format!(
        "a thread of the client used {} of its processor core",
        percent(cpu)
    ))
}
