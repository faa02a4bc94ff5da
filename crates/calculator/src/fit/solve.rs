//! The least squares behind a fit.

use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};

use crate::constant::{ConstantId, Prior};
use crate::constants::{Constants, Origin};
use crate::path::{Family, Scope};

use super::calibration::{Calibration, Entry, model_word};
use super::observation::Observation;

/// Standard deviation of a measured figure around the model, as a share.
const NOISE: f64 = 0.015;

/// Residuals beyond so many deviations lose weight (Huber).
const HUBER: f64 = 1.5;

/// Rounds of weighting.
const ROUNDS: usize = 8;

/// Step of the numeric derivative, in spreads of a constant.
const STEP: f64 = 1e-4;

/// A figure depends on a constant when one spread of it changes the figure by more than this share.
const FELT: f64 = 1e-4;

/// Fits the constants of one family to figures of its runs: decode first, then prefill, which uses
/// what decode told. Figures of other families are left out.
///
/// Minimises `Σ ρ(ln(predicted/measured)/1.5 %) + Σ (ln(constant/prior)/spread)²`, `ρ` Huber's loss,
/// by Levenberg-Marquardt with weights that are renewed.
pub fn fit(family: &Family, observations: &[Observation]) -> Calibration {
    let own: Vec<&Observation> = observations
        .iter()
        .filter(|one| Family::of(&one.setup) == *family)
        .collect();
    let mut calibration = Calibration::empty(family.clone());
    for prefill in [false, true] {
        add_kind(&mut calibration, &own, prefill);
    }
    calibration.fitted = own
        .iter()
        .filter_map(|one| calibration.residual(one))
        .collect();
    calibration
}

/// Adds the constants of decode, or those of prefill to a calibration that has decode's.
pub(super) fn add_kind(calibration: &mut Calibration, own: &[&Observation], prefill: bool) {
    let of_kind: Vec<&Observation> = own
        .iter()
        .copied()
        .filter(|one| one.is_prefill() == prefill)
        .collect();
    let entries = solve(calibration, &of_kind, prefill);
    calibration.entries.extend(entries);
}

/// The models of some figures, one for each run.
pub(super) fn models(observations: &[Observation], runs: usize) -> Vec<String> {
    (0..runs)
        .map(|run| {
            let first = observations.iter().find(|one| one.run == run);
            first.map(|one| model_word(&one.setup)).unwrap_or_default()
        })
        .collect()
}

/// A constant that is searched for, as a multiple of its spread away from what is believed.
#[derive(Clone, Copy)]
struct Unknown {
    id: ConstantId,
    scope: Scope,
    prior: Prior,
}

impl Unknown {
    fn value(&self, deviation: f64) -> f64 {
        self.prior.value * (deviation * self.prior.spread).exp()
    }
}

struct Problem<'a> {
    observations: &'a [&'a Observation],
    /// Constants of each observation's setup before the search.
    known: &'a [Constants],
    unknowns: &'a [Unknown],
    weights: DVector<f64>,
    at: DVector<f64>,
}

fn solve(before: &Calibration, observations: &[&Observation], prefill: bool) -> Vec<Entry> {
    let known: Vec<Constants> = observations
        .iter()
        .map(|one| before.constants(&one.setup))
        .collect();
    let unknowns = unknowns(observations, prefill);
    if unknowns.is_empty() {
        return Vec::new();
    }
    let mut problem = Problem {
        observations,
        known: &known,
        unknowns: &unknowns,
        weights: DVector::from_element(observations.len(), 1.0),
        at: DVector::zeros(unknowns.len()),
    };
    for _ in 0..ROUNDS {
        let (solved, _) = LevenbergMarquardt::new().minimize(problem);
        problem = solved;
        let errors = problem.errors(&problem.at);
        problem.weights = errors.map(|error| {
            let deviations = (error / NOISE).abs();
            if deviations <= HUBER {
                1.0
            } else {
                (HUBER / deviations).sqrt()
            }
        });
    }
    let felt = problem.felt();
    let deviations = problem.standard_errors();
    let found = unknowns.iter().zip(problem.at.iter()).zip(felt);
    found
        .enumerate()
        .filter(|(_, (_, observations))| *observations > 0)
        .map(|(place, ((unknown, deviation), observations))| Entry {
            id: unknown.id,
            scope: unknown.scope,
            value: unknown.id.bounded(unknown.value(*deviation)),
            observations,
            log_error: deviations
                .as_ref()
                .and_then(|all| all.get(place))
                .map(|deviation| deviation * unknown.prior.spread),
        })
        .collect()
}

