//! `tokmark probe`: what the server is, and what a run would measure.

use serde_json::json;
use tokmark_bench::matrix::{self, Limits, Matrix};
use tokmark_bench::rates::{ASSUMED_RATE, Known};
use tokmark_bench::{Session, Settings};
use tokmark_run_format::CellStatus;
use tokmark_run_format::evidence::NotRun;
use tokmark_run_format::plan::{CapacityRule, PrefillMode};
use tokmark_units::{Nanos, float, format};

use crate::args::ProbeArgs;
use crate::exit::Exit;
use crate::failure::Outcome;
use crate::load;
use crate::reach::{Reached, reach};
use crate::{say, settings};

/// What a cell costs besides its window and settling.
const AROUND: Nanos = Nanos::from_secs(1);

/// One cell of the plan.
struct Planned {
    context: u64,
    requests: u32,
    left_out: Option<NotRun>,
}

/// Says what the server is and which cells a run would measure.
pub(crate) async fn run(args: ProbeArgs) -> Outcome {
    let settings = settings::settings(&args.plan)?;
    let load = load::start().map_err(|e| crate::failure::Failure::new(Exit::Failed, e))?;
    let endpoint = settings::endpoint(&args.plan);
    let reached = reach(&args.server, endpoint, load, false).await?;
    let server = &reached.session.server;
    let limits = Limits {
        // A run measures it; until then the server's word is the best guess.
        admission: server.engine.max_sequences,
        ..Limits::of(&server.engine, settings.kv_budget)
    };
    let matrix = matrix::resolve(&settings, limits.max_length);
    let cells = plan(&settings, &limits, &matrix, server.reserves_output());
    if args.json {
        say::result(as_json(&reached, &limits, &matrix, &settings, &cells));
    } else {
        say::raw(&as_text(&reached, &limits, &matrix, &settings, &cells));
    }
    Ok(Exit::Done)
}

fn plan(settings: &Settings, limits: &Limits, matrix: &Matrix, reserves: bool) -> Vec<Planned> {
    if settings.prefill == PrefillMode::Standalone {
        return Vec::new();
    }
    let known = Known::default();
    let cell = |context: u64, requests: u32| {
        let expected = known.output(
            context,
            requests,
            settings.settle.into(),
            settings.window_ns(),
        );
        let output = matrix::held_output(expected, reserves, settings.max_output);
        Planned {
            context,
            requests,
            left_out: matrix::left_out(settings, limits, &matrix.levels, context, requests, output),
        }
    };
    matrix
        .contexts
        .iter()
        .flat_map(|context| {
            matrix
                .levels
                .iter()
                .map(|requests| cell(*context, *requests))
        })
        .collect()
}

/// Time of the windows with all around them; prefills come on top.
fn windows(settings: &Settings, cells: &[Planned]) -> Nanos {
    let run = cells.iter().filter(|cell| cell.left_out.is_none()).count();
    let each = settings.window_ns() + settings.settle.into() + AROUND;
    Nanos(each.0.saturating_mul(float::len_u64(run)))
}

/// Documents that are prefilled cold before their cells.
fn documents(settings: &Settings, cells: &[Planned]) -> Vec<(u64, u32)> {
    let mut most: std::collections::BTreeMap<u64, u32> = std::collections::BTreeMap::new();
    for cell in cells
        .iter()
        .filter(|c| c.left_out.is_none() && c.context > 0)
    {
        let streams = if settings.shared_context {
            1
        } else {
            cell.requests
        };
        let known = most.entry(cell.context).or_default();
        *known = (*known).max(streams);
    }
    most.into_iter().collect()
}

fn as_json(
    reached: &Reached,
    limits: &Limits,
    matrix: &Matrix,
    settings: &Settings,
    cells: &[Planned],
) -> serde_json::Value {
    let session = &reached.session;
    let planned: Vec<_> = cells
        .iter()
        .map(|cell| {
            json!({
                "context": cell.context,
                "requests": cell.requests,
                "runs": cell.left_out.is_none(),
                "status": cell.left_out.as_ref().map(|gone| gone.status),
                "reason": cell.left_out.as_ref().map(|gone| &gone.reason),
                "need_tokens": cell.left_out.as_ref().and_then(|gone| gone.need_tokens),
            })
        })
        .collect();
    json!({
        "address": reached.address.display(),
        "engine": session.server.engine,
        "model": session.model,
        "kv_budget": limits.budget,
        "notes": session.server.notes(),
        "hints": hints(session, cells),
        "plan": {
            "contexts": matrix.contexts,
            "prefill_contexts": matrix.prefill_contexts,
            "requests": matrix.levels,
            "capacity": settings.capacity,
            "cells": planned,
            "windows_s": windows(settings, cells).as_secs_f64(),
            "cold_prefills": documents(settings, cells)
                .iter()
                .map(|(context, count)| json!({ "context": context, "documents": count }))
                .collect::<Vec<_>>(),
        },
    })
}

