//! The flags of a server's command line that can change its speed.

use crate::redact::redact_arguments;

/// Flags that say where, as whom and how loudly a server serves, or which model under which name.
/// All others are kept, also those that are not known here: a new flag may matter.
const LEFT_OUT: [&str; 41] = [
    "--access-log",
    "--admin-api-key",
    "--alias",
    "--allowed-headers",
    "--allowed-methods",
    "--allowed-origins",
    "--api-key",
    "--api-key-file",
    "--chat-template",
    "--disable-fastapi-docs",
    "--disable-log-requests",
    "--download-dir",
    "--enable-log-requests",
    "--enable-metrics",
    "--hf-file",
    "--hf-repo",
    "--hf-token",
    "--host",
    "--log-disable",
    "--log-file",
    "--log-level",
    "--log-level-http",
    "--log-verbosity",
    "--metrics",
    "--model",
    "--model-path",
    "--no-slots",
    "--no-ui",
    "--no-webui",
    "--path",
    "--port",
    "--props",
    "--root-path",
    "--served-model-name",
    "--slots",
    "--ssl-certfile",
    "--ssl-keyfile",
    "--tokenizer",
    "--tokenizer-path",
    "--uds",
    "--uvicorn-log-level",
];

/// The same for short options.
const LEFT_OUT_SHORT: [&str; 8] = ["-m", "-hf", "-hfr", "-hff", "-hft", "-a", "-lv", "-v"];

/// The flags that matter, in order, each with its value (`--max-num-seqs 64`), without secrets.
/// `argv` begins with the program.
pub fn flags(argv: &[String]) -> Vec<String> {
    let arguments = redact_arguments(argv);
    let mut kept = Vec::new();
    let mut rest = arguments.get(program_length(argv)..).unwrap_or_default();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if !is_flag(first) {
            continue;
        }
        let most = most_values(argv, first);
        let following = after.iter().take(most);
        let values = following.take_while(|next| !is_flag(next)).count();
        let (values, after) = after.split_at_checked(values).unwrap_or((after, &[]));
        rest = after;
        if !is_left_out(first) {
            let words = std::iter::once(first).chain(values);
            kept.push(words.cloned().collect::<Vec<_>>().join(" "));
        }
    }
    kept
}

/// Options of `transformers serve` without a value.
const SWITCHES: [&str; 5] = [
    "--cb-use-cuda-graph",
    "--compile",
    "--continuous-batching",
    "--enable-cors",
    "--trust-remote-code",
];

/// How many values an option may have. With most servers, positional arguments come before the
/// options, so that all that follows is a value; `transformers serve` takes its model behind them,
/// too.
fn most_values(argv: &[String], flag: &str) -> usize {
    let is_program = |word: &String| word.rsplit('/').next() == Some("transformers");
    if !argv.iter().take(2).any(is_program) {
        return usize::MAX;
    }
    let alone = SWITCHES.contains(&flag) || flag.starts_with("--no-") || flag.contains('=');
    usize::from(!alone)
}

/// The program itself, and with Python the interpreter's options and the module or script.
pub(super) fn program_length(argv: &[String]) -> usize {
    // A container's arguments: its program is the image's.
    if argv.first().is_some_and(|first| first.starts_with('-')) {
        return 0;
    }
    let name = |argument: &String| argument.rsplit('/').next().unwrap_or_default().to_owned();
    if !argv
        .first()
        .is_some_and(|first| name(first).starts_with("python"))
    {
        return 1;
    }
    for (at, argument) in argv.iter().enumerate().skip(1) {
        if argument == "-m" {
            return at + 2;
        }
        if !argument.starts_with('-') {
            return at + 1;
        }
    }
    argv.len()
}

/// An option; a negative number is a value.
pub(super) fn is_flag(argument: &str) -> bool {
    let is_number = argument.parse::<f64>().is_ok();
    argument.len() > 1 && argument.starts_with('-') && !is_number
}

fn is_left_out(flag: &str) -> bool {
    let name = flag.split('=').next().unwrap_or(flag).replace('_', "-");
    LEFT_OUT.contains(&name.as_str()) || LEFT_OUT_SHORT.contains(&name.as_str())
}
