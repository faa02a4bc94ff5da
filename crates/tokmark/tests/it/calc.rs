//! `tokmark calc` as a person meets it.

use serde_json::Value;

use crate::{fails, fails_with, tokmark, tokmark_with};

/// A folder for data in which nobody has fitted anything.
fn nowhere() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// What `calc` prints with no calibrations but those of the program.
fn calc(arguments: &[&str]) -> String {
    let data = nowhere();
    let home = data.path().display().to_string();
    let arguments = [&["calc"], arguments].concat();
    let output = tokmark_with(&[("XDG_DATA_HOME", &home)], &arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&calc(&[arguments, &["--json"]].concat())).unwrap()
}

const SMALL: [&str; 6] = [
    "--model",
    "Qwen/Qwen3-14B-AWQ",
    "--hardware",
    "RTX 3090",
    "--contexts",
    "0,16k",
];

/// The small question with more options.
fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

#[test]
fn the_answer_is_a_table() {
    insta::assert_snapshot!("calc_table", calc(&small(&["--requests", "1..32x2"])));
}

#[test]
fn every_term_of_a_cell_is_explained() {
    let more = ["--context", "16k", "--requests", "4", "--explain"];
    let arguments = [&SMALL[..4], &more].concat();
    insta::assert_snapshot!("calc_explain", calc(&arguments));
}

#[test]
fn two_machines_stand_side_by_side() {
    let more = ["--requests", "1,8", "--versus", "RTX 5090"];
    insta::assert_snapshot!("calc_versus", calc(&small(&more)));
    let document = json(&small(&more));
    let cell = |side: &str, at: usize| &document[side]["cells"][at]["total_tokens_per_s"]["median"];
    let ratio = document["ratio"][0]["total_tokens_per_s"].as_f64().unwrap();
    let expect = cell("versus", 0).as_f64().unwrap() / cell("base", 0).as_f64().unwrap();
    assert!((ratio - expect).abs() < 1e-9 && ratio > 1.5, "{ratio}");
    // 16K x 8 fits on the larger card only.
    assert_eq!(document["base"]["cells"][3]["fit"], "does_not_fit");
    assert_eq!(document["ratio"][3]["total_tokens_per_s"], Value::Null);
}

#[test]
fn machines_that_are_enough_are_listed_by_price() {
    let asked = [
        "--model",
        "Qwen/Qwen3-14B-AWQ",
        "--need",
        "4",
        "--context",
        "8k",
        "--tokens-per-s",
        "20",
        "--max-ttft",
        "6s",
    ];
    insta::assert_snapshot!("calc_need", calc(&asked));
    let document = json(&asked);
    let machines = document["machines"].as_array().unwrap();
    let prices: Vec<f64> = machines
        .iter()
        .map(|one| one["launch_price_usd"].as_f64().unwrap_or(f64::INFINITY))
        .collect();
    assert!(prices.len() > 20 && prices.is_sorted());
    for machine in machines {
        assert!(machine["per_request_tokens_per_s"].as_f64().unwrap() >= 20.0);
        assert!(machine["cold_ttft_ms"].as_f64().unwrap() <= 6_000.0);
    }
}

#[test]
fn rent_and_price_give_the_cost_of_a_million_tokens() {
    let asked = small(&[
        "--requests",
        "1,4",
        "--rent",
        "typical",
        "--price",
        "700USD",
        "--lifetime-years",
        "3",
        "--electricity-per-kwh",
        "0.17",
        "--utilization",
        "0.5",
    ]);
    let text = calc(&asked);
    let at = text.find("A million output tokens").unwrap();
    insta::assert_snapshot!("calc_cost", &text[at..]);
    let document = json(&asked);
    let cost = &document["cost"];
    assert_eq!(cost["currency"], "USD");
    assert_eq!(cost["rent_per_hour"], 0.22);
    assert!(cost["rent_source"].as_str().unwrap().contains("2026-03-10"));
    let rate = document["cells"][0]["total_tokens_per_s"]["median"]
        .as_f64()
        .unwrap();
    let rented = cost["cells"][0]["rented"]["output_per_million"]
        .as_f64()
        .unwrap();
    // 0.22 an hour, paid for the idle half too.
    assert!((rented - 1e6 * 0.22 / 0.5 / 3_600.0 / rate).abs() < 1e-9);
    let watts = cost["decode_w"].as_f64().unwrap();
    let hours = cost["break_even_h"].as_f64().unwrap();
    assert!((hours - 700.0 / (0.22 - 0.5 * watts / 1e3 * 0.17)).abs() < 1e-6);
}

