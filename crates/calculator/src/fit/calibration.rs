//! The result of a fit.

use tokmark_catalog::{Catalog, KvCache};

use crate::constant::{ConstantId, Dependence, Prior};
use crate::constants::{Constants, Origin};
use crate::path::{Family, Scope};
use crate::setup::{Card, Kernel, Setup};

use super::residual::{Band, Residual};

/// Constants of a family, with how well they describe its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// What it holds for.
    pub family: Family,
    /// The constants that figures moved.
    pub entries: Vec<Entry>,
    /// The runs, by title or id, in the order in which residuals count them.
    pub runs: Vec<String>,
    /// The models of these runs, by architecture, in the same order.
    pub models: Vec<String>,
    /// Errors on the figures that were fitted.
    pub fitted: Vec<Residual>,
    /// Errors on rows of contexts that were held out, one after the other.
    pub rows_held_out: Vec<Residual>,
    /// Errors on whole models that were held out.
    pub models_held_out: Vec<Residual>,
}

/// A fitted constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Which.
    pub id: ConstantId,
    /// Where in the family it holds.
    pub scope: Scope,
    /// The value in its unit.
    pub value: f64,
    /// How many figures depend on it.
    pub observations: usize,
    /// Standard error of its natural logarithm, from the curvature of what was minimised; `None`
    /// where a file does not say.
    pub log_error: Option<f64>,
}

impl Entry {
    /// Edges between which two of three fits to other figures of the same runs would put it.
    pub fn between(&self) -> Option<(f64, f64)> {
        let factor = self.log_error?.exp();
        Some((self.value / factor, self.id.bounded(self.value * factor)))
    }
}

impl Calibration {
    /// One without figures yet.
    pub fn empty(family: Family) -> Self {
        Self {
            family,
            entries: Vec::new(),
            runs: Vec::new(),
            models: Vec::new(),
            fitted: Vec::new(),
            rows_held_out: Vec::new(),
            models_held_out: Vec::new(),
        }
    }

    /// The constants of a setup: fitted ones where there are some, else what is believed.
    pub fn constants(&self, setup: &Setup) -> Constants {
        let mut constants = Constants::defaults(setup);
        if Family::of(setup) != self.family {
            return constants;
        }
        for entry in &self.entries {
            if Scope::of(entry.id, setup) == entry.scope {
                let origin = Origin::Measured {
                    observations: entry.observations,
                };
                constants.set(entry.id, entry.value, origin);
            }
        }
        constants
    }

    /// Whether runs of the family had this setup's kernels and cache.
    pub fn covers(&self, setup: &Setup, prefill: bool) -> bool {
        let has = |dependence: Dependence| {
            self.entries.iter().any(|entry| {
                entry.id.is_of_prefill() == prefill
                    && entry.id.dependence() == dependence
                    && entry.scope == Scope::of(entry.id, setup)
            })
        };
        Family::of(setup) == self.family && has(Dependence::Kernel) && has(Dependence::Cache)
    }

    /// Kernels of which it has constants.
    pub fn kernels(&self) -> Vec<Kernel> {
        let mut found = Vec::new();
        for entry in &self.entries {
            match entry.scope {
                Scope::Kernel(kernel) if !found.contains(&kernel) => found.push(kernel),
                _ => {}
            }
        }
        found
    }

    /// Cache types of which it has constants.
    pub fn caches(&self) -> Vec<KvCache> {
        let mut found = Vec::new();
        for entry in &self.entries {
            match entry.scope {
                Scope::Cache(cache) if !found.contains(&cache) => found.push(cache),
                _ => {}
            }
        }
        found
    }

    /// What was believed of a constant before its runs; `None` for an accelerator that the catalog
    /// does not know.
    pub fn prior(&self, catalog: &Catalog, entry: &Entry) -> Option<Prior> {
        let row = catalog.hardware_by_id(&self.family.card)?;
        let mut card = Card::of(row, None);
        card.unlocked = self.family.unlocked;
        // A constant's prior looks at nothing but its own scope, and at whether kernels are
        // llama.cpp's, which an engine never mixes with others.
        let kernel = match entry.scope {
            Scope::Kernel(kernel) => kernel,
            _ => *self.kernels().first()?,
        };
        let cache = match entry.scope {
            Scope::Cache(cache) => cache,
            _ => *self.caches().first()?,
        };
        Some(entry.id.prior_of(self.family.engine, &card, kernel, cache))
    }

    /// Whether a run of the setup's model was fitted.
    pub fn knows_model(&self, setup: &Setup) -> bool {
        let word = model_word(setup);
        self.models.contains(&word)
    }

    /// The band of a prediction: from rows held out for a model that was among the runs, from
    /// models held out for another, and the wide one where the path has no runs.
    pub fn band(&self, setup: &Setup, prefill: bool) -> Band {
        if !self.covers(setup, prefill) {
            return Band::UNCALIBRATED;
        }
        let residuals = if self.knows_model(setup) {
            &self.rows_held_out
        } else {
            &self.models_held_out
        };
        let of_kind = residuals
            .iter()
            .filter(|residual| residual.prefill == prefill);
        Band::of(of_kind).unwrap_or(Band::UNCALIBRATED)
    }
}

/// What tells two models' shapes apart.
pub(crate) fn model_word(setup: &Setup) -> String {
    setup.shape()
}
