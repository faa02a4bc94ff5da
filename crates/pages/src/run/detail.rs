//! The second table: further figures of every cell that was run.

use tokmark_run_format::DecodeCell;
use tokmark_run_format::cell::{Gaps, Pass};
use tokmark_units::format::{self, count, gap_ms, or_dash, ttft_ms};

use super::energy;
use crate::roofline;
use crate::summary::{Grid, context_label, percent};
use crate::words;
use crate::words::label::column;

/// Header and rows; columns in which no cell has a value are left out.
pub(crate) struct Detail {
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

type Column = (&'static str, fn(&DecodeCell) -> Option<String>);

/// Places of a cell, always shown.
const PLACE: [Column; 2] = [
    (column::CONTEXT, |cell| Some(context_label(cell.context))),
    (column::REQUESTS_AT_ONCE, |cell| {
        Some(count(u64::from(cell.requests)))
    }),
];

const COLUMNS: [Column; 41] = [
    (column::ROOFLINE_SHARE, |cell| {
        cell.roofline_share.map(percent)
    }),
    (column::ROOFLINE, |cell| {
        cell.roofline_tokens_per_s.map(format::rate)
    }),
    (column::ROOFLINE_BOUND, |cell| {
        let bound = cell.roofline_bound.map(roofline::bound);
        bound.map(str::to_owned)
    }),
    (column::PROMPT_TOKENS, |cell| cell.prompt_tokens.map(count)),
    (column::WARM_SHARE, |cell| cell.warm_fraction.map(percent)),
    (column::WARM_SHARE_FROM, |cell| {
        cell.sources.warm_fraction.clone()
    }),
    (column::MEAN_DEPTH_TOKENS, |cell| {
        cell.mean_depth.map(|depth| format::decimal(depth, 0))
    }),
    (column::LAUNCH, |cell| cell.launch_s.map(format::seconds)),
    (column::TTFT_LEAST, |cell| {
        cell.launch_ttft.min_ms.map(ttft_ms)
    }),
    (column::TTFT_P95, |cell| {
        cell.launch_ttft.p95_ms.map(ttft_ms)
    }),
    (column::TTFT_MOST, |cell| {
        cell.launch_ttft.max_ms.map(ttft_ms)
    }),
    (column::NO_FIRST_TOKEN, |cell| {
        (cell.ttft_censored > 0).then(|| words::censored(cell.ttft_censored, cell.requests))
    }),
    (column::FIRST_ANSWER_TOKEN, |cell| {
        cell.launch_ttft.answer_ms.map(ttft_ms)
    }),
    (column::TTFT_OF_RESTARTS, |cell| {
        cell.launch_ttft.restart_ms.map(ttft_ms)
    }),
    (column::TTFT_BY_SERVER, |cell| {
        cell.launch_ttft.server_mean_ms.map(ttft_ms)
    }),
    (column::OUTSIDE_ENGINE, |cell| {
        cell.launch_ttft.outside_engine_ms.map(ttft_ms)
    }),
    (column::RESTART_SHARE, |cell| {
        cell.restart_fraction.map(percent)
    }),
    (column::GAP_P50, |cell| {
        cell.gaps.as_ref().map(|gaps| gap_ms(gaps.p50_ms))
    }),
    (column::GAP_P95, |cell| {
        cell.gaps.as_ref().map(|gaps| gap_ms(gaps.p95_ms))
    }),
    (column::GAP_P99, |cell| cell.gaps.as_ref().map(gap_p99)),
    (column::LONGEST_GAP, |cell| {
        cell.gaps.as_ref().map(|gaps| gap_ms(gaps.max_ms))
    }),
    (column::GAPS, |cell| {
        cell.gaps.as_ref().map(|gaps| count(gaps.n))
    }),
    (column::TOKENS_PER_EVENT, |cell| {
        cell.gaps
            .as_ref()
            .map(|gaps| format::decimal(gaps.tokens_per_event, 2))
    }),
    (column::INTERVAL_BASIS, |cell| {
        let basis = cell.ci_cosines.or(cell.ci_batches);
        basis.map(|n| count(u64::from(n)))
    }),
    (column::DRIFT, |cell| cell.drift.map(percent)),
    (column::PASSES, passes),
    (column::PASSES_SPREAD, |cell| {
        cell.passes_spread.map(percent)
    }),
    (column::PASSES_DRIFT, |cell| cell.passes_drift.map(percent)),
    (column::STREAMS_SUM, stream_sum),
    (column::SERVERS_OWN_COUNT, |cell| {
        cell.sources.server_output_tokens.map(count)
    }),
    (column::SERVER_RUNNING, |cell| {
        cell.server_running.map(|mean| format::decimal(mean, 1))
    }),
    (column::SERVER_WAITING, |cell| {
        cell.server_waiting.map(|mean| format::decimal(mean, 1))
    }),
    (column::PREEMPTIONS, |cell| cell.preemptions.map(count)),
    (column::DRAFTS_ACCEPTED, |cell| {
        cell.speculative_acceptance.map(percent)
    }),
    (column::ARRIVAL_TIMES_FROM, |cell| {
        cell.sources.arrival.clone()
    }),
    (column::SHARED_STAMPS, |cell| {
        cell.sources.shared_stamps.map(percent)
    }),
    (column::TOKEN_COUNTS_FROM, |cell| {
        cell.sources.tokens.clone()
    }),
    (column::CLIENT_QUEUE, |cell| {
        cell.launch_ttft.client_queue_ms.map(gap_ms)
    }),
    (column::READ_LAG, |cell| {
        cell.client.as_ref()?.read_lag_p99_ms.map(gap_ms)
    }),
    (column::CLIENT_CPU, |cell| {
        cell.client.as_ref()?.busiest_cpu.map(percent)
    }),
    (column::KV_NEED_OF_BUDGET, need),
];

impl Detail {
    pub(crate) fn of(grid: &Grid<'_>) -> Self {
        let cells: Vec<&DecodeCell> = grid.cells().filter(|cell| has_any(cell)).collect();
        let used: Vec<Column> = COLUMNS
            .into_iter()
            .filter(|(_, value)| cells.iter().any(|cell| value(cell).is_some()))
            .collect();
        let columns = || PLACE.iter().chain(&used);
        let energies: Vec<_> = cells.iter().map(|cell| cell.energy.as_ref()).collect();
        let (labels, figures) = energy::table(&energies);
        let row = |(cell, figures): (&&DecodeCell, Vec<Option<String>>)| {
            let values = columns().map(|(_, value)| value(cell));
            let values = values.chain(figures);
            values.map(|value| or_dash(value, |text| text)).collect()
        };
        Self {
            header: columns().map(|(label, _)| *label).chain(labels).collect(),
            rows: cells.iter().zip(figures).map(row).collect(),
        }
    }
}

fn has_any(cell: &DecodeCell) -> bool {
    COLUMNS.iter().any(|(_, value)| value(cell).is_some()) || cell.energy.is_some()
}

/// A tail of few gaps is shown with their number: under 100 its 99th percentile is all but the
/// largest.
fn gap_p99(gaps: &Gaps) -> String {
    let p99 = gap_ms(gaps.p99_ms);
    if gaps.n < 100 {
        words::of_so_many(&p99, &count(gaps.n))
    } else {
        p99
    }
}

/// `126.6, 127.0, 125.9`, in the order of measuring; a dash where a pass has no number.
fn passes(cell: &DecodeCell) -> Option<String> {
    let rate = |pass: &Pass| or_dash(pass.total_tokens_per_s, format::rate);
    let rates: Vec<String> = cell.passes.iter().map(rate).collect();
    (!rates.is_empty()).then(|| rates.join(", "))
}

fn stream_sum(cell: &DecodeCell) -> Option<String> {
    (!cell.stream_tokens.is_empty()).then(|| count(cell.stream_tokens.iter().sum()))
}

/// `70,000 of 60,000`.
fn need(cell: &DecodeCell) -> Option<String> {
    let need = count(cell.need_tokens?);
    Some(match cell.budget_tokens {
        Some(budget) => words::need(&need, &count(budget)),
        None => need,
    })
}
