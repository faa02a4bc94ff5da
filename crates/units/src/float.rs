//! Conversions between whole numbers and `f64` whose loss is stated once, here.

/// A count as a float. Exact up to 2^53, which no token count or nanosecond span of a run reaches
/// (2^53 ns are 104 days).
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "the one place where counts become floats; the bound is in the doc comment"
)]
pub fn from_u64(value: u64) -> f64 {
    value as f64
}

/// A signed count as a float; the same bound as [`from_u64`].
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "as from_u64"
)]
pub fn from_i64(value: i64) -> f64 {
    value as f64
}

/// A length or index as a float; the same bound as [`from_u64`].
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "as from_u64"
)]
pub fn from_usize(value: usize) -> f64 {
    value as f64
}

/// The nearest whole number at or above zero; NaN and negative values become 0, huge ones saturate.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to int `as` saturates, and that is what is promised"
)]
pub fn round_to_u64(value: f64) -> u64 {
    value.round() as u64
}

/// As [`round_to_u64`], for lengths and indices.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to int `as` saturates, and that is what is promised"
)]
pub fn floor_to_usize(value: f64) -> usize {
    value.floor() as usize
}

/// A length as `u64`; lossless on every platform that Rust supports.
pub fn len_u64(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
