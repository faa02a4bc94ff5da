// Written by `cargo xtask text`; change the catalogues instead.

//! Columns of the tables behind the figures of a run.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "context",
        "requests-at-once",
        "prompt-tokens",
        "warm-share",
        "warm-share-from",
        "mean-depth-tokens",
        "launch",
        "ttft-least",
        "ttft-p95",
        "ttft-most",
        "no-first-token",
        "first-answer-token",
        "ttft-of-restarts",
        "restart-share",
        "gap-p50",
        "gap-p95",
        "gap-p99",
        "longest-gap",
        "gaps",
        "tokens-per-event",
        "interval-basis",
        "drift",
        "streams-sum",
        "servers-own-count",
        "server-running",
        "server-waiting",
        "preemptions",
        "drafts-accepted",
        "arrival-times-from",
        "shared-stamps",
        "token-counts-from",
        "client-queue",
        "read-lag",
        "client-cpu",
        "kv-need-of-budget",
        "ttft-by-server",
        "outside-engine",
        "mean-power",
        "peak-power",
        "power-at-rest",
        "energy",
        "energy-from",
        "j-per-output-token",
        "j-per-prompt-token",
        "processor-power",
        "held-back",
        "power-limited",
        "power-readings",
        "roofline-share",
        "roofline",
        "roofline-bound",
        "short-prompt",
        "tok-s-without-it",
        "ttft-when-cached",
        "samples",
    ],
    [
        include_str!("../../catalogues/en/column.ftl"),
        include_str!("../../catalogues/ja/column.ftl"),
        include_str!("../../catalogues/ko/column.ftl"),
        include_str!("../../catalogues/zh/column.ftl"),
    ],
);

/// `Context`
pub fn context(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Requests at once`
pub fn requests_at_once(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Prompt tokens`
pub fn prompt_tokens(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Warm share`
pub fn warm_share(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Warm share from`
pub fn warm_share_from(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Mean depth, tokens`
pub fn mean_depth_tokens(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Launch`
pub fn launch(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `TTFT, least`
pub fn ttft_least(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `TTFT, p95`
pub fn ttft_p95(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `TTFT, most`
pub fn ttft_most(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `No first token`
pub fn no_first_token(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `First answer token`
pub fn first_answer_token(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `TTFT of restarts`
pub fn ttft_of_restarts(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Restart share`
pub fn restart_share(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Gap p50`
pub fn gap_p50(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Gap p95`
pub fn gap_p95(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `Gap p99`
pub fn gap_p99(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Longest gap`
pub fn longest_gap(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Gaps`
pub fn gaps(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `Tokens per event`
pub fn tokens_per_event(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Cosines or batches`
pub fn interval_basis(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `Drift`
pub fn drift(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `Streams' sum`
pub fn streams_sum(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Server's own count`
pub fn servers_own_count(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Server running`
pub fn server_running(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `Server waiting`
pub fn server_waiting(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `Preemptions`
pub fn preemptions(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `Drafts accepted`
pub fn drafts_accepted(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `Arrival times from`
pub fn arrival_times_from(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `Shared stamps`
pub fn shared_stamps(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `Token counts from`
pub fn token_counts_from(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `Client queue`
pub fn client_queue(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `Read lag p99`
pub fn read_lag(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `Client CPU`
pub fn client_cpu(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `KV need of budget`
pub fn kv_need_of_budget(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `TTFT by the server`
pub fn ttft_by_server(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `Outside the engine`
pub fn outside_engine(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `Mean power`
pub fn mean_power(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `Peak power`
pub fn peak_power(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `Power at rest`
pub fn power_at_rest(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `Energy`
pub fn energy(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `Energy from`
pub fn energy_from(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `Per output token`
pub fn j_per_output_token(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `Per prompt token`
pub fn j_per_prompt_token(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `Processor power`
pub fn processor_power(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `Held back by heat`
pub fn held_back(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `At power limit`
pub fn power_limited(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `Power readings`
pub fn power_readings(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `Share of the roofline`
pub fn roofline_share(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `Roofline, tok/s`
pub fn roofline(language: Language) -> &'static str {
    AREA.plain(language, 49)
}

/// `Limited by`
pub fn roofline_bound(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `Short prompt`
pub fn short_prompt(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `tok/s without it`
pub fn tok_s_without_it(language: Language) -> &'static str {
    AREA.plain(language, 52)
}

/// `TTFT when cached`
pub fn ttft_when_cached(language: Language) -> &'static str {
    AREA.plain(language, 53)
}

/// `Samples`
pub fn samples(language: Language) -> &'static str {
    AREA.plain(language, 54)
}
