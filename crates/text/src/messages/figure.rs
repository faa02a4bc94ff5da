// Written by `cargo xtask text`; change the catalogues instead.

//! The page of a run: lines with figures in them.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "by",
        "context",
        "contexts",
        "levels",
        "no-contexts",
        "no-levels",
        "extent",
        "prefill-at",
        "at-cell",
        "highest-at",
        "single-stream",
        "prefill-figure",
        "longest-figure",
        "valid-cells",
        "capacity-expected",
        "capacity-reserve",
        "capacity-try",
        "fixed-duration",
        "fixed-requests",
        "repetitions",
        "budget-over",
        "budget-from",
        "admission",
        "on",
        "off",
        "one-document",
        "prompts-shared",
        "of-so-many",
        "rate-with-interval",
        "rate",
        "because",
        "energy-counter",
        "energy-trapezoid",
        "energy-shared",
        "per-output-token",
        "per-prompt-token",
        "energy",
        "energy-at-rest",
        "failure",
        "failure-status",
        "sample-first",
        "sample-cold",
        "sample-unverified",
        "sample-partly-cached",
        "sample-cached",
    ],
    [
        include_str!("../../catalogues/en/figure.ftl"),
        include_str!("../../catalogues/ja/figure.ftl"),
        include_str!("../../catalogues/ko/figure.ftl"),
        include_str!("../../catalogues/zh/figure.ftl"),
    ],
);

/// `by { $name }`
pub fn by(language: Language, name: &str) -> String {
    AREA.filled(language, 0, &[("name", name.into())])
}

/// `{ $label } context`
pub fn context(language: Language, label: &str) -> String {
    AREA.filled(language, 1, &[("label", label.into())])
}

/// `{ $count } contexts ({ $range })`
pub fn contexts(language: Language, count: u64, range: &str) -> String {
    AREA.filled(
        language,
        2,
        &[("count", count.into()), ("range", range.into())],
    )
}

/// `{ $count } concurrency levels ({ $range })`
pub fn levels(language: Language, count: u64, range: &str) -> String {
    AREA.filled(
        language,
        3,
        &[("count", count.into()), ("range", range.into())],
    )
}

