//! The share of the roofline, for every face of a run.

use tokmark_run_format::{
    DecodeCell, FigureSource, PrefillRow, Roofline, RooflineBound, RunDocument,
};
use tokmark_units::format;

use crate::summary::{context_label, percent};
use crate::words::{self, roofline as word};

/// `38.0 % of the measured 936 GB/s memory roofline, 343.5 tok/s`; `None` without a share.
pub(crate) fn of_cell(run: &RunDocument, cell: &DecodeCell) -> Option<String> {
    sentence(
        run,
        cell.roofline_share?,
        cell.roofline_bound?,
        &format::rate(cell.roofline_tokens_per_s?),
    )
}

/// The same for a prefill row.
pub(crate) fn of_row(run: &RunDocument, row: &PrefillRow) -> Option<String> {
    sentence(
        run,
        row.roofline_share?,
        row.roofline_bound?,
        &format::prefill_rate(row.roofline_tokens_per_s?),
    )
}

fn sentence(run: &RunDocument, share: f64, bound: RooflineBound, limit: &str) -> Option<String> {
    let roofline = run.roofline.as_ref()?;
    let share = percent(share);
    Some(match bound {
        RooflineBound::Memory => {
            word::of_memory(&share, whose(roofline), &bandwidth(roofline)?, limit)
        }
        RooflineBound::Compute => word::of_compute(&share, limit),
    })
}

/// What a reader has to know about a cell's share: that it is above 1, or counts tokens.
pub(crate) fn remarks(run: &RunDocument, cell: &DecodeCell) -> Vec<&'static str> {
    let Some(share) = cell.roofline_share else {
        return Vec::new();
    };
    let above = (share > 1.0).then_some(word::ABOVE);
    let tokens = counts_tokens(run, cell).then_some(word::COUNTS_TOKENS);
    above.into_iter().chain(tokens).collect()
}

/// Whether the server drafts and the tokens that a step gives are not known.
fn counts_tokens(run: &RunDocument, cell: &DecodeCell) -> bool {
    let launch = run.launch.as_ref();
    let drafts = launch.is_some_and(|launch| launch.speculation.is_some())
        || cell.speculative_acceptance.is_some();
    let longest = run.roofline.as_ref().and_then(|it| it.draft_tokens);
    drafts && (longest.is_none() || cell.speculative_acceptance.is_none())
}

/// The whole run in a line: the span of the cells' shares and of what they are shares, or why there
/// are none. `None` for a run that knows of no roofline at all.
pub(crate) fn line(run: &RunDocument) -> Option<String> {
    let roofline = run.roofline.as_ref()?;
    let shares = || {
        run.decode
            .iter()
            .filter_map(|cell| Some((cell, cell.roofline_share?)))
    };
    let best = shares().max_by(|a, b| a.1.total_cmp(&b.1));
    let lowest = shares().map(|(_, share)| share).reduce(f64::min);
    let (Some((cell, high)), Some(low)) = (best, lowest) else {
        return Some(word::not_known(&reasons(roofline)));
    };
    let machine = roofline.machine.as_ref()?;
    let mut line = word::of_run(
        &word::span(&percent(low), &percent(high)),
        whose(roofline),
        &bandwidth(roofline)?,
        &machine.name,
        &words::at_cell(cell.requests, &context_label(cell.context)),
    );
    for remark in remarks(run, cell) {
        line.push_str(&format!(" {}.", capitalised(remark)));
    }
    Some(line)
}

/// A sentence's beginning.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn reasons(roofline: &Roofline) -> String {
    let reasons: Vec<String> = roofline
        .unknown
        .iter()
        .map(|fact| match fact.fact.as_str() {
            "model" => word::because(word::THE_MODEL, &fact.reason),
            "machine" => word::because(word::THE_MACHINE, &fact.reason),
            other => word::because(other, &fact.reason),
        })
        .collect();
    if reasons.is_empty() {
        return capitalised(word::NOTHING_TO_COMPARE);
    }
    capitalised(&reasons.join("; "))
}

