//! What a person types as a server's address, normalised once (product.md section 1, case B088).

mod socket;

use std::fmt;
use std::net::Ipv6Addr;
use std::path::PathBuf;

use url::{Host, Url};

/// How to speak to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// `http` or `https`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that the scheme stands for.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A server's address in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Plain or TLS.
    pub scheme: Scheme,
    /// Name or address to connect to; an IPv6 address has no brackets here.
    pub host: String,
    /// Port to connect to.
    pub port: u16,
    /// Path in front of every route, without `/v1` and without a final slash; often empty.
    pub path_prefix: String,
    /// The Unix socket that the server listens on; host and port then only name it.
    pub socket: Option<PathBuf>,
    /// What the person should know about how the text was understood.
    pub hint: Option<String>,
}

/// Why a text is no address. The message names the fault, [`AddressError::hint`] the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing was typed.
    #[error("the server's address is empty")]
    Empty,
    /// White space inside.
    #[error("the address `{given}` has white space inside")]
    WhiteSpace {
        /// What was typed.
        given: String,
    },
    /// A scheme that is not spoken here.
    #[error("the address `{given}` begins with `{scheme}`, which is neither `http` nor `https`")]
    Scheme {
        /// What was typed.
        given: String,
        /// The scheme in it.
        scheme: String,
        /// What was probably meant.
        meant: String,
    },
    /// The port is not a number from 1 to 65535.
    #[error("`{port}` in `{given}` is not a port")]
    Port {
        /// What was typed.
        given: String,
        /// The port in it.
        port: String,
    },
    /// An IPv6 address whose port cannot be told from its last group.
    #[error("`{given}` may be an IPv6 address with or without a port")]
    AmbiguousIpv6 {
        /// What was typed.
        given: String,
        /// The address with brackets.
        meant: String,
    },
    /// A link-local IPv6 address with an interface.
    #[error("the address `{given}` names a network interface (`%`), which HTTP cannot carry")]
    Zone {
        /// What was typed.
        given: String,
    },
    /// A user name or a key in the address.
    #[error("the address of `{host}` carries a user name or a password")]
    Credentials {
        /// The host, without the secret.
        host: String,
    },
    /// A query or a fragment.
    #[error("the address `{given}` has a query or a fragment")]
    Query {
        /// What was typed before it.
        given: String,
    },
    /// No Unix socket can have this path.
    #[error("`{given}` names no Unix socket: {reason}")]
    Socket {
        /// What was typed.
        given: String,
        /// What is wrong.
        reason: String,
    },
    /// Everything else.
    #[error("`{given}` is not an address: {reason}")]
    Other {
        /// What was typed.
        given: String,
        /// What the URL rules say.
        reason: String,
    },
}

impl AddressError {
    /// What to type instead.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "give `host:port`, for example `localhost:8000`".to_owned(),
            Self::WhiteSpace { .. } => "remove the white space, or quote the address".to_owned(),
            Self::Scheme { meant, .. } => format!("did you mean `{meant}`?"),
            Self::Port { .. } => {
                "a port is a number from 1 to 65535, as in `localhost:8000`".to_owned()
            }
            Self::AmbiguousIpv6 { meant, .. } => {
                format!("write IPv6 addresses in brackets, as in `{meant}`")
            }
            Self::Zone { .. } => {
                "use another address of the machine, or forward the port to localhost".to_owned()
            }
            Self::Credentials { .. } => {
                "give keys with `--api-key` and other credentials with `--header`".to_owned()
            }
            Self::Query { .. } => "give the address without `?…` and `#…`".to_owned(),
            Self::Socket { .. } => {
                "write `unix:/path/to.sock`, or `unix:/path/to.sock:/prefix` with a path prefix"
                    .to_owned()
            }
            Self::Other { .. } => {
                "give `host:port` or a URL, for example `https://host/prefix`".to_owned()
            }
        }
    }
}

