//! Worked values: figures that were calculated or measured elsewhere.

use tokmark_catalog::roofline::{Bound, Load, TermKind};
use tokmark_catalog::{KvCache, Machine, Roofline, WeightFormat};

use crate::{hardware, model};

fn near(given: f64, expect: f64, tolerance: f64, what: &str) {
    assert!(
        (given / expect - 1.0).abs() <= tolerance,
        "{what}: {given}, not {expect}"
    );
}

/// Published batch-1 results of DeepSeek-R1-Distill-Qwen-14B as `Q4_K_M`, whose file has 8.99 GB, of
/// which a step reads 8.55: measured rate over the ceiling is the apparent efficiency.
#[test]
fn a_14b_file_on_ten_machines() {
    let spec = model("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B")
        .spec(WeightFormat::parse("Q4_K_M").unwrap())
        .unwrap();
    near(spec.weights.bytes() / 1e9, 8.99, 0.01, "file");
    near(
        spec.weights.read_whole_bytes() / 1e9,
        8.55,
        0.01,
        "read a step",
    );
    let check = |id: &str, measured: f64, efficiency: f64| {
        let machine = Machine::of(hardware(id));
        let limit = Roofline::decode(&spec, machine, &Load::new(1.0, 0.0, KvCache::F16));
        assert_eq!(limit.bound(), Bound::Memory, "{id}");
        let given = measured / limit.tokens_per_s().unwrap();
        assert!((given - efficiency).abs() < 0.015, "{id}: {given}");
    };
    check("nvidia-rtx-4090", 92.5, 0.78);
    check("nvidia-rtx-4070-ti", 49.7, 0.84);
    check("nvidia-rtx-3080-ti", 70.7, 0.66);
    check("nvidia-rtx-3060-12-gb", 29.8, 0.71);
    check("nvidia-rtx-2080-ti", 45.1, 0.63);
    check("nvidia-rtx-a4000", 36.2, 0.69);
    check("amd-radeon-ai-pro-r9700", 53.7, 0.72);
    check("nvidia-gb10-dgx-spark", 23.9, 0.75);
    check("apple-m3-ultra", 51.9, 0.54);
    check("apple-m1-ultra", 35.9, 0.38);
}

/// A published result of a 27B hybrid as `Q8_0` on Strix Halo: a file of 29.04 GB with its vision
/// part, 7.80 tok/s, 0.83 of the bandwidth.
#[test]
fn a_27b_file_on_strix_halo() {
    let spec = model("Qwen/Qwen3.6-27B")
        .spec(WeightFormat::parse("Q8_0").unwrap())
        .unwrap();
    near(spec.weights.bytes() / 1e9, 29.04, 0.02, "file");
    let machine = Machine::of(hardware("amd-ryzen-ai-max-plus-395-strix-halo-8060s"));
    let limit = Roofline::decode(&spec, machine, &Load::new(1.0, 0.0, KvCache::F16));
    near(
        7.80 / limit.tokens_per_s().unwrap(),
        0.83,
        0.03,
        "efficiency",
    );
}

/// The head of a 4B model with a vocabulary of 248k is 1.27 of 3.12 GB that a step reads.
#[test]
fn a_large_vocabulary_weighs() {
    let format = WeightFormat::parse("W4A16").unwrap();
    let spec = model("Qwen/Qwen3.5-4B").spec(format).unwrap();
    near(spec.weights.head.bytes / 1e9, 1.27, 0.005, "head");
    near(
        spec.weights.read_whole_bytes() / 1e9,
        3.12,
        0.03,
        "read a step",
    );
}

/// At long contexts the slope of the step time is the cache: 196,608 bytes a token of a 14B model in
/// 16 bits. A page measured 870 GB/s on a card of 936: 93 %.
#[test]
fn the_slope_over_context_is_the_cache() {
    let spec = model("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B")
        .spec(WeightFormat::AWQ)
        .unwrap();
    let machine = Machine::of(hardware("nvidia-rtx-3090"));
    let seconds = |context: f64| {
        Roofline::decode(&spec, machine, &Load::new(1.0, context, KvCache::F16)).seconds()
    };
    let slope = (seconds(48.0 * 1024.0) - seconds(16.0 * 1024.0)) / (32.0 * 1024.0);
    near(slope, 196_608.0 / 936.2e9, 1e-9, "seconds a token");
    near(870.0 / 936.2, 0.93, 0.005, "efficiency");
}

