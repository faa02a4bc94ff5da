//! `tokmark reference`: docs/cli.md, from the definition that clap reads.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use crate::args::variables::{is_setting, key};
use crate::exit::Exit;
use crate::{config, say};

const HEAD: &str = "# Command line

Written by `cargo xtask reference` from the program's own definition; do not edit it here.

`-h` after any command is short, `--help` long with examples. Options come from the command line, from
variables and from `tokmark.toml` ([settings.md](settings.md)): in the tables, *key* is the name in the
file, below the command's table or, where marked \u{2191}, also at the top.

";

pub(crate) fn run() -> Exit {
    let root = config::command();
    let mut text = HEAD.to_owned();
    for command in root.get_subcommands().filter(|command| is_shown(command)) {
        let name = command.get_name();
        let about = about(command);
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "- [`tokmark {name}`](#tokmark-{name}): {about}");
    }
    let own = root
        .get_arguments()
        .filter(|arg| arg.is_global_set() || is_version(arg));
    let _ = writeln!(text, "\n## Every command\n");
    table(&mut text, own);
    for command in root.get_subcommands().filter(|command| is_shown(command)) {
        section(&mut text, command, "tokmark");
    }
    say::raw(&text);
    Exit::Done
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn is_version(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Version)
}

fn about(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn section(text: &mut String, command: &Command, parent: &str) {
    let name = format!("{parent} {}", command.get_name());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let about = about(command);
    let _ = writeln!(text, "\n## `{name}`\n\n{about}\n\n```text\n{usage}\n```");
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !arg.is_global_set())
        .filter(|arg| !is_version(arg) && arg.get_id() != "help")
        .collect();
    let mut headings: Vec<Option<&str>> = Vec::new();
    for arg in &own {
        if !headings.contains(&arg.get_help_heading()) {
            headings.push(arg.get_help_heading());
        }
    }
    for heading in headings {
        if let Some(heading) = heading {
            let _ = writeln!(text, "\n**{heading}**");
        }
        text.push('\n');
        let of_heading = own.iter().copied();
        table(
            text,
            of_heading.filter(|arg| arg.get_help_heading() == heading),
        );
    }
    for below in command.get_subcommands().filter(|below| is_shown(below)) {
        section(text, below, &name);
    }
}

fn table<'a>(text: &mut String, args: impl Iterator<Item = &'a Arg>) {
    text.push_str("| option | what it does | default | variable | key |\n|---|---|---|---|---|\n");
    for arg in args {
        let variable = arg
            .get_env()
            .map(|name| format!("`{}`", name.to_string_lossy()));
        let top = if config::stands_at_the_top(arg) || arg.is_global_set() {
            " \u{2191}"
        } else {
            ""
        };
        let in_file = is_setting(arg) && arg.get_id() != "config";
        let in_file = in_file.then(|| format!("`{}`{top}", key(arg)));
        let (help, default) = help(arg);
        let _ = writeln!(
            text,
            "| {} | {help} | {default} | {} | {} |",
            escaped(&syntax(arg)),
            variable.unwrap_or_default(),
            in_file.unwrap_or_default(),
        );
    }
}

/// `-o`, `--output DIR`.
fn syntax(arg: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|short| format!("`-{short}`")));
    let value = value(arg);
    match arg.get_long() {
        Some(long) => names.push(format!("`--{long}{value}`")),
        None => names.push(format!("`{}`", value.trim_start())),
    }
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    names.extend(aliases.iter().map(|alias| format!("`--{alias}`")));
    names.join(", ")
}

fn value(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map_or("VALUE", |name| name.as_str());
    format!(" {name}")
}

/// The help in one line with the choices, and the default apart.
fn help(arg: &Arg) -> (String, String) {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let (mut help, mut default) = match help.rsplit_once(" [default: ") {
        Some((help, default)) => (help.to_owned(), default.trim_end_matches(']').to_owned()),
        None => (help, String::new()),
    };
    let takes_value = arg.get_action().takes_values();
    if takes_value && default.is_empty() {
        let values: Vec<String> = arg
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        default = values.join(",");
    }
    let choices: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| takes_value && !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({})", value.get_name(), lower(&help.to_string())),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !choices.is_empty() {
        help = format!(
            "{}. One of {}",
            help.trim_end_matches('.'),
            choices.join(", ")
        );
    }
    (escaped(&help), escaped(&default))
}

fn lower(help: &str) -> String {
    let help = help.trim_end_matches('.');
    let mut letters = help.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => help.to_owned(),
    }
}

/// As a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
