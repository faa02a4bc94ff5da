//! The visible words of the calculator's pages, in English.

pub(crate) mod field;

pub(crate) const SECTION: &str = "Decode calculator";
pub(crate) const TITLE: &str = "Decode calculator";
pub(crate) const TEXT: &str = "Does a model fit on a machine, for how many at which context, how fast is it, what limits it, \
     what does a token cost, and how sure is that: before anything is measured.";
pub(crate) const FORM: &str = "Question";
pub(crate) const FAULTS: &str = "This question cannot be answered yet";
pub(crate) const TO_NEED: &str = "What do I need for so many people?";
pub(crate) const TO_CALCULATOR: &str = "One machine in full";

pub(crate) const FITS: &str = "Fits";
pub(crate) const FITS_WORD: &str = "fits";
pub(crate) const BORDERLINE_TITLE: &str = "Borderline";
pub(crate) const BORDERLINE: &str = "borderline";
pub(crate) const BORDERLINE_WHY: &str =
    "borderline: whether it fits depends on 0.5 GB of memory, which the prediction may be off";
pub(crate) const DOES_NOT_FIT_TITLE: &str = "Does not fit";
pub(crate) const DOES_NOT_FIT: &str = "does not fit";
pub(crate) const DOES_NOT_FIT_WHY: &str = "the prompts and outputs of all requests need more than there is, or a limit of the server \
     forbids it";

pub(crate) const EACH: &str = "decode of each request;";
pub(crate) const IN_TOTAL: &str = "decode of all requests;";
pub(crate) const FIRST_TOKEN: &str = "to the first token of a new prompt;";
pub(crate) const PER_TOKEN: &str = "an output token, host included";

pub(crate) const MEMORY: &str = "Memory";
pub(crate) const WEIGHTS: &str = "weights";
pub(crate) const OVERHEAD: &str = "overhead";
pub(crate) const USED: &str = "cache of this load";
pub(crate) const FREE: &str = "cache that is free";
pub(crate) const KEPT: &str = "not for the server";

pub(crate) const MATRIX: &str = "Decode";
pub(crate) const MATRIX_CAPTION: &str = "predicted tok/s of all requests, and of each · rows are context length, columns are requests at once";
pub(crate) const SCALE: &str = "Colour: tok/s of all requests";
pub(crate) const LEGEND_FITS: &str =
    "a colour: fits, also with 0.5 GB less memory than is calculated";
pub(crate) const PREDICTED: &str = "median";
pub(crate) const CHARTS: &str = "Charts";
pub(crate) const CHARTS_NOTE: &str = "The line is the median. Half of the results are expected in the dark band, 9 of 10 in the \
     light one. Hollow points are borderline.";
pub(crate) const CHART_EACH: [&str; 4] = [
    "Each request, at the chosen context",
    "requests at once",
    "tok/s per request",
    "",
];
pub(crate) const CHART_TOTAL: [&str; 4] = [
    "All requests together, at the chosen context",
    "requests at once",
    "total tok/s",
    "",
];
pub(crate) const CHART_BY_CONTEXT: [&str; 4] = [
    "Each request, at the chosen number of requests",
    "context, tokens",
    "tok/s per request",
    "",
];
pub(crate) const CHART_FIRST_TOKEN: [&str; 4] = [
    "Time to the first token of a new prompt",
    "context, tokens",
    "seconds",
    "",
];
pub(crate) const PREFILL: &str = "Prefill";
pub(crate) const PREFILL_CAPTION: &str = "one prompt on an idle server";
pub(crate) const PREFILL_HEADER: [&str; 5] = [
    "Context",
    "tok/s",
    "TTFT",
    "9 of 10 within",
    "TTFT, prompt cached",
];
pub(crate) const STEPS: &str = "What limits it";
pub(crate) const STEPS_CAPTION: &str = "where the time of one decode step goes, at";
pub(crate) const STEP_HEADER: [&str; 3] = ["Part", "Time", "Share"];
pub(crate) const WHOLE_STEP: &str = "the whole step";
pub(crate) const COST: &str = "Cost";
pub(crate) const COST_CAPTION: &str = "a million tokens at";
pub(crate) const RENTED: &str = "rented";
pub(crate) const BOUGHT: &str = "bought";
pub(crate) const NEVER_PAYS: &str =
    "Renting never costs more than the electricity: buying does not pay.";
pub(crate) const VERSUS: &str = "Beside the other machine";
pub(crate) const VERSUS_CAPTION: &str =
    "how many times as fast the other machine decodes; below it tok/s of all requests on both";
pub(crate) const NEITHER_FITS: &str = "fits on neither";
pub(crate) const OTHER_DOES_NOT_FIT: &str = "not on the other";
pub(crate) const ONLY_OTHER_FITS: &str = "only on the other";
pub(crate) const CELLS: &str = "Every cell with its bands";
pub(crate) const CELLS_CAPTION: &str =
    "half of the results are expected in the 50 % band, 9 of 10 in the 90 % band";
