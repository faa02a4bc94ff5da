//! The prefill cards and the samples behind them.

use tokmark_run_format::prefill::{CacheState, PrefillSample, SampleRole};
use tokmark_run_format::{PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::{float, format};

use super::energy;
use crate::roofline;
use crate::summary::{context_label, percent};
use crate::words;
use crate::words::label::column;

/// Prefill of a run.
pub(crate) struct Prefill {
    pub(crate) cards: Vec<PrefillCard>,
    /// Header and rows of the table behind the cards; empty when a run has only the cards.
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// One context.
pub(crate) struct PrefillCard {
    pub(crate) context: u64,
    pub(crate) label: String,
    pub(crate) rate: Option<String>,
    pub(crate) ttft: Option<String>,
    /// The status' words when it is not valid.
    pub(crate) word: Option<&'static str>,
    pub(crate) title: String,
}

impl Prefill {
    pub(crate) fn of(run: &RunDocument) -> Self {
        let rows: Vec<&PrefillRow> = run.prefill.iter().filter(|row| has_detail(row)).collect();
        let (header, rows) = if rows.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            table(&rows)
        };
        Self {
            cards: run.prefill.iter().map(|row| card(run, row)).collect(),
            header,
            rows,
        }
    }
}

fn card(run: &RunDocument, row: &PrefillRow) -> PrefillCard {
    let label = context_label(row.context);
    let word = (row.status != PrefillStatus::Valid).then(|| row.status.label());
    let meaning = words::status::prefill(row.status);
    PrefillCard {
        context: row.context,
        label: words::context(&label),
        rate: row.prompt_tokens_per_s.map(format::prefill_rate),
        ttft: row.ttft_ms.map(format::ttft_ms),
        word,
        title: lines([
            Some(format!(
                "{}: {}",
                row.status.label(),
                row.reason.as_deref().unwrap_or(meaning)
            )),
            roofline::of_row(run, row),
        ]),
    }
}

/// Parts that exist, one below another.
fn lines(parts: [Option<String>; 2]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("\n")
}

/// Whether there is more to say than the card does.
fn has_detail(row: &PrefillRow) -> bool {
    !row.samples.is_empty() || row.prompt_tokens.is_some() || row.warm_ttft_ms.is_some()
}

type Column = (&'static str, fn(&PrefillRow) -> Option<String>);

const COLUMNS: [Column; 13] = [
    (column::CONTEXT, |row| Some(context_label(row.context))),
    (column::PROMPT_TOKENS, |row| {
        row.prompt_tokens.map(format::count)
    }),
    (column::TTFT_LEAST, |row| {
        row.ttft_ms_min.map(format::ttft_ms)
    }),
    (column::TTFT_MOST, |row| {
        row.ttft_ms_max.map(format::ttft_ms)
    }),
    (column::SHORT_PROMPT, |row| {
        row.fixed_ttft_ms.map(format::gap_ms)
    }),
    (column::TOK_S_WITHOUT_IT, |row| {
        row.prompt_tokens_per_s_less_fixed.map(format::prefill_rate)
    }),
    (column::TTFT_WHEN_CACHED, |row| {
        row.warm_ttft_ms.map(format::gap_ms)
    }),
    (column::TTFT_BY_SERVER, |row| {
        row.server_ttft_ms.map(format::ttft_ms)
    }),
    (column::OUTSIDE_ENGINE, |row| {
        row.outside_engine_ms.map(format::ttft_ms)
    }),
    (column::ROOFLINE_SHARE, |row| {
        row.roofline_share.map(percent)
    }),
    (column::ROOFLINE, |row| {
        row.roofline_tokens_per_s.map(format::prefill_rate)
    }),
    (column::ROOFLINE_BOUND, |row| {
        let bound = row.roofline_bound.map(roofline::bound);
        bound.map(str::to_owned)
    }),
    (column::SAMPLES, samples),
];

fn table(rows: &[&PrefillRow]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let used: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|(_, value)| rows.iter().any(|row| value(row).is_some()))
        .collect();
    let energies: Vec<_> = rows.iter().map(|row| row.energy.as_ref()).collect();
    let (labels, figures) = energy::table(&energies);
    let cells = |(row, figures): (&&PrefillRow, Vec<Option<String>>)| {
        let values = used.iter().map(|(_, value)| value(row)).chain(figures);
        values
            .map(|value| format::or_dash(value, |text| text))
            .collect()
    };
    let header = used.iter().map(|(label, _)| *label).chain(labels).collect();
    (header, rows.iter().zip(figures).map(cells).collect())
}

/// `2,571 ms (first, not counted, cold), 2,560 ms (cold)`.
fn samples(row: &PrefillRow) -> Option<String> {
    let samples: Vec<String> = row
        .samples
        .iter()
        .map(|sample| {
            let first = (sample.role == SampleRole::First).then_some(words::sample::FIRST);
            let cache = cache(sample);
            let remarks: Vec<&str> = first.into_iter().chain([cache.as_str()]).collect();
            format!(
                "{} ({})",
                format::ttft_ms(sample.ttft_ms),
                remarks.join(", ")
            )
        })
        .collect();
    (!samples.is_empty()).then(|| samples.join(", "))
}

fn cache(sample: &PrefillSample) -> String {
    match (sample.cache, sample.cached_tokens) {
        (CacheState::Cold, _) => words::sample::COLD.to_owned(),
        (CacheState::Unverified, _) => words::sample::UNVERIFIED.to_owned(),
        (CacheState::PartlyCached, Some(cached)) if sample.prompt_tokens > 0 => {
            let share = float::from_u64(cached) / float::from_u64(sample.prompt_tokens);
            words::sample::cached(&percent(share))
        }
        (CacheState::PartlyCached, _) => words::sample::PARTLY_CACHED.to_owned(),
    }
}
