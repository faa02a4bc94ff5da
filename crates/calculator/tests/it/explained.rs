//! What is explained is what was calculated: every formula, with the inputs that stand beside it.

use tokmark_calculator::report::ExplainedPart;
use tokmark_calculator::{Query, Question};

use crate::CATALOG;

fn question(change: impl FnOnce(&mut Query)) -> Question {
    let mut query = Query {
        model: "Qwen/Qwen3-14B-AWQ".to_owned(),
        hardware: "nvidia-rtx-3090".to_owned(),
        contexts: vec![16_384],
        requests: vec![8],
        ..Query::default()
    };
    change(&mut query);
    query.resolve(&CATALOG, None).unwrap()
}

/// The value of an input in base units: bytes and operations a second.
fn get(term: &ExplainedPart, symbol: &str) -> f64 {
    let found = term.inputs.iter().find(|input| input.symbol == symbol);
    let input = found.unwrap_or_else(|| panic!("`{symbol}` is missing in {term:?}"));
    match input.unit {
        "GB/s" => input.value * 1e9,
        "TFLOP/s" => input.value * 1e12,
        _ => input.value,
    }
}

/// The formula of a term, worked out by hand; `None` for those that are no formula.
fn worked(term: &ExplainedPart) -> Option<f64> {
    let of = |symbol| get(term, symbol);
    let streamed = |bytes: f64| bytes / (of("η") * of("BW") * of("g"));
    let calculated = |operations: f64| operations / (of("f_small") * of("F") * of("g"));
    Some(match term.term.as_str() {
        "decode.dense" | "decode.head" => {
            streamed(of("bytes")).max(calculated(2.0 * of("parameters") * of("b")))
        }
        "decode.experts" => {
            let share = of("k") / of("E");
            let touched = 1.0 - (1.0 - share).powf(of("b").powf(of("γ")));
            streamed(touched * of("bytes"))
                .max(calculated(2.0 * share * of("parameters") * of("b")))
        }
        "decode.state" => streamed(2.0 * of("b") * of("state")),
        "decode.cache" if term.formula.contains("kv_heads") => {
            let each = (of("c") * of("kv_heads") / of("g")).min(of("a"));
            of("layers") * of("L") * (of("a") + each * (of("b") - 1.0))
        }
        "decode.cache" if term.formula.contains("b^s") => {
            streamed(of("b").powf(of("s")) * of("read"))
        }
        "decode.cache" => streamed(of("b") * of("read")),
        "decode.parts" => of("parts") * of("τ_part"),
        "decode.routing" => of("layers") * of("τ_moe"),
        "decode.recurrent" => of("layers") * of("τ_rec"),
        "decode.sequences" => of("b") * of("τ_seq"),
        "decode.exchange" => {
            2.0 * of("blocks") * (10e-6 + of("b") * of("hidden") * 2.0 / of("link"))
        }
        "decode.host" => of("bytes there") / (0.65 * of("BW of the host")),
        "decode.drafting" => of("drafted") * of("share") * of("Σ of the other terms"),
        "decode.total" => (of("requests") * of("tokens a step") / of("Σ terms")).min(of("ceiling")),
        "prefill.dense" => of("n") * 2.0 * of("parameters") / (of("f_dense") * of("F")),
        "prefill.experts" => {
            of("n") * 2.0 * of("k") / of("E") * of("parameters") / (of("f_experts") * of("F"))
        }
        "prefill.attention" => of("operations") / (of("f_attention") * of("F16")),
        "prefill.recurrent" => of("n") * of("layers") * of("t_rec"),
        "prefill.total" => of("n") / of("Σ terms"),
        "memory.pool" => {
            of("fraction") * of("memory") * of("accelerators") - of("weights") - of("overhead")
        }
        "prefill.floor" | "memory.tokens" => return None,
        other => panic!("`{other}` is not worked out here"),
    })
}

fn check(question: &Question, has: &[&str]) {
    let terms = question.explain(&[]);
    for term in &terms {
        let Some(expect) = worked(term) else { continue };
        let off = (term.value / expect - 1.0).abs();
        assert!(off < 1e-9, "{}: {} by hand, {term:?}", term.term, expect);
        let sources = term.inputs.iter().all(|input| !input.source.is_empty());
        assert!(sources, "{term:?}");
    }
    for name in has {
        assert!(
            terms.iter().any(|term| term.term == *name),
            "{name} is missing"
        );
    }
    let sum = |start: &str| -> f64 {
        let own = terms.iter().filter(|term| term.term.starts_with(start));
        own.filter(|term| {
            term.term
                .split_once('.')
                .is_none_or(|(_, what)| what != "total")
        })
        .map(|term| term.value)
        .sum()
    };
    let total = terms
        .iter()
        .find(|term| term.term == "decode.total")
        .unwrap();
    assert!((sum("decode.") / get(total, "Σ terms") - 1.0).abs() < 1e-9);
}

#[test]
fn a_dense_model_is_worked_out_by_hand() {
    let has = [
        "decode.dense",
        "decode.head",
        "decode.cache",
        "decode.parts",
        "decode.sequences",
    ];
    check(&question(|_| {}), &has);
    check(&question(|query| query.shared_prompt = true), &has);
    check(
        &question(|query| query.drafted_tokens = Some(3)),
        &["decode.drafting"],
    );
}

#[test]
fn experts_and_states_are_worked_out_by_hand() {
    for shared_prompt in [false, true] {
        let nemotron = question(|query| {
            query.model = "cyankiwi/Nemotron-Cascade-2-30B-A3B-AWQ-4bit".to_owned();
            query.kv_type = Some("int4_per_token_head".to_owned());
            query.shared_prompt = shared_prompt;
        });
        let has = [
            "decode.experts",
            "decode.state",
            "decode.routing",
            "decode.recurrent",
            "decode.cache",
            "prefill.experts",
            "prefill.recurrent",
            "prefill.attention",
        ];
        check(&nemotron, &has);
    }
}

#[test]
fn several_accelerators_and_the_hosts_memory_are_worked_out_by_hand() {
    let several = question(|query| {
        query.tensor_parallel = Some(2);
        query.pipeline_parallel = Some(2);
        query.data_parallel = Some(2);
    });
    check(&several, &["decode.exchange"]);
    let experts = question(|query| {
        query.model = "openai/gpt-oss-120b".to_owned();
        query.host_expert_share = Some(0.75);
        query.host_bandwidth_gb_per_s = Some(200.0);
    });
    check(&experts, &["decode.host", "decode.experts"]);
}
