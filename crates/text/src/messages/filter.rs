// Written by `cargo xtask text`; change the catalogues instead.

//! Filters of the list of runs.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "form",
        "search",
        "search-hint",
        "model",
        "hardware",
        "class",
        "memory",
        "engine",
        "quantization",
        "trust",
        "order",
        "since",
        "until",
        "newest",
        "single",
        "total",
        "any",
        "show",
        "all",
        "nothing",
        "more",
        "up-to",
    ],
    [
        include_str!("../../catalogues/en/filter.ftl"),
        include_str!("../../catalogues/ja/filter.ftl"),
        include_str!("../../catalogues/ko/filter.ftl"),
        include_str!("../../catalogues/zh/filter.ftl"),
    ],
);

/// `Filters of the list`
pub fn form(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Search`
pub fn search(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `model, hardware, engine, note`
pub fn search_hint(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Model`
pub fn model(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Hardware`
pub fn hardware(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Kind of machine`
pub fn class(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Memory`
pub fn memory(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Engine`
pub fn engine(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Quantization`
pub fn quantization(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Trust`
pub fn trust(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Order`
pub fn order(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `From`
pub fn since(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Before`
pub fn until(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Newest first`
pub fn newest(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Fastest single request first`
pub fn single(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Highest total first`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `any`
pub fn any(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Show`
pub fn show(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Show all runs`
pub fn all(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `No run fits all of these filters.`
pub fn nothing(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `More runs`
pub fn more(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `up to { $gib } GiB`
pub fn up_to(language: Language, gib: &str) -> String {
    AREA.filled(language, 21, &[("gib", gib.into())])
}
