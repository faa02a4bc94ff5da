//! Exact length against invented tokenizers.

use proptest::prelude::*;
use tokmark_units::Context;
use tokmark_workload::{Calibration, Fitted, Fitter, MOST_ROUNDS, Recipe, Seed, Step};

use crate::vocabulary;

fn recipe(number: u64) -> Recipe {
    let stream = u32::try_from(number % 64).unwrap();
    let run = Seed::of_run("fits").part(number);
    Recipe::of_stream(run, Context(number), stream, 0)
}

fn fit(recipe: Recipe, target: u64, guess: f64, count: impl Fn(&str) -> u64) -> Fitted {
    let mut fitter = Fitter::new(recipe, target, guess);
    loop {
        match fitter.step() {
            Step::Count(text) => fitter.counted(count(&text)),
            Step::Done(found) => {
                if let Some(tokens) = found.tokens {
                    let text = found.document.text();
                    assert_eq!(tokens, count(&text), "the kept text is the counted one");
                    assert_eq!(found.document.words(), vocabulary::words(&text));
                }
                return found;
            }
        }
    }
}

#[derive(Debug)]
struct Tally {
    exact: usize,
    mean_rounds: f64,
    most_rounds: u32,
    worst: u64,
}

const TARGETS: u32 = 200;

/// Random targets from 20 to 5,000 and what became of them.
fn tally(guess: f64, overhead: u64, count: impl Fn(&str) -> u64) -> Tally {
    let mut dice = Seed::of_run("targets").generator();
    let fits: Vec<_> = (0..u64::from(TARGETS))
        .map(|number| {
            let target = dice.between(20, 5_000) + overhead;
            fit(recipe(number), target, guess, |text| count(text) + overhead)
        })
        .collect();
    let rounds: u32 = fits.iter().map(|fitted| fitted.rounds).sum();
    Tally {
        exact: fits
            .iter()
            .filter(|fitted| fitted.residual == Some(0))
            .count(),
        mean_rounds: f64::from(rounds) / f64::from(TARGETS),
        most_rounds: fits.iter().map(|fitted| fitted.rounds).max().unwrap(),
        worst: fits
            .iter()
            .map(|fitted| fitted.residual.unwrap().unsigned_abs())
            .max()
            .unwrap(),
    }
}

fn check_additive(guess: f64, overhead: u64, count: fn(&str) -> u64) {
    let tally = tally(guess, overhead, count);
    assert!(tally.exact >= 198, "{tally:?} of {TARGETS}");
    assert!(tally.mean_rounds <= 5.0, "{tally:?}");
    assert!(tally.most_rounds <= 12, "{tally:?}");
}

#[test]
fn words_are_met_exactly() {
    check_additive(1.5, 0, vocabulary::words);
}

#[test]
fn quarters_are_met_exactly() {
    check_additive(1.5, 0, vocabulary::quarters);
}

#[test]
fn thirds_are_met_exactly() {
    check_additive(1.5, 0, vocabulary::thirds);
}

#[test]
fn bytes_are_met_exactly() {
    check_additive(1.5, 0, vocabulary::bytes);
}

#[test]
fn b067_words_in_a_template_are_met_exactly() {
    check_additive(1.5, 37, vocabulary::words);
}

#[test]
fn b067_thirds_in_a_template_are_met_exactly() {
    check_additive(1.5, 37, vocabulary::thirds);
}

#[test]
fn a_bad_guess_is_made_good() {
    check_additive(9.0, 0, vocabulary::words);
    check_additive(0.4, 0, vocabulary::thirds);
}

#[test]
fn b064_merging_vocabularies_are_met_or_missed_by_little() {
    let tally = tally(1.5, 11, vocabulary::merging);
    assert!(tally.exact >= 190, "{tally:?} of {TARGETS}");
    assert!(tally.worst <= 2, "{tally:?}");
    assert!(tally.mean_rounds <= 7.0, "{tally:?}");
}

