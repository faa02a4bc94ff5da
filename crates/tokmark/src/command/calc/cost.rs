//! What a million tokens cost, from what was typed to a table.

use serde::Serialize;
use tokmark_calculator::Question;
use tokmark_calculator::cost::Money;
use tokmark_calculator::cost_report::{
    CellCost, CostPart, CostQuery, Purchase, TokenPrice, YEAR_H,
};
use tokmark_calculator::rent::{self, NoRent};
use tokmark_calculator::report::Report;
use tokmark_catalog::Catalog;
use tokmark_pages::terminal::{self, Look, Painter, Side, Text};
use tokmark_units::format;

use super::table::{grid, shown};
use super::words::{amount, context, heading, price, remark, whole_percent};
use crate::args::calc::{Amount, CostArgs, RentPoint};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Costs with where the rent comes from.
#[derive(Serialize)]
pub(super) struct Cost {
    #[serde(flatten)]
    pub(super) part: CostPart,
    /// Who asks the rent, and when, where it is the catalog's.
    rent_source: Option<String>,
}

/// The costs of an answer; `None` where no price was given.
pub(super) fn cost(
    catalog: &Catalog,
    args: &CostArgs,
    question: &Question,
    report: &Report,
) -> Outcome<Option<Cost>> {
    if args.rent_per_hour.is_none() && args.rent.is_none() && args.price.is_none() {
        return match args.utilization {
            Some(_) => Err(Failure::saying(Exit::Usage, "--utilization needs a price")
                .hint("--rent-per-hour AMOUNT, --rent typical, or --price AMOUNT")),
            None => Ok(None),
        };
    }
    let utilization = args.utilization.unwrap_or(1.0);
    if !(utilization > 0.0 && utilization <= 1.0) {
        let message = "--utilization: the share is above 0 and up to 1";
        return Err(Failure::saying(Exit::Usage, message));
    }
    let (rent, rent_source) = rent_of(catalog, args, report)?;
    let query = CostQuery {
        rent_per_hour: rent,
        purchase: purchase(args)?,
        utilization,
    };
    let part = question.cost(report, &query).map_err(|error| {
        Failure::new(Exit::Usage, error)
            .hint("amounts of two currencies are never added: write all of them in one")
    })?;
    Ok(Some(Cost { part, rent_source }))
}

fn money(args: &CostArgs, typed: &Amount) -> Money {
    let currency = typed.currency.as_ref().unwrap_or(&args.currency);
    Money::new(typed.amount, currency)
}

/// The rent of all accelerators, and where it is from.
fn rent_of(
    catalog: &Catalog,
    args: &CostArgs,
    report: &Report,
) -> Outcome<(Option<Money>, Option<String>)> {
    if let Some(typed) = &args.rent_per_hour {
        return Ok((Some(money(args, typed)), None));
    }
    let Some(point) = args.rent else {
        return Ok((None, None));
    };
    let found = rent::rent(catalog, &report.hardware, point.into()).map_err(|error| {
        let hint = match error {
            NoRent::Unknown(_) => "--rent-per-hour AMOUNT",
            NoRent::OnlyTypical(_) => "--rent typical",
        };
        Failure::saying(Exit::Usage, format!("--rent: {error}")).hint(hint)
    })?;
    Ok((Some(found.per_hour), Some(found.source)))
}

impl From<RentPoint> for rent::RentPoint {
    fn from(point: RentPoint) -> Self {
        match point {
            RentPoint::Low => Self::Low,
            RentPoint::Typical => Self::Typical,
            RentPoint::High => Self::High,
        }
    }
}

fn purchase(args: &CostArgs) -> Outcome<Option<Purchase>> {
    let Some(price) = &args.price else {
        return Ok(None);
    };
    let years = args.lifetime_years.map(|years| years * YEAR_H);
    let lifetime_h = args.lifetime_hours.or(years).unwrap_or_default();
    let power_overhead = args.power_overhead.unwrap_or(1.0);
    let positive = [
        ("--lifetime-hours", lifetime_h),
        ("--power-overhead", power_overhead),
    ];
    for (option, figure) in positive {
        if !figure.is_finite() || figure <= 0.0 {
            return Err(Failure::saying(
                Exit::Usage,
                format!("{option}: this must be above 0"),
            ));
        }
    }
    let Some(electricity) = &args.electricity_per_kwh else {
        return Err(Failure::saying(
            Exit::Usage,
            "--price needs --electricity-per-kwh",
        ));
    };
    Ok(Some(Purchase {
        price: money(args, price),
        lifetime_h,
        electricity_per_kwh: money(args, electricity),
        power_overhead,
    }))
}

