//! A small reader of our own pages.

use std::collections::BTreeMap;

/// An element without children of its own kind: attributes and text.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) html: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// The text without tags, white space joined.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut inside = false;
        for c in self.html.chars() {
            match c {
                '<' => inside = true,
                '>' => inside = false,
                c if !inside => text.push(c),
                _ => {}
            }
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        unescaped(&words.join(" "))
    }
}

/// The elements of a name in order; elements of one name must not lie inside each other.
pub(crate) fn elements(html: &str, name: &str) -> Vec<Element> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    for part in html.split(&open).skip(1) {
        if !part.starts_with([' ', '>', '\n']) {
            continue;
        }
        let (head, rest) = part.split_once('>').unwrap();
        let end = rest.find(&close).unwrap_or(0);
        found.push(Element {
            attributes: attributes(head),
            html: rest[..end].to_owned(),
        });
    }
    found
}

/// The first element of a name that has an attribute.
pub(crate) fn with_attribute(html: &str, name: &str, attribute: &str) -> Element {
    let mut all = elements(html, name).into_iter();
    all.find(|element| element.attributes.contains_key(attribute))
        .unwrap_or_else(|| panic!("no <{name} {attribute}>"))
}

fn attributes(head: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = head.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '=', '\n']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let value = match rest.strip_prefix("=\"") {
            Some(after) => {
                let (value, later) = after.split_once('"').unwrap();
                rest = later;
                unescaped(value)
            }
            None => String::new(),
        };
        found.insert(name, value);
        rest = rest.trim_start();
    }
    found
}

pub(crate) fn unescaped(text: &str) -> String {
    [
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#38;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

const WITHOUT_END: [&str; 5] = ["meta", "link", "!doctype", "input", "br"];

/// Fails unless every element is closed where it was opened.
pub(crate) fn assert_balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/');
        let name = &name[..name.find([' ', '\n', '/']).unwrap_or(name.len())];
        if let Some(closing) = tag.strip_prefix('/') {
            assert_eq!(
                open.pop(),
                Some(closing),
                "…{}",
                &rest[..rest.len().min(200)]
            );
        } else if !tag.ends_with('/') && !WITHOUT_END.contains(&name) {
            open.push(name);
            if matches!(name, "style" | "script") {
                rest = &rest[rest.find("</").unwrap()..];
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
