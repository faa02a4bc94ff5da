//! Every visible word of the pages, in English. Nothing outside of this module writes a word that
//! a person reads, so that catalogues in other languages can take its place.

pub(crate) mod calculator;
pub(crate) mod filter;
pub(crate) mod glossary;
pub(crate) mod label;
pub(crate) mod paths;
pub(crate) mod picture;
pub(crate) mod predicted;
pub(crate) mod roofline;
pub(crate) mod status;

use tokmark_run_format::{CapacityRule, Trust};
use tokmark_units::format;

pub(crate) const BRAND: &str = "tokmark";
pub(crate) const SKIP_TO_CONTENT: &str = "Skip to content";
pub(crate) const SITE_NAVIGATION: &str = "Site";
pub(crate) const MADE_WITH: &str = "Made with tokmark. K is 1,024 tokens.";

pub(crate) const MATRIX_RUN: &str = "Matrix run";
pub(crate) const ON: &str = " on ";
pub(crate) const UNKNOWN_HARDWARE: &str = "unknown hardware";
pub(crate) const UNKNOWN_MODEL: &str = "unknown model";
pub(crate) const INCOMPLETE: &str =
    "This run ended before its plan did; what was measured until then is shown.";

pub(crate) const KEY_FIGURES: &str = "Key figures";
pub(crate) const TOK_S: &str = "tok/s";

pub(crate) const FACTS: &str = "Setup";
pub(crate) const HARDWARE: &str = "Hardware";
pub(crate) const ENGINE: &str = "Engine";
pub(crate) const RUN: &str = "Run";

pub(crate) const LAUNCH_COMMAND: &str = "Launch command";
pub(crate) const NO_LAUNCH_COMMAND: &str = "Not recorded.";
pub(crate) const COPY: &str = "Copy";
pub(crate) const COPIED: &str = "Copied";

pub(crate) const PREFILL: &str = "Prefill";
pub(crate) const PREFILL_CAPTION: &str = "prompt tok/s by context length, one request at a time";
pub(crate) const NO_PREFILL: &str = "Prefill was not measured in this run.";
pub(crate) const PREFILL_DETAILS: &str = "Prefill samples";
pub(crate) const PREFILL_DETAILS_CAPTION: &str = "what stands behind each prefill figure";

pub(crate) const DECODE: &str = "Sustained decode";
pub(crate) const DECODE_CAPTION: &str =
    "total tok/s · rows are context length, columns are simultaneous requests";
pub(crate) const NO_DECODE: &str = "Sustained decode was not measured in this run.";
pub(crate) const CONTEXT: &str = "Context";
pub(crate) const REQUESTS: &str = "Requests at once";
pub(crate) const TTFT: &str = "TTFT";
pub(crate) const MEAN_POWER: &str = "Power";
pub(crate) const J_PER_TOKEN: &str = "Per token";
pub(crate) const NOT_IN_RUN: &str = "not part of this run";
pub(crate) const STATUSES: &str = "What the statuses mean";
pub(crate) const SCALE: &str = "Colour: total tok/s";

pub(crate) const CHARTS: &str = "Charts";
pub(crate) const CHARTS_NOTE: &str = "Hollow points belong to cells with a status other than Valid. Bars show the 95 % interval. \
     The figures stand in the tables.";

pub(crate) const MEASUREMENTS: &str = "All measurements";
pub(crate) const MEASUREMENTS_CAPTION: &str = "One row per prefill point and per cell, also those that were not run. Latencies are medians. \
     Total tok/s of a prefill row is prompt tokens; of a decode row it is output across all \
     simultaneous requests.";
pub(crate) const STATUSES_ARE_EXPLAINED: &str = "The statuses are explained below the matrix.";
pub(crate) const PHASE: &str = "Phase";
pub(crate) const STATUS: &str = "Status";
pub(crate) const TOTAL: &str = "Total tok/s";
pub(crate) const PER_REQUEST: &str = "Per request tok/s";
pub(crate) const BETWEEN_TOKENS: &str = "Time between tokens";
pub(crate) const AVERAGE_ACTIVE: &str = "Average active requests";
pub(crate) const COMPLETED: &str = "Completed requests";
pub(crate) const OUTPUT_TOKENS: &str = "Output tokens";
pub(crate) const MEASURED_FOR: &str = "Measured for";
pub(crate) const INTERVAL: &str = "95 % interval, tok/s";

