//! An answer as rows with commas.

use crate::cost_report::{CellCost, CostPart, TokenPrice};
use crate::report::{BandPart, CellPart, Report};

const HEADER: &str = "context,requests,fit,total_tokens_per_s,total_tokens_per_s_low50,\
                      total_tokens_per_s_high50,total_tokens_per_s_low90,total_tokens_per_s_high90,\
                      per_request_tokens_per_s,prompt_tokens_per_s,cold_ttft_ms,warm_ttft_ms,\
                      limited_by,roofline_tokens_per_s,roofline_share,joules_per_token";

/// A line for each cell; a figure that is not known is empty.
pub fn text(report: &Report, cost: Option<&CostPart>) -> String {
    let mut out = HEADER.to_owned();
    if let Some(cost) = cost {
        for name in ["rented", "owned"] {
            for kind in ["output", "input"] {
                out.push_str(&format!(",{name}_{kind}_per_million_{}", cost.currency));
            }
        }
        out.push_str(",kwh_per_million_output");
    }
    out.push('\n');
    for (place, cell) in report.cells.iter().enumerate() {
        let mut fields = fields(cell);
        if let Some(cost) = cost {
            fields.extend(cost.cells.get(place).map(prices).unwrap_or_default());
        }
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

fn fields(cell: &CellPart) -> Vec<String> {
    let median = |band: Option<BandPart>| number(band.map(|band| band.median));
    let total = &cell.total_tokens_per_s;
    vec![
        cell.context.to_string(),
        cell.requests.to_string(),
        cell.fit.to_owned(),
        number(Some(total.median)),
        number(Some(total.low50)),
        number(Some(total.high50)),
        number(Some(total.low90)),
        number(Some(total.high90)),
        number(Some(cell.per_request_tokens_per_s.median)),
        median(cell.prompt_tokens_per_s),
        median(cell.cold_ttft_ms),
        number(Some(cell.warm_ttft_ms)),
        cell.limited_by.to_owned(),
        number(Some(cell.roofline_tokens_per_s)),
        number(Some(cell.roofline_share)),
        number(cell.joules_per_token),
    ]
}

fn prices(cell: &CellCost) -> Vec<String> {
    let pair = |price: Option<TokenPrice>| {
        let input = price.and_then(|price| price.input_per_million);
        [
            number(price.map(|price| price.output_per_million)),
            number(input),
        ]
    };
    let mut fields = pair(cell.rented).to_vec();
    fields.extend(pair(cell.owned));
    fields.push(number(cell.kwh_per_million_output));
    fields
}

/// To six digits, far below what is known.
fn number(value: Option<f64>) -> String {
    value
        .and_then(|value| format!("{value:.5e}").parse::<f64>().ok())
        .map_or_else(String::new, |value| value.to_string())
}
