//! What the calculator knows: read once, shared by all requests.

use std::sync::{Arc, LazyLock};

use tokmark_calculator::fit::Calibration;
use tokmark_calculator::stored;
use tokmark_catalog::Catalog;

/// The catalogue and the calibrations that answers are made from.
#[derive(Debug)]
pub struct CalculatorData {
    /// Accelerators, models and prices.
    pub catalog: Catalog,
    /// Fitted constants by path; of two for the same path the first counts.
    pub calibrations: Vec<Calibration>,
}

/// Those of the program, read when they are first asked for.
static BUNDLED: LazyLock<Option<Arc<CalculatorData>>> = LazyLock::new(|| {
    let catalog = Catalog::bundled()
        .inspect_err(|error| tracing::error!(%error, "the catalogue cannot be read"))
        .ok()?;
    let calibrations = stored::bundled()
        .inspect_err(|error| tracing::error!(%error, "the calibrations cannot be read"))
        .ok()?;
    Some(Arc::new(CalculatorData {
        catalog,
        calibrations,
    }))
});

impl CalculatorData {
    /// What comes with the program; `None` where its own files are wrong, which tests rule out.
    pub(crate) fn bundled() -> Option<Arc<Self>> {
        BUNDLED.clone()
    }
}