/// 128 experts, 8 a token: 8, 15.5, 29, 52, 82 are touched by 1, 2, 4, 8, 16 sequences.
#[test]
fn a_batch_reads_the_experts_that_it_touches() {
    let spec = model("Qwen/Qwen3-Coder-30B-A3B-Instruct")
        .spec(WeightFormat::AWQ)
        .unwrap();
    let machine = Machine::of(hardware("nvidia-rtx-3090"));
    for (requests, experts) in [
        (1.0, 8.0),
        (2.0, 15.5),
        (4.0, 29.0),
        (8.0, 52.0),
        (16.0, 82.0),
    ] {
        let step = Roofline::decode(&spec, machine, &Load::new(requests, 0.0, KvCache::F16));
        let read = step.term(TermKind::Experts).unwrap().bytes / spec.weights.experts.bytes;
        assert!(
            (read * 128.0 - experts).abs() < 0.5,
            "{requests}: {}",
            read * 128.0
        );
        let best = Load::new(requests, 0.0, KvCache::F16).at_best();
        let least = Roofline::decode(&spec, machine, &best);
        let read = least.term(TermKind::Experts).unwrap().bytes / spec.weights.experts.bytes;
        near(read, 8.0 / 128.0, 1e-9, "active experts only");
        assert!(least.tokens_per_s() >= step.tokens_per_s());
    }
}

/// Mamba's state is read and written for each sequence: 2 · 49.1 MB for Nemotron-3-Nano.
#[test]
fn states_go_both_ways() {
    let spec = model("nvidia/Nemotron-Cascade-2-30B-A3B")
        .spec(WeightFormat::AWQ)
        .unwrap();
    let machine = Machine::of(hardware("nvidia-rtx-3090"));
    let step = Roofline::decode(&spec, machine, &Load::new(8.0, 1024.0, KvCache::F16));
    near(
        step.term(TermKind::State).unwrap().bytes,
        8.0 * 2.0 * 49.1e6,
        0.002,
        "state",
    );
    near(
        step.term(TermKind::KvCache).unwrap().bytes,
        8.0 * 1024.0 * 6144.0,
        1e-9,
        "cache",
    );
}

/// gpt-oss: 12 layers read everything, 12 at most 128 tokens.
#[test]
fn sliding_layers_read_their_window() {
    let spec = model("openai/gpt-oss-20b")
        .spec(WeightFormat::Mxfp4)
        .unwrap();
    let token = 2.0 * 8.0 * 64.0 * 2.0 * 12.0;
    near(
        spec.kv_bytes(65_536.0, KvCache::F16),
        token * (65_536.0 + 128.0),
        1e-9,
        "cache",
    );
    near(
        spec.kv_bytes(100.0, KvCache::F16),
        token * 200.0,
        1e-9,
        "below the window",
    );
}

/// Sparse attention reads at most 2,048 latent vectors a layer, and the index keys of all tokens.
#[test]
fn sparse_attention_reads_a_part() {
    let spec = model("deepseek-ai/DeepSeek-V3.2")
        .spec(WeightFormat::Fp8Block)
        .unwrap();
    let read = spec.kv_read_bytes(131_072.0, KvCache::F16);
    near(
        read,
        61.0 * (131_072.0 * 132.0 + 2048.0 * 1152.0),
        1e-9,
        "read",
    );
}

