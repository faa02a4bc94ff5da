//! Every row of the hardware files.

use std::collections::BTreeMap;

use tokmark_catalog::{HardwareKind, Link, MemoryType};

use crate::CATALOG;

#[test]
fn all_rows_are_there() {
    let count = |kind| {
        CATALOG
            .hardware()
            .iter()
            .filter(|row| row.kind == kind)
            .count()
    };
    assert_eq!(CATALOG.hardware().len(), 236);
    assert_eq!(count(HardwareKind::DiscreteGpu), 178);
    assert_eq!(count(HardwareKind::UnifiedMemory), 39);
    assert_eq!(count(HardwareKind::Cpu), 19);
}

#[test]
fn ids_are_slugs_that_begin_with_the_maker() {
    for row in CATALOG.hardware() {
        let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(row.id.chars().all(is_slug), "{}", row.id);
        let vendor = row.vendor.to_lowercase().replace(' ', "-");
        assert!(row.id.starts_with(&vendor), "{}", row.id);
    }
}

#[test]
fn a_name_or_alias_means_one_row() {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for row in CATALOG.hardware() {
        let mut names: Vec<String> = [row.id.as_str(), row.name.as_str()]
            .into_iter()
            .chain(row.aliases.iter().map(String::as_str))
            .chain([row.full_name().as_str()])
            .map(|name| {
                name.to_lowercase()
                    .chars()
                    .filter(|c| c.is_alphanumeric())
                    .collect()
            })
            .collect();
        names.sort();
        names.dedup();
        for name in names {
            let other = owners.insert(name.clone(), &row.id);
            assert_eq!(other, None, "`{name}` means {} too", row.id);
        }
    }
}

#[test]
fn years_and_sources_are_plausible() {
    for row in CATALOG.hardware() {
        assert!(
            (2016..=2026).contains(&row.year),
            "{}: {}",
            row.id,
            row.year
        );
        assert!(row.sources.memory.len() > 3, "{}", row.id);
    }
}

/// Bandwidth for a watt follows the kind of memory, whatever the maker.
#[test]
fn bandwidth_and_power_fit_each_other() {
    for row in CATALOG.hardware() {
        let Some(watts) = row.tdp_w else { continue };
        let ratio = row.bandwidth_gb_per_s / watts;
        let range = match row.kind {
            HardwareKind::DiscreteGpu if row.memory_type.is_stacked() => 1.6..12.5,
            HardwareKind::DiscreteGpu => 1.35..11.5,
            HardwareKind::UnifiedMemory => 1.6..7.5,
            HardwareKind::Cpu => 0.3..2.1,
        };
        assert!(range.contains(&ratio), "{}: {ratio:.2} GB/s a watt", row.id);
    }
}

#[test]
fn bandwidth_fits_the_kind_of_memory() {
    for row in CATALOG.hardware() {
        let range = match row.memory_type {
            MemoryType::Ddr4 => 40.0..205.0,
            MemoryType::Ddr5 => 80.0..620.0,
            MemoryType::Mrdimm => 400.0..900.0,
            MemoryType::Lpddr4x => 17.0..140.0,
            MemoryType::Lpddr5 => 60.0..820.0,
            MemoryType::Lpddr5x => 119.0..615.0,
            MemoryType::Gddr5 => 250.0..350.0,
            MemoryType::Gddr5x => 320.0..490.0,
            MemoryType::Gddr6 => 120.0..965.0,
            MemoryType::Gddr6x => 500.0..1010.0,
            MemoryType::Gddr7 => 288.0..1800.0,
            MemoryType::Hbm2 => 480.0..1600.0,
            MemoryType::Hbm2e => 1200.0..3800.0,
            MemoryType::Hbm3 => 3300.0..5400.0,
            MemoryType::Hbm3e => 4700.0..8100.0,
        };
        assert!(
            range.contains(&row.bandwidth_gb_per_s),
            "{}: {}",
            row.id,
            row.bandwidth_gb_per_s
        );
    }
}

