//! The engine against figures made by hand.

use std::sync::Arc;

use super::*;
use crate::text::{TextStyle, Writer};
use crate::tokenizer::Tokenizer;

/// Round costs: a step takes 1 ms and 100 us a sequence, 10 us a prompt token.
pub(super) fn config() -> EngineConfig {
    EngineConfig {
        max_model_len: 1_024,
        max_num_seqs: 8,
        max_num_batched_tokens: 256,
        block_size: 16,
        num_blocks: 65,
        front_end: FrontEnd {
            fixed: Nanos::ZERO,
            per_token: NanosPerToken(0.0),
        },
        cost: StepCost {
            fixed: Nanos::from_millis(1),
            sequence: NanosPerSequence(100_000.0),
            state: NanosPerSequence(0.0),
            kv_read: NanosPerToken(0.0),
            kv_depth: NanosPerToken(0.0),
            experts: None,
            prefill: NanosPerToken(10_000.0),
            prefill_attention: NanosPerPair(0.0),
            draft: NanosPerToken(0.0),
        },
        ..EngineConfig::default()
    }
}

pub(super) fn request(prompt: std::ops::Range<u32>, output_tokens: u32) -> Request {
    let tokenizer = Tokenizer::new(32_000);
    Request {
        prompt: prompt.map(|id| id + 100).collect(),
        output_tokens,
        finish: Finish::Length,
        writer: Writer::new(1, tokenizer, &TextStyle::default(), 0),
        rank: None,
        cache_salt: 0,
    }
}

fn run(engine: &mut Engine) -> Vec<Output> {
    let mut out = Vec::new();
    while let Some(due) = engine.next_due() {
        engine.advance(due, &mut out);
    }
    out
}

fn times_us(out: &[Output], id: RequestId) -> Vec<u64> {
    out.iter()
        .filter(|o| o.id == id)
        .map(|o| o.at.0 / 1_000)
        .collect()
}

#[test]
fn one_request_takes_its_steps() {
    let mut engine = Engine::new(config()).unwrap();
    let id = engine
        .submit(Nanos::from_millis(5), request(0..300, 3))
        .unwrap();
    let out = run(&mut engine);
    // Two prefill steps: 256 tokens in 1,100 + 2,560 us, 44 tokens in 1,100 + 440; then 1,100 each.
    assert_eq!(times_us(&out, id), [10_200, 11_300, 12_400]);
    assert_eq!(
        out.iter()
            .map(|o| (o.first, o.finished))
            .collect::<Vec<_>>(),
        [(true, None), (false, None), (false, Some(Finish::Length))]
    );
    assert_eq!(out[0].prefill_start, Nanos::from_millis(5));
    let stats = &engine.stats()[0];
    assert_eq!((stats.running, stats.free_blocks), (0, 64));
    assert_eq!(stats.counters.generation_tokens, 3);
    assert_eq!(stats.counters.prompt_tokens, 300);
}

#[test]
fn prefill_shares_its_steps_with_decode() {
    let mut engine = Engine::new(config()).unwrap();
    let one = engine.submit(Nanos::ZERO, request(0..16, 20)).unwrap();
    let mut out = Vec::new();
    engine.advance(Nanos::from_millis(2), &mut out);
    let two = engine
        .submit(Nanos::from_millis(2), request(5_000..5_300, 2))
        .unwrap();
    out.append(&mut run(&mut engine));
    let one = times_us(&out, one);
    // The first token after 1,100 + 160 us, the next after 1,100. Then the long prompt takes the
    // other 255 tokens of a step: 1,200 + 2,550; its last 45 tokens: 1,200 + 450.
    assert_eq!(one[..4], [1_260, 2_360, 6_110, 7_760]);
    assert_eq!(times_us(&out, two), [7_760, 8_960]);
    assert_eq!(one[5] - one[4], 1_100);
}

#[test]
fn front_end_tokenizes_one_after_the_other() {
    let mut slow = config();
    slow.front_end = FrontEnd {
        fixed: Nanos::from_millis(3),
        per_token: NanosPerToken(1_000.0),
    };
    let mut engine = Engine::new(slow).unwrap();
    engine.submit(Nanos::ZERO, request(0..100, 1)).unwrap();
    engine.submit(Nanos::ZERO, request(200..300, 1)).unwrap();
    assert_eq!(engine.next_due(), Some(Nanos(3_100_000)));
    let out = run(&mut engine);
    assert_eq!(out[0].prefill_start, Nanos(3_100_000));
    // The second leaves the front end at 3.2 ms and waits for the step of the first.
    assert_eq!(out[1].prefill_start, out[0].at);
}

