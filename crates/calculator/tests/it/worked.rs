//! Values that were calculated or measured elsewhere.

use tokmark_calculator::fit::{Errors, Residual};
use tokmark_calculator::{
    Card, Constants, DecodeLoad, Drafting, Fit, Limits, Power, Query, QueryError, Setup, StepTerm,
};
use tokmark_catalog::{Engine, KvCache, WeightFormat};

use crate::CATALOG;

fn setup(model: &str, format: &str, engine: Engine, card: &str) -> Setup {
    let format = WeightFormat::parse(format).unwrap();
    let spec = CATALOG.find_model(model).found().unwrap().spec(format);
    let row = CATALOG.hardware_by_id(card).unwrap();
    Setup::new(
        spec.unwrap(),
        format,
        engine,
        KvCache::F16,
        Card::of(row, None),
    )
}

fn alone(setup: &Setup) -> f64 {
    let constants = Constants::defaults(setup);
    setup
        .decode(&constants, &DecodeLoad::new(1.0, 512.0))
        .tokens_per_s
}

/// Ten published results of one 14B model as `Q4_K_M` with llama.cpp, which were in view when the
/// defaults of llama.cpp were chosen.
#[test]
fn defaults_predict_a_14b_model_on_ten_machines() {
    let published = [
        ("nvidia-rtx-4090", 92.5),
        ("nvidia-rtx-4070-ti", 49.7),
        ("nvidia-rtx-3080-ti", 70.7),
        ("nvidia-rtx-3060-12-gb", 29.8),
        ("nvidia-rtx-2080-ti", 45.1),
        ("nvidia-rtx-a4000", 36.2),
        ("amd-radeon-ai-pro-r9700", 53.7),
        ("nvidia-gb10-dgx-spark", 23.9),
        ("apple-m3-ultra", 51.9),
        ("apple-m1-ultra", 35.9),
    ];
    let residuals: Vec<Residual> = published
        .into_iter()
        .map(|(card, measured)| Residual {
            run: 0,
            context: 512,
            requests: 1,
            prefill: false,
            measured,
            predicted: alone(&setup(
                "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
                "Q4_K_M",
                Engine::LlamaCpp,
                card,
            )),
        })
        .collect();
    let errors = Errors::of(&residuals).unwrap();
    assert!(errors.median_abs < 0.15, "{errors:?} {residuals:?}");
    // The last row is a chip of two halves that llama.cpp cannot use well.
    let within = residuals.iter().filter(|one| one.relative().abs() < 0.4);
    assert_eq!(within.count(), 9, "{residuals:?}");
}

/// Drafting on Strix Halo, published: with 0.797 of 2 drafted tokens accepted a dense 27B gains 1.91,
/// a mixture of the same make 1.32, since its drafts touch more experts.
#[test]
fn drafting_gains_more_for_a_dense_model_than_for_a_mixture() {
    let gain = |model: &str, accepted_share: f64| {
        let card = "amd-ryzen-ai-max-plus-395-strix-halo-8060s";
        let plain = setup(model, "Q8_0", Engine::LlamaCpp, card);
        let mut drafting = plain.clone();
        drafting.drafting = Some(Drafting {
            drafted: 2.0,
            accepted_share,
            draft_share: 0.18,
        });
        alone(&drafting) / alone(&plain)
    };
    let dense = gain("Qwen/Qwen3.6-27B", 0.797);
    assert!((dense / 1.91 - 1.0).abs() < 0.05, "{dense}");
    let mixture = gain("Qwen/Qwen3.6-35B-A3B", 0.796);
    assert!((mixture / 1.32 - 1.0).abs() < 0.15, "{mixture}");
}

/// 4,156 bits of 1,000 for 13.2 G weights, two tables in 16 bits: 9.98 GB, of which a step reads 8.42.
#[test]
fn a_step_of_a_14b_model_by_hand() {
    let model = "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B";
    let setup = setup(model, "AWQ", Engine::Vllm, "nvidia-rtx-3090");
    let constants = Constants::defaults(&setup);
    let step = setup.step(
        &constants,
        1.0,
        0.0,
        tokmark_catalog::roofline::Prompts::Distinct,
    );
    let near = |term: StepTerm, seconds: f64| {
        let given = step.term(term);
        assert!((given / seconds - 1.0).abs() < 0.002, "{term:?}: {given}");
    };
    let table = 152_064.0 * 5_120.0;
    let dense = (14.77e9 - 2.0 * table) * 4.15625 / 8.0;
    near(StepTerm::Dense, dense / (936e9 * 0.92));
    near(StepTerm::Head, table * 2.0 / (936e9 * 0.92));
    near(StepTerm::Parts, 96.0 * 24e-6);
    near(StepTerm::Sequences, 100e-6);
    assert!(step.term(StepTerm::Cache).abs() < 1e-12);
    assert!(step.term(StepTerm::Experts).abs() < 1e-12);
}