/// Fewer bits are never slower: FP4 >= FP8 >= FP16, and INT8 >= FP16 but on Blackwell Ultra, which
/// gave INT8 up for FP4.
#[test]
fn fewer_bits_are_never_slower() {
    for row in CATALOG.hardware() {
        let rates = row.rates;
        let ordered = |slow: Option<f64>, fast: Option<f64>, what: &str| {
            if let (Some(slow), Some(fast)) = (slow, fast) {
                assert!(fast >= slow, "{}: {what}", row.id);
            }
        };
        ordered(rates.fp16_tflops, rates.fp8_tflops, "FP8 below FP16");
        ordered(rates.fp8_tflops, rates.fp4_tflops, "FP4 below FP8");
        ordered(
            rates.fp16_tflops,
            rates.fp16_accumulate_tflops,
            "FP16 accumulate",
        );
        if row.architecture != "Blackwell Ultra" {
            ordered(rates.fp16_tflops, rates.int8_tops, "INT8 below FP16");
        }
        if let (Some(fp16), Some(fp8)) = (rates.fp16_tflops, rates.fp8_tflops) {
            assert!(fp8 / fp16 < 2.3, "{}: FP8 {fp8}, FP16 {fp16}", row.id);
        }
    }
}

/// Operations a byte: the ridge of each roofline. 20 to 660 FP16 operations a byte spans every card
/// from an MI50 to an RTX 6000 Ada; a Jetson Thor has a large chip beside slow memory.
#[test]
fn arithmetic_fits_the_memory() {
    for row in CATALOG.hardware() {
        let Some(fp16) = row.rates.fp16_tflops else {
            continue;
        };
        let ridge = fp16 * 1e3 / row.bandwidth_gb_per_s;
        let most = if row.kind == HardwareKind::UnifiedMemory {
            960.0
        } else {
            660.0
        };
        assert!((20.0..most).contains(&ridge), "{}: {ridge:.0}", row.id);
    }
}

#[test]
fn accelerators_have_memory_and_processors_none_of_their_own() {
    for row in CATALOG.hardware() {
        if row.kind == HardwareKind::Cpu {
            assert_eq!(row.rates.fp16_tflops, None, "{}", row.id);
        } else {
            let memory = row.memory_gib.unwrap();
            assert!((4.0..=512.0).contains(&memory), "{}: {memory}", row.id);
        }
    }
}

#[test]
fn a_card_has_a_link_and_a_shared_memory_none() {
    for row in CATALOG.hardware() {
        match row.kind {
            HardwareKind::DiscreteGpu => assert!(row.link.is_some(), "{}", row.id),
            _ => assert_eq!(row.link, None, "{}", row.id),
        }
        if let Some(Link::Pcie { lanes, .. }) = row.link {
            assert!([4, 8, 16].contains(&lanes), "{}", row.id);
        }
    }
}

/// Makers' GB are GiB: what drivers report is just below the nominal size.
#[test]
fn memory_is_what_drivers_report() {
    let check = |id: &str, mebibytes: f64| {
        assert!(
            crate::hardware(id).may_have_memory(mebibytes / 1024.0),
            "{id}"
        );
    };
    check("nvidia-rtx-3090", 24_576.0);
    check("nvidia-rtx-4090", 24_564.0);
    check("nvidia-rtx-5090", 32_607.0);
    check("nvidia-a100-sxm4-80-gb", 81_920.0);
    check("nvidia-h100-sxm5-80-gb", 81_559.0);
    check("nvidia-h200-sxm", 143_771.0);
    check("nvidia-b200-sxm", 183_359.0);
    check("nvidia-l4", 23_034.0);
    check("nvidia-tesla-t4", 15_360.0);
    check("amd-instinct-mi300x", 196_592.0);
    assert!(!crate::hardware("nvidia-rtx-4090").may_have_memory(48.0));
}

#[test]
fn prices_are_plausible() {
    for row in CATALOG.hardware() {
        if let Some(price) = row.msrp_usd {
            assert!((100.0..=50_000.0).contains(&price), "{}: {price}", row.id);
        }
    }
}
