// Written by `cargo xtask text`; change the catalogues instead.

//! What is wrong with a question to the calculator.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "share-range",
        "two-rents",
        "not-a-rent",
        "zero-or-more",
        "price-needs-lifetime",
        "price-needs-electricity",
        "no-currency",
        "requests-range",
        "context-range",
        "two-numbers",
        "max-unknown",
        "too-long",
        "on-or-left-out",
        "no-number",
        "above-zero",
        "no-whole-number",
        "no-field",
        "unanswerable",
        "say-how-many",
        "people-range",
    ],
    [
        include_str!("../../catalogues/en/errors.ftl"),
        include_str!("../../catalogues/ja/errors.ftl"),
        include_str!("../../catalogues/ko/errors.ftl"),
        include_str!("../../catalogues/zh/errors.ftl"),
    ],
);

/// `the share is above 0 and up to 1`
pub fn share_range(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `there is a rent already: leave one of them empty`
pub fn two_rents(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `` `{ $word }` is not low, typical or high ``
pub fn not_a_rent(language: Language, word: &str) -> String {
    AREA.filled(language, 2, &[("word", word.into())])
}

/// `this is 0 or more`
pub fn zero_or_more(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `a price needs a lifetime`
pub fn price_needs_lifetime(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `a price needs that of electricity`
pub fn price_needs_electricity(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `` `{ $code }` is no currency code such as USD or EUR ``
pub fn no_currency(language: Language, code: &str) -> String {
    AREA.filled(language, 6, &[("code", code.into())])
}

/// `requests are between 1 and 65536`
pub fn requests_range(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `a context is at most 1G tokens`
pub fn context_range(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `` `{ $machine }` and { $given } are two numbers of accelerators ``
pub fn two_numbers(language: Language, machine: &str, given: &str) -> String {
    AREA.filled(
        language,
        9,
        &[("machine", machine.into()), ("given", given.into())],
    )
}

/// `` `max` is not known for this model; say the longest request ``
pub fn max_unknown(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `this is too long`
pub fn too_long(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `` this is `on`, or left out ``
pub fn on_or_left_out(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `` `{ $text }` is no number ``
pub fn no_number(language: Language, text: &str) -> String {
    AREA.filled(language, 13, &[("text", text.into())])
}

/// `this must be above 0`
pub fn above_zero(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `` `{ $text }` is no whole number ``
pub fn no_whole_number(language: Language, text: &str) -> String {
    AREA.filled(language, 15, &[("text", text.into())])
}

/// `there is no such field`
pub fn no_field(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `this question cannot be answered`
pub fn unanswerable(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `say how many`
pub fn say_how_many(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `people are between 1 and 65536`
pub fn people_range(language: Language) -> &'static str {
    AREA.plain(language, 19)
}
