//! A run that goes on: what its journal holds is taken as if it had just been measured.

use tokmark_run_format::evidence::{PrefillEvidence, PrefillPurpose, ProbeEvidence, Record};
use tokmark_run_format::{CellStatus, Note, PrefillMode};
use tokmark_units::Nanos;

use crate::journal::{Journal, is_final};
use crate::run::{Run, RunError};
use crate::single::PROBE_TOKENS;

/// Documents that are read once have numbers; those of each sitting begin this far from the last.
const NUMBERS_OF_A_SITTING: u32 = 100_000;

impl Run<'_> {
    /// Goes on with a run that was ended before its time. What is on record is not measured again;
    /// cells in which, or before which, it was stopped are.
    #[must_use]
    pub fn go_on(mut self, journal: Journal) -> Self {
        let sitting = u32::try_from(journal.went_on.len() + 1).unwrap_or(u32::MAX);
        self.notes.extend(journal.notes);
        for record in journal.records {
            self.recall(record);
        }
        self.forget_warmed();
        self.prompts
            .number_from(NUMBERS_OF_A_SITTING.saturating_mul(sitting));
        self
    }

    /// Takes it that the server's cache has lost the documents whose cold prefill is on record.
    pub(crate) fn forget_warmed(&mut self) {
        self.warmed.clear();
        self.recalled.documents.clear();
        let of_streams = |s: &&PrefillEvidence| s.purpose == PrefillPurpose::Document;
        for sample in self.samples.iter().filter(of_streams) {
            *self.recalled.documents.entry(sample.context).or_default() += 1;
        }
    }

    fn recall(&mut self, record: Record) {
        match &record {
            Record::Probes(probes) => self.recall_probes(probes.clone()),
            Record::Prefill(sample) => {
                self.learn_sample(sample);
            }
            Record::Cell(cell) if is_final(cell) => self.settle(cell),
            // What was stopped is measured again.
            Record::Cell(_) | Record::Header(_) => return,
        }
        self.records.push(record);
    }

    fn recall_probes(&mut self, probes: ProbeEvidence) {
        self.known.fixed = probes.fixed_ttft_ns.map(Nanos);
        self.known.idle = self.known.fixed;
        self.limits.admission = probes.admission_limit;
        self.recalled.probed = true;
        self.probes = probes;
    }

    /// Documents of a context's streams whose cold prefill an earlier sitting has on record.
    pub(crate) fn recalled_documents(&self, context: u64) -> u32 {
        self.recalled.documents.get(&context).copied().unwrap_or(0)
    }

    /// Samples of a purpose that are on record for a context.
    pub(crate) fn samples_of(&self, context: u64, purpose: PrefillPurpose) -> u32 {
        let of_it = |s: &&PrefillEvidence| s.context == context && s.purpose == purpose;
        u32::try_from(self.samples.iter().filter(of_it).count()).unwrap_or(u32::MAX)
    }

    /// Puts the document of a stream into the server's cache again: it was there in an earlier
    /// sitting, and its cold prefill is on record already.
    pub(crate) async fn warm_again(&mut self, context: u64, stream: u32) -> Result<(), RunError> {
        let document = self.prompts.document(self.session, context, stream).await?;
        // Whatever fails here fails in the cell too, which says it.
        let _unrecorded = self.single(&document, context, PROBE_TOKENS).await?;
        Ok(())
    }

    /// Whether nothing of the plan is left.
    pub(crate) fn is_finished(&self) -> bool {
        let decode = self.settings.prefill == PrefillMode::Standalone
            || self.matrix.contexts.iter().all(|context| {
                let levels = &self.matrix.levels;
                levels.iter().all(|r| self.is_decided(*context, *r))
            });
        let prefill = self.settings.prefill == PrefillMode::Off
            || self.matrix.prefill_contexts.iter().all(|context| {
                let wanted = self.wants_extra(*context, self.recalled_documents(*context), 0);
                self.prefill_left_out(*context).is_some() || !wanted
            });
        self.recalled.probed && decode && prefill
    }

    /// The rate that a cell's expected output is taken from is known once a cell was measured.
    pub(crate) fn knows_a_rate(&self) -> bool {
        let measured = |cell: &tokmark_run_format::DecodeCell| {
            cell.status == CellStatus::Valid && cell.per_request_tokens_per_s.is_some()
        };
        self.cells.values().flatten().any(measured)
    }

    /// Keeps a remark, once for each kind and text.
    pub(crate) fn keep_note(&mut self, code: &str, text: String) {
        let note = Note {
            code: code.to_owned(),
            text,
        };
        if self.notes.contains(&note) {
            return;
        }
        if self.keep_failure.is_none()
            && let Err(error) = self.keep.note(&note)
        {
            self.keep_failure = Some(error.to_string());
        }
        self.notes.push(note);
    }
}
