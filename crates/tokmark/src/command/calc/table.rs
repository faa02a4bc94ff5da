//! An answer for a terminal.

use std::collections::BTreeMap;

use tokmark_calculator::fit::Band;
use tokmark_calculator::report::{CellPart, Report};
use tokmark_calculator::{Knowledge, Question, StepTerm};
use tokmark_pages::terminal::{self, Column, Look, Painter, Side, Text};
use tokmark_units::format;

use super::words::{
    about_tokens, billions, both, context, decimal_bytes, fact, gib, heading, place, remark,
    signed_percent, time_ms, whole_percent,
};

/// Terms of a step that a line shows at most.
const TERMS: usize = 3;

/// Behind the figure of a cell that may not fit.
const MARK: &str = "?";

/// An answer with what is not in its document.
pub(super) struct Answer<'a> {
    pub(super) question: &'a Question,
    pub(super) report: &'a Report,
    /// Constants and spread behind it.
    pub(super) knowledge: Knowledge,
    /// Whether its constants come from a person's own fit.
    pub(super) own: bool,
}

/// Facts, matrices, what a step is spent on, and what was assumed.
pub(super) fn lines(answer: &Answer<'_>, width: usize, painter: Painter) -> Vec<String> {
    let report = answer.report;
    let mut out = header(answer, width, painter);
    if report.memory.pool_bytes < 0.0 {
        out.push(String::new());
        let text = format!(
            "the weights do not fit: {} of weights and {} beside them are more than the server may take",
            both(report.model.weight_bytes),
            both(report.memory.overhead_bytes),
        );
        out.extend(
            remark(&text, width)
                .iter()
                .map(|line| painter.paint(line, Look::Fault)),
        );
        return out;
    }
    out.extend(heading("Decode: tok/s of all requests", width, painter));
    out.extend(matrix(report, width, painter, |cell| {
        cell.total_tokens_per_s.median
    }));
    out.extend(legend(report, width));
    out.extend(heading("Decode: tok/s of each request", width, painter));
    out.extend(matrix(report, width, painter, |cell| {
        cell.per_request_tokens_per_s.median
    }));
    out.extend(prefill(report, width, painter));
    out.extend(steps(report, width, painter));
    out.extend(assumptions(report, width, painter));
    out
}

/// What the answer is about, a fact per line.
pub(super) fn header(answer: &Answer<'_>, width: usize, painter: Painter) -> Vec<String> {
    let report = answer.report;
    let mut out = Vec::new();
    let mut add = |label: &str, text: String| out.extend(fact(label, &text, width, painter));
    add("model", model(report));
    add(
        "weights",
        format!(
            "{}: {} bits a weight, {} kernels",
            both(report.model.weight_bytes),
            format::decimal(report.model.bits_per_weight, 2),
            report.model.kernels,
        ),
    );
    add("KV cache", cache(report));
    add("engine", answer.question.setup.engine.name().to_owned());
    add("machine", machine(report));
    out.extend(machine_facts(answer, width, painter));
    out
}

/// What the machine holds, and how sure the answer is.
pub(super) fn machine_facts(answer: &Answer<'_>, width: usize, painter: Painter) -> Vec<String> {
    let mut out = fact("memory", &memory(answer), width, painter);
    out.extend(fact("how sure", &sure(answer), width, painter));
    out
}

fn model(report: &Report) -> String {
    let all = billions(report.model.parameters);
    let active = billions(report.model.active_parameters);
    if active == all {
        return format!("{}, {all} parameters", report.model.name);
    }
    format!(
        "{}, {all} parameters, {active} of them active",
        report.model.name
    )
}

fn cache(report: &Report) -> String {
    let token = decimal_bytes(report.model.kv_bytes_per_token);
    let states = report.model.state_bytes_per_sequence;
    let states = if states > 0.0 {
        format!("; states of {} a sequence", decimal_bytes(states))
    } else {
        String::new()
    };
    format!("{}: {token} a token{states}", report.kv_type)
}

/// The accelerators in words.
pub(super) fn machine(report: &Report) -> String {
    let hardware = &report.hardware;
    let each = if hardware.count > 1 { " each" } else { "" };
    let name = match hardware.count {
        1 => hardware.name.clone(),
        count => format!("{count} x {}", hardware.name),
    };
    let unlocked = if hardware.unlocked {
        ", its maker's limits taken off"
    } else {
        ""
    };
    format!(
        "{name}{unlocked}: {} at {} GB/s{each}",
        gib(hardware.memory_bytes),
        format::decimal(hardware.bandwidth_gb_per_s, 0),
    )
}

