//! Keys and values of a file, held against the definition of the options.

use clap::builder::ValueRange;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use toml::de::DeValue;

use super::file::Value;
use crate::args::variables::{is_setting, key};
use crate::nearest::nearest;

/// What is wrong, and what to try.
type Wrong = (String, String);

/// The command of a table.
pub(super) fn subcommand<'a>(command: &'a Command, name: &str) -> Result<&'a Command, Wrong> {
    let visible = || {
        command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
    };
    visible()
        .find(|below| below.get_name() == name)
        .ok_or_else(|| {
            let hint = nearest(name, visible().map(Command::get_name)).map_or_else(
                || "tables are commands, such as `[run]`; `tokmark --help` lists them".to_owned(),
                |near| format!("a similar command exists: `[{near}]`"),
            );
            (format!("there is no command `{name}`"), hint)
        })
}

/// The setting of a key in a table; at the top, one of those whose variable names no command.
fn setting<'a>(
    root: &'a Command,
    command: &'a Command,
    table: &str,
    name: &str,
) -> Option<&'a Arg> {
    let mut all = settings(root, command, table);
    all.find(|arg| key(arg) == name)
}

/// The settings that may stand in a table.
fn settings<'a>(
    root: &'a Command,
    command: &'a Command,
    table: &str,
) -> Box<dyn Iterator<Item = &'a Arg> + 'a> {
    let own = command
        .get_arguments()
        .filter(|arg| is_setting(arg) && arg.get_id() != "config");
    if table.is_empty() {
        let shared = root.get_subcommands().flat_map(Command::get_arguments);
        Box::new(own.chain(shared.filter(|arg| stands_at_the_top(arg))))
    } else {
        Box::new(own)
    }
}

/// Whether a setting's variable is `TOKMARK_` and its key: then its key stands at the top too.
pub(crate) fn stands_at_the_top(arg: &Arg) -> bool {
    let variable = format!("TOKMARK_{}", key(arg).replace('-', "_").to_uppercase());
    // `TOKMARK_DATA` is read by every command that keeps something; the option is `demo`'s alone.
    is_setting(arg) && arg.get_id() != "data" && arg.get_env().is_some_and(|env| *env == *variable)
}

/// The value of a key as it would be typed, when clap takes it.
pub(super) fn entry(
    root: &Command,
    command: &Command,
    table: &str,
    name: &str,
    value: &DeValue<'_>,
) -> Result<Value, Wrong> {
    let Some(arg) = setting(root, command, table, name) else {
        return Err(unknown(root, command, table, name));
    };
    let value = in_words(arg, name, value)?;
    if let Value::Words(words) = &value {
        for word in words {
            taken(arg, name, word)?;
        }
    }
    Ok(value)
}

fn unknown(root: &Command, command: &Command, table: &str, name: &str) -> Wrong {
    let what = if table.is_empty() {
        format!("`{name}` is no setting for the top of the file")
    } else {
        format!("`{name}` is no setting of `tokmark {table}`")
    };
    let shown = if table.is_empty() { "run" } else { table };
    let elsewhere = root.get_subcommands().find(|command| {
        table.is_empty()
            && !command.is_hide_set()
            && settings(root, command, command.get_name()).any(|arg| key(arg) == name)
    });
    let hint = match (
        elsewhere,
        nearest(name, settings(root, command, table).map(key)),
    ) {
        (Some(command), _) => format!("write it below `[{}]`", command.get_name()),
        (None, Some(near)) => format!("a similar setting exists: `{near}`"),
        (None, None) => format!("`tokmark config show {shown}` lists the settings"),
    };
    (what, hint)
}

fn in_words(arg: &Arg, name: &str, value: &DeValue<'_>) -> Result<Value, Wrong> {
    match (arg.get_action(), value) {
        (ArgAction::SetTrue, DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
        (ArgAction::SetTrue, other) => Err((
            format!("`{name}` is a switch, not {}", kind(other)),
            format!("write `{name} = true` or `{name} = false`"),
        )),
        (ArgAction::Count, DeValue::Integer(times)) => {
            let wrong = || {
                let what = format!("`{name}` takes a small number");
                (what, format!("for example `{name} = 1`"))
            };
            times
                .as_str()
                .parse()
                .map(Value::Times)
                .map_err(|_| wrong())
        }
        (_, DeValue::Array(all)) => {
            let words: Result<Vec<String>, Wrong> = all
                .iter()
                .map(|value| word(arg, name, value.get_ref()))
                .collect();
            let words = words?;
            Ok(Value::Words(if is_many(arg) {
                words
            } else {
                vec![words.join(",")]
            }))
        }
        (_, one) => Ok(Value::Words(vec![word(arg, name, one)?])),
    }
}

/// Whether each value of a list is an argument of its own.
fn is_many(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append) && arg.get_value_delimiter().is_none()
}

fn word(arg: &Arg, name: &str, value: &DeValue<'_>) -> Result<String, Wrong> {
    match value {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        other => Err((
            format!("`{name}` takes {}, not {}", shape(arg), kind(other)),
            example(arg, name),
        )),
    }
}

/// What an option's value is called.
fn shape(arg: &Arg) -> String {
    let choices: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !choices.is_empty() {
        return format!("one of {}", choices.join(", "));
    }
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map_or("VALUE", |name| name.as_str());
    format!("a value ({name})")
}

fn example(arg: &Arg, name: &str) -> String {
    let default = arg.get_default_values().first();
    let value = default.and_then(|value| value.to_str()).unwrap_or("…");
    format!("write `{name} = \"{value}\"`")
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Whether the option's own parser takes a value.
fn taken(arg: &Arg, name: &str, word: &str) -> Result<(), Wrong> {
    let mut alone = Arg::new("value")
        .long("value")
        .value_parser(arg.get_value_parser().clone())
        .num_args(ValueRange::SINGLE)
        .action(ArgAction::Append);
    alone = match arg.get_value_delimiter() {
        Some(delimiter) => alone.value_delimiter(delimiter).num_args(1..),
        None => alone,
    };
    let typed = Command::new("tokmark")
        .no_binary_name(true)
        .arg(alone)
        .try_get_matches_from([format!("--value={word}")]);
    let Err(error) = typed else { return Ok(()) };
    let secret = super::apply::is_secret(arg, word);
    let shown = if secret { "(hidden)" } else { word };
    let mut what = format!("`{name}` is `{shown}`");
    if let Some(cause) = std::error::Error::source(&error).filter(|_| !secret) {
        what = format!("{what}: {cause}");
    } else if error.kind() == ErrorKind::InvalidValue {
        what = format!("{what}, but takes {}", shape(arg));
    }
    let near = error.get(ContextKind::SuggestedValue);
    let hint = if let Some(ContextValue::String(near)) = near {
        format!("a similar value exists: `{near}`")
    } else {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        format!("`{name}` is: {help}")
    };
    Err((what, hint))
}
