//! Concurrency levels as people write them: `1,2,4` or `1..128x2`.

use crate::ParseError;

const WANTED: &str = "a list of whole numbers above 0 such as 1,2,4 or 1..128x2";

/// Reads a list of concurrency levels. A part may be a number, `a..b` (every number) or `a..bxN`
/// (multiplied by N each time). Sorted, without repeats.
pub fn parse_level_list(text: &str) -> Result<Vec<u32>, ParseError> {
    let bad = || ParseError::new(text, WANTED);
    let mut levels = Vec::new();
    for part in text.split(',') {
        match part.trim().split_once("..") {
            None => levels.push(part.trim().parse().map_err(|_| bad())?),
            Some((from, rest)) => range(from, rest, &mut levels).ok_or_else(bad)?,
        }
    }
    levels.sort_unstable();
    levels.dedup();
    match levels.first() {
        Some(first) if *first > 0 => Ok(levels),
        _ => Err(bad()),
    }
}

/// At most this many levels come out of one range, so that a typing error cannot fill the memory.
const MOST: usize = 4_096;

fn range(from: &str, rest: &str, into: &mut Vec<u32>) -> Option<()> {
    let (to, factor) = match rest.split_once('x') {
        Some((to, factor)) => (to, Some(factor.trim().parse::<u32>().ok()?)),
        None => (rest, None),
    };
    let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    if from == 0 || from > to || factor.is_some_and(|f| f < 2) {
        return None;
    }
    let next = |n: u32| factor.map_or_else(|| n.checked_add(1), |f| n.checked_mul(f));
    let steps = std::iter::successors(Some(from), |n| next(*n)).take_while(|n| *n <= to);
    let before = into.len();
    into.extend(steps.take(MOST + 1));
    (into.len() - before <= MOST).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        let check = |text: &str, expect: &[u32]| {
            assert_eq!(parse_level_list(text).unwrap(), expect, "{text}");
        };
        check("1,2,4", &[1, 2, 4]);
        check("4,1,1", &[1, 4]);
        check("1..128x2", &[1, 2, 4, 8, 16, 32, 64, 128]);
        check("1..3,8", &[1, 2, 3, 8]);
        for bad in [
            "",
            "0",
            "1..",
            "4..1",
            "1..8x1",
            "a",
            "1,,2",
            "1..4294967295",
        ] {
            assert!(parse_level_list(bad).is_err(), "{bad}");
        }
    }
}
