//! What tokens cost, from the form.

use tokmark_calculator::cost::Money;
use tokmark_calculator::cost_report::{CostQuery, Purchase, YEAR_H};
use tokmark_calculator::rent::{RentPoint, rent};
use tokmark_calculator::report::HardwarePart;
use tokmark_catalog::Catalog;

use super::form::Form;

/// Prices, and where the rent is from.
#[derive(Debug)]
pub(crate) struct Prices {
    pub(crate) query: CostQuery,
    pub(crate) rent_source: Option<String>,
}

impl Prices {
    /// Reads the form; `None` where no price was given, or something is wrong.
    ///
    /// Without a machine only what was typed is checked.
    pub(crate) fn read(
        catalog: &Catalog,
        form: &mut Form,
        machine: Option<&HardwarePart>,
    ) -> Option<Self> {
        let currency = currency(form);
        let utilization = form.positive("utilization").unwrap_or(1.0);
        if utilization > 1.0 {
            form.wrong("utilization", "the share is above 0 and up to 1");
        }
        let money = |amount: f64| Money::new(amount, &currency);
        let mut per_hour = form.positive("rent_per_hour").map(money);
        let mut rent_source = None;
        if let Some(point) = point(form) {
            if per_hour.is_some() {
                form.wrong("rent", "there is a rent already: leave one of them empty");
            }
            match machine.map(|machine| rent(catalog, machine, point)) {
                Some(Ok(known)) => {
                    rent_source = Some(known.source);
                    per_hour = Some(known.per_hour);
                }
                Some(Err(error)) => form.wrong("rent", error.to_string()),
                None => {}
            }
        }
        let purchase = purchase(form, &currency);
        if per_hour.is_none() && purchase.is_none() {
            return None;
        }
        Some(Self {
            query: CostQuery {
                rent_per_hour: per_hour,
                purchase,
                utilization,
            },
            rent_source,
        })
    }
}

fn point(form: &mut Form) -> Option<RentPoint> {
    let word = form.text("rent")?;
    let found = RentPoint::ALL.into_iter().find(|one| one.word() == word);
    if found.is_none() {
        form.wrong("rent", format!("`{word}` is not low, typical or high"));
    }
    found
}

fn purchase(form: &mut Form, currency: &str) -> Option<Purchase> {
    let price = form.positive("price");
    let years = form.positive("lifetime_years");
    let electricity = form.number("electricity_per_kwh");
    let overhead = form.positive("power_overhead").unwrap_or(1.0);
    if electricity.is_some_and(|amount| amount < 0.0) {
        form.wrong("electricity_per_kwh", "this is 0 or more");
    }
    let price = price?;
    if years.is_none() {
        form.wrong("lifetime_years", "a price needs a lifetime");
    }
    if electricity.is_none() {
        form.wrong("electricity_per_kwh", "a price needs that of electricity");
    }
    Some(Purchase {
        price: Money::new(price, currency),
        lifetime_h: years? * YEAR_H,
        electricity_per_kwh: Money::new(electricity?, currency),
        power_overhead: overhead,
    })
}

/// A code of ISO 4217: three letters.
fn currency(form: &mut Form) -> String {
    let Some(code) = form.text("currency") else {
        return "USD".to_owned();
    };
    if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        form.wrong(
            "currency",
            format!("`{code}` is no currency code such as USD or EUR"),
        );
    }
    code.to_uppercase()
}
