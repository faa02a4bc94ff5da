use std::fs;

use tokmark_machine::{LastProbe, keep_probe, last_probe, recall_probe};
use tokmark_run_format::{
    Accelerator, AcceleratorBandwidth, AcceleratorFacts, Hardware, MeasuredBandwidth,
};

fn hardware() -> Hardware {
    Hardware {
        cpu: Some("AMD Ryzen 9 7900X (12C)".to_owned()),
        cpu_cores: Some(12),
        memory_bytes: Some(64 << 30),
        memory_speed_mt_s: Some(5_200),
        accelerators: vec![Accelerator {
            name: "NVIDIA RTX 3090".to_owned(),
            count: 2,
            memory_bytes: Some(24 << 30),
            facts: Some(AcceleratorFacts {
                memory_clock_max_mhz: Some(9_751),
                core_clock_max_mhz: Some(2_100),
                ..AcceleratorFacts::default()
            }),
            ..Accelerator::default()
        }],
        os: Some("Ubuntu 24.04".to_owned()),
        ..Hardware::default()
    }
}

fn measured() -> MeasuredBandwidth {
    let card = AcceleratorBandwidth {
        name: "NVIDIA RTX 3090".to_owned(),
        copy_gb_s: Some(845.1),
        ..AcceleratorBandwidth::default()
    };
    MeasuredBandwidth {
        read_gb_s: Some(61.5),
        measured_at: Some("2026-11-30T12:00:00Z".to_owned()),
        accelerators: vec![card.clone(), card],
        ..MeasuredBandwidth::default()
    }
}

#[test]
fn the_last_probe_holds_for_the_hardware_that_it_was_made_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("not/yet/there");
    let own = hardware();
    assert_eq!(last_probe(&folder, &own), LastProbe::None);
    let probed = Hardware {
        measured_bandwidth: Some(measured()),
        ..hardware()
    };
    let path = keep_probe(&folder, &probed).unwrap();
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "nothing is left beside"
    );
    assert!(path.starts_with(&folder));
    let same = LastProbe::Same(Box::new(measured()));
    assert_eq!(last_probe(&folder, &own), same);

    let check = |change: fn(&mut Hardware), expect: bool| {
        let mut other = hardware();
        change(&mut other);
        let found = last_probe(&folder, &other);
        if expect {
            assert_eq!(found, same, "{other:?}");
        } else {
            let reason = "the last probe was made on other hardware; `tokmark machine --probe` \
                          measures again";
            assert_eq!(found, LastProbe::Useless(reason.to_owned()), "{other:?}");
        }
    };
    // What says nothing about bandwidth, and what a kernel reserves.
    check(|other| other.os = Some("Ubuntu 26.04".to_owned()), true);
    check(|other| other.driver = Some("NVIDIA 580.1".to_owned()), true);
    check(
        |other| other.memory_bytes = Some((64 << 30) - (512 << 20)),
        true,
    );
    check(|other| other.memory_speed_mt_s = None, true);
    check(
        |other| {
            let facts = other.accelerators[0].facts.as_mut().unwrap();
            facts.power_limit_w = Some(200.0);
        },
        true,
    );
    // What may change it.
    check(
        |other| other.cpu = Some("AMD Ryzen 9 7950X (16C)".to_owned()),
        false,
    );
    check(|other| other.cpu_cores = Some(8), false);
    check(|other| other.memory_bytes = Some(32 << 30), false);
    check(|other| other.memory_bytes = None, false);
    check(|other| other.memory_speed_mt_s = Some(4_800), false);
    check(|other| other.accelerators[0].count = 1, false);
    check(|other| other.accelerators.clear(), false);
    check(
        |other| other.accelerators[0].name = "NVIDIA RTX 4090".to_owned(),
        false,
    );
    check(
        |other| {
            let facts = other.accelerators[0].facts.as_mut().unwrap();
            facts.memory_clock_max_mhz = Some(10_501);
        },
        false,
    );
}

#[test]
fn a_later_probe_takes_the_place_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut probed = hardware();
    for read in [60.0, 62.0] {
        probed.measured_bandwidth = Some(MeasuredBandwidth {
            read_gb_s: Some(read),
            ..MeasuredBandwidth::default()
        });
        keep_probe(folder.path(), &probed).unwrap();
        let found = last_probe(folder.path(), &hardware());
        assert_eq!(
            found,
            LastProbe::Same(Box::new(probed.measured_bandwidth.clone().unwrap()))
        );
    }
}

#[test]
fn a_server_that_uses_one_card_has_the_probe_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let used = |count: u32| {
        let mut used = hardware();
        used.accelerators[0].count = count;
        used
    };
    // Nobody looks at the whole machine where there is nothing to compare.
    let mut one = used(1);
    recall_probe(folder.path(), &mut one, |_| panic!("there is no probe"));
    assert_eq!(one, used(1));
    let probed = Hardware {
        measured_bandwidth: Some(measured()),
        ..hardware()
    };
    keep_probe(folder.path(), &probed).unwrap();
    recall_probe(folder.path(), &mut one, |_| hardware());
    assert_eq!(one.measured_bandwidth, Some(measured()));
    assert_eq!(one.accelerators, used(1).accelerators);
    let mut other = used(1);
    recall_probe(folder.path(), &mut other, Hardware::clone);
    assert_eq!(other.measured_bandwidth, None);
    assert_eq!(other.unknown[0].fact, "measured_bandwidth");
    let reason = &other.unknown[0].reason;
    assert!(reason.contains("made on other hardware"), "{reason}");
}

#[test]
fn a_file_that_is_no_probe_is_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let probed = Hardware {
        measured_bandwidth: Some(measured()),
        ..hardware()
    };
    let path = keep_probe(folder.path(), &probed).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let check = |text: &[u8], why: &str| {
        fs::write(&path, text).unwrap();
        let expect = format!("{why}; `tokmark machine --probe` measures again");
        let found = last_probe(folder.path(), &hardware());
        assert_eq!(found, LastProbe::Useless(expect));
    };
    check(
        &whole.as_bytes()[..whole.len() / 2],
        "the last probe is damaged",
    );
    check(b"{}", "the last probe is damaged");
    check(&[0xff, 0xfe], "the last probe cannot be read");
    let later = whole.replace("probe/1", "probe/2");
    check(later.as_bytes(), "the last probe is of another version");
}
