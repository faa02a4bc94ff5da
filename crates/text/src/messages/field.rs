// Written by `cargo xtask text`; change the catalogues instead.

//! Fields of the calculator: labels, and hints of what may stand in them.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "model",
        "model-hint",
        "hardware",
        "hardware-hint",
        "tensor-parallel",
        "quantization",
        "quantization-hint",
        "kv",
        "kv-hint",
        "engine",
        "engine-hint",
        "at-requests",
        "at-context",
        "output-tokens",
        "shared-prompt",
        "contexts",
        "memory-gib",
        "memory-gib-hint",
        "unlocked",
        "pipeline-parallel",
        "data-parallel",
        "link-gb-per-s",
        "host-dense-share",
        "host-expert-share",
        "host-bandwidth-gb-per-s",
        "memory-fraction",
        "memory-fraction-hint",
        "max-sequences",
        "max-sequences-hint",
        "max-length",
        "max-length-hint",
        "kv-budget",
        "kv-budget-hint",
        "drafted-tokens",
        "accepted-share",
        "none-hint",
        "versus",
        "rent-per-hour",
        "rent",
        "price",
        "lifetime-years",
        "electricity-per-kwh",
        "power-overhead",
        "utilization",
        "currency",
        "people",
        "tokens-per-s",
        "max-ttft",
        "max-ttft-hint",
        "rent-low",
        "rent-typical",
        "rent-high",
        "part-machine",
        "part-server",
        "part-matrix",
        "part-cost",
        "part-versus",
        "part-question",
        "part-load",
        "part-need",
        "part-question-model",
        "answer",
        "slider",
        "label-slider",
        "did-you-mean",
    ],
    [
        include_str!("../../catalogues/en/field.ftl"),
        include_str!("../../catalogues/ja/field.ftl"),
        include_str!("../../catalogues/ko/field.ftl"),
        include_str!("../../catalogues/zh/field.ftl"),
    ],
);

/// `Model`
pub fn model(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `a name or checkpoint, such as Qwen/Qwen3-14B-AWQ`
pub fn model_hint(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Machine`
pub fn hardware(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `a card or computer, such as RTX 3090`
pub fn hardware_hint(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `How many`
pub fn tensor_parallel(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `Weights`
pub fn quantization(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `by its name`
pub fn quantization_hint(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `KV cache`
pub fn kv(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `16 bits`
pub fn kv_hint(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Engine`
pub fn engine(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `automatic`
pub fn engine_hint(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `Requests at once`
pub fn at_requests(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `Context, tokens`
pub fn at_context(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `Output, tokens`
pub fn output_tokens(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `All share one prompt`
pub fn shared_prompt(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `Contexts`
pub fn contexts(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `Memory of one, GiB`
pub fn memory_gib(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `as it is sold`
pub fn memory_gib_hint(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `Its maker's limits are off`
pub fn unlocked(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `Pipeline stages`
pub fn pipeline_parallel(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `Copies of the model`
pub fn data_parallel(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `Link between them, GB/s one way`
pub fn link_gb_per_s(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `Dense weights in host memory, 0 to 1`
pub fn host_dense_share(language: Language) -> &'static str {
    AREA.plain(language, 22)
}

/// `Experts in host memory, 0 to 1`
pub fn host_expert_share(language: Language) -> &'static str {
    AREA.plain(language, 23)
}

/// `Host memory, GB/s`
pub fn host_bandwidth_gb_per_s(language: Language) -> &'static str {
    AREA.plain(language, 24)
}

/// `Share of memory it may take, 0 to 1`
pub fn memory_fraction(language: Language) -> &'static str {
    AREA.plain(language, 25)
}

/// `the engine's`
pub fn memory_fraction_hint(language: Language) -> &'static str {
    AREA.plain(language, 26)
}

/// `Most sequences`
pub fn max_sequences(language: Language) -> &'static str {
    AREA.plain(language, 27)
}

/// `no limit`
pub fn max_sequences_hint(language: Language) -> &'static str {
    AREA.plain(language, 28)
}

/// `Longest request, tokens`
pub fn max_length(language: Language) -> &'static str {
    AREA.plain(language, 29)
}

/// `the model's`
pub fn max_length_hint(language: Language) -> &'static str {
    AREA.plain(language, 30)
}

/// `KV cache it reports, tokens`
pub fn kv_budget(language: Language) -> &'static str {
    AREA.plain(language, 31)
}

/// `calculated`
pub fn kv_budget_hint(language: Language) -> &'static str {
    AREA.plain(language, 32)
}

/// `Tokens drafted a step`
pub fn drafted_tokens(language: Language) -> &'static str {
    AREA.plain(language, 33)
}

/// `Share accepted, 0 to 1`
pub fn accepted_share(language: Language) -> &'static str {
    AREA.plain(language, 34)
}

/// `none`
pub fn none_hint(language: Language) -> &'static str {
    AREA.plain(language, 35)
}

/// `Another machine`
pub fn versus(language: Language) -> &'static str {
    AREA.plain(language, 36)
}

