//! A server on this machine whose process says more than its answers do.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::tokmark;

/// A simulated Ollama in a process of that name; ended when dropped.
struct Ollama {
    process: Child,
    url: String,
}

impl Ollama {
    fn start(environment: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tokmark"))
            .arg0("/usr/local/bin/ollama")
            .args(["sim", "--dialect", "ollama", "--port", "0"])
            .args(["--set", "max_num_seqs=4", "--set", "max_model_len=16384"])
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        lines.read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        Self { process, url }
    }
}

impl Drop for Ollama {
    fn drop(&mut self) {
        let _already_gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

const ENVIRONMENT: [(&str, &str); 6] = [
    ("OLLAMA_NUM_PARALLEL", "4"),
    ("OLLAMA_CONTEXT_LENGTH", "16384"),
    ("OLLAMA_KV_CACHE_TYPE", "q8_0"),
    ("OLLAMA_FLASH_ATTENTION", "1"),
    ("OLLAMA_MAX_QUEUE", "64"),
    ("OLLAMA_API_KEY", "very-secret-word"),
];

fn json(arguments: &[&str]) -> Value {
    let output = tokmark(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!printed.contains("very-secret-word") && !said.contains("very-secret-word"));
    serde_json::from_str(&printed).expect(&said)
}

#[test]
fn ollamas_environment_limits_the_plan() {
    let server = Ollama::start(&ENVIRONMENT);
    let plan = ["--contexts", "0,8k", "--requests", "1,4,8,16"];
    let probe = json(&[&["probe", &server.url, "--json"], &plan[..]].concat());
    assert_eq!(probe["engine"]["name"], "ollama");
    assert_eq!(probe["engine"]["max_sequences"], 4);
    assert_eq!(probe["engine"]["kv_type"], "q8_0");
    assert_eq!(probe["kv_budget"]["tokens"], 65_536);
    let source = "environment of the process: OLLAMA_CONTEXT_LENGTH x OLLAMA_NUM_PARALLEL";
    assert_eq!(probe["kv_budget"]["source"], source);
    let status = |context: u64, requests: u64| {
        let cells = probe["plan"]["cells"].as_array().unwrap();
        let cell = cells
            .iter()
            .find(|cell| cell["context"] == context && cell["requests"] == requests);
        cell.unwrap()["status"].clone()
    };
    for requests in [1, 4] {
        assert!(status(0, requests).is_null() && status(8_192, requests).is_null());
    }
    // The first level above shows the queueing; 8 documents do not fit at all.
    assert!(status(0, 8).is_null());
    assert_eq!(status(0, 16), "over_admission");
    assert_eq!(status(8_192, 8), "over_capacity");
    // Without its environment nothing is known of it, and nothing is left out.
    let silent = Ollama::start(&[]);
    let probe = json(&[&["probe", &silent.url, "--json"], &plan[..]].concat());
    assert!(probe["engine"]["max_sequences"].is_null());
    assert!(probe["kv_budget"].is_null());
}

#[test]
fn ollamas_environment_is_in_the_run_document() {
    let server = Ollama::start(&ENVIRONMENT);
    let dir = tempfile::tempdir().unwrap();
    let document = json(&[
        "run",
        &server.url,
        "--prefill",
        "standalone",
        "--contexts",
        "0",
        "--prefill-contexts",
        "1k",
        "--prefill-samples",
        "1",
        "--json",
        "--output",
        dir.path().join("run").to_str().unwrap(),
    ]);
    let engine = &document["engine"];
    assert_eq!(engine["max_sequences"], 4, "{engine}");
    assert_eq!(engine["max_length"], 16_384);
    assert_eq!(engine["kv_type"], "q8_0");
    assert_eq!(engine["kv_budget"]["tokens"], 65_536);
    let launch = &document["launch"];
    assert_eq!(launch["server"], "ollama", "{launch}");
    assert_eq!(
        (&launch["max_queue"], &launch["flash_attention"]),
        (&64.into(), &true.into())
    );
    for setting in [
        "max_sequences",
        "context",
        "kv_type",
        "max_queue",
        "flash_attention",
    ] {
        let source = &launch["sources"][setting];
        assert_eq!(source, "environment of the process", "{setting}");
    }
    let kept: Vec<&str> = launch["environment"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .filter(|entry| entry.starts_with("OLLAMA_"))
        .collect();
    assert_eq!(kept.len(), 5, "{kept:?}");
    assert!(document["prefill"][0]["ttft_ms"].as_f64().unwrap() > 0.0);
}
