//! What can be typed after `compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::work::List;

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 same or better, 1 a rule is broken, 2 usage, 3 not enough \
                        data. Rules: docs/compare.md."
)]
pub(crate) struct CompareArgs {
    /// Two to six sides: run documents, or folders with one run or with repeated runs of a server.
    #[arg(value_name = "RUN", num_args = 2..=6, required = true)]
    pub(crate) runs: Vec<PathBuf>,
    /// The side that the others are held against, by its letter.
    #[arg(long, value_name = "LETTER", default_value = "A", value_parser = letter)]
    pub(crate) baseline: usize,
    /// What is compared, such as `total,ttft` [default: total, and prefill where a run has it]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub(crate) metric: Vec<MetricWord>,
    /// Standard deviation from run to run that is assumed where nothing was repeated, such as `1%`
    /// [default: 2%, TTFT 10%]
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub(crate) noise: Option<f64>,
    /// Exit with 1 when one of these rules is broken, such as `total < -3%, any total < -5%`; may be
    /// given several times.
    #[arg(long, value_name = "RULES", value_parser = rules)]
    pub(crate) fail_on: Vec<List<tokmark_measure::compare::Rule>>,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print Markdown.
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Write the rules and verdicts to this file as `JUnit` XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Add the comparison in Markdown to the file that `GITHUB_STEP_SUMMARY` names; without one,
    /// print it.
    #[arg(long)]
    pub(crate) github_summary: bool,
    /// That file, which GitHub names.
    #[arg(long, hide = true, env = "GITHUB_STEP_SUMMARY", value_name = "FILE")]
    pub(crate) github_summary_file: Option<PathBuf>,
}

/// Metrics by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricWord {
    /// Total tok/s of decode.
    Total,
    /// Decode tok/s of the median stream.
    PerRequest,
    /// Time to the first token when all requests of a cell start at once.
    Ttft,
    /// Time between tokens.
    Itl,
    /// Prompt tok/s of prefill.
    Prefill,
    /// Joules per output token.
    Energy,
}

fn letter(text: &str) -> Result<usize, String> {
    ["A", "B", "C", "D", "E", "F"]
        .iter()
        .position(|letter| letter.eq_ignore_ascii_case(text.trim()))
        .ok_or_else(|| "a letter from A to F: A is the first run".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let percent: Option<f64> = number.parse().ok();
    percent
        .filter(|percent| (0.0..=50.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "a percentage from 0% to 50% is expected".to_owned())
}

fn rules(text: &str) -> Result<List<tokmark_measure::compare::Rule>, String> {
    tokmark_measure::compare::parse(text)
        .map(Into::into)
        .map_err(|error| {
            // clap has shown the text before; under it stands where it goes wrong.
            let space = " ".repeat(error.column.saturating_sub(1));
            format!("{error}\n\n  {text}\n  {space}^")
        })
}