/// `0 contexts`
pub fn no_contexts(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `0 concurrency levels`
pub fn no_levels(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `{ $contexts } × { $levels }`
pub fn extent(language: Language, contexts: &str, levels: &str) -> String {
    AREA.filled(
        language,
        6,
        &[("contexts", contexts.into()), ("levels", levels.into())],
    )
}

/// `prefill at { $contexts }`
pub fn prefill_at(language: Language, contexts: &str) -> String {
    AREA.filled(language, 7, &[("contexts", contexts.into())])
}

/// `at { $requests } requests, context { $context }`
pub fn at_cell(language: Language, requests: u64, context: &str) -> String {
    AREA.filled(
        language,
        8,
        &[("requests", requests.into()), ("context", context.into())],
    )
}

/// `highest total at { $requests } requests, context { $context }`
pub fn highest_at(language: Language, requests: u64, context: &str) -> String {
    AREA.filled(
        language,
        9,
        &[("requests", requests.into()), ("context", context.into())],
    )
}

/// `decode, one request, context { $context }`
pub fn single_stream(language: Language, context: &str) -> String {
    AREA.filled(language, 10, &[("context", context.into())])
}

/// `prefill, context { $context }`
pub fn prefill_figure(language: Language, context: &str) -> String {
    AREA.filled(language, 11, &[("context", context.into())])
}

/// `longest valid context, { $context }, { $requests } requests`
pub fn longest_figure(language: Language, context: &str, requests: u64) -> String {
    AREA.filled(
        language,
        12,
        &[("context", context.into()), ("requests", requests.into())],
    )
}

/// `of { $all } cells valid`
pub fn valid_cells(language: Language, all: u64) -> String {
    AREA.filled(language, 13, &[("all", all.into())])
}

/// `expected (prompts and expected output must fit)`
pub fn capacity_expected(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `reserve (context and longest output, for every request)`
pub fn capacity_reserve(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `try (every cell is run)`
pub fn capacity_try(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Fixed duration`
pub fn fixed_duration(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Fixed number of requests`
pub fn fixed_requests(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `Repetitions of a test`
pub fn repetitions(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `{ $tokens } over { $ranks } ranks`
pub fn budget_over(language: Language, tokens: &str, ranks: &str) -> String {
    AREA.filled(
        language,
        20,
        &[("tokens", tokens.into()), ("ranks", ranks.into())],
    )
}

/// `{ $budget }, from { $source }`
pub fn budget_from(language: Language, budget: &str, source: &str) -> String {
    AREA.filled(
        language,
        21,
        &[("budget", budget.into()), ("source", source.into())],
    )
}

/// `{ $limit } requests at once`
pub fn admission(language: Language, limit: u64) -> String {
    AREA.filled(language, 22, &[("limit", limit.into())])
}

/// `on`
pub fn on(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `off`
pub fn off(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `one document shared by all requests`
pub fn one_document(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `{ $prompts }; one document shared by all requests`
pub fn prompts_shared(language: Language, prompts: &str) -> String {
    AREA.filled(language, 26, &[("prompts", prompts.into())])
}

/// `{ $value } (n = { $n })`
pub fn of_so_many(language: Language, value: &str, n: &str) -> String {
    AREA.filled(language, 27, &[("value", value.into()), ("n", n.into())])
}

/// `{ $rate } tok/s, 95 % interval { $interval }`
pub fn rate_with_interval(language: Language, rate: &str, interval: &str) -> String {
    AREA.filled(
        language,
        28,
        &[("rate", rate.into()), ("interval", interval.into())],
    )
}

/// `{ $rate } tok/s`
pub fn rate(language: Language, rate: &str) -> String {
    AREA.filled(language, 29, &[("rate", rate.into())])
}

/// `{ $place } ({ $reason })`
pub fn because(language: Language, place: &str, reason: &str) -> String {
    AREA.filled(
        language,
        30,
        &[("place", place.into()), ("reason", reason.into())],
    )
}

/// `the devices' counters`
pub fn energy_counter(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `power over time`
pub fn energy_trapezoid(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `{ $method }, whole card, shared`
pub fn energy_shared(language: Language, method: &str) -> String {
    AREA.filled(language, 33, &[("method", method.into())])
}

/// `{ $joules } per output token`
pub fn per_output_token(language: Language, joules: &str) -> String {
    AREA.filled(language, 34, &[("joules", joules.into())])
}

/// `{ $joules } per prompt token`
pub fn per_prompt_token(language: Language, joules: &str) -> String {
    AREA.filled(language, 35, &[("joules", joules.into())])
}

/// `Energy of the accelerators: { $parts }.`
pub fn energy(language: Language, parts: &str) -> String {
    AREA.filled(language, 36, &[("parts", parts.into())])
}

/// `Energy of the accelerators: { $parts }; the { $watts } at rest are part of it.`
pub fn energy_at_rest(language: Language, parts: &str, watts: &str) -> String {
    AREA.filled(
        language,
        37,
        &[("parts", parts.into()), ("watts", watts.into())],
    )
}

/// `{ $count } × { $class }: { $sample }`
pub fn failure(language: Language, count: &str, class: &str, sample: &str) -> String {
    AREA.filled(
        language,
        38,
        &[
            ("count", count.into()),
            ("class", class.into()),
            ("sample", sample.into()),
        ],
    )
}

/// `{ $count } × { $class } { $status }: { $sample }`
pub fn failure_status(
    language: Language,
    count: &str,
    class: &str,
    status: &str,
    sample: &str,
) -> String {
    AREA.filled(
        language,
        39,
        &[
            ("count", count.into()),
            ("class", class.into()),
            ("status", status.into()),
            ("sample", sample.into()),
        ],
    )
}

/// `first, not counted`
pub fn sample_first(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `cold`
pub fn sample_cold(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `cache unverified`
pub fn sample_unverified(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `partly cached`
pub fn sample_partly_cached(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `{ $share } cached`
pub fn sample_cached(language: Language, share: &str) -> String {
    AREA.filled(language, 44, &[("share", share.into())])
}
