//! Words about the paths of the calculator: what was fitted, to which runs, how well.

use super::predicted::counted;

pub(crate) const LIST: &str = "Calibrated paths";
pub(crate) const LIST_TEXT: &str = "A path is an engine on an accelerator. The constants of the decode calculator belong to it: some \
     hold for kernels of one kind or a cache of one type. Each is fitted to measured runs, and the \
     errors that count are those of figures that the fit did not know.";
pub(crate) const NONE: &str = "No path has runs yet.";
pub(crate) const KICKER: &str = "Calibration";
pub(crate) const BACK: &str = "All calibrated paths";

pub(crate) const ENGINE: &str = "Engine";
pub(crate) const HARDWARE: &str = "Hardware";
pub(crate) const KERNELS: &str = "Kernels";
pub(crate) const CACHES: &str = "Cache types";
pub(crate) const RUNS: &str = "Runs";
pub(crate) const DECODE: &str = "Decode";
pub(crate) const DECODE_ROWS: &str = "Decode, rows held out";
pub(crate) const DECODE_MODELS: &str = "Decode, models held out";
pub(crate) const PREFILL: &str = "Prefill";
pub(crate) const PREFILL_MODELS: &str = "Prefill, models held out";
pub(crate) const LIST_CAPTION: &str =
    "Errors are median / 9 of 10, absolute, predicted against measured.";

pub(crate) const HERE: &str = "fitted to runs of this site";
pub(crate) const BUNDLED: &str = "came with the program";
pub(crate) const UNLOCKED: &str = "limits taken off";

pub(crate) const ERRORS: &str = "How accurate it is";
pub(crate) const ERRORS_CAPTION: &str =
    "Absolute errors, predicted against measured, by what the fit knew.";
pub(crate) const KNEW: &str = "What the fit knew";
pub(crate) const FIGURES: &str = "Figures";
pub(crate) const MEDIAN: &str = "Median";
pub(crate) const P90: &str = "9 of 10";
pub(crate) const LARGEST: &str = "Largest";
pub(crate) const FITTED: &str = "these figures";
pub(crate) const ROWS_OUT: &str = "all but the row of contexts";
pub(crate) const MODELS_OUT: &str = "nothing of the model";

pub(crate) const RUNS_TITLE: &str = "Runs";
pub(crate) const RUNS_CAPTION: &str = "Errors of each run with the constants below: median / 9 of 10. A run that was not fitted is an \
     honest test.";
pub(crate) const RUN: &str = "Run";
pub(crate) const MODEL: &str = "Model's layers";
pub(crate) const IN_FIT: &str = "In the fit";
pub(crate) const YES: &str = "yes";
pub(crate) const NO: &str = "no";

pub(crate) const CONSTANTS: &str = "Constants";
pub(crate) const CONSTANTS_CAPTION: &str = "Before the runs: what is believed from published measurements, and the fit pulls towards. \
     Between: one standard error to both sides.";
pub(crate) const CONSTANT: &str = "Constant";
pub(crate) const SYMBOL: &str = "Symbol";
pub(crate) const SCOPE: &str = "Holds for";
pub(crate) const EVERYTHING: &str = "the whole path";
pub(crate) const VALUE: &str = "Fitted";
pub(crate) const BETWEEN: &str = "Between";
pub(crate) const BELIEVED: &str = "Before the runs";
pub(crate) const BECAUSE: &str = "Because";

pub(crate) const RESIDUALS: &str = "Residuals";
pub(crate) const RESIDUALS_DETAILS: &str = "Every figure of the fit";
pub(crate) const RESIDUALS_CAPTION: &str = "Predicted over measured, less 1: of the fit, and of fits that did not know the row or the model.";
pub(crate) const WITHOUT_ROW: &str = "Row held out";
pub(crate) const WITHOUT_MODEL: &str = "Model held out";
pub(crate) const DECODE_CHART: [&str; 4] = [
    "Decode: how far the fit is off",
    "measured tok/s",
    "predicted against measured, %",
    "run",
];
pub(crate) const PREFILL_CHART: [&str; 4] = [
    "Prefill: how far the fit is off",
    "measured tok/s",
    "predicted against measured, %",
    "run",
];

/// `vLLM on NVIDIA RTX 3090, limits taken off`.
pub(crate) fn title(engine: &str, hardware: &str) -> String {
    format!("{engine} on {hardware}")
}

/// `RTX 3090`, `2 × RTX 3090, limits taken off`.
pub(crate) fn hardware(name: &str, count: u32, unlocked: bool) -> String {
    let count = match count {
        0 | 1 => String::new(),
        count => format!("{count} × "),
    };
    let unlocked = if unlocked {
        format!(", {UNLOCKED}")
    } else {
        String::new()
    };
    format!("{count}{name}{unlocked}")
}

/// The page in a sentence.
pub(crate) fn summary(runs: usize, here: bool, kernels: &str, caches: &str) -> String {
    let runs = counted(runs, "run", "runs");
    let from = if here {
        format!("Fitted to {runs} of this site")
    } else {
        format!("Fitted to {runs} that others made public; it came with the program")
    };
    format!("{from}. Kernels: {kernels}. Cache types: {caches}.")
}

/// `1.2 % / 3.4 %`.
pub(crate) fn errors(median: &str, p90: &str) -> String {
    format!("{median} / {p90}")
}
