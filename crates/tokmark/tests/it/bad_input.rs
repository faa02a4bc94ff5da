use crate::fails;
use crate::fake_server::{answering, closed_port};

#[test]
fn nobody_listens() {
    let url = format!("127.0.0.1:{}", closed_port());
    for command in ["run", "probe"] {
        let said = fails(&[command, &url], 4, &[&url, "cannot be reached", "try:"]);
        assert!(said.to_lowercase().contains("refused"), "{said}");
    }
}

#[test]
fn b029_a_login_page_is_not_a_server() {
    let port = answering("200 OK\r\ncontent-type: text/html", "<html>Sign in</html>");
    fails(
        &["run", &format!("http://127.0.0.1:{port}/")],
        4,
        &["not a language-model server", "Sign in"],
    );
}

#[test]
fn b095_a_missing_key_and_a_wrong_key_are_told_apart_and_never_shown() {
    let port = answering(
        "401 Unauthorized\r\ncontent-type: application/json",
        r#"{"error":{"message":"Invalid API key"}}"#,
    );
    let url = format!("127.0.0.1:{port}");
    fails(&["run", &url], 4, &["authentication failed", "--api-key"]);
    let said = fails(
        &["run", &url, "--api-key", "very-secret-word"],
        4,
        &[
            "authentication failed",
            "--api-key or TOKMARK_API_KEY",
            "refused",
        ],
    );
    assert!(!said.contains("very-secret-word"), "{said}");
}

#[test]
fn a_model_that_is_not_served_gets_the_nearest_name() {
    let port = answering(
        "200 OK\r\ncontent-type: application/json",
        r#"{"object":"list","data":[{"id":"tiny-chat","object":"model"},{"id":"large","object":"model"}]}"#,
    );
    let url = format!("127.0.0.1:{port}");
    fails(
        &["run", &url, "--model", "tiny-chta"],
        2,
        &["tiny-chta", "tiny-chat", "large"],
    );
    fails(&["run", &url], 2, &["several models", "--model"]);
}

#[test]
fn addresses_that_are_none() {
    for url in ["", "http://", "ftp://host:80", "127.0.0.1:99999", "a b:80"] {
        fails(&["run", url], 2, &["error:"]);
    }
}

#[test]
fn arguments_that_are_none() {
    let url = "127.0.0.1:1";
    fails(&["run", url, "--contxts", "0"], 2, &["--contexts"]);
    fails(&["shwo", url], 2, &["show"]);
    fails(&["run", url, "--contexts", "8q"], 2, &["8q", "16K"]);
    fails(
        &["run", url, "--requests", "0"],
        2,
        &["whole numbers above 0"],
    );
    fails(&["run", url, "--duration", "30"], 2, &["unit"]);
    fails(&["run", url, "--duration", "0s"], 2, &["no length"]);
    fails(&["run", url, "--capacity", "expcted"], 2, &["expected"]);
    fails(&["run", url, "--header", "no-colon"], 2, &["Name: value"]);
    fails(
        &["run", url, "--api-key-file", "/nowhere/key"],
        2,
        &["/nowhere/key"],
    );
    fails(
        &["run", url, "--ca", "/nowhere/ca.pem"],
        2,
        &["/nowhere/ca.pem"],
    );
}

#[test]
fn files_that_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let cut = path("cut.json", "{\"format\": \"tokmark-run/1\",");
    let other = path("other.json", "{\"a\": 1}");
    let future = path("future.json", "{\"format\": \"tokmark-run/99\"}");
    for command in ["show", "verify"] {
        fails(&[command, "/nowhere/run.json"], 2, &["/nowhere/run.json"]);
        fails(&[command, &cut], 2, &["cut.json", "line"]);
        fails(&[command, &other], 2, &["not a tokmark run"]);
        fails(&[command, &future], 2, &["tokmark-run/99"]);
        fails(
            &[command, &dir.path().display().to_string()],
            2,
            &["several"],
        );
    }
    fails(&["import", &cut], 2, &["cut.json"]);
    fails(&["import", &other], 2, &["other.json"]);
    let empty = tempfile::tempdir().unwrap();
    fails(
        &["show", &empty.path().display().to_string()],
        2,
        &["no run document"],
    );
}

#[test]
fn an_output_folder_that_cannot_be_made_ends_before_anything_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let below = file.join("below").display().to_string();
    let port = answering(
        "200 OK\r\ncontent-type: application/json",
        r#"{"object":"list","data":[{"id":"m","object":"model"}],"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
    );
    let url = format!("127.0.0.1:{port}");
    fails(
        &["run", &url, "--output", &below],
        2,
        &["below", "--output"],
    );
}

#[test]
fn a_fault_that_is_none_gets_the_names_and_a_wrong_value_its_range() {
    let sim = |fault: &str, says: &[&str]| {
        fails(&["sim", "--port", "0", "--fault", fault], 2, says);
    };
    sim(
        "stal",
        &[
            "`stal` is not a fault",
            "`role-chunk`",
            "`stall`",
            "`restart`",
        ],
    );
    sim("stall:2", &["share from 0 to 1", "`2`"]);
    sim("stall:1:x", &["TOKENS of `stall`", "whole number", "`x`"]);
    sim("die:0.5", &["whole server"]);
}

