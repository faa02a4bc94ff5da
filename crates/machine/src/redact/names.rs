//! What the name of an option, a variable or a header says about its value.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A key or password.
    Secret,
    /// A host name or address.
    Place,
    /// An account of a person or machine.
    Account,
    /// Something that may be shown.
    Open,
}

/// Parts of a name that make its value a secret, wherever they stand.
const SECRET_PARTS: [&str; 13] = [
    "apikey",
    "apitoken",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "secrets",
    "hft",
];

/// Last parts that make the value the place of a secret, not the secret.
const PATH_ENDINGS: [&str; 6] = ["file", "path", "dir", "env", "name", "url"];

/// Words before `token` that make it a token of text.
const TEXT_TOKENS: [&str; 18] = [
    "audio", "bos", "draft", "end", "eos", "first", "image", "mask", "max", "min", "pad", "per",
    "sep", "special", "start", "stop", "think", "unk",
];

/// Words before `key` that make it no key of a lock.
const OPEN_KEYS: [&str; 6] = ["cache", "group", "hash", "partition", "routing", "sort"];

/// Last parts that make the value a place in a network.
const PLACE_ENDINGS: [&str; 10] = [
    "addr", "address", "bind", "dpa", "host", "hostname", "ip", "listen", "proxy", "rpc",
];

/// Whole names of accounts.
const ACCOUNTS: [&str; 5] = ["email", "logname", "user", "username", "wandb_entity"];

/// The meaning of a name as it stands in options (`--api-key`), variables (`HF_TOKEN`), headers and
/// JSON.
pub(super) fn meaning(name: &str) -> Name {
    let name = name
        .trim_start_matches('-')
        .to_ascii_lowercase()
        .replace(['-', '.'], "_");
    let parts: Vec<&str> = name.split('_').filter(|part| !part.is_empty()).collect();
    let Some((last, before)) = parts.split_last() else {
        return Name::Open;
    };
    if PATH_ENDINGS.contains(last) {
        return Name::Open;
    }
    let previous = before.last().copied();
    let is_secret = parts.iter().any(|part| SECRET_PARTS.contains(part))
        || (*last == "token" && previous.is_none_or(|word| !TEXT_TOKENS.contains(&word)))
        || (*last == "key" && previous.is_some_and(|word| !OPEN_KEYS.contains(&word)))
        || (parts.contains(&"key") && parts.contains(&"access"))
        || (*last == "auth" && before.len() < 2);
    if is_secret {
        Name::Secret
    } else if PLACE_ENDINGS.contains(last) {
        Name::Place
    } else if ACCOUNTS.contains(&name.as_str()) {
        Name::Account
    } else {
        Name::Open
    }
}
