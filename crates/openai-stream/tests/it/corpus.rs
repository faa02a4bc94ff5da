//! Inputs that the fuzz targets kept, checked in every test run: CONTRIBUTING.md, section Fuzz.

use crate::any_bytes;

#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[test]
fn kept_inputs_of_sse() {
    replay::corpus("sse", any_bytes::sse);
}

#[test]
fn kept_inputs_of_reply() {
    replay::corpus("reply", any_bytes::reply);
}

#[test]
fn kept_inputs_of_encoding() {
    replay::corpus("encoding", any_bytes::encoding);
}

/// The kept answers again, each read in many other ways: other pieces, heads and ends.
#[test]
fn kept_inputs_of_reply_in_every_split() {
    replay::corpus("reply", |input| {
        let mut input = input.to_vec();
        for choice in (0..=u8::MAX).step_by(5) {
            if let Some(control) = input.get_mut(..any_bytes::CONTROL) {
                control.copy_from_slice(&[choice, 0, choice.wrapping_mul(37), choice]);
            }
            any_bytes::reply(&input);
        }
    });
}
