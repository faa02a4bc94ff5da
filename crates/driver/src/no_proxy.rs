//! Which proxy the environment's variables choose for a server, and which servers need none.

use std::net::IpAddr;

use crate::proxy::{Proxy, ProxyError};

/// The values of the variables that choose a proxy, as the program's entry read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProxyVariables {
    /// `http_proxy`: name and value.
    pub http: Option<Variable>,
    /// `https_proxy`.
    pub https: Option<Variable>,
    /// `all_proxy`: for what the other two leave open.
    pub all: Option<Variable>,
    /// `no_proxy`: servers that are reached directly.
    pub none: Option<Variable>,
}

/// A variable as it was found.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name, in the case in which it was found.
    pub name: String,
    /// Its value, which may hold a password.
    pub value: String,
}

impl std::fmt::Debug for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Variable").field(&self.name).finish()
    }
}

/// A proxy and the variable that named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The proxy.
    pub proxy: Proxy,
    /// The variable's name.
    pub variable: String,
}

/// A variable's value names no proxy that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{variable}` names no proxy")]
pub struct VariableError {
    /// The variable's name.
    pub variable: String,
    /// Why.
    pub source: ProxyError,
}

impl ProxyVariables {
    /// Reads the variables through `get`. The lower-case name wins, as with curl; an empty value is
    /// as good as none.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| {
            let named = |name: String| {
                let value = get(&name).filter(|value| !value.trim().is_empty())?;
                Some(Variable { name, value })
            };
            named(name.to_owned()).or_else(|| named(name.to_ascii_uppercase()))
        };
        Self {
            http: either("http_proxy"),
            https: either("https_proxy"),
            all: either("all_proxy"),
            none: either("no_proxy"),
        }
    }

    /// The proxy for a server. This machine is never reached through one (case B089): a person who
    /// wants that names the proxy on the command line.
    pub fn choose(
        &self,
        tls: bool,
        host: &str,
        port: u16,
    ) -> Result<Option<Chosen>, VariableError> {
        let own = if tls { &self.https } else { &self.http };
        let Some(variable) = own.as_ref().or(self.all.as_ref()) else {
            return Ok(None);
        };
        let list = self.none.as_ref().map_or("", |none| none.value.as_str());
        if is_this_machine(host) || is_direct(list, host, port) {
            return Ok(None);
        }
        let proxy = Proxy::parse(&variable.value).map_err(|source| VariableError {
            variable: variable.name.clone(),
            source,
        })?;
        Ok(Some(Chosen {
            proxy,
            variable: variable.name.clone(),
        }))
    }
}

/// Whether a host is this machine by its name or address.
pub fn is_this_machine(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a list in the manner of `no_proxy` names the server. Entries are separated by commas or
/// blanks: `*`; a name, which stands for itself and everything below it, with or without a leading
/// dot or `*.`; an address; a network such as `10.0.0.0/8`. Each may end with `:port`.
pub fn is_direct(list: &str, host: &str, port: u16) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    list.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|entry| !entry.is_empty())
        .any(|entry| names(entry, &host, port))
}

fn names(entry: &str, host: &str, port: u16) -> bool {
    if entry == "*" {
        return true;
    }
    let (entry, only) = split_port(entry);
    if only.is_some_and(|only| only != port) {
        return false;
    }
    match host.parse::<IpAddr>() {
        Ok(ip) => holds(entry, ip),
        Err(_) => is_name_or_below(entry, host),
    }
}

/// The entry without its port. A colon inside an IPv6 address is none.
fn split_port(entry: &str) -> (&str, Option<u16>) {
    if let Some(inner) = entry.strip_prefix('[')
        && let Some((address, after)) = inner.split_once(']')
    {
        let port = after.strip_prefix(':').and_then(|port| port.parse().ok());
        return (address, port);
    }
    match entry.split_once(':') {
        Some((name, port)) => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (entry, None),
        },
        None => (entry, None),
    }
}

fn is_name_or_below(entry: &str, host: &str) -> bool {
    let name = entry
        .trim_start_matches('*')
        .trim_start_matches('.')
        .trim_end_matches('.')
        .to_ascii_lowercase();
    if name.is_empty() {
        return false;
    }
    host.strip_suffix(&name)
        .is_some_and(|above| above.is_empty() || above.ends_with('.'))
}

/// Whether an address or a network holds `ip`.
fn holds(entry: &str, ip: IpAddr) -> bool {
    let (network, length) = match entry.split_once('/') {
        Some((network, length)) => match length.parse::<u32>() {
            Ok(length) => (network, Some(length)),
            Err(_) => return false,
        },
        None => (entry, None),
    };
    match (network.parse::<IpAddr>(), ip) {
        (Ok(IpAddr::V4(network)), IpAddr::V4(ip)) => {
            same_start(network.to_bits().into(), ip.to_bits().into(), 32, length)
        }
        (Ok(IpAddr::V6(network)), IpAddr::V6(ip)) => {
            same_start(network.to_bits(), ip.to_bits(), 128, length)
        }
        _ => false,
    }
}