#[test]
fn requests_over_the_limit_wait_in_order() {
    for limit in [
        EngineConfig {
            max_num_seqs: 2,
            ..config()
        },
        EngineConfig {
            max_states: Some(2),
            ..config()
        },
    ] {
        let mut engine = Engine::new(limit).unwrap();
        let ids: Vec<_> = (0..5)
            .map(|at| {
                engine
                    .submit(Nanos::ZERO, request(at * 1_000..at * 1_000 + 10, 4))
                    .unwrap()
            })
            .collect();
        engine.advance(Nanos(1), &mut Vec::new());
        let stats = &engine.stats()[0];
        assert_eq!((stats.running, stats.waiting), (2, 3));
        let out = run(&mut engine);
        let firsts: Vec<_> = out.iter().filter(|o| o.first).map(|o| o.id).collect();
        assert_eq!(firsts, ids);
    }
}

#[test]
fn a_shared_beginning_is_cached_but_never_the_last_token() {
    let mut engine = Engine::new(config()).unwrap();
    engine.submit(Nanos::ZERO, request(0..64, 1)).unwrap();
    run(&mut engine);
    let at = Nanos::from_millis(100);
    engine.submit(at, request(0..64, 1)).unwrap();
    engine.submit(at, request(0..100, 1)).unwrap();
    engine
        .submit(
            at,
            Request {
                cache_salt: 5,
                ..request(0..100, 1)
            },
        )
        .unwrap();
    let cached: Vec<_> = run(&mut engine).iter().map(|o| o.cached_tokens).collect();
    assert_eq!(cached, [48, 64, 0]);
    let counters = &engine.stats()[0].counters;
    assert_eq!(
        (counters.prefix_queries, counters.prefix_hits),
        (64 + 64 + 100 + 100, 112)
    );
}

#[test]
fn the_answer_is_cached_for_the_next_turn() {
    let mut engine = Engine::new(config()).unwrap();
    let first = request(0..40, 60);
    let mut turn: Vec<_> = first.prompt.to_vec();
    let mut writer = first.writer.clone();
    let mut text = String::new();
    turn.extend((0..60).map(|_| writer.write(&mut text)));
    turn.extend(900..920);
    engine.submit(Nanos::ZERO, first).unwrap();
    run(&mut engine);
    let next = Request {
        prompt: Arc::from(turn),
        ..request(0..1, 1)
    };
    engine.submit(Nanos::from_secs(1), next).unwrap();
    // 100 tokens of the first turn, of which the last was never computed: 99 / 16 blocks.
    assert_eq!(run(&mut engine)[0].cached_tokens, 96);
}

#[test]
fn a_part_of_the_cache_and_none_of_it() {
    let check = |change: fn(&mut EngineConfig), expect: u32| {
        let mut changed = config();
        change(&mut changed);
        let mut engine = Engine::new(changed).unwrap();
        for at in [0, 1] {
            engine
                .submit(Nanos::from_secs(at), request(0..500, 1))
                .unwrap();
            engine.advance(
                Nanos::from_secs(at) + Nanos::from_millis(900),
                &mut Vec::new(),
            );
        }
        assert_eq!(engine.stats()[0].counters.prefix_hits, u64::from(expect));
    };
    check(|_| {}, 31 * 16);
    check(|c| c.cache_fraction = 0.5, 15 * 16);
    check(|c| c.prefix_cache = false, 0);
}

#[test]
fn the_latest_arrival_is_turned_out_and_still_finishes() {
    let mut engine = Engine::new(EngineConfig {
        prefix_cache: false,
        ..config()
    })
    .unwrap();
    // 64 blocks: two prompts of 480 tokens take 60, and each wants 13 more for its output.
    let one = engine.submit(Nanos::ZERO, request(0..480, 200)).unwrap();
    let two = engine
        .submit(Nanos::ZERO, request(1_000..1_480, 200))
        .unwrap();
    let out = run(&mut engine);
    let last = |id| out.iter().rfind(|o| o.id == id).unwrap();
    assert_eq!((last(one).preemptions, last(two).preemptions), (0, 1));
    assert_eq!(engine.stats()[0].counters.preemptions, 1);
    assert_eq!(out.iter().map(|o| o.tokens).sum::<u32>(), 400);
    assert!(last(two).at > last(one).at);
    let firsts = out.iter().filter(|o| o.first).count();
    assert_eq!(
        firsts, 2,
        "a request that starts again has no second first token"
    );
    assert_eq!(engine.stats()[0].free_blocks, 64);
}

