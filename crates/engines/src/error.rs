//! Why a server could not be used, in the cases that a person acts on differently.

use crate::control::ControlError;
use crate::target::Form;

/// Why identification ended. [`IdentifyError::hint`] says what to try.
#[derive(Debug, thiserror::Error)]
pub enum IdentifyError {
    /// No connection, no answer in time, or no HTTP.
    #[error("the server at `{authority}` cannot be reached")]
    Unreachable {
        /// `host:port`.
        authority: String,
        /// What happened.
        source: ControlError,
    },
    /// Something answers, and it is no language-model server.
    #[error(
        "`{authority}` is not a language-model server: `/v1/models` answers {status} `{shown}`"
    )]
    NotAnLlmServer {
        /// `host:port`.
        authority: String,
        /// HTTP status of the answer.
        status: u16,
        /// Its content type.
        content_type: Option<String>,
        /// Its first characters.
        shown: String,
    },
    /// The server wants a key, or another one. Where the key came from is the caller's to add.
    #[error("authentication failed: `{authority}` answers {status} `{shown}`")]
    Unauthorized {
        /// `host:port`.
        authority: String,
        /// 401 or 403.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
    /// The server is starting.
    #[error("`{authority}` is not ready: it answers 503 `{shown}`")]
    Loading {
        /// `host:port`.
        authority: String,
        /// First characters of the answer.
        shown: String,
    },
    /// A gateway in front, or the server itself, is in trouble.
    #[error("`{authority}` answers {status} `{shown}`")]
    Unavailable {
        /// `host:port`.
        authority: String,
        /// HTTP status.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
    /// The address leads elsewhere.
    #[error("`{authority}` redirects to `{to}`")]
    Redirected {
        /// `host:port`.
        authority: String,
        /// Where to.
        to: String,
    },
    /// The server names no model, and none was given.
    #[error("the server does not say which model it serves")]
    NoModels,
    /// The model that was asked for is not served.
    #[error("the server has no model `{wanted}`; it serves {}", quoted(available))]
    UnknownModel {
        /// What was asked for.
        wanted: String,
        /// What there is.
        available: Vec<String>,
        /// The name most like it.
        nearest: Option<String>,
    },
    /// Several models are served, and none was chosen.
    #[error("the server serves several models: {}", quoted(available))]
    SeveralModels {
        /// What there is.
        available: Vec<String>,
    },
    /// A word for an engine that is not known.
    #[error(
        "`{wanted}` is not an engine that is known here; known are {}",
        quoted(known)
    )]
    UnknownDialect {
        /// What was given.
        wanted: String,
        /// The words.
        known: Vec<String>,
        /// The word most like it.
        nearest: Option<String>,
    },
}

impl IdentifyError {
    /// What the person may try next.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreachable { authority, source } => unreachable_hint(authority, source),
            Self::NotAnLlmServer {
                authority, shown, ..
            } if shown.contains("HTTPS port") => {
                format!("the port speaks TLS: use `https://{authority}`")
            }
            Self::NotAnLlmServer { shown, .. } if shown.starts_with('<') => {
                "the address answers with a web page: check the port, or the path of a proxy \
                 or its login"
                    .to_owned()
            }
            Self::NotAnLlmServer { .. } => {
                "check port and path prefix: `/v1/models` must be the server's OpenAI route; \
                 with `--engine openai --model NAME` the list is not needed"
                    .to_owned()
            }
            Self::Unauthorized { .. } => {
                "give the server's key with `--api-key`, `--api-key-file` or `TOKMARK_API_KEY`, \
                 or another header with `--header`"
                    .to_owned()
            }
            Self::Loading { .. } => {
                "the server is still loading its model: wait and try again".to_owned()
            }
            Self::Unavailable { status: 429, .. } => {
                "the server limits requests: wait, or raise its limit for this client".to_owned()
            }
            Self::Unavailable { .. } => {
                "the gateway answers but not the server behind it: look into the server's log"
                    .to_owned()
            }
            Self::Redirected { to, .. } => format!("use that address: `{to}`"),
            Self::NoModels => "name the model with `--model NAME`".to_owned(),
            Self::UnknownModel {
                nearest, available, ..
            } => suggestion(nearest.as_ref().or_else(|| available.first()), "--model"),
            Self::SeveralModels { available } => suggestion(available.first(), "--model"),
            Self::UnknownDialect { nearest, .. } => suggestion(nearest.as_ref(), "--engine"),
        }
    }
}

fn unreachable_hint(authority: &str, source: &ControlError) -> String {
    match source {
        ControlError::Dial { source, .. } => match source.kind() {
            std::io::ErrorKind::ConnectionRefused => format!(
                "nothing listens at `{authority}`: is the server started, and is this its port?"
            ),
            std::io::ErrorKind::TimedOut => {
                "the host does not answer: check the name, the network and firewalls".to_owned()
            }
            std::io::ErrorKind::NotFound => {
                "nothing listens at this path: is the server started, and is this its socket?"
                    .to_owned()
            }
            std::io::ErrorKind::InvalidData => {
                // What answers without TLS has no certificate to look at.
                let text = source.to_string();
                if text.contains("InvalidContentType") {
                    format!("what listens there does not speak TLS: `http://{authority}`?")
                } else {
                    "TLS failed: for a private authority give its certificate with `--ca FILE`; \
                     `--insecure` accepts any"
                        .to_owned()
                }
            }
            std::io::ErrorKind::Unsupported => {
                "the server does not speak HTTP/2 here: leave out `--http2`".to_owned()
            }
            std::io::ErrorKind::NotConnected => {
                "check the proxy's address and credentials; `--no-proxy` goes without it".to_owned()
            }
            _ => "check the host's name, the network and, for https, the certificate".to_owned(),
        },
        ControlError::Timeout { .. } => {
            "the port accepts connections but does not answer: the server may be overloaded, \
             hanging, or speak another protocol"
                .to_owned()
        }
        ControlError::Http {
            form: Form::Http2, ..
        } => "the server does not seem to speak HTTP/2 here: leave out `--http2`".to_owned(),
        ControlError::Http { .. } => format!(
            "what listens there does not speak plain HTTP/1.1: perhaps `https://{authority}`, or \
             `--http2`?"
        ),
        ControlError::TooLarge { .. }
        | ControlError::Request { .. }
        | ControlError::Encoding { .. } => "check port and path prefix".to_owned(),
    }
}

fn suggestion(name: Option<&String>, option: &str) -> String {
    match name {
        Some(name) => format!("`{option} {name}`"),
        None => format!("choose one with `{option}`"),
    }
}

fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name most like `wanted`, if one is alike at all: one holds the other, or few letters differ.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = wanted.to_lowercase();
    names
        .map(|name| {
            let candidate = name.to_lowercase();
            let inside = lower.len() > 2
                && candidate.len() > 2
                && (candidate.contains(&lower) || lower.contains(&candidate));
            let likeness = strsim::jaro_winkler(&lower, &candidate);
            (name, if inside { likeness.max(0.9) } else { likeness })
        })
        .filter(|(_, likeness)| *likeness > 0.75)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(name, _)| name)
}
