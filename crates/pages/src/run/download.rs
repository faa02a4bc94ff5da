//! The files of a run.

use data_encoding::BASE64;
use tokmark_run_format::RunDocument;

use crate::options::RunLinks;
use crate::picture::{PictureKind, Theme, picture};
use crate::{export, summary, words};

/// A file that is offered.
pub(crate) struct Download {
    pub(crate) label: &'static str,
    pub(crate) href: String,
    /// Proposed file name.
    pub(crate) file: String,
}

/// A file that a self-contained page carries inside itself has at most this many bytes; a larger
/// one would make the page slow to open.
const LARGEST_INSIDE: usize = 512 * 1_024;

pub(crate) fn of(run: &RunDocument, links: &RunLinks, self_contained: bool) -> Vec<Download> {
    let stem = file_stem(run);
    let inside = |link: &Option<String>, media_type: &str, make: &dyn Fn() -> Option<String>| {
        let own = || {
            let text = make().filter(|text| text.len() <= LARGEST_INSIDE)?;
            let encoded = BASE64.encode(text.as_bytes());
            Some(format!("data:{media_type};base64,{encoded}"))
        };
        link.clone().or_else(|| self_contained.then(own).flatten())
    };
    let json = inside(&links.json, "application/json", &|| {
        serde_json::to_string(run).ok()
    });
    let csv = inside(&links.csv, "text/csv;charset=utf-8", &|| {
        Some(export::csv(run))
    });
    let svg = inside(&links.svg, "image/svg+xml", &|| {
        Some(picture(run, PictureKind::default(), Theme::default()))
    });
    let offers = [
        (words::DOWNLOAD_JSON, json, "json"),
        (words::DOWNLOAD_CSV, csv, "csv"),
        (words::DOWNLOAD_HTML, links.html.clone(), "html"),
        (words::DOWNLOAD_SVG, svg, "svg"),
        (words::DOWNLOAD_CARD, links.card.clone(), "png"),
        (
            words::DOWNLOAD_EVIDENCE,
            links.evidence.clone(),
            "evidence.zst",
        ),
    ];
    offers
        .into_iter()
        .filter_map(|(label, href, ending)| {
            Some(Download {
                label,
                href: href?,
                file: format!("{stem}.{ending}"),
            })
        })
        .collect()
}

/// A file name of letters, digits, dashes, dots and underscores from the run's title.
fn file_stem(run: &RunDocument) -> String {
    let title = format!("{}-{}", run.model.name, summary::hardware_name(run));
    let plain: String = title
        .chars()
        .take(80)
        .map(|c| match c {
            '.' | '_' => c,
            c if c.is_ascii_alphanumeric() => c,
            _ => '-',
        })
        .collect();
    match plain.trim_matches(['-', '.']) {
        "" => run.id.clone(),
        plain => plain.to_owned(),
    }
}
