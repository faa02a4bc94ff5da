//! Redirections: never followed, and told in words that hold no secret.
//!
//! A person who is told needs the whole address; what a run keeps must not name the host
//! (methodology section 8).

/// Most characters of an address that are shown.
const SHOWN: usize = 200;

/// What stands for a host in what is kept.
const HIDDEN: &str = "***";

/// A `Location` as a person may be shown it: scheme, host and path; no user, password, query or
/// fragment, where keys may stand.
pub fn shown_location(location: &str) -> String {
    told(location, |authority| {
        let host = authority.rsplit_once('@');
        host.map_or(authority, |(_, host)| host)
    })
}

/// A `Location` as it may be kept: without its host, which may be somebody's private one.
pub fn kept_location(location: &str) -> String {
    told(
        location,
        |authority| if authority.is_empty() { "" } else { HIDDEN },
    )
}

/// The address with its authority (user, host, port) as `authority` tells it.
fn told<'a>(location: &'a str, tell: impl FnOnce(&'a str) -> &'a str) -> String {
    let bare = location.split(['?', '#']).next().unwrap_or_default().trim();
    let (front, rest) = match bare.split_once("//") {
        Some((scheme, rest)) if scheme.is_empty() || scheme.ends_with(':') => {
            (bare.get(..scheme.len() + 2).unwrap_or_default(), rest)
        }
        _ => ("", bare),
    };
    let (authority, path) = match rest.find('/') {
        Some(at) if !front.is_empty() => rest.split_at(at),
        None if !front.is_empty() => (rest, ""),
        _ => ("", rest),
    };
    [front, tell(authority), path]
        .concat()
        .chars()
        .filter(|c| !c.is_control())
        .take(SHOWN)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_host_and_path_are_shown() {
        let check = |location: &str, shown: &str| assert_eq!(shown_location(location), shown);
        check("https://box/v1/models", "https://box/v1/models");
        check("https://box:8443", "https://box:8443");
        check("https://me:pw@box/x?key=1#f", "https://box/x");
        check("//me@box/x", "//box/x");
        check("/login?next=/v1&token=t", "/login");
        check("login@home", "login@home");
        check("/a//b@c", "/a//b@c");
        check("", "");
        check("https://box/\u{7}x", "https://box/x");
    }

    #[test]
    fn what_is_kept_names_no_host() {
        let check = |location: &str, kept: &str| assert_eq!(kept_location(location), kept);
        check(
            "https://me:pw@box.lan:8443/v1/models?k=1",
            "https://***/v1/models",
        );
        check("https://10.0.0.7", "https://***");
        check("//box/x", "//***/x");
        check("/login?next=/v1", "/login");
        check("login@home", "login@home");
        check("", "");
    }
}
