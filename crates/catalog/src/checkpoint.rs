//! The weight format of a checkpoint, from its name and from what the server says.

use serde::Deserialize;

use crate::bundled::{Catalog, DataError, Place, parse};
use crate::unknown::UnknownWord;
use crate::weights::WeightFormat;

const RECIPES: &str = include_str!("../data/recipes.toml");

/// How a publisher quantizes, where names leave it open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recipe {
    publisher: String,
    says: String,
    format: WeightFormat,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    recipe: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    publisher: String,
    says: String,
    format: String,
    source: String,
}

pub(crate) fn recipes() -> Result<Vec<Recipe>, DataError> {
    let file: File = parse("recipes", RECIPES)?;
    file.recipe.into_iter().map(Row::check).collect()
}

impl Row {
    fn check(self) -> Result<Recipe, DataError> {
        let place = Place {
            file: "recipes",
            row: &self.publisher,
        };
        if self.source.trim().is_empty() {
            return Err(place.wrong("a format without a source"));
        }
        let format = WeightFormat::parse(&self.format).map_err(|cause| place.word(cause))?;
        Ok(Recipe {
            publisher: self.publisher,
            says: self.says,
            format,
        })
    }
}

/// Which words told the format of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormatSource {
    /// What a server or a person states.
    Stated,
    /// The checkpoint's name, or how its publisher quantizes.
    Name,
}

/// The format of a checkpoint's linear layers.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointFormat {
    /// The format.
    pub format: WeightFormat,
    /// The word that left the layout open, where the usual one was taken.
    pub open: Option<String>,
}

impl Catalog {
    /// The format of a checkpoint's linear layers.
    ///
    /// As [`Self::told_weight_format`]; else what is usual for a word that leaves the layout open
    /// ([`WeightFormat::usual`]), and 16 bits where nothing tells, which is how models are published
    /// first.
    ///
    /// # Errors
    ///
    /// What is stated is no known format, and the name says nothing more exact.
    pub fn weight_format(
        &self,
        name: &str,
        stated: Option<&str>,
    ) -> Result<WeightFormat, UnknownWord> {
        Ok(self.checkpoint_format(name, stated)?.format)
    }

    /// The same with the word that left the layout open.
    ///
    /// # Errors
    ///
    /// As [`Self::weight_format`].
    pub fn checkpoint_format(
        &self,
        name: &str,
        stated: Option<&str>,
    ) -> Result<CheckpointFormat, UnknownWord> {
        let sure = |format| CheckpointFormat { format, open: None };
        let usual = |word: &str| {
            WeightFormat::usual(word).map(|format| CheckpointFormat {
                format,
                open: Some(word.to_owned()),
            })
        };
        let in_its_name = || in_words(&words_of(name), usual);
        match self.told_weight_format(&[name], stated) {
            Ok(Some((format, _))) => Ok(sure(format)),
            Ok(None) => Ok(in_its_name().unwrap_or_else(|| sure(WeightFormat::F16))),
            Err(unknown) => stated.and_then(usual).or_else(in_its_name).ok_or(unknown),
        }
    }

    /// The format that names and statements tell; `None` where they tell nothing.
    ///
    /// `names` are the checkpoint's id, its file and the like, the most telling one first; `stated`
    /// what the server or a person says of it. In this order: a recipe of its publisher, what is
    /// stated, a word of a name. Plain 16 bits give way to a word of a name, because some servers
    /// state the type of the activations where they have nothing to state of the weights.
    ///
    /// # Errors
    ///
    /// What is stated is no known format, and no name says anything.
    pub fn told_weight_format(
        &self,
        names: &[&str],
        stated: Option<&str>,
    ) -> Result<Option<(WeightFormat, FormatSource)>, UnknownWord> {
        let by_name = |format| Some((format, FormatSource::Name));
        if let Some(format) = names.iter().find_map(|name| self.recipe(name)) {
            return Ok(by_name(format));
        }
        let from_name = names.iter().find_map(|name| in_name(name));
        let Some(stated) = stated.map(str::trim).filter(|word| !word.is_empty()) else {
            return Ok(from_name.and_then(by_name));
        };
        match (in_statement(stated), from_name) {
            (Some(stated), Some(exact)) if groups_more_exactly(exact, stated) => Ok(by_name(exact)),
            (Some(WeightFormat::F16) | None, Some(format)) => Ok(by_name(format)),
            (Some(format), _) => Ok(Some((format, FormatSource::Stated))),
            (None, None) => WeightFormat::parse(stated).map(|_| None),
        }
    }

