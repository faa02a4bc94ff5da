//! The user's own headers and key: from options, variables and files to header values that are
//! never shown.

use std::path::Path;

use http::{HeaderName, HeaderValue};

use crate::args::ServerArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Headers that say how a message is framed or a connection used: the program sets them itself.
const OWN: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Authorisation and the user's own headers, all marked as sensitive.
pub(crate) fn headers(args: &ServerArgs) -> Outcome<Vec<(HeaderName, HeaderValue)>> {
    let mut headers = Vec::new();
    if let Some(key) = api_key(args)? {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            Failure::saying(
                Exit::Usage,
                "the API key holds characters that no header may have",
            )
            .hint("it must be one line of plain characters")
        })?;
        value.set_sensitive(true);
        headers.push((http::header::AUTHORIZATION, value));
    }
    for text in &args.headers {
        headers.push(header(text)?);
    }
    Ok(headers)
}

/// One header. A message never repeats the value, which may be a key.
fn header(text: &str) -> Outcome<(HeaderName, HeaderValue)> {
    let bad = |what: String| Failure::saying(Exit::Usage, what).hint("write it as 'Name: value'");
    let Some((name, value)) = text.split_once(':') else {
        return Err(bad("a --header has no colon".to_owned()));
    };
    let name: HeaderName = name
        .trim()
        .parse()
        .map_err(|_| bad("a --header has a name that no header may have".to_owned()))?;
    if OWN.contains(&name.as_str()) {
        let what = format!("the header `{name}` cannot be set: the program needs it itself");
        return Err(Failure::saying(Exit::Usage, what));
    }
    let mut value: HeaderValue = value.trim().parse().map_err(|_| {
        bad(format!(
            "the value of the header `{name}` has characters that none may have"
        ))
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn api_key(args: &ServerArgs) -> Outcome<Option<String>> {
    if let Some(key) = &args.api_key {
        return Ok(Some(key.trim().to_owned()).filter(|key| !key.is_empty()));
    }
    let Some(path) = &args.api_key_file else {
        return Ok(None);
    };
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        let message = format!("the API key file `{}` is empty", path.display());
        return Err(Failure::saying(Exit::Usage, message));
    }
    Ok(Some(text))
}

/// A file that an option names.
pub(crate) fn read_file(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("name a file that you may read; a relative path begins in the current folder")
    })
}

/// Where the key came from, for messages; never the key (case B095).
pub(crate) fn key_source(args: &ServerArgs) -> &'static str {
    match (&args.api_key, &args.api_key_file) {
        (Some(_), _) => "--api-key or TOKMARK_API_KEY",
        (None, Some(_)) => "--api-key-file",
        (None, None) => "none",
    }
}
