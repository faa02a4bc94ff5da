//! `tokmark config`: which settings count, and where each is from.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use crate::args::config::{ConfigCommand, ConfigPathArgs, ConfigShowArgs};
use crate::args::variables::{is_setting, key};
use crate::config::{Applied, File, Place, Source, chosen_file, is_secret, places, read_settings};
use crate::exit::Exit;
use crate::failure::Outcome;
use crate::{config, say, usage};

pub(crate) fn run(command: &ConfigCommand) -> Outcome {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let named = chosen_file(&typed);
    match command {
        ConfigCommand::Path(args) => {
            path(args, &places(named.as_deref())?);
            Ok(Exit::Done)
        }
        ConfigCommand::Show(args) => show(args, &read_settings(named.as_deref())?),
    }
}

fn path(args: &ConfigPathArgs, places: &[Place]) {
    if args.json {
        let files: Vec<Value> = places
            .iter()
            .map(|place| {
                json!({
                    "kind": place.kind.word(),
                    "path": place.path.display().to_string(),
                    "is_read": place.is_there,
                })
            })
            .collect();
        say::result(format!("{:#}", json!({ "files": files })));
        return;
    }
    for place in places {
        let read = if place.is_there { "read" } else { "not there" };
        let path = place.path.display();
        say::result(format!("{:<8} {read:<10} {path}", place.kind.word()));
    }
}

/// One setting with its value.
struct Row {
    command: String,
    option: String,
    key: String,
    variable: Option<String>,
    value: Option<String>,
    /// What stands in for a value that nobody gave.
    usual: Option<String>,
    from: From,
}

/// Where a value is from.
enum From {
    Option,
    Variable(String),
    File(&'static str, String, usize),
    Default,
}

impl From {
    fn words(&self) -> String {
        match self {
            Self::Option => "option".to_owned(),
            Self::Variable(name) => format!("variable {name}"),
            Self::File(_, path, line) => format!("{path}:{line}"),
            Self::Default => "default".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Option => json!({ "kind": "option" }),
            Self::Variable(name) => json!({ "kind": "variable", "variable": name }),
            Self::File(kind, path, line) => json!({ "kind": kind, "path": path, "line": line }),
            Self::Default => json!({ "kind": "default" }),
        }
    }
}

fn show(args: &ConfigShowArgs, files: &[File]) -> Outcome {
    let mut words = args.words.clone();
    // What is typed after the command is the command's; `--json` is meant for this one all the same.
    let json = args.json || words.iter().any(|word| word == "--json");
    words.retain(|word| word != "--json");
    let mut rows = Vec::new();
    let paths = if words.is_empty() {
        let mut all = Vec::new();
        leaves(&config::command(), &mut Vec::new(), &mut all);
        all
    } else {
        vec![words.clone()]
    };
    for path in paths {
        let typed: Vec<OsString> = std::iter::once("tokmark".to_owned())
            .chain(path)
            .map(OsString::from)
            .collect();
        match config::resolve(&typed, files)? {
            Ok((matches, applied)) => rows.extend(rows_of(&matches, &applied, files)),
            Err(error) => return Ok(usage(&error)),
        }
    }
    if words.is_empty() {
        // What every command has is listed once.
        let mut is_first = true;
        rows.retain(|row| {
            let is_shared = row.key == "quiet" || row.key == "verbose";
            let is_new = !is_shared || is_first;
            is_first &= row.key != "verbose";
            is_new && !matches!(row.from, From::Default)
        });
    }
    if json {
        print_json(&rows, files);
    } else {
        print(&rows, words.is_empty());
    }
    Ok(Exit::Done)
}

/// The paths of all commands that have options.
fn leaves(command: &Command, path: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    for below in command.get_subcommands() {
        if below.is_hide_set() || below.get_name() == "help" {
            continue;
        }
        path.push(below.get_name().to_owned());
        if !below.is_subcommand_required_set() {
            all.push(path.clone());
        }
        leaves(below, path, all);
        path.pop();
    }
}

fn rows_of(matches: &ArgMatches, applied: &Applied, files: &[File]) -> Vec<Row> {
    let root = config::command();
    let (mut command, mut matches) = (&root, matches);
    let mut path = Vec::new();
    while let Some((name, below)) = matches.subcommand() {
        let Some(next) = command.find_subcommand(name) else {
            break;
        };
        path.push(name.to_owned());
        (command, matches) = (next, below);
    }
    command
        .get_arguments()
        .filter(|arg| is_setting(arg) && arg.get_id() != "config")
        .map(|arg| row(&path.join(" "), arg, matches, applied, files))
        .collect()
}

fn row(command: &str, arg: &Arg, matches: &ArgMatches, applied: &Applied, files: &[File]) -> Row {
    let id = arg.get_id().as_str();
    let variable = arg
        .get_env()
        .map(|name| name.to_string_lossy().into_owned());
    let source = applied.sources.get(id);
    let known = matches.try_contains_id(id).is_ok();
    let from = match (known.then(|| matches.value_source(id)).flatten(), source) {
        (_, Some(source)) => in_file(source, files),
        (Some(ValueSource::CommandLine), None) => From::Option,
        (Some(ValueSource::EnvVariable), None) => {
            From::Variable(variable.clone().unwrap_or_default())
        }
        _ => From::Default,
    };
    let value = known.then(|| value(arg, matches)).flatten();
    let option = arg
        .get_long()
        .map_or_else(|| id.to_uppercase(), |long| format!("--{long}"));
    Row {
        command: command.to_owned(),
        option,
        key: key(arg).to_owned(),
        variable,
        value,
        usual: usual(arg),
        from,
    }
}

fn in_file(source: &Source, files: &[File]) -> From {
    let file = files.get(source.file);
    let path = file.map(|file| file.path.display().to_string());
    let kind = file.map_or("file", |file| file.kind.word());
    From::File(kind, path.unwrap_or_default(), source.entry.line)
}

fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    match arg.get_action() {
        ArgAction::SetTrue => matches
            .try_get_one::<bool>(id)
            .ok()?
            .map(ToString::to_string),
        ArgAction::Count => matches.try_get_one::<u8>(id).ok()?.map(ToString::to_string),
        _ => {
            let raw: Vec<String> = matches
                .get_raw(id)?
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            let text = raw.join(",");
            Some(match id {
                _ if is_secret(arg, &text) => "(set)".to_owned(),
                "launch_command" => tokmark_machine::redact(&text),
                _ => text,
            })
        }
    }
}