/// Operations of a prompt: twice the active parameters without tables a token, and attention with
/// the square. Attention of Qwen3-Coder at 128K: 48 layers · 32 heads · 2 · 128 · n².
#[test]
fn prefill_grows_with_the_square() {
    let spec = model("Qwen/Qwen3-Coder-30B-A3B-Instruct")
        .spec(WeightFormat::F16)
        .unwrap();
    let machine = Machine::of(hardware("nvidia-rtx-3090"));
    let prompt = |n: f64| Roofline::prefill(&spec, machine, n, 0.0, KvCache::F16);
    let n = 131_072.0;
    let attention = prompt(n).term(TermKind::KvCache).unwrap().operations;
    near(
        attention,
        n * n * 2.0 * 48.0 * 32.0 * 128.0,
        1e-9,
        "attention",
    );
    let linear = prompt(n).operations() - attention;
    let tables = 2.0 * 151_936.0 * 2048.0;
    near(
        linear,
        2.0 * n * (spec.active_parameters() - tables),
        1e-3,
        "linear",
    );
    assert_eq!(prompt(n).bound(), Bound::Compute);
    // With everything but 1,024 tokens cached, the pairs are n_new · (n_cached + n_new / 2).
    let warm = Roofline::prefill(&spec, machine, 1024.0, n - 1024.0, KvCache::F16);
    let pairs = 1024.0 * (n - 1024.0 + 512.0);
    near(
        warm.term(TermKind::KvCache).unwrap().operations,
        pairs * 4.0 * 48.0 * 32.0 * 128.0,
        1e-9,
        "warm",
    );
}

/// Decode becomes bound by arithmetic as the batch grows: the ridge of a card is its operations a
/// byte. An RTX 4090 does 330 (FP16 accumulation) operations a byte; a 16-bit weight needs one a
/// sequence and byte.
#[test]
fn a_large_batch_is_bound_by_arithmetic() {
    let spec = model("Qwen/Qwen3-4B").spec(WeightFormat::F16).unwrap();
    let machine = Machine::of(hardware("nvidia-rtx-4090"));
    let bound = |requests| {
        Roofline::decode(&spec, machine, &Load::new(requests, 0.0, KvCache::F16)).bound()
    };
    assert_eq!(bound(320.0), Bound::Memory);
    assert_eq!(bound(335.0), Bound::Compute);
}

#[test]
fn several_cards_read_together() {
    let spec = model("meta-llama/Llama-3.3-70B-Instruct")
        .spec(WeightFormat::Fp8)
        .unwrap();
    let one = Machine::of(hardware("nvidia-h100-sxm5-80-gb"));
    let load = Load::new(1.0, 8192.0, KvCache::F16);
    let alone = Roofline::decode(&spec, one, &load).tokens_per_s().unwrap();
    let four = Roofline::decode(&spec, one.times(4), &load)
        .tokens_per_s()
        .unwrap();
    near(four / alone, 4.0, 1e-9, "four cards");
}

/// Speculative decoding of a mixture touches the experts of all drafted tokens: at b = 1 a draft of
/// 2 tokens makes a step of 3, and gives 1 + 0.796 · 2 = 2.59.
#[test]
fn drafts_cost_experts() {
    use tokmark_catalog::roofline::Speculation;
    let spec = model("Qwen/Qwen3.6-35B-A3B")
        .spec(WeightFormat::parse("Q8_0").unwrap())
        .unwrap();
    let machine = Machine::of(hardware("amd-ryzen-ai-max-plus-395-strix-halo-8060s"));
    let plain = Load::new(1.0, 0.0, KvCache::F16);
    let drafted = Load {
        speculation: Some(Speculation {
            drafted: 2.0,
            tokens_per_step: 1.0 + 2.0 * 0.796,
        }),
        ..plain
    };
    let before = Roofline::decode(&spec, machine, &plain);
    let after = Roofline::decode(&spec, machine, &drafted);
    let longer = after.seconds() / before.seconds();
    assert!((1.5..2.0).contains(&longer), "{longer}");
    let gain = after.tokens_per_s().unwrap() / before.tokens_per_s().unwrap();
    assert!((1.3..1.75).contains(&gain), "{gain}");
}

/// A machine without a rate is limited by its memory only.
#[test]
fn an_unknown_rate_sets_no_limit() {
    let spec = model("Qwen/Qwen3-4B").spec(WeightFormat::F16).unwrap();
    let machine = Machine::of(hardware("amd-ryzen-9-7900x-2ch-ddr5-5200"));
    let step = Roofline::decode(&spec, machine, &Load::new(1000.0, 0.0, KvCache::F16));
    assert_eq!(
        (step.compute_seconds(), step.bound()),
        (None, Bound::Memory)
    );
    assert_eq!(step.tokens_per_s(), step.memory_tokens_per_s());
}
