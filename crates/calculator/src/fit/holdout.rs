//! Honest errors: of figures that the fit did not know.

use crate::path::Family;

use super::calibration::Calibration;
use super::observation::Observation;
use super::residual::Residual;
use super::solve::{self, fit};

/// What is left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldOut {
    /// All figures of one context of one run, decode and prefill apart.
    Rows,
    /// All figures of one run's model.
    Models,
}

/// Every row predicted by a fit that knew everything but that row.
pub fn hold_out_rows(family: &Family, observations: &[Observation]) -> Vec<Residual> {
    hold_out(family, observations, |one, other| {
        one.run == other.run
            && one.context == other.context
            && one.is_prefill() == other.is_prefill()
    })
}

/// Every model predicted by a fit that knew nothing of it.
pub fn hold_out_models(family: &Family, observations: &[Observation]) -> Vec<Residual> {
    hold_out(family, observations, |one, other| {
        one.setup.model == other.setup.model
    })
}

fn hold_out(
    family: &Family,
    observations: &[Observation],
    together: impl Fn(&Observation, &Observation) -> bool,
) -> Vec<Residual> {
    let own: Vec<&Observation> = observations
        .iter()
        .filter(|one| Family::of(&one.setup) == *family)
        .collect();
    let mut whole = Calibration::empty(family.clone());
    solve::add_kind(&mut whole, &own, false);
    let mut residuals = Vec::new();
    let mut left = own.clone();
    while let Some(first) = left.first().copied() {
        let (out, others): (Vec<&Observation>, Vec<&Observation>) =
            left.into_iter().partition(|one| together(first, one));
        left = others;
        let known: Vec<&Observation> = own
            .iter()
            .copied()
            .filter(|one| !together(first, one))
            .collect();
        let calibration = knowing(&known, &out, &whole);
        residuals.extend(out.iter().filter_map(|one| calibration.residual(one)));
    }
    residuals
}

/// The fit to what is known, as far as the figures that were held out need it.
///
/// Decode's constants do not depend on figures of prefill: where only those were held out, they are
/// the constants of the whole fit.
fn knowing(known: &[&Observation], out: &[&Observation], whole: &Calibration) -> Calibration {
    let of_prefill = |one: &&Observation| one.is_prefill();
    let mut calibration = whole.clone();
    if !out.iter().all(of_prefill) {
        calibration.entries.clear();
        solve::add_kind(&mut calibration, known, false);
    }
    if out.iter().any(of_prefill) {
        solve::add_kind(&mut calibration, known, true);
    }
    calibration
}

impl Calibration {
    /// A fit to runs with both kinds of honest errors; `runs` are their names.
    pub fn of_runs(family: &Family, observations: &[Observation], runs: &[String]) -> Self {
        let mut calibration = fit(family, observations);
        calibration.rows_held_out = hold_out_rows(family, observations);
        calibration.models_held_out = hold_out_models(family, observations);
        calibration.models = solve::models(observations, runs.len());
        calibration.runs = runs.to_vec();
        calibration
    }
}
