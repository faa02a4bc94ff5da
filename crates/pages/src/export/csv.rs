//! One row per prefill point and cell (RFC 4180): the document's field names as header, points as
//! decimal separators, no thousands separators, units in the names.

use std::collections::BTreeMap;

use tokmark_run_format::{DecodeCell, Energy, PrefillRow, RooflineBound, RunDocument};

/// The columns. Names are the document's; a field inside of another has both names.
const HEADER: [&str; 78] = [
    "phase",
    "context",
    "requests",
    "status",
    "reason",
    "total_tokens_per_s",
    "per_request_tokens_per_s",
    "ttft_ms",
    "time_between_tokens_ms",
    "average_active_requests",
    "completed_requests",
    "output_tokens",
    "measured_s",
    "ci95_low",
    "ci95_high",
    "prompt_tokens",
    "prompt_tokens_per_s",
    "ttft_ms_min",
    "ttft_ms_max",
    "fixed_ttft_ms",
    "prompt_tokens_per_s_less_fixed",
    "warm_ttft_ms",
    "server_ttft_ms",
    "outside_engine_ms",
    "samples",
    "ttft_ms_lower_bound",
    "ttft_censored",
    "ci_batches",
    "ci_cosines",
    "drift",
    "passes",
    "passes_spread",
    "passes_drift",
    "gaps_n",
    "gaps_p50_ms",
    "gaps_p95_ms",
    "gaps_p99_ms",
    "gaps_max_ms",
    "gaps_tokens_per_event",
    "launch_ttft_min_ms",
    "launch_ttft_p95_ms",
    "launch_ttft_max_ms",
    "launch_ttft_answer_ms",
    "launch_ttft_restart_ms",
    "launch_ttft_client_queue_ms",
    "launch_ttft_connect_ms",
    "launch_ttft_server_mean_ms",
    "launch_ttft_outside_engine_ms",
    "warm_fraction",
    "mean_depth",
    "restart_fraction",
    "server_running",
    "server_waiting",
    "preemptions",
    "speculative_acceptance",
    "launch_s",
    "need_tokens",
    "budget_tokens",
    "admission_limit",
    "roofline_tokens_per_s",
    "roofline_share",
    "roofline_bound",
    "energy_mean_power_w",
    "energy_peak_power_w",
    "energy_energy_j",
    "energy_method",
    "energy_joules_per_output_token",
    "energy_joules_per_prompt_token",
    "energy_idle_power_w",
    "energy_processor_energy_j",
    "energy_processor_mean_power_w",
    "energy_throttled_share",
    "energy_power_capped_share",
    "energy_shared",
    "energy_samples",
    "sources_arrival",
    "sources_tokens",
    "notes",
];

