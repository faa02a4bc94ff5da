//! What `show` shows, and as what.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tokmark_pages::{PictureKind, Theme};

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A run document, or a folder that holds one.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What to print [default: what the ending of --output says, else table]
    #[arg(long, short)]
    pub(crate) format: Option<ShowFormat>,
    /// What is in an SVG or a PNG [default: matrix and curves in an SVG, card in a PNG]
    #[arg(long)]
    pub(crate) picture: Option<PictureChoice>,
    /// Colours of an SVG or a PNG; `auto` follows the reader, and is light in a PNG.
    #[arg(long, default_value = "auto")]
    pub(crate) theme: ThemeChoice,
    /// In the table, each cell's share of the roofline as a line of its own.
    #[arg(long)]
    pub(crate) roofline: bool,
    /// In the table and the page, the decode calculator's figure beside each measured one, and how far
    /// it is off.
    #[arg(long)]
    pub(crate) predicted: bool,
    /// Write to this file instead of stdout.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Formats of `show`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Tables for a terminal.
    Table,
    /// One self-contained page.
    Html,
    /// Markdown.
    Markdown,
    /// One row per cell and prefill point.
    Csv,
    /// The document.
    Json,
    /// A picture for a README or a report.
    Svg,
    /// A picture of pixels: the social card of 1200 x 630.
    Png,
}

/// What is in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureChoice {
    /// The matrix.
    Matrix,
    /// Every curve of the page.
    Curves,
    /// The matrix and the curves of its rates.
    Both,
    /// The social card.
    Card,
}

/// Colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeChoice {
    /// As the reader's device.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl ShowFormat {
    /// The format that a file's ending says.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "txt" => Self::Table,
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "svg" => Self::Svg,
            "png" => Self::Png,
            _ => return None,
        })
    }
}

impl PictureChoice {
    pub(crate) fn kind(self) -> PictureKind {
        match self {
            Self::Matrix => PictureKind::Matrix,
            Self::Curves => PictureKind::Curves,
            Self::Both => PictureKind::MatrixAndCurves,
            Self::Card => PictureKind::Card,
        }
    }
}

impl ThemeChoice {
    pub(crate) fn theme(self) -> Theme {
        match self {
            Self::Auto => Theme::Auto,
            Self::Light => Theme::Light,
            Self::Dark => Theme::Dark,
        }
    }
}