/// Prices of output tokens by cell, of input tokens by context, and when buying pays.
pub(super) fn lines(cost: &Cost, report: &Report, width: usize, painter: Painter) -> Vec<String> {
    let part = &cost.part;
    let mut out = Vec::new();
    if let Some(rent) = part.rent_per_hour {
        let source = cost.rent_source.as_ref();
        let source = source.map_or_else(String::new, |source| format!(" ({source})"));
        let text = format!(
            "A million output tokens in {}, rented at {} an hour{source}{}",
            part.currency,
            amount(rent),
            at_work(part),
        );
        out.extend(heading(&text, width, painter));
        out.extend(prices(part, report, width, painter, |cell| cell.rented));
    }
    if let (Some(paid), Some(hours)) = (part.price, part.lifetime_h) {
        out.extend(heading(&owned(part, paid, hours), width, painter));
        match part.decode_w {
            Some(_) => out.extend(prices(part, report, width, painter, |cell| cell.owned)),
            None => out.extend(remark(
                "its power is not known, so neither is its price",
                width,
            )),
        }
    }
    out.extend(inputs(part, painter));
    out.extend(break_even(part, width));
    out
}

fn at_work(part: &CostPart) -> String {
    if part.utilization < 1.0 {
        return format!(
            "; it works {} of the hours",
            whole_percent(part.utilization)
        );
    }
    "; it works all the time".to_owned()
}

fn owned(part: &CostPart, paid: f64, hours: f64) -> String {
    let watts = part.decode_w.map_or_else(String::new, |watts| {
        format!(" at {} W", format::decimal(watts, 0))
    });
    let overhead = match part.power_overhead {
        Some(overhead) if overhead > 1.0 => format!(", x {overhead} for cooling"),
        _ => String::new(),
    };
    format!(
        "A million output tokens in {}, bought for {} that last {} h, electricity at {} a kWh{watts}\
         {overhead}{}",
        part.currency,
        amount(paid),
        format::decimal(hours, 0),
        amount(part.electricity_per_kwh.unwrap_or_default()),
        at_work(part),
    )
}

fn prices(
    part: &CostPart,
    report: &Report,
    width: usize,
    painter: Painter,
    of: impl Fn(&CellCost) -> Option<TokenPrice>,
) -> Vec<String> {
    grid(report, width, painter, |cell| {
        let own = part
            .cells
            .iter()
            .find(|one| (one.context, one.requests) == (cell.context, cell.requests));
        let output = own.and_then(&of).map(|price| price.output_per_million);
        vec![shown(cell, format::or_dash(output, price))]
    })
}

/// Prices of input tokens, which depend on the context alone.
fn inputs(part: &CostPart, painter: Painter) -> Vec<String> {
    let mut rows: Vec<Vec<Text>> = Vec::new();
    let input = |cost: Option<TokenPrice>| cost.and_then(|cost| cost.input_per_million);
    // Without a prompt there is nothing to read.
    for cell in part.cells.iter().filter(|cell| cell.context > 0) {
        let label = context(cell.context);
        let known = rows
            .iter()
            .any(|row| row.first().is_some_and(|text| text.words == label));
        let (rented, owned) = (input(cell.rented), input(cell.owned));
        if known || (rented.is_none() && owned.is_none()) {
            continue;
        }
        let text = |cost: Option<f64>| Text::new(format::or_dash(cost, price), Look::Strong);
        let mut row = vec![Text::new(label, Look::Plain)];
        row.extend(part.rent_per_hour.map(|_| text(rented)));
        row.extend(part.price.map(|_| text(owned)));
        rows.push(row);
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let mut header = vec![Text::new("Context", Look::Quiet)];
    header.extend(part.rent_per_hour.map(|_| Text::new("rented", Look::Quiet)));
    header.extend(part.price.map(|_| Text::new("bought", Look::Quiet)));
    rows.insert(0, header);
    let title = format!(
        "A million input tokens in {}, one prompt at a time, not cached",
        part.currency
    );
    let mut out = heading(&title, usize::MAX, painter);
    out.extend(terminal::rows(&rows, &[Side::Right; 3], painter));
    out
}

fn break_even(part: &CostPart, width: usize) -> Vec<String> {
    if part.rent_per_hour.is_none() || part.price.is_none() || part.decode_w.is_none() {
        return Vec::new();
    }
    let text = match part.break_even_h {
        Some(hours) => format!(
            "Buying has cost less than renting after {} hours ({} years), idle ones included.",
            format::decimal(hours, 0),
            format::decimal(hours / YEAR_H, 1),
        ),
        None => "Renting never costs more than the electricity: buying does not pay.".to_owned(),
    };
    let mut out = vec![String::new()];
    out.extend(remark(&text, width));
    out
}
