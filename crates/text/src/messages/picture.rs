// Written by `cargo xtask text`; change the catalogues instead.

//! Words inside pictures of a run, and about its passes.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "download-svg",
        "download-card",
        "matrix",
        "card",
        "card-marked",
        "on-machine",
        "ttft",
        "status",
        "figure",
        "passes",
        "passes-spread",
        "column-passes",
        "column-spread",
        "column-drift",
    ],
    [
        include_str!("../../catalogues/en/picture.ftl"),
        include_str!("../../catalogues/ja/picture.ftl"),
        include_str!("../../catalogues/ko/picture.ftl"),
        include_str!("../../catalogues/zh/picture.ftl"),
    ],
);

/// `Picture of matrix and curves (SVG)`
pub fn download_svg(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Social card, 1200 x 630 (PNG)`
pub fn download_card(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Total tok/s of all requests, by context (rows) and requests at once (columns); below it the median time to first token.`
pub fn matrix(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Sustained decode, total tok/s by context (rows) and requests at once (columns)`
pub fn card(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Sustained decode, total tok/s by context (rows) and requests at once (columns); an edge: to be read with care`
pub fn card_marked(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `on { $machine }`
pub fn on_machine(language: Language, machine: &str) -> String {
    AREA.filled(language, 5, &[("machine", machine.into())])
}

/// `{ $ttft } TTFT`
pub fn ttft(language: Language, ttft: &str) -> String {
    AREA.filled(language, 6, &[("ttft", ttft.into())])
}

/// `{ $label }: { $meaning }`
pub fn status(language: Language, label: &str, meaning: &str) -> String {
    AREA.filled(
        language,
        7,
        &[("label", label.into()), ("meaning", meaning.into())],
    )
}

/// `{ $value } { $what }`
pub fn figure(language: Language, value: &str, what: &str) -> String {
    AREA.filled(
        language,
        8,
        &[("value", value.into()), ("what", what.into())],
    )
}

/// `Every cell was measured in up to { $most } passes and shows the one with the median total.`
pub fn passes(language: Language, most: &str) -> String {
    AREA.filled(language, 9, &[("most", most.into())])
}

/// `Every cell was measured in up to { $most } passes and shows the one with the median total. The totals of a cell's passes lie { $median } apart (median), at most { $largest }.`
pub fn passes_spread(language: Language, most: &str, median: &str, largest: &str) -> String {
    AREA.filled(
        language,
        10,
        &[
            ("most", most.into()),
            ("median", median.into()),
            ("largest", largest.into()),
        ],
    )
}

/// `Passes, tok/s`
pub fn column_passes(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Spread of the passes`
pub fn column_spread(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Drift of the passes`
pub fn column_drift(language: Language) -> &'static str {
    AREA.plain(language, 13)
}
