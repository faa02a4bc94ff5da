//! Which settings of the files have effect beside what was typed, and as which words.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};

use super::check::stands_at_the_top;
use super::file::{Entry, File, Value};
use crate::args::Cli;
use crate::args::variables::{is_setting, key, with_variables};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// What is given to clap, and what of it a file said.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The words, those of the files among what was typed.
    pub(crate) words: Vec<OsString>,
    /// Variables that an option contradicts, by the option's id.
    pub(crate) unset: BTreeSet<String>,
    /// Where each option's value in a file is, by the option's id.
    pub(crate) sources: BTreeMap<String, Source>,
}

/// A place in a file, and the value there.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Of the files, the strongest first.
    pub(crate) file: usize,
    pub(crate) entry: Entry,
    /// The smaller, the stronger: option, variable, then the files' tables and tops in turn.
    rank: usize,
}

/// Ranks of what was typed and of what a variable says.
const OPTION: usize = 0;
const VARIABLE: usize = 1;

/// Whether an option's value must not be shown.
pub(crate) fn is_secret(arg: &Arg, value: &str) -> bool {
    let id = arg.get_id().as_str();
    // In front of an `@` stand a user and a password.
    matches!(id, "api_key" | "headers") || (matches!(id, "url" | "proxy") && value.contains('@'))
}

/// What was typed, with the files' settings for its command among it. `root` is built.
pub(crate) fn apply(root: &Command, typed: &[OsString], files: &[File]) -> Outcome<Applied> {
    let mut applied = Applied {
        words: typed.to_vec(),
        ..Applied::default()
    };
    // What is wrong with the words is said when they are read in earnest.
    // A built definition would not pass `ignore_errors` down to its subcommands.
    let lenient = with_variables(Cli::command()).ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(typed) else {
        return Ok(applied);
    };
    let leaf = Leaf::new(root, &matches);
    if leaf.path.is_empty() {
        return Ok(applied);
    }
    let given = leaf.given(&matches);
    let mut found = leaf.settings(files);
    found.retain(|id, _| !given.contains_key(id));
    leaf.yield_to_stronger(&given, &mut found, &mut applied.unset, files)?;
    leaf.drop_lonely(root, &given, &mut found);
    let words: Vec<OsString> = found
        .iter()
        .flat_map(|(id, source)| leaf.words(id, &source.entry.value))
        .collect();
    if let Some(at) = leaf.position(typed) {
        let (before, after) = typed.split_at(at);
        applied.words = [before, &words, after].concat();
    }
    applied.sources = found;
    Ok(applied)
}

/// The command that was typed.
struct Leaf<'a> {
    command: &'a Command,
    path: Vec<&'a str>,
}

impl<'a> Leaf<'a> {
    fn new(root: &'a Command, matches: &ArgMatches) -> Self {
        let mut command = root;
        let mut path = Vec::new();
        let mut matches = matches;
        while let Some((name, below)) = matches.subcommand() {
            let Some(next) = command.find_subcommand(name) else {
                break;
            };
            path.push(next.get_name());
            (command, matches) = (next, below);
        }
        Self { command, path }
    }

