// Written by `cargo xtask text`; change the catalogues instead.

//! The decode calculator: sentences with figures in them.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "about",
        "about-unlocked",
        "each",
        "range",
        "nine-of-ten",
        "bands",
        "time-bands",
        "limited",
        "milliseconds",
        "speed-one",
        "speed",
        "first-token",
        "asked",
        "most-none",
        "most",
        "most-perhaps",
        "most-at",
        "limit",
        "weights-too-large",
        "edges",
        "within",
        "within-both",
        "calibrated",
        "estimate",
        "memory-of",
        "no-room",
        "holds",
        "holds-states",
        "budget",
        "weights-and-cache",
        "weights-cache-states",
        "rented",
        "bought",
        "cost-way",
        "cost-output",
        "cost-input",
        "per-million",
        "at-work",
        "rent-source",
        "owned",
        "owned-unknown",
        "kwh",
        "break-even",
    ],
    [
        include_str!("../../catalogues/en/answer.ftl"),
        include_str!("../../catalogues/ja/answer.ftl"),
        include_str!("../../catalogues/ko/answer.ftl"),
        include_str!("../../catalogues/zh/answer.ftl"),
    ],
);

/// `{ $model } on { $machine }`
pub fn about(language: Language, model: &str, machine: &str) -> String {
    AREA.filled(
        language,
        0,
        &[("model", model.into()), ("machine", machine.into())],
    )
}

/// `{ $model } on { $machine }, its maker's limits taken off`
pub fn about_unlocked(language: Language, model: &str, machine: &str) -> String {
    AREA.filled(
        language,
        1,
        &[("model", model.into()), ("machine", machine.into())],
    )
}

/// `{ $rate } each`
pub fn each(language: Language, rate: &str) -> String {
    AREA.filled(language, 2, &[("rate", rate.into())])
}

/// `{ $low } to { $high }`
pub fn range(language: Language, low: &str, high: &str) -> String {
    AREA.filled(language, 3, &[("low", low.into()), ("high", high.into())])
}

/// `9 of 10 within { $range }`
pub fn nine_of_ten(language: Language, range: &str) -> String {
    AREA.filled(language, 4, &[("range", range.into())])
}

/// `{ $median } tok/s; half of the results within { $fifty }, 9 of 10 within { $ninety }`
pub fn bands(language: Language, median: &str, fifty: &str, ninety: &str) -> String {
    AREA.filled(
        language,
        5,
        &[
            ("median", median.into()),
            ("fifty", fifty.into()),
            ("ninety", ninety.into()),
        ],
    )
}

/// `{ $median }; half of the results within { $fifty }, 9 of 10 within { $ninety }`
pub fn time_bands(language: Language, median: &str, fifty: &str, ninety: &str) -> String {
    AREA.filled(
        language,
        6,
        &[
            ("median", median.into()),
            ("fifty", fifty.into()),
            ("ninety", ninety.into()),
        ],
    )
}

/// `limited by { $term }; { $share } of the roofline`
pub fn limited(language: Language, term: &str, share: &str) -> String {
    AREA.filled(
        language,
        7,
        &[("term", term.into()), ("share", share.into())],
    )
}

/// `{ $text } ms`
pub fn milliseconds(language: Language, text: &str) -> String {
    AREA.filled(language, 8, &[("text", text.into())])
}

/// `1 request at { $context } tokens of context decodes { $each } tok/s.`
pub fn speed_one(language: Language, context: &str, each: &str) -> String {
    AREA.filled(
        language,
        9,
        &[("context", context.into()), ("each", each.into())],
    )
}

/// `{ $count } requests at { $context } tokens of context decode { $each } tok/s each, { $total } together.`
pub fn speed(language: Language, count: &str, context: &str, each: &str, total: &str) -> String {
    AREA.filled(
        language,
        10,
        &[
            ("count", count.into()),
            ("context", context.into()),
            ("each", each.into()),
            ("total", total.into()),
        ],
    )
}

/// `The first token of a new prompt comes after { $time }.`
pub fn first_token(language: Language, time: &str) -> String {
    AREA.filled(language, 11, &[("time", time.into())])
}