/// Each constant of the kind in each scope that occurs.
fn unknowns(observations: &[&Observation], prefill: bool) -> Vec<Unknown> {
    let mut found: Vec<Unknown> = Vec::new();
    for one in observations {
        for id in ConstantId::all().filter(|id| id.is_of_prefill() == prefill) {
            let scope = Scope::of(id, &one.setup);
            let there = |unknown: &Unknown| unknown.id == id && unknown.scope == scope;
            if !found.iter().any(there) {
                found.push(Unknown {
                    id,
                    scope,
                    prior: id.prior(&one.setup),
                });
            }
        }
    }
    found
}

impl Problem<'_> {
    fn constants(
        &self,
        observation: &Observation,
        known: &Constants,
        at: &DVector<f64>,
    ) -> Constants {
        let mut constants = known.clone();
        for (unknown, deviation) in self.unknowns.iter().zip(at.iter()) {
            if Scope::of(unknown.id, &observation.setup) == unknown.scope {
                let origin = Origin::Measured { observations: 0 };
                constants.set(unknown.id, unknown.value(*deviation), origin);
            }
        }
        constants
    }

    /// Log errors, not weighted.
    fn errors(&self, at: &DVector<f64>) -> DVector<f64> {
        let errors = self
            .observations
            .iter()
            .zip(self.known)
            .map(|(one, known)| {
                one.log_error(&self.constants(one, known, at))
                    .unwrap_or(0.0)
            });
        DVector::from_iterator(self.observations.len(), errors)
    }

    /// Derivatives of the log errors by central differences.
    fn slopes(&self) -> DMatrix<f64> {
        let mut slopes = DMatrix::zeros(self.observations.len(), self.unknowns.len());
        for (column, mut slope) in slopes.column_iter_mut().enumerate() {
            let moved = |by: f64| {
                let mut at = self.at.clone();
                if let Some(value) = at.get_mut(column) {
                    *value += by;
                }
                self.errors(&at)
            };
            slope.copy_from(&((moved(STEP) - moved(-STEP)) / (2.0 * STEP)));
        }
        slopes
    }

    /// Standard errors in spreads of the constants: roots of the diagonal of `(JᵀJ)⁻¹`, wider where
    /// the figures scatter more than [`NOISE`].
    fn standard_errors(&self) -> Option<Vec<f64>> {
        let jacobian = self.jacobian()?;
        let inverse = (jacobian.transpose() * jacobian).cholesky()?.inverse();
        let weighted = self.errors(&self.at).component_mul(&self.weights) / NOISE;
        let figures = tokmark_units::float::from_usize(self.observations.len().max(1));
        let scatter = (weighted.norm_squared() / figures).max(1.0);
        let diagonal = inverse.diagonal();
        Some(
            diagonal
                .iter()
                .map(|variance| (variance * scatter).sqrt())
                .collect(),
        )
    }

    /// How many figures each constant matters for.
    fn felt(&self) -> Vec<usize> {
        let slopes = self.slopes();
        slopes
            .column_iter()
            .map(|column| column.iter().filter(|slope| slope.abs() > FELT).count())
            .collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, at: &DVector<f64>) {
        self.at.copy_from(at);
    }

    fn params(&self) -> DVector<f64> {
        self.at.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let errors = self.errors(&self.at);
        let weighted = errors.component_mul(&self.weights) / NOISE;
        let all = weighted.iter().chain(self.at.iter()).copied();
        let count = self.observations.len() + self.unknowns.len();
        Some(DVector::from_iterator(count, all))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let rows = self.observations.len();
        let count = self.unknowns.len();
        let mut slopes = self.slopes() / NOISE;
        for (mut row, weight) in slopes.row_iter_mut().zip(self.weights.iter()) {
            row *= *weight;
        }
        let mut jacobian = slopes.insert_rows(rows, count, 0.0);
        jacobian
            .view_mut((rows, 0), (count, count))
            .fill_with_identity();
        Some(jacobian)
    }
}
