//! Run documents held against one another: exact values by hand, and by simulation how often a
//! re-run of the same server passes and a true loss is found.

use serde_json::json;
use tokmark_measure::compare::{
    Metric, MetricChange, NOT_IN_RUN, Noise, Outcome, Place, Side, differing, judge, parse, sides,
};
use tokmark_measure::interval::{Rule, steadiness};
use tokmark_measure::passes::combine;
use tokmark_run_format::evidence::Window;
use tokmark_run_format::prefill::{CacheState, PrefillSample, SampleRole};
use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow, PrefillStatus, RunDocument, Tool};
use tokmark_units::float;

use crate::build::{S, close};
use crate::coverage::{Noise as Random, arrivals};

fn cell(context: u64, requests: u32, rate: f64, half: f64) -> DecodeCell {
    let mut cell = DecodeCell::without_numbers(context, requests, CellStatus::Valid, None);
    cell.total_tokens_per_s = Some(rate);
    cell.per_request_tokens_per_s = Some(rate / f64::from(requests));
    cell.time_between_tokens_ms = Some(1_000.0 * f64::from(requests) / rate);
    cell.ttft_ms = Some(50.0);
    cell.ci95_low = Some(rate - half);
    cell.ci95_high = Some(rate + half);
    cell
}

fn run(cells: Vec<DecodeCell>) -> RunDocument {
    let mut run = RunDocument::new("0123456789abcdefghijklmnop".into(), Tool::default());
    run.decode = cells;
    run
}

fn compared(
    before: &[RunDocument],
    after: &[RunDocument],
    metrics: &[Metric],
) -> Vec<MetricChange> {
    sides(&side(before), &side(after), metrics, None)
}

fn side(runs: &[RunDocument]) -> Side<'_> {
    Side {
        runs: runs.iter().collect(),
    }
}

fn outcome(rule: &str, metrics: &[MetricChange]) -> Outcome {
    let rules = parse(rule).unwrap();
    judge(&rules[0], metrics).outcome
}

#[test]
fn two_single_runs_by_hand() {
    let before = run(vec![cell(0, 1, 100.0, 1.0), cell(0, 4, 400.0, 4.0)]);
    let after = run(vec![cell(0, 1, 90.0, 0.9), cell(0, 4, 360.0, 3.6)]);
    let found = compared(&[before], &[after], &[Metric::Total]);
    let total = &found[0];
    assert_eq!(total.noise, Noise::Assumed(0.02));
    close(total.cells[0].change.ratio, 0.9);
    // 1 % of half width is an error of 0.01 / 1.95996 of each; a run's own 2 % beside it.
    let inside = (0.01 / 1.959_963_985_f64).powi(2);
    let error = (2.0 * (0.02_f64.powi(2) + inside)).sqrt();
    close(
        total.cells[0].change.low,
        0.9 * (-1.959_963_985 * error).exp(),
    );
    // Together the windows' noise halves, the runs' does not.
    let error = (2.0 * 0.02_f64.powi(2) + inside).sqrt();
    let overall = total.overall.unwrap();
    close(overall.ratio, 0.9);
    close(overall.high, 0.9 * (1.959_963_985 * error).exp());
    assert!(overall.is_significant());
    for (rule, expect) in [
        ("total < -3%", Outcome::Broken),
        ("total < -10.1%", Outcome::Holds),
        ("any total < -5%", Outcome::Broken),
        ("median total < -9%", Outcome::Broken),
        ("c=4 total < -9%", Outcome::Broken),
        ("context=16k total < -9%", Outcome::NotEnoughData),
        ("prefill < -3%", Outcome::NotEnoughData),
        ("status", Outcome::Holds),
    ] {
        assert_eq!(outcome(rule, &found), expect, "{rule}");
    }
}

