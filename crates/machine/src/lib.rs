//! The machine that carries the server: its hardware, and the command that started the server.
//!
//! Everything that leaves this crate is fit for publication: no keys, host names, private addresses,
//! user names or serial numbers (methodology section 8). What is not known stays `None`.

mod flags;
mod hardware_file;
mod inventory;
mod launch;
mod listeners;
mod nvidia;
mod processor;
mod redact;
mod title;

pub use flags::flags;
pub use hardware_file::{HardwareFileError, read_hardware_file};
pub use inventory::{inventory, inventory_of};
pub use launch::{LaunchCommand, launch_command};
pub use listeners::{Listener, listeners};
pub use redact::{redact, redact_arguments};
pub use title::name_for_title;
