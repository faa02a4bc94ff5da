//! Secrets and private places that show by their own shape, whatever stands before them.

use super::HIDDEN;

/// Beginnings of keys that services hand out, with the least length of what follows.
const KEY_BEGINNINGS: [(&str, usize); 14] = [
    ("AKIA", 12),
    ("AIza", 20),
    ("eyJ", 30),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghs_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("gsk_", 16),
    ("hf_", 16),
    ("nvapi-", 16),
    ("sk-", 8),
    ("sk_", 16),
    ("xoxb-", 10),
];

/// Beginnings of addresses whose host is named.
const SCHEMES: [&str; 10] = [
    "http://", "https://", "ws://", "wss://", "tcp://", "grpc://", "grpcs://", "nats://",
    "redis://", "etcd://",
];

/// Hosts that say nothing about a person.
const PUBLIC_HOSTS: [&str; 7] = [
    "huggingface.co",
    "hf.co",
    "github.com",
    "raw.githubusercontent.com",
    "modelscope.cn",
    "ollama.com",
    "pypi.org",
];

/// A match: how many bytes it takes and what stands there instead.
type Found = Option<(usize, String)>;

/// Hides whatever one of the rules finds, at every place of the word.
pub(super) fn hide_places(word: &str) -> String {
    let rules = [url, key, ipv4, board, email, home, tilde];
    let mut out = String::with_capacity(word.len());
    let mut before = None;
    let mut rest = word;
    while let Some(character) = rest.chars().next() {
        let found = rules.iter().find_map(|rule| rule(rest, before));
        let (length, replacement) =
            found.unwrap_or_else(|| (character.len_utf8(), character.to_string()));
        out.push_str(&replacement);
        let (taken, following) = rest.split_at_checked(length).unwrap_or((rest, ""));
        before = taken.chars().last();
        rest = following;
    }
    out
}

/// A word that is a host, with or without port: hidden unless it is this machine for everybody.
pub(super) fn hide_host(word: &str, bare: &str) -> String {
    if is_public(bare) || bare.is_empty() {
        return word.to_owned();
    }
    let host = host_of(bare);
    word.replacen(host, HIDDEN, 1)
}

/// The host in `host:port`, `[::1]:port` or a list.
fn host_of(text: &str) -> &str {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    match text.rsplit_once(':') {
        Some((host, port))
            if !port.is_empty()
                && port.bytes().all(|b| b.is_ascii_digit())
                && (!host.contains(':') || host.ends_with(']')) =>
        {
            host
        }
        _ => text,
    }
}

fn is_public(text: &str) -> bool {
    let host = host_of(text).trim_matches(['[', ']']);
    let any = [
        "localhost",
        "0.0.0.0",
        "::",
        "::1",
        "*",
        "true",
        "false",
        "none",
    ];
    any.contains(&host)
        || PUBLIC_HOSTS.contains(&host)
        || host.starts_with("127.")
        || host.bytes().all(|b| b.is_ascii_digit())
}

fn is_word(before: Option<char>) -> bool {
    before.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// The length of the run of characters that belong to something.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !belongs(c)).unwrap_or(text.len())
}

fn url(rest: &str, before: Option<char>) -> Found {
    if is_word(before) {
        return None;
    }
    let scheme = SCHEMES.iter().find(|scheme| rest.starts_with(**scheme))?;
    let after = rest.get(scheme.len()..)?;
    let length = run(after, |c| {
        !matches!(c, '/' | '?' | '"' | '\'' | ',' | ')' | '}')
    });
    let authority = after.get(..length)?;
    let host_and_port = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = host_of(host_and_port);
    let port = host_and_port.get(host.len()..).unwrap_or_default();
    let shown = if is_public(host) { host } else { HIDDEN };
    let account = if host_and_port.len() < authority.len() {
        "***@"
    } else {
        ""
    };
    Some((
        scheme.len() + length,
        format!("{scheme}{account}{shown}{port}"),
    ))
}

