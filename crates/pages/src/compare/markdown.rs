//! A comparison as Markdown, for reviews and CI summaries.

use tokmark_measure::compare::MetricChange;

use super::words;
use super::{ComparisonView, Contest};
use crate::export::{escaped, table};
use crate::summary::context_label;

/// The comparison as Markdown.
pub fn comparison_markdown(view: &ComparisonView) -> String {
    let mut blocks = Vec::new();
    for contest in &view.contests {
        let mut sentences = words::verdicts(view, contest).into_iter();
        blocks.extend(
            sentences
                .next()
                .map(|first| format!("**{}**", escaped(&first))),
        );
        blocks.extend(sentences.map(|sentence| escaped(&sentence)));
        if !contest.judgements.is_empty() {
            blocks.push(rules(contest));
        }
    }
    blocks.extend(words::mixed(view).map(|text| escaped(&text)));
    blocks.push(sides(view));
    blocks.push(settings(view));
    for contest in &view.contests {
        for found in &contest.metrics {
            blocks.extend(metric(view, contest, found));
        }
    }
    let mut text = blocks.join("\n\n");
    text.push('\n');
    text
}

fn sides(view: &ComparisonView) -> String {
    let rows = view.sides.iter().enumerate().map(|(at, side)| {
        let role = if at == view.baseline {
            words::BASELINE
        } else {
            ""
        };
        let runs = side.files.len().to_string();
        vec![
            side.label.clone(),
            side.title.clone(),
            runs,
            role.to_owned(),
        ]
    });
    table(&["", "measured", "runs", ""], rows)
}

fn rules(contest: &Contest) -> String {
    let rows = contest.judgements.iter().map(|judgement| {
        vec![
            judgement.rule.to_string(),
            words::outcome(judgement.outcome).to_owned(),
            judgement.why.clone(),
        ]
    });
    table(&["rule", "outcome", ""], rows)
}

fn settings(view: &ComparisonView) -> String {
    if view.settings.is_empty() {
        return words::SAME_SETTINGS.to_owned();
    }
    let mut heads = vec![words::SETTINGS];
    heads.extend(view.sides.iter().map(|side| side.label.as_str()));
    let rows = view.settings.iter().map(|one| {
        let values = one.values.iter().map(words::setting_value);
        std::iter::once(one.setting.clone()).chain(values).collect()
    });
    table(&heads, rows)
}

fn metric(view: &ComparisonView, contest: &Contest, found: &MetricChange) -> Vec<String> {
    let (base, new) = (view.label(view.baseline), view.label(contest.new));
    let mut blocks = vec![format!(
        "### {}: {new} against {base}",
        words::metric(found.metric)
    )];
    if found.cells.is_empty() {
        blocks.push(words::NOTHING.to_owned());
    } else {
        let rows = found.cells.iter().map(|cell| {
            vec![
                context_label(cell.place.context),
                cell.place.requests.to_string(),
                words::value(found.metric, cell.baseline),
                words::value(found.metric, cell.new),
                words::change_percent(cell.change.share()),
                words::interval(&cell.change),
                words::judged_of(found, cell).to_owned(),
            ]
        });
        let heads = [
            "context",
            "requests",
            base,
            new,
            words::CHANGE,
            words::INTERVAL,
            "",
        ];
        blocks.push(table(&heads, rows));
        blocks.push(format!("{} {}", words::tally(found), words::noise(found)));
    }
    if !found.unmatched.is_empty() {
        let places = found.unmatched.iter();
        let lines = places
            .map(|place| format!("- {}", escaped(&words::unmatched(view, contest.new, place))));
        let lines: Vec<String> = lines.collect();
        blocks.push(format!("{}:\n\n{}", words::UNMATCHED, lines.join("\n")));
    }
    blocks
}
