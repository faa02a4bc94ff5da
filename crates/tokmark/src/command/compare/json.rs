//! A comparison as one JSON document.

use serde_json::{Value, json};
use tokmark_measure::compare::{
    CellChange, Change, Judgement, MetricChange, Noise, Outcome, SettingChange, Unmatched,
};
use tokmark_pages::{ComparisonView, Contest, verdict, verdicts};

use crate::runfile::RunFile;

/// Everything that a comparison found.
pub(super) fn document(view: &ComparisonView, sides: &[Vec<RunFile>]) -> Value {
    let runs = view.sides.iter().zip(sides).map(|(side, runs)| {
        let ids: Vec<&str> = runs.iter().map(|run| run.document.id.as_str()).collect();
        json!({ "label": side.label, "title": side.title, "files": side.files, "ids": ids })
    });
    let mixed = view.mixed.iter().map(|(side, one)| {
        json!({ "side": view.label(*side), "setting": one.setting, "values": one.values })
    });
    json!({
        "format": "tokmark-compare/1",
        "sides": runs.collect::<Vec<_>>(),
        "baseline": view.label(view.baseline),
        "settings": view.settings.iter().map(setting).collect::<Vec<_>>(),
        "settings_within_sides": mixed.collect::<Vec<_>>(),
        "comparisons": view.contests.iter().map(|one| contest(view, one)).collect::<Vec<_>>(),
    })
}

fn setting(one: &SettingChange) -> Value {
    json!({ "setting": one.setting, "values": one.values })
}

fn contest(view: &ComparisonView, contest: &Contest) -> Value {
    let sentences = verdicts(view, contest);
    let metrics = contest.metrics.iter().zip(sentences);
    json!({
        "new": view.label(contest.new),
        "verdict": verdict(view, contest),
        "metrics": metrics.map(|(found, sentence)| metric(found, &sentence)).collect::<Vec<_>>(),
        "rules": contest.judgements.iter().map(judgement).collect::<Vec<_>>(),
    })
}

fn metric(found: &MetricChange, sentence: &str) -> Value {
    let (source, sd) = match found.noise {
        Noise::Assumed(sd) => ("assumed", sd),
        Noise::Passes { least } => ("passes", least),
        Noise::Measured { least } => ("measured", least),
    };
    json!({
        "metric": found.metric.as_str(),
        "verdict": sentence,
        "noise": source,
        // Assumed of a run, or the least that is reckoned with beside the measured spread.
        "noise_share": sd,
        "overall": found.overall.as_ref().map(change),
        "median_ratio": found.median_ratio(|_| true),
        "cells": found.cells.iter().map(cell).collect::<Vec<_>>(),
        "not_compared": found.unmatched.iter().map(unmatched).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    json!({
        "ratio": change.ratio,
        "ci95_low": change.low,
        "ci95_high": change.high,
        "p": change.p,
        "adjusted_p": change.adjusted_p,
        "significant": change.is_significant(),
    })
}

fn cell(cell: &CellChange) -> Value {
    json!({
        "context": cell.place.context,
        "requests": cell.place.requests,
        "baseline": cell.baseline,
        "new": cell.new,
        "change": change(&cell.change),
    })
}

fn unmatched(place: &Unmatched) -> Value {
    json!({
        "context": place.place.context,
        "requests": place.place.requests,
        "baseline": place.baseline,
        "new": place.new,
    })
}

fn judgement(judgement: &Judgement) -> Value {
    let outcome = match judgement.outcome {
        Outcome::Holds => "holds",
        Outcome::NotEnoughData => "not_enough_data",
        Outcome::Broken => "broken",
    };
    json!({ "rule": judgement.rule.to_string(), "outcome": outcome, "why": judgement.why })
}
