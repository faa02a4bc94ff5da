//! How a page is dressed: language, surroundings, links.

use crate::predicted::Prediction;

/// How a page is dressed.
#[derive(Debug, Clone)]
pub struct PageOptions {
    /// Language of the page, as in its `lang` attribute. Only `en` exists so far.
    pub language: String,
    /// What stands around the content.
    pub chrome: Chrome,
    /// Where the downloads of a run are.
    pub links: RunLinks,
    /// What the calculator says of a run; without it the page has no such section.
    pub prediction: Option<Prediction>,
}

/// What stands around the content.
#[derive(Debug, Clone)]
pub enum Chrome {
    /// One file that needs nothing else: styles and script inside, no navigation.
    SelfContained,
    /// A page of the site: styles and script from [`assets`](crate::assets), with navigation.
    Site(SiteChrome),
}

/// Navigation of a page of the site.
#[derive(Debug, Clone, Default)]
pub struct SiteChrome {
    /// Address of the start page.
    pub home: String,
    /// The sections that exist.
    pub navigation: Vec<NavigationEntry>,
}

/// One entry of the navigation.
#[derive(Debug, Clone)]
pub struct NavigationEntry {
    /// The section.
    pub section: Section,
    /// Its address.
    pub href: String,
    /// Whether this page is in it.
    pub current: bool,
}

/// A section of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The decode calculator.
    Calculator,
    /// The list of runs.
    Runs,
}

impl Section {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Calculator => crate::words::calculator::SECTION,
            Self::Runs => crate::words::RUNS,
        }
    }
}

/// Addresses of a run's files. What is `None` is not offered; a self-contained page carries
/// document and table inside itself when they are small.
#[derive(Debug, Clone, Default)]
pub struct RunLinks {
    /// The run document.
    pub json: Option<String>,
    /// The table.
    pub csv: Option<String>,
    /// The evidence.
    pub evidence: Option<String>,
    /// The page as one file.
    pub html: Option<String>,
    /// The picture of matrix and curves.
    pub svg: Option<String>,
    /// The social card.
    pub card: Option<String>,
    /// The social card with the site's public address in front, for other sites; a page may not name
    /// a relative one there.
    pub public_card: Option<String>,
}

impl PageOptions {
    /// One file that needs nothing else, in English.
    pub fn self_contained() -> Self {
        Self {
            language: "en".to_owned(),
            chrome: Chrome::SelfContained,
            links: RunLinks::default(),
            prediction: None,
        }
    }

    /// A page of the site, without links to a run's files.
    pub fn site(language: &str, chrome: SiteChrome) -> Self {
        Self {
            language: language.to_owned(),
            chrome: Chrome::Site(chrome),
            links: RunLinks::default(),
            prediction: None,
        }
    }

    /// The same with what the calculator says of the run.
    #[must_use]
    pub fn with_prediction(mut self, prediction: Option<Prediction>) -> Self {
        self.prediction = prediction;
        self
    }

    /// The same with links to a run's files.
    #[must_use]
    pub fn with_links(mut self, links: RunLinks) -> Self {
        self.links = links;
        self
    }
}
