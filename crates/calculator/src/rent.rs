//! What a machine rents for by the catalog's price points, for whoever asks for them.

use tokmark_catalog::{Catalog, Rental};
use tokmark_units::float;

use crate::cost::Money;
use crate::report::HardwarePart;

/// A price point of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RentPoint {
    /// The cheapest that was seen.
    Low,
    /// What most providers ask.
    Typical,
    /// The dearest that was seen.
    High,
}

/// Why there is no such price.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRent {
    /// The machine has none.
    #[error("no rental price of the {0} is known")]
    Unknown(String),
    /// Only one price was seen.
    #[error("of the {0} only a typical price is known")]
    OnlyTypical(String),
}

/// A rent with where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Rent {
    /// Of all accelerators, an hour.
    pub per_hour: Money,
    /// Who asks it, and when.
    pub source: String,
}

impl RentPoint {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Low, Self::Typical, Self::High];

    /// The word on a command line and in an address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Typical => "typical",
            Self::High => "high",
        }
    }

    fn of(self, rental: &Rental) -> Option<f64> {
        match self {
            Self::Low => rental.low_usd,
            Self::Typical => Some(rental.typical_usd),
            Self::High => rental.high_usd,
        }
    }
}

/// The rent of all accelerators of an answer.
pub fn rent(catalog: &Catalog, hardware: &HardwarePart, point: RentPoint) -> Result<Rent, NoRent> {
    let name = || hardware.name.clone();
    let rental = catalog
        .rental(&hardware.id)
        .ok_or_else(|| NoRent::Unknown(name()))?;
    let each = point
        .of(rental)
        .ok_or_else(|| NoRent::OnlyTypical(name()))?;
    let all = each * float::from_u64(hardware.count.into());
    Ok(Rent {
        per_hour: Money::new(all, "USD"),
        source: format!("{}, {}", rental.source, rental.date),
    })
}
