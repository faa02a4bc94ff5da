//! Calibrations as a file: those that come with the program, and those that a person fitted.

use serde::{Deserialize, Serialize};
use tokmark_catalog::{Engine, KvCache};

use crate::constant::{ConstantId, Dependence};
use crate::fit::{Calibration, Entry, Residual};
use crate::path::{Family, Scope};
use crate::setup::Kernel;

/// The format's name.
pub const FORMAT: &str = "tokmark-calibration/1";

/// Fitted from public result pages; see `data/README.md`.
const BUNDLED: &str = include_str!("../data/calibrations.json");

/// Why a file of calibrations cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// It is no JSON of the expected shape.
    #[error("this is no file of calibrations")]
    Shape(#[from] serde_json::Error),
    /// It is of another format or version.
    #[error("the format is `{0}`, not `{FORMAT}`")]
    Format(String),
    /// A word in it means nothing.
    #[error("{0}")]
    Word(String),
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    calibrations: Vec<StoredCalibration>,
}

#[derive(Serialize, Deserialize)]
struct StoredCalibration {
    engine: String,
    accelerator: String,
    #[serde(default)]
    unlocked: bool,
    tensor_parallel: u32,
    runs: Vec<StoredRun>,
    constants: Vec<StoredConstant>,
    fitted: Vec<StoredResidual>,
    rows_held_out: Vec<StoredResidual>,
    models_held_out: Vec<StoredResidual>,
}

#[derive(Serialize, Deserialize)]
struct StoredRun {
    title: String,
    model: String,
}

#[derive(Serialize, Deserialize)]
struct StoredConstant {
    constant: ConstantId,
    /// Empty for the whole family, else the kernels' or the cache's word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    scope: String,
    value: f64,
    figures: usize,
    /// Standard error of the natural logarithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log_error: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct StoredResidual {
    run: usize,
    context: u64,
    requests: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    prefill: bool,
    measured_tokens_per_s: f64,
    predicted_tokens_per_s: f64,
}

/// The calibrations that come with the program.
///
/// # Errors
///
/// The file of the program itself is wrong, which its tests rule out.
pub fn bundled() -> Result<Vec<Calibration>, StoredError> {
    read(BUNDLED)
}

/// Reads a file of calibrations.
///
/// # Errors
///
/// It is not what [`write`] gives.
pub fn read(text: &str) -> Result<Vec<Calibration>, StoredError> {
    let file: File = serde_json::from_str(text)?;
    if file.format != FORMAT {
        return Err(StoredError::Format(file.format));
    }
    file.calibrations
        .into_iter()
        .map(StoredCalibration::load)
        .collect()
}

/// Calibrations as text, figures to six digits.
///
/// # Errors
///
/// Never with figures that a fit gives; a number that JSON cannot write.
pub fn write(calibrations: &[Calibration]) -> Result<String, StoredError> {
    let file = File {
        format: FORMAT.to_owned(),
        calibrations: calibrations.iter().map(StoredCalibration::of).collect(),
    };
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

impl StoredCalibration {
    fn of(calibration: &Calibration) -> Self {
        let all = |residuals: &[Residual]| residuals.iter().map(StoredResidual::of).collect();
        let runs = calibration.runs.iter().zip(&calibration.models);
        Self {
            engine: calibration.family.engine.id().to_owned(),
            accelerator: calibration.family.card.clone(),
            unlocked: calibration.family.unlocked,
            tensor_parallel: calibration.family.tensor,
            runs: runs
                .map(|(title, model)| StoredRun {
                    title: title.clone(),
                    model: model.clone(),
                })
                .collect(),
            constants: calibration.entries.iter().map(StoredConstant::of).collect(),
            fitted: all(&calibration.fitted),
            rows_held_out: all(&calibration.rows_held_out),
            models_held_out: all(&calibration.models_held_out),
        }
    }

    fn load(self) -> Result<Calibration, StoredError> {
        let engine =
            Engine::parse(&self.engine).map_err(|word| StoredError::Word(word.to_string()))?;
        let all = |residuals: Vec<StoredResidual>| {
            residuals.into_iter().map(StoredResidual::load).collect()
        };
        let entries: Result<Vec<Entry>, StoredError> = self
            .constants
            .into_iter()
            .map(StoredConstant::load)
            .collect();
        let (runs, models) = self
            .runs
            .into_iter()
            .map(|run| (run.title, run.model))
            .unzip();
        Ok(Calibration {
            family: Family {
                engine,
                card: self.accelerator,
                unlocked: self.unlocked,
                tensor: self.tensor_parallel,
            },
            entries: entries?,
            runs,
            models,
            fitted: all(self.fitted),
            rows_held_out: all(self.rows_held_out),
            models_held_out: all(self.models_held_out),
        })
    }
}

impl StoredConstant {
    fn of(entry: &Entry) -> Self {
        Self {
            constant: entry.id,
            scope: entry.scope.word(),
            value: six_digits(entry.value),
            figures: entry.observations,
            log_error: entry.log_error.map(six_digits),
        }
    }

    fn load(self) -> Result<Entry, StoredError> {
        let unknown = || StoredError::Word(format!("`{}` is no scope", self.scope));
        let scope = match self.constant.dependence() {
            Dependence::Family => Scope::Family,
            Dependence::Kernel => Scope::Kernel(Kernel::parse(&self.scope).ok_or_else(unknown)?),
            Dependence::Cache => Scope::Cache(KvCache::parse(&self.scope).map_err(|_| unknown())?),
        };
        Ok(Entry {
            id: self.constant,
            scope,
            value: self.value,
            observations: self.figures,
            log_error: self.log_error,
        })
    }
}

impl StoredResidual {
    fn of(residual: &Residual) -> Self {
        Self {
            run: residual.run,
            context: residual.context,
            requests: residual.requests,
            prefill: residual.prefill,
            measured_tokens_per_s: residual.measured,
            predicted_tokens_per_s: six_digits(residual.predicted),
        }
    }

    fn load(self) -> Residual {
        Residual {
            run: self.run,
            context: self.context,
            requests: self.requests,
            prefill: self.prefill,
            measured: self.measured_tokens_per_s,
            predicted: self.predicted_tokens_per_s,
        }
    }
}

/// Far below what any figure is known to, and short to read.
fn six_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}
