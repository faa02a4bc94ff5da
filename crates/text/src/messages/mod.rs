// Written by `cargo xtask text`; change the catalogues instead.

//! Messages by area: one function each, from the English catalogues.

pub mod answer;
pub mod calculator;
pub mod chart;
pub mod column;
pub mod compare;
pub mod errors;
pub mod fact;
pub mod field;
pub mod figure;
pub mod filter;
pub mod frame;
pub mod glossary;
pub mod label;
pub mod list;
pub mod need;
pub mod number;
pub mod paths;
pub mod picture;
pub mod predicted;
pub mod roofline;
pub mod run;
pub mod status;
pub mod versus;
