// Written by `cargo xtask text`; change the catalogues instead.

//! Labels of the facts on the cards of a run.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "kind",
        "gpu",
        "vram",
        "not-used",
        "cpu",
        "ram",
        "os",
        "driver",
        "facts",
        "roofline",
        "weights-and-cache",
        "engine",
        "version",
        "quantization",
        "backend",
        "build",
        "kv-cache-type",
        "longest-request",
        "most-requests-at-once",
        "prefix-cache",
        "served-model",
        "repository",
        "file",
        "weights",
        "revision",
        "decode-test",
        "prefill-mode",
        "time-per-measurement",
        "max-output",
        "capacity-rule",
        "profile",
        "endpoint",
        "prompts",
        "seed",
        "kv-budget",
        "admission-limit",
        "ttft-of-a-short-prompt",
        "started",
        "ended",
    ],
    [
        include_str!("../../catalogues/en/fact.ftl"),
        include_str!("../../catalogues/ja/fact.ftl"),
        include_str!("../../catalogues/ko/fact.ftl"),
        include_str!("../../catalogues/zh/fact.ftl"),
    ],
);

/// `Type`
pub fn kind(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `GPU`
pub fn gpu(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `VRAM`
pub fn vram(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Not used by the server`
pub fn not_used(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `CPU`
pub fn cpu(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `RAM`
pub fn ram(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `OS`
pub fn os(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Driver`
pub fn driver(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Source of facts`
pub fn facts(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Memory bandwidth`
pub fn roofline(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Weights and cache`
pub fn weights_and_cache(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Engine`
pub fn engine(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Version`
pub fn version(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Quantization`
pub fn quantization(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `Backend`
pub fn backend(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Build`
pub fn build(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `KV cache type`
pub fn kv_cache_type(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `Longest request`
pub fn longest_request(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Most requests at once`
pub fn most_requests_at_once(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `Prefix cache`
pub fn prefix_cache(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Served model`
pub fn served_model(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `Repository`
pub fn repository(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `File`
pub fn file(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Weights`
pub fn weights(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Revision`
pub fn revision(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `Decode test`
pub fn decode_test(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `Prefill mode`
pub fn prefill_mode(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `Time per measurement`
pub fn time_per_measurement(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `Max output`
pub fn max_output(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `Capacity rule`
pub fn capacity_rule(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `Profile`
pub fn profile(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `Endpoint`
pub fn endpoint(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `Prompts`
pub fn prompts(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `Seed`
pub fn seed(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `KV budget`
pub fn kv_budget(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `Admission limit`
pub fn admission_limit(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `TTFT of a short prompt`
pub fn ttft_of_a_short_prompt(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `Started`
pub fn started(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `Ended`
pub fn ended(language: Language) -> &'static str {
    AREA.plain(language, 38)
}