pub(crate) const CELL_HEADER: [&str; 10] = [
    "Context",
    "Requests",
    "Fit",
    "Total tok/s",
    "50 % band",
    "90 % band",
    "Each tok/s",
    "Limited by",
    "Of roofline",
    "Per token",
];
pub(crate) const ASSUMED: &str = "Assumed";
pub(crate) const EXPLAIN: &str = "Explain: every term with formula, inputs and source";
pub(crate) const EXPLAIN_CAPTION: &str = "the terms of";
pub(crate) const COMMAND: &str = "The same on a command line";
pub(crate) const EXPLAIN_COMMAND: &str = "Every term of the chosen cell:";
pub(crate) const ELSEWHERE: &str = "Take it along";
pub(crate) const LINK: &str = "Address of this answer";
pub(crate) const JSON: &str = "JSON";
pub(crate) const CSV: &str = "Table (CSV)";

pub(crate) const NEED_TITLE: &str = "What do I need for so many people?";
pub(crate) const NEED_TEXT: &str = "Every machine of the catalogue that serves a model to so many people at once, at such a \
     context and speed, the cheapest at launch first.";
pub(crate) const NEED_HEADER: [&str; 8] = [
    "Machine",
    "Price",
    "Rent an hour",
    "Power",
    "tok/s each",
    "Total tok/s",
    "TTFT",
    "How sure",
];
pub(crate) const NEED_NOTES: [&str; 4] = [
    "Price: all accelerators at launch, in US dollars, without a machine around them; sorted by it, \
     those without a price last.",
    "Rent: what most providers ask for all accelerators, in US dollars; sources and dates are in the \
     JSON document.",
    "Power: while decoding, with 80 W for the host of a card; a share of the design power.",
    "An estimate has no run of this machine behind it: 9 of 10 results are taken to lie within 40 %. \
     Several accelerators follow formulas that were not held against measurements.",
];
pub(crate) const NO_MACHINE: &str =
    "No machine of the catalogue is enough with up to 8 accelerators.";
pub(crate) const CALIBRATED: &str = "calibrated";
pub(crate) const ESTIMATE: &str = "estimate";

/// `Qwen/Qwen3-14B on NVIDIA RTX 3090`.
pub(crate) fn about(model: &str, machine: &str, unlocked: bool) -> String {
    let limits = if unlocked {
        ", its maker's limits taken off"
    } else {
        ""
    };
    format!("{model} on {machine}{limits}")
}

/// `62.3 each`.
pub(crate) fn each(rate: &str) -> String {
    format!("{rate} each")
}

/// `240 to 260`.
pub(crate) fn range(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}

/// `9 of 10 results within 240 to 260`.
pub(crate) fn nine_of_ten(range: &str) -> String {
    format!("9 of 10 within {range}")
}

/// A rate with both bands.
pub(crate) fn bands(median: &str, fifty: &str, ninety: &str) -> String {
    format!("{median} tok/s; half of the results within {fifty}, 9 of 10 within {ninety}")
}

/// A time with both bands.
pub(crate) fn time_bands(median: &str, fifty: &str, ninety: &str) -> String {
    format!("{median}; half of the results within {fifty}, 9 of 10 within {ninety}")
}

/// What limits a cell.
pub(crate) fn limited(term: &str, share: &str) -> String {
    format!("limited by {term}; {share} of the roofline")
}

/// `2.140 ms`.
pub(crate) fn milliseconds(text: &str) -> String {
    format!("{text} ms")
}

fn requests(count: u32) -> &'static str {
    if count == 1 { "request" } else { "requests" }
}

/// How fast the chosen load is.
pub(crate) fn speed(count: u32, context: &str, each: &str, total: &str) -> String {
    let noun = requests(count);
    match count {
        1 => format!("1 request at {context} tokens of context decodes {each} tok/s."),
        _ => format!(
            "{count} {noun} at {context} tokens of context decode {each} tok/s each, {total} together."
        ),
    }
}

/// When the first token comes.
pub(crate) fn first_token(time: &str) -> String {
    format!("The first token of a new prompt comes after {time}.")
}

/// What does not fit.
pub(crate) fn asked(count: &str, context: &str) -> String {
    format!("{count} × {context} tokens of context are more than there is room for.")
}

/// How many fit.
pub(crate) fn most(surely: &str, perhaps: &str, context: &str, count: u32) -> String {
    if count == 0 {
        return format!("Not one request of {context} fits.");
    }
    if surely == perhaps {
        return format!("Up to {surely} fit at once at this context.");
    }
    format!("Up to {surely} fit at once at this context, perhaps {perhaps}.")
}

/// `requests that fit at 16K`.
pub(crate) fn most_at(context: &str) -> String {
    format!("requests that fit at once at {context}")
}

/// What limits the chosen load.
pub(crate) fn limit(term: &str, share: &str, roofline: &str) -> String {
    format!("Most of a step goes to {term} ({share}); the rate is {roofline} of the roofline.")
}

/// Why nothing fits.
pub(crate) fn weights_too_large(weights: &str, overhead: &str) -> String {
    format!("{weights} of weights and {overhead} beside them are more than the server may take.")
}

