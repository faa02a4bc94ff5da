//! Labels of facts and columns.

/// Facts on the cards.
pub(crate) mod fact {
    pub(crate) const TYPE: &str = "Type";
    pub(crate) const GPU: &str = "GPU";
    pub(crate) const VRAM: &str = "VRAM";
    pub(crate) const NOT_USED: &str = "Not used by the server";
    pub(crate) const CPU: &str = "CPU";
    pub(crate) const RAM: &str = "RAM";
    pub(crate) const OS: &str = "OS";
    pub(crate) const DRIVER: &str = "Driver";
    pub(crate) const FACTS: &str = "Source of facts";
    pub(crate) const ENGINE: &str = "Engine";
    pub(crate) const VERSION: &str = "Version";
    pub(crate) const QUANTIZATION: &str = "Quantization";
    pub(crate) const BACKEND: &str = "Backend";
    pub(crate) const BUILD: &str = "Build";
    pub(crate) const KV_CACHE_TYPE: &str = "KV cache type";
    pub(crate) const LONGEST_REQUEST: &str = "Longest request";
    pub(crate) const MOST_REQUESTS_AT_ONCE: &str = "Most requests at once";
    pub(crate) const PREFIX_CACHE: &str = "Prefix cache";
    pub(crate) const SERVED_MODEL: &str = "Served model";
    pub(crate) const REPOSITORY: &str = "Repository";
    pub(crate) const FILE: &str = "File";
    pub(crate) const WEIGHTS: &str = "Weights";
    pub(crate) const REVISION: &str = "Revision";
    pub(crate) const DECODE_TEST: &str = "Decode test";
    pub(crate) const PREFILL_MODE: &str = "Prefill mode";
    pub(crate) const TIME_PER_MEASUREMENT: &str = "Time per measurement";
    pub(crate) const MAX_OUTPUT: &str = "Max output";
    pub(crate) const CAPACITY_RULE: &str = "Capacity rule";
    pub(crate) const PROFILE: &str = "Profile";
    pub(crate) const ENDPOINT: &str = "Endpoint";
    pub(crate) const PROMPTS: &str = "Prompts";
    pub(crate) const SEED: &str = "Seed";
    pub(crate) const KV_BUDGET: &str = "KV budget";
    pub(crate) const ADMISSION_LIMIT: &str = "Admission limit";
    pub(crate) const TTFT_OF_A_SHORT_PROMPT: &str = "TTFT of a short prompt";
    pub(crate) const STARTED: &str = "Started";
    pub(crate) const ENDED: &str = "Ended";
}

/// Columns of the tables behind the figures.
pub(crate) mod column {
    pub(crate) const CONTEXT: &str = "Context";
    pub(crate) const REQUESTS_AT_ONCE: &str = "Requests at once";
    pub(crate) const PROMPT_TOKENS: &str = "Prompt tokens";
    pub(crate) const WARM_SHARE: &str = "Warm share";
    pub(crate) const WARM_SHARE_FROM: &str = "Warm share from";
    pub(crate) const MEAN_DEPTH_TOKENS: &str = "Mean depth, tokens";
    pub(crate) const LAUNCH: &str = "Launch";
    pub(crate) const TTFT_LEAST: &str = "TTFT, least";
    pub(crate) const TTFT_P95: &str = "TTFT, p95";
    pub(crate) const TTFT_MOST: &str = "TTFT, most";
    pub(crate) const NO_FIRST_TOKEN: &str = "No first token";
    pub(crate) const FIRST_ANSWER_TOKEN: &str = "First answer token";
    pub(crate) const TTFT_OF_RESTARTS: &str = "TTFT of restarts";
    pub(crate) const RESTART_SHARE: &str = "Restart share";
    pub(crate) const GAP_P50: &str = "Gap p50";
    pub(crate) const GAP_P95: &str = "Gap p95";
    pub(crate) const GAP_P99: &str = "Gap p99";
    pub(crate) const LONGEST_GAP: &str = "Longest gap";
    pub(crate) const GAPS: &str = "Gaps";
    pub(crate) const TOKENS_PER_EVENT: &str = "Tokens per event";
    pub(crate) const BATCHES: &str = "Batches";
    pub(crate) const DRIFT: &str = "Drift";
    pub(crate) const STREAMS_SUM: &str = "Streams' sum";
    pub(crate) const SERVERS_OWN_COUNT: &str = "Server's own count";
    pub(crate) const SERVER_RUNNING: &str = "Server running";
    pub(crate) const SERVER_WAITING: &str = "Server waiting";
    pub(crate) const PREEMPTIONS: &str = "Preemptions";
    pub(crate) const DRAFTS_ACCEPTED: &str = "Drafts accepted";
    pub(crate) const ARRIVAL_TIMES_FROM: &str = "Arrival times from";
    pub(crate) const SHARED_STAMPS: &str = "Shared stamps";
    pub(crate) const TOKEN_COUNTS_FROM: &str = "Token counts from";
    pub(crate) const CLIENT_QUEUE: &str = "Client queue";
    pub(crate) const READ_LAG: &str = "Read lag p99";
    pub(crate) const CLIENT_CPU: &str = "Client CPU";
    pub(crate) const KV_NEED_OF_BUDGET: &str = "KV need of budget";
    pub(crate) const TTFT_BY_SERVER: &str = "TTFT by the server";
    pub(crate) const OUTSIDE_ENGINE: &str = "Outside the engine";
    pub(crate) const MEAN_POWER: &str = "Mean power";
    pub(crate) const PEAK_POWER: &str = "Peak power";
    pub(crate) const POWER_AT_REST: &str = "Power at rest";
    pub(crate) const ENERGY: &str = "Energy";
    pub(crate) const ENERGY_FROM: &str = "Energy from";
    pub(crate) const J_PER_OUTPUT_TOKEN: &str = "Per output token";
    pub(crate) const J_PER_PROMPT_TOKEN: &str = "Per prompt token";
    pub(crate) const PROCESSOR_POWER: &str = "Processor power";
    pub(crate) const HELD_BACK: &str = "Held back by heat";
    pub(crate) const POWER_LIMITED: &str = "At power limit";
    pub(crate) const POWER_READINGS: &str = "Power readings";
    pub(crate) const SHORT_PROMPT: &str = "Short prompt";
    pub(crate) const TOK_S_WITHOUT_IT: &str = "tok/s without it";
    pub(crate) const TTFT_WHEN_CACHED: &str = "TTFT when cached";
    pub(crate) const SAMPLES: &str = "Samples";
}
