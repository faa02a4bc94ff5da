//! The catalog that is compiled in.

mod hardware_file;
mod model_file;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::checkpoint::{self, Recipe};
use crate::hardware::{Hardware, HardwareNames};
use crate::matching::Match;
use crate::model;
use crate::model::Model;
use crate::rental::{self, Rental};
use crate::unknown::UnknownWord;

const SOURCES: &str = include_str!("../data/sources.toml");

/// The files in the order in which lists show their rows.
const HARDWARE: [(&str, &str); 11] = [
    (
        "nvidia-geforce",
        include_str!("../data/hardware/nvidia-geforce.toml"),
    ),
    (
        "nvidia-laptop",
        include_str!("../data/hardware/nvidia-laptop.toml"),
    ),
    (
        "nvidia-workstation",
        include_str!("../data/hardware/nvidia-workstation.toml"),
    ),
    (
        "nvidia-datacentre",
        include_str!("../data/hardware/nvidia-datacentre.toml"),
    ),
    (
        "nvidia-integrated",
        include_str!("../data/hardware/nvidia-integrated.toml"),
    ),
    ("amd", include_str!("../data/hardware/amd.toml")),
    (
        "amd-instinct",
        include_str!("../data/hardware/amd-instinct.toml"),
    ),
    ("intel", include_str!("../data/hardware/intel.toml")),
    ("apple", include_str!("../data/hardware/apple.toml")),
    ("others", include_str!("../data/hardware/others.toml")),
    (
        "processors",
        include_str!("../data/hardware/processors.toml"),
    ),
];

const MODELS: [(&str, &str); 11] = [
    ("qwen", include_str!("../data/models/qwen.toml")),
    ("meta", include_str!("../data/models/meta.toml")),
    ("deepseek", include_str!("../data/models/deepseek.toml")),
    ("mistral", include_str!("../data/models/mistral.toml")),
    ("google", include_str!("../data/models/google.toml")),
    ("nvidia", include_str!("../data/models/nvidia.toml")),
    ("microsoft", include_str!("../data/models/microsoft.toml")),
    ("zai", include_str!("../data/models/zai.toml")),
    ("moonshot", include_str!("../data/models/moonshot.toml")),
    ("minimax", include_str!("../data/models/minimax.toml")),
    ("others", include_str!("../data/models/others.toml")),
];

/// Hardware and models, read once and looked up by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalog {
    hardware: Vec<Hardware>,
    hardware_names: HardwareNames,
    models: Vec<Model>,
    recipes: Vec<Recipe>,
    rentals: Vec<Rental>,
}

/// A data file that is not what its schema says.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// It is not TOML of the expected shape.
    #[error("`{file}` cannot be read")]
    Shape {
        /// The file's name without folder and ending.
        file: &'static str,
        /// What is wrong, with its line.
        #[source]
        cause: toml::de::Error,
    },
    /// A row uses a word that means nothing.
    #[error("`{row}` in `{file}`")]
    Word {
        /// The file's name without folder and ending.
        file: &'static str,
        /// The row's id.
        row: String,
        /// The word.
        #[source]
        cause: UnknownWord,
    },
    /// A row contradicts itself or another one.
    #[error("`{row}` in `{file}`: {what}")]
    Row {
        /// The file's name without folder and ending.
        file: &'static str,
        /// The row's id.
        row: String,
        /// What is wrong with it.
        what: String,
    },
}

/// Where a row stands, for errors.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'static str,
    pub(crate) row: &'a str,
}

impl Place<'_> {
    pub(crate) fn word(self, cause: UnknownWord) -> DataError {
        DataError::Word {
            file: self.file,
            row: self.row.to_owned(),
            cause,
        }
    }

    pub(crate) fn wrong(self, what: impl Into<String>) -> DataError {
        DataError::Row {
            file: self.file,
            row: self.row.to_owned(),
            what: what.into(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourcesFile {
    sources: BTreeMap<String, String>,
}

impl Catalog {
    /// The catalog of this version. Reading takes a few milliseconds: keep it.
    ///
    /// An error means that a file of the program itself is wrong, which its tests rule out.
    pub fn bundled() -> Result<Self, DataError> {
        let sources: SourcesFile = parse("sources", SOURCES)?;
        let mut hardware = Vec::new();
        for (file, text) in HARDWARE {
            hardware.extend(hardware_file::read(file, text, &sources.sources)?);
        }
        let mut models = Vec::new();
        for (file, text) in MODELS {
            models.extend(model_file::read(file, text)?);
        }
        let mut ids = BTreeSet::new();
        let hardware_ids = hardware.iter().map(|row: &Hardware| row.id.to_lowercase());
        for id in hardware_ids.chain(models.iter().map(|row: &Model| row.id.to_lowercase())) {
            if !ids.insert(id.clone()) {
                let file = "hardware or models";
                return Err(Place { file, row: &id }.wrong("the id is there twice"));
            }
        }
        let rentals = rental::rentals(|id| hardware.iter().any(|row| row.id == id))?;
        Ok(Self {
            hardware_names: HardwareNames::of(&hardware),
            hardware,
            models,
            recipes: checkpoint::recipes()?,
            rentals,
        })
    }

    /// All hardware, in the order of its files.
    pub fn hardware(&self) -> &[Hardware] {
        &self.hardware
    }

    /// All models, in the order of their files.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    pub(crate) fn recipes(&self) -> &[Recipe] {
        &self.recipes
    }

    /// Rental prices, in the order of their file.
    pub fn rentals(&self) -> &[Rental] {
        &self.rentals
    }

    /// The hardware with this id.
    pub fn hardware_by_id(&self, id: &str) -> Option<&Hardware> {
        self.hardware.iter().find(|row| row.id == id)
    }

    /// The hardware that a name means, as `nvidia-smi`, Vulkan, `lspci`, makers or people write it;
    /// `memory_gib` is the memory stated beside it, in GiB.
    ///
    /// Never a wrong row: where a name fits several, they are candidates.
    pub fn find_hardware(&self, name: &str, memory_gib: Option<f64>) -> Match<'_, Hardware> {
        self.hardware_names.find(&self.hardware, name, memory_gib)
    }

    /// The model that a name means: an id on Hugging Face, a served name, a quantized copy's id or a
    /// file's name, whatever the case.
    pub fn find_model(&self, name: &str) -> Match<'_, Model> {
        model::find(&self.models, name)
    }
}

pub(crate) fn parse<'a, T: Deserialize<'a>>(
    file: &'static str,
    text: &'a str,
) -> Result<T, DataError> {
    toml::from_str(text).map_err(|cause| DataError::Shape { file, cause })
}