/// `936 GB/s, from the catalogue (NVIDIA RTX 3090)`, for a card.
pub(crate) fn machine(run: &RunDocument) -> Option<String> {
    let roofline = run.roofline.as_ref()?;
    let machine = roofline.machine.as_ref()?;
    let from = match machine.bandwidth_source {
        FigureSource::Measured => word::MEASURED,
        _ => word::FROM_CATALOGUE,
    };
    Some(word::machine(&bandwidth(roofline)?, from, &machine.name))
}

/// `8.6 GB of weights, 192.0 KiB of cache a token (from …)`, for a card.
pub(crate) fn model(run: &RunDocument) -> Option<String> {
    let model = run.roofline.as_ref()?.model.as_ref()?;
    let weights = model.dense.bytes + model.head.bytes + model.experts.bytes;
    let weights = if weights < 1e9 {
        format!("{} MB", format::decimal(weights / 1e6, 1))
    } else {
        format!("{} GB", format::decimal(weights / 1e9, 1))
    };
    Some(word::model(
        &weights,
        &format::decimal(model.kv_bytes_per_token / 1_024.0, 1),
        &model.name,
    ))
}

/// The bound in a word.
pub(crate) fn bound(bound: RooflineBound) -> &'static str {
    match bound {
        RooflineBound::Memory => word::MEMORY,
        RooflineBound::Compute => word::COMPUTE,
    }
}

fn whose(roofline: &Roofline) -> &'static str {
    let source = roofline.machine.as_ref().map(|it| it.bandwidth_source);
    match source {
        Some(FigureSource::Measured) => word::MEASURED,
        _ => word::CATALOGUE,
    }
}

fn bandwidth(roofline: &Roofline) -> Option<String> {
    let machine = roofline.machine.as_ref()?;
    let decimals = usize::from(machine.bandwidth_gb_s < 100.0);
    let gb_s = format::decimal(machine.bandwidth_gb_s, decimals);
    Some(word::bandwidth(machine.count, &gb_s))
}

