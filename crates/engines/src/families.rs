//! Metrics read by their exact names: one table per server, newer names before older ones.

use crate::gauges::{Gauges, Reading};
use crate::prometheus::Exposition;
use crate::scrape;

/// Names of one figure, the newest first.
pub(crate) type Names = &'static [&'static str];

/// Where a server's figures stand in its metrics. An empty list: it has no such figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Families {
    /// How all of its names begin.
    pub(crate) prefix: &'static str,
    /// How the names begin without which there are no gauges at all.
    pub(crate) present: &'static str,
    /// What is said when there are none.
    pub(crate) absent: &'static str,
    /// The label that names the model.
    pub(crate) model_label: &'static str,
    /// The label that tells ranks apart.
    pub(crate) rank_label: &'static str,
    pub(crate) running: Names,
    pub(crate) waiting: Names,
    pub(crate) preemptions: Names,
    pub(crate) output_tokens: Names,
    pub(crate) output_seconds: Names,
    pub(crate) prompt_tokens: Names,
    pub(crate) prefix_queries: Names,
    pub(crate) prefix_hits: Names,
    pub(crate) kv_use: Names,
    pub(crate) drafted: Names,
    pub(crate) accepted: Names,
    /// The histogram of times to the first token, without `_sum` and `_count`.
    pub(crate) ttft: &'static str,
}

impl Families {
    /// No figure at all.
    pub(crate) const NONE: Self = Self {
        prefix: "",
        present: "",
        absent: "server metrics: no engine metrics",
        model_label: "model_name",
        rank_label: "engine",
        running: &[],
        waiting: &[],
        preemptions: &[],
        output_tokens: &[],
        output_seconds: &[],
        prompt_tokens: &[],
        prefix_queries: &[],
        prefix_hits: &[],
        kv_use: &[],
        drafted: &[],
        accepted: &[],
        ttft: "",
    };

    /// The series of the chosen model, or why there are none.
    pub(crate) fn reading<'a>(
        &self,
        exposition: &'a Exposition,
        chosen: Option<&'a str>,
    ) -> Result<Reading<'a>, String> {
        if !exposition.has_prefix(self.present) {
            return Err(scrape::why_nothing(exposition, self.absent));
        }
        Reading::labelled(exposition, self.prefix, self.model_label, chosen)
            .map_err(|foreign| foreign.note(chosen))
    }

    /// Everything that the table names, summed over ranks.
    pub(crate) fn read(&self, exposition: &Exposition, chosen: Option<&str>) -> Gauges {
        let reading = match self.reading(exposition, chosen) {
            Ok(reading) => reading,
            Err(note) => return Gauges::nothing(note),
        };
        let (kv_use_mean, kv_use_max) = reading.mean_and_max(self.kv_use);
        Gauges {
            running: reading.sum(self.running),
            waiting: reading.sum(self.waiting),
            preemptions: reading.sum(self.preemptions),
            output_tokens: reading.sum(self.output_tokens),
            output_seconds: reading.sum(self.output_seconds),
            prompt_tokens: reading.sum(self.prompt_tokens),
            prefix_queries: reading.sum(self.prefix_queries),
            prefix_hits: reading.sum(self.prefix_hits),
            kv_use_mean,
            kv_use_max,
            drafted: reading.sum(self.drafted),
            accepted: reading.sum(self.accepted),
            ttft_seconds: histogram(&reading, self.ttft, "sum"),
            ttft_count: histogram(&reading, self.ttft, "count"),
            engines: reading.ranks(self.running, self.rank_label),
            process_start: reading.sum(&["process_start_time_seconds"]),
            notes: exposition.complaint().into_iter().collect(),
        }
    }
}

/// The sum or the count of a histogram in seconds.
pub(crate) fn histogram(reading: &Reading<'_>, name: &str, part: &str) -> Option<f64> {
    let name = format!("{name}_{part}");
    reading.sum(&[name.as_str()])
}
