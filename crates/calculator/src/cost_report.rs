//! What the cells of an answer cost, as a part of its document.

use serde::Serialize;

use crate::cost::{CurrenciesDiffer, Money, Tenure, TokenCost, Work, break_even_hours};
use crate::energy::Power;
use crate::query::Question;
use crate::report::{CellPart, Report};

/// Ways to have the machine, one or both.
#[derive(Debug, Clone, PartialEq)]
pub struct CostQuery {
    /// By the hour, all accelerators together.
    pub rent_per_hour: Option<Money>,
    /// Bought.
    pub purchase: Option<Purchase>,
    /// Share of the hours in which it works, above 0 and up to 1.
    pub utilization: f64,
}

/// A machine that is bought.
#[derive(Debug, Clone, PartialEq)]
pub struct Purchase {
    /// Price of the whole machine.
    pub price: Money,
    /// Hours until it is worth nothing.
    pub lifetime_h: f64,
    /// Price of a kilowatt-hour.
    pub electricity_per_kwh: Money,
    /// Power at the meter over power at the machine.
    pub power_overhead: f64,
}

/// What tokens cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostPart {
    /// ISO 4217 code of every amount here.
    pub currency: String,
    /// Share of the hours in which the machine works.
    pub utilization: f64,
    /// Watts of accelerators and host while decoding; `None` where no power is known.
    pub decode_w: Option<f64>,
    /// Watts while reading prompts.
    pub prefill_w: Option<f64>,
    /// Rent an hour, all accelerators together.
    pub rent_per_hour: Option<f64>,
    /// Price of the machine.
    pub price: Option<f64>,
    /// Hours until it is worth nothing.
    pub lifetime_h: Option<f64>,
    /// Price of a kilowatt-hour.
    pub electricity_per_kwh: Option<f64>,
    /// Power at the meter over power at the machine.
    pub power_overhead: Option<f64>,
    /// Hours, idle ones too, after which buying has cost less than renting; `None` where that never
    /// happens, or only one way was asked for.
    pub break_even_h: Option<f64>,
    /// Cells in the order of the answer; those that do not fit have no figures.
    pub cells: Vec<CellCost>,
}

/// What tokens of one cell cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CellCost {
    /// Prompt tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// Of a rented machine.
    pub rented: Option<TokenPrice>,
    /// Of a machine that is owned, electricity included.
    pub owned: Option<TokenPrice>,
    /// Kilowatt-hours of a million output tokens, at the machine.
    pub kwh_per_million_output: Option<f64>,
}

/// Prices of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TokenPrice {
    /// Output tokens.
    pub output_per_million: f64,
    /// Input tokens that are not cached, prompts one at a time; `None` where their speed is unknown.
    pub input_per_million: Option<f64>,
}

impl Purchase {
    fn tenure(&self) -> Tenure {
        Tenure::Owned {
            price: self.price.clone(),
            lifetime_h: self.lifetime_h,
            electricity_per_kwh: self.electricity_per_kwh.clone(),
            overhead: self.power_overhead,
        }
    }
}

impl CostQuery {
    /// The one currency of all amounts.
    fn currency(&self) -> Result<String, CurrenciesDiffer> {
        let bought = self.purchase.iter();
        let mut all = bought
            .flat_map(|one| [&one.price, &one.electricity_per_kwh])
            .chain(&self.rent_per_hour);
        let Some(first) = all.next() else {
            return Ok(String::new());
        };
        all.try_fold(Money::new(0.0, &first.currency), |sum, one| sum.plus(one))
            .map(|sum| sum.currency)
    }

    fn break_even(&self, decode_w: Option<f64>) -> Result<Option<f64>, CurrenciesDiffer> {
        let (Some(rent), Some(bought), Some(watts)) =
            (&self.rent_per_hour, &self.purchase, decode_w)
        else {
            return Ok(None);
        };
        // Rent is paid for idle hours too, electricity only for the others.
        let overhead = bought.power_overhead * self.utilization;
        break_even_hours(
            &bought.price,
            rent,
            &bought.electricity_per_kwh,
            overhead,
            watts,
        )
    }
}

impl Question {
    /// What the cells of its answer cost.
    ///
    /// # Errors
    ///
    /// The amounts are of different currencies.
    pub fn cost(&self, report: &Report, query: &CostQuery) -> Result<CostPart, CurrenciesDiffer> {
        let currency = query.currency()?;
        let power = Power::of(&self.setup);
        let (decode_w, prefill_w) = (
            power.map(|power| power.decode_w),
            power.map(|power| power.prefill_w),
        );
        let cells: Result<Vec<CellCost>, CurrenciesDiffer> = report
            .cells
            .iter()
            .map(|cell| CellCost::of(cell, query, power))
            .collect();
        let bought = query.purchase.as_ref();
        Ok(CostPart {
            currency,
            utilization: query.utilization,
            decode_w,
            prefill_w,
            rent_per_hour: query.rent_per_hour.as_ref().map(|rent| rent.amount),
            price: bought.map(|one| one.price.amount),
            lifetime_h: bought.map(|one| one.lifetime_h),
            electricity_per_kwh: bought.map(|one| one.electricity_per_kwh.amount),
            power_overhead: bought.map(|one| one.power_overhead),
            break_even_h: query.break_even(decode_w)?,
            cells: cells?,
        })
    }
}

impl CellCost {
    fn of(
        cell: &CellPart,
        query: &CostQuery,
        power: Option<Power>,
    ) -> Result<Self, CurrenciesDiffer> {
        let empty = Self {
            context: cell.context,
            requests: cell.requests,
            rented: None,
            owned: None,
            kwh_per_million_output: None,
        };
        if !cell.may_fit() {
            return Ok(empty);
        }
        let work = Work {
            output_tokens_per_s: cell.total_tokens_per_s.median,
            prompt_tokens_per_s: cell.prompt_tokens_per_s.map(|rate| rate.median),
            decode_w: power.map(|power| power.decode_w),
            prefill_w: power.map(|power| power.prefill_w),
            utilization: query.utilization,
        };
        let rented = query.rent_per_hour.clone();
        let rented = rented.map(|per_hour| Tenure::Rented { per_hour });
        let owned = query.purchase.as_ref().map(Purchase::tenure);
        let price = |tenure: Option<Tenure>| {
            let cost = tenure.map(|tenure| tenure.per_million(&work)).transpose()?;
            Ok(cost.flatten())
        };
        let (rented, owned) = (price(rented)?, price(owned)?);
        Ok(Self {
            kwh_per_million_output: work.decode_w.map(|watts| kwh(watts, &work)),
            rented: rented.as_ref().map(TokenPrice::of),
            owned: owned.as_ref().map(TokenPrice::of),
            ..empty
        })
    }
}

/// `10^6 · watts / (3600 · 1000 · tokens a second)`.
fn kwh(watts: f64, work: &Work) -> f64 {
    1e6 * watts / (3_600.0 * 1e3 * work.output_tokens_per_s)
}

impl TokenPrice {
    fn of(cost: &TokenCost) -> Self {
        Self {
            output_per_million: cost.output_per_million.amount,
            input_per_million: cost.input_per_million.as_ref().map(|money| money.amount),
        }
    }
}

/// Hours of a year.
pub const YEAR_H: f64 = 8_760.0;
