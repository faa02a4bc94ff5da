// Written by `cargo xtask text`; change the catalogues instead.

//! The decode calculator: another machine beside the chosen one.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "title",
        "caption",
        "neither-fits",
        "other-does-not-fit",
        "only-other-fits",
        "machines",
        "times",
        "beside",
    ],
    [
        include_str!("../../catalogues/en/versus.ftl"),
        include_str!("../../catalogues/ja/versus.ftl"),
        include_str!("../../catalogues/ko/versus.ftl"),
        include_str!("../../catalogues/zh/versus.ftl"),
    ],
);

/// `Beside the other machine`
pub fn title(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `how many times as fast the other machine decodes; below it tok/s of all requests on both`
pub fn caption(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `fits on neither`
pub fn neither_fits(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `not on the other`
pub fn other_does_not_fit(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `only on the other`
pub fn only_other_fits(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `{ $first }, and { $other }`
pub fn machines(language: Language, first: &str, other: &str) -> String {
    AREA.filled(
        language,
        5,
        &[("first", first.into()), ("other", other.into())],
    )
}

/// `× { $ratio }`
pub fn times(language: Language, ratio: &str) -> String {
    AREA.filled(language, 6, &[("ratio", ratio.into())])
}

/// `{ $first } / { $other }`
pub fn beside(language: Language, first: &str, other: &str) -> String {
    AREA.filled(
        language,
        7,
        &[("first", first.into()), ("other", other.into())],
    )
}
