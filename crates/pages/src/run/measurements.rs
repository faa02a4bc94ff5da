//! The table of all measurements.

use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::format::{self, or_dash};

use crate::shade::Tone;
use crate::summary::{self, Grid, context_label};
use crate::words;

/// One row: a prefill point or a cell.
pub(crate) struct Measurement {
    /// `prefill` or `decode`.
    pub(crate) phase: &'static str,
    pub(crate) phase_label: &'static str,
    pub(crate) context: u64,
    pub(crate) context_label: String,
    pub(crate) requests: u32,
    /// The document's word.
    pub(crate) status: &'static str,
    pub(crate) status_label: &'static str,
    pub(crate) class: &'static str,
    pub(crate) reason: Option<String>,
    /// The document's field name and the figure, in the order of the header.
    pub(crate) figures: [(&'static str, String); 9],
}

/// The rows: prefill by context, then cells by context and requests.
pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>) -> Vec<Measurement> {
    let prefill = run.prefill.iter().map(prefill_row);
    prefill.chain(grid.cells().map(decode_row)).collect()
}

fn prefill_row(row: &PrefillRow) -> Measurement {
    let dash = || format::DASH.to_owned();
    let valid = row.status == PrefillStatus::Valid;
    let completed = (valid || row.completed_requests > 0).then_some(row.completed_requests);
    Measurement {
        phase: "prefill",
        phase_label: words::PHASE_PREFILL,
        context: row.context,
        context_label: context_label(row.context),
        requests: row.requests,
        status: row.status.as_str(),
        status_label: row.status.label(),
        class: if valid { Tone::Good } else { Tone::Marked }.class(),
        reason: row.reason.clone(),
        figures: [
            (
                "prompt_tokens_per_s",
                or_dash(row.prompt_tokens_per_s, format::rate),
            ),
            ("per_request_tokens_per_s", dash()),
            ("ttft_ms", or_dash(row.ttft_ms, format::ttft_ms)),
            ("time_between_tokens_ms", dash()),
            ("average_active_requests", dash()),
            ("completed_requests", or_dash(completed, format::count)),
            ("output_tokens", dash()),
            ("measured_s", dash()),
            ("ci95", dash()),
        ],
    }
}

fn decode_row(cell: &DecodeCell) -> Measurement {
    let rate = |rate| or_dash(rate, format::rate);
    let text = |text| or_dash(text, |text| text);
    Measurement {
        phase: "decode",
        phase_label: words::PHASE_DECODE,
        context: cell.context,
        context_label: context_label(cell.context),
        requests: cell.requests,
        status: cell.status.as_str(),
        status_label: cell.status.label(),
        class: Tone::of(cell.status).class(),
        reason: cell
            .reason
            .clone()
            .filter(|_| cell.status != CellStatus::Valid),
        figures: [
            ("total_tokens_per_s", rate(cell.total_tokens_per_s)),
            (
                "per_request_tokens_per_s",
                rate(cell.per_request_tokens_per_s),
            ),
            ("ttft_ms", text(summary::ttft(cell))),
            (
                "time_between_tokens_ms",
                or_dash(cell.time_between_tokens_ms, format::gap_ms),
            ),
            (
                "average_active_requests",
                or_dash(cell.average_active_requests, |n| format::decimal(n, 1)),
            ),
            (
                "completed_requests",
                or_dash(cell.completed_requests, format::count),
            ),
            ("output_tokens", or_dash(cell.output_tokens, format::count)),
            ("measured_s", or_dash(cell.measured_s, format::seconds)),
            ("ci95", text(summary::interval(cell))),
        ],
    }
}
