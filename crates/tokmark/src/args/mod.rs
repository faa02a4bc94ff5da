//! What can be typed.

pub(crate) mod calc;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod machine;
pub(crate) mod selftest;
pub(crate) mod server;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod variables;
pub(crate) mod work;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub(crate) use calc::CalcArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use machine::{AgentArgs, MachineAgentArgs, MachineArgs};
pub(crate) use selftest::{SelftestArgs, SelftestClientArgs, SelftestRole};
pub(crate) use server::{ServerArgs, TrustArgs};
pub(crate) use show::{ShowArgs, ShowFormat};
pub(crate) use site::{SeedArgs, ServeArgs, SiteCommand, StoreArgs};
pub(crate) use work::{DemoArgs, ImportArgs, PlanArgs, ProbeArgs, RunArgs, SimArgs, VerifyArgs};

/// Measure how fast a language-model server really is: every context x concurrency cell, with the
/// evidence behind each number.
#[derive(Debug, Parser)]
#[command(
    name = "tokmark",
    version,
    propagate_version = true,
    after_help = "Exit codes: 0 done, 1 a check failed, 2 usage, 3 not enough data, 4 server \
                  unreachable or not usable, 5 partly measured, 130 interrupted (result saved).\n\n\
                  Every option is also a variable (TOKMARK_…) and a key of tokmark.toml: see \
                  `tokmark config show COMMAND`."
)]
pub(crate) struct Cli {
    /// Print less: only errors and the result.
    #[arg(short, long, global = true, env = "TOKMARK_QUIET")]
    pub(crate) quiet: bool,
    /// Print more about what happens; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Read the settings of this file instead of the project's and the user's `tokmark.toml`; an empty
    /// name reads none.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "TOKMARK_CONFIG",
        hide_env = true,
        display_order = 900
    )]
    pub(crate) config: Option<OsString>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole road on this machine: simulated server, matrix, database, site.
    Demo(DemoArgs),
    /// Serve the site.
    Serve(ServeArgs),
    /// Look after the site's data.
    Site {
        /// What to do.
        #[command(subcommand)]
        command: SiteCommand,
    },
    /// Measure a server.
    Run(Box<RunArgs>),
    /// Say what a server is and what a run would measure. Measures nothing.
    Probe(Box<ProbeArgs>),
    /// Show a run as a table, page, or file of another format.
    Show(ShowArgs),
    /// Compare two to six runs cell by cell, with intervals; a gate for CI with --fail-on.
    Compare(CompareArgs),
    /// Recompute every number of a run from its evidence.
    Verify(VerifyArgs),
    /// Turn another tool's result file into a run.
    Import(ImportArgs),
    /// Say before anything is measured what fits, how fast it is, what limits it and what it costs.
    Calc(Box<CalcArgs>),
    /// Say what this machine is, or one with an agent; measure its memory bandwidth.
    Machine(MachineArgs),
    /// Tell clients on other machines what this one is, and its power, clocks and heat.
    MachineAgent(MachineAgentArgs),
    /// A simulated server.
    Sim(SimArgs),
    /// Measure this client on this machine: its speed against a minimal drain, its accuracy
    /// against a simulated server's truth.
    Selftest(SelftestArgs),
    /// One measurement of `selftest`, in a process of its own.
    #[command(hide = true)]
    SelftestClient(SelftestClientArgs),
    /// Show the settings that count, and where each is from: default, file, variable, option.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// The JSON Schema of a document.
    Schema {
        /// The document.
        #[arg(default_value = "run")]
        of: config::SchemaOf,
    },
    /// Shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Manual pages.
    Man(config::ManArgs),
    /// docs/cli.md.
    #[command(hide = true)]
    Reference,
}