fn key(rest: &str, before: Option<char>) -> Found {
    if is_word(before) {
        return None;
    }
    let (beginning, least) = KEY_BEGINNINGS
        .iter()
        .find(|(beginning, _)| rest.starts_with(beginning))?;
    let after = rest.get(beginning.len()..)?;
    // Keys of this kind are letters and digits only; names such as `hf_quant_config` are not keys.
    let length = if *beginning == "hf_" {
        run(after, |c| c.is_ascii_alphanumeric())
    } else {
        run(after, |c| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
        })
    };
    (length >= *least).then(|| (beginning.len() + length, HIDDEN.to_owned()))
}

fn ipv4(rest: &str, before: Option<char>) -> Found {
    let starts = rest.starts_with(|c: char| c.is_ascii_digit());
    if !starts || is_word(before) || matches!(before, Some('.' | '-')) {
        return None;
    }
    let length = run(rest, |c| c.is_ascii_digit() || c == '.');
    let text = rest.get(..length)?.trim_end_matches('.');
    let next = rest.get(text.len()..)?.chars().next();
    let address: std::net::Ipv4Addr = text.parse().ok()?;
    let is_open = address.is_loopback() || address.is_unspecified();
    (!is_open && !is_word(next)).then(|| (text.len(), HIDDEN.to_owned()))
}

/// `GPU-…` and `MIG-…`, which name a single board.
fn board(rest: &str, before: Option<char>) -> Found {
    if is_word(before) {
        return None;
    }
    let kind = ["GPU-", "MIG-"]
        .iter()
        .find(|kind| rest.starts_with(**kind))?;
    let after = rest.get(kind.len()..)?;
    let length = run(after, |c| c.is_ascii_hexdigit() || c == '-');
    (length >= 8).then(|| (kind.len() + length, format!("{kind}{HIDDEN}")))
}

fn email(rest: &str, before: Option<char>) -> Found {
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    if before.is_some_and(belongs) {
        return None;
    }
    let local = run(rest, belongs);
    let domain = rest.get(local..)?.strip_prefix('@')?;
    let length = run(domain, |c| {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '-')
    });
    let (name, last) = domain
        .get(..length)?
        .trim_end_matches('.')
        .rsplit_once('.')?;
    let is_domain =
        !name.is_empty() && last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    let whole = local + 1 + name.len() + 1 + last.len();
    (local > 0 && is_domain).then(|| (whole, HIDDEN.to_owned()))
}

/// `/home/NAME`, `/Users/NAME`, `C:\Users\NAME` and `/root`.
fn home(rest: &str, before: Option<char>) -> Found {
    let is_start = !is_word(before) && !matches!(before, Some('.' | '~' | '*'));
    if is_start && let Some(after) = rest.strip_prefix("/root") {
        let ends = after
            .chars()
            .next()
            .is_none_or(|c| !(c.is_alphanumeric() || "_-.".contains(c)));
        return ends.then(|| ("/root".len(), "~".to_owned()));
    }
    let folder = ["/home/", "/Users/", "\\Users\\", "/users/"]
        .iter()
        .find(|folder| rest.starts_with(**folder))?;
    let name = run(rest.get(folder.len()..)?, |c| {
        !c.is_whitespace() && !matches!(c, '/' | '\\' | '"' | '\'' | ':' | ',' | '=' | ')' | '}')
    });
    if name == 0 {
        return None;
    }
    let replacement = if is_start && folder.starts_with('/') {
        "~".to_owned()
    } else {
        format!("{folder}{HIDDEN}")
    };
    Some((folder.len() + name, replacement))
}

/// `~NAME`, another person's folder.
fn tilde(rest: &str, before: Option<char>) -> Found {
    if !matches!(before, None | Some('=' | ':' | '"' | '\'' | ',')) {
        return None;
    }
    let after = rest.strip_prefix('~')?;
    // `~3 GB` is an amount.
    if !after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let name = run(after, |c| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
    });
    (name > 0).then(|| (1 + name, "~".to_owned()))
}
