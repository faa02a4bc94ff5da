use tokmark_machine::{HardwareFileError, read_hardware_file};
use tokmark_run_format::MachineClass;

#[test]
fn toml_with_everything() {
    let hardware = read_hardware_file(
        r#"
        cpu = "AMD EPYC 9654 (96C)"
        cpu_cores = 96
        memory = "768 GB"
        os = "Ubuntu 24.04.5"
        driver = "NVIDIA 580.178.04"

        [[accelerators]]
        name = "H100 PCIe"
        count = 2
        memory = "80 GB"
        "#,
    )
    .unwrap();
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.name.as_deref(), Some("2x H100 PCIe 80GB"));
    assert_eq!(hardware.memory_bytes, Some(768 << 30));
    assert_eq!(hardware.memory_text.as_deref(), Some("768 GB"));
    assert_eq!(hardware.accelerators[0].memory_bytes, Some(80 << 30));
    assert_eq!(hardware.source.as_deref(), Some("declared"));
}

#[test]
fn json_from_a_run_document() {
    let text = r#" {"class":"unified_memory","name":null,"cpu":"Apple M4 Max","memory_bytes":137438953472,
        "memory_text":null,"accelerators":[],"os":"macOS 26.1","source":"detected"}"#;
    let hardware = read_hardware_file(text).unwrap();
    assert_eq!(hardware.class, MachineClass::UnifiedMemory);
    assert_eq!(hardware.name.as_deref(), Some("Apple M4 Max"));
    assert_eq!(hardware.memory_bytes, Some(128 << 30));
    assert_eq!(hardware.source.as_deref(), Some("declared"));
}

#[test]
fn a_name_alone_is_enough() {
    let hardware = read_hardware_file("name = \"Rented box\"").unwrap();
    assert_eq!(hardware.class, MachineClass::Unknown);
    assert_eq!(hardware.name.as_deref(), Some("Rented box"));
    assert_eq!(hardware.memory_bytes, None);
}

#[test]
fn amounts_of_memory() {
    let check = |given: &str, bytes: Option<u64>| {
        let read = read_hardware_file(&format!("cpu = \"x\"\nmemory = \"{given}\""));
        assert_eq!(read.ok().and_then(|h| h.memory_bytes), bytes, "{given}");
    };
    check("24 GB", Some(24 << 30));
    check("24GiB", Some(24 << 30));
    check("1.5 tb", Some(1_536 << 30));
    check("512 M", Some(512 << 20));
    check("1024", Some(1_024));
    for wrong in ["", "much", "24 XB", "-1 GB", "0 GB", "1e40 GB"] {
        check(wrong, None);
    }
}

#[test]
fn faults_are_named() {
    let error = read_hardware_file("cpu = \"x\"\nmemroy = \"32 GB\"").unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        cause.contains("memroy") && cause.contains("memory"),
        "{cause}"
    );
    assert!(error.hint().contains("[[accelerators]]"));
    let check = |text: &str, matches: fn(&HardwareFileError) -> bool| {
        let error = read_hardware_file(text).expect_err(text);
        assert!(matches(&error), "{text}: {error:?}");
    };
    check("", |e| matches!(e, HardwareFileError::Empty));
    check("os = \"x\"", |e| matches!(e, HardwareFileError::Empty));
    check("{\"cpu\": }", |e| matches!(e, HardwareFileError::Json(_)));
    check("cpu = x", |e| matches!(e, HardwareFileError::Toml(_)));
    check(
        "cpu=\"x\"\nmemory = \"lots\"",
        |e| matches!(e, HardwareFileError::Memory { given } if given == "lots"),
    );
    check("[[accelerators]]\nname = \"x\"\ncount = 0", |e| {
        matches!(e, HardwareFileError::Accelerator)
    });
}
