//! Runs of several families, each family with a fit of its own.

use crate::observe::ObservedRun;
use crate::path::Family;

use super::calibration::Calibration;
use super::observation::Observation;
use super::residual::Residual;

/// One calibration for each family that the runs belong to, in the order in which they first come.
///
/// Runs without a figure are left out. Residuals count the runs of their own family.
pub fn calibrate(runs: &[ObservedRun]) -> Vec<Calibration> {
    let with_figures = || runs.iter().filter(|run| !run.observations.is_empty());
    let mut families: Vec<Family> = Vec::new();
    for run in with_figures() {
        let family = Family::of(&run.setup);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let of_family = |family: Family| {
        let own: Vec<&ObservedRun> = with_figures()
            .filter(|run| Family::of(&run.setup) == family)
            .collect();
        let names: Vec<String> = own.iter().map(|run| run.title.clone()).collect();
        let numbered = own.iter().enumerate().flat_map(|(place, run)| {
            run.observations.iter().map(move |one| Observation {
                run: place,
                ..one.clone()
            })
        });
        let observations: Vec<Observation> = numbered.collect();
        Calibration::of_runs(&family, &observations, &names)
    };
    families.into_iter().map(of_family).collect()
}

impl Calibration {
    /// How far it is off on a figure; `None` where the model cannot say.
    ///
    /// Of another family the figure is predicted with what is believed before any run.
    pub fn residual(&self, one: &Observation) -> Option<Residual> {
        Some(Residual {
            run: one.run,
            context: one.context,
            requests: one.requests,
            prefill: one.is_prefill(),
            measured: one.tokens_per_s,
            predicted: one.predicted(&self.constants(&one.setup))?,
        })
    }
}
