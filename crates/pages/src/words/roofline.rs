//! Words about the share of the roofline.

pub(crate) const TITLE: &str = "Share of the roofline";
pub(crate) const MEASURED: &str = "measured";
pub(crate) const CATALOGUE: &str = "catalogue's";
pub(crate) const FROM_CATALOGUE: &str = "from the catalogue";
pub(crate) const MEMORY: &str = "memory";
pub(crate) const COMPUTE: &str = "compute";
pub(crate) const THE_MODEL: &str = "the model";
pub(crate) const THE_MACHINE: &str = "the machine";

/// Why a share may be above 1.
pub(crate) const ABOVE: &str = "above 100 %: something is not as the limit assumes. Requests that \
     share a prompt are served from the chip's own cache, tokens of a mixture take the same experts, \
     drafted tokens are accepted, the weights are smaller than thought, or the memory is faster";

/// Where a server drafts and the tokens of a step are not known.
pub(crate) const COUNTS_TOKENS: &str = "the server drafts tokens, and how many a step gives is not \
     known: the share counts tokens against steps of one token";

/// `936 GB/s`, `2 × 936 GB/s`.
pub(crate) fn bandwidth(count: u32, gb_s: &str) -> String {
    match count {
        0 | 1 => format!("{gb_s} GB/s"),
        several => format!("{several} × {gb_s} GB/s"),
    }
}

/// `38.0 % of the measured 936 GB/s memory roofline, 343.5 tok/s`.
pub(crate) fn of_memory(share: &str, whose: &str, bandwidth: &str, limit: &str) -> String {
    format!("{share} of the {whose} {bandwidth} memory roofline, {limit} tok/s")
}

/// `38.0 % of the catalogue's compute roofline, 12,345 tok/s`. The arithmetic is never measured.
pub(crate) fn of_compute(share: &str, limit: &str) -> String {
    format!("{share} of the {CATALOGUE} compute roofline, {limit} tok/s")
}

/// `74.0 %`, `28.3 % to 73.6 %`.
pub(crate) fn span(low: &str, high: &str) -> String {
    if low == high {
        low.to_owned()
    } else {
        format!("{low} to {high}")
    }
}

/// The whole run in a sentence.
pub(crate) fn of_run(span: &str, whose: &str, bandwidth: &str, name: &str, best: &str) -> String {
    format!(
        "{TITLE}: {span} of what the {whose} {bandwidth} ({name}) allow at each depth and number of \
         requests; the highest {best}."
    )
}

/// A run without shares.
pub(crate) fn not_known(reasons: &str) -> String {
    format!("{TITLE}: not known. {reasons}.")
}

/// A run whose inputs are known and whose cells have no figure to compare.
pub(crate) const NOTHING_TO_COMPARE: &str =
    "no cell has both a rate and a depth to compare with the limit";

/// `the model: …`.
pub(crate) fn because(what: &str, reason: &str) -> String {
    format!("{what}: {reason}")
}

/// `936 GB/s, from the catalogue (NVIDIA RTX 3090)`.
pub(crate) fn machine(bandwidth: &str, from: &str, name: &str) -> String {
    format!("{bandwidth}, {from} ({name})")
}

/// `8.6 GB of weights, 192.0 KiB of cache a token (from deepseek-ai/…)`.
pub(crate) fn model(weights: &str, cache: &str, name: &str) -> String {
    format!("{weights} of weights, {cache} KiB of cache a token (from {name})")
}

/// Short enough for a cell of a terminal's table.
pub(crate) fn in_cell(share: &str) -> String {
    format!("{share} roof")
}
