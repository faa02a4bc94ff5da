// Written by `cargo xtask text`; change the catalogues instead.

//! Titles, axes and legends of the charts.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "total",
        "per-request",
        "prefill",
        "gaps",
        "between",
        "requests-at-once",
        "context-tokens",
        "total-tok-s",
        "tok-s-per-request",
        "prompt-tok-s",
        "ms",
        "context",
        "at-once",
        "rate",
        "less-fixed",
        "measured",
        "percentile",
        "point",
    ],
    [
        include_str!("../../catalogues/en/chart.ftl"),
        include_str!("../../catalogues/ja/chart.ftl"),
        include_str!("../../catalogues/ko/chart.ftl"),
        include_str!("../../catalogues/zh/chart.ftl"),
    ],
);

/// `Total rate by requests`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Rate of one request by context`
pub fn per_request(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Prefill by context`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Gaps between events, median and 99th percentile`
pub fn gaps(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Time between tokens by requests`
pub fn between(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `requests at once`
pub fn requests_at_once(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `context, tokens`
pub fn context_tokens(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `total tok/s`
pub fn total_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `tok/s per request`
pub fn tok_s_per_request(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `prompt tok/s`
pub fn prompt_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `ms`
pub fn ms(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Context`
pub fn context(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `At once`
pub fn at_once(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Rate`
pub fn rate(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `without the fixed part of TTFT`
pub fn less_fixed(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `median`
pub fn measured(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `{ $context }, { $percentile }`
pub fn percentile(language: Language, context: &str, percentile: &str) -> String {
    AREA.filled(
        language,
        16,
        &[
            ("context", context.into()),
            ("percentile", percentile.into()),
        ],
    )
}

/// `context { $context }, { $requests } requests: { $value }`
pub fn point(language: Language, context: &str, requests: u64, value: &str) -> String {
    AREA.filled(
        language,
        17,
        &[
            ("context", context.into()),
            ("requests", requests.into()),
            ("value", value.into()),
        ],
    )
}
