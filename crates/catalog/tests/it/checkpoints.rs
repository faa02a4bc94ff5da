//! Which format a checkpoint has.

use tokmark_catalog::{Catalog, FormatSource, WeightFormat};

use crate::{CATALOG, model};

fn check(catalog: &Catalog, name: &str, stated: Option<&str>, bits: f64) {
    let format = catalog.weight_format(name, stated).unwrap();
    let given = format.bits_per_weight();
    assert!((given - bits).abs() < 0.001, "{name} {stated:?}: {given}");
}

#[test]
fn a_checkpoint_has_its_publishers_format() {
    let catalog = &CATALOG;
    check(
        catalog,
        "cyankiwi/Some-Model-AWQ-4bit",
        Some("AWQ 4-bit"),
        4.5,
    );
    check(
        catalog,
        "someone/Some-Model-AWQ-4bit",
        Some("AWQ 4-bit"),
        4.156,
    );
    check(catalog, "someone/some-model-awq", Some("AWQ"), 4.156);
    check(
        catalog,
        "someone/Some-Model-quantized.w4a16",
        Some("W4A16"),
        4.125,
    );
    check(catalog, "someone/Some-Model-GPTQ-Int4", None, 4.156);
    check(catalog, "Some-Model-Q4_K_M.gguf", None, 4.8944);
    check(catalog, "someone/Some-Model", None, 16.0);
    check(catalog, "someone/Some-Model", Some("FP8"), 8.0);
    // What is stated means nothing, and the name says it.
    check(
        catalog,
        "someone/Some-Model-FP8",
        Some("compressed-tensors"),
        8.0,
    );
    // The name states its groups, the server only the scheme.
    check(
        catalog,
        "someone/Some-Model-GPTQ-Int4-g32",
        Some("GPTQ 4-bit"),
        4.625,
    );
    assert!(
        catalog
            .weight_format("someone/Some-Model", Some("magic"))
            .is_err()
    );
}

#[test]
fn what_engines_and_people_state() {
    let told = |names: &[&str], stated: Option<&str>| {
        let told = CATALOG.told_weight_format(names, stated);
        told.ok().flatten()
    };
    let stated = |text: &str, expect: Option<&str>| {
        let expect = expect.map(|word| (WeightFormat::parse(word).unwrap(), FormatSource::Stated));
        assert_eq!(told(&["someone/Some-Model"], Some(text)), expect, "{text}");
    };
    stated("awq_marlin", Some("AWQ"));
    stated("AWQ 4-bit (experts)", Some("AWQ"));
    stated("AWQ 8-bit", Some("GPTQ-Int8"));
    stated("Q4_K - Medium", Some("Q4_K_M"));
    stated("Q3_K - Small", Some("Q3_K_S"));
    stated("bfloat16", Some("BF16"));
    stated("INT4", None);
    stated("AWQ or GPTQ-g32", None);
    let named = |names: &[&str], text: Option<&str>, expect: Option<&str>| {
        let expect = expect.map(|word| (WeightFormat::parse(word).unwrap(), FormatSource::Name));
        assert_eq!(told(names, text), expect, "{names:?} {text:?}");
    };
    named(&["Some-Model-Q4_K_M.gguf", "small"], None, Some("Q4_K_M"));
    named(&["small", "someone/some-model-awq"], None, Some("AWQ"));
    named(
        &["someone/Some-Model-GPTQ-Int4-g32"],
        None,
        Some("GPTQ-Int4-g32"),
    );
    // A dynamic mix, other bits than usual, and a name that says nothing.
    named(&["someone/Some-Model-UD-Q4_K_M.gguf"], None, None);
    named(&["someone/Some-Model-AWQ-8bit"], None, Some("GPTQ-Int8"));
    named(&["someone/Some-Model"], None, None);
    // The activations' type is not the weights'.
    named(&["someone/some-model-awq"], Some("bfloat16"), Some("AWQ"));
    named(
        &["someone/some-model-awq"],
        Some("compressed-tensors"),
        Some("AWQ"),
    );
    let recipe = Some("W4A16-g32");
    named(&["cyankiwi/Some-Model-AWQ-4bit"], Some("AWQ 4-bit"), recipe);
    let fp8 = Some((WeightFormat::Fp8, FormatSource::Stated));
    assert_eq!(told(&["someone/some-model-awq"], Some("fp8")), fp8);
}

/// Names and labels of one checkpoint as its publishers, servers and pages write them.
#[test]
fn every_name_of_a_4_bit_copy_is_understood() {
    let names = [
        "Qwen3.5-4B-W4A16",
        "someone/Qwen3.5-4B-quantized.w4a16",
        "someone/Qwen3.5-4B-AWQ-4bit",
        "someone/Qwen3.5-4B-AWQ-4-bit",
        "someone/Qwen3.5-4B-GPTQ-Int4",
        "Qwen3.5-4B-W4A16-G128",
        "Qwen3.5-4B",
    ];
    let labels = [
        "W4A16",
        "W4A16 4-bit",
        "AWQ 4-bit",
        "compressed-tensors",
        "INT4",
        "GPTQ 4-bit",
    ];
    for name in names {
        let found = CATALOG.find_model(name);
        let id = found.found().map(|row| row.id.as_str());
        assert_eq!(id, Some("Qwen/Qwen3.5-4B"), "{name}");
        for label in labels {
            let format = CATALOG.weight_format(name, Some(label)).unwrap();
            let bits = format.bits_per_weight();
            assert!((4.1..4.2).contains(&bits), "{name}, {label}: {bits}");
        }
    }
}

#[test]
fn a_layout_that_is_left_open_is_said() {
    let check = |name: &str, stated: Option<&str>, open: Option<&str>, bits: f64| {
        let found = CATALOG.checkpoint_format(name, stated).unwrap();
        assert_eq!(found.open.as_deref(), open, "{name} {stated:?}");
        assert!((found.format.bits_per_weight() - bits).abs() < 1e-9);
    };
    check("Some-Model", Some("INT4"), Some("INT4"), 4.125);
    check(
        "Some-Model",
        Some("compressed-tensors"),
        Some("compressed-tensors"),
        4.125,
    );
    check("Some-Model-4bit", None, Some("4bit"), 4.125);
    check("Some-Model-4bit", Some("magic"), Some("4bit"), 4.125);
    check("Some-Model-AWQ", Some("INT4"), None, 4.15625);
    check("Some-Model", None, None, 16.0);
}

/// 23 Mamba layers of 38.7 M parameters each stay in 16 bits, the rest is quantized.
#[test]
fn mamba_stays_in_16_bits_in_whole_number_formats() {
    let row = model("nvidia/Nemotron-Cascade-2-30B-A3B");
    let spec = row.spec(WeightFormat::AWQ).unwrap();
    let mamba = 23.0 * 2688.0 * (3.0 * 4096.0 + 2048.0 + 64.0);
    let expect = mamba * 2.0 + (spec.weights.dense.parameters - mamba) * 4.15625 / 8.0;
    assert!((spec.weights.dense.bytes / expect - 1.0).abs() < 1e-9);
    let gguf = row.spec(WeightFormat::parse("Q8_0").unwrap()).unwrap();
    let plain = gguf.weights.dense.parameters * 8.5008 / 8.0;
    assert!((gguf.weights.dense.bytes / plain - 1.0).abs() < 1e-4);
}
