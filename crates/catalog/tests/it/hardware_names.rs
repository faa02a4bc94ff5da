//! Names of hardware as drivers, tools and people write them.

use tokmark_catalog::Match;

use crate::CATALOG;

fn check(name: &str, memory_gib: Option<f64>, expect: &str) {
    let found = CATALOG.find_hardware(name, memory_gib);
    assert_eq!(
        found.found().map(|row| row.id.as_str()),
        Some(expect),
        "{name}: {:?}",
        ids(&found)
    );
}

fn check_open(name: &str, memory_gib: Option<f64>, expect: &[&str]) {
    let found = CATALOG.find_hardware(name, memory_gib);
    assert!(found.found().is_none(), "{name}: {:?}", ids(&found));
    assert_eq!(ids(&found), expect, "{name}");
}

fn ids(found: &Match<'static, tokmark_catalog::Hardware>) -> Vec<&'static str> {
    found
        .candidates()
        .into_iter()
        .map(|row| row.id.as_str())
        .collect()
}

#[test]
fn every_row_is_found_by_its_own_names() {
    for row in CATALOG.hardware() {
        let full = row.full_name();
        let names = [&row.id, &row.name, &full].into_iter().chain(&row.aliases);
        for name in names {
            check(name, None, &row.id);
            check(&name.to_uppercase(), row.memory_gib, &row.id);
        }
    }
}

#[test]
fn names_of_nvidia_smi_are_found() {
    check("NVIDIA GeForce RTX 3090", None, "nvidia-rtx-3090");
    check(
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        None,
        "nvidia-rtx-4090-laptop",
    );
    check(
        "NVIDIA GeForce RTX 3060",
        Some(12.0),
        "nvidia-rtx-3060-12-gb",
    );
    check(
        "NVIDIA GeForce RTX 4060 Ti",
        Some(16_380.0 / 1024.0),
        "nvidia-rtx-4060-ti-16-gb",
    );
    check("NVIDIA A100-SXM4-80GB", None, "nvidia-a100-sxm4-80-gb");
    check(
        "NVIDIA A100-SXM4-40GB",
        Some(39.6),
        "nvidia-a100-sxm4-40-gb",
    );
    check("NVIDIA A100 80GB PCIe", None, "nvidia-a100-pcie-80-gb");
    check(
        "NVIDIA H100 80GB HBM3",
        Some(79.6),
        "nvidia-h100-sxm5-80-gb",
    );
    check("NVIDIA H100 PCIe", None, "nvidia-h100-pcie-80-gb");
    check("NVIDIA H100 NVL", Some(93.6), "nvidia-h100-nvl-94-gb");
    check("NVIDIA H200", None, "nvidia-h200-sxm");
    check("NVIDIA GH200 480GB", Some(95.6), "nvidia-gh200-96-gb");
    check("NVIDIA L40S", None, "nvidia-l40s");
    check(
        "NVIDIA RTX 6000 Ada Generation",
        None,
        "nvidia-rtx-6000-ada",
    );
    check(
        "NVIDIA RTX PRO 6000 Blackwell Server Edition",
        None,
        "nvidia-rtx-pro-6000-blackwell-server",
    );
    check("Tesla V100-SXM2-32GB", None, "nvidia-tesla-v100-sxm2-32-gb");
    check("Tesla T4", None, "nvidia-tesla-t4");
    check("NVIDIA GB10", Some(119.6), "nvidia-gb10-dgx-spark");
}

#[test]
fn names_of_other_drivers_are_found() {
    check(
        "AMD Radeon RX 7900 XTX (RADV NAVI31)",
        None,
        "amd-rx-7900-xtx",
    );
    check("AMD Instinct MI300X", Some(191.98), "amd-instinct-mi300x");
    check(
        "Intel(R) Arc(TM) B580 Graphics (BMG G21)",
        None,
        "intel-arc-b580",
    );
    check(
        "Intel(R) Arc(tm) A770 Graphics (DG2)",
        Some(15.9),
        "intel-arc-a770-16-gb",
    );
    check("Apple M3 Max", Some(64.0), "apple-m3-max-40-core-gpu");
    check("Apple M3 Max", Some(36.0), "apple-m3-max-30-core-gpu");
    check(
        "Apple M4 Max 16-core CPU / 40-core GPU",
        None,
        "apple-m4-max-40-core-gpu",
    );
    check("Apple M1 Max", Some(64.0), "apple-m1-max");
    check("NVIDIA GeForce RTX 3090/PCIe/SSE2", None, "nvidia-rtx-3090");
}

#[test]
fn lines_of_lspci_are_found() {
    check(
        "NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)",
        None,
        "nvidia-rtx-3090",
    );
    check("GH100 [H100 SXM5 80GB]", None, "nvidia-h100-sxm5-80-gb");
    check(
        "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M] (rev c8)",
        Some(23.98),
        "amd-rx-7900-xtx",
    );
    check_open(
        "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M] (rev c8)",
        None,
        &["amd-rx-7900-xt", "amd-rx-7900-xtx", "amd-rx-7900m"],
    );
    check(
        "Intel Corporation DG2 [Arc A770] (rev 08)",
        Some(15.9),
        "intel-arc-a770-16-gb",
    );
}

#[test]
fn names_that_people_write_are_found() {
    check("RTX3090", None, "nvidia-rtx-3090");
    check("rtx 3090 ti", None, "nvidia-rtx-3090-ti");
    check("4090", None, "nvidia-rtx-4090");
    check("2x RTX 3090", None, "nvidia-rtx-3090");
    check("RTX 3060 12GB", None, "nvidia-rtx-3060-12-gb");
    check("RTX 4090 mobile", None, "nvidia-rtx-4090-laptop");
    check("A100 SXM 80GB", None, "nvidia-a100-sxm4-80-gb");
    check("H100 SXM", None, "nvidia-h100-sxm5-80-gb");
    check("MI300X", None, "amd-instinct-mi300x");
    check("7900XTX", None, "amd-rx-7900-xtx");
    check("A6000", None, "nvidia-rtx-a6000");
    check(
        "RTX PRO 6000 Max-Q",
        None,
        "nvidia-rtx-pro-6000-blackwell-max-q",
    );
    check("DGX Spark", None, "nvidia-gb10-dgx-spark");
    check("M3 Ultra", None, "apple-m3-ultra");
    check("m3 max 40-core", None, "apple-m3-max-40-core-gpu");
    check("T4", Some(16.0), "nvidia-tesla-t4");
    check(
        "Ryzen AI Max+ 395",
        Some(128.0),
        "amd-ryzen-ai-max-plus-395-strix-halo-8060s",
    );
    check("Arc Pro B60", None, "intel-arc-pro-b60");
}

#[test]
fn processors_are_found() {
    check(
        "AMD Ryzen 9 7900X 12-Core Processor",
        None,
        "amd-ryzen-9-7900x-2ch-ddr5-5200",
    );
    check(
        "Intel(R) Core(TM) i9-14900K CPU @ 3.20GHz",
        None,
        "intel-core-i9-14900k-2ch-ddr5-5600",
    );
    check("i9 14900k", None, "intel-core-i9-14900k-2ch-ddr5-5600");
    check(
        "AMD EPYC 9654 96-Core Processor",
        None,
        "amd-epyc-9004-genoa-12ch-ddr5-4800",
    );
    check(
        "AMD EPYC 7543",
        None,
        "amd-epyc-7002-7003-rome-milan-8ch-ddr4-3200",
    );
    check(
        "Intel(R) Xeon(R) Platinum 8480C",
        None,
        "intel-xeon-4th-gen-sapphire-rapids-8ch-ddr5-4800",
    );
    check_open(
        "AMD EPYC 9655",
        None,
        &[
            "amd-epyc-9005-turin-12ch-ddr5-6000",
            "amd-epyc-9005-turin-12ch-ddr5-6400",
        ],
    );
}

#[test]
fn a_name_that_fits_several_gives_candidates() {
    check_open(
        "RTX 3060",
        None,
        &["nvidia-rtx-3060-12-gb", "nvidia-rtx-3060-8-gb"],
    );
    check_open(
        "NVIDIA GeForce RTX 3080",
        None,
        &["nvidia-rtx-3080-10-gb", "nvidia-rtx-3080-12-gb"],
    );
    check(
        "NVIDIA GeForce RTX 3080",
        Some(11.9),
        "nvidia-rtx-3080-12-gb",
    );
    check_open(
        "A100",
        None,
        &[
            "nvidia-a100-pcie-40-gb",
            "nvidia-a100-sxm4-40-gb",
            "nvidia-a100-pcie-80-gb",
            "nvidia-a100-sxm4-80-gb",
        ],
    );
    check_open(
        "H100 80GB",
        None,
        &["nvidia-h100-pcie-80-gb", "nvidia-h100-sxm5-80-gb"],
    );
    check_open(
        "Apple M4 Max",
        None,
        &["apple-m4-max-32-core-gpu", "apple-m4-max-40-core-gpu"],
    );
    check_open(
        "RTX PRO 6000",
        None,
        &[
            "nvidia-rtx-pro-6000-blackwell-workstation",
            "nvidia-rtx-pro-6000-blackwell-max-q",
            "nvidia-rtx-pro-6000-blackwell-server",
        ],
    );
    check_open(
        "Strix Halo",
        None,
        &[
            "amd-ryzen-ai-max-plus-395-strix-halo-8060s",
            "amd-ryzen-ai-max-390-strix-halo-8050s",
            "amd-ryzen-ai-max-385-strix-halo-8050s",
        ],
    );
}

#[test]
fn never_a_wrong_row() {
    // Not in the catalog, though their names are near to rows that are.
    for name in [
        "GeForce GTX 1660",
        "RTX 4070 Ti SUPER Laptop",
        "GTX 4090",
        "AMD RTX 4090",
        "Apple M1 Ultra 48-core",
        "AMD Ryzen 7 7840HS w/ Radeon 780M",
        "RTX 4090 48GB",
        "RTX 2080 Ti 22GB",
        "Qualcomm Snapdragon 888 ARM64",
        "AMD Radeon Graphics",
        "NVIDIA",
        "GPU",
        "",
        "Simulated",
        "Intel Xeon Gold 6138",
        "Intel Arc A770",
        "RTX 6000",
        "RTX 3050",
    ] {
        let found = CATALOG.find_hardware(name, None);
        assert_eq!(found.found().map(|row| &row.id), None, "{name}");
    }
    assert_eq!(CATALOG.find_hardware("RTX 4090", Some(48.0)).found(), None);
}

#[test]
fn b100_a_slice_is_not_found_as_its_card() {
    for name in [
        "NVIDIA H200 MIG 1g.35gb",
        "NVIDIA H200 MIG",
        "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
        "NVIDIA A100-SXM4-80GB MIG",
    ] {
        for memory_gib in [None, Some(32.5), Some(9.6), Some(140.4), Some(79.6)] {
            let found = CATALOG.find_hardware(name, memory_gib);
            assert_eq!(found.found().map(|row| &row.id), None, "{name}");
        }
    }
}

#[test]
fn b103_the_longest_name_wins_and_variants_stay_apart() {
    check("NVIDIA GeForce RTX 5070 Ti", None, "nvidia-rtx-5070-ti");
    check("NVIDIA GeForce RTX 5070", None, "nvidia-rtx-5070");
    check("NVIDIA H100 80GB HBM3", None, "nvidia-h100-sxm5-80-gb");
    check("NVIDIA H100 PCIe", None, "nvidia-h100-pcie-80-gb");
    check("NVIDIA H100 NVL", None, "nvidia-h100-nvl-94-gb");
    // The cores of an Apple chip are a part of what it is.
    check(
        "Apple M3 Max (30-core GPU)",
        None,
        "apple-m3-max-30-core-gpu",
    );
    check(
        "Apple M3 Max (40-core GPU)",
        None,
        "apple-m3-max-40-core-gpu",
    );
    for name in ["AMD Radeon Graphics", "AMD 1002:66a1", "Device 1e84"] {
        let found = CATALOG.find_hardware(name, Some(32.0));
        assert_eq!(found.found().map(|row| &row.id), None, "{name}");
    }
}