fn as_text(
    reached: &Reached,
    limits: &Limits,
    matrix: &Matrix,
    settings: &Settings,
    cells: &[Planned],
) -> String {
    let mut text = server_text(&reached.session, limits);
    text.insert_str(0, &format!("server    {}\n", reached.address.display()));
    if let Some(said) = &reached.said {
        text.push_str(&format!("note      {said}\n"));
    }
    text.push_str(&matrix_text(matrix, cells));
    for hint in hints(&reached.session, cells) {
        text.push_str(&format!("hint: {hint}\n"));
    }
    let run = cells.iter().filter(|cell| cell.left_out.is_none()).count();
    text.push_str(&format!(
        "\n{run} of {} cells would run: {} of windows",
        cells.len(),
        windows(settings, cells)
    ));
    let documents = documents(settings, cells);
    if !documents.is_empty() {
        let list: Vec<String> = documents
            .iter()
            .map(|(context, count)| format!("{count} x {}", matrix::label(*context)))
            .collect();
        text.push_str(&format!(", plus cold prefills: {}", list.join(", ")));
    }
    text.push('\n');
    if settings.capacity == CapacityRule::Expected && limits.budget.is_some() {
        text.push_str(&format!(
            "The capacity rule assumes {} tok/s per request until something is measured.\n",
            format::decimal(ASSUMED_RATE, 0)
        ));
    }
    text.push_str("Shorter: fewer --contexts or --requests, --duration 10s, --shared-context.\n");
    text
}

fn server_text(session: &Session, limits: &Limits) -> String {
    let engine = &session.server.engine;
    let unknown = || "unknown".to_owned();
    let mut text = format!(
        "engine    {} {}\nmodel     {}",
        engine.name,
        engine.version.as_deref().unwrap_or("(version unknown)"),
        session.model.served_name,
    );
    if let Some(repository) = &session.model.repository {
        text.push_str(&format!(" ({repository})"));
    }
    let length = engine.max_length.map_or_else(unknown, format::count);
    text.push_str(&format!("\nlength    {length} tokens\nKV cache  "));
    match &limits.budget {
        None => text.push_str("unknown: no cell is left out for lack of it; --kv-budget sets it"),
        Some(budget) => text.push_str(&format!(
            "{} tokens ({})",
            format::count(budget.tokens),
            budget.source
        )),
    }
    let sequences = engine
        .max_sequences
        .map_or_else(unknown, |most| format!("{most} at once"));
    text.push_str(&format!("\nrequests  {sequences}\n"));
    for note in session.server.notes() {
        text.push_str(&format!("note      {note}\n"));
    }
    text
}

/// What to change about the server so that more of the plan would run or be seen.
fn hints(session: &Session, cells: &[Planned]) -> Vec<String> {
    let server = &session.server;
    let advice = server.advice();
    let mut statuses: Vec<CellStatus> = cells
        .iter()
        .filter_map(|cell| cell.left_out.as_ref().map(|gone| gone.status))
        .collect();
    // Nobody can say yet whether it will queue, only that it would not tell.
    let may_queue = server.queues_silently() && server.engine.max_sequences.is_none();
    if may_queue {
        statuses.push(CellStatus::Queued);
    }
    let gauges = (server.engine.accepts.metrics == Some(false) && !advice.show_gauges.is_empty())
        .then(|| format!("to show its load: {}", advice.show_gauges));
    tokmark_bench::hints::of_statuses(advice, &statuses)
        .into_iter()
        .map(|note| note.text)
        .chain(gauges)
        .collect()
}

fn matrix_text(matrix: &Matrix, cells: &[Planned]) -> String {
    if cells.is_empty() {
        return String::new();
    }
    let mut text = String::from("\ncontext ");
    for requests in &matrix.levels {
        text.push_str(&format!("{requests:>9}"));
    }
    text.push('\n');
    for context in &matrix.contexts {
        text.push_str(&format!("{:<8}", matrix::label(*context)));
        for cell in cells.iter().filter(|cell| cell.context == *context) {
            text.push_str(&format!("{:>9}", word(cell.left_out.as_ref())));
        }
        text.push('\n');
    }
    let mut told = Vec::new();
    for gone in cells.iter().filter_map(|cell| cell.left_out.as_ref()) {
        if !told.contains(&gone.status) {
            told.push(gone.status);
            text.push_str(&format!(
                "{}: for example, {}\n",
                gone.status.label(),
                gone.reason
            ));
        }
    }
    text
}

fn word(left_out: Option<&NotRun>) -> &'static str {
    match left_out.map(|gone| gone.status) {
        None => "run",
        Some(CellStatus::OverCapacity) => "capacity",
        Some(CellStatus::OverLength) => "length",
        Some(CellStatus::OverAdmission) => "limit",
        Some(other) => other.as_str(),
    }
}
