//! Prefix, restarts, short prompts.

use tokmark_units::Context;
use tokmark_workload::{
    Genre, Purpose, Recipe, SHORT_TASK_WORDS, Seed, TASK_WORDS, probe, short_prompt,
};

use crate::vocabulary;

#[test]
fn a_restart_keeps_the_prefix_and_the_words() {
    for stream in 0..12 {
        for words in [60, 100, 448, 4_000] {
            let run = Seed::of_run("restarts");
            let document = Recipe::of_stream(run, Context(words), stream, 0).document(words);
            let task_words = if words < 448 {
                SHORT_TASK_WORDS
            } else {
                TASK_WORDS
            };
            let mut tasks = std::collections::HashSet::new();
            for restart in 0..6 {
                let text = document.restarted(restart);
                let task = text
                    .strip_prefix(document.prefix())
                    .expect("the same prefix");
                assert_eq!(task.split_whitespace().count(), task_words);
                assert_eq!(vocabulary::words(&text), words);
                assert!(tasks.insert(task.to_owned()));
                // Tokens differ by the task's alone.
                let off = vocabulary::thirds(&text).abs_diff(vocabulary::thirds(&document.text()));
                assert!(off <= 60, "{off}");
            }
            assert_eq!(document.text(), document.restarted(0));
        }
    }
}

#[test]
fn streams_of_a_shared_document_differ_in_their_task_only() {
    let (run, context) = (Seed::of_run("shared"), Context(2_048));
    let (one, other) = (
        Recipe::shared(run, context, 0, 0),
        Recipe::shared(run, context, 1, 0),
    );
    let (first, second) = (one.document(1_500), other.document(1_500));
    assert_eq!(first.prefix(), second.prefix());
    assert_ne!(first.text(), second.text());
    assert_eq!(first.with_task(other.task), second);
}

#[test]
fn very_short_documents_have_no_task() {
    let recipe = Recipe::once(Seed::of_run("short"), Context(16), Purpose::Probe, 0);
    for words in [0, 1, 2, 20, 59] {
        let document = recipe.document(words);
        assert_eq!(vocabulary::words(&document.text()), words.max(1));
        assert_eq!(document.text(), document.prefix());
        assert_eq!(document.restarted(1), document.text());
    }
}

#[test]
fn short_prompts_and_probes_have_their_size() {
    for number in 0..40 {
        let seed = Seed::of_run("context 0").part(number);
        let prompt = short_prompt(seed, 0);
        assert_eq!(
            prompt.split_whitespace().count(),
            3 + TASK_WORDS,
            "{prompt}"
        );
        let (start, task) = prompt.split_once("\n\n").unwrap();
        let again = short_prompt(seed, 1);
        assert_eq!(again.split_once("\n\n").unwrap().0, start);
        assert_ne!(again.split_once("\n\n").unwrap().1, task);
        let probe = probe(seed);
        let tokens = vocabulary::thirds(&probe);
        assert!((10..=20).contains(&tokens), "{tokens}: {probe}");
    }
}

#[test]
fn streams_take_the_genres_in_turn() {
    for (at, genre) in (0..).zip(Genre::ALL) {
        assert_eq!(Genre::of_stream(at), genre);
        assert_eq!(Genre::of_stream(at + 60), genre);
    }
}

#[test]
fn the_same_recipe_gives_the_same_bytes() {
    let recipe = |run: &str| Recipe::of_stream(Seed::of_run(run), Context(4_096), 3, 0);
    let text = recipe("a run").document(3_000).text();
    assert_eq!(text, recipe("a run").document(3_000).text());
    assert_ne!(text, recipe("a ruN").document(3_000).text());
    assert!(text.is_ascii());
}