pub(crate) const DETAILS: &str = "More about each cell";
pub(crate) const DETAILS_CAPTION: &str = "Further figures of every cell that was run";
pub(crate) const REMARKS: &str = "Remarks";

pub(crate) const NOTES: &str = "Notes";
pub(crate) const GLOSSARY: &str = "What the numbers mean";

pub(crate) const REPEAT: &str = "Measure this yourself";
pub(crate) const REPEAT_TEXT: &str =
    "The same matrix against your own server. Replace HOST:PORT by its address.";

pub(crate) const DOWNLOADS: &str = "Downloads";
pub(crate) const DOWNLOAD_JSON: &str = "Run document (JSON)";
pub(crate) const DOWNLOAD_CSV: &str = "Table (CSV)";
pub(crate) const DOWNLOAD_EVIDENCE: &str = "Evidence (every event, zstd)";
pub(crate) const DOWNLOAD_SVG: &str = "Picture of matrix and curves (SVG)";
pub(crate) const DOWNLOAD_CARD: &str = "Social card, 1200 x 630 (PNG)";
pub(crate) const DOWNLOAD_HTML: &str = "This page as one file (HTML)";

pub(crate) const RUNS: &str = "Matrix runs";
pub(crate) const RUNS_TEXT: &str = "Every run is one served model on one machine, measured in each cell of context length and \
     simultaneous requests.";
pub(crate) const NO_RUNS: &str = "No runs yet.";
pub(crate) const LATEST: &str = "Latest runs";
pub(crate) const ALL_RUNS: &str = "All runs";
pub(crate) const HOME_TITLE: &str = "How fast is a language-model server, really?";
pub(crate) const HOME_TEXT: &str = "tokmark measures a server in every cell of context length and simultaneous requests: prefill \
     speed, sustained decode, time to the first token. Each number has its interval and its \
     evidence, each cell without a number its reason.";
pub(crate) const HOME_MEASURE: &str = "Measure your own server";
pub(crate) const HOME_MEASURE_TEXT: &str =
    "The first command says what the server is and what would be measured; the second measures.";
pub(crate) const HOME_COMMANDS: &str =
    "tokmark probe http://HOST:PORT\ntokmark run http://HOST:PORT";
pub(crate) const HOME_SHOW_TEXT: &str = "The result as one page that you can send to anybody:";
pub(crate) const HOME_SHOW: &str = "tokmark show RUN.json --format html --output page.html";
pub(crate) const NOT_FOUND: &str = "Nothing is here";
pub(crate) const NOT_FOUND_TEXT: &str = "The address may be mistyped, or what stood here is gone.";
pub(crate) const TO_START: &str = "To the start page";
pub(crate) const ONE_REQUEST: &str = "One request";
pub(crate) const HIGHEST_TOTAL: &str = "Highest total";
pub(crate) const TRUST: &str = "Trust";
pub(crate) const RECEIVED: &str = "Measured or received";
pub(crate) const MATRIX: &str = "Matrix";

pub(crate) const PHASE_PREFILL: &str = "Prefill";
pub(crate) const PHASE_DECODE: &str = "Sustained decode";

/// `by @user`.
pub(crate) fn by(name: &str) -> String {
    format!("by {name}")
}

/// `8K context`.
pub(crate) fn context(label: &str) -> String {
    format!("{label} context")
}

/// `6 contexts (0–136K) × 8 concurrency levels (1–128)`.
pub(crate) fn extent(contexts: &[String], levels: &[String]) -> String {
    let contexts = counted(contexts, "context", "contexts");
    let levels = counted(levels, "concurrency level", "concurrency levels");
    format!("{contexts} × {levels}")
}

fn counted(labels: &[String], one: &str, several: &str) -> String {
    match labels {
        [only] => format!("1 {one} ({only})"),
        [first, .., last] => format!("{} {several} ({first}–{last})", labels.len()),
        [] => format!("0 {several}"),
    }
}

/// `prefill at 8K, 16K`.
pub(crate) fn prefill_at(contexts: &[String]) -> String {
    format!("prefill at {}", contexts.join(", "))
}

