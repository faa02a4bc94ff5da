//! What a form offers to choose from, and where it leads.

use tokmark_catalog::{Catalog, Hardware};
use tokmark_pages::CalculatorForm;

use super::form::Form;
use crate::language::Language;

/// What stands around the values of a form.
#[derive(Default)]
pub(super) struct Around<'a> {
    models: Vec<&'a str>,
    hardware: Vec<String>,
    calculator: String,
    need: String,
    paths: String,
}

impl<'a> Around<'a> {
    /// Everything that a whole page needs; a fragment needs none of it.
    pub(super) fn page(catalog: &'a Catalog, language: Language) -> Self {
        Self {
            models: models(catalog),
            hardware: catalog.hardware().iter().map(Hardware::full_name).collect(),
            calculator: language.calculator(),
            need: language.need(),
            paths: language.paths(),
        }
    }

    /// A form with its values and faults.
    pub(super) fn form(&'a self, form: &'a Form) -> CalculatorForm<'a> {
        CalculatorForm {
            values: &form.values,
            faults: &form.faults,
            models: &self.models,
            hardware: &self.hardware,
            calculator: &self.calculator,
            need: &self.need,
            paths: &self.paths,
        }
    }
}

/// Models whose speed can be calculated.
fn models(catalog: &Catalog) -> Vec<&str> {
    let modelled = catalog.models().iter();
    modelled
        .filter(|row| row.not_modelled.is_none())
        .map(|row| row.id.as_str())
        .collect()
}
