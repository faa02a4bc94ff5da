//! From the words of the command line, the variables and the files to the arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use super::apply::{Applied, apply};
use super::file::{self, File};
use super::find::places;
use crate::args::Cli;
use crate::args::variables::with_variables;
use crate::failure::{Failure, Outcome};

/// Commands that must work while a file of settings is broken.
const WITHOUT_SETTINGS: [&str; 5] = ["completions", "config", "man", "reference", "schema"];

/// Why there are no arguments.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// clap's own words: help, version, or what is wrong with an option.
    Words(Box<clap::Error>),
    /// What is wrong with a file of settings.
    Settings(Failure),
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Self::Words(Box::new(error))
    }
}

/// The whole definition, with the variables.
pub(crate) fn command() -> Command {
    let mut command = with_variables(Cli::command());
    command.build();
    command
}

/// The arguments.
pub(crate) fn read(typed: &[OsString]) -> Result<Cli, Refusal> {
    // Before it is built: clap builds what it parses.
    let plain = with_variables(Cli::command());
    let waits_for_files = |kind| {
        matches!(
            kind,
            ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict
        )
    };
    let name = match plain.clone().try_get_matches_from(typed) {
        Ok(matches) => matches.subcommand_name().map(str::to_owned),
        Err(error) if waits_for_files(error.kind()) => None,
        Err(error) => return Err(error.into()),
    };
    if name.is_some_and(|name| WITHOUT_SETTINGS.contains(&name.as_str())) {
        return arguments(plain, typed).map_err(Refusal::from);
    }
    let files = read_settings(chosen_file(typed).as_deref()).map_err(Refusal::Settings)?;
    let applied = apply(&command(), typed, &files).map_err(Refusal::Settings)?;
    let plain = without(plain, &applied);
    arguments(plain, &applied.words).map_err(Refusal::from)
}

fn arguments(command: Command, words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut matches = command.try_get_matches_from(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Cli::command()))
}

/// What clap makes of words for one command, whatever is missing, and where the rest is from.
pub(crate) fn resolve(
    typed: &[OsString],
    files: &[File],
) -> Outcome<Result<(ArgMatches, Applied), clap::Error>> {
    let applied = apply(&command(), typed, files)?;
    let command = without(with_variables(Cli::command()), &applied);
    let read = match command.clone().try_get_matches_from(&applied.words) {
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => command
            .ignore_errors(true)
            .try_get_matches_from(&applied.words),
        read => read,
    };
    Ok(read.map(|matches| (matches, applied)))
}

/// Takes the variables away that an option contradicts.
fn without(command: Command, applied: &Applied) -> Command {
    if applied.unset.is_empty() {
        return command;
    }
    command
        .mut_args(|arg| {
            if applied.unset.contains(arg.get_id().as_str()) {
                arg.env(clap::builder::Resettable::Reset)
            } else {
                arg
            }
        })
        .mut_subcommands(|command| without(command, applied))
}

/// The file that `--config` or its variable names.
pub(crate) fn chosen_file(typed: &[OsString]) -> Option<PathBuf> {
    let mut words = typed.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word == "--config" {
            return words.next().map(PathBuf::from);
        }
        if let Some(path) = word
            .to_str()
            .and_then(|word| word.strip_prefix("--config="))
        {
            return Some(PathBuf::from(path));
        }
    }
    std::env::var_os("TOKMARK_CONFIG").map(PathBuf::from)
}

/// The files of settings, read and checked, the strongest first.
pub(crate) fn read_settings(named: Option<&Path>) -> Outcome<Vec<File>> {
    let root = command();
    places(named)?
        .iter()
        .filter(|place| place.is_there)
        .map(|place| file::read(place, &root))
        .collect()
}