#[test]
fn b067_the_template_is_part_of_the_length() {
    let fitted = fit(recipe(1), 128, 1.5, |text| vocabulary::thirds(text) + 36);
    assert_eq!(fitted.tokens, Some(128));
    assert_eq!(vocabulary::thirds(&fitted.document.text()), 92);
}

#[test]
fn b064_an_impossible_length_ends_with_its_residual() {
    // A template of 50 tokens leaves nothing of 20; an even count never meets an odd target.
    let too_small = fit(recipe(2), 20, 1.5, |text| vocabulary::words(text) + 50);
    assert_eq!(too_small.residual, Some(31));
    assert_eq!(too_small.document.words(), 1);
    let even = fit(recipe(3), 1_001, 1.5, |text| 2 * vocabulary::words(text));
    assert_eq!(
        even.residual,
        Some(-1),
        "the shorter of two equally near ones"
    );
    assert!(even.rounds <= MOST_ROUNDS);
    // A server that always answers the same cannot keep the search going.
    let stuck = fit(recipe(4), 500, 1.5, |_| 7);
    assert_eq!(stuck.tokens, Some(7));
    assert!(stuck.rounds <= MOST_ROUNDS);
}

#[test]
fn a_search_may_end_early() {
    let fitter = Fitter::new(recipe(5), 1_000, 2.0);
    let found = fitter.finish();
    assert_eq!(
        (found.tokens, found.residual, found.rounds),
        (None, None, 0)
    );
    assert_eq!(found.document.words(), 500);

    let mut fitter = Fitter::new(recipe(5), 1_000, 2.0);
    assert_eq!(fitter.step(), fitter.step(), "asking twice changes nothing");
    fitter.counted(1_100);
    let found = fitter.finish();
    assert_eq!(
        (found.tokens, found.residual, found.rounds),
        (Some(1_100), Some(100), 1)
    );
    assert_eq!(found.document.words(), 500);
}

#[test]
fn counts_after_the_end_are_ignored() {
    let mut fitter = Fitter::new(recipe(6), 400, 1.0);
    fitter.counted(400);
    let Step::Done(done) = fitter.step() else {
        panic!("exact at once");
    };
    fitter.counted(9);
    assert_eq!(fitter.step(), Step::Done(done));
}

#[test]
fn a_document_of_128k_is_met_exactly() {
    // Slow here means that growing or cutting a text has stopped being linear.
    let context = Context(131_072);
    let recipe = Recipe::of_stream(Seed::of_run("long"), context, 0, 0);
    let fitted = fit(recipe, context.0, 1.5, vocabulary::quarters);
    assert_eq!(fitted.residual, Some(0));
    assert!(fitted.rounds <= 6, "{} rounds", fitted.rounds);
}

#[test]
fn a_calibration_from_a_few_documents_estimates_the_rest() {
    let run = Seed::of_run("calibrates");
    let counted = |number: u64, words: u64| {
        let stream = 6 * u32::try_from(number).unwrap();
        let document = Recipe::of_stream(run, Context(words), stream, 0).document(words);
        assert_eq!(document.words(), words);
        vocabulary::thirds(&document.text()) + 25
    };
    let pairs = [500, 2_000, 8_000].map(|words| (words, counted(0, words)));
    let line = Calibration::fit(&pairs).unwrap();
    for number in 1..8 {
        let target = 16_384;
        let tokens = counted(number, line.words_for(target));
        let off = tokens.abs_diff(target);
        assert!(off * 50 < target, "{tokens} for {target}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_slope_ends_near_the_target(
        number in any::<u64>(),
        target in 200_u64..3_000,
        thousandths in 500_u64..3_000,
        overhead in 0_u64..60,
        guess in 0.3_f64..8.0,
    ) {
        let count = |text: &str| overhead + vocabulary::bytes(text) * thousandths / 6_000;
        let fitted = fit(recipe(number), target, guess, count);
        prop_assert!(fitted.rounds <= MOST_ROUNDS);
        prop_assert!(fitted.residual.unwrap().abs() <= 1, "{:?}", fitted.residual);
        let again = fit(recipe(number), target, guess, count);
        prop_assert_eq!(fitted, again);
    }
}
