//! Whether runs differ.

use tokmark_measure::compare::{Verdict, rates, repeated_mean};

use crate::build::close;

fn some(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

#[test]
fn b115_noise_is_no_regression_and_nothing_is_no_pass() {
    let baseline = some(&[100.0, 103.0, 98.0, 101.0, 99.0]);
    let check = |new: &[Option<f64>], verdict| {
        let found = rates(&baseline, new);
        assert_eq!(found.verdict, verdict, "{new:?}: {found:?}");
        found
    };
    let noise = check(&some(&[97.0]), Verdict::WithinNoise);
    let (low, high) = noise.expected.unwrap();
    assert!(
        (low - 94.35).abs() < 0.01 && (high - 106.05).abs() < 0.01,
        "{low} to {high}"
    );
    check(&some(&[80.0, 81.0, 79.0]), Verdict::Lower);
    check(&some(&[120.0]), Verdict::Higher);
    for nothing in [None, Some(0.0), Some(f64::NAN), Some(-3.0)] {
        check(&[nothing], Verdict::Invalid);
        check(&[Some(100.0), nothing], Verdict::Invalid);
    }
    check(&[], Verdict::Invalid);
    assert_eq!(rates(&[None], &some(&[100.0])).verdict, Verdict::Invalid);
}

#[test]
fn b116_an_interval_needs_repeats() {
    let three = repeated_mean(&[100.0, 104.0, 96.0]).unwrap();
    close(three.mean, 100.0);
    close(three.sd, 4.0);
    assert!((three.half_width - 9.94).abs() < 0.01, "{three:?}");
    assert_eq!(repeated_mean(&[100.0]), None);
    assert_eq!(repeated_mean(&[]), None);
}

/// One run on each side: 2 % of spread is assumed of each, so 5.5 % apart says something.
#[test]
fn single_runs_need_to_differ_by_more_than_the_assumed_spread() {
    let check = |new: f64, verdict| {
        assert_eq!(
            rates(&some(&[100.0]), &some(&[new])).verdict,
            verdict,
            "{new}"
        );
    };
    check(95.0, Verdict::NotEnoughData);
    check(105.0, Verdict::NotEnoughData);
    check(94.0, Verdict::Lower);
    check(106.0, Verdict::Higher);
}

#[test]
fn the_spread_of_either_side_is_used() {
    let wide = some(&[90.0, 110.0, 100.0]);
    assert_eq!(rates(&some(&[100.0]), &wide).verdict, Verdict::WithinNoise);
    assert_eq!(
        rates(&wide, &some(&[88.0, 92.0])).verdict,
        Verdict::WithinNoise
    );
    assert_eq!(
        rates(&some(&[99.9, 100.0, 100.1]), &some(&[98.0, 98.1])).verdict,
        Verdict::Lower
    );
}