/// Fields by column; a column without a field is empty.
struct Row(BTreeMap<&'static str, String>);

impl Row {
    fn new(phase: &str, context: u64, requests: u32, status: &str, reason: Option<&str>) -> Self {
        let mut row = Self(BTreeMap::new());
        row.0.insert("phase", phase.to_owned());
        row.put("context", Some(context));
        row.put("requests", Some(requests));
        row.0.insert("status", status.to_owned());
        row.text("reason", reason);
        row
    }

    /// A number; Rust prints the shortest one that reads back the same, without an exponent.
    fn put(&mut self, column: &'static str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.insert(column, value.to_string());
        }
    }

    /// A text. A spreadsheet would run one that begins like a formula, so that one gets an
    /// apostrophe, which spreadsheets read as "text follows".
    fn text(&mut self, column: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r']);
            let guard = if formula { "'" } else { "" };
            self.0.insert(column, format!("{guard}{value}"));
        }
    }

    fn line(&self) -> String {
        let field = |column: &&str| self.0.get(column).map_or_else(String::new, |v| quoted(v));
        let fields: Vec<String> = HEADER.iter().map(field).collect();
        fields.join(",")
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The run's rows as CSV.
pub fn csv(run: &RunDocument) -> String {
    let header = HEADER.join(",");
    let prefill = run.prefill.iter().map(|row| prefill_row(row).line());
    let decode = run.decode.iter().map(|cell| decode_row(cell).line());
    let mut out = String::new();
    for line in std::iter::once(header).chain(prefill).chain(decode) {
        out.push_str(&line);
        out.push_str("\r\n");
    }
    out
}

fn prefill_row(from: &PrefillRow) -> Row {
    let mut row = Row::new(
        "prefill",
        from.context,
        from.requests,
        from.status.as_str(),
        from.reason.as_deref(),
    );
    row.put("completed_requests", Some(from.completed_requests));
    row.put("prompt_tokens", from.prompt_tokens);
    row.put("prompt_tokens_per_s", from.prompt_tokens_per_s);
    row.put("ttft_ms", from.ttft_ms);
    row.put("ttft_ms_min", from.ttft_ms_min);
    row.put("ttft_ms_max", from.ttft_ms_max);
    row.put("fixed_ttft_ms", from.fixed_ttft_ms);
    row.put(
        "prompt_tokens_per_s_less_fixed",
        from.prompt_tokens_per_s_less_fixed,
    );
    row.put("warm_ttft_ms", from.warm_ttft_ms);
    row.put("server_ttft_ms", from.server_ttft_ms);
    row.put("outside_engine_ms", from.outside_engine_ms);
    row.put("roofline_tokens_per_s", from.roofline_tokens_per_s);
    row.put("roofline_share", from.roofline_share);
    row.text("roofline_bound", from.roofline_bound.map(bound));
    row.put("samples", Some(from.samples.len()));
    energy(&mut row, from.energy.as_ref());
    row
}

fn decode_row(cell: &DecodeCell) -> Row {
    let mut row = Row::new(
        "decode",
        cell.context,
        cell.requests,
        cell.status.as_str(),
        cell.reason.as_deref(),
    );
    row.put("total_tokens_per_s", cell.total_tokens_per_s);
    row.put("per_request_tokens_per_s", cell.per_request_tokens_per_s);
    row.put("ttft_ms", cell.ttft_ms);
    row.put("ttft_ms_lower_bound", cell.ttft_ms_lower_bound);
    row.put("ttft_censored", Some(cell.ttft_censored));
    row.put("time_between_tokens_ms", cell.time_between_tokens_ms);
    row.put("average_active_requests", cell.average_active_requests);
    row.put("completed_requests", cell.completed_requests);
    row.put("output_tokens", cell.output_tokens);
    row.put("measured_s", cell.measured_s);
    row.put("ci95_low", cell.ci95_low);
    row.put("ci95_high", cell.ci95_high);
    row.put("ci_batches", cell.ci_batches);
    row.put("ci_cosines", cell.ci_cosines);
    row.put("drift", cell.drift);
    row.put(
        "passes",
        Some(cell.passes.len()).filter(|passes| *passes > 0),
    );
    row.put("passes_spread", cell.passes_spread);
    row.put("passes_drift", cell.passes_drift);
    launch(&mut row, cell);
    server(&mut row, cell);
    energy(&mut row, cell.energy.as_ref());
    row.text("sources_arrival", cell.sources.arrival.as_deref());
    row.text("sources_tokens", cell.sources.tokens.as_deref());
    let notes = cell.notes.join("; ");
    row.text(
        "notes",
        Some(notes.as_str()).filter(|notes| !notes.is_empty()),
    );
    row
}

fn launch(row: &mut Row, cell: &DecodeCell) {
    let ttft = &cell.launch_ttft;
    row.put("launch_ttft_min_ms", ttft.min_ms);
    row.put("launch_ttft_p95_ms", ttft.p95_ms);
    row.put("launch_ttft_max_ms", ttft.max_ms);
    row.put("launch_ttft_answer_ms", ttft.answer_ms);
    row.put("launch_ttft_restart_ms", ttft.restart_ms);
    row.put("launch_ttft_client_queue_ms", ttft.client_queue_ms);
    row.put("launch_ttft_connect_ms", ttft.connect_ms);
    row.put("launch_ttft_server_mean_ms", ttft.server_mean_ms);
    row.put("launch_ttft_outside_engine_ms", ttft.outside_engine_ms);
    if let Some(gaps) = &cell.gaps {
        row.put("gaps_n", Some(gaps.n));
        row.put("gaps_p50_ms", Some(gaps.p50_ms));
        row.put("gaps_p95_ms", Some(gaps.p95_ms));
        row.put("gaps_p99_ms", Some(gaps.p99_ms));
        row.put("gaps_max_ms", Some(gaps.max_ms));
        row.put("gaps_tokens_per_event", Some(gaps.tokens_per_event));
    }
}

fn server(row: &mut Row, cell: &DecodeCell) {
    row.put("warm_fraction", cell.warm_fraction);
    row.put("prompt_tokens", cell.prompt_tokens);
    row.put("mean_depth", cell.mean_depth);
    row.put("restart_fraction", cell.restart_fraction);
    row.put("server_running", cell.server_running);
    row.put("server_waiting", cell.server_waiting);
    row.put("preemptions", cell.preemptions);
    row.put("speculative_acceptance", cell.speculative_acceptance);
    row.put("launch_s", cell.launch_s);
    row.put("need_tokens", cell.need_tokens);
    row.put("budget_tokens", cell.budget_tokens);
    row.put("admission_limit", cell.admission_limit);
    row.put("roofline_tokens_per_s", cell.roofline_tokens_per_s);
    row.put("roofline_share", cell.roofline_share);
    row.text("roofline_bound", cell.roofline_bound.map(bound));
}

/// The document's word.
fn bound(bound: RooflineBound) -> &'static str {
    match bound {
        RooflineBound::Memory => "memory",
        RooflineBound::Compute => "compute",
    }
}

