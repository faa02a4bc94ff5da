// Written by `cargo xtask text`; change the catalogues instead.

//! Runs beside one another.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "settings",
        "same-settings",
        "unmatched",
        "rules",
        "baseline",
        "nothing",
        "change",
        "interval",
        "metric-total",
        "metric-per-request",
        "metric-ttft",
        "metric-itl",
        "metric-prefill",
        "metric-energy",
        "change-interval",
        "worse",
        "better",
        "none-shared",
        "lower",
        "higher",
        "change-and-interval",
        "not-enough",
        "within-noise",
        "noise-assumed",
        "noise-passes",
        "noise-measured",
        "tally",
        "has-value",
        "not-in-plan",
        "label-status",
        "unmatched-place",
        "mixed",
        "rule-holds",
        "rule-not-enough",
        "rule-broken",
    ],
    [
        include_str!("../../catalogues/en/compare.ftl"),
        include_str!("../../catalogues/ja/compare.ftl"),
        include_str!("../../catalogues/ko/compare.ftl"),
        include_str!("../../catalogues/zh/compare.ftl"),
    ],
);

/// `Settings that differ`
pub fn settings(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `No setting differs.`
pub fn same_settings(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Not compared`
pub fn unmatched(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Rules`
pub fn rules(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `baseline`
pub fn baseline(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `No cell has a value in every run.`
pub fn nothing(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `change`
pub fn change(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `95 % interval`
pub fn interval(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `total tok/s`
pub fn metric_total(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `per request tok/s`
pub fn metric_per_request(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `TTFT`
pub fn metric_ttft(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `time between tokens`
pub fn metric_itl(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `prefill tok/s`
pub fn metric_prefill(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `J per output token`
pub fn metric_energy(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `{ $low } to { $high }`
pub fn change_interval(language: Language, low: &str, high: &str) -> String {
    AREA.filled(language, 14, &[("low", low.into()), ("high", high.into())])
}

/// `worse`
pub fn worse(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `better`
pub fn better(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `{ $new }'s { $metric } cannot be compared with { $base }'s: no cell has both.`
pub fn none_shared(language: Language, new: &str, metric: &str, base: &str) -> String {
    AREA.filled(
        language,
        17,
        &[
            ("new", new.into()),
            ("metric", metric.into()),
            ("base", base.into()),
        ],
    )
}

/// `{ $new }'s { $metric } is { $size } % ({ $near } to { $far }) lower than { $base }'s over { $cells }: { $judged }.`
#[expect(clippy::too_many_arguments, reason = "a sentence with so many figures")]
pub fn lower(
    language: Language,
    new: &str,
    metric: &str,
    size: &str,
    near: &str,
    far: &str,
    base: &str,
    cells: &str,
    judged: &str,
) -> String {
    AREA.filled(
        language,
        18,
        &[
            ("new", new.into()),
            ("metric", metric.into()),
            ("size", size.into()),
            ("near", near.into()),
            ("far", far.into()),
            ("base", base.into()),
            ("cells", cells.into()),
            ("judged", judged.into()),
        ],
    )
}

/// `{ $new }'s { $metric } is { $size } % ({ $near } to { $far }) higher than { $base }'s over { $cells }: { $judged }.`
#[expect(clippy::too_many_arguments, reason = "a sentence with so many figures")]
pub fn higher(
    language: Language,
    new: &str,
    metric: &str,
    size: &str,
    near: &str,
    far: &str,
    base: &str,
    cells: &str,
    judged: &str,
) -> String {
    AREA.filled(
        language,
        19,
        &[
            ("new", new.into()),
            ("metric", metric.into()),
            ("size", size.into()),
            ("near", near.into()),
            ("far", far.into()),
            ("base", base.into()),
            ("cells", cells.into()),
            ("judged", judged.into()),
        ],
    )
}

/// `{ $change } ({ $interval })`
pub fn change_and_interval(language: Language, change: &str, interval: &str) -> String {
    AREA.filled(
        language,
        20,
        &[("change", change.into()), ("interval", interval.into())],
    )
}

/// `Not enough data to tell { $new }'s { $metric } from { $base }'s: { $figures } over { $cells } may be noise of two single runs.`
pub fn not_enough(
    language: Language,
    new: &str,
    metric: &str,
    base: &str,
    figures: &str,
    cells: &str,
) -> String {
    AREA.filled(
        language,
        21,
        &[
            ("new", new.into()),
            ("metric", metric.into()),
            ("base", base.into()),
            ("figures", figures.into()),
            ("cells", cells.into()),
        ],
    )
}

/// `{ $new }'s { $metric } is { $base }'s within the noise of their runs: { $figures } over { $cells }.`
pub fn within_noise(
    language: Language,
    new: &str,
    metric: &str,
    base: &str,
    figures: &str,
    cells: &str,
) -> String {
    AREA.filled(
        language,
        22,
        &[
            ("new", new.into()),
            ("metric", metric.into()),
            ("base", base.into()),
            ("figures", figures.into()),
            ("cells", cells.into()),
        ],
    )
}

/// `One run on each side: a run is assumed to vary by { $sd } (standard deviation) from run to run. Repeated runs in one folder make it a measured one.`
pub fn noise_assumed(language: Language, sd: &str) -> String {
    AREA.filled(language, 23, &[("sd", sd.into())])
}

/// `The noise is the spread of the passes inside each run, and { $least } a run (standard deviation), which they cannot show.`
pub fn noise_passes(language: Language, least: &str) -> String {
    AREA.filled(language, 24, &[("least", least.into())])
}

/// `The noise is the spread of the repeated runs, and at least { $least } a run (standard deviation).`
pub fn noise_measured(language: Language, least: &str) -> String {
    AREA.filled(language, 25, &[("least", least.into())])
}

/// `{ $worse } worse, { $better } better, each for itself, corrected by Holm's rule for how many were looked at.`
pub fn tally(language: Language, worse: &str, better: &str) -> String {
    AREA.filled(
        language,
        26,
        &[("worse", worse.into()), ("better", better.into())],
    )
}

/// `{ $label } has a value`
pub fn has_value(language: Language, label: &str) -> String {
    AREA.filled(language, 27, &[("label", label.into())])
}

/// `{ $label } did not plan it`
pub fn not_in_plan(language: Language, label: &str) -> String {
    AREA.filled(language, 28, &[("label", label.into())])
}

/// `{ $label } { $status }`
pub fn label_status(language: Language, label: &str, status: &str) -> String {
    AREA.filled(
        language,
        29,
        &[("label", label.into()), ("status", status.into())],
    )
}

/// `{ $context } x { $requests }: { $base }, { $new }`
pub fn unmatched_place(
    language: Language,
    context: &str,
    requests: &str,
    base: &str,
    new: &str,
) -> String {
    AREA.filled(
        language,
        30,
        &[
            ("context", context.into()),
            ("requests", requests.into()),
            ("base", base.into()),
            ("new", new.into()),
        ],
    )
}

/// `The runs of { $label } are no repeats of one another: they differ in { $settings }.`
pub fn mixed(language: Language, label: &str, settings: &str) -> String {
    AREA.filled(
        language,
        31,
        &[("label", label.into()), ("settings", settings.into())],
    )
}

/// `holds`
pub fn rule_holds(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `not enough data`
pub fn rule_not_enough(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `broken`
pub fn rule_broken(language: Language) -> &'static str {
    AREA.plain(language, 34)
}
