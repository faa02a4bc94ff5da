//! Removes secrets and private names from texts that a document keeps (methodology section 8).
//!
//! Only what is recognised is taken out; every other character, white space included, stays.

use std::net::Ipv4Addr;

use serde_json::Value;

/// What stands where a secret stood.
const SECRET: &str = "[removed]";

/// A JSON value with every text in it redacted, and values of secret fields removed.
pub(crate) fn json(value: Value) -> Value {
    match value {
        Value::String(plain) => Value::String(text(&plain)),
        Value::Array(items) => Value::Array(items.into_iter().map(json).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| {
                    let value = match value {
                        Value::String(_) | Value::Number(_) if is_secret_name(&name) => {
                            SECRET.into()
                        }
                        other => json(other),
                    };
                    (name, value)
                })
                .collect(),
        ),
        other => other,
    }
}

/// Fields of benchmarks whose value names a machine or a person, as hosts stand in them without a
/// scheme.
const PRIVATE_FIELDS: [&str; 7] = [
    "host",
    "hostname",
    "server",
    "uname",
    "username",
    "user",
    "machine_name",
];

/// Fields of benchmarks that hold what was asked and answered. Texts of users are nobody's business
/// and no result.
const TEXT_FIELDS: [&str; 9] = [
    "generated_texts",
    "output",
    "reasoning_output",
    "request_args",
    "prompt",
    "prompts",
    "generated_text",
    "output_text",
    "messages",
];

/// Another tool's file without secrets, private names, and the texts of prompts and answers.
pub(crate) fn original(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(original).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| {
                    let value = field(&name, value);
                    (name, value)
                })
                .collect(),
        ),
        other => json(other),
    }
}

/// Fields of benchmarks that hold an address, perhaps without its scheme.
const ADDRESS_FIELDS: [&str; 6] = ["url", "urls", "u", "target", "base_url", "endpoint_url"];

fn field(name: &str, value: Value) -> Value {
    let word = name.to_ascii_lowercase();
    let words = word.as_str();
    match value {
        Value::String(text) if ADDRESS_FIELDS.contains(&words) => address(&text).into(),
        Value::Array(items) if ADDRESS_FIELDS.contains(&words) => {
            items.into_iter().map(|item| field(name, item)).collect()
        }
        Value::String(text) if PRIVATE_FIELDS.contains(&words) && !is_here(&text) => SECRET.into(),
        Value::String(text) if TEXT_FIELDS.contains(&words) && !text.is_empty() => SECRET.into(),
        Value::Array(items)
            if TEXT_FIELDS.contains(&words) && items.iter().any(Value::is_string) =>
        {
            SECRET.into()
        }
        Value::String(_) | Value::Number(_) if is_secret_name(name) => SECRET.into(),
        other => original(other),
    }
}

/// An address without the name of somebody's server.
fn address(word: &str) -> String {
    let bare = word.trim_matches(['"', '\'']);
    if word.contains("://") || is_here(bare) || bare.is_empty() {
        text(word)
    } else {
        SECRET.to_owned()
    }
}

/// Whether an address is the machine that one sits at, which names nobody.
fn is_here(address: &str) -> bool {
    ["127.", "localhost", "[::1]", "0.0.0.0"]
        .iter()
        .any(|start| address.starts_with(start))
}

/// A text without keys, passwords, private addresses and names of home folders.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut state = Next::Anything;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let (shown, next) = state.take(word);
        out.push_str(&shown);
        out.push_str(piece.get(word.len()..).unwrap_or_default());
        state = next;
    }
    out
}

/// What the words before say about the next one.
enum Next {
    Anything,
    /// It is a secret.
    Secret,
    /// It is an address.
    Address,
    /// It is inside a quoted secret, until this quote.
    Until(char),
}

impl Next {
    fn take(self, word: &str) -> (String, Self) {
        match self {
            _ if word.is_empty() => (String::new(), self),
            Self::Until(quote) => {
                let ends = word.ends_with(quote);
                let next = if ends { Self::Anything } else { self };
                (String::new(), next)
            }
            Self::Secret => hidden("", word),
            Self::Address => (address(word), Self::Anything),
            Self::Anything => plain(word),
        }
    }
}

