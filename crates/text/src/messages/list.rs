// Written by `cargo xtask text`; change the catalogues instead.

//! The start page and lists of runs.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "runs",
        "runs-text",
        "no-runs",
        "latest",
        "all-runs",
        "home-title",
        "home-text",
        "home-measure",
        "home-measure-text",
        "home-show-text",
        "one-request",
        "highest-total",
        "trust",
        "received",
        "matrix",
        "run",
    ],
    [
        include_str!("../../catalogues/en/list.ftl"),
        include_str!("../../catalogues/ja/list.ftl"),
        include_str!("../../catalogues/ko/list.ftl"),
        include_str!("../../catalogues/zh/list.ftl"),
    ],
);

/// `Matrix runs`
pub fn runs(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Every run is one served model on one machine, measured in each cell of context length and simultaneous requests.`
pub fn runs_text(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `No runs yet.`
pub fn no_runs(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Latest runs`
pub fn latest(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `All runs`
pub fn all_runs(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `How fast is a language-model server, really?`
pub fn home_title(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `tokmark measures a server in every cell of context length and simultaneous requests: prefill speed, sustained decode, time to the first token. Each number has its interval and its evidence, each cell without a number its reason.`
pub fn home_text(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Measure your own server`
pub fn home_measure(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `The first command says what the server is and what would be measured; the second measures.`
pub fn home_measure_text(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `The result as one page that you can send to anybody:`
pub fn home_show_text(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `One request`
pub fn one_request(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Highest total`
pub fn highest_total(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Trust`
pub fn trust(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Measured or received`
pub fn received(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Matrix`
pub fn matrix(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Run`
pub fn run(language: Language) -> &'static str {
    AREA.plain(language, 15)
}