/// `-4.1 % and +5.0 %`.
pub(crate) fn edges(low: &str, high: &str) -> String {
    format!("{low} and {high}")
}

/// The bands of both phases.
pub(crate) fn within(decode: &str, prefill: &str) -> String {
    if decode == prefill {
        return format!("9 of 10 results within {decode}");
    }
    format!("9 of 10 results within {decode} (decode), {prefill} (prefill)")
}

/// Constants from runs.
pub(crate) fn calibrated(runs: usize, family: &str, band: &str) -> String {
    let noun = if runs == 1 { "run" } else { "runs" };
    format!("Calibrated by {runs} {noun} of {family}: {band}.")
}

/// Constants without runs.
pub(crate) fn estimate(family: &str, band: &str) -> String {
    format!(
        "An estimate from datasheets and published kernels: no run of {family} with these kernels \
         and this cache is known; {band}."
    )
}

/// Heading of the memory's bar.
pub(crate) fn memory_of(size: &str, copies: bool) -> String {
    let each = if copies {
        " for each copy of the model"
    } else {
        ""
    };
    format!("{size}{each}")
}

/// Where the bar ends.
pub(crate) fn no_room(allowed: &str) -> String {
    format!("The server may take {allowed}, the mark: no room for a cache.")
}

/// What the cache holds.
pub(crate) fn holds(tokens: &str, low: &str, high: &str, states: Option<&str>) -> String {
    let states = states.map_or_else(String::new, |most| format!("; states for {most} sequences"));
    format!("The cache holds {tokens} tokens, {low} to {high} with 0.5 GB less or more{states}.")
}

/// What the server said that the cache holds.
pub(crate) fn budget(tokens: &str) -> String {
    format!("The cache holds {tokens} tokens, as the server says.")
}

/// Sizes of the model.
pub(crate) fn weights_and_cache(
    bits: &str,
    kernels: &str,
    cache: &str,
    token: &str,
    states: Option<&str>,
) -> String {
    let states = states.map_or_else(String::new, |bytes| {
        format!(", states of {bytes} a sequence")
    });
    format!("Weights of {bits} bits ({kernels} kernels); cache {cache}, {token} a token{states}.")
}

/// `rented at 0.22 USD an hour`.
pub(crate) fn rented(amount: &str, currency: &str) -> String {
    format!("rented at {amount} {currency} an hour")
}

/// `bought for 700 USD`.
pub(crate) fn bought(amount: &str, currency: &str) -> String {
    format!("bought for {amount} {currency}")
}

/// `output, USD`.
pub(crate) fn cost_header(currency: &str) -> Vec<String> {
    vec![
        "Way".to_owned(),
        format!("Output tokens, {currency}"),
        format!("Input tokens, {currency}"),
    ]
}

/// Heading of prices in the table of cells.
pub(crate) fn per_million(currency: &str, way: &str) -> String {
    format!("{currency} a million out, {way}")
}

/// How much it works.
pub(crate) fn at_work(share: &str) -> String {
    format!("It works {share} of the hours. Input tokens: one prompt at a time, not cached.")
}

/// Whose rent it is.
pub(crate) fn rent_source(source: &str) -> String {
    format!("Rent: {source}.")
}

/// What owning means.
pub(crate) fn owned(years: &str, electricity: &str, currency: &str, watts: Option<&str>) -> String {
    let watts = watts.map_or_else(
        || "its power is not known, so neither is its price".to_owned(),
        |watts| format!("at {watts} W while decoding"),
    );
    format!("Bought: lasts {years} years; electricity at {electricity} {currency} a kWh, {watts}.")
}

/// Electricity of a million tokens.
pub(crate) fn kwh(amount: &str) -> String {
    format!("A million output tokens take {amount} kWh.")
}

/// When buying pays.
pub(crate) fn break_even(hours: &str, years: &str) -> String {
    format!(
        "Buying has cost less than renting after {hours} hours ({years} years), idle ones included."
    )
}

/// `A beside B`.
pub(crate) fn versus(first: &str, other: &str) -> String {
    format!("{first}, and {other}")
}

/// `x 1.82`.
pub(crate) fn times(ratio: &str) -> String {
    format!("× {ratio}")
}

/// Both rates of a cell.
pub(crate) fn beside(first: &str, other: &str) -> String {
    format!("{first} / {other}")
}

/// What is needed.
pub(crate) fn need(
    model: &str,
    people: &str,
    context: &str,
    rate: &str,
    ttft: Option<&str>,
) -> String {
    let ttft = ttft.map_or_else(String::new, |time| format!(", first token within {time}"));
    format!("{model} for {people} at once at {context} tokens of context, {rate} tok/s each{ttft}")
}

/// How many machines do it.
pub(crate) fn found(count: usize) -> String {
    match count {
        0 => NO_MACHINE.to_owned(),
        1 => "1 machine is enough.".to_owned(),
        count => format!("{count} machines are enough."),
    }
}
