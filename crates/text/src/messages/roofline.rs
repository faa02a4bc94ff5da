// Written by `cargo xtask text`; change the catalogues instead.

//! The share of the roofline.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "title",
        "measured",
        "catalogue",
        "from-catalogue",
        "memory",
        "compute",
        "the-model",
        "the-machine",
        "above",
        "counts-tokens",
        "bandwidth",
        "bandwidth-of",
        "of-memory",
        "of-compute",
        "of-run",
        "not-known",
        "nothing-to-compare",
        "because",
        "machine",
        "model",
        "in-cell",
    ],
    [
        include_str!("../../catalogues/en/roofline.ftl"),
        include_str!("../../catalogues/ja/roofline.ftl"),
        include_str!("../../catalogues/ko/roofline.ftl"),
        include_str!("../../catalogues/zh/roofline.ftl"),
    ],
);

/// `Share of the roofline`
pub fn title(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `measured`
pub fn measured(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `catalogue's`
pub fn catalogue(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `from the catalogue`
pub fn from_catalogue(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `memory`
pub fn memory(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `compute`
pub fn compute(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `the model`
pub fn the_model(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `the machine`
pub fn the_machine(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `above 100 %: something is not as the limit assumes. Requests that share a prompt are served from the chip's own cache, tokens of a mixture take the same experts, drafted tokens are accepted, the weights are smaller than thought, or the memory is faster`
pub fn above(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `the server drafts tokens, and how many a step gives is not known: the share counts tokens against steps of one token`
pub fn counts_tokens(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `{ $figure } GB/s`
pub fn bandwidth(language: Language, figure: &str) -> String {
    AREA.filled(language, 10, &[("figure", figure.into())])
}

/// `{ $count } × { $figure } GB/s`
pub fn bandwidth_of(language: Language, count: &str, figure: &str) -> String {
    AREA.filled(
        language,
        11,
        &[("count", count.into()), ("figure", figure.into())],
    )
}

/// `{ $share } of the { $whose } { $bandwidth } memory roofline, { $limit } tok/s`
pub fn of_memory(
    language: Language,
    share: &str,
    whose: &str,
    bandwidth: &str,
    limit: &str,
) -> String {
    AREA.filled(
        language,
        12,
        &[
            ("share", share.into()),
            ("whose", whose.into()),
            ("bandwidth", bandwidth.into()),
            ("limit", limit.into()),
        ],
    )
}

/// `{ $share } of the catalogue's compute roofline, { $limit } tok/s`
pub fn of_compute(language: Language, share: &str, limit: &str) -> String {
    AREA.filled(
        language,
        13,
        &[("share", share.into()), ("limit", limit.into())],
    )
}

/// `Share of the roofline: { $span } of what the { $whose } { $bandwidth } ({ $name }) allow at each depth and number of requests; the highest { $best }.`
pub fn of_run(
    language: Language,
    span: &str,
    whose: &str,
    bandwidth: &str,
    name: &str,
    best: &str,
) -> String {
    AREA.filled(
        language,
        14,
        &[
            ("span", span.into()),
            ("whose", whose.into()),
            ("bandwidth", bandwidth.into()),
            ("name", name.into()),
            ("best", best.into()),
        ],
    )
}

/// `Share of the roofline: not known. { $reasons }.`
pub fn not_known(language: Language, reasons: &str) -> String {
    AREA.filled(language, 15, &[("reasons", reasons.into())])
}

/// `no cell has both a rate and a depth to compare with the limit`
pub fn nothing_to_compare(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `{ $what }: { $reason }`
pub fn because(language: Language, what: &str, reason: &str) -> String {
    AREA.filled(
        language,
        17,
        &[("what", what.into()), ("reason", reason.into())],
    )
}

/// `{ $bandwidth }, { $from } ({ $name })`
pub fn machine(language: Language, bandwidth: &str, from: &str, name: &str) -> String {
    AREA.filled(
        language,
        18,
        &[
            ("bandwidth", bandwidth.into()),
            ("from", from.into()),
            ("name", name.into()),
        ],
    )
}

/// `{ $weights } of weights, { $cache } KiB of cache a token (from { $name })`
pub fn model(language: Language, weights: &str, cache: &str, name: &str) -> String {
    AREA.filled(
        language,
        19,
        &[
            ("weights", weights.into()),
            ("cache", cache.into()),
            ("name", name.into()),
        ],
    )
}

/// `{ $share } roof`
pub fn in_cell(language: Language, share: &str) -> String {
    AREA.filled(language, 20, &[("share", share.into())])
}
