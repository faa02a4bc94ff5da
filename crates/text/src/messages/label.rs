// Written by `cargo xtask text`; change the catalogues instead.

//! Labels of what the run document and the calculator name by a word.

use crate::Language;
use crate::catalogue::Area;

static AREA: Area = Area::new(
    &[
        "trust-self-reported",
        "trust-imported",
        "trust-measured",
        "class-discrete-gpu",
        "class-unified-memory",
        "class-cpu",
        "class-simulated",
        "class-unknown",
        "prefill-warm-up",
        "prefill-standalone",
        "prefill-off",
        "term-dense",
        "term-head",
        "term-experts",
        "term-state",
        "term-cache",
        "term-parts",
        "term-routing",
        "term-recurrent",
        "term-sequences",
        "term-exchange",
        "term-host",
        "term-drafting",
    ],
    [
        include_str!("../../catalogues/en/label.ftl"),
        include_str!("../../catalogues/ja/label.ftl"),
        include_str!("../../catalogues/ko/label.ftl"),
        include_str!("../../catalogues/zh/label.ftl"),
    ],
);

/// `Self-reported`
pub fn trust_self_reported(language: Language) -> &'static str {
    AREA.plain(language, 0)
}

/// `Imported`
pub fn trust_imported(language: Language) -> &'static str {
    AREA.plain(language, 1)
}

/// `Measured`
pub fn trust_measured(language: Language) -> &'static str {
    AREA.plain(language, 2)
}

/// `Discrete GPU`
pub fn class_discrete_gpu(language: Language) -> &'static str {
    AREA.plain(language, 3)
}

/// `Unified memory`
pub fn class_unified_memory(language: Language) -> &'static str {
    AREA.plain(language, 4)
}

/// `CPU only`
pub fn class_cpu(language: Language) -> &'static str {
    AREA.plain(language, 5)
}

/// `Simulated`
pub fn class_simulated(language: Language) -> &'static str {
    AREA.plain(language, 6)
}

/// `Unknown`
pub fn class_unknown(language: Language) -> &'static str {
    AREA.plain(language, 7)
}

/// `Measured during decode warm-up`
pub fn prefill_warm_up(language: Language) -> &'static str {
    AREA.plain(language, 8)
}

/// `Standalone`
pub fn prefill_standalone(language: Language) -> &'static str {
    AREA.plain(language, 9)
}

/// `Off`
pub fn prefill_off(language: Language) -> &'static str {
    AREA.plain(language, 10)
}

/// `linear layers`
pub fn term_dense(language: Language) -> &'static str {
    AREA.plain(language, 11)
}

/// `output head`
pub fn term_head(language: Language) -> &'static str {
    AREA.plain(language, 12)
}

/// `experts`
pub fn term_experts(language: Language) -> &'static str {
    AREA.plain(language, 13)
}

/// `states`
pub fn term_state(language: Language) -> &'static str {
    AREA.plain(language, 14)
}

/// `KV cache`
pub fn term_cache(language: Language) -> &'static str {
    AREA.plain(language, 15)
}

/// `kernel launches`
pub fn term_parts(language: Language) -> &'static str {
    AREA.plain(language, 16)
}

/// `routing`
pub fn term_routing(language: Language) -> &'static str {
    AREA.plain(language, 17)
}

/// `launches of recurrent layers`
pub fn term_recurrent(language: Language) -> &'static str {
    AREA.plain(language, 18)
}

/// `scheduling and sampling`
pub fn term_sequences(language: Language) -> &'static str {
    AREA.plain(language, 19)
}

/// `exchange between accelerators`
pub fn term_exchange(language: Language) -> &'static str {
    AREA.plain(language, 20)
}

/// `host's memory`
pub fn term_host(language: Language) -> &'static str {
    AREA.plain(language, 21)
}

/// `drafting`
pub fn term_drafting(language: Language) -> &'static str {
    AREA.plain(language, 22)
}
