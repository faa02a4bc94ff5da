use tokmark_machine::{AppleFacts, Look};
use tokmark_run_format::{MachineClass, ProcessorFacts};

use crate::tree::Tree;

const SYSCTL: &str = "machdep.cpu.brand_string: Apple M4 Max\nhw.model: Mac16,5\n\
    hw.memsize: 137438953472\nhw.physicalcpu: 16\nhw.logicalcpu: 16\nhw.packages: 1\n\
    hw.uuid: PRIVATE\n";

const IOREG: &str = "+-o AGXAcceleratorG16X  <class AGXAcceleratorG16X, id 0x100000a53>\n\
    {\n  \"IOPlatformSerialNumber\" = \"PRIVATE\"\n  \"gpu-core-count\" = 40\n  \"model\" = \"Apple M4 Max\"\n}\n";

#[test]
fn a_chip_with_one_memory() {
    let tree = Tree::new();
    let look = Look {
        apple: Some(AppleFacts {
            sysctl: SYSCTL.to_owned(),
            ioreg: IOREG.to_owned(),
        }),
        ..Look::at(tree.path())
    };
    let hardware = look.hardware();
    assert_eq!(hardware.class, MachineClass::UnifiedMemory);
    assert_eq!(hardware.accelerators[0].name, "Apple M4 Max (40-core GPU)");
    assert_eq!(hardware.accelerators[0].memory_bytes, None);
    assert_eq!(hardware.cpu.as_deref(), Some("Apple M4 Max (16C)"));
    assert_eq!(hardware.memory_bytes, Some(128 << 30));
    assert_eq!(
        hardware.host.as_ref().unwrap().board.as_deref(),
        Some("Apple Mac16,5")
    );
    let processor = ProcessorFacts {
        sockets: Some(1),
        cores: Some(16),
        threads: Some(16),
        ..ProcessorFacts::default()
    };
    assert_eq!(hardware.processor, Some(processor));
    assert!(!format!("{hardware:?}").contains("PRIVATE"));
}

/// One memory: it is the machine's, not once more the accelerator's, and what somebody set as the
/// accelerator's share of it stands beside.
#[test]
fn b104_one_memory_is_counted_once() {
    let check = |limit: &str, expect: Option<u64>| {
        let tree = Tree::new();
        let look = Look {
            apple: Some(AppleFacts {
                sysctl: format!("{SYSCTL}{limit}"),
                ioreg: IOREG.to_owned(),
            }),
            ..Look::at(tree.path())
        };
        let hardware = look.hardware();
        assert_eq!(hardware.memory_bytes, Some(137_438_953_472));
        let [chip] = hardware.accelerators.as_slice() else {
            panic!("{hardware:?}");
        };
        assert_eq!(chip.memory_bytes, None, "it has none of its own");
        let facts = chip.facts.as_ref().unwrap();
        assert_eq!(facts.memory_limit_bytes, expect, "{limit}");
        assert_eq!(
            hardware.name.as_deref(),
            Some("Apple M4 Max (40-core GPU) 128GB")
        );
    };
    check("", None);
    check("iogpu.wired_limit_mb: 0\n", None);
    // 107.4 GiB.
    check("iogpu.wired_limit_mb: 110000\n", Some(115_343_360_000));
}

#[test]
fn an_older_mac_has_no_such_chip() {
    let tree = Tree::new();
    let look = Look {
        apple: Some(AppleFacts {
            sysctl: "machdep.cpu.brand_string: Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz\n"
                .to_owned(),
            ioreg: String::new(),
        }),
        ..Look::at(tree.path())
    };
    let hardware = look.hardware();
    assert_eq!(
        (hardware.accelerators.len(), hardware.class),
        (0, MachineClass::Cpu)
    );
    assert_eq!(hardware.cpu.as_deref(), Some("Intel Core i7-9750H"));
}
