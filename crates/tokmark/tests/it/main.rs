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
mod book;
mod calc;
mod calc_fit;
mod compare;
mod fake_server;
mod files;
#[cfg(unix)]
mod gateway;
mod help;
#[cfg(target_os = "linux")]
mod launched;
#[cfg(unix)]
mod machine;
mod predicted;
#[cfg(unix)]
mod resume;
mod roads;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(unix)]
mod secrets;
mod settings;
#[cfg(unix)]
mod site;
mod timed;
mod timed_load;

use std::path::Path;
use std::process::Output;

/// Runs the program without any of the caller's settings.
fn tokmark(arguments: &[&str]) -> Output {
    tokmark_in(Path::new("."), arguments)
}

fn tokmark_in(dir: &Path, arguments: &[&str]) -> Output {
    program().args(arguments).current_dir(dir).output().unwrap()
}

/// As [`tokmark`], with these variables.
fn tokmark_with(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let variables = variables.iter().copied();
    program().envs(variables).args(arguments).output().unwrap()
}

fn program() -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("tokmark").unwrap();
    let theirs =
        |name: &str| name.starts_with("TOKMARK_") || name.to_ascii_lowercase().ends_with("_proxy");
    for (name, _) in std::env::vars().filter(|(name, _)| theirs(name)) {
        command.env_remove(name);
    }
    command.env("NO_COLOR", "1");
    // What was probed on the machine that tests is none of theirs.
    command.env("XDG_DATA_HOME", "/nowhere/data");
    command.env("XDG_CONFIG_HOME", "/nowhere/config");
    command
}

/// Checks exit code and that stderr says every one of `says`; gives stderr.
fn fails(arguments: &[&str], code: i32, says: &[&str]) -> String {
    fails_with(&[], arguments, code, says)
}

/// As [`fails`], with these variables.
fn fails_with(variables: &[(&str, &str)], arguments: &[&str], code: i32, says: &[&str]) -> String {
    let output = tokmark_with(variables, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stderr}");
    for part in says {
        assert!(stderr.contains(part), "`{part}` is missing:\n{stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}