/// `{ $count } × { $context } tokens of context are more than there is room for.`
pub fn asked(language: Language, count: &str, context: &str) -> String {
    AREA.filled(
        language,
        12,
        &[("count", count.into()), ("context", context.into())],
    )
}

/// `Not one request of { $context } fits.`
pub fn most_none(language: Language, context: &str) -> String {
    AREA.filled(language, 13, &[("context", context.into())])
}

/// `Up to { $surely } fit at once at this context.`
pub fn most(language: Language, surely: &str) -> String {
    AREA.filled(language, 14, &[("surely", surely.into())])
}

/// `Up to { $surely } fit at once at this context, perhaps { $perhaps }.`
pub fn most_perhaps(language: Language, surely: &str, perhaps: &str) -> String {
    AREA.filled(
        language,
        15,
        &[("surely", surely.into()), ("perhaps", perhaps.into())],
    )
}

/// `requests that fit at once at { $context }`
pub fn most_at(language: Language, context: &str) -> String {
    AREA.filled(language, 16, &[("context", context.into())])
}

/// `Most of a step goes to { $term } ({ $share }); the rate is { $roofline } of the roofline.`
pub fn limit(language: Language, term: &str, share: &str, roofline: &str) -> String {
    AREA.filled(
        language,
        17,
        &[
            ("term", term.into()),
            ("share", share.into()),
            ("roofline", roofline.into()),
        ],
    )
}

/// `{ $weights } of weights and { $overhead } beside them are more than the server may take.`
pub fn weights_too_large(language: Language, weights: &str, overhead: &str) -> String {
    AREA.filled(
        language,
        18,
        &[("weights", weights.into()), ("overhead", overhead.into())],
    )
}

/// `{ $low } and { $high }`
pub fn edges(language: Language, low: &str, high: &str) -> String {
    AREA.filled(language, 19, &[("low", low.into()), ("high", high.into())])
}

/// `9 of 10 results within { $decode }`
pub fn within(language: Language, decode: &str) -> String {
    AREA.filled(language, 20, &[("decode", decode.into())])
}

/// `9 of 10 results within { $decode } (decode), { $prefill } (prefill)`
pub fn within_both(language: Language, decode: &str, prefill: &str) -> String {
    AREA.filled(
        language,
        21,
        &[("decode", decode.into()), ("prefill", prefill.into())],
    )
}

/// `Calibrated by { $runs } runs of { $family }: { $band }.`
pub fn calibrated(language: Language, runs: u64, family: &str, band: &str) -> String {
    AREA.filled(
        language,
        22,
        &[
            ("runs", runs.into()),
            ("family", family.into()),
            ("band", band.into()),
        ],
    )
}

/// `An estimate from datasheets and published kernels: no run of { $family } with these kernels and this cache is known; { $band }.`
pub fn estimate(language: Language, family: &str, band: &str) -> String {
    AREA.filled(
        language,
        23,
        &[("family", family.into()), ("band", band.into())],
    )
}

/// `{ $size } for each copy of the model`
pub fn memory_of(language: Language, size: &str) -> String {
    AREA.filled(language, 24, &[("size", size.into())])
}

/// `The server may take { $allowed }, the mark: no room for a cache.`
pub fn no_room(language: Language, allowed: &str) -> String {
    AREA.filled(language, 25, &[("allowed", allowed.into())])
}

/// `The cache holds { $tokens } tokens, { $low } to { $high } with 0.5 GB less or more.`
pub fn holds(language: Language, tokens: &str, low: &str, high: &str) -> String {
    AREA.filled(
        language,
        26,
        &[
            ("tokens", tokens.into()),
            ("low", low.into()),
            ("high", high.into()),
        ],
    )
}

/// `The cache holds { $tokens } tokens, { $low } to { $high } with 0.5 GB less or more; states for { $most } sequences.`
pub fn holds_states(language: Language, tokens: &str, low: &str, high: &str, most: &str) -> String {
    AREA.filled(
        language,
        27,
        &[
            ("tokens", tokens.into()),
            ("low", low.into()),
            ("high", high.into()),
            ("most", most.into()),
        ],
    )
}

