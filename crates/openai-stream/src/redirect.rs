//! Redirections: never followed, and told in words that hold no secret.

/// Most characters of an address that are shown.
const SHOWN: usize = 200;

/// A `Location` as it may be shown: scheme, host and path; no user, password, query or fragment,
/// where keys may stand.
pub fn shown_location(location: &str) -> String {
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
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    [front, host, path]
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
}