#[test]
fn a_loss_within_the_noise_is_no_loss() {
    let at = |rate: f64| run(vec![cell(0, 1, rate, 0.5)]);
    let single = compared(&[at(100.0)], &[at(96.0)], &[Metric::Total]);
    assert_eq!(outcome("total < -3%", &single), Outcome::NotEnoughData);
    assert_eq!(outcome("total < -5%", &single), Outcome::Holds);
    let before = [at(100.0), at(104.0), at(96.0)];
    let repeated = compared(&before, &[at(96.0), at(97.0), at(95.0)], &[Metric::Total]);
    assert_eq!(outcome("total < -3%", &repeated), Outcome::Holds);
    let steady = [at(100.0), at(100.2), at(99.8)];
    let repeated = compared(&steady, &[at(96.0), at(96.1), at(95.9)], &[Metric::Total]);
    assert_eq!(outcome("total < -3%", &repeated), Outcome::Broken);
}

#[test]
fn times_are_worse_when_there_is_more_of_them() {
    let mut slow = cell(0, 2, 80.0, 0.8);
    slow.ttft_ms = Some(75.0);
    let before = run(vec![cell(0, 2, 100.0, 1.0)]);
    let metrics = [Metric::Ttft, Metric::Itl, Metric::PerRequest];
    let found = compared(&[before], &[run(vec![slow])], &metrics);
    close(found[0].cells[0].change.ratio, 1.5);
    close(found[1].cells[0].change.ratio, 1.25);
    close(found[2].cells[0].change.ratio, 0.8);
    assert_eq!(found[0].noise, Noise::Assumed(0.1));
    assert_eq!(outcome("ttft > +10%", &found), Outcome::Broken);
    assert_eq!(outcome("itl > 30%", &found), Outcome::Holds);
    assert_eq!(outcome("per-request < -10%", &found), Outcome::Broken);
}

#[test]
fn b115_what_is_gone_never_passes() {
    let before = run(vec![
        cell(0, 1, 100.0, 1.0),
        cell(0, 2, 200.0, 1.0),
        cell(0, 4, 400.0, 1.0),
    ]);
    let failed = DecodeCell::without_numbers(0, 2, CellStatus::Failed, Some("cut".into()));
    let mut zero = cell(0, 4, 400.0, 1.0);
    zero.total_tokens_per_s = Some(0.0);
    let after = run(vec![
        cell(0, 1, 100.0, 1.0),
        failed,
        zero,
        cell(0, 8, 1.0, 0.1),
    ]);
    let found = compared(&[before], &[after], &[Metric::Total]);
    assert_eq!(found[0].cells.len(), 1);
    let why: Vec<_> = found[0]
        .unmatched
        .iter()
        .map(|place| (place.place.requests, place.baseline, place.new))
        .collect();
    assert_eq!(
        why,
        [
            (2, None, Some("Failed")),
            (4, None, Some("no value")),
            (8, Some(NOT_IN_RUN), None)
        ]
    );
    assert_eq!(outcome("total < -3%", &found), Outcome::NotEnoughData);
    assert_eq!(outcome("c=1 total < -3%", &found), Outcome::Holds);
    assert_eq!(outcome("status", &found), Outcome::Broken);
    let nothing = compared(&[run(Vec::new())], &[run(Vec::new())], &[Metric::Total]);
    assert_eq!(outcome("total < -3%", &nothing), Outcome::NotEnoughData);
    assert_eq!(outcome("status", &nothing), Outcome::NotEnoughData);
}

#[test]
fn prefill_has_its_noise_from_its_samples() {
    let row = |rates: &[f64]| {
        let mut row = PrefillRow::without_samples(8_192, PrefillStatus::Valid, None);
        row.prompt_tokens_per_s = Some(rates[0]);
        let sample = |rate: &f64| PrefillSample {
            role: SampleRole::Document,
            prompt_tokens: 8_192,
            ttft_ms: 8_192_000.0 / rate,
            prompt_tokens_per_s: *rate,
            cached_tokens: Some(0),
            cache: CacheState::Cold,
            ttft_source: "event".into(),
        };
        row.samples = rates.iter().map(sample).collect();
        let mut run = run(Vec::new());
        run.prefill = vec![row];
        run
    };
    let found = compared(
        &[row(&[1_000.0, 1_000.0])],
        &[row(&[900.0, 900.0])],
        &[Metric::Prefill],
    );
    let steady = found[0].cells[0].change;
    assert_eq!(
        found[0].cells[0].place,
        Place {
            context: 8_192,
            requests: 1
        }
    );
    close(
        steady.low,
        0.9 * (-1.959_963_985 * 0.02 * 2.0_f64.sqrt()).exp(),
    );
    let found = compared(
        &[row(&[1_000.0, 1_400.0])],
        &[row(&[900.0, 700.0])],
        &[Metric::Prefill],
    );
    assert!(found[0].cells[0].change.low < 0.8 * steady.low);
    assert!(steady.is_significant() && !found[0].cells[0].change.is_significant());
}

