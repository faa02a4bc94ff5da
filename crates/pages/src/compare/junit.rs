//! A comparison as `JUnit` XML, which CI systems read as test results.
//!
//! A suite for each side: each rule is a test that fails when it is broken and is skipped when there
//! is not enough data; what became of each metric is a test that passes.

use std::fmt::Write;

use tokmark_measure::compare::Outcome;

use super::words;
use super::{ComparisonView, Contest};

/// The comparison as `JUnit` XML.
pub fn comparison_junit(view: &ComparisonView) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<testsuites name=\"tokmark compare\">\n");
    for contest in &view.contests {
        suite(view, contest, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(view: &ComparisonView, contest: &Contest, out: &mut String) {
    let count = |outcome: Outcome| {
        let judged = contest.judgements.iter();
        judged.filter(|one| one.outcome == outcome).count()
    };
    let name = format!(
        "{} against {}",
        view.label(contest.new),
        view.label(view.baseline)
    );
    let name = escaped(&name);
    let _in_memory = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">",
        contest.judgements.len() + contest.metrics.len(),
        count(Outcome::Broken),
        count(Outcome::NotEnoughData),
    );
    for judgement in &contest.judgements {
        let rule = escaped(&judgement.rule.to_string());
        let why = escaped(&judgement.why);
        let inside = match judgement.outcome {
            Outcome::Holds => format!("<system-out>{why}</system-out>"),
            Outcome::NotEnoughData => format!("<skipped message=\"{why}\"/>"),
            Outcome::Broken => format!("<failure type=\"rule\" message=\"{why}\"/>"),
        };
        test(&name, &rule, &inside, out);
    }
    for (found, sentence) in contest.metrics.iter().zip(words::verdicts(view, contest)) {
        let inside = format!("<system-out>{}</system-out>", escaped(&sentence));
        test(&name, words::metric(found.metric), &inside, out);
    }
    out.push_str("  </testsuite>\n");
}

fn test(suite: &str, name: &str, inside: &str, out: &mut String) {
    let _in_memory = writeln!(
        out,
        "    <testcase classname=\"{suite}\" name=\"{name}\">{inside}</testcase>"
    );
}

/// Text for XML; characters that XML 1.0 cannot hold at all become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
