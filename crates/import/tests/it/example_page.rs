use tokmark_import::import;
use tokmark_run_format::{
    CapacityRule, CellStatus, MachineClass, RunDocument, Trust, read_document, write_document,
};

pub(crate) const PAGE: &str = include_str!("../fixtures/page.json");

fn page() -> RunDocument {
    import(PAGE).unwrap().remove(0)
}

#[test]
fn the_cards_find_their_places() {
    let run = page();
    assert_eq!(run.title(), "Tiny-7B-Chat-AWQ on Rig 16GB");
    assert_eq!(run.submitted_by.as_deref(), Some("@submitter"));
    assert_eq!(run.tool.name, "llm-inference-bench");
    assert_eq!(run.tool.version.as_deref(), Some("v0.8.0"));
    assert_eq!(run.trust, Trust::Imported);
    assert!(run.complete);
    let hardware = &run.hardware;
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.accelerators[0].count, 2);
    assert_eq!(hardware.accelerators[0].name, "Rig");
    assert_eq!(
        hardware.accelerators[0].memory_text.as_deref(),
        Some("16 GB")
    );
    assert_eq!(hardware.cpu_cores, Some(8));
    assert_eq!(run.engine.max_length, Some(24_576));
    assert_eq!(run.model.served_name, "bench");
    assert_eq!(
        run.model.repository.as_deref(),
        Some("owner/Tiny-7B-Chat-AWQ")
    );
    assert_eq!(run.plan.contexts, [0, 16_384]);
    assert_eq!(run.plan.requests, [1, 2, 4]);
    assert_eq!(run.plan.prefill_contexts, [8_192, 16_384]);
    assert!((run.plan.window_s - 30.0).abs() < 1e-12);
    assert_eq!(run.plan.max_output_tokens, 8_192);
    assert_eq!(run.plan.capacity, CapacityRule::Reserve);
    assert_eq!(run.plan.endpoint, "chat");
    let notes: Vec<&str> = run.notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(notes, ["source_trust"], "title and summary need no note");
}

#[test]
fn what_the_page_does_not_say_stays_empty() {
    let run = page();
    assert_eq!(run.prefill[0].prompt_tokens_per_s, Some(3_200.0));
    assert_eq!(run.prefill[0].prompt_tokens, None);
    assert!(run.prefill.iter().all(|row| row.samples.is_empty()));
    assert_eq!(run.hardware.accelerators[0].memory_bytes, None);
    assert_eq!(run.started_at, None);
    assert!(run.evidence.is_none());
    let looped = run.cell(16_384, 1).unwrap();
    assert_eq!(looped.status, CellStatus::Looped);
    assert_eq!(looped.output_tokens, Some(0), "the page shows a 0 here");
    assert_eq!(looped.total_tokens_per_s, None);
    assert_eq!(run.cell(0, 4).unwrap().output_tokens, None);
}

#[test]
fn secrets_stay_outside() {
    let run = page();
    let text = write_document(&run).unwrap();
    assert!(!text.contains("sesame"), "{text}");
    assert!(run.launch_command.unwrap().ends_with("--api-key [removed]"));
    let source = run.source.unwrap();
    assert_eq!(source.format, "llm-inference-bench page");
    assert_eq!(source.sha256.len(), 64);
    assert_eq!(source.original["model"], "Tiny-7B-Chat-AWQ");
}

#[test]
fn the_identity_comes_from_the_content() {
    let id = page().id;
    assert_eq!(id, page().id);
    assert_eq!(id.len(), 26);
    assert!(
        id.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    );
    let other = import(&PAGE.replace("80.0", "81.0")).unwrap().remove(0);
    assert_ne!(id, other.id);
}

#[test]
fn the_document_survives_writing_and_reading() {
    let run = page();
    let text = write_document(&run).unwrap();
    assert_eq!(read_document(&text).unwrap(), run);
}

#[test]
fn words_without_a_place_are_kept_as_notes() {
    let odd = PAGE
        .replace("\"OS\":", "\"Case\": \"open frame\", \"OS\":")
        .replace("Discrete GPU", "Wafer")
        .replace("Tiny-7B-Chat-AWQ on Rig 16GB", "A title of its own")
        .replace("2 contexts", "9 contexts")
        .replace(
            "\"average_active_requests\": 1.5,",
            "\"average_active_requests\": 1.5, \"watts\": 300,",
        );
    let run = import(&odd).unwrap().remove(0);
    let text = run.notes.iter().map(|note| note.text.as_str());
    let text = text.collect::<Vec<_>>().join("\n");
    for word in [
        "Case: open frame",
        "Type: Wafer",
        "A title of its own",
        "9 contexts",
        "watts: 300",
    ] {
        assert!(text.contains(word), "{word} is missing in: {text}");
    }
}