#[test]
fn passes_tell_the_noise_of_a_run() {
    let of = |rates: [f64; 3]| {
        let passes = rates.map(|rate| cell(0, 1, rate, 0.1)).to_vec();
        run(combine(passes).into_iter().collect())
    };
    let before = of([100.0, 101.0, 102.0]);
    let found = compared(
        std::slice::from_ref(&before),
        &[of([97.0, 98.0, 99.0])],
        &[Metric::Total],
    );
    assert_eq!(found[0].noise, Noise::Passes { least: 0.005 });
    let change = found[0].cells[0].change;
    let mean = |rates: [f64; 3]| rates.iter().map(|rate| rate.ln()).sum::<f64>() / 3.0;
    close(
        change.ratio,
        (mean([97.0, 98.0, 99.0]) - mean([100.0, 101.0, 102.0])).exp(),
    );
    // Logs spread by 0.0099015 and 0.0102049; t(2) = 4.30265, over the square root of 3 passes.
    let inside = (0.009_901_5_f64.powi(2) + 0.010_204_9_f64.powi(2)) * 4.302_65_f64.powi(2) / 3.0;
    let runs = 2.0 * (1.959_964_f64 * 0.005).powi(2);
    let half = change.high.ln() - change.ratio.ln();
    assert!((half - (inside + runs).sqrt()).abs() < 1e-5, "{half}");
    // A side that was passed once leaves nothing to hold it against.
    let single = run(vec![cell(0, 1, 97.0, 0.1)]);
    let found = compared(&[before], &[single], &[Metric::Total]);
    assert_eq!(found[0].noise, Noise::Assumed(0.02));
}

#[test]
fn settings_that_differ_are_named_by_their_place() {
    let mut before = run(Vec::new());
    before.engine.version = Some("0.1".into());
    before.engine.flags = vec!["--fast".into()];
    let mut after = before.clone();
    assert_eq!(differing(&[&before, &after]), []);
    after.engine.version = Some("0.2".into());
    after.model.revision = Some("main".into());
    after.plan.window_s = 10.0;
    after.plan.seed = 7;
    let found = differing(&[&before, &after]);
    let names: Vec<&str> = found.iter().map(|one| one.setting.as_str()).collect();
    assert_eq!(names, ["model.revision", "engine.version", "plan.window_s"]);
    assert_eq!(found[1].values, [json!("0.1"), json!("0.2")]);
    assert_eq!(found[0].values, [json!(null), json!("main")]);
}

const PAIRS: u32 = 200;

/// A run of 8 cells at the server's speed times `level`, each passed so many times: windows of 10 s,
/// steps of 20 to 80 ms with noise that lasts some steps, and `between` as the standard deviation of a
/// whole run's level.
fn measured(between: f64, level: f64, passes: usize, random: &mut Random) -> RunDocument {
    const WINDOW: Window = Window {
        start_ns: 0,
        end_ns: 10 * S,
    };
    let level = level * (between * random.normal()).exp();
    let mut cells = Vec::new();
    for context in [0, 16_384] {
        for (requests, step_ms) in [(1, 20.0), (4, 30.0), (16, 50.0), (64, 80.0)] {
            let mut all = Vec::new();
            for _ in 0..passes {
                let arrivals = arrivals(random, 0.5, 10, step_ms * 1e6 / level);
                let events = float::len_u64(arrivals.len());
                let tokens: u64 = arrivals.iter().map(|(_, tokens)| tokens).sum();
                let found = steadiness(&arrivals, WINDOW, events, Rule::Cosines);
                let interval = found.interval.unwrap();
                let mut cell = cell(context, requests, float::from_u64(tokens) / 10.0, 0.0);
                cell.ci95_low = Some(interval.low);
                cell.ci95_high = Some(interval.high);
                all.push(cell);
            }
            cells.extend(combine(all));
        }
    }
    run(cells)
}

