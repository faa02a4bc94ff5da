use tokmark_machine::name_for_title;
use tokmark_run_format::{Accelerator, Hardware};

const MIB: u64 = 1024 * 1024;

fn gpu(name: &str, count: u32, mib: Option<u64>, text: Option<&str>) -> Accelerator {
    Accelerator {
        name: name.to_owned(),
        count,
        memory_bytes: mib.map(|mib| mib * MIB),
        memory_text: text.map(str::to_owned),
        ..Accelerator::default()
    }
}

fn check(accelerators: Vec<Accelerator>, expected: &str) {
    let hardware = Hardware {
        accelerators,
        ..Hardware::default()
    };
    assert_eq!(name_for_title(&hardware), expected);
}

#[test]
fn titles() {
    check(
        vec![gpu("NVIDIA GeForce RTX 3090", 1, Some(24_576), None)],
        "RTX 3090 24GB",
    );
    check(
        vec![gpu("NVIDIA GeForce RTX 4090", 4, Some(24_564), None)],
        "4x RTX 4090 24GB",
    );
    check(
        vec![gpu("NVIDIA H100 80GB HBM3", 2, Some(81_559), None)],
        "2x H100 80GB HBM3",
    );
    check(
        vec![gpu("NVIDIA A100-SXM4-80GB", 8, Some(81_920), None)],
        "8x A100-SXM4-80GB",
    );
    check(
        vec![gpu("RTX 3090", 1, None, Some("24 GB"))],
        "RTX 3090 24GB",
    );
    check(vec![gpu("RTX 3090", 1, None, None)], "RTX 3090");
    check(
        vec![gpu("AMD Instinct MI300X", 1, Some(196_592), None)],
        "MI300X 192GB",
    );
    check(
        vec![gpu("AMD Radeon RX 7900 XTX", 1, None, None)],
        "Radeon RX 7900 XTX",
    );
    check(vec![gpu("NVIDIA", 1, None, None)], "NVIDIA");
    check(
        vec![
            gpu("RTX 3090", 2, Some(24_576), None),
            gpu("T4", 1, None, None),
        ],
        "2x RTX 3090 24GB + T4",
    );
    check(vec![], "Unknown hardware");
}

#[test]
fn a_processor_stands_in_and_a_declared_name_wins() {
    let mut hardware = Hardware {
        cpu: Some("AMD Ryzen 9 7900X (12C)".to_owned()),
        ..Hardware::default()
    };
    assert_eq!(name_for_title(&hardware), "AMD Ryzen 9 7900X");
    hardware.name = Some("Blue box".to_owned());
    assert_eq!(name_for_title(&hardware), "Blue box");
}
