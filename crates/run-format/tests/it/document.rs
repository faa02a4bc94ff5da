use tokmark_run_format::{
    CellStatus, DecodeCell, ReadError, RunDocument, Tool, read_document, schema, write_document,
};

fn sample() -> RunDocument {
    let tool = Tool {
        name: "tokmark".into(),
        version: Some("0.1.0".into()),
    };
    let mut run = RunDocument::new("01j0000000000000000000test".into(), tool);
    run.model.name = "tiny".into();
    let mut cell = DecodeCell::without_numbers(8_192, 4, CellStatus::Valid, None);
    cell.total_tokens_per_s = Some(100.5);
    cell.output_tokens = Some(3_015);
    cell.measured_s = Some(30.0);
    run.decode.push(cell);
    run.decode.push(DecodeCell::without_numbers(
        8_192,
        8,
        CellStatus::OverCapacity,
        Some("needs 70,000 of 60,000 tokens".into()),
    ));
    run
}

#[test]
fn a_document_survives_writing_and_reading() {
    let run = sample();
    let text = write_document(&run).unwrap();
    assert_eq!(read_document(&text).unwrap(), run);
    assert!(text.ends_with("}\n"));
}

#[test]
fn names_that_scripts_rely_on_are_always_there() {
    let text = write_document(&sample()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["format"], "tokmark-run/1");
    for cell in value["decode"].as_array().unwrap() {
        for name in [
            "context",
            "requests",
            "status",
            "total_tokens_per_s",
            "per_request_tokens_per_s",
            "ttft_ms",
            "time_between_tokens_ms",
            "average_active_requests",
            "completed_requests",
            "output_tokens",
            "measured_s",
            "ci95_low",
            "ci95_high",
        ] {
            assert!(cell.get(name).is_some(), "{name}");
        }
    }
    assert_eq!(value["decode"][1]["status"], "over_capacity");
    assert!(value["decode"][1]["total_tokens_per_s"].is_null());
}

#[test]
fn a_number_that_is_not_one_becomes_null() {
    let mut run = sample();
    run.decode[0].total_tokens_per_s = Some(f64::NAN);
    run.decode[0].ci95_high = Some(f64::INFINITY);
    let text = write_document(&run).unwrap();
    let back = read_document(&text).unwrap();
    assert_eq!(back.decode[0].total_tokens_per_s, None);
    assert_eq!(back.decode[0].ci95_high, None);
}

#[test]
fn broken_files_are_told_apart() {
    let text = write_document(&sample()).unwrap();
    let cut = &text[..text.len() / 2];
    assert!(matches!(read_document(cut), Err(ReadError::NotJson { .. })));
    assert!(matches!(read_document("[1]"), Err(ReadError::NotARun)));
    assert!(matches!(
        read_document(r#"{"format":"tokmark-run/9"}"#),
        Err(ReadError::UnknownVersion { .. })
    ));
    let damaged = text.replace("\"requests\": 4", "\"requests\": \"four\"");
    assert!(matches!(
        read_document(&damaged),
        Err(ReadError::Damaged { .. })
    ));
    let unknown_status = text.replace("over_capacity", "fine_somehow");
    assert!(matches!(
        read_document(&unknown_status),
        Err(ReadError::Damaged { .. })
    ));
}

#[test]
fn additions_of_a_later_minor_version_are_tolerated() {
    let text = write_document(&sample()).unwrap();
    let extended = text.replacen('{', "{\n  \"added_later\": 1,", 1);
    assert_eq!(read_document(&extended).unwrap(), sample());
}

#[test]
fn the_schema_accepts_what_is_written_and_refuses_a_sentinel() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let text = write_document(&sample()).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(validator.is_valid(&value));
    value["decode"][0]["total_tokens_per_s"] = "n/a".into();
    assert!(!validator.is_valid(&value));
}

#[test]
fn every_status_word_is_the_one_in_the_document() {
    for status in CellStatus::ALL {
        let word = serde_json::to_value(status).unwrap();
        assert_eq!(word, status.as_str());
    }
}
