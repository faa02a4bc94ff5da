//! Which share of what the machine allows a figure is: methodology, "Share of the roofline".
//!
//! [`inputs`] chooses machine and model once, for the document; [`fill`] computes every cell's share
//! from those inputs and the cell's own figures, now and whenever a document is verified. The limit
//! itself is [`tokmark_catalog::Roofline`].

mod engine;
mod inputs;
mod machine;
mod model;
mod shape;

use tokmark_catalog::roofline::{Bound, Load, Speculation};
use tokmark_catalog::{KvCache, Machine, ModelSpec, Roofline};
use tokmark_run_format::{DecodeCell, PrefillRow, PrefillStatus, RooflineBound, RunDocument};
use tokmark_units::float;

pub use inputs::{FileModel, Subject, inputs};
pub use shape::kv_bytes_per_token;

/// A figure beside its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Most tokens per second that the machine allows.
    pub tokens_per_s: f64,
    /// The figure over that, not clipped.
    pub share: f64,
    /// Which side of the machine sets the limit.
    pub bound: RooflineBound,
}

/// The limits of a run: a pure function of its document's inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    spec: ModelSpec,
    machine: Machine,
    cache: KvCache,
    /// Whether all streams share one document.
    shared: bool,
    draft_tokens: Option<u32>,
}

impl Limits {
    /// Of a document; `None` where it does not know machine and model, or what it says of them cannot
    /// be.
    pub fn of(run: &RunDocument) -> Option<Self> {
        let roofline = run.roofline.as_ref()?;
        let (machine, model) = (roofline.machine.as_ref()?, roofline.model.as_ref()?);
        Some(Self {
            spec: shape::spec(model)?,
            machine: shape::machine(machine)?,
            cache: KvCache::parse(&model.kv_type).ok()?,
            shared: run.plan.shared_context,
            draft_tokens: roofline.draft_tokens,
        })
    }

    /// A cell's share: the step that gives each stream one token, for as many streams as were decoding
    /// on average, each as deep as they were on average.
    ///
    /// Rate is concave in the streams, so that no server whose streams come and go passes the limit of
    /// their mean. Where the server drafts, and both drafts and acceptance are known, a step counts
    /// `1 + acceptance · drafts` tokens; otherwise one.
    pub fn decode(&self, cell: &DecodeCell) -> Option<Share> {
        let rate = cell.total_tokens_per_s?;
        let asked = f64::from(cell.requests);
        let streams = cell.average_active_requests.unwrap_or(asked).min(asked);
        let depth = cell.mean_depth.filter(|depth| *depth >= 0.0)?;
        let mut load = Load::new(streams, depth, self.cache);
        load.speculation = self.speculation(cell);
        if self.shared {
            load = load.at_best();
        }
        share(rate, &Roofline::decode(&self.spec, self.machine, &load))
    }

    fn speculation(&self, cell: &DecodeCell) -> Option<Speculation> {
        let drafted = f64::from(self.draft_tokens?);
        let accepted = cell.speculative_acceptance?.clamp(0.0, 1.0);
        Some(Speculation {
            drafted,
            tokens_per_step: 1.0 + accepted * drafted,
        })
    }

    /// A prefill row's share; `None` for one whose prompts came from the cache, and for a machine
    /// whose arithmetic is not known: the memory alone limits no prompt.
    pub fn prefill(&self, row: &PrefillRow) -> Option<Share> {
        if row.status != PrefillStatus::Valid {
            return None;
        }
        let tokens = float::from_u64(row.prompt_tokens?);
        let step = Roofline::prefill(&self.spec, self.machine, tokens, 0.0, self.cache);
        step.compute_seconds()?;
        share(row.prompt_tokens_per_s?, &step)
    }
}

fn share(rate: f64, step: &Roofline) -> Option<Share> {
    let tokens_per_s = step.tokens_per_s()?;
    let share = rate / tokens_per_s;
    share.is_finite().then_some(Share {
        tokens_per_s,
        share,
        bound: match step.bound() {
            Bound::Memory => RooflineBound::Memory,
            Bound::Compute => RooflineBound::Compute,
        },
    })
}

/// Puts the shares into all cells and prefill rows of a document; takes out those that its inputs do
/// not give.
pub fn fill(run: &mut RunDocument) {
    let limits = Limits::of(run);
    for cell in &mut run.decode {
        fill_cell(limits.as_ref(), cell);
    }
    for row in &mut run.prefill {
        fill_row(limits.as_ref(), row);
    }
}

/// The same for one cell.
pub fn fill_cell(limits: Option<&Limits>, cell: &mut DecodeCell) {
    let found = limits.and_then(|limits| limits.decode(cell));
    cell.roofline_tokens_per_s = found.map(|found| found.tokens_per_s);
    cell.roofline_share = found.map(|found| found.share);
    cell.roofline_bound = found.map(|found| found.bound);
}

/// The same for one prefill row.
pub fn fill_row(limits: Option<&Limits>, row: &mut PrefillRow) {
    let found = limits.and_then(|limits| limits.prefill(row));
    row.roofline_tokens_per_s = found.map(|found| found.tokens_per_s);
    row.roofline_share = found.map(|found| found.share);
    row.roofline_bound = found.map(|found| found.bound);
}