    fn arg(&self, id: &str) -> Option<&'a Arg> {
        self.command.get_arguments().find(|arg| arg.get_id() == id)
    }

    /// What was typed or stands in a variable, with its rank.
    fn given(&self, matches: &ArgMatches) -> BTreeMap<String, usize> {
        let mut of_leaf = matches;
        while let Some((_, below)) = of_leaf.subcommand() {
            of_leaf = below;
        }
        let ids = self
            .command
            .get_arguments()
            .map(|arg| arg.get_id().as_str());
        ids.filter(|id| of_leaf.try_contains_id(id).is_ok())
            .filter_map(|id| {
                let rank = match of_leaf.value_source(id)? {
                    ValueSource::CommandLine => OPTION,
                    ValueSource::EnvVariable => VARIABLE,
                    _ => return None,
                };
                Some((id.to_owned(), rank))
            })
            .collect()
    }

    /// The strongest entry for each option, with the rank.
    fn settings(&self, files: &[File]) -> BTreeMap<String, Source> {
        let table = self.path.join(" ");
        let mut found = BTreeMap::new();
        for arg in self.command.get_arguments().filter(|arg| is_setting(arg)) {
            let candidates = files.iter().enumerate().flat_map(|(file, content)| {
                let own = (VARIABLE + 1 + 2 * file, table.as_str());
                let top = (VARIABLE + 2 + 2 * file, "");
                let is_top = stands_at_the_top(arg) || arg.is_global_set();
                [Some(own), is_top.then_some(top)]
                    .into_iter()
                    .flatten()
                    .filter_map(move |(rank, table)| {
                        let mut all = content.entries.iter();
                        let entry = all.find(|at| at.key == key(arg) && at.table == table)?;
                        let entry = entry.clone();
                        Some(Source { file, entry, rank })
                    })
            });
            if let Some(source) = candidates.min_by_key(|source| source.rank) {
                found.insert(arg.get_id().to_string(), source);
            }
        }
        found
    }

    fn conflict(&self, one: &str, other: &str) -> bool {
        let excludes = |one: &str, other: &str| {
            let against = |arg| self.command.get_arg_conflicts_with(arg);
            let of = self.arg(one).map(against).unwrap_or_default();
            of.iter().any(|arg| arg.get_id() == other)
        };
        excludes(one, other) || excludes(other, one)
    }

    /// Of two that exclude each other the stronger stays.
    fn yield_to_stronger(
        &self,
        given: &BTreeMap<String, usize>,
        found: &mut BTreeMap<String, Source>,
        unset: &mut BTreeSet<String>,
        files: &[File],
    ) -> Outcome<()> {
        let mut present: Vec<(String, usize)> = given.clone().into_iter().collect();
        let on = |source: &Source| source.entry.value != Value::Switch(false);
        let from_files = found.iter().filter(|(_, source)| on(source));
        present.extend(from_files.map(|(id, source)| (id.clone(), source.rank)));
        present.sort_by_key(|(_, rank)| *rank);
        let mut kept: Vec<(String, usize)> = Vec::new();
        for (id, rank) in present {
            match kept.iter().find(|(other, _)| self.conflict(&id, other)) {
                None => kept.push((id, rank)),
                Some((other, same)) if *same == rank && rank > VARIABLE => {
                    return Err(contradiction(found, files, [&id, other]));
                }
                Some((_, same)) if *same == rank => kept.push((id, rank)),
                Some(_) if rank == VARIABLE => {
                    unset.insert(id);
                }
                Some(_) => {
                    found.remove(&id);
                }
            }
        }
        Ok(())
    }

    /// A setting that needs an option which is not there waits for it: the price of electricity may
    /// stand in a file without a price of the machine in each command.
    fn drop_lonely(
        &self,
        root: &Command,
        given: &BTreeMap<String, usize>,
        found: &mut BTreeMap<String, Source>,
    ) {
        let usual = self.missing(root, Vec::new());
        let needs: BTreeMap<String, Vec<String>> = found
            .iter()
            .map(|(id, source)| {
                let mut missing = self.missing(root, self.words(id, &source.entry.value));
                missing.retain(|one| !usual.contains(one));
                (id.clone(), missing)
            })
            .collect();
        loop {
            let present: Vec<String> = given
                .keys()
                .chain(found.keys())
                .filter_map(|id| self.arg(id).map(ToString::to_string))
                .collect();
            let is_met = |need: &String| present.iter().any(|arg| need.contains(arg.as_str()));
            let before = found.len();
            found.retain(|id, _| needs.get(id).is_none_or(|needs| needs.iter().all(is_met)));
            if found.len() == before {
                return;
            }
        }
    }

    /// What clap misses beside some words.
    fn missing(&self, root: &Command, words: Vec<OsString>) -> Vec<String> {
        let name = std::iter::once("tokmark");
        let path = name.chain(self.path.iter().copied()).map(OsString::from);
        let typed = root.clone().try_get_matches_from(path.chain(words));
        let Err(error) = typed else { return Vec::new() };
        match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => missing.clone(),
            _ => Vec::new(),
        }
    }

    /// A value as it would be typed.
    fn words(&self, id: &str, value: &Value) -> Vec<OsString> {
        let long = self.arg(id).and_then(Arg::get_long);
        let option = |word: &String| match long {
            Some(long) => OsString::from(format!("--{long}={word}")),
            None => OsString::from(word),
        };
        let switch = || OsString::from(format!("--{}", long.unwrap_or_default()));
        match value {
            Value::Switch(false) => Vec::new(),
            Value::Switch(true) => vec![switch()],
            Value::Times(times) => (0..*times).map(|_| switch()).collect(),
            Value::Words(words) => words.iter().map(option).collect(),
        }
    }

    /// Where its own options begin among the words.
    fn position(&self, typed: &[OsString]) -> Option<usize> {
        let mut at = 1;
        let mut is_value = false;
        for name in &self.path {
            loop {
                let word = typed.get(at)?;
                at += 1;
                if word == *name && !is_value {
                    break;
                }
                is_value = word == "--config" && !is_value;
            }
        }
        Some(at)
    }
}

fn contradiction(found: &BTreeMap<String, Source>, files: &[File], ids: [&String; 2]) -> Failure {
    let mut both: Vec<&Source> = ids.iter().filter_map(|id| found.get(*id)).collect();
    both.sort_by_key(|source| source.entry.line);
    let keys: Vec<String> = both
        .iter()
        .map(|source| format!("`{}` (line {})", source.entry.key, source.entry.line))
        .collect();
    let file = both.first().and_then(|source| files.get(source.file));
    let path = file.map(|file| file.path.display().to_string());
    let text = format!(
        "{}: {} exclude each other",
        path.unwrap_or_default(),
        keys.join(" and ")
    );
    Failure::saying(Exit::Usage, text).hint("leave one of them out")
}
