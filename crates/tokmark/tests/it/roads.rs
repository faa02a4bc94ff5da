//! The ways to a server, from the command line on.

use tokmark_test_kit::Front;

use crate::gateway::{on, on_socket, over_tls, plain, proxy};
use crate::{fails_with, tokmark_with};

/// Probes a server and gives what was said on both streams.
fn probes(variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let all = [&["probe"], arguments].concat();
    let output = tokmark_with(variables, &all);
    let both = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&both).into_owned();
    assert!(output.status.success(), "{arguments:?}\n{said}");
    assert!(said.contains("model     small"), "{said}");
    said
}

fn http2() -> Front {
    Front {
        http2: true,
        ..Front::default()
    }
}

#[test]
fn http2_is_spoken_when_asked_for() {
    let url = format!("127.0.0.1:{}", plain(http2()));
    probes(&[], &[&url, "--http2"]);
    probes(&[("TOKMARK_HTTP2", "true")], &[&url]);
    fails_with(
        &[],
        &["probe", &url],
        4,
        &["cannot be reached", "or `--http2`?"],
    );
    let url = format!("127.0.0.1:{}", plain(Front::default()));
    let says = ["cannot be reached", "leave out `--http2`"];
    fails_with(&[], &["probe", &url, "--http2"], 4, &says);
}

#[test]
fn b089_a_private_authority_is_refused_trusted_or_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let ca = ca.to_str().unwrap();
    for front in [Front::default(), http2()] {
        let (port, pem) = over_tls(front.clone());
        std::fs::write(ca, pem).unwrap();
        let url = format!("https://localhost:{port}");
        let to = format!("127.0.0.1:{port}");
        let mut road = vec![url.as_str(), "--connect-to", &to];
        if front.http2 {
            road.push("--http2");
        }
        let untrusted = [&["probe"], road.as_slice()].concat();
        let says = ["UnknownIssuer", "--ca FILE", "--insecure"];
        fails_with(&[], &untrusted, 4, &says);
        probes(&[], &[road.as_slice(), &["--ca", ca]].concat());
        probes(&[], &[road.as_slice(), &["--insecure"]].concat());
    }
    let (port, _) = over_tls(Front::default());
    let url = format!("https://localhost:{port}");
    let to = format!("127.0.0.1:{port}");
    let road = ["probe", &url, "--connect-to", &to, "--insecure", "--http2"];
    fails_with(&[], &road, 4, &["TLS", "try:"]);
    std::fs::write(ca, "no certificate").unwrap();
    let road = ["probe", &url, "--ca", ca];
    fails_with(&[], &road, 2, &["no PEM certificate", "--ca"]);
}

#[test]
fn a_unix_socket_with_and_without_a_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("llm.sock");
    on_socket(&socket, Front::default());
    let path = socket.to_str().unwrap();
    probes(
        &[("http_proxy", "http://127.0.0.1:9")],
        &[&format!("unix:{path}")],
    );
    let encoded = path.replace('/', "%2F");
    probes(&[], &[&format!("http+unix://{encoded}/v1")]);
    probes(
        &[],
        &[
            "http://llm.example:8000",
            "--connect-to",
            &format!("unix:{path}"),
        ],
    );
    let below = dir.path().join("below.sock");
    let front = Front {
        prefix: "/llm".to_owned(),
        ..Front::default()
    };
    on_socket(&below, front);
    let path = below.to_str().unwrap();
    let said = probes(&[], &[&format!("unix:{path}:/llm/v1")]);
    assert!(said.contains(&format!("unix:{path}:/llm\n")), "{said}");
    let missing = format!("unix:{path}x");
    fails_with(
        &[],
        &["probe", &missing],
        4,
        &["below.sockx", "nothing listens"],
    );
    let road = ["probe", &missing, "--proxy", "http://127.0.0.1:9"];
    fails_with(&[], &road, 2, &["Unix socket", "--proxy"]);
}

