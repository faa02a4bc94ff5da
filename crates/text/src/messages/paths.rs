// Written by `cargo xtask text`; change the catalogues instead.

//! The paths of the calculator: what was fitted, to which runs, how well.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "list",
        "list-text",
        "none",
        "kicker",
        "back",
        "engine",
        "hardware",
        "kernels",
        "caches",
        "runs",
        "decode",
        "decode-rows",
        "decode-models",
        "prefill",
        "prefill-models",
        "list-caption",
        "here",
        "bundled",
        "unlocked",
        "errors-title",
        "errors-caption",
        "knew",
        "figures",
        "median",
        "p90",
        "largest",
        "fitted",
        "rows-out",
        "models-out",
        "kind-and-knew",
        "runs-caption",
        "run",
        "model",
        "in-fit",
        "yes",
        "no",
        "constants",
        "constants-caption",
        "constant",
        "symbol",
        "scope",
        "everything",
        "value",
        "between",
        "believed",
        "rationale",
        "residuals",
        "residuals-details",
        "residuals-caption",
        "without-row",
        "without-model",
        "decode-chart",
        "prefill-chart",
        "measured-tok-s",
        "predicted-against-measured",
        "legend-run",
        "title",
        "several",
        "hardware-unlocked",
        "summary-here",
        "summary-bundled",
        "errors",
    ],
    [
        include_str!("../../catalogues/en/paths.ftl"),
        include_str!("../../catalogues/ja/paths.ftl"),
        include_str!("../../catalogues/ko/paths.ftl"),
        include_str!("../../catalogues/zh/paths.ftl"),
    ],
);

/// `Calibrated paths`
pub fn list(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `A path is an engine on an accelerator. The constants of the decode calculator belong to it: some hold for kernels of one kind or a cache of one type. Each is fitted to measured runs, and the errors that count are those of figures that the fit did not know.`
pub fn list_text(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `No path has runs yet.`
pub fn none(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Calibration`
pub fn kicker(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `All calibrated paths`
pub fn back(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Engine`
pub fn engine(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Hardware`
pub fn hardware(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Kernels`
pub fn kernels(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Cache types`
pub fn caches(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Runs`
pub fn runs(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Decode`
pub fn decode(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Decode, rows held out`
pub fn decode_rows(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Decode, models held out`
pub fn decode_models(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Prefill`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Prefill, models held out`
pub fn prefill_models(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Errors are median / 9 of 10, absolute, predicted against measured.`
pub fn list_caption(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `fitted to runs of this site`
pub fn here(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `came with the program`
pub fn bundled(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `limits taken off`
pub fn unlocked(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `How accurate it is`
pub fn errors_title(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Absolute errors, predicted against measured, by what the fit knew.`
pub fn errors_caption(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `What the fit knew`
pub fn knew(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `Figures`
pub fn figures(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Median`
pub fn median(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `9 of 10`
pub fn p90(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `Largest`
pub fn largest(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `these figures`
pub fn fitted(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `all but the row of contexts`
pub fn rows_out(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `nothing of the model`
pub fn models_out(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `{ $kind }, { $knew }`
pub fn kind_and_knew(language: Language, kind: &str, knew: &str) -> String {
    AREA.filled(
        language,
        29,
        &[("kind", kind.into()), ("knew", knew.into())],
    )
}

/// `Errors of each run with the constants below: median / 9 of 10. A run that was not fitted is an honest test.`
pub fn runs_caption(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `Run`
pub fn run(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `Model's layers`
pub fn model(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `In the fit`
pub fn in_fit(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `yes`
pub fn yes(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `no`
pub fn no(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `Constants`
pub fn constants(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `Before the runs: what is believed from published measurements, and the fit pulls towards. Between: one standard error to both sides.`
pub fn constants_caption(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `Constant`
pub fn constant(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `Symbol`
pub fn symbol(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `Holds for`
pub fn scope(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `the whole path`
pub fn everything(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `Fitted`
pub fn value(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `Between`
pub fn between(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `Before the runs`
pub fn believed(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `Because`
pub fn rationale(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `Residuals`
pub fn residuals(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `Every figure of the fit`
pub fn residuals_details(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `Predicted over measured, less 1: of the fit, and of fits that did not know the row or the model.`
pub fn residuals_caption(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `Row held out`
pub fn without_row(language: Language) -> &'static str {
    AREA.plain(language, 49)
}

/// `Model held out`
pub fn without_model(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `Decode: how far the fit is off`
pub fn decode_chart(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `Prefill: how far the fit is off`
pub fn prefill_chart(language: Language) -> &'static str {
    AREA.plain(language, 52)
}

/// `measured tok/s`
pub fn measured_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 53)
}

/// `predicted against measured, %`
pub fn predicted_against_measured(language: Language) -> &'static str {
    AREA.plain(language, 54)
}

/// `run`
pub fn legend_run(language: Language) -> &'static str {
    AREA.plain(language, 55)
}

/// `{ $engine } on { $hardware }`
pub fn title(language: Language, engine: &str, hardware: &str) -> String {
    AREA.filled(
        language,
        56,
        &[("engine", engine.into()), ("hardware", hardware.into())],
    )
}

/// `{ $count } × { $name }`
pub fn several(language: Language, count: &str, name: &str) -> String {
    AREA.filled(
        language,
        57,
        &[("count", count.into()), ("name", name.into())],
    )
}

/// `{ $hardware }, limits taken off`
pub fn hardware_unlocked(language: Language, hardware: &str) -> String {
    AREA.filled(language, 58, &[("hardware", hardware.into())])
}

/// `Fitted to { $runs } of this site. Kernels: { $kernels }. Cache types: { $caches }.`
pub fn summary_here(language: Language, runs: &str, kernels: &str, caches: &str) -> String {
    AREA.filled(
        language,
        59,
        &[
            ("runs", runs.into()),
            ("kernels", kernels.into()),
            ("caches", caches.into()),
        ],
    )
}

/// `Fitted to { $runs } that others made public; it came with the program. Kernels: { $kernels }. Cache types: { $caches }.`
pub fn summary_bundled(language: Language, runs: &str, kernels: &str, caches: &str) -> String {
    AREA.filled(
        language,
        60,
        &[
            ("runs", runs.into()),
            ("kernels", kernels.into()),
            ("caches", caches.into()),
        ],
    )
}

/// `{ $median } / { $p90 }`
pub fn errors(language: Language, median: &str, p90: &str) -> String {
    AREA.filled(
        language,
        61,
        &[("median", median.into()), ("p90", p90.into())],
    )
}
