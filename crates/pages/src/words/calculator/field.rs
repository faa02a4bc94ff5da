//! Labels of the calculator's fields, and what may stand in them.

/// Label and hint of a field.
pub(crate) fn field(name: &str) -> (&'static str, &'static str) {
    match name {
        "model" => ("Model", "a name or checkpoint, such as Qwen/Qwen3-14B-AWQ"),
        "hardware" => ("Machine", "a card or computer, such as RTX 3090"),
        "tensor_parallel" => ("How many", "1"),
        "quantization" => ("Weights", "by its name"),
        "kv" => ("KV cache", "16 bits"),
        "engine" => ("Engine", "automatic"),
        "at_requests" => ("Requests at once", "1"),
        "at_context" => ("Context, tokens", "8k"),
        "output_tokens" => ("Output, tokens", "512"),
        "shared_prompt" => ("All share one prompt", ""),
        "contexts" => ("Contexts", "0,8k,16k,32k,max"),
        "requests" => ("Requests at once", "1..128x2"),
        "memory_gib" => ("Memory of one, GiB", "as it is sold"),
        "unlocked" | "versus_unlocked" => ("Its maker's limits are off", ""),
        "pipeline_parallel" => ("Pipeline stages", "1"),
        "data_parallel" => ("Copies of the model", "1"),
        "link_gb_per_s" => ("Link between them, GB/s one way", "25"),
        "host_dense_share" => ("Dense weights in host memory, 0 to 1", "0"),
        "host_expert_share" => ("Experts in host memory, 0 to 1", "0"),
        "host_bandwidth_gb_per_s" => ("Host memory, GB/s", "none"),
        "memory_fraction" => ("Share of memory it may take, 0 to 1", "the engine's"),
        "max_sequences" => ("Most sequences", "no limit"),
        "max_length" => ("Longest request, tokens", "the model's"),
        "kv_budget" => ("KV cache it reports, tokens", "calculated"),
        "drafted_tokens" => ("Tokens drafted a step", "none"),
        "accepted_share" => ("Share accepted, 0 to 1", "0.7"),
        "versus" => ("Another machine", "2 x RTX 5060 Ti 16GB"),
        "rent_per_hour" => ("Rent an hour", "0.22"),
        "rent" => ("or known rents", "none"),
        "price" => ("Price to buy", "700"),
        "lifetime_years" => ("Lifetime, years", "3"),
        "electricity_per_kwh" => ("Electricity a kWh", "0.17"),
        "power_overhead" => ("Power factor", "1"),
        "utilization" => ("Share of hours at work, 0 to 1", "1"),
        "currency" => ("Currency", "USD"),
        "people" => ("People at once", "8"),
        "context" => ("Context, tokens", "32k"),
        "tokens_per_s" => ("tok/s for each, at least", "20"),
        "max_ttft" => ("First token within", "any time; 5s, 500ms"),
        _ => ("", ""),
    }
}

/// The empty choice of a list of words.
pub(crate) fn choice(word: &str) -> &'static str {
    match word {
        "low" => "lowest seen",
        "typical" => "typical",
        "high" => "highest seen",
        _ => "",
    }
}

/// Heading of a part of the form.
pub(crate) const MACHINE: &str = "Machine in detail";
pub(crate) const SERVER: &str = "Server and speculation";
pub(crate) const MATRIX: &str = "Rows and columns of the matrix";
pub(crate) const COST: &str = "Cost: rent or buy";
pub(crate) const VERSUS: &str = "What if: another machine beside it";
pub(crate) const QUESTION: &str = "Model and machine";
pub(crate) const LOAD: &str = "Load";
pub(crate) const NEED: &str = "What each person gets";
pub(crate) const ANSWER: &str = "Calculate";
pub(crate) const SLIDER: &str = "slider";
pub(crate) const DID_YOU_MEAN: &str = "Perhaps";
pub(crate) const QUESTION_MODEL: &str = "Model and server";
