//! `tokmark import`.

use std::fs;
use std::io::Read;
use std::path::Path;

use tokmark_bench::output::{safe_name, write_whole};
use tokmark_import::{ImportError, Mapping, Ours};
use tokmark_pages::terminal::{Look, Painter, wrapped};
use tokmark_run_format::{RunDocument, write_document};

use super::show::{colours, width};
use crate::args::ImportArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// A result file larger than this is refused before it is read.
const LARGEST: u64 = 256 << 20;

/// The name of the standard input among files.
const STDIN: &str = "-";

/// Imports every file; exit 0 when at least one result was read.
pub(crate) fn run(args: &ImportArgs, quiet: bool) -> Outcome {
    let mut read = 0;
    let mut last_failure = None;
    for path in &args.files {
        match import_file(path, args, quiet) {
            Ok(count) => read += count,
            Err(failure) => {
                if args.files.len() > 1 {
                    say::progress(&failure);
                }
                last_failure = Some(failure);
            }
        }
    }
    match last_failure {
        Some(failure) if read == 0 => Err(failure),
        _ => Ok(Exit::Done),
    }
}

fn import_file(path: &Path, args: &ImportArgs, quiet: bool) -> Outcome<usize> {
    let text = read(path)?;
    let runs = match &args.tool {
        Some(tool) => tokmark_import::import_as(&text, tool),
        None => tokmark_import::import(&text),
    };
    let runs = runs.map_err(|error| {
        let context = format!("cannot import `{}`", path.display());
        let hint = match &error {
            ImportError::AlreadyARun => format!("`tokmark show {}` shows it", path.display()),
            ImportError::UnknownFormat { .. } => {
                "the tool's own result file is read, not its log; docs/import.md says which"
                    .to_owned()
            }
            _ => String::new(),
        };
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context)).hint(hint)
    })?;
    let output = &args.output;
    fs::create_dir_all(output).map_err(|error| {
        let context = format!("cannot create the folder `{}`", output.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })?;
    for run in &runs {
        let written = write(run, output)?;
        if !quiet {
            say::progress(format!("{written} <- {}", path.display()));
            told(run, args.explain);
        }
        say::result(written);
        if args.explain {
            explained(run);
        }
    }
    Ok(runs.len())
}

/// What a person should know before trusting the run: what is not in it, and where the rest is.
fn told(run: &RunDocument, explain: bool) {
    for note in run
        .notes
        .iter()
        .filter(|note| note.code == "source_left_out")
    {
        say::progress(format!("  {}", note.text));
    }
    let table = tokmark_import::explain(run);
    let left = table.iter().filter(|row| !is_taken(row)).count();
    if !explain && !table.is_empty() {
        let taken = table.len() - left;
        say::progress(format!(
            "  {taken} fields taken, {left} not; --explain shows what each of them is"
        ));
    }
}

fn is_taken(row: &Mapping) -> bool {
    matches!(row.ours, Ours::Field(_))
}

/// Each field of the file: where it went, or why it did not, and what it is.
fn explained(run: &RunDocument) {
    let painter = Painter::new(colours());
    for row in tokmark_import::explain(run) {
        let line = match row.ours {
            Ours::Field(ours) => {
                format!("  {} -> {}", row.theirs, painter.paint(ours, Look::Strong))
            }
            Ours::NotTaken(why) => format!("  {} not taken: {why}", row.theirs),
        };
        say::result(line);
        for line in wrapped(row.meaning, width().saturating_sub(6), 0) {
            say::result(format!("      {}", painter.paint(&line, Look::Quiet)));
        }
    }
}

/// The text of a result file, or of the standard input.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    let unreadable = |error: std::io::Error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("name a result file that you may read; `-` is the standard input")
    };
    let too_large = |size: &str| {
        let message = format!(
            "`{}` has {size} bytes; at most {LARGEST} are read",
            path.display()
        );
        Failure::saying(Exit::Usage, message)
    };
    if path.as_os_str() == STDIN {
        let mut text = String::new();
        let input = std::io::stdin().lock();
        input
            .take(LARGEST + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        let within = u64::try_from(text.len()).is_ok_and(|size| size <= LARGEST);
        return within.then_some(text).ok_or_else(|| too_large("more"));
    }
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > LARGEST {
        return Err(too_large(&size.to_string()));
    }
    fs::read_to_string(path).map_err(unreadable)
}

/// Writes under a name of model, hardware and content, so that importing a file twice gives the
/// same file and two different results never meet.
fn write(run: &RunDocument, output: &Path) -> Outcome<String> {
    let start: String = run.id.chars().take(8).collect();
    let hardware = run.hardware.name.as_deref().unwrap_or("unknown");
    let name = safe_name(&format!("{}-{hardware}-{start}", run.model.name));
    let path = output.join(format!("{name}.json"));
    let text = write_document(run).map_err(|error| Failure::new(Exit::Failed, error))?;
    write_whole(&path, text.as_bytes()).map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(path.display().to_string())
}