/// A secret value after `before`; a quote that stays open hides the words that follow too.
fn hidden(before: &str, value: &str) -> (String, Next) {
    let shown = format!("{before}{SECRET}");
    let open = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\'') && !closes(value, *quote));
    (shown, open.map_or(Next::Anything, Next::Until))
}

fn closes(value: &str, quote: char) -> bool {
    value.len() > 1 && value.trim_end_matches(',').ends_with(quote)
}

fn plain(word: &str) -> (String, Next) {
    if let Some((name, value)) = word.split_once('=')
        && is_secret_name(name)
        && !value.is_empty()
    {
        return hidden(&format!("{name}="), value);
    }
    if let Some(name) = word.strip_prefix("--")
        && is_secret_name(name)
    {
        return (word.to_owned(), Next::Secret);
    }
    if matches!(
        word,
        "--host" | "--url" | "--base-url" | "--target" | "--endpoint-url"
    ) {
        return (word.to_owned(), Next::Address);
    }
    let bare = word.trim_matches(|c| matches!(c, '"' | '\'' | ':' | ','));
    if is_device_serial(bare) {
        return hidden("", bare);
    }
    if bare.eq_ignore_ascii_case("bearer") {
        return (word.to_owned(), Next::Secret);
    }
    if is_known_key(bare) {
        return hidden("", bare);
    }
    (without_private_names(word), Next::Anything)
}

/// Names such as `--api-key`, `HF_TOKEN`, `db_password`. `--max-num-batched-tokens` and
/// `--tokenizer` are none.
fn is_secret_name(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = name
        .split(['-', '_'])
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "token" | "apikey"] | [.., "api" | "access" | "secret" | "private", "key"] => true,
        all => all
            .iter()
            .any(|word| matches!(*word, "password" | "passwd" | "secret" | "credentials")),
    }
}

/// Beginnings of keys that services give out.
const KEY_STARTS: [&str; 9] = [
    "hf_",
    "sk-",
    "tok_",
    "ghp_",
    "github_pat_",
    "glpat-",
    "nvapi-",
    "xoxb-",
    "AKIA",
];

/// Shorter words with such a beginning are names, not keys.
const SHORTEST_KEY: usize = 16;

fn is_known_key(word: &str) -> bool {
    word.len() >= SHORTEST_KEY && KEY_STARTS.iter().any(|start| word.starts_with(start))
}

/// `GPU-` and a UUID: one card of one owner.
fn is_device_serial(word: &str) -> bool {
    word.strip_prefix("GPU-").is_some_and(|rest| {
        rest.len() == 36 && rest.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
    })
}

fn without_private_names(word: &str) -> String {
    let mut word = word.to_owned();
    for folder in ["/home/", "/Users/", "\\Users\\"] {
        word = without_user(&word, folder);
    }
    if let Some((scheme, rest)) = word.split_once("://")
        && let Some((user, host)) = rest.split_once('@')
        && !user.contains('/')
    {
        word = format!("{scheme}://{SECRET}@{host}");
    }
    without_addresses(&without_host(&word))
}

/// Places of public files, which name no server of anybody.
const PUBLIC: [&str; 4] = ["huggingface.co", "modelscope.cn", "github.com", "ghcr.io"];

/// The host of an address with a scheme: whose server it is, is private.
fn without_host(word: &str) -> String {
    let Some((before, after)) = word.split_once("://") else {
        return word.to_owned();
    };
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    if !matches!(scheme, Some("http" | "https" | "grpc" | "ws" | "wss")) {
        return word.to_owned();
    }
    let start = after.rfind('@').map_or(0, |at| at + 1);
    let (user, after) = after.split_at(start);
    let end = after
        .find(['/', '"', '\'', ',', ')', ']', '?', '\\', ';'])
        .unwrap_or(after.len());
    let (host, rest) = after.split_at(end);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    };
    if name.is_empty() || is_here(host) || PUBLIC.iter().any(|public| name.ends_with(public)) {
        return word.to_owned();
    }
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{before}://{user}{SECRET}{port}{}", without_host(rest))
}

/// The part of a path after a folder of home folders is somebody's name.
fn without_user(word: &str, folder: &str) -> String {
    match word.split_once(folder) {
        None => word.to_owned(),
        Some((before, after)) => {
            let end = after
                .find(['/', '\\', ':', '"', '\''])
                .unwrap_or(after.len());
            let rest = after.get(end..).unwrap_or_default();
            format!("{before}{folder}{SECRET}{rest}")
        }
    }
}