/// `74 %`, for a cell of a terminal's table.
pub(crate) fn short(cell: &DecodeCell) -> Option<String> {
    let share = format::decimal(cell.roofline_share? * 100.0, 0);
    Some(word::in_cell(&format!("{share} %")))
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::roofline::{RooflineMachine, RooflineModel, RooflinePart};
    use tokmark_run_format::{CellStatus, LaunchSettings, Speculation, Tool, UnknownFact};

    use super::*;

    fn cell(context: u64, requests: u32, share: f64) -> DecodeCell {
        DecodeCell {
            roofline_share: Some(share),
            roofline_tokens_per_s: Some(343.5),
            roofline_bound: Some(RooflineBound::Memory),
            ..DecodeCell::without_numbers(context, requests, CellStatus::Valid, None)
        }
    }

    fn run(source: FigureSource, cells: Vec<DecodeCell>) -> RunDocument {
        let mut run = RunDocument::new("x".to_owned(), Tool::default());
        run.roofline = Some(Roofline {
            machine: Some(RooflineMachine {
                name: "NVIDIA RTX 3090".to_owned(),
                count: 1,
                bandwidth_gb_s: 936.2,
                bandwidth_source: source,
                ..RooflineMachine::default()
            }),
            ..Roofline::default()
        });
        run.decode = cells;
        run
    }

    #[test]
    fn a_share_says_of_what() {
        let check = |source, change: fn(&mut RunDocument), expect: &str| {
            let mut run = run(source, vec![cell(0, 1, 0.38)]);
            change(&mut run);
            assert_eq!(of_cell(&run, &run.decode[0]).as_deref(), Some(expect));
        };
        let measured = "38.0 % of the measured 936 GB/s memory roofline, 343.5 tok/s";
        check(FigureSource::Measured, |_| {}, measured);
        let catalogue = "38.0 % of the catalogue's 936 GB/s memory roofline, 343.5 tok/s";
        check(FigureSource::Catalogue, |_| {}, catalogue);
        check(
            FigureSource::Measured,
            |run| run.decode[0].roofline_bound = Some(RooflineBound::Compute),
            "38.0 % of the catalogue's compute roofline, 343.5 tok/s",
        );
        check(
            FigureSource::Measured,
            |run| {
                let machine = run.roofline.as_mut().unwrap().machine.as_mut().unwrap();
                (machine.count, machine.bandwidth_gb_s) = (2, 61.54);
            },
            "38.0 % of the measured 2 × 61.5 GB/s memory roofline, 343.5 tok/s",
        );
        let mut none = run(FigureSource::Measured, vec![cell(0, 1, 0.38)]);
        none.decode[0].roofline_share = None;
        assert_eq!(of_cell(&none, &none.decode[0]), None);
    }

    #[test]
    fn weights_in_the_unit_that_they_need() {
        let check = |bytes: f64, expect: &str| {
            let mut run = run(FigureSource::Catalogue, Vec::new());
            run.roofline.as_mut().unwrap().model = Some(RooflineModel {
                name: "GGUF".to_owned(),
                dense: RooflinePart {
                    bytes,
                    ..RooflinePart::default()
                },
                kv_bytes_per_token: 2_048.0,
                ..RooflineModel::default()
            });
            assert_eq!(model(&run).as_deref(), Some(expect));
        };
        let small = "8.4 MB of weights, 2.0 KiB of cache a token (from GGUF)";
        check(8.42e6, small);
        let large = "8.4 GB of weights, 2.0 KiB of cache a token (from GGUF)";
        check(8.42e9, large);
    }

    #[test]
    fn a_run_in_a_line() {
        let cells = vec![cell(0, 1, 0.283), cell(0, 16, 0.736), cell(8_192, 1, 0.25)];
        assert_eq!(
            line(&run(FigureSource::Catalogue, cells)).as_deref(),
            Some(
                "Share of the roofline: 25.0 % to 73.6 % of what the catalogue's 936 GB/s (NVIDIA \
                 RTX 3090) allow at each depth and number of requests; the highest at 16 requests, \
                 context 0."
            )
        );
        assert_eq!(line(&RunDocument::new("x".into(), Tool::default())), None);
        let mut unknown = run(FigureSource::Catalogue, vec![cell(0, 1, 0.5)]);
        unknown.decode[0].roofline_share = None;
        let nothing = line(&unknown).unwrap();
        assert!(nothing.contains("not known. No cell has both"), "{nothing}");
        let fact = |what, why| UnknownFact::new(what, why);
        unknown.roofline = Some(Roofline {
            unknown: vec![
                fact("model", "`x` is not in it"),
                fact("machine", "nobody told"),
            ],
            ..Roofline::default()
        });
        assert_eq!(
            line(&unknown).as_deref(),
            Some(
                "Share of the roofline: not known. The model: `x` is not in it; the machine: nobody \
                 told."
            )
        );
    }

    #[test]
    fn above_one_and_drafts_are_remarked() {
        let check = |share, launch: Option<u32>, acceptance, longest, expect: &[&str]| {
            let mut run = run(FigureSource::Measured, vec![cell(0, 1, share)]);
            run.decode[0].speculative_acceptance = acceptance;
            run.launch = launch.map(|draft_tokens| LaunchSettings {
                speculation: Some(Speculation {
                    draft_tokens: Some(draft_tokens),
                    ..Speculation::default()
                }),
                ..LaunchSettings::default()
            });
            run.roofline.as_mut().unwrap().draft_tokens = longest;
            assert_eq!(remarks(&run, &run.decode[0]), expect);
        };
        check(0.9, None, None, None, &[]);
        check(1.2, None, None, None, &[word::ABOVE]);
        check(0.9, Some(3), Some(0.7), Some(3), &[]);
        check(0.9, Some(3), None, Some(3), &[word::COUNTS_TOKENS]);
        check(
            1.9,
            None,
            Some(0.7),
            None,
            &[word::ABOVE, word::COUNTS_TOKENS],
        );
    }
}
