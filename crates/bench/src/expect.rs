//! How long a cell and a prefill will take, and which cells the rules leave out.

use tokmark_run_format::{CellStatus, Profile};
use tokmark_units::Nanos;

use crate::matrix;
use crate::run::Run;

/// Draining and landing of one cell.
const AROUND: Nanos = Nanos::from_millis(800);
/// The share of a window that a quick run is expected to need before one was measured.
const QUICK_SHARE: f64 = 0.5;

impl Run<'_> {
    /// Expected time of one cell, warm-up excluded.
    pub(crate) fn cell_time(&self, context: u64, requests: u32) -> Nanos {
        let settle: Nanos = self.settings.settle.into();
        let window = self.settings.window.as_secs_f64() * self.expected_share();
        let launch = self.known.expected_launch(context, requests);
        launch + settle + Nanos::from_secs_f64(window) + AROUND
    }

    /// Expected length of a window as a share of the longest.
    fn expected_share(&self) -> f64 {
        match self.settings.profile {
            Profile::Quick => self.known.window_share().unwrap_or(QUICK_SHARE),
            Profile::Standard | Profile::Rigorous => 1.0,
        }
    }

    /// Expected time of one cold prefill.
    pub(crate) fn expected_prefill(&self, context: u64) -> Nanos {
        self.known.expected_prefill(context)
    }

    /// Undecided cells that the rules leave out, with what is known now.
    pub(crate) fn expected_left_out(&self) -> Vec<(u64, u32, CellStatus)> {
        let levels = &self.matrix.levels;
        let contexts = self.matrix.contexts.iter();
        contexts
            .flat_map(|context| levels.iter().map(move |requests| (*context, *requests)))
            .filter(|(context, requests)| !self.is_decided(*context, *requests))
            .filter_map(|(context, requests)| {
                let not_run = self.left_out(context, requests)?;
                Some((context, requests, not_run.status))
            })
            .collect()
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
