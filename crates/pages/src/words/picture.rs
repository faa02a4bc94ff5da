//! Words that only pictures have.

/// Below the heading of the matrix.
pub(crate) const MATRIX: &str = "Total tok/s of all requests, by context (rows) and requests at once \
     (columns); below it the median time to first token.";

/// Above the matrix of a social card, which has no room for the words of a marked cell.
pub(crate) fn card(has_marked: bool) -> String {
    let edge = if has_marked {
        "; an edge: to be read with care"
    } else {
        ""
    };
    format!("Sustained decode, total tok/s by context (rows) and requests at once (columns){edge}")
}

/// `on RTX 3090 24GB`.
pub(crate) fn on(machine: &str) -> String {
    format!("{}{machine}", super::ON).trim_start().to_owned()
}

/// `44 ms TTFT`.
pub(crate) fn ttft(ttft: &str) -> String {
    format!("{ttft} {}", super::TTFT)
}

/// `Failed: a request failed.`
pub(crate) fn status(label: &str, meaning: &str) -> String {
    format!("{label}: {meaning}")
}

/// `126.6 tok/s one request, context 0`.
pub(crate) fn figure(value: &str, what: &str) -> String {
    format!("{value} {what}")
}
