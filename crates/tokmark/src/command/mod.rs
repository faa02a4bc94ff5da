//! One module per command.

pub(crate) mod calc;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod import;
pub(crate) mod machine;
pub(crate) mod machine_agent;
pub(crate) mod man;
pub(crate) mod probe;
pub(crate) mod reference;
pub(crate) mod run;
pub(crate) mod seed;
pub(crate) mod selftest;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod sim;
pub(crate) mod verify;
