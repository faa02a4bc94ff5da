use proptest::prelude::*;
use tokmark_engines::{Address, Scheme};

fn check(text: &str, shown: &str, port: u16, host: &str) {
    let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(address.display(), shown, "{text}");
    assert_eq!(address.port, port, "{text}");
    assert_eq!(address.host, host, "{text}");
}

#[test]
fn what_people_type() {
    check("localhost:8000", "http://localhost:8000", 8000, "localhost");
    check(
        " localhost:8000/ ",
        "http://localhost:8000",
        8000,
        "localhost",
    );
    check("8000", "http://localhost:8000", 8000, "localhost");
    check(":8000", "http://localhost:8000", 8000, "localhost");
    check("//box:8000", "http://box:8000", 8000, "box");
    check("http://box:8000/v1", "http://box:8000", 8000, "box");
    check("HTTP://Box:8000/v1/", "http://box:8000", 8000, "box");
    check(
        "http://box:8000/v1/chat/completions",
        "http://box:8000",
        8000,
        "box",
    );
    check(
        "https://api.example.org",
        "https://api.example.org",
        443,
        "api.example.org",
    );
    check(
        "https://api.example.org/llm/v1",
        "https://api.example.org/llm",
        443,
        "api.example.org",
    );
    check(
        "api.example.org:443",
        "https://api.example.org",
        443,
        "api.example.org",
    );
    check(
        "http://api.example.org:443",
        "http://api.example.org:443",
        443,
        "api.example.org",
    );
    check(
        "box/team a/v1".replace(' ', "%20").as_str(),
        "http://box/team%20a",
        80,
        "box",
    );
    check(
        "http://10.0.0.7:30000/v1beta",
        "http://10.0.0.7:30000/v1beta",
        30000,
        "10.0.0.7",
    );
    // A gateway with the account behind its own `/v1`, with and without ours.
    check(
        "https://gate.example.org/v1/acme/openai",
        "https://gate.example.org/v1/acme/openai",
        443,
        "gate.example.org",
    );
    check(
        "https://gate.example.org/v1/acme/v1/models",
        "https://gate.example.org/v1/acme",
        443,
        "gate.example.org",
    );
    check("box:1//v1/chat/completions", "http://box:1", 1, "box");
    check("box:1/v1//v1", "http://box:1", 1, "box");
}

#[test]
fn b088_ipv6_hosts() {
    check("[::1]:8000", "http://[::1]:8000", 8000, "::1");
    check("http://[::1]:8000", "http://[::1]:8000", 8000, "::1");
    check("::1", "http://[::1]", 80, "::1");
    check("2001:db8::12", "http://[2001:db8::12]", 80, "2001:db8::12");
    check(
        "https://[2001:DB8::1]/v1",
        "https://[2001:db8::1]",
        443,
        "2001:db8::1",
    );
    fault("::1:8000", "with or without a port", "`[::1]:8000`");
    fault(
        "1:2:3:4:5:6:7:8:8000",
        "with or without a port",
        "`[1:2:3:4:5:6:7:8]:8000`",
    );
    fault(
        "http://[fe80::1%25eth0]:8000",
        "network interface",
        "another address",
    );
    fault("[::1:8000", "not closed", "host:port");
}

fn socket(text: &str, path: &str, prefix: &str, shown: &str) {
    let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(
        address.socket.as_deref(),
        Some(std::path::Path::new(path)),
        "{text}"
    );
    assert_eq!(address.path_prefix, prefix, "{text}");
    assert_eq!(address.host, "localhost");
    assert_eq!(address.authority(), "localhost");
    assert_eq!(address.display(), shown, "{text}");
    let again = Address::parse(shown).unwrap();
    assert_eq!(
        (again.socket, again.path_prefix),
        (address.socket, address.path_prefix)
    );
    assert_eq!(again.scheme, address.scheme);
}

#[test]
fn unix_sockets() {
    let run = "unix:/run/llm.sock";
    socket("unix:/run/llm.sock", "/run/llm.sock", "", run);
    socket(" UNIX:///run/llm.sock ", "/run/llm.sock", "", run);
    socket("unix:/run/llm.sock:", "/run/llm.sock", "", run);
    socket("unix:/run/llm.sock:/v1", "/run/llm.sock", "", run);
    let prefix = "unix:/run/llm.sock:/llm";
    socket(
        "unix:/run/llm.sock:/llm/v1/",
        "/run/llm.sock",
        "/llm",
        prefix,
    );
    socket("http+unix://%2Frun%2Fllm.sock", "/run/llm.sock", "", run);
    socket(
        "http+unix://%2Frun%2Fllm.sock/llm/v1",
        "/run/llm.sock",
        "/llm",
        prefix,
    );
    socket(
        "http+unix:///run/llm.sock:/llm",
        "/run/llm.sock",
        "/llm",
        prefix,
    );
    socket("unix:llm.sock", "llm.sock", "", "unix:llm.sock");
    socket("unix:/a b/x?.sock", "/a b/x?.sock", "", "unix:/a b/x?.sock");
    socket(
        "https+unix://%2Frun%2Fllm.sock/x",
        "/run/llm.sock",
        "/x",
        "https+unix://%2Frun%2Fllm.sock/x",
    );
    socket(
        "http+unix://%2Fa%3A%2Fb",
        "/a:/b",
        "",
        "http+unix://%2Fa%3A%2Fb",
    );
    assert_eq!(Address::parse("https+unix://x").unwrap().port, 443);
    fault("unix:", "no path", "unix:/path/to.sock");
    fault("http+unix://", "no path", "unix:/path/to.sock");
    fault("http+unix://%FF", "UTF-8", "unix:/path/to.sock");
    fault("unix:/a\u{7}", "control character", "unix:/path/to.sock");
    fault("unix:/a:/b?c", "path behind it", "unix:/path/to.sock");
    let long = format!("unix:/{}", "x".repeat(107));
    fault(&long, "longer than 107 bytes", "unix:/path/to.sock");
    assert!(Address::parse(&long[..long.len() - 1]).is_ok());
}

