//! What holds for every model on every machine.

use proptest::prelude::*;
use tokmark_calculator::{
    Card, ConstantId, Constants, DecodeLoad, Fit, Limits, Origin, Setup, StepTerm,
};
use tokmark_catalog::roofline::Prompts;
use tokmark_catalog::{Engine, KvCache, WeightFormat};

use crate::CATALOG;

/// A model in a format on an accelerator, served by an engine with a cache of some type.
fn setups() -> impl Strategy<Value = Setup> {
    let models = CATALOG.models().len();
    let cards = CATALOG.hardware().len();
    let formats = prop::sample::select(vec!["BF16", "FP8", "AWQ", "NVFP4", "Q4_K_M", "Q8_0"]);
    let engines = prop::sample::select(vec![Engine::Vllm, Engine::LlamaCpp, Engine::Sglang]);
    let caches = prop::sample::select(vec!["f16", "fp8", "q8_0", "int4_per_token_head"]);
    (0..models, 0..cards, formats, engines, caches).prop_filter_map(
        "a model whose layers are known",
        |(model, card, format, engine, cache)| {
            let format = WeightFormat::parse(format).unwrap();
            let spec = CATALOG.models()[model].spec(format)?;
            let card = Card::of(&CATALOG.hardware()[card], None);
            let cache = KvCache::parse(cache).unwrap();
            Some(Setup::new(spec, format, engine, cache, card))
        },
    )
}

fn load(requests: f64, context: f64, shared: bool) -> DecodeLoad {
    let mut load = DecodeLoad::new(requests, context);
    if shared {
        load.prompts = Prompts::Shared;
    }
    load
}

/// A little room for rounding.
fn at_most(small: f64, large: f64) -> bool {
    small <= large * (1.0 + 1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_prediction_passes_the_roofline(
        setup in setups(), requests in 1_u32..300, context in 0_u32..200_000, shared: bool,
    ) {
        let constants = Constants::defaults(&setup);
        let speed = setup.decode(&constants, &load(requests.into(), context.into(), shared));
        prop_assert!(speed.tokens_per_s > 0.0);
        prop_assert!(at_most(speed.tokens_per_s, speed.ceiling_tokens_per_s));
    }

    #[test]
    fn more_requests_give_more_in_all_and_less_to_each(
        setup in setups(), requests in 1_u32..256, context in 0_u32..100_000, shared: bool,
    ) {
        let constants = Constants::defaults(&setup);
        let total = |requests: u32| {
            setup.decode(&constants, &load(requests.into(), context.into(), shared)).tokens_per_s
        };
        let (few, many) = (total(requests), total(requests + 1));
        prop_assert!(at_most(few, many), "{few} {many}");
        prop_assert!(at_most(many / f64::from(requests + 1), few / f64::from(requests)));
    }

    #[test]
    fn a_longer_context_is_never_faster(
        setup in setups(), requests in 1_u32..64, context in 0_u32..100_000, more in 1_u32..100_000,
    ) {
        let constants = Constants::defaults(&setup);
        let total = |context: u32| {
            setup.decode(&constants, &load(requests.into(), context.into(), false)).tokens_per_s
        };
        prop_assert!(at_most(total(context + more), total(context)));
    }

    #[test]
    fn more_bandwidth_is_never_slower(setup in setups(), requests in 1_u32..64, context in 0_u32..50_000) {
        let constants = Constants::defaults(&setup);
        let one = load(requests.into(), context.into(), false);
        let mut wider = setup.clone();
        wider.card.bandwidth_gb_per_s *= 1.5;
        let (before, after) = (setup.decode(&constants, &one), wider.decode(&constants, &one));
        prop_assert!(at_most(before.tokens_per_s, after.tokens_per_s));
    }

    #[test]
    fn a_longer_prompt_takes_longer(setup in setups(), tokens in 1_u32..100_000, more in 1_u32..50_000) {
        let constants = Constants::defaults(&setup);
        let time = |tokens: u32| setup.prefill(&constants, tokens.into(), 0.0).map(|time| time.seconds());
        if let (Some(short), Some(long)) = (time(tokens), time(tokens + more)) {
            prop_assert!(at_most(short, long), "{short} {long}");
        }
    }

    #[test]
    fn what_fits_goes_on_fitting_with_less(
        setup in setups(), requests in 1_u32..128, prompt in 0_u32..200_000, output in 1_u32..10_000,
    ) {
        let rank = |fit: Fit| match fit {
            Fit::Fits => 0,
            Fit::Borderline => 1,
            Fit::DoesNotFit => 2,
        };
        let limits = Limits::default();
        let fits = |requests: u32, prompt: u32| {
            rank(setup.fits(&limits, requests, prompt.into(), output.into()))
        };
        let this = fits(requests, prompt);
        prop_assert!(fits(requests.div_ceil(2), prompt) <= this);
        prop_assert!(fits(requests, prompt / 2) <= this);
    }

    /// At full bandwidth, without launches, with equal routes, a step of few requests is the roofline.
    #[test]
    fn a_perfect_machine_reaches_the_roofline(setup in setups(), context in 0_u32..50_000) {
        prop_assume!(setup.cache_law() == tokmark_calculator::CacheLaw::Streamed);
        let mut constants = Constants::defaults(&setup);
        for id in ConstantId::all() {
            let perfect = match id {
                ConstantId::StreamEfficiency
                | ConstantId::CacheSharing
                | ConstantId::DecodeArithmetic => 1.0,
                _ => 0.0,
            };
            constants.set(id, perfect, Origin::Default("perfect"));
        }
        let speed = setup.decode(&constants, &load(1.0, context.into(), false));
        let calculated = speed.step.terms().any(|(term, seconds)| {
            // A processor of little arithmetic is not bound by its memory.
            let part = match term {
                StepTerm::Dense => setup.model.weights.dense,
                StepTerm::Head => setup.model.weights.head,
                StepTerm::Experts => setup.model.weights.experts,
                _ => return false,
            };
            let touched = if term == StepTerm::Experts { 0.0 } else { part.bytes };
            seconds > touched / setup.card.bytes_per_s() * (1.0 + 1e-9) && term != StepTerm::Experts
        });
        prop_assume!(!calculated && setup.model.experts.is_none());
        prop_assert!((speed.tokens_per_s / speed.ceiling_tokens_per_s - 1.0).abs() < 1e-6);
    }
}
