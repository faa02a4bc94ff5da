//! `tokmark probe`: what the server is, and what a run would measure.

use std::time::Duration;

use serde_json::json;
use tokmark_bench::matrix::{self, Limits};
use tokmark_bench::rates::{ASSUMED_PREFILL_RATE, ASSUMED_RATE};
use tokmark_bench::{Forecast, PlannedCell, Session, Settings, forecast};
use tokmark_run_format::CellStatus;
use tokmark_run_format::plan::{CapacityRule, PrefillMode, Profile};
use tokmark_units::{Nanos, float, format};

use crate::args::ProbeArgs;
use crate::exit::Exit;
use crate::failure::Outcome;
use crate::load;
use crate::reach::{Reached, reach};
use crate::{say, settings};

/// The window of a shorter run.
const SHORT_WINDOW: Duration = Duration::from_secs(10);

/// Says what the server is and which cells a run would measure.
pub(crate) async fn run(args: ProbeArgs) -> Outcome {
    let settings = settings::settings(&args.plan)?;
    let load = load::start().map_err(|e| crate::failure::Failure::new(Exit::Failed, e))?;
    let endpoint = settings::endpoint(&args.plan);
    let reached = reach(&args.server, endpoint, load, false).await?;
    let session = &reached.session;
    let limits = Limits::of(&session.server.engine, settings.kv_budget);
    let plan = forecast(session, &settings);
    let shorter = shorter(session, &settings, &plan);
    if args.json {
        say::result(as_json(&reached, &limits, &settings, &plan, &shorter));
    } else {
        say::raw(&as_text(&reached, &limits, &settings, &plan, &shorter));
    }
    Ok(Exit::Done)
}

/// A way to a shorter run.
struct Shorter {
    option: String,
    total: Nanos,
    /// Cells that would run.
    cells: usize,
}

/// What to change so that a run takes less time, with the time that it would take then.
fn shorter(session: &Session, settings: &Settings, plan: &Forecast) -> Vec<Shorter> {
    let mut ways = Vec::new();
    if settings.max_time.is_some() {
        return ways;
    }
    let mut with = |option: String, change: &dyn Fn(&mut Settings)| {
        let mut changed = settings.clone();
        change(&mut changed);
        let plan = forecast(session, &changed);
        ways.push(Shorter {
            option,
            total: plan.total,
            cells: plan.running(),
        });
    };
    if settings.window > SHORT_WINDOW {
        with("--duration 10s".to_owned(), &|s| s.window = SHORT_WINDOW);
    }
    if settings.profile != Profile::Quick {
        with("--profile quick".to_owned(), &|s| {
            s.profile = Profile::Quick;
        });
    }
    if settings.prefill == PrefillMode::WarmUp && !plan.documents.is_empty() {
        if !settings.shared_context {
            with("--shared-context".to_owned(), &|s| s.shared_context = true);
        }
        with("--prefill off".to_owned(), &|s| {
            s.prefill = PrefillMode::Off;
        });
    }
    if settings.max_time.is_none() && plan.total > Nanos(0) {
        // A third, in whole minutes.
        let minutes = (plan.total.0 / 3).div_ceil(60_000_000_000).max(1);
        let most = Duration::from_mins(minutes);
        with(format!("--max-time {minutes}m"), &|s| {
            s.max_time = Some(most);
        });
    }
    ways.retain(|way| way.total < plan.total);
    ways.sort_by_key(|way| (std::cmp::Reverse(way.cells), way.total));
    ways
}

fn as_json(
    reached: &Reached,
    limits: &Limits,
    settings: &Settings,
    plan: &Forecast,
    shorter: &[Shorter],
) -> serde_json::Value {
    let session = &reached.session;
    let cell = |cell: &PlannedCell| {
        json!({
            "context": cell.context,
            "requests": cell.requests,
            "runs": cell.left_out.is_none(),
            "time_s": cell.left_out.is_none().then(|| cell.time.as_secs_f64()),
            "status": cell.left_out.as_ref().map(|gone| gone.status),
            "reason": cell.left_out.as_ref().map(|gone| &gone.reason),
            "need_tokens": cell.left_out.as_ref().and_then(|gone| gone.need_tokens),
        })
    };
    let prefill =
        |(context, documents): &(u64, u32)| json!({ "context": context, "documents": documents });
    let way = |way: &Shorter| {
        json!({
            "option": way.option,
            "total_s": way.total.as_secs_f64(),
            "cells": way.cells,
        })
    };
    json!({
        "address": reached.address.display(),
        "engine": session.server.engine,
        "model": session.model,
        "kv_budget": limits.budget,
        "notes": session.server.notes(),
        "hints": hints(session, plan),
        "plan": {
            "contexts": plan.matrix.contexts,
            "prefill_contexts": plan.matrix.prefill_contexts,
            "requests": plan.matrix.levels,
            "profile": settings.profile,
            "capacity": settings.capacity,
            "cells": plan.cells.iter().map(cell).collect::<Vec<_>>(),
            "windows_s": plan.windows.as_secs_f64(),
            "cold_prefills": plan.documents.iter().map(prefill).collect::<Vec<_>>(),
            "total_s": plan.total.as_secs_f64(),
            "shorter": shorter.iter().map(way).collect::<Vec<_>>(),
        },
    })
}

