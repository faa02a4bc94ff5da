//! CSV, Markdown and the table for terminals.

use tokmark_pages::{PageOptions, TableOptions, csv, markdown, run_page, text_table};
use tokmark_run_format::cell::Pass;
use tokmark_run_format::{CellStatus, DecodeCell, RunDocument, Tool, write_document};

use crate::kit::{CONTEXTS, REQUESTS, full_run, plain};

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
    assert_eq!(column(lines[1], "energy_joules_per_prompt_token"), "0.25");
    assert_eq!(column(lines[1], "energy_joules_per_output_token"), "");
    let first = lines[4];
    assert_eq!(column(first, "phase"), "decode");
    let cell = &run.decode[0];
    for (name, value) in [
        ("total_tokens_per_s", cell.total_tokens_per_s),
        ("per_request_tokens_per_s", cell.per_request_tokens_per_s),
        ("ci95_low", cell.ci95_low),
        ("gaps_p99_ms", cell.gaps.as_ref().map(|gaps| gaps.p99_ms)),
        ("energy_joules_per_output_token", Some(2.5)),
        ("energy_idle_power_w", Some(305.0)),
        ("launch_ttft_answer_ms", cell.launch_ttft.answer_ms),
    ] {
        assert_eq!(column(first, name).parse::<f64>().ok(), value, "{name}");
    }
    assert_eq!(column(lines[lines.len() - 1], "need_tokens"), "600000");
    assert_eq!(column(lines[lines.len() - 1], "total_tokens_per_s"), "");
}

#[test]
fn passes_are_told_everywhere() {
    let mut run = full_run("");
    let cell = &mut run.decode[0];
    cell.passes = [Some(100.0), None, Some(110.0)]
        .map(|total_tokens_per_s| Pass {
            status: CellStatus::Valid,
            total_tokens_per_s,
            per_request_tokens_per_s: None,
            ttft_ms: None,
        })
        .to_vec();
    cell.passes_spread = Some(0.095);
    cell.passes_drift = Some(0.05);
    let text = csv(&run);
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let place = |name| header.iter().position(|column| *column == name).unwrap();
    let first: Vec<&str> = text.lines().nth(4).unwrap().split(',').collect();
    let shown = ["passes", "passes_spread", "passes_drift"].map(|name| first[place(name)]);
    assert_eq!(shown, ["3", "0.095", "0.05"]);
    let line = "measured in up to 3 passes and shows the one with the median total. The totals of a \
                cell's passes lie 9.5 % apart";
    assert!(markdown(&run).contains(line));
    assert!(text_table(&run, plain(400)).contains(line));
    let page = run_page(&run, &PageOptions::self_contained());
    assert!(page.contains("<td>100.0, —, 110.0</td><td>9.5 %</td><td>5.0 %</td>"));
    assert!(!markdown(&full_run("")).contains("passes"));
}

/// Every column says its unit in its name, or has none.
#[test]
fn every_column_of_a_csv_has_a_unit_or_none() {
    let text = csv(&full_run(""));
    let with_unit = |name: &str| {
        let endings = [
            "_ms",
            "_s",
            "_w",
            "_j",
            "_tokens",
            "_ms_min",
            "_ms_max",
            "_ms_lower_bound",
        ];
        endings.iter().any(|ending| name.ends_with(ending))
            || name.contains("_per_")
            || name.contains("_ms_")
    };
    let without: Vec<&str> = text
        .lines()
        .next()
        .unwrap()
        .split(',')
        .filter(|name| !with_unit(name))
        .collect();
    // Words, counts, tokens, and shares of 1; those of rates are in docs/reports.md.
    assert_eq!(
        without.join(" "),
        "phase context requests status reason average_active_requests completed_requests ci95_low \
         ci95_high samples ttft_censored ci_batches ci_cosines drift passes passes_spread \
         passes_drift gaps_n warm_fraction mean_depth restart_fraction server_running \
         server_waiting preemptions speculative_acceptance admission_limit roofline_share \
         roofline_bound energy_method energy_throttled_share energy_power_capped_share \
         energy_shared energy_samples sources_arrival notes"
    );
}

