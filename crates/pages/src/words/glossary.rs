//! The numbers of a run page, defined in one sentence each.

/// Term and meaning.
pub(crate) const TERMS: [(&str, &str); 9] = [
    (
        "Total tok/s",
        "tokens that arrived inside the window, over the window's length, all requests together.",
    ),
    (
        "Per request tok/s",
        "the median over requests of each one's own rate inside the window.",
    ),
    (
        "TTFT",
        "from sending a request to its first token: the median over the requests of a cell, which \
         all start at once; in prefill one request alone, with nothing cached.",
    ),
    (
        "Time between tokens",
        "1,000 divided by per request tok/s, in milliseconds.",
    ),
    (
        "Average active requests",
        "how many requests were decoding, averaged over the window.",
    ),
    (
        "95 % interval",
        "how steady the rate was inside the window. It does not say how well another run would agree.",
    ),
    (
        "Prefill tok/s",
        "prompt tokens over TTFT of one request on an idle server, nothing cached.",
    ),
    (
        "Power and energy",
        "of the accelerators, what they draw at rest included. Per output token over the window of \
         a cell; per prompt token from sending a prefill's prompt to its first token, over the \
         tokens that were not cached.",
    ),
    (
        super::roofline::TITLE,
        "the rate over what the machine's memory bandwidth and arithmetic allow this model at most, at \
         the cell's own depth and number of requests. Nothing is counted for the engine's own work.",
    ),
];
