// Written by `cargo xtask text`; change the catalogues instead.

//! A run beside its prediction.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "title",
        "caption",
        "scale",
        "not-possible",
        "predicted",
        "predicted-short",
        "the-path",
        "details",
        "details-caption",
        "curves",
        "prefill-curve",
        "requests-at-once",
        "total-tok-s",
        "prompt-tok-s",
        "context",
        "prefill",
        "decode",
        "curves-note",
        "phase",
        "measured",
        "prediction",
        "band",
        "error",
        "held-out",
        "fits",
        "outside",
        "step-below",
        "step-between",
        "step-within",
        "step-above",
        "source",
        "source-estimate",
        "source-fitted",
        "seen-only-this",
        "seen-this",
        "seen-model",
        "seen-neither",
        "not-enough",
        "errors",
        "errors-held-out",
        "capacity",
        "simulated",
        "not-validated",
        "came-refused",
        "came-waited",
        "came-ran",
        "said-fits",
        "said-open",
        "said-no-room",
        "came-and-said",
        "short-fits",
        "short-no-room",
        "point",
        "only-predicted",
    ],
    [
        include_str!("../../catalogues/en/predicted.ftl"),
        include_str!("../../catalogues/ja/predicted.ftl"),
        include_str!("../../catalogues/ko/predicted.ftl"),
        include_str!("../../catalogues/zh/predicted.ftl"),
    ],
);