#[test]
fn b088_an_ipv6_address_in_brackets() {
    let Some(port) = on("::1", Front::default()) else {
        println!("skipped: there is no ::1 here");
        return;
    };
    let said = probes(&[], &[&format!("[::1]:{port}")]);
    assert!(said.contains(&format!("http://[::1]:{port}")), "{said}");
    probes(&[], &[&format!("http://[::1]:{port}/v1")]);
}

#[test]
fn a_path_prefix_stands_before_every_route() {
    let front = Front {
        prefix: "/team/llm".to_owned(),
        ..Front::default()
    };
    let port = plain(front);
    probes(&[], &[&format!("http://127.0.0.1:{port}/team/llm/v1")]);
    let bare = format!("127.0.0.1:{port}");
    fails_with(&[], &["probe", &bare], 4, &["not a language-model server"]);
}

#[test]
fn b089_proxies_of_the_environment_and_of_the_command_line() {
    let server = plain(Front::default());
    let (port, asked) = proxy(server);
    let with_password = format!("http://me:hunter2-pw@127.0.0.1:{port}");
    let first = || asked.lock().unwrap().drain(..).next();

    // Plain requests name the whole address, and only the proxy gets its credentials.
    let said = probes(&[("HTTP_PROXY", &with_password)], &["llm.invalid:8000"]);
    let head = first().unwrap().to_lowercase();
    assert!(
        head.starts_with("get http://llm.invalid:8000/v1/models http/1.1\r\n"),
        "{head}"
    );
    let basic = "proxy-authorization: basic bwu6ahvudgvymi1wdw==";
    assert!(head.contains(basic), "{head}");
    assert!(head.contains("host: llm.invalid:8000\r\n"), "{head}");
    let note = format!("through the proxy `127.0.0.1:{port}` (HTTP_PROXY)");
    assert!(said.contains(&note), "{said}");
    assert!(!said.contains("hunter2"), "{said}");

    // This machine is not reached through it, unless asked.
    let own = format!("127.0.0.1:{server}");
    probes(&[("http_proxy", &with_password)], &[&own]);
    assert_eq!(first(), None);
    probes(&[], &[&own, "--proxy", &with_password]);
    assert!(first().unwrap().starts_with(&format!("GET http://{own}/")));
    probes(&[("all_proxy", "socks5://me:hunter2@127.0.0.1:9")], &[&own]);
    assert_eq!(first(), None);

    // Another end than the address needs a tunnel.
    let road = ["llm.invalid:8000", "--connect-to", "other.invalid:1"];
    probes(&[("ALL_PROXY", &with_password)], &road);
    assert!(
        first()
            .unwrap()
            .starts_with("CONNECT other.invalid:1 HTTP/1.1\r\n")
    );

    for direct in [
        vec![
            ("http_proxy", with_password.as_str()),
            ("no_proxy", ".invalid"),
        ],
        vec![("HTTP_PROXY", with_password.as_str()), ("NO_PROXY", "a, *")],
    ] {
        let road = ["probe", "llm.invalid:8000"];
        fails_with(&direct, &road, 4, &["llm.invalid", "no address"]);
    }
    let road = ["probe", "llm.invalid:8000", "--no-proxy"];
    let variables = [("http_proxy", with_password.as_str())];
    fails_with(&variables, &road, 4, &["llm.invalid", "no address"]);
    assert_eq!(first(), None);
}

#[test]
fn b089_https_through_a_proxy_is_a_tunnel() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let (server, pem) = over_tls(Front::default());
    std::fs::write(&ca, pem).unwrap();
    let (port, asked) = proxy(server);
    let url = format!("127.0.0.1:{port}");
    let road = [
        "https://localhost",
        "--ca",
        ca.to_str().unwrap(),
        "--proxy",
        &url,
    ];
    probes(&[], &road);
    let head = asked.lock().unwrap()[0].clone();
    assert_eq!(
        head,
        "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n"
    );
}

