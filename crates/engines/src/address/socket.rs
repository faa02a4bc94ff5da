//! Addresses of Unix sockets.
//!
//! Two forms are in use: `unix:/run/llm.sock`, with a path prefix behind a colon
//! (`unix:/run/llm.sock:/llm`), and `http+unix://%2Frun%2Fllm.sock/llm`, whose host is the
//! percent-encoded path.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{Address, AddressError, Scheme, without_version};

/// The longest path of a socket: Linux has room for 108 bytes and the zero at the end.
const PATH_LIMIT: usize = 107;

/// What is percent-encoded in the host of `http+unix://`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// The address of a socket, or `None` when the text is of another kind.
pub(super) fn parse(given: &str) -> Option<Result<Address, AddressError>> {
    let begins = |scheme: &str| {
        let head = given.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme)
            .then(|| given.get(scheme.len()..).unwrap_or_default())
    };
    let (scheme, path) = if let Some(rest) = begins("http+unix://") {
        (Scheme::Http, encoded(given, rest))
    } else if let Some(rest) = begins("https+unix://") {
        (Scheme::Https, encoded(given, rest))
    } else {
        let rest = begins("unix:")?;
        // `unix:///run/x` is `unix:/run/x` with an empty host.
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        (Scheme::Http, Ok(plain(rest)))
    };
    Some(path.and_then(|(socket, prefix)| address(given, scheme, socket, &prefix)))
}

/// Socket and path prefix of `PATH` or `PATH:/PREFIX`.
fn plain(rest: &str) -> (String, String) {
    match rest.split_once(":/") {
        Some((socket, prefix)) => (socket.to_owned(), format!("/{prefix}")),
        None => (
            rest.strip_suffix(':').unwrap_or(rest).to_owned(),
            String::new(),
        ),
    }
}

/// Socket and path prefix of a percent-encoded host and a path.
fn encoded(given: &str, rest: &str) -> Result<(String, String), AddressError> {
    if rest.starts_with('/') {
        // Not encoded, though it should be: the whole path is the socket's.
        return Ok(plain(rest));
    }
    let (host, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let socket = percent_decode_str(host)
        .decode_utf8()
        .map_err(|_| fault(given, "its path is not UTF-8"))?;
    Ok((socket.into_owned(), format!("/{prefix}")))
}

fn address(
    given: &str,
    scheme: Scheme,
    socket: String,
    prefix: &str,
) -> Result<Address, AddressError> {
    if socket.is_empty() {
        return Err(fault(given, "there is no path"));
    }
    if socket.len() > PATH_LIMIT {
        let reason = format!("its path is longer than {PATH_LIMIT} bytes");
        return Err(fault(given, &reason));
    }
    if socket.chars().any(char::is_control) {
        return Err(fault(given, "its path has a control character"));
    }
    if prefix.contains(|c: char| matches!(c, '?' | '#') || c.is_whitespace() || c.is_control()) {
        return Err(fault(
            given,
            "the path behind it has a character that none may have",
        ));
    }
    Ok(Address {
        scheme,
        host: "localhost".to_owned(),
        port: scheme.default_port(),
        path_prefix: without_version(prefix),
        socket: Some(PathBuf::from(socket)),
        hint: None,
    })
}

fn fault(given: &str, reason: &str) -> AddressError {
    AddressError::Socket {
        given: given.chars().filter(|c| !c.is_control()).collect(),
        reason: reason.to_owned(),
    }
}

/// The address as it is shown to a person, in a form that can be typed.
pub(super) fn display(scheme: Scheme, socket: &Path, prefix: &str) -> String {
    let path = socket.to_string_lossy();
    let is_plain = scheme == Scheme::Http && !path.ends_with(':') && !path.contains(":/");
    match (is_plain, prefix) {
        (true, "") => format!("unix:{path}"),
        (true, prefix) => format!("unix:{path}:{prefix}"),
        (false, prefix) => {
            let host = utf8_percent_encode(&path, ENCODED);
            format!("{}+unix://{host}{prefix}", scheme.word())
        }
    }
}