fn memory(answer: &Answer<'_>) -> String {
    let memory = &answer.report.memory;
    if let Some(tokens) = answer.question.limits.kv_tokens {
        return format!(
            "{} tokens of cache, as the server says",
            format::count(tokens)
        );
    }
    if memory.pool_bytes < 0.0 {
        return "no room for a cache".to_owned();
    }
    let states = memory.state_sequences.map_or_else(String::new, |most| {
        format!("; states for {} sequences", format::decimal(most, 0))
    });
    format!(
        "{} for the cache beside weights and {} of overhead: {} tokens, {} to {} with 0.5 GB less or \
         more{states}",
        both(memory.pool_bytes),
        decimal_bytes(memory.overhead_bytes),
        about_tokens(memory.kv_tokens),
        about_tokens(memory.kv_tokens_low),
        about_tokens(memory.kv_tokens_high),
    )
}

/// How far results may lie from the median.
fn edges(knowledge: &Knowledge) -> String {
    let of = |band: &Band| {
        let (low, high) = band.ninety;
        format!(
            "{} and {}",
            signed_percent(low - 1.0),
            signed_percent(high - 1.0)
        )
    };
    let (decode, prefill) = (of(&knowledge.decode), of(&knowledge.prefill));
    if decode == prefill {
        return format!("9 of 10 results within {decode}");
    }
    format!("9 of 10 results within {decode} (decode), {prefill} (prefill)")
}

/// Where the constants come from, and how far results may lie from the median.
fn sure(answer: &Answer<'_>) -> String {
    let path = &answer.report.path;
    let edges = edges(&answer.knowledge);
    let from = match (path.calibrated, answer.own) {
        (true, true) => "of yours",
        (true, false) => "that came with tokmark",
        (false, _) => {
            return format!(
                "an estimate from datasheets and published kernels: no run of {} with these kernels \
                 and this cache is known; {edges}",
                path.family
            );
        }
    };
    let runs = match path.runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    format!("fitted to {runs} {from} ({}); {edges}", path.family)
}

/// One figure of each cell by context and requests.
pub(super) fn matrix(
    report: &Report,
    width: usize,
    painter: Painter,
    figure: impl Fn(&CellPart) -> f64,
) -> Vec<String> {
    grid(report, width, painter, |cell| {
        vec![shown(cell, format::rate(figure(cell)))]
    })
}

/// A cell's figure with a mark where it may not fit, or a dash where it does not.
pub(super) fn shown(cell: &CellPart, figure: String) -> Text {
    match cell.fit {
        "fits" => Text::new(figure, Look::Strong),
        "borderline" => Text::new(figure + MARK, Look::Warning),
        _ => Text::new(format::DASH, Look::Quiet),
    }
}

/// The lines of each cell by context and requests.
pub(super) fn grid(
    report: &Report,
    width: usize,
    painter: Painter,
    lines: impl Fn(&CellPart) -> Vec<Text>,
) -> Vec<String> {
    let contexts = contexts(report);
    let mut requests: Vec<u32> = report.cells.iter().map(|cell| cell.requests).collect();
    requests.sort_unstable();
    requests.dedup();
    let labels: Vec<String> = contexts.iter().map(|tokens| context(*tokens)).collect();
    let columns = requests.iter().map(|requests| {
        let of_column = report
            .cells
            .iter()
            .filter(|cell| cell.requests == *requests);
        let heading = Text::new(requests.to_string(), Look::Quiet);
        lined_up(heading, of_column.map(&lines).collect())
    });
    let columns: Vec<Column> = columns.collect();
    terminal::matrix("Context", &labels, &columns, width, painter)
}

/// A column whose figures stand below one another, also where some carry a mark.
fn lined_up(mut heading: Text, mut cells: Vec<Vec<Text>>) -> Column {
    let marked = |text: &Text| text.words.ends_with(MARK);
    if cells.iter().flatten().any(marked) {
        let plain = cells.iter_mut().flatten().filter(|text| !marked(text));
        for text in plain.chain([&mut heading]) {
            text.words.push(' ');
        }
    }
    Column::new(heading, cells)
}

/// The contexts in the order of the answer.
fn contexts(report: &Report) -> Vec<u64> {
    let mut contexts: Vec<u64> = report.cells.iter().map(|cell| cell.context).collect();
    contexts.dedup();
    contexts
}

