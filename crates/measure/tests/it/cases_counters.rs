//! Arithmetic of what servers export, by case number.

use tokmark_measure::counters::{self, CounterFault};
use tokmark_measure::histogram::{self, Bucket, Estimate};
use tokmark_measure::prefill::slope_tokens_per_s;

use crate::build::{close, close_to};

#[test]
fn b079_rates_come_from_what_counters_gained() {
    let rate = counters::ratio(&[1_000.0, 4_000.0], &[20.0, 50.0]).unwrap();
    close_to(rate, 100.0);
    assert_eq!(
        counters::ratio(&[1_000.0, 1_000.0], &[20.0, 20.0]),
        Ok(None),
        "stood still"
    );
}

#[test]
fn b080_a_counter_that_falls_gives_no_rate() {
    let jumping = counters::increase(&[5_000.0, 120.0, 5_200.0]);
    assert_eq!(jumping, Err(CounterFault::Backwards));
    assert_eq!(counters::increase(&[5_000.0]), Err(CounterFault::TooFew));
    assert_eq!(counters::increase(&[]), Err(CounterFault::TooFew));
    assert_eq!(counters::increase(&[5_000.0, 5_000.0, 5_200.0]), Ok(200.0));
}

#[test]
fn b083_two_lengths_give_the_slope() {
    let slope = slope_tokens_per_s((32, 60.0), (8_224, 560.0));
    close_to(slope, 16_384.0);
    assert_eq!(slope_tokens_per_s((32, 560.0), (8_224, 560.0)), None);
    assert_eq!(slope_tokens_per_s((8_224, 60.0), (32, 560.0)), None);
}

fn buckets(counts: [f64; 3]) -> Vec<Bucket> {
    [0.1, 1.0, f64::INFINITY]
        .into_iter()
        .zip(counts)
        .map(|(le, count)| Bucket { le, count })
        .collect()
}

#[test]
fn b086_histograms_give_about_and_above() {
    let (before, after) = (
        buckets([100.0, 100.0, 100.0]),
        buckets([100.0, 150.0, 200.0]),
    );
    let at = |p| histogram::percentile(&before, &after, p);
    assert_eq!(at(0.5), Some(Estimate::About(1.0)));
    assert_eq!(at(0.9), Some(Estimate::Above(1.0)));
    match at(0.25) {
        Some(Estimate::About(edge)) => close(edge, 0.55),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        histogram::percentile(&before, &before, 0.5),
        None,
        "nothing came between"
    );
    assert_eq!(
        histogram::percentile(&after, &before, 0.5),
        None,
        "the counts fell"
    );
    assert_eq!(histogram::percentile(&before[..2], &after, 0.5), None);
}
