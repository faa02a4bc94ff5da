// Written by `cargo xtask text`; change the catalogues instead.

//! The page of a run: headings, captions and columns.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "brand",
        "matrix-run",
        "subject",
        "subject-between",
        "unknown-hardware",
        "unknown-model",
        "incomplete",
        "key-figures",
        "tok-s",
        "setup",
        "hardware",
        "engine",
        "run",
        "launch-command",
        "no-launch-command",
        "prefill",
        "prefill-caption",
        "no-prefill",
        "prefill-details",
        "prefill-details-caption",
        "decode",
        "decode-caption",
        "no-decode",
        "context",
        "requests",
        "ttft",
        "mean-power",
        "j-per-token",
        "not-in-run",
        "statuses",
        "scale",
        "charts",
        "charts-note",
        "measurements",
        "measurements-caption",
        "statuses-are-explained",
        "phase",
        "status",
        "total",
        "per-request",
        "between-tokens",
        "average-active",
        "completed",
        "output-tokens",
        "measured-for",
        "interval",
        "details",
        "details-caption",
        "remarks",
        "remarks-on",
        "notes",
        "glossary",
        "repeat",
        "repeat-text",
        "downloads",
        "download-json",
        "download-csv",
        "download-evidence",
        "download-html",
        "phase-prefill",
        "phase-decode",
        "trust-self-reported-text",
        "trust-imported-text",
        "trust-measured-text",
    ],
    [
        include_str!("../../catalogues/en/run.ftl"),
        include_str!("../../catalogues/ja/run.ftl"),
        include_str!("../../catalogues/ko/run.ftl"),
        include_str!("../../catalogues/zh/run.ftl"),
    ],
);

/// `tokmark`
pub fn brand(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Matrix run`
pub fn matrix_run(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `{ $model } on { $hardware }`
pub fn subject(language: Language, model: &str, hardware: &str) -> String {
    AREA.filled(
        language,
        2,
        &[("model", model.into()), ("hardware", hardware.into())],
    )
}

/// `on`
pub fn subject_between(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `unknown hardware`
pub fn unknown_hardware(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `unknown model`
pub fn unknown_model(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `This run ended before its plan did; what was measured until then is shown.`
pub fn incomplete(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Key figures`
pub fn key_figures(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `tok/s`
pub fn tok_s(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Setup`
pub fn setup(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Hardware`
pub fn hardware(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Engine`
pub fn engine(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Run`
pub fn run(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Launch command`
pub fn launch_command(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Not recorded.`
pub fn no_launch_command(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Prefill`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `prompt tok/s by context length, one request at a time`
pub fn prefill_caption(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Prefill was not measured in this run.`
pub fn no_prefill(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Prefill samples`
pub fn prefill_details(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `what stands behind each prefill figure`
pub fn prefill_details_caption(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Sustained decode`
pub fn decode(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `total tok/s · rows are context length, columns are simultaneous requests`
pub fn decode_caption(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `Sustained decode was not measured in this run.`
pub fn no_decode(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Context`
pub fn context(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Requests at once`
pub fn requests(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `TTFT`
pub fn ttft(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `Power`
pub fn mean_power(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `Per token`
pub fn j_per_token(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `not part of this run`
pub fn not_in_run(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `What the statuses mean`
pub fn statuses(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `Colour: total tok/s`
pub fn scale(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `Charts`
pub fn charts(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `Hollow points belong to cells with a status other than Valid. Bars show the 95 % interval. The figures stand in the tables.`
pub fn charts_note(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `All measurements`
pub fn measurements(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `One row per prefill point and per cell, also those that were not run. Latencies are medians. Total tok/s of a prefill row is prompt tokens; of a decode row it is output across all simultaneous requests.`
pub fn measurements_caption(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `The statuses are explained below the matrix.`
pub fn statuses_are_explained(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `Phase`
pub fn phase(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `Status`
pub fn status(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `Total tok/s`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `Per request tok/s`
pub fn per_request(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `Time between tokens`
pub fn between_tokens(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `Average active requests`
pub fn average_active(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `Completed requests`
pub fn completed(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `Output tokens`
pub fn output_tokens(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `Measured for`
pub fn measured_for(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `95 % interval, tok/s`
pub fn interval(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `More about each cell`
pub fn details(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `Further figures of every cell that was run`
pub fn details_caption(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `Remarks`
pub fn remarks(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `Remarks on { $cells } cells`
pub fn remarks_on(language: Language, cells: u64) -> String {
    AREA.filled(language, 49, &[("cells", cells.into())])
}

/// `Notes`
pub fn notes(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `What the numbers mean`
pub fn glossary(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `Measure this yourself`
pub fn repeat(language: Language) -> &'static str {
    AREA.plain(language, 52)
}

/// `The same matrix against your own server. Replace HOST:PORT by its address.`
pub fn repeat_text(language: Language) -> &'static str {
    AREA.plain(language, 53)
}

/// `Downloads`
pub fn downloads(language: Language) -> &'static str {
    AREA.plain(language, 54)
}

/// `Run document (JSON)`
pub fn download_json(language: Language) -> &'static str {
    AREA.plain(language, 55)
}

/// `Table (CSV)`
pub fn download_csv(language: Language) -> &'static str {
    AREA.plain(language, 56)
}

/// `Evidence (every event, zstd)`
pub fn download_evidence(language: Language) -> &'static str {
    AREA.plain(language, 57)
}

/// `This page as one file (HTML)`
pub fn download_html(language: Language) -> &'static str {
    AREA.plain(language, 58)
}

/// `Prefill`
pub fn phase_prefill(language: Language) -> &'static str {
    AREA.plain(language, 59)
}

/// `Sustained decode`
pub fn phase_decode(language: Language) -> &'static str {
    AREA.plain(language, 60)
}

/// `sent without evidence: the figures cannot be checked`
pub fn trust_self_reported_text(language: Language) -> &'static str {
    AREA.plain(language, 61)
}

/// `another tool's result; the figures are that tool's own`
pub fn trust_imported_text(language: Language) -> &'static str {
    AREA.plain(language, 62)
}

/// `evidence lies beside the run and gives the same figures`
pub fn trust_measured_text(language: Language) -> &'static str {
    AREA.plain(language, 63)
}
