//! Which constants hold for a setup.

use tokmark_catalog::{Engine, KvCache};

use crate::constant::{ConstantId, Dependence};
use crate::setup::{Kernel, Setup};

/// Engine and accelerator: what most constants depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Family {
    /// The server.
    pub engine: Engine,
    /// The accelerator's id.
    pub card: String,
    /// Whether limits of its maker were taken off.
    pub unlocked: bool,
    /// Accelerators that share each layer.
    pub tensor: u32,
}

/// Where a constant of a family holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere in the family.
    Family,
    /// With kernels of one kind.
    Kernel(Kernel),
    /// With a cache of one type.
    Cache(KvCache),
}

impl Family {
    /// The family of a setup.
    pub fn of(setup: &Setup) -> Self {
        Self {
            engine: setup.engine,
            card: setup.card.id.clone(),
            unlocked: setup.card.unlocked,
            tensor: setup.layout.tensor.max(1),
        }
    }
}

impl Family {
    /// A word for addresses: lower-case letters, digits and hyphens.
    pub fn slug(&self) -> String {
        let mut words = vec![self.engine.id().to_owned(), self.card.clone()];
        if self.tensor > 1 {
            words.push(format!("x{}", self.tensor));
        }
        if self.unlocked {
            words.push("unlocked".to_owned());
        }
        let plain = |letter: char| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => letter,
            _ => '-',
        };
        words.join("-").chars().map(plain).collect()
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} on {}", self.engine.name(), self.card)?;
        if self.tensor > 1 {
            write!(out, " x{}", self.tensor)?;
        }
        if self.unlocked {
            out.write_str(" (unlocked)")?;
        }
        Ok(())
    }
}

impl Scope {
    /// Where a constant holds that a setup uses.
    pub fn of(id: ConstantId, setup: &Setup) -> Self {
        match id.dependence() {
            Dependence::Family => Self::Family,
            Dependence::Kernel => Self::Kernel(setup.kernel()),
            Dependence::Cache => Self::Cache(setup.cache),
        }
    }

    /// The word in documents; empty for the whole family.
    pub fn word(self) -> String {
        match self {
            Self::Family => String::new(),
            Self::Kernel(kernel) => kernel.as_str().to_owned(),
            Self::Cache(cache) => cache.to_string(),
        }
    }
}