/// A hybrid's block holds 7,856 tokens: the state of a Mamba layer, 2.134 MB, over 272 bytes a token.
#[test]
fn a_hybrid_is_limited_by_its_states() {
    let model = "nvidia/Nemotron-Cascade-2-30B-A3B";
    let mut setup = setup(model, "W4A16-g32", Engine::Vllm, "nvidia-rtx-3090");
    setup.cache = KvCache::parse("int4_per_token_head").unwrap();
    let limits = Limits {
        memory_fraction: Some(0.94),
        max_length: Some(262_144),
        ..Limits::default()
    };
    let memory = setup.memory(&limits);
    let block = 6.0 * 7_856.0 * 272.0;
    let blocks = (memory.pool_bytes / block).floor();
    // ⌈262,144 / 7,856⌉ = 34 blocks of attention, and 2 for each of ⌈23/6⌉ = 4 groups.
    assert!((memory.tokens - blocks / 42.0 * 262_144.0).abs() < 1.0);
    assert_eq!(memory.sequences, Some((blocks / 5.0).floor()));
    let most = tokmark_units::float::round_to_u64(memory.sequences.unwrap());
    let most = u32::try_from(most).unwrap();
    assert_ne!(setup.fits(&limits, most, 0.0, 64.0), Fit::DoesNotFit);
    assert_eq!(setup.fits(&limits, most + 1, 0.0, 64.0), Fit::DoesNotFit);
}

#[test]
fn several_cards_share_a_layer_and_talk() {
    let model = "meta-llama/Llama-3.1-70B-Instruct";
    let one = setup(model, "FP8", Engine::Vllm, "nvidia-h100-sxm5-80-gb");
    let mut four = one.clone();
    four.layout.tensor = 4;
    four.layout.link_gb_per_s = 450.0;
    let (alone, together) = (alone(&one), alone(&four));
    assert!(
        together > 2.0 * alone && together < 4.0 * alone,
        "{alone} {together}"
    );
    assert!(!four.layout.is_validated());
    let constants = Constants::defaults(&four);
    let step = four.step(
        &constants,
        1.0,
        0.0,
        tokmark_catalog::roofline::Prompts::Distinct,
    );
    let bytes = 8_192.0 * 2.0;
    let expect = 2.0 * 80.0 * (10e-6 + bytes / 450e9);
    assert!((step.term(StepTerm::Exchange) / expect - 1.0).abs() < 1e-9);
    // A pipeline gives one request nothing and many requests much.
    let mut stages = one.clone();
    stages.layout.pipeline = 4;
    let speed = |setup: &Setup, requests: f64| {
        setup
            .decode(
                &Constants::defaults(setup),
                &DecodeLoad::new(requests, 512.0),
            )
            .tokens_per_s
    };
    assert!((speed(&stages, 1.0) / speed(&one, 1.0) - 1.0).abs() < 1e-9);
    assert!((speed(&stages, 64.0) / (4.0 * speed(&one, 16.0)) - 1.0).abs() < 1e-9);
}

#[test]
fn power_is_shares_of_the_design_power() {
    let model = "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B";
    let setup = setup(model, "AWQ", Engine::Vllm, "nvidia-rtx-3090");
    let power = Power::of(&setup).unwrap();
    assert!((power.decode_w - (0.85 * 350.0 + 80.0)).abs() < 1e-9);
    assert!((power.prefill_w - (0.95 * 350.0 + 80.0)).abs() < 1e-9);
}

fn question(query: &Query) -> Result<tokmark_calculator::Question, QueryError> {
    query.resolve(&CATALOG, None)
}

#[test]
fn a_question_in_words_is_answered() {
    let query = Query {
        model: "someone/DeepSeek-R1-Distill-Qwen-14B-AWQ".to_owned(),
        hardware: "RTX 3090".to_owned(),
        ..Query::default()
    };
    let report = question(&query).unwrap().answer(&[]);
    assert_eq!(
        report.model.name,
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"
    );
    assert_eq!(
        report.cells.len(),
        5 * 8,
        "up to the model's 131,072 less the output"
    );
    assert!(!report.path.calibrated);
    let first = &report.cells[0];
    let band = first.total_tokens_per_s;
    assert!(band.low90 < band.low50 && band.low50 < band.median);
    assert!(
        band.high90 <= first.roofline_tokens_per_s,
        "no edge passes the roofline"
    );
    assert_eq!(first.limited_by, "dense");
    let last = report.cells.last().unwrap();
    assert_eq!(
        (last.context, last.requests, last.fit),
        (65_536, 128, "does_not_fit")
    );
}

#[test]
fn a_wrong_question_names_the_field() {
    let good = Query {
        model: "Qwen3-4B".to_owned(),
        hardware: "RTX 3090".to_owned(),
        ..Query::default()
    };
    let field = |query: Query| question(&query).unwrap_err().field;
    assert!(question(&good).is_ok());
    assert_eq!(
        field(Query {
            model: "no such model".to_owned(),
            ..good.clone()
        }),
        "model"
    );
    assert_eq!(
        field(Query {
            hardware: String::new(),
            ..good.clone()
        }),
        "hardware"
    );
    assert_eq!(
        field(Query {
            engine: Some("vlm".to_owned()),
            ..good.clone()
        }),
        "engine"
    );
    assert_eq!(
        field(Query {
            kv_type: Some("int3".to_owned()),
            ..good.clone()
        }),
        "kv_type"
    );
    assert_eq!(
        field(Query {
            requests: vec![0],
            ..good.clone()
        }),
        "requests"
    );
    assert_eq!(
        field(Query {
            memory_fraction: Some(94.0),
            ..good.clone()
        }),
        "memory_fraction"
    );
    assert_eq!(
        field(Query {
            host_expert_share: Some(0.5),
            ..good.clone()
        }),
        "host_bandwidth_gb_per_s"
    );
    let several = question(&Query {
        hardware: "RTX 3060".to_owned(),
        ..good
    })
    .unwrap_err();
    assert!(several.candidates.len() > 1, "{several}");
}
