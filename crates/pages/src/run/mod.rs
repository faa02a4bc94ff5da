//! The page of one run (site.md section 2).

mod cards;
mod detail;
mod download;
mod energy;
mod head;
mod legend;
mod matrix;
mod measurements;
mod prefill;
mod remarks;
mod repeat;

use askama::Template;
use tokmark_run_format::RunDocument;

use crate::chart::{self, Chart};
use crate::frame::{Frame, rendered};
use crate::options::{Chrome, PageOptions};
use crate::predicted;
use crate::roofline;
use crate::shade::Shade;
use crate::summary::{self, Grid};
use crate::words;

pub(crate) use cards::of as cards;
pub(crate) use head::{Figure, figures as key_figures, minute, trust_class};
pub(crate) use legend::{entries as legend_entries, ttft_note};
pub(crate) use matrix::{Matrix, MatrixCell, ScaleStep};

#[derive(Template)]
#[template(path = "run/page.html")]
struct RunPage<'a> {
    frame: Frame<'a>,
    head: head::Head,
    cards: Vec<cards::Card>,
    launch_command: Option<&'a str>,
    prefill: prefill::Prefill,
    matrix: Option<Matrix>,
    legend: legend::Legend,
    passes: Option<String>,
    roofline: Option<String>,
    predicted: Option<predicted::Section<'a>>,
    charts: Vec<Chart>,
    measurements: Vec<measurements::Measurement>,
    detail: detail::Detail,
    remarks: Vec<remarks::Remark>,
    notes: Vec<&'a str>,
    repeat: String,
    downloads: Vec<download::Download>,
}

/// The page of one run.
pub fn run_page(run: &RunDocument, options: &PageOptions) -> String {
    let grid = Grid::of(run);
    let shade = Shade::of(run);
    let title = summary::title(run);
    let description = summary::joined([
        Some(summary::engine_line(run).as_str()),
        Some(summary::extent_line(run).as_str()),
    ]);
    let self_contained = matches!(options.chrome, Chrome::SelfContained);
    let notes = run.notes.iter().map(|note| note.text.as_str());
    rendered(&RunPage {
        frame: Frame::new(options, &title, description),
        head: head::Head::of(run, &grid),
        cards: cards::of(run),
        launch_command: run.launch_command.as_deref(),
        prefill: prefill::Prefill::of(run),
        matrix: Matrix::of(run, &grid, shade),
        legend: legend::Legend::of(run),
        passes: summary::passes_line(run),
        roofline: roofline::line(run),
        predicted: options
            .prediction
            .as_ref()
            .map(|prediction| predicted::Section::of(run, &grid, prediction)),
        charts: chart::of(run, &grid),
        measurements: measurements::of(run, &grid),
        detail: detail::Detail::of(&grid),
        remarks: remarks::of(run, &grid),
        notes: run.note.as_deref().into_iter().chain(notes).collect(),
        repeat: repeat::command(run),
        downloads: download::of(run, &options.links, self_contained),
    })
}
