//! What an engine counts about itself, as a server's metrics page shows it.

use super::request::{Finish, RequestId};
use tokmark_units::float;

/// A cumulative histogram in the sense of Prometheus.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    bounds: &'static [f64],
    /// One count a bound, and one for everything above.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len() + 1],
            sum: 0.0,
        }
    }

    /// Counts one value.
    pub fn observe(&mut self, value: f64) {
        let at = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get_mut(at) {
            *count += 1;
        }
        self.sum += value;
    }

    /// Upper bound and number of values at or below it, then the total under `+Inf` (as infinity).
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        bounds.zip(self.counts.iter().scan(0, |below, count| {
            *below += count;
            Some(*below)
        }))
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum
    }
}

const TTFT_S: &[f64] = &[
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    20.0, 40.0, 80.0, 160.0, 640.0, 2_560.0,
];
const GAP_S: &[f64] = &[
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0,
    40.0, 80.0,
];
const REQUEST_S: &[f64] = &[
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0,
    480.0, 960.0, 1_920.0, 7_680.0,
];
const TOKENS: &[f64] = &[
    1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0,
    20_000.0, 50_000.0, 100_000.0, 200_000.0,
];

/// Counters of one rank since its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Counters {
    /// Steps run.
    pub steps: u64,
    /// Requests that lost their cache and started again.
    pub preemptions: u64,
    /// Prompt tokens of requests whose prefill has ended, cached ones included.
    pub prompt_tokens: u64,
    /// Those of them that were found in the prefix cache.
    pub cached_prompt_tokens: u64,
    /// Generated tokens.
    pub generation_tokens: u64,
    /// Prompt tokens looked up in the prefix cache, counted at a request's first admission.
    pub prefix_queries: u64,
    /// Those of them that were found.
    pub prefix_hits: u64,
    /// Requests that ended by themselves.
    pub finished_stop: u64,
    /// Requests that ended at their length.
    pub finished_length: u64,
    /// Requests that were aborted.
    pub finished_abort: u64,
    /// Steps of sequences that verified drafts.
    pub drafts: u64,
    /// Tokens drafted.
    pub draft_tokens: u64,
    /// Drafted tokens accepted, by position.
    pub accepted_by_position: Vec<u64>,
    /// Submission to first token, in seconds.
    pub ttft_s: Histogram,
    /// Time between two outputs of a request, in seconds.
    pub gap_s: Histogram,
    /// Submission to last token, in seconds.
    pub e2e_s: Histogram,
    /// Time in the scheduler's queue, in seconds.
    pub queue_s: Histogram,
    /// Prompt lengths of finished requests.
    pub request_prompt_tokens: Histogram,
    /// Output lengths of finished requests.
    pub request_generation_tokens: Histogram,
}

impl Counters {
    pub(super) fn new(drafts: u32) -> Self {
        Self {
            steps: 0,
            preemptions: 0,
            prompt_tokens: 0,
            cached_prompt_tokens: 0,
            generation_tokens: 0,
            prefix_queries: 0,
            prefix_hits: 0,
            finished_stop: 0,
            finished_length: 0,
            finished_abort: 0,
            drafts: 0,
            draft_tokens: 0,
            accepted_by_position: vec![0; usize::try_from(drafts).unwrap_or(0)],
            ttft_s: Histogram::new(TTFT_S),
            gap_s: Histogram::new(GAP_S),
            e2e_s: Histogram::new(REQUEST_S),
            queue_s: Histogram::new(REQUEST_S),
            request_prompt_tokens: Histogram::new(TOKENS),
            request_generation_tokens: Histogram::new(TOKENS),
        }
    }

    pub(super) fn count_finish(&mut self, finish: Finish, prompt: u32, generated: u32) {
        match finish {
            Finish::Stop => self.finished_stop += 1,
            Finish::Length => self.finished_length += 1,
            Finish::Abort => self.finished_abort += 1,
        }
        self.request_prompt_tokens.observe(f64::from(prompt));
        self.request_generation_tokens.observe(f64::from(generated));
    }

    pub(super) fn count_drafts(&mut self, drafted: u32, accepted: u32) {
        self.drafts += 1;
        self.draft_tokens += u64::from(drafted);
        let accepted = usize::try_from(accepted).unwrap_or(0);
        for count in self.accepted_by_position.iter_mut().take(accepted) {
            *count += 1;
        }
    }
}

/// One running sequence at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceStats {
    /// Its request.
    pub id: RequestId,
    /// Tokens of its prompt.
    pub prompt_tokens: u32,
    /// Those of them that were found in the prefix cache.
    pub cached_tokens: u32,
    /// Tokens whose KV is computed, prompt and output together.
    pub computed: u32,
    /// Generated tokens.
    pub generated: u32,
    /// Tokens that it may generate in all.
    pub output_tokens: u32,
}

/// One rank at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct RankStats {
    /// Sequences that the scheduler runs.
    pub running: u32,
    /// Sequences in its queue.
    pub waiting: u32,
    /// The running sequences, in the order of their admission.
    pub sequences: Vec<SequenceStats>,
    /// Blocks that nobody holds.
    pub free_blocks: u64,
    /// Blocks that can be used.
    pub usable_blocks: u64,
    /// Counters since the start.
    pub counters: Counters,
}

impl RankStats {
    /// Blocks that sequences hold.
    pub fn used_blocks(&self) -> u64 {
        self.usable_blocks.saturating_sub(self.free_blocks)
    }

    /// Share of the usable blocks that is held, in [0, 1].
    pub fn kv_usage(&self) -> f64 {
        1.0 - float::from_u64(self.free_blocks) / float::from_u64(self.usable_blocks.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive_and_the_rest_is_above() {
        let mut histogram = Histogram::new(&[1.0, 2.0]);
        for value in [0.5, 1.0, 1.5, 9.0] {
            histogram.observe(value);
        }
        let rows: Vec<_> = histogram.cumulative().collect();
        assert_eq!(rows, [(1.0, 2), (2.0, 3), (f64::INFINITY, 4)]);
        assert!((histogram.sum() - 12.0).abs() < 1e-12);
        assert_eq!(histogram.count(), 4);
    }
}