fn as_text(
    reached: &Reached,
    limits: &Limits,
    settings: &Settings,
    plan: &Forecast,
    shorter: &[Shorter],
) -> String {
    let mut text = server_text(&reached.session, limits);
    text.insert_str(0, &format!("server    {}\n", reached.address.display()));
    if let Some(said) = &reached.said {
        text.push_str(&format!("note      {said}\n"));
    }
    text.push_str(&matrix_text(plan));
    for hint in hints(&reached.session, plan) {
        text.push_str(&format!("hint: {hint}\n"));
    }
    text.push_str(&total_text(limits, settings, plan));
    if !shorter.is_empty() {
        text.push_str("Shorter:\n");
        for way in shorter {
            let cells = if way.cells == plan.running() {
                String::new()
            } else {
                format!(", {} cells instead of {}", way.cells, plan.running())
            };
            let (option, total) = (&way.option, about(way.total));
            text.push_str(&format!("  {option:<18}{total}{cells}\n"));
        }
    }
    text
}

/// How many cells would run and how long that takes.
fn total_text(limits: &Limits, settings: &Settings, plan: &Forecast) -> String {
    let mut text = if plan.cells.is_empty() {
        format!("\nOnly prefill is measured: {}", about(plan.total))
    } else {
        format!(
            "\n{} of {} cells would run: {}",
            plan.running(),
            plan.cells.len(),
            about(plan.total)
        )
    };
    if !plan.documents.is_empty() {
        let prompts = plan.documents.iter();
        let list: Vec<String> = prompts
            .map(|(context, count)| format!("{count} x {}", matrix::label(*context)))
            .collect();
        let prefills = plan.total.saturating_sub(plan.windows);
        text.push_str(&format!(
            ", {} of them cold prefills ({})",
            about(prefills),
            list.join(", ")
        ));
    }
    text.push_str(&format!(
        ".\nUntil something is measured, {} prompt tok/s are assumed",
        format::decimal(ASSUMED_PREFILL_RATE, 0)
    ));
    if settings.capacity == CapacityRule::Expected && limits.budget.is_some() {
        let rate = format::decimal(ASSUMED_RATE, 0);
        text.push_str(&format!(", and {rate} tok/s per request for what fits"));
    }
    text.push_str(".\n");
    text
}

/// `about 40 s`, `about 3 min`, `about 1 h 20 min`.
fn about(time: Nanos) -> String {
    let seconds = float::round_to_u64(time.as_secs_f64());
    let minutes = seconds.saturating_add(30) / 60;
    match minutes {
        0..2 => format!("about {seconds} s"),
        2..60 => format!("about {minutes} min"),
        _ => format!("about {} h {} min", minutes / 60, minutes % 60),
    }
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
    let length = engine
        .max_length
        .map_or_else(unknown, |most| format!("{} tokens", format::count(most)));
    text.push_str(&format!("\nlength    {length}\nKV cache  "));
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
fn hints(session: &Session, plan: &Forecast) -> Vec<String> {
    let server = &session.server;
    let advice = server.advice();
    let mut statuses: Vec<CellStatus> = plan
        .cells
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

fn matrix_text(plan: &Forecast) -> String {
    if plan.cells.is_empty() {
        return String::new();
    }
    let mut text = String::from("\ncontext ");
    for requests in &plan.matrix.levels {
        text.push_str(&format!("{requests:>9}"));
    }
    text.push('\n');
    for context in &plan.matrix.contexts {
        text.push_str(&format!("{:<8}", matrix::label(*context)));
        for cell in plan.cells.iter().filter(|cell| cell.context == *context) {
            text.push_str(&format!("{:>9}", word(cell)));
        }
        text.push('\n');
    }
    let mut told = Vec::new();
    for gone in plan.cells.iter().filter_map(|cell| cell.left_out.as_ref()) {
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

/// The time of a cell that runs, or why it does not.
fn word(cell: &PlannedCell) -> String {
    let status = cell.left_out.as_ref().map(|gone| gone.status);
    let word = match status {
        None => {
            let seconds = float::round_to_u64(cell.time.as_secs_f64().ceil());
            return format!("{seconds} s");
        }
        Some(CellStatus::OverCapacity) => "capacity",
        Some(CellStatus::OverLength) => "length",
        Some(CellStatus::OverAdmission) => "limit",
        Some(CellStatus::NotPlanned) => "no time",
        Some(other) => other.as_str(),
    };
    word.to_owned()
}
