//! The decode calculator: what it knows, its pages and its endpoint.

mod data;

pub use data::CalculatorData;
