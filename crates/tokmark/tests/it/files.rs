use tokmark_run_format::{CellStatus, DecodeCell, RunDocument, Tool, write_document};

use crate::{fails, tokmark};

fn document() -> RunDocument {
    let mut run = RunDocument::new("0123456789abcdefghijklmnop".into(), Tool::default());
    run.model.name = "tiny".into();
    run.plan.contexts = vec![0];
    run.plan.requests = vec![1, 2];
    let mut cell = DecodeCell::without_numbers(0, 1, CellStatus::Valid, None);
    cell.total_tokens_per_s = Some(123.4);
    cell.output_tokens = Some(3_702);
    cell.measured_s = Some(30.0);
    run.decode.push(cell);
    run.decode.push(DecodeCell::without_numbers(
        0,
        2,
        CellStatus::OverCapacity,
        Some("needs 70,000 of 60,000 tokens".into()),
    ));
    run
}

fn written() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    std::fs::write(&path, write_document(&document()).unwrap()).unwrap();
    let path = path.display().to_string();
    (dir, path)
}

#[test]
fn every_format_shows_number_and_status() {
    let (_dir, path) = written();
    for (format, status) in [
        ("table", "Over capacity"),
        ("markdown", "Over capacity"),
        ("html", "Over capacity"),
        ("csv", "over_capacity"),
        ("json", "over_capacity"),
    ] {
        let output = tokmark(&["show", &path, "--format", format]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{format}");
        assert!(text.contains("123.4"), "{format}: {text}");
        assert!(text.contains(status), "{format}: {text}");
    }
}

#[test]
fn show_writes_a_file_or_says_why_not() {
    let (dir, path) = written();
    let page = dir.path().join("page.html").display().to_string();
    let output = tokmark(&["show", &path, "--format", "html", "--output", &page]);
    assert!(output.status.success());
    assert!(output.stdout.is_empty());
    assert!(std::fs::read_to_string(&page).unwrap().starts_with("<!"));
    fails(
        &["show", &path, "--output", "/nowhere/page.html"],
        2,
        &["/nowhere/page.html"],
    );
}

#[test]
fn the_ending_of_the_file_chooses_the_format() {
    let (dir, path) = written();
    for (name, begins) in [
        ("a.html", "<!doctype html>"),
        ("a.md", "# tiny"),
        ("a.CSV", "phase,"),
        ("a.json", "{"),
        ("a.svg", "<svg "),
        ("a.txt", "tiny"),
        ("a", "tiny"),
    ] {
        let to = dir.path().join(name).display().to_string();
        let output = tokmark(&["show", &path, "--output", &to]);
        assert!(output.status.success(), "{name}: {output:?}");
        let text = std::fs::read_to_string(&to).unwrap();
        assert!(text.starts_with(begins), "{name}: {text}");
    }
    let to = dir.path().join("a.pdf").display().to_string();
    fails(&["show", &path, "-o", &to], 2, &[".pdf", "svg, png"]);
    fails(&["show", &path, "--picture", "card"], 2, &["svg and png"]);
}

#[test]
fn a_card_is_a_picture_of_its_size_that_is_not_blank() {
    let (dir, path) = written();
    let to = dir.path().join("card.png").display().to_string();
    let file = tokmark(&["show", &path, "--output", &to]);
    assert!(file.status.success(), "{file:?}");
    let piped = tokmark(&["show", &path, "--format", "png"]).stdout;
    assert_eq!(std::fs::read(&to).unwrap(), piped, "file and pipe");
    let colours = |picture: &[u8]| {
        let decoder = png::Decoder::new(std::io::Cursor::new(picture));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((frame.width, frame.height), (1_200, 630));
        let pixels = bytes.chunks_exact(4).map(<[u8]>::to_vec);
        pixels.collect::<std::collections::BTreeSet<_>>()
    };
    let light = colours(&piped);
    assert!(light.len() > 50, "{}", light.len());
    assert!(light.contains(&[0xff, 0xff, 0xff, 0xff][..]));
    let dark = tokmark(&["show", &path, "--format", "png", "--theme", "dark"]).stdout;
    assert!(colours(&dark).contains(&[0x15, 0x1a, 0x20, 0xff][..]));
}

#[test]
fn a_run_without_evidence_cannot_be_verified() {
    let (_dir, path) = written();
    fails(&["verify", &path], 3, &["no evidence"]);
}

/// A run that version 0.1.0 saved: it stays readable and verifiable for ever.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/run-1");

#[test]
fn a_run_of_format_1_stays_readable_and_verifiable() {
    let shown = tokmark(&["show", GOLDEN, "--format", "csv"]);
    assert!(shown.status.success());
    let csv = String::from_utf8(shown.stdout).unwrap();
    assert!(csv.starts_with("phase,"), "{csv}");
    // Two prefill points and nine cells.
    assert_eq!(csv.lines().count(), 12);
    let verified = tokmark(&["verify", GOLDEN, "--json"]);
    let verdict: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!(verdict["consistent"], true, "{verdict}");
    assert!(verified.status.success());
}

#[test]
fn a_forged_number_and_a_forged_evidence_file_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let to = dir.path().join(name);
        std::fs::copy(format!("{GOLDEN}/{name}"), &to).unwrap();
        to
    };
    let (document, evidence) = (copy("demo.json"), copy("demo.evidence.zst"));
    let dir = dir.path().display().to_string();
    let text = std::fs::read_to_string(&document).unwrap();
    let rate = text
        .lines()
        .find(|line| line.contains("\"total_tokens_per_s\""))
        .unwrap();
    let forged = text.replacen(rate, "      \"total_tokens_per_s\": 999.9,", 1);
    std::fs::write(&document, forged).unwrap();
    let verified = tokmark(&["verify", &dir]);
    let said = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(verified.status.code(), Some(1), "{said}");
    assert!(
        said.contains("total_tokens_per_s") && said.contains("999.9"),
        "{said}"
    );
    std::fs::write(&evidence, b"something else").unwrap();
    fails(&["verify", &dir], 1, &["SHA-256 differs"]);
}

#[test]
fn what_is_no_run_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let newer = write("newer.json", br#"{"format": "tokmark-run/99"}"#);
    fails(
        &["show", &newer],
        2,
        &["tokmark-run/99", "try: a newer tokmark wrote it"],
    );
    let evidence = write("run.evidence.zst", &[0x28, 0xb5, 0x2f, 0xfd]);
    fails(
        &["show", &evidence],
        2,
        &[
            "cannot read",
            "try: that is the evidence; name the document",
        ],
    );
    write("my runs/small.journal", b"");
    let folder = dir.path().join("my runs").display().to_string();
    let resume = format!("--resume '{folder}'");
    for command in [&["show", &folder][..], &["compare", &folder, &folder]] {
        fails(command, 2, &["an unfinished run lies there", &resume]);
    }
}
