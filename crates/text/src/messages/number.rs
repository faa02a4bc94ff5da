// Written by `cargo xtask text`; change the catalogues instead.

//! Words around numbers, times and dates.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "percent", "minutes", "hours", "moment", "range", "at-least", "of", "tokens", "requests",
        "cells", "runs", "figures",
    ],
    [
        include_str!("../../catalogues/en/number.ftl"),
        include_str!("../../catalogues/ja/number.ftl"),
        include_str!("../../catalogues/ko/number.ftl"),
        include_str!("../../catalogues/zh/number.ftl"),
    ],
);

/// `{ $figure } %`
pub fn percent(language: Language, figure: &str) -> String {
    AREA.filled(language, 0, &[("figure", figure.into())])
}

/// `{ $minutes } min { $seconds } s`
pub fn minutes(language: Language, minutes: &str, seconds: &str) -> String {
    AREA.filled(
        language,
        1,
        &[("minutes", minutes.into()), ("seconds", seconds.into())],
    )
}

/// `{ $hours } h { $minutes } min`
pub fn hours(language: Language, hours: &str, minutes: &str) -> String {
    AREA.filled(
        language,
        2,
        &[("hours", hours.into()), ("minutes", minutes.into())],
    )
}

/// `{ $year }-{ $month }-{ $day } { $time }`
pub fn moment(language: Language, year: &str, month: &str, day: &str, time: &str) -> String {
    AREA.filled(
        language,
        3,
        &[
            ("year", year.into()),
            ("month", month.into()),
            ("day", day.into()),
            ("time", time.into()),
        ],
    )
}

/// `{ $low } to { $high }`
pub fn range(language: Language, low: &str, high: &str) -> String {
    AREA.filled(language, 4, &[("low", low.into()), ("high", high.into())])
}

/// `≥ { $time }`
pub fn at_least(language: Language, time: &str) -> String {
    AREA.filled(language, 5, &[("time", time.into())])
}

/// `{ $part } of { $whole }`
pub fn of(language: Language, part: &str, whole: &str) -> String {
    AREA.filled(
        language,
        6,
        &[("part", part.into()), ("whole", whole.into())],
    )
}

/// `{ $count } tokens`
pub fn tokens(language: Language, count: u64) -> String {
    AREA.filled(language, 7, &[("count", count.into())])
}

/// `{ $count } requests`
pub fn requests(language: Language, count: u64) -> String {
    AREA.filled(language, 8, &[("count", count.into())])
}

/// `{ $count } cells`
pub fn cells(language: Language, count: u64) -> String {
    AREA.filled(language, 9, &[("count", count.into())])
}

/// `{ $count } runs`
pub fn runs(language: Language, count: u64) -> String {
    AREA.filled(language, 10, &[("count", count.into())])
}

/// `{ $count } figures`
pub fn figures(language: Language, count: u64) -> String {
    AREA.filled(language, 11, &[("count", count.into())])
}
