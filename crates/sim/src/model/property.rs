//! The engine's invariants against chance.

use std::collections::HashMap;

use proptest::prelude::*;

use super::tests::{config, request};
use super::*;

/// What happens to one request of a random history.
#[derive(Debug, Clone)]
struct Arrival {
    at: u64,
    start: u32,
    length: u32,
    output: u32,
    cancel_after: Option<u64>,
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let one = (
        0u64..200,
        prop_oneof![Just(0u32), 1_000u32..1_003],
        1u32..700,
        1u32..300,
        prop::option::weighted(0.2, 0u64..100),
    );
    let one = one.prop_map(|(at, start, length, output, cancel_after)| Arrival {
        at,
        start,
        length,
        output,
        cancel_after,
    });
    prop::collection::vec(one, 1..25)
}

fn configs() -> impl Strategy<Value = EngineConfig> {
    (
        1u32..9,
        prop::option::of(1u32..5),
        1u32..300,
        1u32..3,
        any::<bool>(),
        0u32..4,
        64u32..90,
    )
        .prop_map(
            |(max_num_seqs, max_states, budget, ranks, prefix_cache, drafts, blocks)| {
                EngineConfig {
                    max_num_seqs,
                    max_states,
                    max_num_batched_tokens: budget,
                    ranks,
                    prefix_cache,
                    num_blocks: blocks + 1,
                    speculation: (drafts > 0).then_some(Speculation {
                        drafts,
                        acceptance: 0.6,
                    }),
                    jitter: 0.1,
                    ..config()
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Blocks and tokens are conserved, the limits hold, and every request that is not cancelled
    /// gets all its tokens, in order.
    #[test]
    fn nothing_is_lost(config in configs(), history in arrivals()) {
        let limit = usize::try_from(config.admission_limit()).unwrap();
        let mut engine = Engine::new(config).unwrap();
        let mut history = history;
        history.sort_by_key(|arrival| arrival.at);
        let mut out = Vec::new();
        let mut wanted = HashMap::new();
        let mut cancels = Vec::new();
        for arrival in &history {
            let at = Nanos::from_millis(arrival.at);
            let prompt = arrival.start..arrival.start + arrival.length;
            let id = engine.submit(at, request(prompt, arrival.output)).unwrap();
            wanted.insert(id, arrival.output);
            cancels.extend(arrival.cancel_after.map(|after| (at + Nanos::from_millis(after), id)));
        }
        cancels.sort_unstable();
        let mut cancels = cancels.into_iter().peekable();
        while let Some(due) = engine.next_due() {
            while let Some((at, id)) = cancels.next_if(|(at, _)| *at <= due) {
                if engine.cancel(at, id) {
                    wanted.remove(&id);
                }
            }
            engine.advance(due, &mut out);
            for rank in &engine.ranks {
                let (holders, blocks, running) = rank.audit();
                prop_assert_eq!(holders, blocks);
                prop_assert!(running <= limit);
            }
        }
        prop_assert!(out.is_sorted_by_key(|output| output.at));
        for (id, tokens) in &wanted {
            let mine: Vec<_> = out.iter().filter(|output| output.id == *id).collect();
            prop_assert_eq!(mine.iter().map(|output| output.tokens).sum::<u32>(), *tokens);
            prop_assert!(mine.first().unwrap().first);
            prop_assert!(mine.last().unwrap().finished.is_some());
            prop_assert_eq!(mine.iter().filter(|o| o.first || o.finished.is_some()).count(), mine.len().min(2));
        }
        let stats = engine.stats();
        prop_assert!(stats.iter().all(|s| s.free_blocks == s.usable_blocks && s.running + s.waiting == 0));
        let generated: u64 = stats.iter().map(|s| s.counters.generation_tokens).sum();
        prop_assert_eq!(generated, out.iter().map(|o| u64::from(o.tokens)).sum::<u64>());
    }

    /// Coming late changes nothing: the same tokens at the same times.
    #[test]
    fn late_calls_see_the_same_history(config in configs(), history in arrivals(), stride in 1u64..80) {
        let mut history = history;
        history.sort_by_key(|arrival| arrival.at);
        let play = |late: bool| {
            let mut engine = Engine::new(config.clone()).unwrap();
            let mut out = Vec::new();
            for arrival in &history {
                let at = Nanos::from_millis(arrival.at);
                // Before time zero there is nothing to move on to.
                if !late && at > Nanos::ZERO {
                    engine.advance(at - Nanos(1), &mut out);
                }
                engine.submit(at, request(arrival.start..arrival.start + arrival.length, arrival.output)).unwrap();
            }
            let mut now = Nanos::ZERO;
            while engine.next_due().is_some() {
                now = if late { now + Nanos::from_millis(stride) } else { engine.next_due().unwrap() };
                engine.advance(now, &mut out);
            }
            out
        };
        prop_assert_eq!(play(false), play(true));
    }
}
