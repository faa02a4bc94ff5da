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

impl Catalog {
    /// The format of a checkpoint's linear layers.
    ///
    /// `name` is its id, `stated` what the server or a person says of it. In this order: a recipe of
    /// its publisher, what is stated, a word of its name, and 16 bits for a name without such a word,
    /// which is how models are published first.
    ///
    /// # Errors
    ///
    /// What is stated is no known format, and the name says nothing more exact.
    pub fn weight_format(
        &self,
        name: &str,
        stated: Option<&str>,
    ) -> Result<WeightFormat, UnknownWord> {
        if let Some(format) = self.recipe(name) {
            return Ok(format);
        }
        let from_name = in_name(name);
        let Some(stated) = stated.map(str::trim).filter(|word| !word.is_empty()) else {
            return Ok(from_name.unwrap_or(WeightFormat::F16));
        };
        match (WeightFormat::parse(stated), from_name) {
            (Ok(format), _) | (Err(_), Some(format)) => Ok(format),
            (Err(unknown), None) => Err(unknown),
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

/// The format that a word of the name means, the longest first: `GPTQ-Int4` before `GPTQ`.
fn in_name(name: &str) -> Option<WeightFormat> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let file = file.strip_suffix(".gguf").unwrap_or(file);
    let words: Vec<&str> = file.split(['-', '.', ' ', ':']).collect();
    (1..=3).rev().find_map(|length| {
        words
            .windows(length)
            .rev()
            .find_map(|part| WeightFormat::parse(&part.join("-")).ok())
    })
}
