// Written by `cargo xtask text`; change the catalogues instead.

//! The decode calculator: headings, captions and columns.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "title",
        "text",
        "form",
        "faults",
        "to-need",
        "to-calculator",
        "fits-title",
        "fits",
        "borderline-title",
        "borderline",
        "borderline-why",
        "does-not-fit-title",
        "does-not-fit",
        "does-not-fit-why",
        "each-figure",
        "total-figure",
        "first-token-figure",
        "per-token-figure",
        "memory",
        "weights",
        "overhead",
        "used",
        "free",
        "kept",
        "matrix",
        "matrix-caption",
        "scale",
        "legend-fits",
        "predicted",
        "charts",
        "charts-note",
        "chart-each",
        "chart-total",
        "chart-by-context",
        "chart-first-token",
        "seconds",
        "prefill",
        "prefill-caption",
        "context",
        "tok-s",
        "ttft",
        "within-ninety",
        "ttft-cached",
        "steps",
        "steps-caption",
        "part",
        "time",
        "share",
        "whole-step",
        "cost",
        "cost-caption",
        "rented",
        "bought",
        "never-pays",
        "cells",
        "cells-caption",
        "requests",
        "fit",
        "total",
        "band-fifty",
        "band-ninety",
        "each-tok-s",
        "limited-by",
        "of-roofline",
        "per-token",
        "assumed",
        "explain",
        "explain-caption",
        "command",
        "explain-command",
        "elsewhere",
        "link",
        "json",
        "csv",
        "calibrated-word",
        "estimate-word",
    ],
    [
        include_str!("../../catalogues/en/calculator.ftl"),
        include_str!("../../catalogues/ja/calculator.ftl"),
        include_str!("../../catalogues/ko/calculator.ftl"),
        include_str!("../../catalogues/zh/calculator.ftl"),
    ],
);

/// `Decode calculator`
pub fn title(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Does a model fit on a machine, for how many at which context, how fast is it, what limits it, what does a token cost, and how sure is that: before anything is measured.`
pub fn text(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Question`
pub fn form(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `This question cannot be answered yet`
pub fn faults(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `What do I need for so many people?`
pub fn to_need(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `One machine in full`
pub fn to_calculator(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Fits`
pub fn fits_title(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `fits`
pub fn fits(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Borderline`
pub fn borderline_title(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `borderline`
pub fn borderline(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `borderline: whether it fits depends on 0.5 GB of memory, which the prediction may be off`
pub fn borderline_why(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Does not fit`
pub fn does_not_fit_title(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `does not fit`
pub fn does_not_fit(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `the prompts and outputs of all requests need more than there is, or a limit of the server forbids it`
pub fn does_not_fit_why(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `decode of each request;`
pub fn each_figure(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `decode of all requests;`
pub fn total_figure(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `to the first token of a new prompt;`
pub fn first_token_figure(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `an output token, host included`
pub fn per_token_figure(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Memory`
pub fn memory(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `weights`
pub fn weights(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `overhead`
pub fn overhead(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `cache of this load`
pub fn used(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `cache that is free`
pub fn free(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `not for the server`
pub fn kept(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Decode`
pub fn matrix(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `predicted tok/s of all requests, and of each · rows are context length, columns are requests at once`
pub fn matrix_caption(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `Colour: tok/s of all requests`
pub fn scale(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `a colour: fits, also with 0.5 GB less memory than is calculated`
pub fn legend_fits(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `median`
pub fn predicted(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `Charts`
pub fn charts(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `The line is the median. Half of the results are expected in the dark band, 9 of 10 in the light one. Hollow points are borderline.`
pub fn charts_note(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `Each request, at the chosen context`
pub fn chart_each(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `All requests together, at the chosen context`
pub fn chart_total(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `Each request, at the chosen number of requests`
pub fn chart_by_context(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `Time to the first token of a new prompt`
pub fn chart_first_token(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `seconds`
pub fn seconds(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `Prefill`
pub fn prefill(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `one prompt on an idle server`
pub fn prefill_caption(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `Context`
pub fn context(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `tok/s`
pub fn tok_s(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `TTFT`
pub fn ttft(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `9 of 10 within`
pub fn within_ninety(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `TTFT, prompt cached`
pub fn ttft_cached(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `What limits it`
pub fn steps(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `where the time of one decode step goes, at`
pub fn steps_caption(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `Part`
pub fn part(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `Time`
pub fn time(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `Share`
pub fn share(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `the whole step`
pub fn whole_step(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `Cost`
pub fn cost(language: Language) -> &'static str {
    AREA.plain(language, 49)
}

/// `a million tokens at`
pub fn cost_caption(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `rented`
pub fn rented(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `bought`
pub fn bought(language: Language) -> &'static str {
    AREA.plain(language, 52)
}

/// `Renting never costs more than the electricity: buying does not pay.`
pub fn never_pays(language: Language) -> &'static str {
    AREA.plain(language, 53)
}

/// `Every cell with its bands`
pub fn cells(language: Language) -> &'static str {
    AREA.plain(language, 54)
}

/// `half of the results are expected in the 50 % band, 9 of 10 in the 90 % band`
pub fn cells_caption(language: Language) -> &'static str {
    AREA.plain(language, 55)
}

/// `Requests`
pub fn requests(language: Language) -> &'static str {
    AREA.plain(language, 56)
}

/// `Fit`
pub fn fit(language: Language) -> &'static str {
    AREA.plain(language, 57)
}

/// `Total tok/s`
pub fn total(language: Language) -> &'static str {
    AREA.plain(language, 58)
}

/// `50 % band`
pub fn band_fifty(language: Language) -> &'static str {
    AREA.plain(language, 59)
}

/// `90 % band`
pub fn band_ninety(language: Language) -> &'static str {
    AREA.plain(language, 60)
}

/// `Each tok/s`
pub fn each_tok_s(language: Language) -> &'static str {
    AREA.plain(language, 61)
}

/// `Limited by`
pub fn limited_by(language: Language) -> &'static str {
    AREA.plain(language, 62)
}

/// `Of roofline`
pub fn of_roofline(language: Language) -> &'static str {
    AREA.plain(language, 63)
}

/// `Per token`
pub fn per_token(language: Language) -> &'static str {
    AREA.plain(language, 64)
}

/// `Assumed`
pub fn assumed(language: Language) -> &'static str {
    AREA.plain(language, 65)
}

/// `Explain: every term with formula, inputs and source`
pub fn explain(language: Language) -> &'static str {
    AREA.plain(language, 66)
}

/// `the terms of`
pub fn explain_caption(language: Language) -> &'static str {
    AREA.plain(language, 67)
}

/// `The same on a command line`
pub fn command(language: Language) -> &'static str {
    AREA.plain(language, 68)
}

/// `Every term of the chosen cell:`
pub fn explain_command(language: Language) -> &'static str {
    AREA.plain(language, 69)
}

/// `Take it along`
pub fn elsewhere(language: Language) -> &'static str {
    AREA.plain(language, 70)
}

/// `Address of this answer`
pub fn link(language: Language) -> &'static str {
    AREA.plain(language, 71)
}

/// `JSON`
pub fn json(language: Language) -> &'static str {
    AREA.plain(language, 72)
}

/// `Table (CSV)`
pub fn csv(language: Language) -> &'static str {
    AREA.plain(language, 73)
}

/// `calibrated`
pub fn calibrated_word(language: Language) -> &'static str {
    AREA.plain(language, 74)
}

/// `estimate`
pub fn estimate_word(language: Language) -> &'static str {
    AREA.plain(language, 75)
}
