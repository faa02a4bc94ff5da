//! Which format a checkpoint has.

use tokmark_catalog::{Catalog, WeightFormat};

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
    assert!(
        catalog
            .weight_format("someone/Some-Model", Some("compressed-tensors"))
            .is_err()
    );
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
