//! What a server says about its load, brought to one shape.
//!
//! Counts and counters are summed over data-parallel ranks; a share is never summed but given as
//! mean and maximum (case B076).

use std::collections::BTreeSet;

use tokmark_units::float;

use crate::control::ControlError;
use crate::prometheus::{Exposition, ExpositionError, Sample};

/// One reading of the server's gauges and counters. What the server does not say is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gauges {
    /// Requests being worked on.
    pub running: Option<f64>,
    /// Requests that wait.
    pub waiting: Option<f64>,
    /// Requests that lost their cache so far.
    pub preemptions: Option<f64>,
    /// Tokens generated so far.
    pub output_tokens: Option<f64>,
    /// Seconds that the server counted for generating them, where it does.
    pub output_seconds: Option<f64>,
    /// Prompt tokens so far; whether cached ones are among them depends on the server.
    pub prompt_tokens: Option<f64>,
    /// Prompt tokens looked up in the prefix cache so far.
    pub prefix_queries: Option<f64>,
    /// Prompt tokens found there so far.
    pub prefix_hits: Option<f64>,
    /// Share of the KV cache in use, mean over ranks, 0 to 1.
    pub kv_use_mean: Option<f64>,
    /// Share of the KV cache in use at the fullest rank, 0 to 1.
    pub kv_use_max: Option<f64>,
    /// Tokens proposed by speculation so far.
    pub drafted: Option<f64>,
    /// Proposed tokens that were accepted so far.
    pub accepted: Option<f64>,
    /// Times to the first token that the server counted so far, in seconds: their sum.
    pub ttft_seconds: Option<f64>,
    /// How many those are.
    pub ttft_count: Option<f64>,
    /// Ranks that reported; 0 when none did.
    pub engines: u32,
    /// When the process started, in seconds of Unix time: what tells a restart from another replica.
    pub process_start: Option<f64>,
    /// What a person should know about this reading.
    pub notes: Vec<String>,
}

impl Gauges {
    /// A reading that holds nothing but the reason.
    pub(crate) fn nothing(note: impl Into<String>) -> Self {
        Self {
            notes: vec![note.into()],
            ..Self::default()
        }
    }

    /// Tokens per second of generating time between two readings of a server that counts both.
    /// Lifetime averages that servers offer as gauges never decay and are not used (case B079).
    pub fn decode_rate_since(&self, earlier: &Self) -> Option<f64> {
        let tokens = self.output_tokens? - earlier.output_tokens?;
        let seconds = self.output_seconds? - earlier.output_seconds?;
        (seconds > 0.0 && tokens >= 0.0).then(|| tokens / seconds)
    }

    fn counters(&self) -> [Option<f64>; 7] {
        [
            self.output_tokens,
            self.prompt_tokens,
            self.prefix_queries,
            self.prefix_hits,
            self.preemptions,
            self.drafted,
            self.accepted,
        ]
    }
}

/// Why gauges could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GaugeError {
    /// The request failed.
    #[error("the server's gauges cannot be read")]
    Control(#[from] ControlError),
    /// The answer is no metrics text.
    #[error("the server's gauges cannot be read")]
    Exposition(#[from] ExpositionError),
    /// The route is refused.
    #[error("`{path}` answers {status} `{shown}`")]
    Status {
        /// Which route.
        path: String,
        /// HTTP status.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
}

/// How two successive readings belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuity {
    /// Counters went on.
    Steady,
    /// The server was started again in between: differences across this point mean nothing.
    Restarted,
    /// Readings come from several replicas behind one address: no rate can be computed from them.
    Unreliable,
}

/// Watches that successive readings come from one process (case B080).
#[derive(Debug, Clone, Default)]
pub struct CounterWatch {
    last: Option<Gauges>,
    unreliable: bool,
}

impl CounterWatch {
    /// Takes the next reading. Once unreliable, always unreliable.
    pub fn observe(&mut self, gauges: &Gauges) -> Continuity {
        let continuity = match &self.last {
            None => Continuity::Steady,
            Some(last) => compare(last, gauges),
        };
        self.last = Some(gauges.clone());
        self.unreliable |= continuity == Continuity::Unreliable;
        if self.unreliable {
            Continuity::Unreliable
        } else {
            continuity
        }
    }
}

fn compare(last: &Gauges, next: &Gauges) -> Continuity {
    let fell = last
        .counters()
        .into_iter()
        .zip(next.counters())
        .any(|(before, after)| matches!((before, after), (Some(b), Some(a)) if a < b));
    match (last.process_start, next.process_start) {
        // Going back to an older process is only possible when both are alive.
        (Some(before), Some(after)) if after < before => Continuity::Unreliable,
        (Some(before), Some(after)) if after > before => Continuity::Restarted,
        _ if fell => Continuity::Unreliable,
        _ => Continuity::Steady,
    }
}

/// The series of one served model in a scrape.
pub(crate) struct Reading<'a> {
    exposition: &'a Exposition,
    /// The label that names the model.
    label: &'static str,
    /// The model whose series count when there are several; `None` when all count.
    only: Option<&'a str>,
}