fn fault(text: &str, message: &str, hint: &str) {
    let error = Address::parse(text).expect_err(text);
    assert!(error.to_string().contains(message), "{text}: {error}");
    assert!(error.hint().contains(hint), "{text}: {}", error.hint());
}

#[test]
fn faults_come_with_a_remedy() {
    fault("", "empty", "localhost:8000");
    fault("htp://box:8000", "`htp`", "`http://box:8000`");
    fault("htttps://box", "`htttps`", "`https://box`");
    fault("ws://box:8000", "`ws`", "`http://box:8000`");
    fault("http:/box:8000", "`http:/`", "`http://box:8000`");
    fault("https//box:8000", "`https//`", "`https://box:8000`");
    fault("box:80o0", "`80o0`", "1 to 65535");
    fault("box:70000", "`70000`", "1 to 65535");
    fault("box:0", "`0`", "1 to 65535");
    fault("box:+80", "`+80`", "1 to 65535");
    fault("box:", "is not a port", "1 to 65535");
    fault("box :8000", "white space", "quote");
    fault("a:b:c", "more than one colon", "host:port");
    fault("http://box:8000/?x=1", "query", "without");
    fault("http://", "not an address", "host:port");
}

#[test]
fn secrets_in_an_address_are_refused_and_not_repeated() {
    let check = |given: &str, hint: &str| {
        let error = Address::parse(given).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        assert!(error.hint().contains(hint), "{}", error.hint());
    };
    check("http://me:hunter2@box:8000/v1", "--api-key");
    // Whatever else is wrong with it.
    check("http://me:hunter2@box :8000", "--api-key");
    check("htp://hunter2@box", "--api-key");
    check("http://me:hunt/hunter2@box", "--api-key");
    check("hunter2@[::1", "--api-key");
    check("http://box:8000/v1?api_key=hunter2", "without");
    check("http://box :8000/v1?api_key=hunter2", "white space");
    for text in [
        "me:hunter2@box :8000",
        "http://me:hunter2@box:port",
        "ftp://me:hunter2@box",
        "http://me:hunter2@",
        "box:8000?key=hunter2",
        "http://box/v1?key=hunter2",
        "http://box:x#hunter2",
        "http://me:x@box?key=hunter2",
    ] {
        let error = Address::parse(text).expect_err(text);
        let told = format!("{error} {error:?} {}", error.hint());
        assert!(!told.contains("hunter2"), "{text}: {told}");
    }
}

#[test]
fn hints_say_what_was_assumed() {
    let hint = |text: &str| Address::parse(text).unwrap().hint;
    assert!(hint("box").unwrap().contains("port 80"));
    assert_eq!(hint("box:8000"), None);
    assert_eq!(hint("https://box"), None);
    let any = Address::parse("http://0.0.0.0:8000").unwrap();
    assert_eq!((any.host.as_str(), any.scheme), ("127.0.0.1", Scheme::Http));
    assert!(any.hint.unwrap().contains("listens"));
    assert_eq!(Address::parse("[::]:8000").unwrap().host, "::1");
}

#[test]
fn parsing_what_is_displayed_changes_nothing() {
    for text in [
        "8000",
        "https://h/x/v1",
        "[2001:db8::1]:9",
        "http://h:443",
        "h",
    ] {
        let once = Address::parse(text).unwrap();
        let twice = Address::parse(&once.display()).unwrap();
        assert_eq!(once.display(), twice.display());
        assert_eq!((once.scheme, once.port), (twice.scheme, twice.port));
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser_and_display_is_stable(
        text in "(https?:/?/?|//|)[a-z0-9.:@%\\[\\]]{0,20}(:[0-9]{0,6})?(/[a-z0-9/]{0,9})?(/v1/?)?",
    ) {
        match Address::parse(&text) {
            Ok(address) => {
                let again = Address::parse(&address.display()).unwrap();
                prop_assert_eq!(again.display(), address.display());
                prop_assert!(!address.path_prefix.ends_with('/'));
            }
            Err(error) => prop_assert!(!error.hint().is_empty()),
        }
    }
}