#[test]
fn a_parameter_that_is_none_gets_the_names_and_what_cannot_work_the_reason() {
    let sim = |set: &str, says: &[&str]| {
        fails(&["sim", "--port", "0", "--set", set], 2, says);
    };
    sim(
        "cost.prefil=1",
        &[
            "`cost.prefil` is not a parameter",
            "`cost.prefill_ns_per_token`",
        ],
    );
    sim("ranks=x", &["`ranks`", "whole number"]);
    sim("jitter=2", &["`jitter` must lie between 0 and 1"]);
}

#[cfg(unix)]
#[test]
fn more_requests_than_the_system_lets_open_are_refused_before_anything_is_sent() {
    let program = assert_cmd::cargo::cargo_bin("tokmark");
    let line = format!(
        "ulimit -n 256; exec {} run 127.0.0.1:9 --requests 1,200",
        program.display()
    );
    let shell = std::process::Command::new("sh")
        .args(["-c", &line])
        .output();
    let refused = shell.unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("200 requests at once"), "{said}");
    assert!(said.contains("ulimit -Hn"), "{said}");
}

#[test]
fn streams_that_no_machine_has_are_refused() {
    for streams in ["0", "70000", "many"] {
        let refused = crate::tokmark(&["selftest", "--flood", streams]);
        assert_eq!(refused.status.code(), Some(2), "{streams}");
    }
}

/// What is typed acts, or is refused before anything is sent: nothing listens on the port.
#[test]
fn b098_limits_that_would_not_act_are_refused() {
    let check = |arguments: &[&str], says: &[&str]| {
        for command in ["run", "probe"] {
            let all = [&[command, "127.0.0.1:9"], arguments].concat();
            fails(&all, 2, says);
        }
    };
    let off = ["--prefill", "off"];
    let does_nothing = |option: &'static str| [option, "does nothing", "try: leave out"];
    let samples = [&off[..], &["--prefill-samples", "3"]].concat();
    check(&samples, &does_nothing("--prefill-samples"));
    let contexts = [&off[..], &["--prefill-contexts", "8k"]].concat();
    check(&contexts, &does_nothing("--prefill-contexts"));
    let alone = ["--prefill", "standalone"];
    for (option, value) in [("--requests", Some("1,8")), ("--duration", Some("10s"))] {
        let given = [
            &alone[..],
            &[option],
            &value.into_iter().collect::<Vec<_>>(),
        ]
        .concat();
        check(&given, &does_nothing(option));
    }
    check(
        &[&alone[..], &["--shared-context"]].concat(),
        &does_nothing("--shared-context"),
    );
    // One limit for all cells: a list of them is not read as its first.
    check(&["--duration", "1s,8s,64s"], &["--duration", "1s,8s,64s"]);
    check(&["--max-output", "10,80"], &["--max-output", "10,80"]);
    check(&["--request", "1"], &["--request", "--requests"]);
}

/// What to try next, where a file or a word is not the right one.
#[test]
fn a_wrong_file_or_word_is_told_with_what_to_try() {
    let run = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/run-1/demo.json"
    );
    let evidence = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/run-1/demo.evidence.zst"
    );
    let above = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let check = |arguments: &[&str], says: &str| fails(arguments, 2, &["error: ", says]);
    check(&["show", "gone.json"], "try: name the `*.json` file");
    check(
        &["show", evidence],
        "try: that is the evidence; name the document beside it, `demo.json`",
    );
    check(&["show", above], "try: name a run in it, such as");
    check(
        &["show", run, "--output", "/nowhere/x"],
        "try: name a file in a folder that exists",
    );
    check(
        &["compare", run, run, "--junit", "/nowhere/x"],
        "try: name a file in a folder",
    );
    check(&["import", "gone.json"], "try: name a result file");
    check(&["import", run], "try: `tokmark show ");
    check(&["calc", "fit", "gone"], "try: name run documents");
    check(
        &["run", "127.0.0.1:9", "--api-key-file", "gone"],
        "try: name a file",
    );
    check(&["sim", "--dialect", "vlm"], "try: did you mean `vllm`?");
    check(&["sim", "--preset", "smal"], "try: did you mean `small`?");
    check(
        &["sim", "--set", "cost.fixed=1"],
        "try: did you mean `cost.fixed_ns`?",
    );
    check(
        &["run", "127.0.0.1:9", "--engine", "vlm"],
        "try: `--engine vllm`",
    );
}

#[test]
fn tls_to_a_server_without_it_names_the_plain_address() {
    // It answers what is no request, and does not only hang up.
    let (_server, url) = crate::resume::server();
    let plain = format!("`{url}`");
    let secure = url.replace("http://", "https://");
    let said = fails(&["probe", &secure], 4, &["does not speak TLS", &plain]);
    assert!(!said.contains("--ca"), "{said}");
}

#[test]
fn a_run_without_time_is_refused() {
    fails(
        &["run", "127.0.0.1:1", "--max-time", "0s"],
        2,
        &["a run of no length", "--max-time 10m"],
    );
}
