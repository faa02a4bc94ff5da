// Written by `cargo xtask text`; change the catalogues instead.

//! The machines for a need.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "title",
        "text",
        "machine",
        "price",
        "rent",
        "power",
        "each",
        "total",
        "ttft",
        "sure",
        "note-price",
        "note-rent",
        "note-power",
        "note-estimate",
        "no-machine",
        "need",
        "need-ttft",
        "found",
    ],
    [
        include_str!("../../catalogues/en/need.ftl"),
        include_str!("../../catalogues/ja/need.ftl"),
        include_str!("../../catalogues/ko/need.ftl"),
        include_str!("../../catalogues/zh/need.ftl"),
    ],
);

/// `What do I need for so many people?`
pub fn title(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Every machine of the catalogue that serves a model to so many people at once, at such a context and speed, the cheapest at launch first.`
pub fn text(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Machine`
pub fn machine(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Price`
pub fn price(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Rent an hour`
pub fn rent(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Power`
pub fn power(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `tok/s each`
pub fn each(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Total tok/s`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `TTFT`
pub fn ttft(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `How sure`
pub fn sure(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Price: all accelerators at launch, in US dollars, without a machine around them; sorted by it, those without a price last.`
pub fn note_price(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Rent: what most providers ask for all accelerators, in US dollars; sources and dates are in the JSON document.`
pub fn note_rent(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Power: while decoding, with 80 W for the host of a card; a share of the design power.`
pub fn note_power(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `An estimate has no run of this machine behind it: 9 of 10 results are taken to lie within 40 %. Several accelerators follow formulas that were not held against measurements.`
pub fn note_estimate(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `No machine of the catalogue is enough with up to 8 accelerators.`
pub fn no_machine(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `{ $model } for { $people } at once at { $context } tokens of context, { $rate } tok/s each`
pub fn need(language: Language, model: &str, people: &str, context: &str, rate: &str) -> String {
    AREA.filled(
        language,
        15,
        &[
            ("model", model.into()),
            ("people", people.into()),
            ("context", context.into()),
            ("rate", rate.into()),
        ],
    )
}

/// `{ $model } for { $people } at once at { $context } tokens of context, { $rate } tok/s each, first token within { $time }`
pub fn need_ttft(
    language: Language,
    model: &str,
    people: &str,
    context: &str,
    rate: &str,
    time: &str,
) -> String {
    AREA.filled(
        language,
        16,
        &[
            ("model", model.into()),
            ("people", people.into()),
            ("context", context.into()),
            ("rate", rate.into()),
            ("time", time.into()),
        ],
    )
}

/// `{ $count } machines are enough.`
pub fn found(language: Language, count: u64) -> String {
    AREA.filled(language, 17, &[("count", count.into())])
}
