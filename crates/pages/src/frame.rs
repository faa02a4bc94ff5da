//! What every page has around its content.

use askama::Template;

use crate::options::{Chrome, PageOptions};
use crate::{assets, words};

/// What every page has around its content.
pub(crate) struct Frame<'a> {
    pub(crate) language: &'a str,
    pub(crate) title: String,
    pub(crate) description: String,
    /// Address of a picture for sites that show links; a whole address.
    pub(crate) card: Option<&'a str>,
    /// Styles and script, when the page carries them itself.
    pub(crate) inline: Option<Inline>,
    pub(crate) styles: &'static str,
    pub(crate) script: &'static str,
    pub(crate) icon: &'static str,
    /// Address of the start page; empty in a self-contained page.
    pub(crate) home: &'a str,
    pub(crate) navigation: Vec<Entry<'a>>,
}

/// Styles and script as text. They are our own assets, so they are not escaped.
pub(crate) struct Inline {
    pub(crate) styles: &'static str,
    pub(crate) script: &'static str,
}

/// An entry of the navigation.
pub(crate) struct Entry<'a> {
    pub(crate) label: &'static str,
    pub(crate) href: &'a str,
    pub(crate) current: bool,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(options: &'a PageOptions, title: &str, description: String) -> Self {
        let (inline, home, navigation) = match &options.chrome {
            Chrome::SelfContained => {
                let inline = Inline {
                    styles: assets::STYLES,
                    script: assets::SCRIPT,
                };
                (Some(inline), "", Vec::new())
            }
            Chrome::Site(site) => {
                let entries = site.navigation.iter().map(|entry| Entry {
                    label: entry.section.label(),
                    href: &entry.href,
                    current: entry.current,
                });
                (None, site.home.as_str(), entries.collect())
            }
        };
        Self {
            language: &options.language,
            title: format!("{title} · {}", words::BRAND),
            description,
            card: options.links.public_card.as_deref(),
            inline,
            styles: assets::path("page.css"),
            script: assets::path("page.js"),
            icon: assets::path("icon.svg"),
            home,
            navigation,
        }
    }
}

/// The page's text. Writing into a `String` cannot fail, and no value of ours refuses to be
/// printed; should that ever change, the page says so instead of being empty.
pub(crate) fn rendered(template: &impl Template) -> String {
    template
        .render()
        .unwrap_or_else(|error| format!("<!doctype html><title>{}</title>{error}", words::BRAND))
}
