//! `tokmark show`.

use std::path::Path;

use tokmark_calculator::compare;
use tokmark_catalog::Catalog;
use tokmark_pages::{
    PageOptions, Prediction, TableOptions, csv, markdown, run_page, text_table,
    text_table_with_prediction,
};
use tokmark_run_format::{RunDocument, write_document};

use crate::args::{ShowArgs, ShowFormat};
use crate::calibrations::Known;
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
            let options = table(colour, args.roofline);
            match predicted(args, run)? {
                None => text_table(run, options),
                Some(Prediction::Compared { comparison, .. }) => {
                    text_table_with_prediction(run, options, &comparison)
                }
                Some(Prediction::Unknown(reason)) => {
                    say::progress(format!("not predicted: {reason}"));
                    text_table(run, options)
                }
            }
        }
        ShowFormat::Html => {
            let options = PageOptions::self_contained().with_prediction(predicted(args, run)?);
            run_page(run, &options)
        }
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

/// What the calculator says of the run, where that was asked for.
fn predicted(args: &ShowArgs, run: &RunDocument) -> Outcome<Option<Prediction>> {
    if !args.predicted {
        return Ok(None);
    }
    let catalog = Catalog::bundled().map_err(|error| Failure::new(Exit::Failed, error))?;
    let known = Known::read()?;
    Ok(Some(match compare(&catalog, &known.all, run) {
        Ok(comparison) => Prediction::Compared {
            comparison: Box::new(comparison),
            path: None,
        },
        Err(error) => Prediction::Unknown(error.to_string()),
    }))
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    tokmark_bench::output::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::new(Exit::Usage, error).hint(PLACE))
}

/// What to try where a file cannot be written.
pub(crate) const PLACE: &str = "name a file in a folder that exists and in which you may write";

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
