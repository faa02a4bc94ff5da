//! Where the chance of a request comes from: run, context, stream, purpose and attempt.

use tokmark_units::Context;
use tokmark_units::float::len_u64;

use crate::Generator;
use crate::generator::absorb;

/// 64 bits from which a prompt, its task or its sampling follows. Equal keys under one run id give
/// equal seeds; any difference gives an unrelated one, so no two workers, cells, warm-ups or runs
/// send the same prompt (methodology section 3, "Distinct").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed(u64);

/// What a seed is for. The numbers are part of the meaning of a run id: they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The document a decode stream keeps through its row.
    Document,
    /// The task at the end of a document.
    Task,
    /// The sampling seed sent to the server.
    Sampling,
    /// The jitter of `max_tokens`.
    OutputLimit,
    /// A document read only to measure prefill.
    PrefillSample,
    /// A short request that measures the fixed part of a first-token time.
    Probe,
    /// What is sent before anything is recorded.
    WarmUp,
    /// The requests that look for the admission limit.
    Admission,
    /// The documents that calibrate tokens per word.
    Calibration,
}

impl Purpose {
    fn number(self) -> u64 {
        match self {
            Self::Document => 1,
            Self::Task => 2,
            Self::Sampling => 3,
            Self::OutputLimit => 4,
            Self::PrefillSample => 5,
            Self::Probe => 6,
            Self::WarmUp => 7,
            Self::Admission => 8,
            Self::Calibration => 9,
        }
    }
}

/// Whose prompt it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// One stream's, counted from 0.
    Stream(u32),
    /// Every stream's (`--shared-context`).
    Shared,
}

/// All that tells one prompt of a run from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Prompt tokens of the cell.
    pub context: Context,
    /// Whose prompt it is.
    pub slot: Slot,
    /// What it is for.
    pub purpose: Purpose,
    /// 0 at first; raised whenever something fresh is wanted in the same place.
    pub attempt: u32,
}

impl Seed {
    /// The seed of a whole run.
    pub fn of_run(run_id: &str) -> Self {
        let length = absorb(0, len_u64(run_id.len()));
        Self(run_id.bytes().map(u64::from).fold(length, absorb))
    }

    /// The seed of one prompt of the run.
    #[must_use]
    pub fn derive(self, key: Key) -> Self {
        let slot = match key.slot {
            Slot::Stream(stream) => u64::from(stream),
            Slot::Shared => u64::MAX,
        };
        let words = [
            key.context.0,
            slot,
            key.purpose.number(),
            u64::from(key.attempt),
        ];
        Self(words.into_iter().fold(self.0, absorb))
    }

    /// A seed below this one, for the parts of a prompt (`part` is chosen by the caller).
    #[must_use]
    pub fn part(self, part: u64) -> Self {
        Self(absorb(self.0, part))
    }

    /// The sequence of numbers that belongs to this seed.
    pub fn generator(self) -> Generator {
        Generator::new(self.0)
    }

    /// The seed as a request's `seed` field: 31 bits, since some servers read a signed 32-bit
    /// number and some an unsigned one.
    pub fn sampling(self) -> u32 {
        u32::try_from(self.0 >> 33).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(context: u64, slot: Slot, purpose: Purpose, attempt: u32) -> Key {
        Key {
            context: Context(context),
            slot,
            purpose,
            attempt,
        }
    }

    #[test]
    fn every_part_of_a_key_matters() {
        let run = Seed::of_run("a");
        let base = key(16_384, Slot::Stream(0), Purpose::Document, 0);
        let all = [
            run,
            run.part(0),
            run.derive(base),
            Seed::of_run("b").derive(base),
            Seed::of_run("").derive(base),
            Seed::of_run("a\0").derive(base),
            run.derive(key(16_385, Slot::Stream(0), Purpose::Document, 0)),
            run.derive(key(16_384, Slot::Stream(1), Purpose::Document, 0)),
            run.derive(key(16_384, Slot::Shared, Purpose::Document, 0)),
            run.derive(key(16_384, Slot::Stream(0), Purpose::Task, 0)),
            run.derive(key(16_384, Slot::Stream(0), Purpose::Document, 1)),
            run.derive(key(0, Slot::Stream(16_384), Purpose::Document, 0)),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn a_run_id_means_the_same_for_ever() {
        let seed = Seed::of_run("0193e9a0-example").derive(key(
            131_072,
            Slot::Stream(7),
            Purpose::Document,
            0,
        ));
        assert_eq!(seed, Seed(12_477_934_254_047_415_152));
        assert!(seed.sampling() < 1 << 31);
    }
}
