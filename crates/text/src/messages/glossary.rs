// Written by `cargo xtask text`; change the catalogues instead.

//! The numbers of a run page, defined in one sentence each.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "total",
        "total-text",
        "per-request",
        "per-request-text",
        "ttft",
        "ttft-text",
        "between-tokens",
        "between-tokens-text",
        "average-active",
        "average-active-text",
        "interval",
        "interval-text",
        "prefill",
        "prefill-text",
        "energy",
        "energy-text",
        "roofline",
        "roofline-text",
    ],
    [
        include_str!("../../catalogues/en/glossary.ftl"),
        include_str!("../../catalogues/ja/glossary.ftl"),
        include_str!("../../catalogues/ko/glossary.ftl"),
        include_str!("../../catalogues/zh/glossary.ftl"),
    ],
);

/// `Total tok/s`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `tokens that arrived inside the window, over the window's length, all requests together.`
pub fn total_text(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Per request tok/s`
pub fn per_request(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `the median over requests of each one's own rate inside the window.`
pub fn per_request_text(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `TTFT`
pub fn ttft(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `from sending a request to its first token: the median over the requests of a cell, which all start at once; in prefill one request alone, with nothing cached.`
pub fn ttft_text(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Time between tokens`
pub fn between_tokens(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `1,000 divided by per request tok/s, in milliseconds.`
pub fn between_tokens_text(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Average active requests`
pub fn average_active(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `how many requests were decoding, averaged over the window.`
pub fn average_active_text(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `95 % interval`
pub fn interval(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `how steady the rate was inside the window. It does not say how well another run would agree.`
pub fn interval_text(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Prefill tok/s`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `prompt tokens over TTFT of one request on an idle server, nothing cached.`
pub fn prefill_text(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Power and energy`
pub fn energy(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `of the accelerators, what they draw at rest included. Per output token over the window of a cell; per prompt token from sending a prefill's prompt to its first token, over the tokens that were not cached.`
pub fn energy_text(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `Share of the roofline`
pub fn roofline(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `the rate over what the machine's memory bandwidth and arithmetic allow this model at most, at the cell's own depth and number of requests. Nothing is counted for the engine's own work.`
pub fn roofline_text(language: Language) -> &'static str {
    AREA.plain(language, 17)
}
