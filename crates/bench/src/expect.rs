//! How long the rest of a run will take.

use tokmark_run_format::PrefillMode;
use tokmark_units::Nanos;

use crate::matrix;
use crate::run::Run;

/// Draining and landing of one cell.
const AROUND: Nanos = Nanos::from_millis(800);
/// What one prefill is assumed to take before any was measured.
const UNKNOWN_PREFILL: Nanos = Nanos::from_secs(3);

impl Run<'_> {
    /// Expected time of one cell, warm-up excluded.
    pub(crate) fn cell_time(&self, context: u64, requests: u32) -> Nanos {
        let settle: Nanos = self.settings.settle.into();
        self.known.launch(context, requests) + settle + self.settings.window_ns() + AROUND
    }

    /// Expected time of everything that is not done yet.
    pub(crate) fn time_left(&self) -> Nanos {
        let cells = self.remaining_cells();
        let windows = cells
            .iter()
            .map(|(context, requests)| self.cell_time(*context, *requests));
        let prefills = self
            .contexts_to_warm(&cells)
            .into_iter()
            .map(|(context, count)| {
                let each = self.known.cold_ttft(context).unwrap_or(UNKNOWN_PREFILL);
                Nanos(each.0.saturating_mul(count))
            });
        windows
            .chain(prefills)
            .fold(Nanos::ZERO, |sum, one| sum + one)
    }

    fn remaining_cells(&self) -> Vec<(u64, u32)> {
        if self.settings.prefill == PrefillMode::Standalone {
            return Vec::new();
        }
        let levels = &self.matrix.levels;
        let all = self
            .matrix
            .contexts
            .iter()
            .flat_map(|context| levels.iter().map(move |requests| (*context, *requests)));
        all.filter(|(context, requests)| !self.is_decided(*context, *requests))
            .filter(|(context, requests)| self.left_out(*context, *requests).is_none())
            .collect()
    }

    /// Contexts with the number of cold prefills still to come.
    fn contexts_to_warm(&self, cells: &[(u64, u32)]) -> Vec<(u64, u64)> {
        let warmed = |context: u64| self.known.warm.contains_key(&context);
        let caching = self.known.prefix_cache != Some(false);
        let mut wanted: Vec<(u64, u64)> = self
            .matrix
            .contexts
            .iter()
            .filter(|context| **context > 0 && caching && !warmed(**context))
            .filter_map(|context| {
                let most = cells
                    .iter()
                    .filter(|(c, _)| c == context)
                    .map(|(_, r)| *r)
                    .max()?;
                Some((
                    *context,
                    u64::from(if self.settings.shared_context {
                        1
                    } else {
                        most
                    }),
                ))
            })
            .collect();
        for context in &self.matrix.prefill_contexts {
            let known = wanted.iter().any(|(c, _)| c == context);
            if !known
                && self.settings.prefill != PrefillMode::Off
                && !self.known.cold.contains_key(context)
            {
                wanted.push((
                    *context,
                    u64::from(self.settings.prefill_samples.unwrap_or(2)),
                ));
            }
        }
        wanted
    }

    /// Why the rules leave a cell out, with what is known now.
    pub(crate) fn left_out(
        &self,
        context: u64,
        requests: u32,
    ) -> Option<tokmark_run_format::evidence::NotRun> {
        let settle: Nanos = self.settings.settle.into();
        let window = self.settings.window_ns();
        let output = matrix::held_output(
            self.known.output(context, requests, settle, window),
            self.session.server.reserves_output(),
            self.settings.max_output,
        );
        matrix::left_out(
            self.settings,
            &self.limits,
            &self.matrix.levels,
            context,
            requests,
            output,
        )
    }
}