#[test]
fn the_document_holds_one_answer() {
    let document = json(&small(&["--requests", "1,2,64", "--kv", "fp8"]));
    assert_eq!(document["model"]["name"], "Qwen/Qwen3-14B");
    assert_eq!(document["hardware"]["id"], "nvidia-rtx-3090");
    assert_eq!(document["engine"], "vllm");
    assert_eq!(document["kv_type"], "fp8");
    assert_eq!(document["path"]["calibrated"], false);
    let cells = document["cells"].as_array().unwrap();
    let places: Vec<(u64, u64)> = cells
        .iter()
        .map(|cell| {
            (
                cell["context"].as_u64().unwrap(),
                cell["requests"].as_u64().unwrap(),
            )
        })
        .collect();
    let rows = [0, 16_384].map(|tokens| [(tokens, 1), (tokens, 2), (tokens, 64)]);
    assert_eq!(places, rows.concat());
    assert_eq!(document.get("cost"), None);
    assert_eq!(document.get("explained"), None);
    let band = &cells[0]["total_tokens_per_s"];
    let edges: Vec<f64> = ["low90", "low50", "median", "high50", "high90"]
        .iter()
        .map(|edge| band[edge].as_f64().unwrap())
        .collect();
    assert!(edges.is_sorted(), "{edges:?}");
}

