//! Strangers' texts in a comparison.

use tokmark_measure::compare::{Metric, Side, differing, judge, parse, sides};
use tokmark_pages::{
    ComparedSide, ComparisonView, Contest, comparison_junit, comparison_markdown, comparison_table,
};
use tokmark_run_format::RunDocument;

use crate::kit::full_run;

fn view(before: &RunDocument, after: &RunDocument) -> ComparisonView {
    let metrics = sides(
        &Side { runs: vec![before] },
        &Side { runs: vec![after] },
        &[Metric::Total],
        None,
    );
    let rules = parse("total < -3%, ttft > +10%").unwrap();
    let judgements = rules.iter().map(|rule| judge(rule, &metrics)).collect();
    let side = |label: &str, run: &RunDocument| ComparedSide {
        label: label.to_owned(),
        title: run.title(),
        files: vec!["runs/a.json".to_owned()],
    };
    ComparisonView {
        sides: vec![side("A", before), side("B", after)],
        baseline: 0,
        settings: differing(&[before, after]),
        mixed: Vec::new(),
        contests: vec![Contest {
            new: 1,
            metrics,
            judgements,
        }],
    }
}

#[test]
fn texts_of_documents_stay_texts() {
    let before = full_run("");
    let mut after = full_run("<b>\u{1b}[2J|");
    for cell in &mut after.decode {
        cell.total_tokens_per_s = cell.total_tokens_per_s.map(|rate| rate * 0.9);
    }
    let view = view(&before, &after);
    let table = comparison_table(&view, 100, false);
    assert!(!table.contains('\u{1b}'), "{table}");
    assert!(table.contains("<b> [2J|Tiny-7B-AWQ"), "{table}");
    let markdown = comparison_markdown(&view);
    assert!(!markdown.contains("<b>"), "{markdown}");
    assert!(markdown.contains("&lt;b&gt;"), "{markdown}");
    let xml = comparison_junit(&view);
    assert!(xml.contains("skipped=\"1\""), "{xml}");
    assert!(
        xml.contains("<testcase classname=\"B against A\" name=\"ttft &gt; +10%\"><skipped message=\"it was not compared\"/>"),
        "{xml}"
    );
    assert_eq!(
        xml.matches("<testcase").count(),
        xml.matches("</testcase>").count()
    );
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let before = full_run("");
    let mut after = full_run("");
    after.engine.version = Some("0.34.0".to_owned());
    after.launch_command = None;
    for width in [80, 140] {
        let table = comparison_table(&view(&before, &after), width, false);
        for line in table.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}
