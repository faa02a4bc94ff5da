//! `tokmark show`.

use std::path::Path;

use tokmark_pages::{PageOptions, TableOptions, csv, markdown, run_page, text_table};
use tokmark_run_format::write_document;

use crate::args::{ShowArgs, ShowFormat};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{runfile, say};

/// Shows a run.
pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let file = runfile::read(&args.file)?;
    let run = &file.document;
    let text = match args.format {
        ShowFormat::Table => {
            let colour = args.output.is_none() && colours();
            text_table(run, table(colour, args.roofline))
        }
        ShowFormat::Html => run_page(run, &PageOptions::self_contained()),
        ShowFormat::Markdown => markdown(run),
        ShowFormat::Csv => csv(run),
        ShowFormat::Json => {
            write_document(run).map_err(|error| Failure::new(Exit::Failed, error))?
        }
    };
    match &args.output {
        None => say::raw(&text),
        Some(path) => write(path, &text)?,
    }
    Ok(Exit::Done)
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    tokmark_bench::output::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::new(Exit::Usage, error))
}

/// A table as wide as the terminal.
pub(crate) fn table(colour: bool, roofline: bool) -> TableOptions {
    TableOptions {
        width: width(),
        colour,
        roofline,
    }
}

/// Columns of the terminal; a pipe gets the width of a printed page.
pub(super) fn width() -> usize {
    terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0))
}

/// Whether colours are wanted: a terminal, and `NO_COLOR` not set. anstream decides.
pub(crate) fn colours() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}
