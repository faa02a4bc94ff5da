//! A run may come from anywhere: no text of it may become markup, a control code or a formula.

use tokmark_pages::{
    FilterField, FilterOption, ListForm, ListedRun, PageOptions, TableOptions, csv, markdown,
    run_list_page, run_page, text_table,
};
use tokmark_run_format::Trust;

use crate::html::{assert_balanced, elements};
use crate::kit::{full_run, plain};

const MARK: &str = "<script>alert(1)</script>\"'&";
const ESCAPED: &str = "&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;";

#[test]
fn no_text_becomes_markup() {
    let page = run_page(&full_run(MARK), &PageOptions::self_contained());
    assert!(!page.contains("<script>alert"));
    assert_eq!(page.matches("<script").count(), 1, "only our own");
    assert_balanced(&page);
}

#[test]
fn every_text_of_a_run_is_on_its_page() {
    let page = run_page(&full_run(MARK), &PageOptions::self_contained());
    for text in [
        "tokmark",
        "0.1.0",
        "@submitter",
        "Rig 2x16GB",
        "Rig 16",
        "Some CPU",
        "Some OS 24",
        "driver 600.1",
        "detected",
        "vllm",
        "0.33.0",
        "image:tag",
        "cuda",
        "AWQ 4-bit",
        "fp8",
        "metrics",
        "Tiny-7B-AWQ",
        "bench",
        "owner/Tiny-7B-AWQ",
        "main",
        "sha256:abc",
        "tiny.gguf",
        "vllm serve owner/Tiny-7B-AWQ",
        "a note by hand",
        "a remark about the run",
        "chat",
        "generated prose",
        "reason for queued",
        "reason for failed",
        "note on 0 x 1",
        "http 503",
        "overloaded",
        "kernel",
        "counter",
        "usage",
        "Maker Rig 16",
        "catalogue/Tiny-7B",
    ] {
        assert!(page.contains(&format!("{ESCAPED}{text}")), "{text}");
    }
}

#[test]
fn lists_escape_too() {
    let row = ListedRun {
        href: format!("/en/runs/{MARK}"),
        model: MARK,
        hardware: Some(MARK),
        engine: [Some(MARK), None, None],
        trust: Trust::Imported,
        started_at: Some(MARK),
        received_at: None,
        cells: Vec::new(),
    };
    let mut form = ListForm::new(MARK.to_owned(), vec![("user", MARK.to_owned())], true);
    form.add(FilterField::Search, MARK, &[]);
    form.add(
        FilterField::Model,
        "",
        &[FilterOption::plain(MARK.to_owned())],
    );
    let page = run_list_page(
        &[row.into()],
        &form,
        Some(MARK),
        &PageOptions::self_contained(),
    );
    assert!(!page.contains("<script>alert"));
    assert_eq!(page.matches(ESCAPED).count(), 12);
    assert_balanced(&page);
}

#[test]
fn markdown_and_csv_keep_texts_as_texts() {
    let run = full_run(MARK);
    let text = markdown(&run);
    let outside_of_code: Vec<&str> = text.split("```").step_by(2).collect();
    assert!(!outside_of_code.join("").contains("<script>"));
    let table = csv(&full_run("=HYPERLINK(1)"));
    assert!(!table.contains(",=HYPERLINK"));
    assert!(table.contains(",'=HYPERLINK(1)reason for failed,"));
}

#[test]
fn terminals_get_no_control_codes_from_a_run() {
    let run = full_run("\u{1b}[2J\u{7}");
    let text = text_table(&run, plain(100));
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{7}'),
        "{text:?}"
    );
    let coloured = text_table(
        &run,
        TableOptions {
            colour: true,
            roofline: true,
            ..plain(100)
        },
    );
    assert!(!coloured.contains("\u{1b}[2J"));
    assert!(coloured.contains("\u{1b}[1m"));
}

#[test]
fn a_copy_button_needs_its_script() {
    let page = run_page(&full_run(""), &PageOptions::self_contained());
    let buttons = elements(&page, "button");
    assert_eq!(buttons.len(), 2);
    for button in buttons {
        assert!(button.attributes.contains_key("hidden"));
        let id = format!("id=\"{}\"", button.attribute("data-copy"));
        assert!(page.contains(&id), "{id}");
    }
}