#[test]
fn rows_with_commas_hold_the_same_cells() {
    let text = calc(&small(&[
        "--requests",
        "1,64",
        "--csv",
        "--rent-per-hour",
        "0.3EUR",
    ]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[0].starts_with("context,requests,fit,total_tokens_per_s,"));
    assert!(lines[0].contains("rented_output_per_million_EUR"));
    let width = lines[0].split(',').count();
    assert!(
        lines.iter().all(|line| line.split(',').count() == width),
        "{text}"
    );
    assert!(lines[1].starts_with("0,1,fits,"));
    assert!(lines[4].starts_with("16384,64,does_not_fit,"));
    // What does not fit costs nothing.
    assert!(lines[4].ends_with(",,,,,"), "{}", lines[4]);
}

#[test]
fn the_longest_context_is_the_models() {
    let document = json(&[
        "--model",
        "Qwen/Qwen3-14B-AWQ",
        "--hardware",
        "H100 SXM",
        "--contexts",
        "0,max",
        "--requests",
        "1",
        "--output-tokens",
        "1k",
    ]);
    // 40,960 tokens of the model less the output.
    assert_eq!(document["cells"][1]["context"], 39 * 1_024);
}

#[test]
fn names_that_mean_nothing_get_what_may_have_been_meant() {
    let calc = |more: &[&str], says: &[&str]| {
        fails(&[&["calc"], more].concat(), 2, says);
    };
    let machine = ["--hardware", "RTX 3090"];
    calc(
        &[&["--model", "Qwen3-4C"], &machine[..]].concat(),
        &[
            "--model: `Qwen3-4C` is not in the catalog",
            "try:",
            "Qwen/Qwen3-4B",
            "config.json",
        ],
    );
    calc(
        &[
            &["--model", "Qwen/Qwen3-30B-A3B-Thinking-2507"],
            &machine[..],
        ]
        .concat(),
        &["--model", "may be Qwen/Qwen3-30B-A3B"],
    );
    calc(
        &[&["--model", "./nowhere.gguf"], &machine[..]].concat(),
        &["`./nowhere.gguf` does not exist"],
    );
    let model = ["--model", "Qwen/Qwen3-4B"];
    calc(&model, &["--hardware"]);
    calc(&machine, &["--model"]);
    calc(
        &[&model[..], &["--hardware", "RTX 309"]].concat(),
        &[
            "--hardware: `RTX 309` is not in the catalog",
            "try: RTX 3090",
        ],
    );
    calc(
        &[&model[..], &["--hardware", "RTX 4080 Laptop 48GB"]].concat(),
        &["--hardware"],
    );
    let both = [&model[..], &machine[..]].concat();
    let with = |more: &[&'static str]| [&both[..], more].concat();
    calc(
        &with(&["--engine", "vlm"]),
        &["--engine", "did you mean `vllm`"],
    );
    calc(&with(&["--kv", "fp9"]), &["--kv", "fp8"]);
    calc(
        &with(&["--quantization", "AWQQ"]),
        &["--quantization", "AWQ"],
    );
    // A name that tells its format is no excuse for a word that means none.
    calc(
        &[
            "--model",
            "Qwen/Qwen3-14B-AWQ",
            "--hardware",
            "RTX 3090",
            "--quantization",
            "magic",
        ],
        &["--quantization", "`magic` is no known weight format"],
    );
}

#[test]
fn figures_that_cannot_be_are_refused() {
    let calc = |more: &[&str], says: &[&str]| {
        let both = ["calc", "--model", "Qwen/Qwen3-4B", "--hardware", "RTX 3090"];
        fails(&[&both[..], more].concat(), 2, says);
    };
    calc(
        &["--memory-fraction", "92"],
        &["--memory-fraction", "between 0 and 1"],
    );
    calc(
        &["--drafted-tokens", "2", "--accepted-share", "1.2"],
        &["--accepted-share", "between 0 and 1"],
    );
    calc(&["--accepted-share", "0.5"], &["--drafted-tokens"]);
    calc(
        &["--host-expert-share", "0.5"],
        &["--host-bandwidth-gb-per-s"],
    );
    calc(&["--count", "0"], &["--tensor-parallel", "between 1 and"]);
    calc(
        &["--memory-gib", "48"],
        &["--memory-gib", "24 GiB, not 48 GiB"],
    );
    calc(&["--contexts", "8q"], &["8q", "16K"]);
    calc(&["--json", "--csv"], &["--csv"]);
    calc(&["--need", "4"], &["--need"]);
    calc(&["--utilization", "0.5"], &["--utilization needs a price"]);
    calc(&["--rent-per-hour", "x"], &["`x` is no amount"]);
    calc(
        &["--rent-per-hour", "1", "--utilization", "0"],
        &["--utilization"],
    );
    calc(&["--price", "700"], &["--electricity-per-kwh"]);
    calc(
        &[
            "--rent-per-hour",
            "0.22USD",
            "--price",
            "700EUR",
            "--lifetime-years",
            "3",
            "--electricity-per-kwh",
            "0.3EUR",
        ],
        &["EUR and USD are two currencies"],
    );
}

#[test]
fn a_machine_that_cannot_be_is_refused() {
    fails(
        &[
            "calc",
            "--model",
            "Qwen/Qwen3-4B",
            "--hardware",
            "2 x RTX 3090",
            "--count",
            "4",
        ],
        2,
        &["two numbers of accelerators"],
    );
    fails(
        &[
            "calc",
            "--model",
            "Qwen/Qwen3-4B",
            "--hardware",
            "2 x RTX 3090",
            "--pipeline-parallel",
            "2",
        ],
        2,
        &["4 in all", "--tensor-parallel"],
    );
    fails(
        &[
            "calc",
            "--model",
            "Qwen/Qwen3-4B",
            "--hardware",
            "H100 SXM",
            "--unlocked",
        ],
        2,
        &["--unlocked", "no limit of the NVIDIA H100"],
    );
    fails(
        &[
            "calc",
            "--model",
            "Qwen/Qwen3-4B",
            "--hardware",
            "RTX 4080",
            "--rent",
            "typical",
        ],
        2,
        &["no rental price", "--rent-per-hour"],
    );
}

#[test]
fn every_option_is_a_variable_too() {
    let variables = [
        ("TOKMARK_CALC_MODEL", "Qwen/Qwen3-4B"),
        ("TOKMARK_CALC_HARDWARE", "RTX 4090"),
        ("TOKMARK_CALC_REQUESTS", "3"),
    ];
    let output = tokmark_with(&variables, &["calc", "--json", "--contexts", "0"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["hardware"]["id"], "nvidia-rtx-4090");
    assert_eq!(document["cells"][0]["requests"], 3);
}

#[test]
fn weights_that_do_not_fit_are_said_to() {
    let text = calc(&["--model", "openai/gpt-oss-120b", "--hardware", "RTX 3090"]);
    assert!(text.contains("the weights do not fit"), "{text}");
    let document = json(&["--model", "openai/gpt-oss-120b", "--hardware", "RTX 3090"]);
    let cells = document["cells"].as_array().unwrap();
    assert!(cells.iter().all(|cell| cell["fit"] == "does_not_fit"));
}

#[test]
fn a_configuration_is_read_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let config = r#"{"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728,
        "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": true,
        "max_position_embeddings": 40960, "torch_dtype": "bfloat16",
        "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128,
        "zero_point": true}}"#;
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    let path = folder.path().display().to_string();
    let document = json(&[
        "--model",
        &path,
        "--hardware",
        "RTX 3090",
        "--requests",
        "1",
    ]);
    let named = json(&[
        "--model",
        "Qwen/Qwen3-4B-AWQ",
        "--hardware",
        "RTX 3090",
        "--requests",
        "1",
    ]);
    let rate = |document: &Value| {
        let median = &document["cells"][0]["total_tokens_per_s"]["median"];
        median.as_f64().unwrap()
    };
    // The catalog's row says the same of the same model.
    assert!((rate(&document) / rate(&named) - 1.0).abs() < 0.02);
    assert_eq!(document["model"]["kernels"], "weight-only");
    let assumed = document["assumptions"].to_string();
    assert!(assumed.contains("no safetensors file"), "{assumed}");
    std::fs::write(folder.path().join("config.json"), "{}").unwrap();
    fails(
        &["calc", "--model", &path, "--hardware", "RTX 3090"],
        2,
        &["config.json", "is missing"],
    );
}

#[test]
fn calibrations_that_are_none_are_an_error() {
    let data = nowhere();
    let folder = data.path().join("tokmark");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("calibrations.json"), "{}").unwrap();
    let home = data.path().display().to_string();
    fails_with(
        &[("XDG_DATA_HOME", &home)],
        &["calc", "--model", "Qwen/Qwen3-4B", "--hardware", "RTX 3090"],
        2,
        &["calibrations.json", "fit again"],
    );
}

#[test]
fn help_shows_examples() {
    let output = tokmark(&["calc", "--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("tokmark calc --model Qwen/Qwen3-4B --hardware 'RTX 4090'"));
}