impl Address {
    /// Understands `host:port`, a bare port, a URL with or without `/v1` and path prefix, IPv6
    /// with or without brackets, and `unix:/path/to.sock`.
    ///
    /// Whatever is wrong with an address, no error repeats what stands before an `@` or behind a
    /// `?`: people put keys there.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let given = text.trim();
        if let Some(socket) = socket::parse(given) {
            return socket;
        }
        Self::read(given).map_err(|error| match given.rsplit_once('@') {
            Some((_, behind)) => AddressError::Credentials {
                host: host_alone(behind),
            },
            None => error,
        })
    }

    fn read(given: &str) -> Result<Self, AddressError> {
        check_characters(given)?;
        let (scheme, rest) = split_scheme(given)?;
        let (authority, path) = split_path(rest);
        if let Some((_, host)) = authority.rsplit_once('@') {
            return Err(AddressError::Credentials {
                host: host_alone(host),
            });
        }
        let (host_text, port_text) = split_port(given, authority)?;
        let port = port_text.map(|port| parse_port(given, port)).transpose()?;
        // Plain HTTP on the port of HTTPS never works, so nobody who typed `host:443` meant it.
        let scheme = scheme.unwrap_or(match port {
            Some(443) => Scheme::Https,
            _ => Scheme::Http,
        });
        let (host, prefix) = canonical(given, scheme, &host_text, path)?;
        let (host, unspecified) = reachable(host);
        let hint = if unspecified {
            Some(format!(
                "`{host_text}` is where a server listens, not where it is reached; using `{host}`"
            ))
        } else if port.is_none() && scheme == Scheme::Http {
            Some(
                "no port was given, so port 80 is used; servers usually listen on 8000 or 8080"
                    .to_owned(),
            )
        } else {
            None
        };
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or_else(|| scheme.default_port()),
            path_prefix: prefix,
            socket: None,
            hint,
        })
    }

    /// `host:port` with brackets around IPv6, without the scheme's default port.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == self.scheme.default_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// The address as it is shown to a person.
    pub fn display(&self) -> String {
        if let Some(socket) = &self.socket {
            return socket::display(self.scheme, socket, &self.path_prefix);
        }
        format!(
            "{}://{}{}",
            self.scheme.word(),
            self.authority(),
            self.path_prefix
        )
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display())
    }
}

/// The host at the beginning of a text, without a path, a query or words behind it.
fn host_alone(text: &str) -> String {
    let end = text.find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace());
    text.get(..end.unwrap_or(text.len()))
        .unwrap_or_default()
        .to_owned()
}

fn check_characters(given: &str) -> Result<(), AddressError> {
    if given.is_empty() {
        return Err(AddressError::Empty);
    }
    let end = given.find(['?', '#']);
    let shown = end.and_then(|end| given.get(..end)).unwrap_or(given);
    if given.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(AddressError::WhiteSpace {
            given: shown.to_owned(),
        });
    }
    if end.is_some() {
        return Err(AddressError::Query {
            given: shown.to_owned(),
        });
    }
    Ok(())
}

/// The scheme, if one was typed, and what follows it.
fn split_scheme(given: &str) -> Result<(Option<Scheme>, &str), AddressError> {
    let meant = |rest: &str, scheme: Scheme| {
        format!(
            "{}://{}",
            scheme.word(),
            rest.trim_start_matches(['/', ':'])
        )
    };
    if let Some((scheme, rest)) = given.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "http" => Ok((Some(Scheme::Http), rest)),
            "https" => Ok((Some(Scheme::Https), rest)),
            "" => Ok((None, rest)),
            other => {
                let guess = if other.contains('s') && other.starts_with('h') {
                    Scheme::Https
                } else {
                    Scheme::Http
                };
                Err(AddressError::Scheme {
                    given: given.to_owned(),
                    scheme: scheme.to_owned(),
                    meant: meant(rest, guess),
                })
            }
        };
    }
    // `http:/host`, `http:host` and `http//host`: a host that is called `http` is far less likely.
    for scheme in [Scheme::Https, Scheme::Http] {
        let head = given.get(..scheme.word().len());
        let rest = given.get(scheme.word().len()..).unwrap_or_default();
        let typed = head.is_some_and(|head| head.eq_ignore_ascii_case(scheme.word()));
        if typed && (rest.starts_with(":/") || rest.starts_with("//")) {
            return Err(AddressError::Scheme {
                given: given.to_owned(),
                scheme: given
                    .get(..given.len() - rest.trim_start_matches(['/', ':']).len())
                    .unwrap_or_default()
                    .to_owned(),
                meant: meant(rest, scheme),
            });
        }
    }
    Ok((None, given.trim_start_matches('/')))
}

