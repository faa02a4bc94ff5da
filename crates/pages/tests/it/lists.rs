//! Lists and the start page.

use tokmark_pages::{ListForm, ListedRun, PageOptions, RunListRow, home, run_list_page};

use crate::html::{assert_balanced, elements};
use crate::kit::full_run;

fn rows() -> Vec<RunListRow> {
    vec![ListedRun::of(&full_run(""), "/en/runs/1".to_owned()).into()]
}

#[test]
fn a_row_has_picture_figures_and_link() {
    let page = run_list_page(
        &rows(),
        &ListForm::default(),
        Some("/en/runs?before=x"),
        &PageOptions::self_contained(),
    );
    assert_balanced(&page);
    let row = elements(&page, "tr").remove(1);
    let text = row.text();
    for part in [
        "Tiny-7B-AWQ on Rig 2x16GB",
        "vllm · 0.33.0 · AWQ 4-bit",
        "110.8",
        "822.9 at 16 requests, context 0",
        "Measured",
        "2026-11-30 08:15 UTC",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(row.html.matches("<rect").count(), 20);
    assert!(page.contains("href=\"/en/runs?before=x\" rel=\"next\""));
}

#[test]
fn the_start_page_says_how_to_measure() {
    let page = home(&rows(), Some("/en/runs"), &PageOptions::self_contained());
    assert_balanced(&page);
    assert!(page.contains("tokmark run http://HOST:PORT"));
    assert!(page.contains("href=\"/en/runs/1\""));
    let empty = home(&[], None, &PageOptions::self_contained());
    assert!(empty.contains("No runs yet."));
    assert_balanced(&empty);
}
