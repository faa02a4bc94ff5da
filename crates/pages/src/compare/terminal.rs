//! A comparison for a terminal.

use tokmark_measure::compare::{CellChange, MetricChange, Outcome};

use super::words;
use super::{ComparisonView, Contest};
use crate::summary::context_label;
use crate::terminal::{Look, Painter, Side, Text, printable, rows, wrapped};

/// Settings and places without a pair that are shown at most.
const MOST: usize = 16;
const INDENT: usize = 2;

/// The comparison in at most `width` columns, where that is possible.
pub fn comparison_table(view: &ComparisonView, width: usize, colour: bool) -> String {
    let painter = Painter::new(colour);
    let mut out = sides(view, width, painter);
    out.push(String::new());
    out.extend(verdicts(view, width, painter));
    out.push(String::new());
    out.extend(settings(view, width, painter));
    for contest in &view.contests {
        let mut told = None;
        for found in contest.metrics.iter().filter(|found| !is_absent(found)) {
            out.push(String::new());
            out.extend(metric(view, contest, found, width, painter));
            // Once for metrics that share it.
            if told != Some(found.noise) && !found.cells.is_empty() {
                out.extend(wrapped(&words::noise(found), width, 0));
                told = Some(found.noise);
            }
        }
    }
    let mut text = out.join("\n");
    text.push('\n');
    text
}

fn sides(view: &ComparisonView, width: usize, painter: Painter) -> Vec<String> {
    let mut out = Vec::new();
    for (at, side) in view.sides.iter().enumerate() {
        let runs = match side.files.as_slice() {
            [one] => one.clone(),
            several => format!("{} runs", several.len()),
        };
        let baseline = if at == view.baseline {
            format!(" ({})", words::BASELINE)
        } else {
            String::new()
        };
        let text = printable(&format!("{}  {}{baseline}: {runs}", side.label, side.title));
        out.extend(wrapped(&text, width, 3));
    }
    out.extend(words::mixed(view).map(|text| painter.paint(&text, Look::Warning)));
    out
}

fn verdicts(view: &ComparisonView, width: usize, painter: Painter) -> Vec<String> {
    let mut out = Vec::new();
    for contest in &view.contests {
        let sentences = words::verdicts(view, contest);
        for (found, sentence) in contest.metrics.iter().zip(sentences) {
            let look = match &found.overall {
                Some(change) if !change.is_significant() => Look::Strong,
                Some(change) if words::is_worse(found.metric, change) => Look::Fault,
                Some(_) => Look::Strong,
                None => Look::Warning,
            };
            let lines = wrapped(&sentence, width, 0);
            out.extend(lines.iter().map(|line| painter.paint(line, look)));
        }
        if !contest.judgements.is_empty() {
            out.extend(rules(view, contest, width, painter));
        }
    }
    out
}

fn rules(view: &ComparisonView, contest: &Contest, width: usize, painter: Painter) -> Vec<String> {
    let label = view.label(contest.new);
    let mut out = vec![format!("{} for {label}", words::RULES)];
    for judgement in &contest.judgements {
        let look = match judgement.outcome {
            Outcome::Holds => Look::Plain,
            Outcome::NotEnoughData => Look::Warning,
            Outcome::Broken => Look::Fault,
        };
        let text = format!(
            "  {}: {}: {}",
            judgement.rule,
            words::outcome(judgement.outcome),
            judgement.why
        );
        let lines = wrapped(&text, width.saturating_sub(INDENT), INDENT);
        let lines = lines.iter().enumerate();
        out.extend(lines.map(|(at, line)| {
            let indent = if at == 0 { "  " } else { "" };
            format!("{indent}{}", painter.paint(line, look))
        }));
    }
    out
}

fn settings(view: &ComparisonView, width: usize, painter: Painter) -> Vec<String> {
    if view.settings.is_empty() {
        return vec![words::SAME_SETTINGS.to_owned()];
    }
    let all = view.settings.iter().map(|one| words::setting(view, one));
    let mut out = vec![painter.paint(words::SETTINGS, Look::Strong)];
    out.extend(listed(&all.collect::<Vec<_>>(), width));
    out
}

/// The first lines of a list, and how many there are besides.
fn listed(lines: &[String], width: usize) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST);
    let shown = lines.iter().take(MOST);
    let mut out: Vec<String> = shown
        .flat_map(|line| {
            wrapped(&printable(line), width.saturating_sub(INDENT), INDENT)
                .into_iter()
                .map(|line| format!("  {line}"))
        })
        .collect();
    if more > 0 {
        out.push(format!("  and {more} more: `--json` has all of them"));
    }
    out
}

fn metric(
    view: &ComparisonView,
    contest: &Contest,
    found: &MetricChange,
    width: usize,
    painter: Painter,
) -> Vec<String> {
    let (base, new) = (view.label(view.baseline), view.label(contest.new));
    let heading = format!("{}: {new} against {base}", words::metric(found.metric));
    let mut out = vec![painter.paint(&capital(&heading), Look::Strong)];
    if found.cells.is_empty() {
        out.push(words::NOTHING.to_owned());
    } else {
        let heads = [
            "context",
            "requests",
            base,
            new,
            words::CHANGE,
            words::INTERVAL,
            "",
        ];
        let mut table = vec![heads.map(|head| Text::new(head, Look::Quiet)).to_vec()];
        table.extend(found.cells.iter().map(|cell| row(found, cell)));
        let sides = [Side::Right; 6];
        out.extend(rows(&table, &sides, painter));
        out.extend(wrapped(&words::tally(found), width, 0));
    }
    if !found.unmatched.is_empty() {
        out.push(words::UNMATCHED.to_owned());
        let places = found.unmatched.iter();
        let lines = places.map(|place| words::unmatched(view, contest.new, place));
        out.extend(listed(&lines.collect::<Vec<_>>(), width));
    }
    out
}

/// Whether neither side has any of it; the verdict has said so.
fn is_absent(found: &MetricChange) -> bool {
    found.cells.is_empty() && found.unmatched.is_empty()
}

fn row(found: &MetricChange, cell: &CellChange) -> Vec<Text> {
    let judged = words::judged_of(found, cell);
    let look = match judged {
        "worse" => Look::Fault,
        "better" => Look::Strong,
        _ => Look::Plain,
    };
    let plain = |words: String| Text::new(words, Look::Plain);
    vec![
        plain(context_label(cell.place.context)),
        plain(cell.place.requests.to_string()),
        plain(words::value(found.metric, cell.baseline)),
        plain(words::value(found.metric, cell.new)),
        Text::new(words::change_percent(cell.change.share()), look),
        plain(words::interval(&cell.change)),
        Text::new(judged, look),
    ]
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