fn split_path(rest: &str) -> (&str, &str) {
    match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    }
}

/// Host (IPv6 in brackets) and port as text.
fn split_port<'a>(
    given: &str,
    authority: &'a str,
) -> Result<(String, Option<&'a str>), AddressError> {
    if authority.contains('%') {
        return Err(AddressError::Zone {
            given: given.to_owned(),
        });
    }
    if let Some(inner) = authority.strip_prefix('[') {
        let (host, after) = inner.split_once(']').ok_or_else(|| AddressError::Other {
            given: given.to_owned(),
            reason: "the bracket is not closed".to_owned(),
        })?;
        let port = after
            .strip_prefix(':')
            .or((!after.is_empty()).then_some(after));
        return Ok((format!("[{host}]"), port));
    }
    match authority.matches(':').count() {
        0 if authority.bytes().all(|b| b.is_ascii_digit()) && !authority.is_empty() => {
            Ok(("localhost".to_owned(), Some(authority)))
        }
        0 => Ok((authority.to_owned(), None)),
        1 => {
            let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
            let host = if host.is_empty() { "localhost" } else { host };
            Ok((host.to_owned(), Some(port)))
        }
        _ => bare_ipv6(given, authority).map(|host| (host, None)),
    }
}

/// An IPv6 address without brackets. With a compressed part (`::`) and a last group that could be
/// a port, both readings are valid addresses, so the person must decide.
fn bare_ipv6(given: &str, authority: &str) -> Result<String, AddressError> {
    let with_port = authority
        .rsplit_once(':')
        .filter(|(host, port)| host.parse::<Ipv6Addr>().is_ok() && port.parse::<u16>().is_ok());
    match (authority.parse::<Ipv6Addr>(), with_port) {
        (Ok(_), Some((host, port))) if port.len() >= 4 => Err(AddressError::AmbiguousIpv6 {
            given: given.to_owned(),
            meant: format!("[{host}]:{port}"),
        }),
        (Ok(_), _) => Ok(format!("[{authority}]")),
        (Err(_), Some((host, port))) => Err(AddressError::AmbiguousIpv6 {
            given: given.to_owned(),
            meant: format!("[{host}]:{port}"),
        }),
        (Err(_), None) => Err(AddressError::Other {
            given: given.to_owned(),
            reason: "there is more than one colon, and it is not an IPv6 address".to_owned(),
        }),
    }
}

fn parse_port(given: &str, port: &str) -> Result<u16, AddressError> {
    let digits_only = port.bytes().all(|b| b.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(number) if digits_only && number > 0 => Ok(number),
        _ => Err(AddressError::Port {
            given: given.to_owned(),
            port: port.to_owned(),
        }),
    }
}

/// Host without brackets and the path prefix, both as the URL rules write them.
fn canonical(
    given: &str,
    scheme: Scheme,
    host: &str,
    path: &str,
) -> Result<(String, String), AddressError> {
    let other = |reason: String| AddressError::Other {
        given: given.to_owned(),
        reason,
    };
    let url = Url::parse(&format!("{}://{host}{path}", scheme.word()))
        .map_err(|error| other(error.to_string()))?;
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return Err(other("there is no host".to_owned())),
    };
    Ok((host, without_version(url.path())))
}

/// What people paste behind a server's prefix.
const ROUTES: [&str; 7] = [
    "/v1",
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/embeddings",
    "/v1/messages",
    "/v1/models",
    "/v1/responses",
];

/// A pasted route such as `/v1/chat/completions` names the same server as its prefix. A `/v1` that
/// something else follows belongs to the prefix: some gateways put the account there.
fn without_version(path: &str) -> String {
    let mut prefix = path.trim_end_matches('/');
    // Until nothing is left to take away, so that what is shown is understood alike.
    while let Some(shorter) = ROUTES.iter().find_map(|route| prefix.strip_suffix(route)) {
        prefix = shorter.trim_end_matches('/');
    }
    prefix.to_owned()
}

/// Replaces the address that means "every interface" by the one that reaches this machine.
fn reachable(host: String) -> (String, bool) {
    match host.as_str() {
        "0.0.0.0" => ("127.0.0.1".to_owned(), true),
        "::" => ("::1".to_owned(), true),
        _ => (host, false),
    }
}
