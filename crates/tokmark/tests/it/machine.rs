use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::gateway::tls_in_front;
use crate::tokmark;

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
    let mut agent = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args([
            "machine-agent",
            "--token-file",
            &token,
            "--listen",
            "127.0.0.1:0",
            "-q",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(agent.stdout.take().unwrap())
        .read_line(&mut url)
        .unwrap();
    let url = url.trim();
    let asked = tokmark(&[
        "machine",
        "--json",
        "--machine-agent",
        url,
        "--machine-token-file",
        &token,
    ]);
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
    let value: serde_json::Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert_eq!(value["source"], "agent");
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
