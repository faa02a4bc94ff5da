//! Words about a run beside its prediction.

use tokmark_units::format;

pub(crate) const TITLE: &str = "Predicted and measured";
pub(crate) const CAPTION: &str =
    "total tok/s: measured, predicted, and how far the prediction is off";
pub(crate) const SCALE: &str = "Colour: predicted against measured";
pub(crate) const NOT_POSSIBLE: &str = "The decode calculator cannot predict this run:";
pub(crate) const PREDICTED: &str = "predicted";
pub(crate) const PREDICTED_SHORT: &str = "calc";
pub(crate) const THE_PATH: &str = "Runs, constants and errors of this path";
pub(crate) const DETAILS: &str = "Every figure with its band";
pub(crate) const DETAILS_CAPTION: &str = "Tokens a second. Nine of ten results are expected within the band; the error is predicted \
     over measured. Held out: the error of a fit that knew the run, but not this row of contexts.";
pub(crate) const CURVES: [&str; 4] = [
    "Measured points over predicted lines",
    "requests at once",
    "total tok/s",
    "context",
];
pub(crate) const PREFILL_CURVE: [&str; 4] = [
    "Prefill: measured points over the predicted line",
    "context",
    "prompt tok/s",
    "",
];
pub(crate) const PREFILL: &str = "Prefill";
pub(crate) const CURVES_NOTE: &str =
    "Lines are predictions, shaded is where 9 of 10 results are expected, points were measured.";

pub(crate) const PHASE: &str = "Phase";
pub(crate) const MEASURED: &str = "Measured";
pub(crate) const PREDICTION: &str = "Predicted";
pub(crate) const BAND: &str = "90 % band";
pub(crate) const ERROR: &str = "Error";
pub(crate) const HELD_OUT: &str = "Held out";
pub(crate) const FITS: &str = "Fits";
pub(crate) const OUTSIDE: &str = "outside the band";

/// Edges of the colour scale: predicted too low on the left, too high on the right.
pub(crate) const STEPS: [&str; 7] = [
    "below −20 %",
    "−20 to −10 %",
    "−10 to −4 %",
    "within ±4 %",
    "+4 to +10 %",
    "+10 to +20 %",
    "above +20 %",
];

/// Where a prediction comes from.
pub(crate) struct Source<'a> {
    pub(crate) engine: &'a str,
    /// The accelerator in words.
    pub(crate) hardware: &'a str,
    pub(crate) kernels: &'a str,
    pub(crate) cache: &'a str,
    pub(crate) calibrated: bool,
    pub(crate) runs: usize,
    pub(crate) has_this_run: bool,
    pub(crate) has_this_model: bool,
}

/// `Predicted for vLLM on … : constants fitted to 3 runs, this one among them.`
pub(crate) fn source(source: &Source<'_>) -> String {
    let path = format!(
        "Predicted by the decode calculator for {}, {} kernels, {} cache",
        super::paths::title(source.engine, source.hardware),
        source.kernels,
        source.cache
    );
    if !source.calibrated && source.runs == 0 {
        return format!(
            "{path}: an estimate from datasheets and published kernels, since no run of this engine \
             on this accelerator has been fitted."
        );
    }
    let runs = counted(source.runs, "run", "runs");
    let seen = match (source.has_this_run, source.has_this_model) {
        (true, _) if source.runs == 1 => ", which is this one",
        (true, _) => ", this one among them",
        (false, true) => ", this one not among them, but one of the same model",
        (false, false) => ", neither this one nor one of the same model among them",
    };
    let enough = if source.calibrated {
        ""
    } else {
        "; they tell too little of these kernels and this cache, so the band is that of an estimate"
    };
    format!("{path}: constants fitted to {runs}{seen}{enough}.")
}

/// Errors of one kind.
pub(crate) struct Errors {
    pub(crate) figures: usize,
    pub(crate) in_band: usize,
    pub(crate) median: f64,
    pub(crate) p90: f64,
    pub(crate) held_out: Option<(f64, f64)>,
}

/// `Decode: median error 1.2 %, 9 of 10 within 3.4 %; …`.
pub(crate) fn errors(kind: &str, errors: &Errors) -> String {
    let mut text = format!(
        "{kind}: median error {}, 9 of 10 within {}",
        format::percent(errors.median),
        format::percent(errors.p90)
    );
    if let Some((median, p90)) = errors.held_out {
        text.push_str(&format!(
            " (by fits that did not know the row of contexts: {} and {})",
            format::percent(median),
            format::percent(p90)
        ));
    }
    text.push_str(&format!(
        "; {} of {} lie in the 90 % band.",
        errors.in_band,
        counted(errors.figures, "figure", "figures")
    ));
    text
}

/// Which cells ran, and whether the sizes alone say so.
pub(crate) fn capacity(right: usize, borderline: usize, wrong: usize) -> String {
    format!(
        "Which cells fit, from sizes alone: {right} of {} foretold rightly, {borderline} left open, \
         {wrong} wrongly.",
        right + borderline + wrong
    )
}

pub(crate) const SIMULATED: &str =
    "The server was simulated: this compares two models, not a model with a machine.";
pub(crate) const NOT_VALIDATED: &str = "Formulas for several accelerators were not held against \
     measurements.";

/// What became of a cell's requests against what was said.
pub(crate) fn fits(came: &str, predicted: &str) -> String {
    let came = match came {
        "refused" => "not let in",
        "waited" => "some waited",
        _ => "ran",
    };
    let predicted = match predicted {
        "fits" => "said to fit",
        "borderline" => "left open",
        _ => "said not to fit",
    };
    format!("{came}, {predicted}")
}

/// For a cell of a terminal's table, where the memory model was wrong.
pub(crate) fn fits_short(predicted: &str) -> &'static str {
    match predicted {
        "fits" => "calc: fits",
        _ => "calc: no room",
    }
}

/// `measured 145.0, predicted 141.2 (−2.6 %), 90 % band 137.0 to 145.5`.
pub(crate) fn point(measured: &str, predicted: &str, error: &str, low: &str, high: &str) -> String {
    format!("measured {measured}, predicted {predicted} ({error}), 90 % band {low} to {high}")
}

/// `predicted 141.2, 90 % band 137.0 to 145.5`.
pub(crate) fn only_predicted(predicted: &str, low: &str, high: &str) -> String {
    format!("predicted {predicted}, 90 % band {low} to {high}")
}

/// `137.0 to 145.5`.
pub(crate) fn range(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}

/// `1 run`, `3 runs`.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    }
}