/// `at 16 requests, context 0`.
pub(crate) fn at_cell(requests: u32, context: &str) -> String {
    let noun = if requests == 1 { "request" } else { "requests" };
    format!(
        "at {} {noun}, context {context}",
        format::count(u64::from(requests))
    )
}

/// `decode, one request, context 0`.
pub(crate) fn single_stream(context: &str) -> String {
    format!("decode, one request, context {context}")
}

/// `prefill, context 8K`.
pub(crate) fn prefill_figure(context: &str) -> String {
    format!("prefill, context {context}")
}

/// `longest valid context, 136K, 1 request`.
pub(crate) fn longest_figure(context: &str, requests: u32) -> String {
    let noun = if requests == 1 { "request" } else { "requests" };
    format!("longest valid context, {context}, {requests} {noun}")
}

/// `of 48 cells valid`.
pub(crate) fn valid_cells(all: usize) -> String {
    let noun = if all == 1 { "cell" } else { "cells" };
    format!("of {all} {noun} valid")
}

/// What a trust level means.
pub(crate) fn trust(trust: Trust) -> &'static str {
    match trust {
        Trust::SelfReported => "sent without evidence: the figures cannot be checked",
        Trust::Imported => "another tool's result; the figures are that tool's own",
        Trust::Measured => "evidence lies beside the run and gives the same figures",
    }
}

/// A capacity rule in one line.
pub(crate) fn capacity(rule: CapacityRule) -> &'static str {
    match rule {
        CapacityRule::Expected => "expected (prompts and expected output must fit)",
        CapacityRule::Reserve => "reserve (context and longest output, for every request)",
        CapacityRule::Try => "try (every cell is run)",
    }
}

/// A decode test by the document's word.
pub(crate) fn decode_test(word: &str) -> String {
    match word {
        "fixed_duration" => "Fixed duration".to_owned(),
        "fixed_requests" => "Fixed number of requests".to_owned(),
        "repetitions" => "Repetitions of a test".to_owned(),
        other => other.to_owned(),
    }
}

/// `8,192 tokens`.
pub(crate) fn tokens(count: u64) -> String {
    let noun = if count == 1 { "token" } else { "tokens" };
    format!("{} {noun}", format::count(count))
}

/// `147,456 tokens over 2 ranks, from metrics`.
pub(crate) fn budget(tokens_in_all: u64, ranks: u32, source: &str) -> String {
    let ranks = if ranks > 1 {
        format!(" over {ranks} ranks")
    } else {
        String::new()
    };
    let source = if source.is_empty() {
        String::new()
    } else {
        format!(", from {source}")
    };
    format!("{}{ranks}{source}", tokens(tokens_in_all))
}

/// `21 requests at once`.
pub(crate) fn admission(limit: u32) -> String {
    let noun = if limit == 1 { "request" } else { "requests" };
    format!("{} {noun} at once", format::count(u64::from(limit)))
}

/// On or off.
pub(crate) fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// `generated prose; one document shared by all requests`.
pub(crate) fn prompts(text: &str, shared: bool) -> Option<String> {
    match (text.is_empty(), shared) {
        (true, false) => None,
        (true, true) => Some("one document shared by all requests".to_owned()),
        (false, false) => Some(text.to_owned()),
        (false, true) => Some(format!("{text}; one document shared by all requests")),
    }
}

/// `12.3 ms (n = 57)`.
pub(crate) fn of_so_many(value: &str, n: &str) -> String {
    format!("{value} (n = {n})")
}

/// `126.6 tok/s, 95 % interval 125.4–127.8`.
pub(crate) fn rate_with_interval(rate: &str, interval: Option<&str>) -> String {
    match interval {
        Some(interval) => format!("{rate} tok/s, 95 % interval {interval}"),
        None => format!("{rate} tok/s"),
    }
}

/// `at least 12,000 ms`, for a median that falls on a request without a first token.
pub(crate) fn at_least(time: &str) -> String {
    format!("≥ {time}")
}

/// `3 of 16`, under a heading that says what.
pub(crate) fn censored(count: u32, requests: u32) -> String {
    format!("{count} of {requests}")
}

/// The tooltip of a chart's point.
pub(crate) fn point(context: &str, requests: u32, value: &str) -> String {
    let noun = if requests == 1 { "request" } else { "requests" };
    format!("context {context}, {requests} {noun}: {value}")
}

