// Written by `cargo xtask text`; change the catalogues instead.

//! What surrounds each page, and pages of errors.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "skip-to-content",
        "site-navigation",
        "language-switch",
        "made-with",
        "copy",
        "copied",
        "not-found",
        "not-found-text",
        "internal",
        "to-start",
        "decode-calculator",
        "matrix-runs",
        "hardware",
    ],
    [
        include_str!("../../catalogues/en/frame.ftl"),
        include_str!("../../catalogues/ja/frame.ftl"),
        include_str!("../../catalogues/ko/frame.ftl"),
        include_str!("../../catalogues/zh/frame.ftl"),
    ],
);

/// `Skip to content`
pub fn skip_to_content(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Site`
pub fn site_navigation(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Language`
pub fn language_switch(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Made with tokmark. K is 1,024 tokens.`
pub fn made_with(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Copy`
pub fn copy(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Copied`
pub fn copied(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Nothing is here`
pub fn not_found(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `The address may be mistyped, or what stood here is gone.`
pub fn not_found_text(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Something went wrong here. It has been written down.`
pub fn internal(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `To the start page`
pub fn to_start(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Decode calculator`
pub fn decode_calculator(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Matrix runs`
pub fn matrix_runs(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Hardware`
pub fn hardware(language: Language) -> &'static str {
    AREA.plain(language, 12)
}
