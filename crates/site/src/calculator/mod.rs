//! The decode calculator: what it knows, its pages and its endpoint.

mod answered;
mod around;
mod asked;
mod cost;
mod data;
pub(crate) mod fits;
mod form;
mod need;
mod page;
pub(crate) mod paths;
mod problem;
pub(crate) mod stored;

pub use data::CalculatorData;

pub(crate) use need::{document as need_document, fragment as need_fragment, page as need_page};
pub(crate) use page::{csv, document, fragment, page};
