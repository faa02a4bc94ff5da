//! Arguments of `config`, `man` and `schema`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What `config` does.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show each setting of a command with its value and where that comes from; without a command,
    /// every setting that is set anywhere.
    Show(ConfigShowArgs),
    /// Say where the files of settings are, and which of them are read.
    Path(ConfigPathArgs),
}

/// Arguments of `config show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    tokmark config show run\n  \
    tokmark config show run localhost:8000 --duration 10s\n  \
    tokmark config show calc fit --json\n\n\
    Keys, headers and credentials are shown as `(set)`.")]
pub(crate) struct ConfigShowArgs {
    /// A command, and options as they would be typed after it. Nothing is run.
    #[arg(
        value_name = "COMMAND",
        num_args = 0..,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) words: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `config path`.
#[derive(Debug, Args)]
pub(crate) struct ConfigPathArgs {
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder instead of the program's to stdout.
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// Documents with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The run document.
    Run,
}
