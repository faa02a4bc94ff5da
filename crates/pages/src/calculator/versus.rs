//! Two machines side by side.

use tokmark_calculator::report::{CellPart, Report};
use tokmark_calculator::versus::Versus;
use tokmark_units::format;

use super::matrix::{Cell, Row, requests, rows};
use crate::shade::Shade;
use crate::words::calculator as said;

/// Both rates and their ratio in each cell.
pub(crate) struct VersusView {
    pub(crate) title: String,
    pub(crate) requests: Vec<u32>,
    pub(crate) rows: Vec<Row>,
}

impl VersusView {
    pub(crate) fn of(base: &Report, other: &Report) -> Self {
        let pair = Versus::of(base, other);
        let ratios: Vec<Option<f64>> = pair
            .ratio
            .iter()
            .map(|one| one.total_tokens_per_s)
            .collect();
        let shade = Shade::over(ratios.iter().copied().flatten());
        let place = |cell: &CellPart| {
            let same =
                |one: &&CellPart| (one.context, one.requests) == (cell.context, cell.requests);
            base.cells.iter().position(|one| same(&one))
        };
        Self {
            title: said::versus(&name(base), &name(other)),
            requests: requests(base),
            rows: rows(base, |cell| {
                let at = place(cell).unwrap_or_default();
                let ratio = ratios.get(at).copied().flatten();
                compared(cell, other.cells.get(at), ratio, shade)
            }),
        }
    }
}

fn name(report: &Report) -> String {
    match report.hardware.count {
        1 => report.hardware.name.clone(),
        count => format!("{count} × {}", report.hardware.name),
    }
}

fn compared(
    cell: &CellPart,
    other: Option<&CellPart>,
    ratio: Option<f64>,
    shade: Option<Shade>,
) -> Cell {
    let step = ratio.zip(shade).map(|(ratio, shade)| shade.step(ratio));
    let rate = |cell: &CellPart| {
        let rate = Some(cell.total_tokens_per_s.median).filter(|_| cell.may_fit());
        format::or_dash(rate, format::rate)
    };
    let both = said::beside(&rate(cell), &other.map_or_else(String::new, rate));
    let neither = !cell.may_fit() && !other.is_some_and(CellPart::may_fit);
    Cell {
        context: cell.context,
        requests: cell.requests,
        fit: cell.fit,
        class: step.map_or_else(|| "not-run".to_owned(), |step| format!("good q{step}")),
        rate: ratio.map(|ratio| said::times(&format::decimal(ratio, 2))),
        each: (!neither).then_some(both),
        word: ratio.is_none().then_some(match (cell.may_fit(), neither) {
            (_, true) => said::NEITHER_FITS,
            (true, _) => said::OTHER_DOES_NOT_FIT,
            (false, _) => said::ONLY_OTHER_FITS,
        }),
        title: String::new(),
    }
}
