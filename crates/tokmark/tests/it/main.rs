//! The program as a person meets it: arguments in, text, files and exit codes out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code: a panic is the failure"
)]

mod bad_input;
mod fake_server;
mod files;
mod help;
mod timed;

use std::path::Path;
use std::process::Output;

/// Runs the program without any of the caller's settings.
fn tokmark(arguments: &[&str]) -> Output {
    tokmark_in(Path::new("."), arguments)
}

fn tokmark_in(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("tokmark").unwrap();
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TOKMARK_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .current_dir(dir)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// Checks exit code and that stderr says every one of `says`; gives stderr.
fn fails(arguments: &[&str], code: i32, says: &[&str]) -> String {
    let output = tokmark(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stderr}");
    for part in says {
        assert!(stderr.contains(part), "`{part}` is missing:\n{stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}
