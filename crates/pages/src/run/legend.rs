//! The statuses that occur, and what TTFT includes.

use std::collections::BTreeSet;

use tokmark_run_format::{CellStatus, PrefillStatus, RunDocument};

use crate::shade::Tone;
use crate::summary;
use crate::words::{self, status as meaning};

/// The statuses that occur, and what TTFT includes.
pub(crate) struct Legend {
    pub(crate) entries: Vec<LegendEntry>,
    pub(crate) imported: Option<&'static str>,
    pub(crate) ttft: Option<String>,
}

/// One status.
pub(crate) struct LegendEntry {
    pub(crate) label: &'static str,
    pub(crate) class: &'static str,
    pub(crate) count: Option<usize>,
    pub(crate) meaning: String,
}

impl Legend {
    pub(crate) fn of(run: &RunDocument) -> Self {
        let entries = entries(run);
        Self {
            imported: (run.source.is_some() && !entries.is_empty())
                .then_some(meaning::IMPORTED_RULES),
            ttft: ttft_note(run),
            entries,
        }
    }
}

/// The statuses other than valid that occur: those of cells, then those that only prefill has.
pub(crate) fn entries(run: &RunDocument) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = summary::counts(run)
        .into_iter()
        .filter(|(status, _)| *status != CellStatus::Valid)
        .map(|(status, count)| LegendEntry {
            label: status.label(),
            class: Tone::of(status).class(),
            count: Some(count),
            meaning: meaning::decode(status, run).into_owned(),
        })
        .collect();
    let mut seen: BTreeSet<&str> = entries.iter().map(|entry| entry.label).collect();
    for row in &run.prefill {
        if row.status != PrefillStatus::Valid && seen.insert(row.status.label()) {
            entries.push(LegendEntry {
                label: row.status.label(),
                class: Tone::Marked.class(),
                count: None,
                meaning: meaning::prefill(row.status).to_owned(),
            });
        }
    }
    entries
}

/// Below this share of cached prompt tokens TTFT no longer "mostly excludes prefill"
/// (methodology 4.2).
const WARM: f64 = 0.95;

/// What TTFT includes; `None` when no cell has one. A context of 0 has nothing to cache.
pub(crate) fn ttft_note(run: &RunDocument) -> Option<String> {
    let timed = || run.decode.iter().filter(|cell| cell.ttft_ms.is_some());
    timed().next()?;
    if run.source.is_some() {
        return Some(meaning::TTFT_IMPORTED.to_owned());
    }
    let long: Vec<Option<f64>> = timed()
        .filter(|cell| cell.context > 0)
        .map(|cell| cell.warm_fraction)
        .collect();
    if run.engine.prefix_cache == Some(false) {
        return Some(meaning::TTFT_COLD.to_owned());
    }
    if long.is_empty() {
        return None;
    }
    let coldest = long.iter().flatten().copied().reduce(f64::min);
    Some(match coldest {
        Some(share) if share < WARM => words::status::ttft_recomputed(1.0 - share),
        Some(_) if long.iter().all(Option::is_some) => meaning::TTFT_WARM.to_owned(),
        _ => meaning::TTFT_UNKNOWN.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::{DecodeCell, Tool};

    use super::*;

    fn run(warm: &[(u64, Option<f64>)]) -> RunDocument {
        let mut run = RunDocument::new("x".into(), Tool::default());
        for (context, warm_fraction) in warm {
            let mut cell = DecodeCell::without_numbers(*context, 1, CellStatus::Valid, None);
            cell.ttft_ms = Some(10.0);
            cell.warm_fraction = *warm_fraction;
            run.decode.push(cell);
        }
        run
    }

    #[test]
    fn the_warm_claim_needs_every_cell() {
        let check = |warm: &[(u64, Option<f64>)], expect: Option<&str>| {
            assert_eq!(ttft_note(&run(warm)).as_deref(), expect, "{warm:?}");
        };
        check(&[], None);
        check(&[(0, None)], None);
        check(
            &[(0, Some(0.0)), (8_192, Some(0.95))],
            Some(meaning::TTFT_WARM),
        );
        check(
            &[(8_192, Some(0.99)), (16_384, None)],
            Some(meaning::TTFT_UNKNOWN),
        );
        let recomputed = meaning::ttft_recomputed(0.1);
        check(
            &[(8_192, Some(0.99)), (16_384, Some(0.9))],
            Some(&recomputed),
        );
        assert!(recomputed.contains("10 %"), "{recomputed}");
    }
}