fn legend(report: &Report, width: usize) -> Vec<String> {
    let has = |fit: &str| report.cells.iter().any(|cell| cell.fit == fit);
    let mut out = Vec::new();
    if has("borderline") {
        let text = "?  borderline: whether it fits depends on 0.5 GB of memory, which the prediction \
                    may be off";
        out.extend(remark(text, width));
    }
    if has("does_not_fit") {
        let text = format!(
            "{}  does not fit: the prompts and outputs of all requests need more than there is, or a \
             limit of the server forbids it",
            format::DASH
        );
        out.extend(remark(&text, width));
    }
    out
}

/// Speed of reading a prompt, and time to the first token.
fn prefill(report: &Report, width: usize, painter: Painter) -> Vec<String> {
    let mut out = heading("Prefill: one prompt on an idle server", width, painter);
    let header = [
        "Context",
        "tok/s",
        "TTFT",
        "9 of 10 within",
        "TTFT, prompt cached",
    ];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    for tokens in contexts(report) {
        let Some(cell) = report.cells.iter().find(|cell| cell.context == tokens) else {
            continue;
        };
        // Without a prompt there is nothing to read.
        let rate = cell.prompt_tokens_per_s.filter(|_| tokens > 0);
        let rate = rate.map(|rate| rate.median);
        let range = cell
            .cold_ttft_ms
            .map(|ttft| format!("{} to {}", time_ms(ttft.low90), time_ms(ttft.high90)));
        let cold = cell.cold_ttft_ms.map(|ttft| ttft.median);
        rows.push(vec![
            Text::new(context(tokens), Look::Plain),
            Text::new(format::or_dash(rate, format::prefill_rate), Look::Strong),
            Text::new(format::or_dash(cold, time_ms), Look::Plain),
            Text::new(format::or_dash(range, |range| range), Look::Quiet),
            Text::new(time_ms(cell.warm_ttft_ms), Look::Quiet),
        ]);
    }
    out.extend(terminal::rows(&rows, &[Side::Right; 5], painter));
    out
}

/// The corners of the matrix that fit: the least and the most requests, of first and last context.
fn corners(report: &Report) -> Vec<&CellPart> {
    let fits = |cell: &&CellPart| cell.fit != "does_not_fit";
    let fitting: Vec<&CellPart> = report.cells.iter().filter(fits).collect();
    let contexts = [fitting.first(), fitting.last()];
    let rows = contexts.into_iter().flatten().map(|cell| cell.context);
    let ends = rows.flat_map(|tokens| {
        let mut row = fitting.iter().filter(move |cell| cell.context == tokens);
        [row.next(), row.next_back()].into_iter().flatten()
    });
    // One row or one column has fewer corners.
    let corners: BTreeMap<(u64, u32), &CellPart> = ends
        .map(|cell| ((cell.context, cell.requests), *cell))
        .collect();
    corners.into_values().collect()
}

/// What limits it: the largest terms of a step, the share of the roofline, and energy.
fn steps(report: &Report, width: usize, painter: Painter) -> Vec<String> {
    let corners = corners(report);
    if corners.is_empty() {
        return Vec::new();
    }
    let title = "What limits it: where the time of a decode step goes";
    let mut out = heading(title, width, painter);
    let header = ["Cell", "step", "of roofline", "energy", ""];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    for cell in corners {
        let step: f64 = cell.step_ms.iter().map(|term| term.ms).sum();
        let terms: Vec<String> = cell
            .step_ms
            .iter()
            .take(TERMS)
            .map(|term| format!("{} {}", label(term.term), whole_percent(term.ms / step)))
            .collect();
        let energy = |joules| format!("{} J/token", format::decimal(joules, 2));
        rows.push(vec![
            Text::new(place(cell.context, cell.requests), Look::Plain),
            Text::new(format::gap_ms(step), Look::Strong),
            Text::new(whole_percent(cell.roofline_share), Look::Plain),
            Text::new(format::or_dash(cell.joules_per_token, energy), Look::Plain),
            Text::new(terms.join(", "), Look::Plain),
        ]);
    }
    let sides = [
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Left,
    ];
    out.extend(terminal::rows(&rows, &sides, painter));
    out
}

/// What a term is, in words.
fn label(word: &'static str) -> &'static str {
    let term = StepTerm::ALL.into_iter().find(|term| term.word() == word);
    term.map_or(word, StepTerm::label)
}

/// What was assumed, a line each.
pub(super) fn assumptions(report: &Report, width: usize, painter: Painter) -> Vec<String> {
    let mut out = heading("Assumed", width, painter);
    for line in &report.assumptions {
        out.extend(remark(&format!("- {line}"), width));
    }
    out
}
