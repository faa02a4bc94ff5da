use proptest::prelude::*;
use tokmark_run_format::evidence::{CellEvidence, Event, Record, RequestEvidence};
use tokmark_run_format::wire::{EvidenceError, Writer, read};

fn file(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::start(Vec::new(), "run", "0.1.0").unwrap();
    for record in records {
        writer.append(record).unwrap();
    }
    writer.finish().unwrap()
}

fn cell(events: Vec<Event>) -> Record {
    Record::Cell(Box::new(CellEvidence {
        context: 2_048,
        requests: 1,
        streams: vec![RequestEvidence {
            events,
            sent_ns: 5,
            ..RequestEvidence::default()
        }],
        ..CellEvidence::default()
    }))
}

proptest! {
    #[test]
    fn events_survive(deltas in prop::collection::vec((0_u64..1 << 40, prop::option::of(0_u32..9)), 0..200)) {
        let mut at_ns = 0;
        let events: Vec<Event> = deltas
            .iter()
            .map(|(dt, tokens)| {
                at_ns += dt;
                Event { at_ns, tokens: *tokens }
            })
            .collect();
        let record = cell(events);
        let back = read(file(std::slice::from_ref(&record)).as_slice(), 1 << 30).unwrap();
        prop_assert_eq!(&back[1], &record);
    }
}

#[test]
fn a_stamp_that_goes_back_moves_no_other() {
    let at = |at_ns| Event {
        at_ns,
        tokens: Some(1),
    };
    let record = cell(vec![at(10), at(8), at(12)]);
    let back = read(file(std::slice::from_ref(&record)).as_slice(), 1 << 20).unwrap();
    assert_eq!(back[1], cell(vec![at(10), at(10), at(12)]));
}

#[test]
fn a_paced_cell_takes_few_bytes_per_event() {
    let events: Vec<Event> = (0..30_000_u64)
        .map(|i| Event {
            at_ns: i * 12_500_000 + (i * 2_654_435_761) % 200_000,
            tokens: Some(1),
        })
        .collect();
    let bytes = file(&[cell(events)]).len();
    assert!(bytes < 30_000 * 5, "{bytes} bytes for 30,000 events");
}

#[test]
fn a_file_that_unpacks_to_more_than_allowed_is_refused() {
    let packed = file(&[cell(vec![Event::default(); 100_000])]);
    assert!(
        packed.len() < 10_000,
        "it must be small on disk for this test to mean anything"
    );
    assert!(matches!(
        read(packed.as_slice(), 50_000),
        Err(EvidenceError::TooLarge { limit: 50_000 })
    ));
}

/// Three bytes of the file that take hundreds of memory, a hundred thousand times.
#[test]
fn a_file_of_nothing_but_records_is_refused() {
    let check = |record: &str| {
        let header =
            r#"{"record":"header","format":"tokmark-evidence/1","run":"","tool_version":""}"#;
        let packed = zstd::encode_all(format!("{header}\n{record}").as_bytes(), 1).unwrap();
        match read(packed.as_slice(), 1 << 20) {
            Err(EvidenceError::Hollow { bytes }) => assert!(bytes > 8 << 20, "{bytes}"),
            other => panic!("{other:?}"),
        }
    };
    let streams = vec!["{}"; 100_000].join(",");
    check(&format!(r#"{{"record":"cell","streams":[{streams}]}}"#));
    check(&format!(r#"{{"record":"cell","scrapes":[{streams}]}}"#));
    check(&"{\"record\":\"cell\"}\n".repeat(50_000));
    check(&"{\"record\":\"prefill\"}\n".repeat(40_000));
}

#[test]
fn damage_is_named() {
    let packed = file(&[cell(Vec::new())]);
    let cut = &packed[..packed.len() - 4];
    assert!(matches!(read(cut, 1 << 20), Err(EvidenceError::Io(_))));
    assert!(matches!(
        read(&b"plain text"[..], 1 << 20),
        Err(EvidenceError::Io(_))
    ));
    let other = zstd::encode_all(
        &b"{\"record\":\"header\",\"format\":\"x/1\",\"run\":\"\",\"tool_version\":\"\"}\n"[..],
        1,
    )
    .unwrap();
    assert!(matches!(
        read(other.as_slice(), 1 << 20),
        Err(EvidenceError::Header)
    ));
    let bad = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
    assert!(matches!(
        read(bad.as_slice(), 1 << 20),
        Err(EvidenceError::Line { line: 1, .. })
    ));
}
