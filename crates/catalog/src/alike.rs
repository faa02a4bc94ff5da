//! Names that are written like one that is unknown.

use crate::bundled::Catalog;

/// Names that are proposed at most.
const MOST: usize = 5;

/// Likeness, 0 to 1, below which a name is no proposal.
const LEAST: f64 = 0.5;

impl Catalog {
    /// Ids of models that are written most like a name, the likest first; none where nothing is near.
    pub fn models_like(&self, name: &str) -> Vec<&str> {
        let rows = self.models().iter().map(|row| {
            let names = row.aliases.iter().map(String::as_str);
            (row.id.as_str(), names.chain([row.name()]).collect())
        });
        likest(name.rsplit('/').next().unwrap_or(name), rows)
    }

    /// Names of hardware that are written most like a name, the likest first.
    pub fn hardware_like(&self, name: &str) -> Vec<&str> {
        let rows = self.hardware().iter().map(|row| {
            let names = row.aliases.iter().map(String::as_str);
            (
                row.name.as_str(),
                names.chain([row.name.as_str()]).collect(),
            )
        });
        likest(name, rows)
    }
}

fn likest<'a>(name: &str, rows: impl Iterator<Item = (&'a str, Vec<&'a str>)>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let likeness =
        |other: &&str| strsim::normalized_damerau_levenshtein(&name, &other.to_lowercase());
    let mut found: Vec<(f64, &str)> = rows
        .map(|(shown, names)| (names.iter().map(likeness).fold(0.0, f64::max), shown))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found
        .into_iter()
        .take(MOST)
        .map(|(_, shown)| shown)
        .collect()
}