#[test]
fn cancelling_frees_at_every_stage() {
    let mut engine = Engine::new(EngineConfig {
        max_num_seqs: 1,
        ..config()
    })
    .unwrap();
    let running = engine.submit(Nanos::ZERO, request(0..200, 500)).unwrap();
    let waiting = engine
        .submit(Nanos::ZERO, request(1_000..1_200, 5))
        .unwrap();
    engine.advance(Nanos::from_millis(20), &mut Vec::new());
    let arriving = engine
        .submit(Nanos::from_millis(20), request(0..9, 5))
        .unwrap();
    for id in [arriving, waiting, running] {
        assert!(engine.cancel(Nanos::from_millis(20), id));
        assert!(!engine.cancel(Nanos::from_millis(20), id));
    }
    let stats = &engine.stats()[0];
    assert_eq!(
        (stats.running, stats.waiting, stats.free_blocks),
        (0, 0, 64)
    );
    assert!(run(&mut engine).is_empty());
}

#[test]
fn speculation_gives_the_expected_tokens_a_step() {
    let mut fast = config();
    fast.speculation = Some(Speculation {
        drafts: 3,
        acceptance: 0.7,
    });
    let mut engine = Engine::new(fast).unwrap();
    engine.submit(Nanos::ZERO, request(0..16, 900)).unwrap();
    let out = run(&mut engine);
    assert_eq!(out.iter().map(|o| o.tokens).sum::<u32>(), 900);
    assert!(out.iter().all(|o| o.tokens <= 4));
    // (1 - a^(k+1)) / (1 - a) tokens a step for k drafts with acceptance a.
    let expect = (1.0 - 0.7_f64.powi(4)) / 0.3;
    let mean = 899.0 / float::from_usize(out.len() - 1);
    assert!((mean / expect - 1.0).abs() < 0.06, "{mean} for {expect}");
    let counters = &engine.stats()[0].counters;
    let accepted: u64 = counters.accepted_by_position.iter().sum();
    assert_eq!(float::len_u64(out.len()) + accepted, 900);
}

#[test]
fn ranks_have_their_own_queues_and_caches() {
    let mut engine = Engine::new(EngineConfig {
        ranks: 2,
        ..config()
    })
    .unwrap();
    for at in 0..4 {
        engine
            .submit(Nanos::ZERO, request(at * 1_000..at * 1_000 + 50, 3))
            .unwrap();
    }
    let pinned = engine
        .submit(
            Nanos::ZERO,
            Request {
                rank: Some(1),
                ..request(0..50, 3)
            },
        )
        .unwrap();
    let out = run(&mut engine);
    let ranks: Vec<_> = out
        .iter()
        .filter(|o| o.first)
        .map(|o| (o.id.0, o.rank))
        .collect();
    assert_eq!(ranks, [(0, 0), (2, 0), (1, 1), (3, 1), (4, 1)]);
    assert!(
        out.iter()
            .filter(|o| o.id == pinned)
            .all(|o| o.cached_tokens == 0)
    );
    let refused = engine.submit(
        Nanos::ZERO,
        Request {
            rank: Some(2),
            ..request(0..50, 3)
        },
    );
    assert_eq!(refused, Err(Refusal::NoSuchRank { rank: 2, last: 1 }));
}

#[test]
fn refusals() {
    let mut engine = Engine::new(config()).unwrap();
    let mut check = |request, expect| {
        assert_eq!(engine.submit(Nanos::ZERO, request), Err(expect));
    };
    check(request(0..0, 1), Refusal::EmptyPrompt);
    check(request(0..5, 0), Refusal::NoOutput);
    let too_long = Refusal::TooLong {
        prompt: 1_000,
        output: 25,
        max_model_len: 1_024,
    };
    check(request(0..1_000, 25), too_long);
}

#[test]
fn jitter_stays_in_its_band_and_repeats_with_the_seed() {
    let times = |seed| {
        let mut engine = Engine::new(EngineConfig {
            jitter: 0.2,
            seed,
            ..config()
        })
        .unwrap();
        let id = engine.submit(Nanos::ZERO, request(0..16, 200)).unwrap();
        times_us(&run(&mut engine), id)
    };
    let one = times(1);
    assert_eq!(one, times(1));
    assert_ne!(one, times(2));
    let gaps: Vec<_> = one.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.iter().all(|g| (879..=1_321).contains(g)), "{gaps:?}");
    assert!(gaps.iter().max().unwrap() - gaps.iter().min().unwrap() > 300);
}
