//! A variable for every option: `TOKMARK_`, the command, the option.
//!
//! The options of `run` and `probe` name theirs where they are defined, without a command. The
//! others get theirs here, so that no new option can be without one.

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, Command};

/// Options that say what this one call is to print, and are no settings.
const OF_ONE_CALL: [&str; 4] = ["json", "help", "version", "resume"];

/// The definition, with a variable for each option that is a setting.
pub(crate) fn with_variables(command: Command) -> Command {
    below(command, "TOKMARK")
}

fn below(command: Command, prefix: &str) -> Command {
    command
        .mut_args(|arg| with_variable(arg, prefix))
        .mut_subcommands(|command| {
            let prefix = format!("{prefix}_{}", in_capitals(command.get_name()));
            below(command, &prefix)
        })
}

fn with_variable(arg: Arg, prefix: &str) -> Arg {
    let arg = match arg.get_action() {
        // `1` and `yes` are what people write into a variable.
        ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
        _ => arg,
    };
    if arg.get_env().is_some() || !is_setting(&arg) {
        return arg;
    }
    let Some(name) = arg.get_long().map(in_capitals) else {
        return arg;
    };
    arg.env(format!("{prefix}_{name}")).hide_env(true)
}

/// Whether an argument is a setting: one that may stand in a file and in a variable.
pub(crate) fn is_setting(arg: &Arg) -> bool {
    let is_named = arg.get_long().is_some() || arg.get_env().is_some();
    is_named && !arg.is_hide_set() && !OF_ONE_CALL.contains(&arg.get_id().as_str())
}

/// The key of a setting: its option's long name, or that of its place.
pub(crate) fn key(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

fn in_capitals(name: &str) -> String {
    name.replace('-', "_").to_uppercase()
}
