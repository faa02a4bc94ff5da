//! What each status means, in our own words, with the rule that decided.

use std::borrow::Cow;

use tokmark_run_format::{CapacityRule, CellStatus, PrefillStatus, RunDocument};
use tokmark_units::format;

/// Stands before the legend of an imported run: its statuses follow the source's rules.
pub(crate) const IMPORTED_RULES: &str =
    "The statuses are the source's; it decided by its own rules.";

/// The meaning of a decode status.
pub(crate) fn decode(status: CellStatus, run: &RunDocument) -> Cow<'static, str> {
    let text = match status {
        CellStatus::OverCapacity => return over_capacity(run),
        CellStatus::OverAdmission => return over_admission(run),
        CellStatus::NotPlanned => "not run: no time was left for it, or the run was stopped.",
        CellStatus::Skipped => "not run; left out by hand.",
        CellStatus::OverLength => {
            "not run; context and a short answer exceed the longest request that the server takes."
        }
        CellStatus::BusyServer => {
            "not measured, because other people's requests kept the server busy."
        }
        CellStatus::NotReady => {
            "not measured, because no request produced its first token in time."
        }
        CellStatus::Interrupted => "the measurement was stopped inside this cell.",
        CellStatus::Failed if run.source.is_some() => "a request failed, so there is no number.",
        CellStatus::Failed => "a request failed, also when repeated, so there is no number.",
        CellStatus::Looped => {
            "the model fell into repeating itself, which is not the work that a number would stand for."
        }
        CellStatus::ClientLimited => {
            "the measuring machine could not keep up; the server may be faster than shown."
        }
        CellStatus::Throttled => "the accelerator lowered its clocks because of heat or power.",
        CellStatus::Preempted => {
            "the cache filled up and the server put requests back; the number includes that."
        }
        CellStatus::Queued => {
            "fewer requests than asked for were decoded at once; the others waited in the server."
        }
        CellStatus::Restarts => {
            "answers ended so early that starting new ones took a noticeable share of the window."
        }
        CellStatus::Buffered => {
            "tokens arrived in bursts, so the rate is sound and the gaps between tokens are not."
        }
        CellStatus::Valid => "every request decoded through the whole window.",
    };
    text.into()
}

fn over_capacity(run: &RunDocument) -> Cow<'static, str> {
    match run.plan.capacity {
        CapacityRule::Reserve => {
            let longest = format::count(run.plan.max_output_tokens);
            format!(
                "not run; requests × (context + {longest} output tokens) exceed the server's KV \
                 cache (capacity rule: reserve)."
            )
            .into()
        }
        CapacityRule::Expected => "not run; the prompts and the output expected during launch and \
             window need more than 97 % of the server's KV cache (capacity rule: expected)."
            .into(),
        CapacityRule::Try => "not run; it does not fit the server's KV cache.".into(),
    }
}

fn over_admission(run: &RunDocument) -> Cow<'static, str> {
    match run.admission_limit {
        Some(limit) => format!(
            "not run; a probe showed that the server runs at most {}.",
            super::admission(limit)
        )
        .into(),
        None => "not run; more requests than the server was seen to run at once.".into(),
    }
}

/// The meaning of a prefill status.
pub(crate) fn prefill(status: PrefillStatus) -> &'static str {
    match status {
        PrefillStatus::Valid => "at least one prompt was computed from the start.",
        PrefillStatus::PartlyCached => {
            "part of the prompt came from the server's cache, also when repeated."
        }
        PrefillStatus::Failed => "every request failed.",
        PrefillStatus::OverLength => {
            "not run; the context exceeds the longest request that the server takes."
        }
        PrefillStatus::OverCapacity => "not run; the context exceeds the server's KV cache.",
        PrefillStatus::Interrupted => "stopped before the first sample.",
    }
}

/// Where every prompt at launch came from the cache.
pub(crate) const TTFT_WARM: &str = "TTFT is measured with all requests launched at once and their \
     prompts already in the server's cache, so it mostly excludes prefill.";

/// Where an import does not say.
pub(crate) const TTFT_IMPORTED: &str =
    "TTFT as reported by the source; whether the prompt cache was warm is not recorded.";

/// Where the server does not say.
pub(crate) const TTFT_UNKNOWN: &str = "TTFT is measured with all requests launched at once. \
     The server does not say how much of the prompts came from its cache.";

/// Where part of the prompts was computed again: the share of the coldest cell.
pub(crate) fn ttft_recomputed(share: f64) -> String {
    format!(
        "TTFT is measured with all requests launched at once. Up to {} % of the prompt tokens were \
         computed again at launch, so it includes that part of prefill.",
        format::decimal(share * 100.0, 0)
    )
}

/// Where prefix caching is off.
pub(crate) const TTFT_COLD: &str = "TTFT is measured with all requests launched at once. The \
     server does not reuse prompts, so it includes prefill.";