/// The default that a help text states, where clap knows none.
fn usual(arg: &Arg) -> Option<String> {
    let help = arg.get_help()?.to_string();
    let (_, rest) = help.rsplit_once("[default: ")?;
    Some(rest.trim_end_matches(']').to_owned())
}

fn print(rows: &[Row], with_command: bool) {
    if rows.is_empty() {
        say::result("nothing is set: every option has its default");
        say::result("`tokmark config show run` lists those of one command");
        return;
    }
    let table: Vec<[String; 3]> = rows
        .iter()
        .map(|row| {
            let option = if with_command {
                format!("{} {}", row.command, row.option)
            } else {
                row.option.clone()
            };
            let usual = row.usual.as_ref().map(|usual| format!("({usual})"));
            let value = row.value.clone().or(usual);
            [
                option,
                value.unwrap_or_else(|| "-".to_owned()),
                row.from.words(),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = table.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (first, second) = (width(0), width(1).min(44));
    for [option, value, from] in &table {
        say::result(format!("{option:<first$}  {value:<second$}  {from}"));
    }
}

fn print_json(rows: &[Row], files: &[File]) {
    let files: Vec<Value> = files
        .iter()
        .map(|file| json!({ "kind": file.kind.word(), "path": file.path.display().to_string() }))
        .collect();
    let settings: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "command": row.command,
                "option": row.option,
                "key": row.key,
                "variable": row.variable,
                "value": row.value,
                "usual": row.usual,
                "source": row.from.json(),
            })
        })
        .collect();
    say::result(format!(
        "{:#}",
        json!({ "files": files, "settings": settings })
    ));
}
