//! `cargo bench -p tokmark`: the bars of the load path, by `tokmark selftest`.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let ran = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .arg("selftest")
        .status();
    match ran {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
