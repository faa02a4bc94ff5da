//! Quantiles of Student's t distribution with a whole number of degrees of freedom.
//!
//! With `theta = atan(t / sqrt(df))`, the probability that |T| stays below t is a finite sum of
//! powers of `cos(theta)` (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
//! 26.7.4). It rises with theta, so halving an interval of theta inverts it to full precision.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Halvings of the interval (0, pi/2): more than an `f64` has digits.
const HALVINGS: u32 = 60;

/// The value that T stays below with probability `p`, `0 < p < 1`; `None` without a degree of
/// freedom or outside that range.
pub fn quantile(p: f64, degrees_of_freedom: u32) -> Option<f64> {
    if degrees_of_freedom == 0 || p.is_nan() || p <= 0.0 || p >= 1.0 {
        return None;
    }
    let within = (2.0 * p - 1.0).abs();
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if two_sided(middle, degrees_of_freedom) < within {
            low = middle;
        } else {
            high = middle;
        }
    }
    let size = f64::from(degrees_of_freedom).sqrt() * f64::midpoint(low, high).tan();
    Some(if p < 0.5 { -size } else { size })
}

/// The factor of a two-sided 95 % interval.
pub fn factor_95(degrees_of_freedom: u32) -> Option<f64> {
    quantile(0.975, degrees_of_freedom)
}

/// The probability that |T| is below `t`.
pub fn within(t: f64, degrees_of_freedom: u32) -> f64 {
    let theta = (t.abs() / f64::from(degrees_of_freedom).sqrt()).atan();
    two_sided(theta, degrees_of_freedom)
}

/// Probability that |T| is below `sqrt(df) * tan(theta)`.
fn two_sided(theta: f64, degrees_of_freedom: u32) -> f64 {
    let (sin, cos) = theta.sin_cos();
    let is_odd = degrees_of_freedom % 2 == 1;
    // The sums are 1 + 1/2 c^2 + 1*3/(2*4) c^4 + ... up to c^(df-2) for an even df, and
    // c + 2/3 c^3 + 2*4/(3*5) c^5 + ... up to c^(df-2) for an odd one.
    let mut term = if is_odd { cos } else { 1.0 };
    let mut power = u32::from(is_odd);
    let mut sum = 0.0;
    while power + 2 <= degrees_of_freedom {
        sum += term;
        power += 2;
        term *= cos * cos * f64::from(power - 1) / f64::from(power);
    }
    if is_odd {
        FRAC_2_PI * (theta + sin * sum)
    } else {
        sin * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_table() {
        let check = |p: f64, df: u32, expect: f64| {
            let found = quantile(p, df).unwrap();
            assert!(
                (found - expect).abs() < 6e-4,
                "t({p}, {df}) = {found}, not {expect}"
            );
        };
        for (df, expect) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (9, 2.262),
            (10, 2.228),
            (28, 2.048),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
            (10_000, 1.960),
        ] {
            check(0.975, df, expect);
        }
        check(0.95, 7, 1.895);
        check(0.995, 7, 3.499);
        check(0.75, 1, 1.0);
        check(0.025, 4, -2.776);
        check(0.5, 3, 0.0);
    }

    #[test]
    fn the_share_within_is_the_quantile_back() {
        for (t, df, expect) in [
            (12.706, 1, 0.95),
            (2.262, 9, 0.95),
            (1.895, 7, 0.90),
            (0.0, 4, 0.0),
        ] {
            assert!((within(t, df) - expect).abs() < 1e-4, "{t} {df}");
            assert!((within(-t, df) - expect).abs() < 1e-4, "{t} {df}");
        }
    }

    #[test]
    fn there_is_no_quantile_outside_the_distribution() {
        assert_eq!(quantile(0.975, 0), None);
        for p in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
            assert_eq!(quantile(p, 3), None, "{p}");
        }
    }
}