/// A scrape that holds several models, none of which is the measured one.
#[derive(Debug)]
pub(crate) struct ForeignModels {
    names: Vec<String>,
}

impl ForeignModels {
    pub(crate) fn note(&self, wanted: Option<&str>) -> String {
        format!(
            "server metrics: they hold the models `{}`, and none is `{}`",
            self.names.join("`, `"),
            wanted.unwrap_or("(none chosen)")
        )
    }
}

impl<'a> Reading<'a> {
    /// Series with two values of `label` are kept apart. One value is taken as the measured model
    /// whatever its name, because a server may report its first served name for all.
    pub(crate) fn labelled(
        exposition: &'a Exposition,
        prefix: &str,
        label: &'static str,
        model: Option<&'a str>,
    ) -> Result<Self, ForeignModels> {
        let names: BTreeSet<&str> = exposition
            .samples
            .iter()
            .filter(|sample| sample.name.starts_with(prefix))
            .filter_map(|sample| sample.label(label))
            .collect();
        let only = match model {
            _ if names.len() < 2 => None,
            Some(wanted) if names.contains(wanted) => Some(wanted),
            _ => {
                return Err(ForeignModels {
                    names: names.into_iter().map(str::to_owned).collect(),
                });
            }
        };
        Ok(Self {
            exposition,
            label,
            only,
        })
    }

    /// The series of the first of `names` that is present: new names before old ones.
    pub(crate) fn series(&self, names: &[&str]) -> Vec<&'a Sample> {
        names
            .iter()
            .map(|name| {
                self.exposition
                    .samples
                    .iter()
                    .filter(|sample| sample.name == *name)
                    .filter(|sample| self.counts(sample))
                    .collect::<Vec<_>>()
            })
            .find(|series| !series.is_empty())
            .unwrap_or_default()
    }

    fn counts(&self, sample: &Sample) -> bool {
        match (self.only, sample.label(self.label)) {
            (Some(wanted), Some(name)) => wanted == name,
            _ => true,
        }
    }

    fn finite(&self, names: &[&str]) -> Vec<f64> {
        self.series(names)
            .into_iter()
            .map(|sample| sample.value)
            .filter(|value| value.is_finite())
            .collect()
    }

    /// Sum over ranks, `None` when the metric is absent.
    pub(crate) fn sum(&self, names: &[&str]) -> Option<f64> {
        let values = self.finite(names);
        (!values.is_empty()).then(|| values.iter().sum())
    }

    /// Mean and maximum over ranks.
    pub(crate) fn mean_and_max(&self, names: &[&str]) -> (Option<f64>, Option<f64>) {
        let values = self.finite(names);
        let max = values.iter().copied().reduce(f64::max);
        let mean = (!values.is_empty())
            .then(|| values.iter().sum::<f64>() / float::from_usize(values.len()));
        (mean, max)
    }

    /// Ranks that report a metric: distinct values of the label, or one when there is no label.
    pub(crate) fn ranks(&self, names: &[&str], label: &str) -> u32 {
        let ranks: BTreeSet<Option<&str>> = self
            .series(names)
            .into_iter()
            .map(|sample| sample.label(label))
            .collect();
        u32::try_from(ranks.len()).unwrap_or(u32::MAX)
    }
}
