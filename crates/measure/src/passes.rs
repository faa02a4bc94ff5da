//! Several passes over the same cell: methodology 4.3.13.

use tokmark_run_format::cell::{DecodeCell, Pass};
use tokmark_run_format::status::CellStatus;

use crate::status::shows_numbers;

/// One cell of its passes, in the order of measuring: the figures are those of the pass with the
/// median total (with two, of the lower one), so that they agree with each other; `passes` tells the
/// others. Valid passes come before those with another status, and these before passes without
/// figures, of which the last one speaks. `None` without a pass.
pub fn combine(mut passes: Vec<DecodeCell>) -> Option<DecodeCell> {
    let taken = representative(&passes)?;
    if passes.len() == 1 {
        return passes.pop();
    }
    let all: Vec<Pass> = passes.iter().map(pass).collect();
    let totals: Vec<f64> = all
        .iter()
        .filter_map(|pass| pass.total_tokens_per_s)
        .collect();
    let mut cell = passes.swap_remove(taken);
    let median = cell.total_tokens_per_s.filter(|total| *total > 0.0);
    let share = |span: f64| median.map(|median| span / median);
    if totals.len() > 1 {
        let most = totals.iter().copied().fold(f64::MIN, f64::max);
        let least = totals.iter().copied().fold(f64::MAX, f64::min);
        cell.passes_spread = share(most - least);
        let ends = totals.first().zip(totals.last());
        cell.passes_drift = ends.and_then(|(first, last)| share(last - first));
    }
    let others = all.iter().filter(|pass| pass.status != cell.status).count();
    if others > 0 {
        let words: Vec<&str> = all.iter().map(|pass| pass.status.label()).collect();
        cell.notes
            .push(format!("the passes do not agree: {}", words.join(", ")));
    }
    cell.passes = all;
    Some(cell)
}

fn pass(cell: &DecodeCell) -> Pass {
    Pass {
        status: cell.status,
        total_tokens_per_s: cell.total_tokens_per_s,
        per_request_tokens_per_s: cell.per_request_tokens_per_s,
        ttft_ms: cell.ttft_ms,
    }
}

/// The place of the pass whose figures are shown.
fn representative(passes: &[DecodeCell]) -> Option<usize> {
    let rank = |cell: &DecodeCell| match cell.status {
        CellStatus::Valid => 0,
        status if shows_numbers(status) => 1,
        _ => 2,
    };
    let best = passes.iter().map(rank).min()?;
    let mut of_it: Vec<(usize, f64)> = passes
        .iter()
        .enumerate()
        .filter(|(_, cell)| rank(cell) == best)
        .map(|(place, cell)| (place, cell.total_tokens_per_s.unwrap_or(0.0)))
        .collect();
    if best == 2 {
        return of_it.pop().map(|(place, _)| place);
    }
    of_it.sort_by(|a, b| a.1.total_cmp(&b.1));
    let middle = of_it.len().saturating_sub(1) / 2;
    of_it.get(middle).map(|(place, _)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(total: f64, status: CellStatus) -> DecodeCell {
        DecodeCell {
            total_tokens_per_s: Some(total),
            ..DecodeCell::without_numbers(0, 4, status, None)
        }
    }

    #[test]
    fn the_median_pass_gives_the_figures() {
        use CellStatus::Valid;
        let cell = combine(vec![
            measured(100.0, Valid),
            measured(110.0, Valid),
            measured(105.0, Valid),
        ])
        .unwrap();
        assert_eq!(cell.total_tokens_per_s, Some(105.0));
        assert_eq!(cell.passes.len(), 3);
        assert!((cell.passes_spread.unwrap() - 10.0 / 105.0).abs() < 1e-12);
        assert!((cell.passes_drift.unwrap() - 5.0 / 105.0).abs() < 1e-12);
        assert_eq!(cell.notes, Vec::<String>::new());
        let two = combine(vec![measured(100.0, Valid), measured(90.0, Valid)]).unwrap();
        assert_eq!(two.total_tokens_per_s, Some(90.0));
    }

    #[test]
    fn one_pass_is_the_cell_itself() {
        let one = measured(100.0, CellStatus::Valid);
        assert_eq!(combine(vec![one.clone()]), Some(one));
        assert_eq!(combine(Vec::new()), None);
    }

    #[test]
    fn a_valid_pass_comes_before_others() {
        use CellStatus::{Failed, Queued, Valid};
        let failed = DecodeCell::without_numbers(0, 4, Failed, Some("cut".to_owned()));
        let cell = combine(vec![
            measured(300.0, Queued),
            failed.clone(),
            measured(100.0, Valid),
        ])
        .unwrap();
        assert_eq!((cell.status, cell.total_tokens_per_s), (Valid, Some(100.0)));
        assert_eq!(
            cell.notes,
            ["the passes do not agree: Requests queued, Failed, Valid"]
        );
        let cell = combine(vec![measured(300.0, Queued), failed.clone()]).unwrap();
        assert_eq!(cell.status, Queued);
        assert_eq!((cell.passes_spread, cell.passes.len()), (None, 2));
        let cell = combine(vec![failed.clone(), failed]).unwrap();
        assert_eq!((cell.status, cell.reason.as_deref()), (Failed, Some("cut")));
    }
}
