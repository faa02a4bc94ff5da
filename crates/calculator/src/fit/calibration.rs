//! The result of a fit.

use crate::constant::{ConstantId, Dependence};
use crate::constants::{Constants, Origin};
use crate::path::{Family, Scope};
use crate::setup::Setup;

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

    /// The band of a prediction: from rows held out for a model that was among the runs, from
    /// models held out for another, and the wide one where the path has no runs.
    pub fn band(&self, setup: &Setup, prefill: bool) -> Band {
        if !self.covers(setup, prefill) {
            return Band::UNCALIBRATED;
        }
        let known = self.models.iter().any(|model| *model == model_word(setup));
        let residuals = if known {
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
    let model = &setup.model;
    format!(
        "{} {} x {} / {}",
        model.architecture, model.blocks, model.hidden, model.vocabulary
    )
}
