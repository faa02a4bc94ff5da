//! The statistics of the text: that of prose, within stated bounds.

use std::collections::{HashMap, HashSet};

use tokmark_units::Context;
use tokmark_units::float::{from_usize, len_u64};
use tokmark_workload::{Genre, Recipe, Seed, TASK_WORDS};

/// The body alone, in so many words.
fn body(genre: Genre, number: u64, words: u64) -> String {
    let run = Seed::of_run("statistics").part(number);
    let recipe = Recipe {
        genre,
        ..Recipe::of_stream(run, Context(words), 0, 0)
    };
    let document = recipe.document(words + len_u64(TASK_WORDS));
    document.prefix().trim_end().to_owned()
}

/// Words as a reader counts them: letters only, in lower case.
fn plain_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphabetic() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

const PROSE: [Genre; 5] = [
    Genre::Narrative,
    Genre::Encyclopaedia,
    Genre::Manual,
    Genre::Letters,
    Genre::Dialogue,
];

#[test]
fn no_eight_words_come_twice_in_two_thousand() {
    for genre in Genre::ALL {
        for number in 0..20 {
            let text = body(genre, number, 2_000);
            let words: Vec<_> = text.split_whitespace().collect();
            assert_eq!(words.len(), 2_000);
            let mut seen = HashSet::new();
            for eight in words.windows(8) {
                assert!(seen.insert(eight), "{genre:?} {number}: {eight:?}");
            }
        }
    }
}

#[test]
fn hardly_any_eight_words_come_twice_in_fifty_thousand() {
    for genre in Genre::ALL {
        let text = body(genre, 0, 50_000);
        let words: Vec<_> = text.split_whitespace().collect();
        let distinct: HashSet<_> = words.windows(8).collect();
        let repeats = words.len() - 7 - distinct.len();
        assert!(repeats <= 5, "{genre:?}: {repeats}");
    }
}

#[test]
fn vocabulary_is_as_rich_as_prose() {
    for genre in Genre::ALL {
        let words = plain_words(&body(genre, 1, 2_000));
        let types: HashSet<_> = words.iter().collect();
        let ratio = from_usize(types.len()) / from_usize(words.len());
        println!("{genre:?}: type-token ratio {ratio:.3}");
        // Novels and encyclopaedias: 0.35 to 0.50 in 2,000 words.
        assert!((0.30..0.52).contains(&ratio), "{genre:?}: {ratio}");
    }
}

#[test]
fn sentences_and_words_are_as_long_as_in_prose() {
    for genre in PROSE {
        let text = body(genre, 2, 20_000);
        let lengths: Vec<_> = text
            .split(['.', '!', '?'])
            .map(|sentence| plain_words(sentence).len())
            .filter(|words| *words > 1)
            .collect();
        let mean = from_usize(lengths.iter().sum()) / from_usize(lengths.len());
        let variance = lengths
            .iter()
            .map(|l| (from_usize(*l) - mean).powi(2))
            .sum::<f64>();
        let deviation = (variance / from_usize(lengths.len())).sqrt();
        let words = plain_words(&text);
        let letters = from_usize(words.iter().map(String::len).sum()) / from_usize(words.len());
        println!("{genre:?}: {mean:.1} +- {deviation:.1} words, {letters:.2} letters");
        assert!((9.0..20.0).contains(&mean), "{genre:?}: {mean} words");
        assert!((4.0..10.0).contains(&deviation), "{genre:?}: {deviation}");
        assert!(
            (4.2..5.8).contains(&letters),
            "{genre:?}: {letters} letters"
        );
    }
}

#[test]
fn frequencies_follow_zipf() {
    for genre in PROSE {
        let mut times: HashMap<String, u32> = HashMap::new();
        for word in plain_words(&body(genre, 3, 20_000)) {
            *times.entry(word).or_default() += 1;
        }
        let mut ranked: Vec<_> = times.values().copied().collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let total: u32 = ranked.iter().sum();
        let share = f64::from(times["the"]) / f64::from(total);
        let steepness = (f64::from(ranked[0]) / f64::from(ranked[299])).ln() / 300_f64.ln();
        println!("{genre:?}: `the` {share:.3}, exponent {steepness:.2}");
        assert_eq!(ranked[0], times["the"], "{genre:?}");
        assert!((0.05..0.15).contains(&share), "{genre:?}: {share}");
        assert!((0.7..1.2).contains(&steepness), "{genre:?}: {steepness}");
    }
}

#[test]
fn texts_have_paragraphs_marks_numbers_and_names() {
    for genre in Genre::ALL {
        let text = body(genre, 4, 4_000);
        let paragraphs = text.split("\n\n").count();
        assert!((20..400).contains(&paragraphs), "{genre:?}: {paragraphs}");
        let share =
            |wanted: fn(&char) -> bool| text.chars().filter(wanted).count() * 1_000 / text.len();
        assert!(share(char::is_ascii_punctuation) >= 15, "{genre:?}");
        assert!(share(char::is_ascii_digit) >= 1, "{genre:?}");
        assert!(share(char::is_ascii_uppercase) >= 5, "{genre:?}");
        assert!(!text.contains("  ") || genre == Genre::Listing, "{genre:?}");
    }
}
