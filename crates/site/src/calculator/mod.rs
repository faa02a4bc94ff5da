//! The decode calculator: what it knows, its pages and its endpoint.

mod answered;
mod asked;
mod cost;
mod data;
mod form;
mod need;
mod page;
mod problem;
pub(crate) mod fits;
pub(crate) mod paths;
pub(crate) mod stored;

pub use data::CalculatorData;

pub(crate) use need::{document as need_document, fragment as need_fragment, page as need_page};
pub(crate) use page::{csv, document, fragment, page};
