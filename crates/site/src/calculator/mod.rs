//! The decode calculator: what it knows, its pages and its endpoint.

mod answered;
mod asked;
mod cost;
mod data;
mod form;
mod need;
mod page;
mod problem;

pub use data::CalculatorData;

pub(crate) use need::{document as need_document, fragment as need_fragment, page as need_page};
pub(crate) use page::{csv, document, fragment, page};
