//! `tokmark compare`.

mod json;

use std::fs;
use std::io::Write;
use std::path::Path;

use tokmark_measure::compare::{self, Metric, MetricChange, Outcome as Judged, Rule, Side};
use tokmark_pages::{
    ComparedSide, ComparisonView, Contest, comparison_junit, comparison_markdown, comparison_table,
};
use tokmark_run_format::RunDocument;

use crate::args::CompareArgs;
use crate::args::compare::MetricWord;
use crate::command::show::{PLACE, colours, width};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::runfile::RunFile;
use crate::{runfile, say};

/// Letters of the sides.
const LETTERS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// Compares runs, and judges the comparison where rules were given.
pub(crate) fn run(args: &CompareArgs) -> Outcome {
    let sides = args
        .runs
        .iter()
        .map(|path| runfile::read_side(path))
        .collect::<Outcome<Vec<_>>>()?;
    if args.baseline >= sides.len() {
        let last = LETTERS.get(sides.len() - 1).unwrap_or(&"");
        let message = format!("there is no such baseline: the sides are A to {last}");
        return Err(Failure::saying(Exit::Usage, message));
    }
    warn_of_twins(&sides);
    let rules: Vec<Rule> = args.fail_on.iter().flatten().cloned().collect();
    let view = view(args, &sides, &rules);
    if args.json {
        say::result(json::document(&view, &sides));
    } else if args.markdown {
        say::raw(&comparison_markdown(&view));
    } else {
        say::raw(&comparison_table(&view, width(), colours()));
    }
    if let Some(path) = &args.junit {
        tokmark_bench::output::write_whole(path, comparison_junit(&view).as_bytes())
            .map_err(|error| Failure::new(Exit::Usage, error).hint(PLACE))?;
    }
    if args.github_summary {
        summary(args, &view)?;
    }
    Ok(exit(&view))
}

fn view(args: &CompareArgs, sides: &[Vec<RunFile>], rules: &[Rule]) -> ComparisonView {
    let has_prefill = |file: &RunFile| !file.document.prefill.is_empty();
    let metrics = metrics(args, rules, sides.iter().flatten().any(has_prefill));
    let documents: Vec<Vec<&RunDocument>> = sides
        .iter()
        .map(|side| side.iter().map(|file| &file.document).collect())
        .collect();
    let firsts: Vec<&RunDocument> = documents
        .iter()
        .filter_map(|runs| runs.first().copied())
        .collect();
    let measured: Vec<Side<'_>> = documents
        .iter()
        .map(|runs| Side { runs: runs.clone() })
        .collect();
    let baseline = measured.get(args.baseline);
    let others = measured
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != args.baseline);
    let contests = others.filter_map(|(new, side)| {
        let metrics = compare::sides(baseline?, side, &metrics, args.noise);
        let judgements = rules
            .iter()
            .map(|rule| compare::judge(rule, &metrics))
            .collect();
        Some(Contest {
            new,
            metrics,
            judgements,
        })
    });
    let mixed = documents.iter().enumerate().flat_map(|(at, runs)| {
        let differing = compare::differing(runs).into_iter();
        differing.map(move |setting| (at, setting))
    });
    ComparisonView {
        sides: sides
            .iter()
            .zip(LETTERS)
            .map(|(side, letter)| compared(side, letter))
            .collect(),
        baseline: args.baseline,
        settings: compare::differing(&firsts),
        mixed: mixed.collect(),
        contests: contests.collect(),
    }
}

fn compared(side: &[RunFile], letter: &str) -> ComparedSide {
    ComparedSide {
        label: letter.to_owned(),
        title: side
            .first()
            .map(|file| file.document.title())
            .unwrap_or_default(),
        files: side
            .iter()
            .map(|file| file.path.display().to_string())
            .collect(),
    }
}

/// Those that were asked for, and those that a rule speaks of.
fn metrics(args: &CompareArgs, rules: &[Rule], has_prefill: bool) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    let asked = args.metric.iter().map(|word| match word {
        MetricWord::Total => Metric::Total,
        MetricWord::PerRequest => Metric::PerRequest,
        MetricWord::Ttft => Metric::Ttft,
        MetricWord::Itl => Metric::Itl,
        MetricWord::Prefill => Metric::Prefill,
        MetricWord::Energy => Metric::Energy,
    });
    let default = [Metric::Total, Metric::Prefill].into_iter();
    let default = default
        .filter(|_| args.metric.is_empty())
        .filter(|metric| *metric != Metric::Prefill || has_prefill);
    let of_rules = rules.iter().filter_map(|rule| match rule {
        Rule::Change { metric, .. } => Some(*metric),
        Rule::Status => None,
    });
    for metric in asked.chain(default).chain(of_rules) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    metrics
}

/// A run compared with itself says nothing, and counted twice it fakes a repeat.
fn warn_of_twins(sides: &[Vec<RunFile>]) {
    let runs: Vec<&RunFile> = sides.iter().flatten().collect();
    for (at, run) in runs.iter().enumerate() {
        let earlier = runs.iter().take(at);
        if let Some(twin) = earlier
            .rev()
            .find(|other| other.document.id == run.document.id)
        {
            say::progress(format!(
                "warning: `{}` and `{}` are the same run",
                twin.path.display(),
                run.path.display()
            ));
        }
    }
}

/// Appends: other steps of the job may have written there.
fn summary(args: &CompareArgs, view: &ComparisonView) -> Outcome<()> {
    let text = comparison_markdown(view);
    match &args.github_summary_file {
        Some(path) => append(path, &text).map_err(|error| {
            let context = format!("cannot write the summary `{}`", path.display());
            Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
        }),
        // Printed already where Markdown was asked for anyway.
        None if args.markdown => Ok(()),
        None => {
            say::raw(&format!("\n{text}"));
            Ok(())
        }
    }
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    file.write_all(format!("{text}\n").as_bytes())
}

/// By the worst rule; without rules only having nothing to compare is no success.
fn exit(view: &ComparisonView) -> Exit {
    let judgements = view.contests.iter().flat_map(|contest| &contest.judgements);
    let worst = judgements.map(|judgement| judgement.outcome).max();
    let nothing = |metric: &MetricChange| metric.cells.is_empty();
    match worst {
        Some(Judged::Broken) => Exit::Failed,
        Some(Judged::NotEnoughData) => Exit::NotEnoughData,
        None if view
            .contests
            .iter()
            .any(|contest| contest.metrics.iter().all(nothing)) =>
        {
            Exit::NotEnoughData
        }
        Some(Judged::Holds) | None => Exit::Done,
    }
}