    fn recipe(&self, name: &str) -> Option<WeightFormat> {
        let (publisher, rest) = name.split_once('/')?;
        let rest = rest.to_lowercase();
        self.recipes()
            .iter()
            .find(|recipe| {
                recipe.publisher.eq_ignore_ascii_case(publisher)
                    && rest.ends_with(&recipe.says.to_lowercase())
            })
            .map(|recipe| recipe.format)
    }
}

/// The one format that a statement means: as a whole (`FP8`, llama.cpp's `Q4_K - Medium`), or by one
/// of its words (`AWQ 4-bit`). `None` when it means none, or two.
fn in_statement(text: &str) -> Option<WeightFormat> {
    let sizes = [(" - Medium", "_M"), (" - Small", "_S"), (" - Large", "_L")];
    let whole = sizes.iter().fold(text.to_owned(), |text, (words, letter)| {
        text.replace(words, letter)
    });
    if let Ok(format) = WeightFormat::parse(&whole) {
        return Some(format);
    }
    let mut found: Vec<WeightFormat> = Vec::new();
    for word in text.split_whitespace() {
        let format = WeightFormat::parse(word).ok();
        found.extend(format.filter(|format| !found.contains(format)));
    }
    match found.as_slice() {
        [one] => Some(*one).filter(|format| bits_agree(text, *format)),
        _ => None,
    }
}

/// The format that a word of the name means, the longest first: `GPTQ-Int4` before `GPTQ`. A dynamic
/// mix (`UD-Q4_K_M`) differs from model to model, so that its name means none.
fn in_name(name: &str) -> Option<WeightFormat> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let words = words_of(name);
    if words.iter().any(|word| word.eq_ignore_ascii_case("ud")) {
        return None;
    }
    let found = in_words(&words, |word| WeightFormat::parse(word).ok());
    found.filter(|format| bits_agree(file, *format))
}

/// Whether a text that states bits states those of the format: `AWQ 8-bit` is not what `AWQ` alone
/// means.
fn bits_agree(text: &str, format: WeightFormat) -> bool {
    let lower = text.to_lowercase().replace(['-', ' ', '_'], "");
    let before = lower.find("bit").and_then(|at| lower.get(..at));
    let stated = before.and_then(|text| text.chars().last()?.to_digit(10));
    stated.is_none_or(|bits| {
        let bits = f64::from(bits);
        (bits..bits + 1.0).contains(&format.bits_per_weight())
    })
}

/// Whether both are whole numbers of as many bits, and only the name gives groups of its own.
fn groups_more_exactly(named: WeightFormat, stated: WeightFormat) -> bool {
    match (named, stated) {
        (
            WeightFormat::Int { bits, group, .. },
            WeightFormat::Int {
                bits: same,
                group: Some(128),
                ..
            },
        ) => bits == same && group.is_some() && group != Some(128),
        _ => false,
    }
}

/// The words of a checkpoint's name or file.
fn words_of(name: &str) -> Vec<&str> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let file = file.strip_suffix(".gguf").unwrap_or(file);
    file.split(['-', '.', ' ', ':']).collect()
}

/// What the last words of a name mean, the longest first: `GPTQ-Int4` before `GPTQ`.
fn in_words<T>(words: &[&str], mean: impl Fn(&str) -> Option<T>) -> Option<T> {
    (1..=3).rev().find_map(|length| {
        let mut parts = words.windows(length).rev();
        parts.find_map(|part| mean(&part.join("-")))
    })
}
