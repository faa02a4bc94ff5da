//! CSV, Markdown and the table for terminals.

use tokmark_pages::{csv, markdown, text_table};

use crate::kit::{CONTEXTS, REQUESTS, full_run};

#[test]
fn csv_has_a_row_for_everything() {
    let run = full_run("");
    let text = csv(&run);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    let header: Vec<&str> = lines[0].split(',').collect();
    assert_eq!(lines.len(), 1 + run.prefill.len() + run.decode.len());
    for line in &lines {
        assert_eq!(line.split(',').count(), header.len(), "{line}");
    }
    let column = |line: &str, name: &str| {
        let at = header.iter().position(|column| *column == name).unwrap();
        line.split(',').nth(at).unwrap().to_owned()
    };
    assert_eq!(column(lines[1], "phase"), "prefill");
    assert_eq!(column(lines[1], "prompt_tokens"), "8204");
    assert_eq!(column(lines[1], "samples"), "2");
    let first = lines[4];
    assert_eq!(column(first, "phase"), "decode");
    let cell = &run.decode[0];
    for (name, value) in [
        ("total_tokens_per_s", cell.total_tokens_per_s),
        ("per_request_tokens_per_s", cell.per_request_tokens_per_s),
        ("ci95_low", cell.ci95_low),
        ("gaps_p99_ms", cell.gaps.as_ref().map(|gaps| gaps.p99_ms)),
        ("launch_ttft_answer_ms", cell.launch_ttft.answer_ms),
    ] {
        assert_eq!(column(first, name).parse::<f64>().ok(), value, "{name}");
    }
    assert_eq!(column(lines[lines.len() - 1], "need_tokens"), "600000");
    assert_eq!(column(lines[lines.len() - 1], "total_tokens_per_s"), "");
}

#[test]
fn markdown_has_facts_matrix_and_legend() {
    let text = markdown(&full_run(""));
    for part in [
        "# Tiny-7B-AWQ on Rig 2x16GB\n",
        "| Hardware | GPU | 2 × Rig 16 |",
        "```sh\nvllm serve owner/Tiny-7B-AWQ --max-model-len 40960\n```",
        "| 8K | 3,004 | 2,731 ms |  |",
        "| Context | 1 | 2 | 4 | 8 | 16 |",
        "| 32K | 63.1 ±0.9 (30 ms), Requests queued | Looped | Failed |",
        "- **Over limit**: not run",
        "mostly excludes prefill",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_terminal_table_keeps_its_width() {
    let run = full_run("");
    for width in [120, 80, 40, 1] {
        let text = text_table(&run, width, false);
        for requests in REQUESTS {
            let heading = requests.to_string();
            let has = |line: &str| line.split_whitespace().any(|word| word == heading);
            let headings = text
                .lines()
                .filter(|line| line.trim_start().starts_with("Context"));
            assert!(
                headings.into_iter().any(has),
                "{requests} at {width}\n{text}"
            );
        }
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width.max(56), "{widest} at {width}\n{text}");
    }
    let text = text_table(&run, 120, false);
    for (context, label) in CONTEXTS.iter().zip(["0", "8K", "16K", "32K"]) {
        let row = text
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("{label} ")));
        assert!(row, "{context}\n{text}");
    }
    for words in [
        "110.8",
        "30 ms",
        "Looped",
        "≥ 12,345 ms",
        "Ran out of",
        "context 32K, 4 requests: Failed (reason for failed)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
}
