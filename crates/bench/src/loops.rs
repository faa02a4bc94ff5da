//! Whether a model repeats itself: methodology section 5, `looped`.

use tokmark_run_format::evidence::LoopVerdict;
use tokmark_units::float;

/// Exact repeats that make a loop.
const CYCLES: usize = 4;
/// Characters that the repeats must cover.
const CHARS: usize = 400;
/// Share of the text that they must cover.
const SHARE: f64 = 0.5;
/// Text beyond this many characters is looked at only at its end: a loop of that length is found
/// there, and the check stays linear in a bounded text.
const LOOK_BACK: usize = 40_000;

/// Looks for a loop at the end of a request's text.
pub fn find(text: &str) -> Option<LoopVerdict> {
    let total = text.chars().count();
    if total < CHARS {
        return None;
    }
    // Backwards, so that a loop at the end is a periodic beginning.
    let backwards: Vec<char> = text.chars().rev().take(LOOK_BACK).collect();
    let borders = borders(&backwards);
    let (covered, period) = borders
        .iter()
        .enumerate()
        .map(|(index, border)| (index + 1, index + 1 - border))
        .filter(|(length, period)| *length >= CHARS && *length >= CYCLES * period)
        .max_by_key(|(length, _)| *length)?;
    let share = float::from_usize(covered) / float::from_usize(total.min(LOOK_BACK));
    (share >= SHARE).then(|| LoopVerdict {
        cycle_chars: float::len_u64(period),
        cycles: float::len_u64(covered / period),
        covered: share,
    })
}

/// For each prefix, the length of its longest proper border (Knuth, Morris and Pratt's failure
/// function): prefix length less border is the prefix's smallest period.
fn borders(text: &[char]) -> Vec<usize> {
    let mut borders: Vec<usize> = Vec::with_capacity(text.len());
    for (index, char) in text.iter().enumerate() {
        let mut border = borders.last().copied().unwrap_or(0);
        while border > 0 && text.get(border) != Some(char) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        let longer = index > 0 && text.get(border) == Some(char);
        borders.push(border + usize::from(longer));
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(words: usize) -> String {
        // Distinct words, so that nothing repeats.
        let all: Vec<String> = (0..words).map(|i| format!("word{i}")).collect();
        all.join(" ") + " "
    }

    #[test]
    fn four_cycles_over_half_the_text_are_a_loop() {
        let sentence = "The quick brown fox jumps over the lazy dog, and then it does so again. ";
        let found = find(&(prose(20) + &sentence.repeat(8))).unwrap();
        assert_eq!(found.cycle_chars, float::len_u64(sentence.len()));
        assert!(found.cycles >= 8, "{found:?}");
        assert!(found.covered > 0.5);
    }

    #[test]
    fn less_is_not() {
        let sentence = "The quick brown fox jumps over the lazy dog, and then it does so again. ";
        assert_eq!(find(&prose(2_000)), None, "prose");
        assert_eq!(find(&"ha ".repeat(100)), None, "under 400 characters");
        assert_eq!(find(&sentence.repeat(3)), None, "three cycles");
        assert_eq!(
            find(&(prose(400) + &sentence.repeat(6))),
            None,
            "under half of the text"
        );
    }

    #[test]
    fn a_cut_last_cycle_and_wide_characters_do_not_hide_it() {
        let cycle = "それは同じ文です。🙂";
        let mut text = cycle.repeat(60);
        text.push_str("それは");
        let found = find(&text).unwrap();
        assert_eq!(found.cycle_chars, 10);
    }

    #[test]
    fn a_single_character_repeated_is_a_loop() {
        assert_eq!(find(&"a".repeat(500)).unwrap().cycle_chars, 1);
    }
}
