//! No two prompts alike, from their first words on.

use std::collections::HashSet;

use proptest::prelude::*;
use tokmark_units::Context;
use tokmark_workload::{Purpose, Recipe, Seed, probe, short_prompt};

use crate::vocabulary::first_thirds;

/// What a prefix cache could share: the first 16 tokens of a vocabulary of small pieces.
fn head(text: &str) -> String {
    first_thirds(text, 16).concat()
}

#[test]
fn b071_runs_cells_and_warm_ups_share_no_prefix() {
    let mut heads = HashSet::new();
    let mut fresh = |text: &str| assert!(heads.insert(head(text)), "seen before: {text}");
    for run in ["0193e9a0-0001", "0193e9a0-0002", "0193e9a0-0003", ""] {
        let run = Seed::of_run(run);
        for context in [0, 16, 16_384, 131_072].map(Context) {
            for stream in 0..16 {
                fresh(
                    &Recipe::of_stream(run, context, stream, 0)
                        .document(30)
                        .text(),
                );
                fresh(
                    &Recipe::of_stream(run, context, stream, 1)
                        .document(30)
                        .text(),
                );
            }
            fresh(&Recipe::shared(run, context, 0, 0).document(30).text());
            for purpose in [
                Purpose::PrefillSample,
                Purpose::WarmUp,
                Purpose::Calibration,
            ] {
                for attempt in 0..4 {
                    let recipe = Recipe::once(run, context, purpose, attempt);
                    fresh(&recipe.document(30).text());
                    fresh(&probe(recipe.document));
                }
            }
        }
    }
}

#[test]
fn b073_a_thousand_streams_send_a_thousand_prompts() {
    let run = Seed::of_run("many");
    let mut heads = HashSet::new();
    let mut first_bytes = HashSet::new();
    for stream in 0..1_000 {
        let recipe = Recipe::of_stream(run, Context(0), stream, 0);
        let prompt = short_prompt(recipe.document, 0);
        assert!(heads.insert(head(&prompt)), "seen before: {prompt}");
        // Even a vocabulary of single bytes sees the difference within 16 tokens.
        assert!(
            first_bytes.insert(prompt[..16].to_owned()),
            "seen before: {prompt}"
        );
    }
}

#[test]
fn bodies_differ_too() {
    // A difference in the opening only would still let a server that caches by content chunks
    // reuse the rest.
    let run = Seed::of_run("bodies");
    let mut eights = HashSet::new();
    for stream in [0, 6, 12, 18] {
        let text = Recipe::of_stream(run, Context(2_048), stream, 0).document(2_000);
        let words: Vec<_> = text.prefix().split_whitespace().collect();
        for eight in words.windows(8) {
            assert!(eights.insert(eight.join(" ")), "{eight:?}");
        }
    }
}

proptest! {
    #[test]
    fn keys_that_differ_give_texts_that_differ(
        one in ("[a-f0-9]{4}", 0_u64..300_000, 0_u32..4_096, 0_u32..9),
        other in ("[a-f0-9]{4}", 0_u64..300_000, 0_u32..4_096, 0_u32..9),
    ) {
        let text = |(run, context, stream, attempt): &(String, u64, u32, u32)| {
            let run = Seed::of_run(run);
            Recipe::of_stream(run, Context(*context), *stream, *attempt).document(12).text()
        };
        prop_assume!(one != other);
        prop_assert_ne!(head(&text(&one)), head(&text(&other)));
    }
}
