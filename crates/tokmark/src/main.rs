//! The `tokmark` program: arguments, wiring, exit codes.

mod agent;
mod args;
mod calibrations;
mod command;
mod config;
mod data;
mod exit;
mod failure;
mod headers;
mod identity;
mod load;
mod local;
mod machine;
mod model_files;
mod nearest;
mod progress;
mod reach;
mod resume;
mod road;
mod roofline;
mod runfile;
mod say;
mod screen;
mod settings;
mod site_store;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Cli, Command, SiteCommand};
use clap::CommandFactory;
use config::Refusal;
use exit::Exit;
use failure::{Failure, Outcome};

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let cli = match config::read(&typed) {
        Ok(cli) => cli,
        Err(Refusal::Words(error)) => return usage(&error).into(),
        Err(Refusal::Settings(failure)) => return told(&failure),
    };
    start_log(cli.verbose);
    match dispatch(cli) {
        Ok(exit) => exit.into(),
        Err(failure) => told(&failure),
    }
}

fn told(failure: &Failure) -> ExitCode {
    say::progress(failure);
    failure.exit().into()
}

/// clap prints its own errors and help, with the nearest suggestion for a mistyped word.
fn usage(error: &clap::Error) -> Exit {
    let _closed = error.print();
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}

fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info,h2=warn,hyper=warn,sqlx=warn",
        _ => "debug,h2=info,hyper=info,rustls=info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("TOKMARK_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(say::Log::default)
        .with_target(false)
        .init();
}

fn dispatch(cli: Cli) -> Outcome {
    let quiet = cli.quiet;
    match cli.command {
        Command::Demo(args) => runtime()?.block_on(command::demo::run(args, quiet)),
        Command::Serve(args) => runtime()?.block_on(command::serve::run(args, quiet)),
        Command::Site { command } => match command {
            SiteCommand::Seed(args) => runtime()?.block_on(command::seed::run(args, quiet)),
        },
        Command::Run(args) => runtime()?.block_on(command::run::run(*args, quiet)),
        Command::Probe(args) => runtime()?.block_on(command::probe::run(*args)),
        Command::Show(args) => command::show::run(&args),
        Command::Compare(args) => command::compare::run(&args),
        Command::Verify(args) => command::verify::run(&args),
        Command::Import(args) => command::import::run(&args, quiet),
        Command::Calc(args) => command::calc::run(&args, quiet),
        Command::Sim(args) => {
            if let Some(core) = args.core {
                load::pin(core)?;
            }
            load::room_for_connections();
            runtime()?.block_on(command::sim::run(args, quiet))
        }
        Command::Machine(args) => runtime()?.block_on(command::machine::run(args, quiet)),
        Command::MachineAgent(args) => {
            runtime()?.block_on(command::machine_agent::run(args, quiet))
        }
        Command::Selftest(args) => command::selftest::run(&args, quiet),
        Command::SelftestClient(args) => command::selftest::client::run(&args),
        Command::Config(command) => command::config::run(&command),
        Command::Man(args) => command::man::run(&args),
        Command::Reference => Ok(command::reference::run()),
        Command::Schema {
            of: args::config::SchemaOf::Run,
        } => {
            say::result(format!("{:#}", tokmark_run_format::schema()));
            Ok(Exit::Done)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tokmark", &mut script);
            say::raw(&String::from_utf8_lossy(&script));
            Ok(Exit::Done)
        }
    }
}

fn runtime() -> Outcome<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Failed, error))
}
