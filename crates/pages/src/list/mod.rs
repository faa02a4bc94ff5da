//! Lists of runs, the start page, and the page for what does not exist.

mod filter;
mod picture;
mod row;

use askama::Template;

use crate::frame::{Frame, rendered};
use crate::options::PageOptions;
use crate::words;

use filter::Control;
pub use filter::{FilterField, FilterOption, ListForm};
pub(crate) use picture::MatrixPicture;
pub use row::{ListedCell, ListedRun, RunListRow};

#[derive(Template)]
#[template(path = "list/runs.html")]
struct RunsPage<'a> {
    frame: Frame<'a>,
    rows: &'a [RunListRow],
    form: &'a ListForm,
    more: Option<&'a str>,
}

/// A page of the list of runs; `more` is the address of the next page.
pub fn run_list_page(
    rows: &[RunListRow],
    form: &ListForm,
    more: Option<&str>,
    options: &PageOptions,
) -> String {
    rendered(&RunsPage {
        frame: Frame::new(options, words::RUNS, words::RUNS_TEXT.to_owned()),
        rows,
        form,
        more,
    })
}

#[derive(Template)]
#[template(path = "list/home.html")]
struct HomePage<'a> {
    frame: Frame<'a>,
    rows: &'a [RunListRow],
    all_runs: Option<&'a str>,
}

/// The start page with the latest runs; `all_runs` is the address of the whole list.
pub fn home(latest: &[RunListRow], all_runs: Option<&str>, options: &PageOptions) -> String {
    rendered(&HomePage {
        frame: Frame::new(options, words::HOME_TITLE, words::HOME_TEXT.to_owned()),
        rows: latest,
        all_runs,
    })
}

#[derive(Template)]
#[template(path = "list/not_found.html")]
struct NotFoundPage<'a> {
    frame: Frame<'a>,
}

/// The page for an address at which nothing is.
pub fn not_found_page(options: &PageOptions) -> String {
    rendered(&NotFoundPage {
        frame: Frame::new(options, words::NOT_FOUND, words::NOT_FOUND_TEXT.to_owned()),
    })
}