/// Of [`PAIRS`] comparisons of so many runs on each side: in how many the sides differ, in how many a
/// cell does, and how many break the rules.
fn found_in(
    between: f64,
    (runs, passes): (usize, usize),
    level: f64,
    rule: &str,
) -> (u32, u32, u32) {
    let mut random = Random(20_261_130);
    let (mut overall, mut cells, mut broken) = (0, 0, 0);
    for _ in 0..PAIRS {
        let mut side = |level: f64| -> Vec<RunDocument> {
            (0..runs)
                .map(|_| measured(between, level, passes, &mut random))
                .collect()
        };
        let (before, after) = (side(1.0), side(level));
        let found = compared(&before, &after, &[Metric::Total]);
        let change = found[0].overall.unwrap();
        overall += u32::from(change.is_significant());
        cells += u32::from(
            found[0]
                .cells
                .iter()
                .any(|cell| cell.change.is_significant()),
        );
        let passes = parse(rule)
            .unwrap()
            .iter()
            .all(|rule| judge(rule, &found).outcome == Outcome::Holds);
        broken += u32::from(!passes);
    }
    (overall, cells, broken)
}

/// A server that varies by half a per cent from run to run.
const STEADY: f64 = 0.005;
/// As noisy as is assumed of a server that was run once.
const ASSUMED: f64 = 0.02;
const GATE: &str = "total < -1%, any total < -5%, status";

/// 5 of 100 of [`PAIRS`], and twice the standard error of that count.
const FALSE_FINDS: u32 = 16;

fn passes(between: f64, effort: (usize, usize), rule: &str) {
    let (overall, cells, broken) = found_in(between, effort, 1.0, rule);
    let (runs, passes) = effort;
    println!(
        "{runs} runs of {passes} passes, {between}: {overall} differ overall, {cells} in a cell; \
         {broken} of {PAIRS} do not pass {rule}"
    );
    assert!(overall <= FALSE_FINDS && cells <= FALSE_FINDS);
    assert!(broken <= PAIRS / 20, "{broken}");
}

#[test]
fn a_re_run_passes_95_times_in_100() {
    passes(ASSUMED, (1, 1), "total < -6%, any total < -12%, status");
    passes(STEADY, (1, 1), "total < -3%, any total < -8%, status");
}

#[test]
fn a_rigorous_re_run_passes_95_times_in_100() {
    passes(STEADY, (1, 3), GATE);
}

#[test]
fn a_repeated_re_run_of_a_noisy_server_passes_95_times_in_100() {
    passes(ASSUMED, (3, 1), GATE);
}

#[test]
fn a_loss_of_3_percent_is_found_by_rigorous_runs() {
    let (overall, _, broken) = found_in(STEADY, (1, 3), 0.97, GATE);
    println!("rigorous: {overall} of {PAIRS} found, {broken} fail {GATE}");
    assert!(overall >= 180 && broken >= 180, "{overall} {broken}");
}

#[test]
fn a_loss_of_3_percent_is_found_by_repeated_runs() {
    let (overall, _, broken) = found_in(STEADY, (3, 1), 0.97, GATE);
    println!("3 runs: {overall} of {PAIRS} found, {broken} fail {GATE}");
    assert!(overall >= 180 && broken >= 180, "{overall} {broken}");
}

/// One pass of one run on each side is not enough, and says so rather than passing.
#[test]
fn a_loss_of_3_percent_is_no_pass_of_single_runs() {
    let (overall, _, not_passed) = found_in(STEADY, (1, 1), 0.97, "total < -1%");
    println!("single: {overall} of {PAIRS} found, {not_passed} do not pass");
    assert!(overall < 20 && not_passed >= 180, "{overall} {not_passed}");
}
