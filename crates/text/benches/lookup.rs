//! `cargo bench -p tokmark-text`: what a message costs, once its catalogue has been parsed.
//!
//! A page holds a few hundred messages and thousands of numbers; below 2 µs each they do not show.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench reads the clock and prints"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokmark_text::messages::{figure, frame};
use tokmark_text::{Language, Numbers};

/// The most that a plain message may take.
const MOST: Duration = Duration::from_micros(2);

const TIMES: u32 = 100_000;

fn main() -> ExitCode {
    let language = Language::Japanese;
    let numbers = Numbers::of(language);
    let plain = each("plain message", || {
        frame::copy(black_box(language)).to_owned()
    });
    each("message with a text", || {
        figure::by(black_box(language), "ada")
    });
    each("message with a plural", || {
        figure::at_cell(black_box(Language::English), 16, "136K")
    });
    each("decimal", || numbers.decimal(black_box(1_234.5), 1));
    each("list of three", || numbers.list(["8K", "16K", "32K"]));
    if plain > MOST {
        println!("a plain message may take {} ns", MOST.as_nanos());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The mean over many calls, after one that parses and loads.
fn each(what: &str, call: impl Fn() -> String) -> Duration {
    let first = Instant::now();
    black_box(call());
    let first = first.elapsed();
    let began = Instant::now();
    for _ in 0..TIMES {
        black_box(call());
    }
    let mean = began.elapsed() / TIMES;
    let (mean_ns, first_us) = (mean.as_nanos(), first.as_micros());
    println!("{what}: {mean_ns} ns (first {first_us} µs)");
    mean
}