/// `The cache holds { $tokens } tokens, as the server says.`
pub fn budget(language: Language, tokens: &str) -> String {
    AREA.filled(language, 28, &[("tokens", tokens.into())])
}

/// `Weights of { $bits } bits ({ $kernels } kernels); cache { $cache }, { $token } a token.`
pub fn weights_and_cache(
    language: Language,
    bits: &str,
    kernels: &str,
    cache: &str,
    token: &str,
) -> String {
    AREA.filled(
        language,
        29,
        &[
            ("bits", bits.into()),
            ("kernels", kernels.into()),
            ("cache", cache.into()),
            ("token", token.into()),
        ],
    )
}

/// `Weights of { $bits } bits ({ $kernels } kernels); cache { $cache }, { $token } a token, states of { $states } a sequence.`
pub fn weights_cache_states(
    language: Language,
    bits: &str,
    kernels: &str,
    cache: &str,
    token: &str,
    states: &str,
) -> String {
    AREA.filled(
        language,
        30,
        &[
            ("bits", bits.into()),
            ("kernels", kernels.into()),
            ("cache", cache.into()),
            ("token", token.into()),
            ("states", states.into()),
        ],
    )
}

/// `rented at { $amount } { $currency } an hour`
pub fn rented(language: Language, amount: &str, currency: &str) -> String {
    AREA.filled(
        language,
        31,
        &[("amount", amount.into()), ("currency", currency.into())],
    )
}

/// `bought for { $amount } { $currency }`
pub fn bought(language: Language, amount: &str, currency: &str) -> String {
    AREA.filled(
        language,
        32,
        &[("amount", amount.into()), ("currency", currency.into())],
    )
}

/// `Way`
pub fn cost_way(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `Output tokens, { $currency }`
pub fn cost_output(language: Language, currency: &str) -> String {
    AREA.filled(language, 34, &[("currency", currency.into())])
}

/// `Input tokens, { $currency }`
pub fn cost_input(language: Language, currency: &str) -> String {
    AREA.filled(language, 35, &[("currency", currency.into())])
}

/// `{ $currency } a million out, { $way }`
pub fn per_million(language: Language, currency: &str, way: &str) -> String {
    AREA.filled(
        language,
        36,
        &[("currency", currency.into()), ("way", way.into())],
    )
}

/// `It works { $share } of the hours. Input tokens: one prompt at a time, not cached.`
pub fn at_work(language: Language, share: &str) -> String {
    AREA.filled(language, 37, &[("share", share.into())])
}

/// `Rent: { $source }.`
pub fn rent_source(language: Language, source: &str) -> String {
    AREA.filled(language, 38, &[("source", source.into())])
}

/// `Bought: lasts { $years } years; electricity at { $electricity } { $currency } a kWh, at { $watts } W while decoding.`
pub fn owned(
    language: Language,
    years: &str,
    electricity: &str,
    currency: &str,
    watts: &str,
) -> String {
    AREA.filled(
        language,
        39,
        &[
            ("years", years.into()),
            ("electricity", electricity.into()),
            ("currency", currency.into()),
            ("watts", watts.into()),
        ],
    )
}

/// `Bought: lasts { $years } years; electricity at { $electricity } { $currency } a kWh, its power is not known, so neither is its price.`
pub fn owned_unknown(language: Language, years: &str, electricity: &str, currency: &str) -> String {
    AREA.filled(
        language,
        40,
        &[
            ("years", years.into()),
            ("electricity", electricity.into()),
            ("currency", currency.into()),
        ],
    )
}

/// `A million output tokens take { $amount } kWh.`
pub fn kwh(language: Language, amount: &str) -> String {
    AREA.filled(language, 41, &[("amount", amount.into())])
}

/// `Buying has cost less than renting after { $hours } hours ({ $years } years), idle ones included.`
pub fn break_even(language: Language, hours: &str, years: &str) -> String {
    AREA.filled(
        language,
        42,
        &[("hours", hours.into()), ("years", years.into())],
    )
}
