//! What tokens cost.

use tokmark_calculator::cost_report::{CellCost, TokenPrice, YEAR_H};
use tokmark_calculator::figures::{amount, price, whole_percent};
use tokmark_units::format;

use super::answer::Costs;
use crate::words::calculator as said;

/// Prices of the chosen cell, and when buying pays.
pub(crate) struct CostView {
    pub(crate) header: Vec<String>,
    /// What it is, then output, input and electricity of a million tokens.
    pub(crate) rows: Vec<[String; 3]>,
    pub(crate) notes: Vec<String>,
}

impl CostView {
    pub(crate) fn of(costs: &Costs<'_>) -> Self {
        let part = costs.chosen;
        let cell = part.cells.first();
        let row = |name: &str, of: fn(&CellCost) -> Option<TokenPrice>| {
            let one = cell.and_then(of);
            let input = one.and_then(|one| one.input_per_million);
            [
                name.to_owned(),
                format::or_dash(one.map(|one| one.output_per_million), price),
                format::or_dash(input, price),
            ]
        };
        let rented = part.rent_per_hour.map(|rent| {
            let name = said::rented(&amount(rent), &part.currency);
            row(&name, |cell| cell.rented)
        });
        let owned = part.price.map(|paid| {
            let name = said::bought(&amount(paid), &part.currency);
            row(&name, |cell| cell.owned)
        });
        Self {
            header: said::cost_header(&part.currency),
            rows: rented.into_iter().chain(owned).collect(),
            notes: notes(costs),
        }
    }
}

fn notes(costs: &Costs<'_>) -> Vec<String> {
    let part = costs.chosen;
    let mut notes = vec![said::at_work(&whole_percent(part.utilization))];
    notes.extend(costs.rent_source.map(said::rent_source));
    if let Some(hours) = part.lifetime_h {
        let watts = part.decode_w.map(|watts| format::decimal(watts, 0));
        notes.push(said::owned(
            &format::decimal(hours / YEAR_H, 1),
            &amount(part.electricity_per_kwh.unwrap_or_default()),
            &part.currency,
            watts.as_deref(),
        ));
    }
    let kwh = part
        .cells
        .first()
        .and_then(|cell| cell.kwh_per_million_output);
    notes.extend(kwh.map(|kwh| said::kwh(&price(kwh))));
    if part.rent_per_hour.is_some() && part.price.is_some() && part.decode_w.is_some() {
        notes.push(match part.break_even_h {
            Some(hours) => said::break_even(
                &format::decimal(hours, 0),
                &format::decimal(hours / YEAR_H, 1),
            ),
            None => said::NEVER_PAYS.to_owned(),
        });
    }
    notes
}
