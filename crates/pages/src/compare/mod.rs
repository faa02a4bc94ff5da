//! Two to six sides compared: for terminals, in Markdown, and for CI as `JUnit` XML.

mod junit;
mod markdown;
mod terminal;
mod words;

use tokmark_measure::compare::{Judgement, MetricChange, SettingChange};

pub use junit::comparison_junit;
pub use markdown::comparison_markdown;
pub use terminal::comparison_table;
pub use words::{change_percent, verdict, verdicts};

/// One of the sides, as readers meet it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedSide {
    /// `A`, `B`, ….
    pub label: String,
    /// What was measured: `{model} on {hardware}`.
    pub title: String,
    /// Where its runs lie.
    pub files: Vec<String>,
}

/// A side held against the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// Index of the side.
    pub new: usize,
    /// What became of each metric; the first is the headline.
    pub metrics: Vec<MetricChange>,
    /// What became of each rule.
    pub judgements: Vec<Judgement>,
}

/// Everything that a comparison shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonView {
    /// The sides, as they were given.
    pub sides: Vec<ComparedSide>,
    /// Index of the one that the others are held against.
    pub baseline: usize,
    /// What they differ in besides their speed, a value per side.
    pub settings: Vec<SettingChange>,
    /// Runs of one side that differ in a setting: they are no repeats of one another.
    pub mixed: Vec<(usize, SettingChange)>,
    /// The others.
    pub contests: Vec<Contest>,
}

impl ComparisonView {
    /// The label of a side.
    pub fn label(&self, side: usize) -> &str {
        self.sides.get(side).map_or("", |side| side.label.as_str())
    }
}
