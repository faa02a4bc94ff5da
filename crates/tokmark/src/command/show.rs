//! `tokmark show`.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use tokmark_calculator::compare;
use tokmark_catalog::Catalog;
use tokmark_pages::{
    PageOptions, Prediction, TableOptions, Theme, csv, markdown, picture, run_page, text_table,
    text_table_with_prediction,
};
use tokmark_run_format::{RunDocument, write_document};

use crate::args::show::PictureChoice;
use crate::args::{ShowArgs, ShowFormat};
use crate::calibrations::Known;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{runfile, say};

/// Shows a run.
pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let format = format(args)?;
    let is_picture = matches!(format, ShowFormat::Svg | ShowFormat::Png);
    if args.picture.is_some() && !is_picture {
        return Err(Failure::saying(
            Exit::Usage,
            "`--picture` is for the formats svg and png",
        ));
    }
    let to_terminal = args.output.is_none() && io::stdout().is_terminal();
    if format == ShowFormat::Png && to_terminal {
        return Err(
            Failure::saying(Exit::Usage, "a PNG is not for a terminal").hint("--output card.png")
        );
    }
    let file = runfile::read(&args.file)?;
    if format == ShowFormat::Png {
        let bytes = pixels(args, &file.document)?;
        match &args.output {
            None => say::bytes(&bytes),
            Some(path) => write(path, &bytes)?,
        }
        return Ok(Exit::Done);
    }
    let text = text(args, format, &file.document)?;
    match &args.output {
        None => say::raw(&text),
        Some(path) => write(path, text.as_bytes())?,
    }
    Ok(Exit::Done)
}

/// What was asked for, else what the file's ending says, else a table.
fn format(args: &ShowArgs) -> Outcome<ShowFormat> {
    let ending = args.output.as_deref().and_then(Path::extension);
    match (args.format, ending.map(OsStr::to_string_lossy)) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ShowFormat::Table),
        (None, Some(ending)) => ShowFormat::of_ending(&ending).ok_or_else(|| {
            let message = format!("no format has the ending `.{ending}`");
            Failure::saying(Exit::Usage, message)
                .hint("html, md, csv, json, svg, png or txt; or say --format")
        }),
    }
}

fn text(args: &ShowArgs, format: ShowFormat, run: &RunDocument) -> Outcome<String> {
    Ok(match format {
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
        ShowFormat::Svg | ShowFormat::Png => {
            let kind = args.picture.map(PictureChoice::kind);
            picture(run, kind.unwrap_or_default(), args.theme.theme())
        }
    })
}

/// The social card, or what was asked for, in pixels: nobody's colour scheme is known, so `auto` is
/// light.
fn pixels(args: &ShowArgs, run: &RunDocument) -> Outcome<Vec<u8>> {
    let kind = args.picture.unwrap_or(PictureChoice::Card).kind();
    let theme = match args.theme.theme() {
        Theme::Auto => Theme::Light,
        theme => theme,
    };
    tokmark_raster::png(&picture(run, kind, theme))
        .map_err(|error| Failure::new(Exit::Failed, error))
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

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    tokmark_bench::output::write_whole(path, bytes)
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
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
