//! `tokmark import`.

use std::fs;
use std::path::Path;

use tokmark_bench::output::{safe_name, write_whole};
use tokmark_run_format::{RunDocument, write_document};

use crate::args::ImportArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// A result file larger than this is refused before it is read.
const LARGEST: u64 = 256 << 20;

/// Imports every file; exit 0 when at least one result was read.
pub(crate) fn run(args: &ImportArgs, quiet: bool) -> Outcome {
    let mut read = 0;
    let mut last_failure = None;
    for path in &args.files {
        match import_file(path, &args.output, quiet) {
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

fn import_file(path: &Path, output: &Path, quiet: bool) -> Outcome<usize> {
    let text = read(path)?;
    let runs = tokmark_import::import(&text).map_err(|error| {
        let context = format!("cannot import `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })?;
    fs::create_dir_all(output).map_err(|error| {
        let context = format!("cannot create the folder `{}`", output.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })?;
    for run in &runs {
        let written = write(run, output)?;
        if !quiet {
            say::progress(format!("{} <- {}", written, path.display()));
        }
        say::result(written);
    }
    Ok(runs.len())
}

/// The text of a result file.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    let unreadable = |error: std::io::Error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    };
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > LARGEST {
        let message = format!(
            "`{}` has {size} bytes; at most {LARGEST} are read",
            path.display()
        );
        return Err(Failure::saying(Exit::Usage, message));
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
