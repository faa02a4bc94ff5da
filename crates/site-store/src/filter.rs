//! Which runs a list has, and in which order.

use tokmark_run_format::Trust;
use tokmark_run_format::hardware::MachineClass;
use tokmark_units::Timestamp;

use crate::accept::{trust_of, trust_word};
use crate::derived::{class_of, class_word};

/// Which runs are asked for: those that fit everything that is given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFilter {
    /// The model's name, whole.
    pub model: Option<String>,
    /// The first word of the model's name, in lower case.
    pub family: Option<String>,
    /// The machine's name, whole.
    pub hardware: Option<String>,
    /// How many accelerators.
    pub accelerators: Option<u32>,
    /// What kind of machine.
    pub class: Option<MachineClass>,
    /// The smallest usual size of memory, in GiB, that holds the machine's.
    pub memory_tier: Option<u32>,
    /// The engine.
    pub engine: Option<String>,
    /// The quantization, whole.
    pub quantization: Option<String>,
    /// Who sent it.
    pub submitter: Option<String>,
    /// Who publishes the model.
    pub organization: Option<String>,
    /// How far to trust it.
    pub trust: Option<Trust>,
    /// Received then or later.
    pub since: Option<Timestamp>,
    /// Received before.
    pub until: Option<Timestamp>,
    /// Words that all occur in model, hardware, engine or note, or begin one that does.
    pub words: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The fastest single request first; runs without that figure are left out.
    SingleRequest,
    /// The highest total first; runs without that figure are left out.
    HighestTotal,
}

impl RunOrder {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Newest, Self::SingleRequest, Self::HighestTotal];

    /// Its word in addresses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::SingleRequest => "single",
            Self::HighestTotal => "total",
        }
    }

    /// An order by its word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.word() == word)
    }
}

/// A filter whose values the store knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChoiceField {
    /// Models.
    Model,
    /// Machines.
    Hardware,
    /// Kinds of machines, as [`class_by_word`] reads them.
    Class,
    /// Sizes of memory in GiB.
    Memory,
    /// Engines.
    Engine,
    /// Quantizations.
    Quantization,
    /// Levels of trust, as [`trust_by_word`] reads them.
    Trust,
}

impl ChoiceField {
    /// Every field.
    pub const ALL: [Self; 7] = [
        Self::Model,
        Self::Hardware,
        Self::Class,
        Self::Memory,
        Self::Engine,
        Self::Quantization,
        Self::Trust,
    ];

    /// Its word in addresses and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Hardware => "hardware",
            Self::Class => "class",
            Self::Memory => "memory",
            Self::Engine => "engine",
            Self::Quantization => "quantization",
            Self::Trust => "trust",
        }
    }
}

/// A value that runs of the list have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Of which filter.
    pub field: ChoiceField,
    /// The value.
    pub value: String,
    /// How many runs have it.
    pub runs: u64,
}

/// Who may see a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Nobody but its owner: it is in no list, page, file or count.
    Private,
    /// Nobody; the identity stays taken.
    Deleted,
}

impl Visibility {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::Deleted => "deleted",
        }
    }
}

/// A kind of machine by its word in addresses.
pub fn class_by_word(word: &str) -> Option<MachineClass> {
    class_of(word)
}

/// The word of a kind of machine in addresses.
pub fn word_of_class(class: MachineClass) -> &'static str {
    class_word(class)
}

/// A level of trust by its word in addresses.
pub fn trust_by_word(word: &str) -> Option<Trust> {
    trust_of(word)
}

/// The word of a level of trust in addresses.
pub fn word_of_trust(trust: Trust) -> &'static str {
    trust_word(trust)
}