#[test]
fn roads_that_are_none() {
    let url = "llm.invalid:8000";
    let told = |variables: &[(&str, &str)], more: &[&str], says: &[&str]| {
        let all = [&["probe", url], more].concat();
        let said = fails_with(variables, &all, 2, says);
        assert!(!said.contains("hunter2"), "{said}");
    };
    told(
        &[],
        &["--proxy", "socks5://me:hunter2@p:1"],
        &["`socks5`", "--proxy http"],
    );
    told(&[], &["--proxy", "http://me:hunter2@p:port"], &["port"]);
    told(&[], &["--proxy", ""], &["empty"]);
    told(
        &[],
        &["--proxy", "p:1", "--no-proxy"],
        &["--no-proxy", "--proxy"],
    );
    let socks = [("ALL_PROXY", "socks5h://me:hunter2@p:1080")];
    told(&socks, &[], &["`ALL_PROXY`", "`socks5h`", "--no-proxy"]);
    let broken = [("http_proxy", "http://me:hunter2@:x")];
    told(&broken, &[], &["`http_proxy`"]);
    told(&[], &["--connect-to", "ftp://x"], &["`ftp`"]);
    told(
        &[],
        &["--header", "X-Key hunter2"],
        &["no colon", "Name: value"],
    );
    told(
        &[],
        &["--header", "X Key: hunter2"],
        &["name", "Name: value"],
    );
    told(&[], &["--header", "X-Key: a\nhunter2"], &["`x-key`"]);
    told(
        &[],
        &["--header", "Content-Length: 7"],
        &["`content-length`"],
    );
    told(&[], &["--api-key", "hunter2\nx"], &["API key"]);
    for url in [
        "unix:",
        "http+unix://%FF",
        "http://me:hunter2@box:1",
        "box:1?key=hunter2",
    ] {
        let said = fails_with(&[], &["probe", url], 2, &["error:", "try:"]);
        assert!(!said.contains("hunter2"), "{said}");
    }
    let silent = crate::fake_server::closed_port();
    let nobody = format!("http://me:hunter2@127.0.0.1:{silent}");
    let road = ["probe", url, "--proxy", &nobody];
    let said = fails_with(
        &[],
        &road,
        4,
        &["the proxy", "cannot be reached", "refused"],
    );
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn redirections_are_refused_with_the_address_to_use() {
    let port = crate::fake_server::answering(
        "308 Permanent Redirect\r\nlocation: https://me:hunter2@llm.example/v1/models?key=hunter2",
        "",
    );
    let url = format!("127.0.0.1:{port}");
    let says = [
        "redirects to",
        "use that address: `https://llm.example/v1/models`",
    ];
    let said = fails_with(&[], &["run", &url], 4, &says);
    assert!(!said.contains("hunter2"), "{said}");
}

/// What the client runs on is no fact of a server elsewhere.
#[test]
fn b101_a_remote_servers_machine_is_unknown() {
    let (port, _) = proxy(plain(Front::default()));
    let through = format!("http://127.0.0.1:{port}");
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run");
    let output = tokmark_with(
        &[("http_proxy", &through)],
        &[
            "run",
            "http://llm.invalid:8000",
            "--prefill",
            "standalone",
            "--contexts",
            "0",
            "--prefill-contexts",
            "1k",
            "--json",
            "--output",
            folder.to_str().unwrap(),
        ],
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&said);
    let hardware = &document["hardware"];
    assert_eq!(hardware["class"], "unknown", "{hardware}");
    for fact in ["name", "cpu", "memory_bytes", "os", "driver", "source"] {
        assert!(hardware[fact].is_null(), "{fact}: {hardware}");
    }
    for list in ["accelerators", "unused_accelerators"] {
        assert_eq!(hardware[list], serde_json::json!([]), "{hardware}");
    }
    assert!(document["launch_command"].is_null());
    assert!(
        document["prefill"][0]["energy"].is_null(),
        "nobody watched it"
    );
    assert!(document["prefill"][0]["ttft_ms"].as_f64().unwrap() > 0.0);
}
