// Written by `cargo xtask text`; change the catalogues instead.

//! Statuses: their names, and what each means.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "not-planned",
        "skipped",
        "over-length",
        "over-capacity",
        "over-admission",
        "busy-server",
        "not-ready",
        "interrupted",
        "failed",
        "looped",
        "client-limited",
        "throttled",
        "preempted",
        "queued",
        "restarts",
        "buffered",
        "valid",
        "partly-cached",
        "not-planned-text",
        "skipped-text",
        "over-length-text",
        "busy-server-text",
        "not-ready-text",
        "interrupted-text",
        "failed-once-text",
        "failed-text",
        "looped-text",
        "client-limited-text",
        "throttled-text",
        "preempted-text",
        "queued-text",
        "restarts-text",
        "buffered-text",
        "valid-text",
        "over-capacity-reserve-text",
        "over-capacity-expected-text",
        "over-capacity-try-text",
        "over-admission-text",
        "over-admission-seen-text",
        "prefill-valid-text",
        "prefill-partly-cached-text",
        "prefill-failed-text",
        "prefill-over-length-text",
        "prefill-over-capacity-text",
        "prefill-interrupted-text",
        "imported-rules",
        "ttft-warm",
        "ttft-imported",
        "ttft-unknown",
        "ttft-recomputed",
        "ttft-cold",
    ],
    [
        include_str!("../../catalogues/en/status.ftl"),
        include_str!("../../catalogues/ja/status.ftl"),
        include_str!("../../catalogues/ko/status.ftl"),
        include_str!("../../catalogues/zh/status.ftl"),
    ],
);

/// `Not planned`
pub fn not_planned(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Skipped`
pub fn skipped(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Too long`
pub fn over_length(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Over capacity`
pub fn over_capacity(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Over limit`
pub fn over_admission(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Server busy`
pub fn busy_server(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Did not start`
pub fn not_ready(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Interrupted`
pub fn interrupted(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Failed`
pub fn failed(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Looped`
pub fn looped(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Client limited`
pub fn client_limited(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Throttled`
pub fn throttled(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Ran out of cache`
pub fn preempted(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Requests queued`
pub fn queued(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Short answers`
pub fn restarts(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Buffered`
pub fn buffered(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `Valid`
pub fn valid(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Partly cached`
pub fn partly_cached(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `not run, because no time was left for it.`
pub fn not_planned_text(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `not run; left out by hand.`
pub fn skipped_text(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `not run; context and a short answer exceed the longest request that the server takes.`
pub fn over_length_text(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `not measured, because other people's requests kept the server busy.`
pub fn busy_server_text(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `not measured, because no request produced its first token in time.`
pub fn not_ready_text(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `the measurement was stopped inside this cell.`
pub fn interrupted_text(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `a request failed, so there is no number.`
pub fn failed_once_text(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `a request failed, also when repeated, so there is no number.`
pub fn failed_text(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `the model fell into repeating itself, which is not the work that a number would stand for.`
pub fn looped_text(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `the measuring machine could not keep up; the server may be faster than shown.`
pub fn client_limited_text(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `the accelerator lowered its clocks because of heat or power.`
pub fn throttled_text(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `the cache filled up and the server put requests back; the number includes that.`
pub fn preempted_text(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `fewer requests than asked for were decoded at once; the others waited in the server.`
pub fn queued_text(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `answers ended so early that starting new ones took a noticeable share of the window.`
pub fn restarts_text(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `tokens arrived in bursts, so the rate is sound and the gaps between tokens are not.`
pub fn buffered_text(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `every request decoded through the whole window.`
pub fn valid_text(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `not run; requests × (context + { $longest } output tokens) exceed the server's KV cache (capacity rule: reserve).`
pub fn over_capacity_reserve_text(language: Language, longest: &str) -> String {
    AREA.filled(language, 34, &[("longest", longest.into())])
}

/// `not run; the prompts and the output expected during launch and window need more than 97 % of the server's KV cache (capacity rule: expected).`
pub fn over_capacity_expected_text(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `not run; it does not fit the server's KV cache.`
pub fn over_capacity_try_text(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `not run; a probe showed that the server runs at most { $admission }.`
pub fn over_admission_text(language: Language, admission: &str) -> String {
    AREA.filled(language, 37, &[("admission", admission.into())])
}

/// `not run; more requests than the server was seen to run at once.`
pub fn over_admission_seen_text(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `at least one prompt was computed from the start.`
pub fn prefill_valid_text(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `part of the prompt came from the server's cache, also when repeated.`
pub fn prefill_partly_cached_text(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `every request failed.`
pub fn prefill_failed_text(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `not run; the context exceeds the longest request that the server takes.`
pub fn prefill_over_length_text(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `not run; the context exceeds the server's KV cache.`
pub fn prefill_over_capacity_text(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `stopped before the first sample.`
pub fn prefill_interrupted_text(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `The statuses are the source's; it decided by its own rules.`
pub fn imported_rules(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `TTFT is measured with all requests launched at once and their prompts already in the server's cache, so it mostly excludes prefill.`
pub fn ttft_warm(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `TTFT as reported by the source; whether the prompt cache was warm is not recorded.`
pub fn ttft_imported(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `TTFT is measured with all requests launched at once. The server does not say how much of the prompts came from its cache.`
pub fn ttft_unknown(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `TTFT is measured with all requests launched at once. Up to { $share } % of the prompt tokens were computed again at launch, so it includes that part of prefill.`
pub fn ttft_recomputed(language: Language, share: &str) -> String {
    AREA.filled(language, 49, &[("share", share.into())])
}

/// `TTFT is measured with all requests launched at once. The server does not reuse prompts, so it includes prefill.`
pub fn ttft_cold(language: Language) -> &'static str {
    AREA.plain(language, 50)
}
