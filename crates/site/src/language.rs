//! The language of a page, from its address.

/// A language that the pages exist in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    /// English.
    #[default]
    English,
}

impl Language {
    /// The language of an address' first part.
    pub(crate) fn of(word: &str) -> Option<Self> {
        [Self::English]
            .into_iter()
            .find(|language| language.as_str() == word)
    }

    /// The word in addresses and `lang` attributes.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
        }
    }

    /// Address of the start page.
    pub(crate) fn start(self) -> String {
        format!("/{}/", self.as_str())
    }

    /// Address of the list of runs.
    pub(crate) fn runs(self) -> String {
        format!("/{}/runs", self.as_str())
    }

    /// Address of the decode calculator.
    pub(crate) fn calculator(self) -> String {
        format!("/{}/decode-calculator", self.as_str())
    }

    /// Address of the machines for a need.
    pub(crate) fn need(self) -> String {
        format!("/{}/decode-calculator/need", self.as_str())
    }

    /// Address of the list of calibrated paths.
    pub(crate) fn paths(self) -> String {
        format!("/{}/decode-calculator/paths", self.as_str())
    }

    /// Address of a calibrated path.
    pub(crate) fn path(self, slug: &str) -> String {
        format!("/{}/decode-calculator/paths/{slug}", self.as_str())
    }

    /// Address of a run's page.
    pub(crate) fn run(self, id: &str) -> String {
        format!("/{}/runs/{id}", self.as_str())
    }
}
