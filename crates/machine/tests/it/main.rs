//! The machine's facts from fixture trees, and redaction by tables.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test harness: its modules are only used inside, and a failure is meant to stop it"
)]

mod agent;
mod apple;
mod bandwidth;
mod device_memory;
mod fake_nvml;
mod flags;
mod hardware_file;
mod host;
mod inventory;
mod last_probe;
mod launch;
mod launch_containers;
mod launch_model;
mod launch_settings;
mod listeners;
mod nvml;
mod redact;
mod server_use;
mod sysfs;
mod telemetry;
mod title;
mod tree;
