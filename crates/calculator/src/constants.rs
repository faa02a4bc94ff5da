//! The constants of one path with where each comes from.

use crate::constant::{COUNT, ConstantId};
use crate::setup::Setup;

/// Where a constant's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// What is believed before any run: see [`crate::constant::Prior::source`].
    Default(&'static str),
    /// Fitted to measured runs of this path.
    Measured {
        /// How many measured figures moved it.
        observations: usize,
    },
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    /// Which.
    pub id: ConstantId,
    /// The value in its unit.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

/// Values of all constants for one setup.
#[derive(Debug, Clone, PartialEq)]
pub struct Constants {
    values: [Constant; COUNT],
}

impl Constants {
    /// What is believed of a setup's path before any run.
    pub fn defaults(setup: &Setup) -> Self {
        let mut ids = ConstantId::all();
        let values = std::array::from_fn(|_| {
            let id = ids.next().unwrap_or(ConstantId::StreamEfficiency);
            let prior = id.prior(setup);
            Constant {
                id,
                value: prior.value,
                origin: Origin::Default(prior.source),
            }
        });
        Self { values }
    }

    /// The value of one, within what is possible.
    pub fn get(&self, id: ConstantId) -> f64 {
        self.constant(id)
            .map_or(0.0, |constant| id.bounded(constant.value))
    }

    /// One with its origin.
    pub fn constant(&self, id: ConstantId) -> Option<&Constant> {
        self.values.iter().find(|constant| constant.id == id)
    }

    /// All of them, in the order of tables.
    pub fn iter(&self) -> impl Iterator<Item = &Constant> {
        self.values.iter()
    }

    /// Replaces one.
    pub fn set(&mut self, id: ConstantId, value: f64, origin: Origin) {
        if let Some(constant) = self.values.iter_mut().find(|constant| constant.id == id) {
            constant.value = value;
            constant.origin = origin;
        }
    }
}