/// `Predicted and measured`
pub fn title(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `total tok/s: measured, predicted, and how far the prediction is off`
pub fn caption(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Colour: predicted against measured`
pub fn scale(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `The decode calculator cannot predict this run:`
pub fn not_possible(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `predicted`
pub fn predicted(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `calc`
pub fn predicted_short(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Runs, constants and errors of this path`
pub fn the_path(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Every figure with its band`
pub fn details(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Tokens a second. Nine of ten results are expected within the band; the error is predicted over measured. Held out: the error of a fit that knew the run, but not this row of contexts.`
pub fn details_caption(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Measured points over predicted lines`
pub fn curves(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Prefill: measured points over the predicted line`
pub fn prefill_curve(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `requests at once`
pub fn requests_at_once(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `total tok/s`
pub fn total_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `prompt tok/s`
pub fn prompt_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `context`
pub fn context(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Prefill`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `Decode`
pub fn decode(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Lines are predictions, shaded is where 9 of 10 results are expected, points were measured.`
pub fn curves_note(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Phase`
pub fn phase(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `Measured`
pub fn measured(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Predicted`
pub fn prediction(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `90 % band`
pub fn band(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `Error`
pub fn error(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Held out`
pub fn held_out(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Fits`
pub fn fits(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `outside the band`
pub fn outside(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `below { $far } %`
pub fn step_below(language: Language, far: &str) -> String {
    AREA.filled(language, 26, &[("far", far.into())])
}

/// `{ $low } to { $high } %`
pub fn step_between(language: Language, low: &str, high: &str) -> String {
    AREA.filled(language, 27, &[("low", low.into()), ("high", high.into())])
}

/// `within { $near } %`
pub fn step_within(language: Language, near: &str) -> String {
    AREA.filled(language, 28, &[("near", near.into())])
}

/// `above { $far } %`
pub fn step_above(language: Language, far: &str) -> String {
    AREA.filled(language, 29, &[("far", far.into())])
}

/// `Predicted by the decode calculator for { $path }, { $kernels } kernels, { $cache } cache`
pub fn source(language: Language, path: &str, kernels: &str, cache: &str) -> String {
    AREA.filled(
        language,
        30,
        &[
            ("path", path.into()),
            ("kernels", kernels.into()),
            ("cache", cache.into()),
        ],
    )
}

/// `{ $source }: an estimate from datasheets and published kernels, since no run of this engine on this accelerator has been fitted.`
pub fn source_estimate(language: Language, source: &str) -> String {
    AREA.filled(language, 31, &[("source", source.into())])
}

/// `{ $source }: constants fitted to { $runs }{ $seen }{ $enough }.`
pub fn source_fitted(
    language: Language,
    source: &str,
    runs: &str,
    seen: &str,
    enough: &str,
) -> String {
    AREA.filled(
        language,
        32,
        &[
            ("source", source.into()),
            ("runs", runs.into()),
            ("seen", seen.into()),
            ("enough", enough.into()),
        ],
    )
}

/// `, which is this one`
pub fn seen_only_this(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `, this one among them`
pub fn seen_this(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `, this one not among them, but one of the same model`
pub fn seen_model(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `, neither this one nor one of the same model among them`
pub fn seen_neither(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `; they tell too little of these kernels and this cache, so the band is that of an estimate`
pub fn not_enough(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `{ $kind }: median error { $median }, 9 of 10 within { $p90 }; { $inside } of { $figures } lie in the 90 % band.`
pub fn errors(
    language: Language,
    kind: &str,
    median: &str,
    p90: &str,
    inside: &str,
    figures: &str,
) -> String {
    AREA.filled(
        language,
        38,
        &[
            ("kind", kind.into()),
            ("median", median.into()),
            ("p90", p90.into()),
            ("inside", inside.into()),
            ("figures", figures.into()),
        ],
    )
}

/// `{ $kind }: median error { $median }, 9 of 10 within { $p90 } (by fits that did not know the row of contexts: { $heldmedian } and { $heldp90 }); { $inside } of { $figures } lie in the 90 % band.`
#[expect(clippy::too_many_arguments, reason = "a sentence with so many figures")]
pub fn errors_held_out(
    language: Language,
    kind: &str,
    median: &str,
    p90: &str,
    heldmedian: &str,
    heldp90: &str,
    inside: &str,
    figures: &str,
) -> String {
    AREA.filled(
        language,
        39,
        &[
            ("kind", kind.into()),
            ("median", median.into()),
            ("p90", p90.into()),
            ("heldmedian", heldmedian.into()),
            ("heldp90", heldp90.into()),
            ("inside", inside.into()),
            ("figures", figures.into()),
        ],
    )
}

/// `Which cells fit, from sizes alone: { $right } of { $all } foretold rightly, { $borderline } left open, { $wrong } wrongly.`
pub fn capacity(
    language: Language,
    right: &str,
    all: &str,
    borderline: &str,
    wrong: &str,
) -> String {
    AREA.filled(
        language,
        40,
        &[
            ("right", right.into()),
            ("all", all.into()),
            ("borderline", borderline.into()),
            ("wrong", wrong.into()),
        ],
    )
}

/// `The server was simulated: this compares two models, not a model with a machine.`
pub fn simulated(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `Formulas for several accelerators were not held against measurements.`
pub fn not_validated(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `not let in`
pub fn came_refused(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `some waited`
pub fn came_waited(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `ran`
pub fn came_ran(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `said to fit`
pub fn said_fits(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `left open`
pub fn said_open(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `said not to fit`
pub fn said_no_room(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `{ $came }, { $said }`
pub fn came_and_said(language: Language, came: &str, said: &str) -> String {
    AREA.filled(
        language,
        49,
        &[("came", came.into()), ("said", said.into())],
    )
}

/// `calc: fits`
pub fn short_fits(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `calc: no room`
pub fn short_no_room(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `measured { $measured }, predicted { $predicted } ({ $error }), 90 % band { $low } to { $high }`
pub fn point(
    language: Language,
    measured: &str,
    predicted: &str,
    error: &str,
    low: &str,
    high: &str,
) -> String {
    AREA.filled(
        language,
        52,
        &[
            ("measured", measured.into()),
            ("predicted", predicted.into()),
            ("error", error.into()),
            ("low", low.into()),
            ("high", high.into()),
        ],
    )
}

/// `predicted { $predicted }, 90 % band { $low } to { $high }`
pub fn only_predicted(language: Language, predicted: &str, low: &str, high: &str) -> String {
    AREA.filled(
        language,
        53,
        &[
            ("predicted", predicted.into()),
            ("low", low.into()),
            ("high", high.into()),
        ],
    )
}
