//! What the memory holds, as a bar.

use tokmark_calculator::MemoryRule;
use tokmark_calculator::figures::{about_tokens, both, decimal_bytes};
use tokmark_units::{float, format};

use super::answer::{CalculatorAnswer, chosen};
use crate::words::calculator as said;

/// Width of the bar in SVG units.
const WIDTH: f64 = 1_000.0;

/// The bar with its legend.
pub(crate) struct MemoryView {
    pub(crate) title: String,
    pub(crate) parts: Vec<MemoryPart>,
    /// Where the memory ends, when more is wanted than there is.
    pub(crate) end: Option<String>,
    /// What the cache holds.
    pub(crate) holds: String,
    /// Bytes of a token and of a sequence.
    pub(crate) each: String,
}

/// A part of the bar.
pub(crate) struct MemoryPart {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
    pub(crate) size: String,
    pub(crate) x: String,
    pub(crate) width: String,
}

impl MemoryView {
    pub(crate) fn of(answer: &CalculatorAnswer<'_>) -> Self {
        let setup = &answer.question.setup;
        let limits = &answer.question.limits;
        let memory = setup.memory(limits);
        let copies = float::from_u64(setup.layout.data.max(1).into());
        let cards = float::from_u64(setup.layout.cards().into()) / copies;
        let there = setup.card.memory_bytes * cards;
        let rule = MemoryRule::of(setup.engine, setup.card.kind);
        let fits = memory.pool_bytes >= 0.0;
        let kept = there * (1.0 - limits.memory_fraction.unwrap_or(rule.fraction));
        let pool = memory.pool_bytes.max(0.0);
        let used = used(answer, pool, copies, memory.tokens);
        let sizes = [
            ("weights", said::WEIGHTS, memory.weight_bytes),
            ("overhead", said::OVERHEAD, memory.overhead_bytes),
            ("used", said::USED, used),
            ("free", said::FREE, (pool - used).max(0.0)),
            ("kept", said::KEPT, if fits { kept } else { 0.0 }),
        ];
        let wanted: f64 = sizes.iter().map(|(_, _, bytes)| bytes).sum();
        let all = wanted.max(if fits { there } else { there - kept }).max(1.0);
        let mut at = 0.0;
        let parts =
            sizes
                .into_iter()
                .filter(|(_, _, bytes)| *bytes > 0.0)
                .map(|(class, label, bytes)| {
                    let (x, width) = (at, bytes / all * WIDTH);
                    at += width;
                    MemoryPart {
                        class,
                        label,
                        size: both(bytes),
                        x: coordinate(x),
                        width: coordinate(width),
                    }
                });
        Self {
            title: said::memory_of(&both(there), setup.layout.data > 1),
            parts: parts.collect(),
            end: (!fits).then(|| coordinate((there - kept) / all * WIDTH)),
            holds: holds(answer, there - kept),
            each: each(answer),
        }
    }
}

fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

/// What the chosen load takes of the pool, as the server counts it.
fn used(answer: &CalculatorAnswer<'_>, pool: f64, copies: f64, tokens: f64) -> f64 {
    let Some(cell) = chosen(answer) else {
        return 0.0;
    };
    let limits = answer.question.limits;
    let tokens = limits.kv_tokens.map_or(tokens, float::from_u64);
    if tokens <= 0.0 {
        return 0.0;
    }
    let each = float::from_u64(cell.context + answer.question.output_tokens);
    let requests = (float::from_u64(cell.requests.into()) / copies).ceil();
    pool * (each * requests / tokens).min(1.0)
}

fn holds(answer: &CalculatorAnswer<'_>, allowed: f64) -> String {
    let memory = &answer.report.memory;
    if let Some(tokens) = answer.question.limits.kv_tokens {
        return said::budget(&format::count(tokens));
    }
    if memory.pool_bytes < 0.0 {
        return said::no_room(&both(allowed));
    }
    let states = memory.state_sequences.map(|most| format::decimal(most, 0));
    said::holds(
        &about_tokens(memory.kv_tokens),
        &about_tokens(memory.kv_tokens_low),
        &about_tokens(memory.kv_tokens_high),
        states.as_deref(),
    )
}

fn each(answer: &CalculatorAnswer<'_>) -> String {
    let model = &answer.report.model;
    let states = model.state_bytes_per_sequence;
    said::weights_and_cache(
        &format::decimal(model.bits_per_weight, 2),
        model.kernels,
        &answer.report.kv_type,
        &decimal_bytes(model.kv_bytes_per_token),
        (states > 0.0).then(|| decimal_bytes(states)).as_deref(),
    )
}