fn without_addresses(word: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (address, after) = rest.split_at(digits);
        match address.trim_end_matches('.').parse::<Ipv4Addr>() {
            Ok(found) if found.is_private() || found.is_link_local() => out.push_str(SECRET),
            _ => out.push_str(address),
        }
        let others = after.find(is_part).unwrap_or(after.len());
        let (between, next) = after.split_at(others);
        out.push_str(between);
        rest = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expect: &str) {
        assert_eq!(text(given), expect);
    }

    #[test]
    fn keys_go_wherever_they_stand() {
        check("--api-key abc  --port 1", "--api-key [removed]  --port 1");
        check("--api-key=abc", "--api-key=[removed]");
        check(
            "--api-key 'a b c' -x",
            "--api-key [removed] -x".replace(" -x", "   -x").as_str(),
        );
        check("HF_TOKEN=x vllm", "HF_TOKEN=[removed] vllm");
        check("-e HF_TOKEN=\"x y\" z", "-e HF_TOKEN=[removed]  z");
        check(
            "Authorization: Bearer abc",
            "Authorization: Bearer [removed]",
        );
        check("key sk-0123456789abcdef.", "key [removed]");
        check("password=\tx", "password=\tx");
    }

    #[test]
    fn private_names_go() {
        check("/home/somebody/models/x", "/home/[removed]/models/x");
        check("C:\\Users\\somebody\\x", "C:\\Users\\[removed]\\x");
        check("http://192.168.1.7:8000/v1", "http://[removed]:8000/v1");
        check("host 10.0.0.3.", "host [removed]");
        check(
            "https://me:pw@example.org/x",
            "https://[removed]@[removed]/x",
        );
    }

    #[test]
    fn hosts_go_from_addresses() {
        check("https://box.corp:8000/v1", "https://[removed]:8000/v1");
        check("--url 'http://box/v1'", "--url 'http://[removed]/v1'");
        check("https://me:pw@box/x", "https://[removed]@[removed]/x");
        for same in [
            "http://127.0.0.1:8000",
            "http://localhost:1/v1",
            "https://huggingface.co/a/b",
            "s3://bucket/x",
            "--host 0.0.0.0 --port 8000",
        ] {
            check(same, same);
        }
        check("--host box.corp --port 1", "--host [removed] --port 1");
        check(
            "GPU-01234567-89ab-cdef-0123-456789abcdef idle",
            "[removed] idle",
        );
    }

    #[test]
    fn originals_lose_hosts_and_texts() {
        let given = serde_json::json!({
            "hostname": "box", "server": "127.0.0.1:1", "output": "hello",
            "generated_texts": ["a"], "requests": [{"output": "b", "output_tokens": 2}],
            "output_config": {"output": {"path": "x"}}, "api_key": "k",
            "u": "box:1", "urls": ["http://box:2", "localhost:3"]
        });
        let expect = serde_json::json!({
            "hostname": "[removed]", "server": "127.0.0.1:1", "output": "[removed]",
            "generated_texts": "[removed]", "requests": [{"output": "[removed]", "output_tokens": 2}],
            "output_config": {"output": {"path": "x"}}, "api_key": "[removed]",
            "u": "[removed]", "urls": ["http://[removed]:2", "localhost:3"]
        });
        assert_eq!(original(given), expect);
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        for same in [
            "",
            "  a\n\tb ",
            "--max-num-batched-tokens 8192 --tokenizer x/y",
            "KV cache: int4_per_token_head",
            "NVIDIA driver 595.99.02, 127.0.0.1:8000, 8.8.8.8",
            "@submitter",
            "sk-short",
        ] {
            check(same, same);
        }
    }

    #[test]
    fn fields_with_secret_names_lose_their_value() {
        let given =
            serde_json::json!({"api_key": "x", "tokens": 5, "deep": [{"text": "--token y"}]});
        let expect = serde_json::json!(
            {"api_key": "[removed]", "tokens": 5, "deep": [{"text": "--token [removed]"}]}
        );
        assert_eq!(json(given), expect);
    }
}
