//! A run for readers: the pages of the site, the self-contained page, CSV, Markdown and a table
//! for terminals.
//!
//! Everything here is a pure function of the run document. HTML comes from templates that escape
//! every value; styles and script are assets inside the binary and nothing is loaded from another
//! host.

mod assets;
mod calculator;
mod chart;
mod compare;
mod export;
mod frame;
mod list;
mod options;
mod paths;
mod picture;
mod predicted;
mod roofline;
mod run;
mod shade;
mod summary;
pub mod terminal;
mod words;

pub use assets::{Asset, assets};
pub use calculator::{
    AnswerLinks, CalculatorAnswer, CalculatorForm, Costs, FIELDS, Field, FieldFault, FormValues,
    NEED_FIELDS, NeedAnswer, calculator_answer, calculator_page, need_answer, need_page,
};
pub use compare::{
    ComparedSide, ComparisonView, Contest, change_percent, comparison_junit, comparison_markdown,
    comparison_table, verdict, verdicts,
};
pub use export::{TableOptions, csv, markdown, text_table, text_table_with_prediction};
pub use list::{
    FilterField, FilterOption, ListForm, ListedCell, ListedRun, RunListRow, home, not_found_page,
    run_list_page,
};
pub use options::{Chrome, NavigationEntry, PageOptions, RunLinks, Section, SiteChrome};
pub use paths::{CalculatorPath, PathRun, path_list_page, path_page};
pub use picture::{CARD_HEIGHT, CARD_WIDTH, PictureKind, Theme, picture};
pub use predicted::Prediction;
pub use run::run_page;