#[test]
fn markdown_has_facts_matrix_and_legend() {
    let text = markdown(&full_run(""));
    for part in [
        "# Tiny-7B-AWQ on Rig 2x16GB\n",
        "| Hardware | GPU | 2 × Rig 16 |",
        "```sh\nvllm serve owner/Tiny-7B-AWQ --max-model-len 40960\n```",
        "| Context | tok/s | TTFT | Power | Per token | Status |",
        "| 8K | 3,004 | 2,731 ms | 610 W | 0.250 J |  |",
        "Energy of the accelerators: 2.50 J per output token, 0.250 J per prompt token; the 305 W at \
         rest are part of it.",
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
        let text = text_table(&run, plain(width));
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
    let text = text_table(&run, plain(120));
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

/// A run that nobody watched has no columns and no sentence about energy.
#[test]
fn energy_is_shown_where_it_was_read() {
    let shown = |run: &RunDocument| {
        let page = run_page(run, &PageOptions::self_contained());
        // The words of the glossary stand on every page.
        let tables = page.split("id=\"glossary\"").next().unwrap().to_owned();
        [text_table(run, plain(120)), markdown(run), tables]
    };
    let mut run = full_run("");
    let table = text_table(&run, plain(120));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let row = table.lines().map(words).find(|line| line.starts_with("8K"));
    assert_eq!(row.as_deref(), Some("8K 3,004 2,731 ms 610 W 0.250 J"));
    let page = run_page(&run, &PageOptions::self_contained());
    for (label, value) in [
        ("Per prompt token", "0.250 J"),
        ("Per output token", "2.50 J"),
        ("Power at rest", "305 W"),
        ("TTFT by the server", "21 ms"),
        ("Outside the engine", "9 ms"),
        ("Energy from", "the devices&#39; counters"),
    ] {
        assert!(
            page.contains(&format!("<th scope=\"col\">{label}</th>")),
            "{label}"
        );
        assert!(page.contains(&format!("<td>{value}</td>")), "{value}");
    }
    run.prefill.iter_mut().for_each(|row| row.energy = None);
    run.decode.iter_mut().for_each(|cell| cell.energy = None);
    for text in shown(&run) {
        for word in ["Power", "power", "Energy", "per output token"] {
            assert!(!text.contains(word), "`{word}` in {text}");
        }
    }
}

/// 50 % everywhere; nothing of it in a run that knows of no roofline.
#[test]
fn the_share_of_the_roofline_in_every_export() {
    let mut run = full_run("");
    let line = "Share of the roofline: 50.0 % of what the measured 500 GB/s (Maker Rig 16) allow at \
                each depth and number of requests; the highest at ";
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = |run: &RunDocument| flat(&text_table(run, plain(120)));
    let long = |run: &RunDocument| {
        let options = TableOptions {
            roofline: true,
            ..plain(120)
        };
        text_table(run, options)
    };
    assert!(short(&run).contains(line), "{}", short(&run));
    assert!(!short(&run).contains("50 % roof"));
    // Every cell with a number but one whose row is full of them.
    let cells = run
        .decode
        .iter()
        .filter(|cell| cell.roofline_share.is_some());
    assert_eq!(long(&run).matches("50 % roof").count(), cells.count());
    assert!(markdown(&run).contains(line));
    assert!(
        markdown(&run)
            .contains("| Hardware | Memory bandwidth | 500 GB/s, measured (Maker Rig 16) |")
    );
    let table = csv(&run);
    let lines: Vec<Vec<&str>> = table
        .split_terminator("\r\n")
        .map(|line| line.split(',').collect())
        .collect();
    let at = |name: &str| lines[0].iter().position(|column| *column == name).unwrap();
    let prefill = &lines[1];
    assert_eq!(prefill[at("roofline_tokens_per_s")], "12000");
    assert_eq!(prefill[at("roofline_bound")], "compute");
    let decode = lines.iter().find(|line| line[0] == "decode").unwrap();
    assert_eq!(
        (decode[at("roofline_share")], decode[at("roofline_bound")]),
        ("0.5", "memory")
    );
    run.roofline = None;
    for cell in &mut run.decode {
        cell.roofline_share = None;
    }
    for shown in [long(&run), markdown(&run)] {
        assert!(
            !shown.contains("oofline") && !shown.contains("roof"),
            "{shown}"
        );
    }
}

/// Ten requests of 100 tokens one after the other in 20 s are 50 tok/s wherever it is written.
#[test]
fn b056_one_figure_in_every_place() {
    let mut run = full_run("");
    let cell = &mut run.decode[0];
    cell.total_tokens_per_s = Some(1_000.0 / 20.0);
    cell.per_request_tokens_per_s = Some(99.0 / 1.5);
    (cell.ci95_low, cell.ci95_high) = (None, None);
    run.decode.truncate(1);
    run.prefill.clear();
    let text = csv(&run);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    let figures = lines[0].split(',').zip(lines[1].split(','));
    let of = |name: &str| {
        figures
            .clone()
            .find(|(column, _)| *column == name)
            .unwrap()
            .1
    };
    assert_eq!(of("total_tokens_per_s"), "50");
    assert_eq!(of("per_request_tokens_per_s"), "66");
    for shown in [
        markdown(&run),
        text_table(&run, plain(120)),
        run_page(&run, &PageOptions::self_contained()),
    ] {
        let words = shown.replace(['|', '<', '>'], " ");
        let has = |figure: &str| words.split_whitespace().any(|word| word == figure);
        assert!(has("50.0"), "{shown}");
    }
    let json = write_document(&run).unwrap();
    assert!(json.contains("\"total_tokens_per_s\": 50.0,"), "{json}");
}

/// One cell of one request, with nothing known of the machine or from the server; then the same
/// with nothing but a failure. Both are shown, and what was not measured is never a zero.
#[test]
fn b097_the_smallest_run_is_shown() {
    let mut run = RunDocument::new("one".to_owned(), Tool::default());
    let bare = |status| DecodeCell::without_numbers(0, 1, status, None);
    let alone = DecodeCell {
        total_tokens_per_s: Some(80.0),
        per_request_tokens_per_s: Some(80.0),
        ..bare(CellStatus::Valid)
    };
    let failed = DecodeCell {
        reason: Some("1 of 1 requests failed: connect: refused".to_owned()),
        ..bare(CellStatus::Failed)
    };
    for (cell, words) in [(alone, "80.0"), (failed, "Failed")] {
        run.decode = vec![cell];
        for shown in [
            markdown(&run),
            text_table(&run, plain(80)),
            run_page(&run, &PageOptions::self_contained()),
        ] {
            assert!(shown.contains(words), "{shown}");
            for wrong in ["NaN", "inf tok", " 0.0 ", ">0.0<", " 0 ms", ">0 ms<"] {
                assert!(!shown.contains(wrong), "`{wrong}` in {shown}");
            }
        }
        let table = csv(&run);
        assert_eq!(table.lines().count(), 2, "{table}");
        assert!(
            !table.contains(",0.0,") && !table.contains("NaN"),
            "{table}"
        );
    }
}