/// `Rent an hour`
pub fn rent_per_hour(language: Language) -> &'static str {
    AREA.plain(language, 37)
}

/// `or known rents`
pub fn rent(language: Language) -> &'static str {
    AREA.plain(language, 38)
}

/// `Price to buy`
pub fn price(language: Language) -> &'static str {
    AREA.plain(language, 39)
}

/// `Lifetime, years`
pub fn lifetime_years(language: Language) -> &'static str {
    AREA.plain(language, 40)
}

/// `Electricity a kWh`
pub fn electricity_per_kwh(language: Language) -> &'static str {
    AREA.plain(language, 41)
}

/// `Power factor`
pub fn power_overhead(language: Language) -> &'static str {
    AREA.plain(language, 42)
}

/// `Share of hours at work, 0 to 1`
pub fn utilization(language: Language) -> &'static str {
    AREA.plain(language, 43)
}

/// `Currency`
pub fn currency(language: Language) -> &'static str {
    AREA.plain(language, 44)
}

/// `People at once`
pub fn people(language: Language) -> &'static str {
    AREA.plain(language, 45)
}

/// `tok/s for each, at least`
pub fn tokens_per_s(language: Language) -> &'static str {
    AREA.plain(language, 46)
}

/// `First token within`
pub fn max_ttft(language: Language) -> &'static str {
    AREA.plain(language, 47)
}

/// `any time; 5s, 500ms`
pub fn max_ttft_hint(language: Language) -> &'static str {
    AREA.plain(language, 48)
}

/// `lowest seen`
pub fn rent_low(language: Language) -> &'static str {
    AREA.plain(language, 49)
}

/// `typical`
pub fn rent_typical(language: Language) -> &'static str {
    AREA.plain(language, 50)
}

/// `highest seen`
pub fn rent_high(language: Language) -> &'static str {
    AREA.plain(language, 51)
}

/// `Machine in detail`
pub fn part_machine(language: Language) -> &'static str {
    AREA.plain(language, 52)
}

/// `Server and speculation`
pub fn part_server(language: Language) -> &'static str {
    AREA.plain(language, 53)
}

/// `Rows and columns of the matrix`
pub fn part_matrix(language: Language) -> &'static str {
    AREA.plain(language, 54)
}

/// `Cost: rent or buy`
pub fn part_cost(language: Language) -> &'static str {
    AREA.plain(language, 55)
}

/// `What if: another machine beside it`
pub fn part_versus(language: Language) -> &'static str {
    AREA.plain(language, 56)
}

/// `Model and machine`
pub fn part_question(language: Language) -> &'static str {
    AREA.plain(language, 57)
}

/// `Load`
pub fn part_load(language: Language) -> &'static str {
    AREA.plain(language, 58)
}

/// `What each person gets`
pub fn part_need(language: Language) -> &'static str {
    AREA.plain(language, 59)
}

/// `Model and server`
pub fn part_question_model(language: Language) -> &'static str {
    AREA.plain(language, 60)
}

/// `Calculate`
pub fn answer(language: Language) -> &'static str {
    AREA.plain(language, 61)
}

/// `slider`
pub fn slider(language: Language) -> &'static str {
    AREA.plain(language, 62)
}

/// `{ $label }, slider`
pub fn label_slider(language: Language, label: &str) -> String {
    AREA.filled(language, 63, &[("label", label.into())])
}

/// `Perhaps`
pub fn did_you_mean(language: Language) -> &'static str {
    AREA.plain(language, 64)
}
