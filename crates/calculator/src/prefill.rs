//! Reading a prompt.

use tokmark_units::float;

use crate::constant::ConstantId;
use crate::constants::Constants;
use crate::setup::{Kernel, Setup};

/// The terms of reading a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrefillTerm {
    /// Linear layers outside the routed experts.
    Dense,
    /// Routed experts.
    Experts,
    /// Attention, which grows with the square.
    Attention,
    /// Recurrent layers.
    Recurrent,
    /// What a step costs however few tokens it has: weights read once, launches.
    Floor,
}

/// Seconds of a prompt by term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrefillTime {
    seconds: [f64; 5],
    new_tokens: f64,
}

impl PrefillTerm {
    /// Every term, in the order in which tables show them.
    pub const ALL: [Self; 5] = [
        Self::Dense,
        Self::Experts,
        Self::Attention,
        Self::Recurrent,
        Self::Floor,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Experts => "experts",
            Self::Attention => "attention",
            Self::Recurrent => "recurrent",
            Self::Floor => "floor",
        }
    }
}

impl PrefillTime {
    /// Terms with their seconds.
    pub fn terms(&self) -> impl Iterator<Item = (PrefillTerm, f64)> {
        PrefillTerm::ALL.into_iter().zip(self.seconds)
    }

    /// Seconds of all.
    pub fn seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Prompt tokens a second; those from a prefix cache do not count.
    pub fn tokens_per_s(&self) -> f64 {
        self.new_tokens / self.seconds().max(f64::MIN_POSITIVE)
    }
}

impl Setup {
    /// Reading `new` tokens of one prompt behind `cached` ones; `None` where no arithmetic rate of
    /// the accelerator is known.
    ///
    /// | term | seconds |
    /// |---|---|
    /// | dense | `new · 2·parameters / (f_dense·F)` |
    /// | experts | `new · 2·k/E·parameters / (f_experts·F)` |
    /// | attention | `2·Σ layers·query heads·(key + value)·(new·cached + new²/2) / (f_attention·F16)`, windows counted |
    /// | recurrent | `new · recurrent layers · t_rec` |
    /// | floor | weights read once less what calculating takes, launches of one step |
    pub fn prefill(&self, constants: &Constants, new: f64, cached: f64) -> Option<PrefillTime> {
        let cards = float::from_u64(self.layout.tensor.max(1).into());
        let rate = self.card.operations_per_s(self.kernel())? * cards;
        let wide = self
            .card
            .operations_per_s(Kernel::Wide)
            .unwrap_or(rate / cards)
            * cards;
        let get = |id| constants.get(id).max(f64::MIN_POSITIVE);
        let weights = &self.model.weights;
        let experts = weights.experts.parameters * self.active_share();
        let dense = new * 2.0 * weights.dense.parameters / (get(ConstantId::PrefillDense) * rate);
        let routed = new * 2.0 * experts / (get(ConstantId::PrefillExperts) * rate);
        let attention = self.model.prefill_attention_operations(new, cached)
            / (get(ConstantId::PrefillAttention) * wide);
        let recurrent = new * self.recurrent_layers() * get(ConstantId::PrefillRecurrent);
        let streamed = self.card.bytes_per_s() * get(ConstantId::StreamEfficiency) * cards;
        let read = (weights.dense.bytes + self.touched_bytes(new)) / streamed;
        let launches = self.parts() * get(ConstantId::PartSeconds)
            + self.moe_layers() * get(ConstantId::RoutingSeconds);
        Some(PrefillTime {
            seconds: [
                dense,
                routed,
                attention,
                recurrent,
                (read - dense - routed).max(0.0) + launches,
            ],
            new_tokens: new,
        })
    }

    fn active_share(&self) -> f64 {
        self.model.experts.map_or(1.0, |experts| {
            float::from_u64(experts.per_token.into())
                / float::from_u64(experts.experts.max(1).into())
        })
    }

    fn touched_bytes(&self, tokens: f64) -> f64 {
        self.model.experts.map_or(0.0, |experts| {
            let all = float::from_u64(experts.experts.max(1).into());
            self.model.weights.experts.bytes * experts.touched(tokens, 1.0) / all
        })
    }
}
