//! What accelerators rent for: price points with their sources, for whoever asks for them.

use serde::Deserialize;

use crate::bundled::{Catalog, DataError, Place, parse};

const FILE: &str = "rental";
const TEXT: &str = include_str!("../data/rental.toml");

/// Price points of one accelerator in US dollars an hour. They age within weeks: never use one
/// without showing source and date.
#[derive(Debug, Clone, PartialEq)]
pub struct Rental {
    /// Id of the hardware.
    pub hardware: String,
    /// The cheapest that was seen, mostly interruptible.
    pub low_usd: Option<f64>,
    /// What providers ask mostly, or the only price that was seen.
    pub typical_usd: f64,
    /// The dearest that was seen.
    pub high_usd: Option<f64>,
    /// Who asks it, by price point.
    pub source: String,
    /// Day or time at which it was asked.
    pub date: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rental: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    hardware: String,
    low_usd: Option<f64>,
    typical_usd: f64,
    high_usd: Option<f64>,
    source: String,
    date: String,
}

/// The rows of the file; `known` tells whether hardware of this id exists.
pub(crate) fn rentals(known: impl Fn(&str) -> bool) -> Result<Vec<Rental>, DataError> {
    let file: File = parse(FILE, TEXT)?;
    let mut rentals: Vec<Rental> = Vec::new();
    for row in file.rental {
        let place = Place {
            file: FILE,
            row: &row.hardware,
        };
        if !known(&row.hardware) {
            return Err(place.wrong("there is no such hardware"));
        }
        if rentals.iter().any(|one| one.hardware == row.hardware) {
            return Err(place.wrong("the hardware is there twice"));
        }
        rentals.push(row.check()?);
    }
    Ok(rentals)
}

impl Row {
    fn check(self) -> Result<Rental, DataError> {
        let place = Place {
            file: FILE,
            row: &self.hardware,
        };
        let prices: Vec<f64> = [self.low_usd, Some(self.typical_usd), self.high_usd]
            .into_iter()
            .flatten()
            .collect();
        if !prices.is_sorted() || prices.iter().any(|price| *price <= 0.0) {
            return Err(place.wrong("prices have to be above 0, and in order"));
        }
        if self.source.trim().is_empty() || self.date.trim().is_empty() {
            return Err(place.wrong("a price without source and date"));
        }
        Ok(Rental {
            hardware: self.hardware,
            low_usd: self.low_usd,
            typical_usd: self.typical_usd,
            high_usd: self.high_usd,
            source: self.source,
            date: self.date,
        })
    }
}

impl Catalog {
    /// What the hardware with this id rents for, where that is known.
    pub fn rental(&self, hardware: &str) -> Option<&Rental> {
        self.rentals().iter().find(|one| one.hardware == hardware)
    }
}