fn energy(row: &mut Row, energy: Option<&Energy>) {
    let Some(energy) = energy else {
        return;
    };
    row.put("energy_mean_power_w", energy.mean_power_w);
    row.put("energy_peak_power_w", energy.peak_power_w);
    row.put("energy_energy_j", energy.energy_j);
    row.text("energy_method", energy.method.as_deref());
    let per_token = "energy_joules_per_output_token";
    row.put(per_token, energy.joules_per_output_token);
    let per_token = "energy_joules_per_prompt_token";
    row.put(per_token, energy.joules_per_prompt_token);
    row.put("energy_idle_power_w", energy.idle_power_w);
    row.put("energy_processor_energy_j", energy.processor_energy_j);
    let processor = "energy_processor_mean_power_w";
    row.put(processor, energy.processor_mean_power_w);
    row.put("energy_throttled_share", energy.throttled_share);
    row.put("energy_power_capped_share", energy.power_capped_share);
    row.put("energy_shared", Some(energy.shared));
    row.put("energy_samples", Some(energy.samples));
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::prefill::PrefillRow;
    use tokmark_run_format::{CellStatus, PrefillStatus, Tool};

    use super::*;

    #[test]
    fn every_field_has_a_column() {
        let mut cell = DecodeCell::without_numbers(0, 1, CellStatus::Valid, None);
        cell.gaps = Some(tokmark_run_format::cell::Gaps {
            n: 1,
            p50_ms: 1.0,
            p95_ms: 1.0,
            p99_ms: 1.0,
            max_ms: 1.0,
            tokens_per_event: 1.0,
        });
        let prefill = PrefillRow::without_samples(0, PrefillStatus::Valid, None);
        for row in [decode_row(&cell), prefill_row(&prefill)] {
            for column in row.0.keys() {
                assert!(HEADER.contains(column), "{column}");
            }
        }
    }

    #[test]
    fn texts_are_quoted_and_never_formulas() {
        let mut run = RunDocument::new("x".into(), Tool::default());
        for reason in ["a \"b\", c\nd", "=1+1", "plain"] {
            let status = CellStatus::OverCapacity;
            let cell = DecodeCell::without_numbers(8_192, 2, status, Some(reason.to_owned()));
            run.decode.push(cell);
        }
        run.decode[2].total_tokens_per_s = Some(12_345.678_9);
        let text = csv(&run);
        assert!(
            text.contains("decode,8192,2,over_capacity,\"a \"\"b\"\", c\nd\",,"),
            "{text}"
        );
        assert!(text.contains(",over_capacity,'=1+1,"), "{text}");
        assert!(text.contains(",plain,12345.6789,"), "{text}");
        assert!(text.ends_with("\r\n"));
    }
}
