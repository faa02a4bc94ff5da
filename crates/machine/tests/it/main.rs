//! The machine's facts from fixture trees, and redaction by tables.

#![expect(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test harness: its modules are only used inside, and a failure is meant to stop it"
)]

mod flags;
mod hardware_file;
mod inventory;
mod launch;
mod listeners;
mod redact;
mod title;
mod tree;
