use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use tokmark_run_format::{Hardware, MeasuredBandwidth};

use crate::gateway::tls_in_front;
use crate::{tokmark, tokmark_with};

const TOKEN: &str = "0123456789abcdef0123";

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_inventory_is_a_hardware_file() {
    let output = tokmark(&["machine", "--json"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["source"], "detected");
    assert!(value["memory_bytes"].as_u64().unwrap() > 0, "{text}");
    let read = tokmark_machine::read_hardware_file(&text).unwrap();
    assert_eq!(read.memory_bytes, value["memory_bytes"].as_u64());
    let lines = tokmark(&["machine"]);
    assert!(String::from_utf8_lossy(&lines.stdout).starts_with("machine     "));
}

/// What `tokmark machine --json` says, with these variables.
fn inventory(variables: &[(&str, &str)], arguments: &[&str]) -> serde_json::Value {
    let all = [&["machine", "--json"], arguments].concat();
    let output = tokmark_with(variables, &all);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Keeps a probe of 61.5 GB/s in a data folder, made on this machine after a change to it.
fn probe_made(folder: &TempDir, change: impl FnOnce(&mut Hardware)) {
    let value = inventory(&[], &[]).to_string();
    let mut hardware = tokmark_machine::read_hardware_file(&value).unwrap();
    hardware.measured_bandwidth = Some(MeasuredBandwidth {
        read_gb_s: Some(61.5),
        method: "by hand".to_owned(),
        ..MeasuredBandwidth::default()
    });
    change(&mut hardware);
    tokmark_machine::keep_probe(&folder.path().join("tokmark"), &hardware).unwrap();
}

#[test]
fn the_last_probe_is_told_where_the_hardware_is_the_same() {
    let data = tempfile::tempdir().unwrap();
    let home = [("XDG_DATA_HOME", data.path().to_str().unwrap())];
    let none = inventory(&home, &[]);
    assert_eq!(none["measured_bandwidth"], serde_json::Value::Null);
    probe_made(&data, |_| {});
    let same = inventory(&home, &[]);
    assert_eq!(same["measured_bandwidth"]["read_gb_s"], 61.5);
    let lines = tokmark_with(&home, &["machine"]);
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    assert!(
        lines.contains("bandwidth   read 61.5 GB/s, triad unknown (by hand)\n"),
        "{lines}"
    );
    // As a file for `run --hardware` it comes along.
    let read = tokmark_machine::read_hardware_file(&same.to_string()).unwrap();
    assert_eq!(read.measured_bandwidth.unwrap().read_gb_s, Some(61.5));
    probe_made(&data, |hardware| hardware.cpu_cores = Some(4_096));
    let other = inventory(&home, &[]);
    assert_eq!(other["measured_bandwidth"], serde_json::Value::Null);
    assert!(
        other["unknown"]
            .to_string()
            .contains("made on other hardware"),
        "{other}"
    );
}

#[test]
fn an_agent_without_a_good_token_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let short = file(&folder, "short", "secret\n");
    let output = tokmark(&["machine-agent", "--token-file", &short]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("fewer than 16 characters"), "{said}");
    assert!(!said.contains("secret"), "{said}");
    let output = tokmark(&["machine-agent"]);
    assert_eq!(output.status.code(), Some(2));
    let token = file(&folder, "token", TOKEN);
    let output = tokmark(&["machine-agent", "--token-file", &token, "--period", "1ms"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The agent on a port through something that speaks TLS in front of it: with its certificate
/// trusted, with any, and with none.
fn through_tls(folder: &TempDir, port: u16, token: &str) -> [Output; 3] {
    let (port, pem) = tls_in_front(port);
    let ca = file(folder, "ca.pem", &pem);
    let url = format!("https://localhost:{port}");
    let asked = |trust: &[&str]| {
        let agent = ["machine", "--json", "--machine-agent", &url];
        let all = [&agent, &["--machine-token-file", token][..], trust].concat();
        tokmark(&all)
    };
    [asked(&["--ca", &ca]), asked(&["--insecure"]), asked(&[])]
}

#[test]
fn a_machine_through_its_agent() {
    let folder = tempfile::tempdir().unwrap();
    let token = file(&folder, "token", TOKEN);
    probe_made(&folder, |_| {});
    let mut agent = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args([
            "machine-agent",
            "--token-file",
            &token,
            "--listen",
            "127.0.0.1:0",
            "-q",
        ])
        .env("XDG_DATA_HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(agent.stdout.take().unwrap())
        .read_line(&mut url)
        .unwrap();
    let url = url.trim();
    let asked = inventory(
        &[],
        &["--machine-agent", url, "--machine-token-file", &token],
    );
    let wrong = file(&folder, "wrong", "another-token-0000");
    let refused = tokmark(&[
        "machine",
        "--machine-agent",
        url,
        "--machine-token-file",
        &wrong,
    ]);
    let port = url.rsplit(':').next().unwrap().parse().unwrap();
    let over_tls = through_tls(&folder, port, &token);
    let mut raw = std::net::TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    raw.write_all(b"GET /v1/inventory HTTP/1.0\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    raw.read_to_string(&mut answer).unwrap();
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_eq!(asked["source"], "agent");
    assert_eq!(asked["measured_bandwidth"]["read_gb_s"], 61.5);
    let [trusted, anything, untrusted] = over_tls;
    for output in [trusted, anything] {
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["source"], "agent", "{}", stderr(&output));
    }
    assert_eq!(untrusted.status.code(), Some(4), "{}", stderr(&untrusted));
    for part in [
        "cannot be reached",
        "UnknownIssuer",
        "--ca FILE",
        "--insecure",
    ] {
        assert!(stderr(&untrusted).contains(part), "{}", stderr(&untrusted));
    }
    assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("refused the token"));
    assert!(answer.starts_with("HTTP/1.0 401"), "{answer}");
}