/// Whether two addresses of `width` bits agree in their first `length` ones.
fn same_start(a: u128, b: u128, width: u32, length: Option<u32>) -> bool {
    let length = length.unwrap_or(width);
    if length > width {
        return false;
    }
    (a ^ b).checked_shr(width - length).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &str, host: &str, port: u16, direct: bool) {
        assert_eq!(
            is_direct(list, host, port),
            direct,
            "`{list}` {host}:{port}"
        );
    }

    #[test]
    fn names_stand_for_themselves_and_what_is_below() {
        check("example.org", "example.org", 80, true);
        check("example.org", "api.example.org", 80, true);
        check(".example.org", "api.example.org", 80, true);
        check(".example.org", "example.org", 80, true);
        check("*.example.org", "a.b.example.org", 80, true);
        check("EXAMPLE.org", "Api.Example.ORG", 80, true);
        check("example.org.", "example.org", 80, true);
        check("example.org", "example.org.", 80, true);
        check("example.org", "badexample.org", 80, false);
        check("api.example.org", "example.org", 80, false);
        check("org", "example.org", 80, true);
        check("", "example.org", 80, false);
        check(",, ,", "example.org", 80, false);
        check(".", "example.org", 80, false);
        check("a, b example.org", "example.org", 80, true);
    }

    #[test]
    fn a_star_alone_is_everything() {
        check("*", "example.org", 80, true);
        check("a,*", "10.0.0.1", 80, true);
    }

    #[test]
    fn addresses_and_networks() {
        check("10.0.0.1", "10.0.0.1", 80, true);
        check("10.0.0.1", "10.0.0.11", 80, false);
        check("10.0.0.0/8", "10.200.3.4", 80, true);
        check("10.0.0.0/8", "11.0.0.1", 80, false);
        check("192.168.4.0/22", "192.168.7.255", 80, true);
        check("192.168.4.0/22", "192.168.8.0", 80, false);
        check("10.0.0.1/32", "10.0.0.1", 80, true);
        check("0.0.0.0/0", "8.8.8.8", 80, true);
        check("10.0.0.0/33", "10.0.0.0", 80, false);
        check("10.0.0.0/x", "10.0.0.0", 80, false);
        check("2001:db8::/32", "2001:db8:1::5", 80, true);
        check("2001:db8::/32", "2001:db9::5", 80, false);
        check("::/0", "2001:db9::5", 80, true);
        check("2001:db8::1", "2001:db8:0::1", 80, true);
        check("[2001:db8::1]", "2001:db8::1", 80, true);
        // A name is no address, whatever it ends with.
        check("0.0.1", "10.0.0.1", 80, false);
        check("10.0.0.0/8", "box", 80, false);
    }

    #[test]
    fn ports_narrow_an_entry() {
        check("example.org:8000", "example.org", 8000, true);
        check("example.org:8000", "example.org", 80, false);
        check(".example.org:8000", "a.example.org", 8000, true);
        check("10.0.0.1:8000", "10.0.0.1", 8000, true);
        check("10.0.0.1:8000", "10.0.0.1", 8001, false);
        check("[2001:db8::1]:8000", "2001:db8::1", 8000, true);
        check("[2001:db8::1]:8000", "2001:db8::1", 8001, false);
    }

    fn variables(all: &[(&str, &str)]) -> ProxyVariables {
        ProxyVariables::read(|name| {
            let mut found = all.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| (*value).to_owned())
        })
    }

    /// Host of the chosen proxy and the variable that named it.
    fn chosen(all: &[(&str, &str)], tls: bool, host: &str) -> Option<(String, String)> {
        let chosen = variables(all).choose(tls, host, 8000).unwrap()?;
        Some((chosen.proxy.host, chosen.variable))
    }

    #[test]
    fn each_scheme_has_its_variable_and_both_cases_work() {
        let some = |proxy: &str, name: &str| Some((proxy.to_owned(), name.to_owned()));
        let both = [("http_proxy", "h:1"), ("HTTPS_PROXY", "s:1")];
        assert_eq!(chosen(&both, false, "box"), some("h", "http_proxy"));
        assert_eq!(chosen(&both, true, "box"), some("s", "HTTPS_PROXY"));
        assert_eq!(chosen(&both[..1], true, "box"), None);
        let all = [("ALL_PROXY", "a:1"), ("http_proxy", "h:1")];
        assert_eq!(chosen(&all, true, "box"), some("a", "ALL_PROXY"));
        assert_eq!(chosen(&all, false, "box"), some("h", "http_proxy"));
        let cases = [("http_proxy", "low:1"), ("HTTP_PROXY", "up:1")];
        assert_eq!(chosen(&cases, false, "box"), some("low", "http_proxy"));
        let empty = [("http_proxy", " "), ("HTTP_PROXY", "up:1")];
        assert_eq!(chosen(&empty, false, "box"), some("up", "HTTP_PROXY"));
        let except = [("http_proxy", "h:1"), ("NO_PROXY", "box:8000")];
        assert_eq!(chosen(&except, false, "box"), None);
        assert_eq!(chosen(&except, false, "other"), some("h", "http_proxy"));
    }

    #[test]
    fn b089_this_machine_is_never_reached_through_a_proxy_of_the_environment() {
        let all = [("all_proxy", "p:1")];
        for host in [
            "localhost",
            "LocalHost",
            "x.localhost",
            "127.0.0.1",
            "127.9.9.9",
            "::1",
        ] {
            assert_eq!(chosen(&all, false, host), None, "{host}");
        }
        assert!(chosen(&all, false, "localhost.example.org").is_some());
        assert!(chosen(&all, false, "10.0.0.1").is_some());
    }

    #[test]
    fn a_proxy_that_is_none_matters_only_where_it_would_be_used() {
        let all = variables(&[("ALL_PROXY", "socks5://me:hunter2@p:1080")]);
        assert_eq!(all.choose(true, "localhost", 1), Ok(None));
        let error = all.choose(true, "box", 1).unwrap_err();
        assert_eq!(error.variable, "ALL_PROXY");
        assert!(error.source.to_string().contains("socks5"));
        assert!(!format!("{all:?} {error:?}").contains("hunter2"));
    }
}
