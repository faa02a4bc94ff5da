//! The machine that carries the server: its hardware, its telemetry, and the command that started
//! the server.
//!
//! Everything that leaves this crate is fit for publication: no keys, host names, private addresses,
//! user names or serial numbers (methodology section 8). What is not known stays `None`, with the
//! reason where there is one. All files are read below a root folder, so that recorded trees of
//! other machines can be read as well.

pub mod agent;
mod amd;
mod apple;
mod bandwidth;
mod card;
mod choose;
mod clock;
mod device_memory;
mod drm;
mod files;
mod hardware_file;
mod host;
mod intel;
mod inventory;
mod last_probe;
mod launch;
mod listeners;
mod memory;
mod nvml;
mod pci;
mod private;
mod processor;
mod redact;
mod server_use;
pub mod telemetry;
mod title;
mod watch;

pub use apple::AppleFacts;
pub use bandwidth::{BandwidthSettings, PROBE_IS_OPTIMISED, measure_bandwidth};
pub use card::Normalise;
pub use choose::UsedDevice;
pub use clock::real_clock;
pub use device_memory::{ComputeApi, ComputeLibrary, DeviceBandwidth, measure_device_bandwidth};
pub use hardware_file::{HardwareFileError, read_hardware_file};
pub use inventory::{Found, Look, inventory, inventory_named, inventory_of, look_named};
pub use last_probe::{LastProbe, keep_probe, last_probe, recall_probe};
pub use launch::{
    LaunchCommand, LaunchPlaces, LaunchUnknown, find_launch, flags, launch_command, model_path,
    quoted, settings,
};
pub use listeners::{Listener, listeners};
pub use nvml::NvmlLibrary;
pub use redact::{redact, redact_arguments};
pub use server_use::ServerUse;
pub use title::name_for_title;
pub use watch::Watch;