/// `4 requests`, in a chart's legend.
pub(crate) fn series_requests(requests: u32) -> String {
    let noun = if requests == 1 { "request" } else { "requests" };
    format!("{requests} {noun}")
}

/// Words of the charts: title, x axis, y axis, what the names of the lines are.
pub(crate) mod chart {
    pub(crate) const TOTAL: [&str; 4] = [
        "Total rate by requests",
        "requests at once",
        "total tok/s",
        "Context",
    ];
    pub(crate) const PER_REQUEST: [&str; 4] = [
        "Rate of one request by context",
        "context, tokens",
        "tok/s per request",
        "At once",
    ];
    pub(crate) const PREFILL: [&str; 4] = [
        "Prefill by context",
        "context, tokens",
        "prompt tok/s",
        "Rate",
    ];
    pub(crate) const GAPS: [&str; 4] = [
        "Gaps between events, median and 99th percentile",
        "requests at once",
        "ms",
        "Context",
    ];
    pub(crate) const BETWEEN: [&str; 4] = [
        "Time between tokens by requests",
        "requests at once",
        "ms",
        "Context",
    ];
    pub(crate) const LESS_FIXED: &str = "without the fixed part of TTFT";
    pub(crate) const MEASURED: &str = "median";

    /// `16K, p99`.
    pub(crate) fn percentile(context: &str, percentile: &str) -> String {
        format!("{context}, {percentile}")
    }
}

/// What the cache did for a prefill sample.
pub(crate) mod sample {
    pub(crate) const FIRST: &str = "first, not counted";
    pub(crate) const COLD: &str = "cold";
    pub(crate) const UNVERIFIED: &str = "cache unverified";
    pub(crate) const PARTLY_CACHED: &str = "partly cached";

    /// `12.0 % cached`.
    pub(crate) fn cached(share: &str) -> String {
        format!("{share} cached")
    }
}

/// `context 16K, 4 requests: Failed (the server's words)`.
pub(crate) fn because(place: &str, reason: &str) -> String {
    format!("{place} ({reason})")
}

/// `Remarks on 3 cells`.
pub(crate) fn remarks(cells: usize) -> String {
    let noun = if cells == 1 { "cell" } else { "cells" };
    format!("Remarks on {cells} {noun}")
}

/// How energy was found, and whether of a card that others used, too.
pub(crate) fn energy_method(word: &str, shared: bool) -> String {
    let method = match word {
        "counter" => "the devices' counters",
        "trapezoid" => "power over time",
        other => other,
    };
    let of = if shared { ", whole card, shared" } else { "" };
    format!("{method}{of}")
}

/// `Accelerators: 1.20 J–4.00 J per output token, 0.0351 J per prompt token; 95 W at rest are in
/// it.`
pub(crate) fn energy(
    per_output: Option<&str>,
    per_prompt: Option<&str>,
    at_rest: Option<&str>,
) -> String {
    let per_output = per_output.map(|joules| format!("{joules} per output token"));
    let per_prompt = per_prompt.map(|joules| format!("{joules} per prompt token"));
    let parts: Vec<String> = per_output.into_iter().chain(per_prompt).collect();
    let at_rest = at_rest.map(|watts| format!("; the {watts} at rest are part of it"));
    format!(
        "Energy of the accelerators: {}{}.",
        parts.join(", "),
        at_rest.unwrap_or_default()
    )
}

/// `Every cell was measured in up to 3 passes and shows the one with the median total; …`
pub(crate) fn passes(most: usize, spread: Option<(String, String)>) -> String {
    let spread = spread.map(|(median, largest)| {
        format!(" The totals of a cell's passes lie {median} apart (median), at most {largest}.")
    });
    format!(
        "Every cell was measured in up to {most} passes and shows the one with the median total.{}",
        spread.unwrap_or_default()
    )
}

/// `70,000 of 60,000`.
pub(crate) fn need(need: &str, budget: &str) -> String {
    format!("{need} of {budget}")
}

/// `2 × http 503: text of the server`.
pub(crate) fn failure(count: u64, class: &str, http_status: Option<u16>, sample: &str) -> String {
    let count = format::count(count);
    match http_status {
        Some(status) => format!("{count} × {class} {status}: {sample}"),
        None => format!("{count} × {class}: {sample}"),
    }
}
