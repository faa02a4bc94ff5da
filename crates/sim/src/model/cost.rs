//! What one step of the engine costs, from the work that the scheduler put into it.
//!
//! The terms are those of a decode model of a real server: a fixed part (launches, dense weights,
//! sampling), one a sequence, one for the routed experts that the step touches, the reading of the
//! KV cache, and for prefill a part that is linear in the tokens and one that is linear in the pairs
//! of token and position (attention, so quadratic in the prompt).

use tokmark_units::{Nanos, float};

/// Nanoseconds for each sequence that takes part in a step.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct NanosPerSequence(pub f64);

/// Nanoseconds for each token.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct NanosPerToken(pub f64);

/// Nanoseconds for each pair of a new token and an earlier position that it attends to.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct NanosPerPair(pub f64);

/// Nanoseconds for reading the weights of one routed expert in every layer that has experts.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct NanosPerExpert(pub f64);

/// The routed experts of a mixture-of-experts model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoutedExperts {
    /// Experts of a layer.
    pub total: u32,
    /// Experts that one token is sent to.
    pub active: u32,
    /// Exponent on the number of tokens: 1 when tokens choose independently, less when they choose
    /// alike.
    pub independence: f64,
    /// Cost of each distinct expert.
    pub each: NanosPerExpert,
}

impl RoutedExperts {
    /// Distinct experts of a layer that `tokens` tokens touch: `E (1 - (1 - k/E)^(n^g))`.
    pub fn touched(&self, tokens: u64) -> f64 {
        let total = f64::from(self.total.max(1));
        let missed = 1.0 - f64::from(self.active).min(total) / total;
        let choices = float::from_u64(tokens).powf(self.independence);
        total * (1.0 - missed.powf(choices))
    }
}

/// The cost of a step as a sum of terms:
///
/// ```text
/// fixed + (sequence + state) * S + kv_read * K + kv_depth * D + experts * E(T)
///       + prefill * P + prefill_attention * A + draft * V
/// ```
///
/// with S sequences, K tokens of KV cache in all and D of the longest sequence, T tokens through
/// the model of which P are prompt tokens and V drafted ones, A pairs of a prompt token and an
/// earlier position, and E the distinct experts that T tokens touch ([`RoutedExperts::touched`]).
/// Every field is in nanoseconds for one of what it is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepCost {
    /// Every step, whatever it does.
    pub fixed: Nanos,
    /// Every sequence in the step: sampling, state, bookkeeping.
    pub sequence: NanosPerSequence,
    /// Every sequence's recurrent state, read and written once a step whatever the context, on
    /// models that have one (state-space and linear-attention layers).
    pub state: NanosPerSequence,
    /// Every token of KV cache that the step reads, summed over its sequences: bandwidth.
    pub kv_read: NanosPerToken,
    /// Every token of KV cache of the longest sequence only: a kernel that walks along the context
    /// takes this time however many sequences it walks for.
    pub kv_depth: NanosPerToken,
    /// Routed experts, for models that have them.
    pub experts: Option<RoutedExperts>,
    /// Every prompt token that the step computes.
    pub prefill: NanosPerToken,
    /// Every (prompt token, earlier position) pair that the step computes.
    pub prefill_attention: NanosPerPair,
    /// Every drafted token that the step verifies.
    pub draft: NanosPerToken,
}

/// What the scheduler put into one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepWork {
    /// Sequences with at least one token in the step.
    pub sequences: u32,
    /// Sequences that decode, each with one token besides its drafts.
    pub decode_tokens: u64,
    /// Drafted tokens to verify.
    pub draft_tokens: u64,
    /// Prompt tokens to compute.
    pub prefill_tokens: u64,
    /// Pairs of a prompt token and an earlier position.
    pub prefill_pairs: u64,
    /// Tokens of KV cache read, over all sequences.
    pub kv_tokens: u64,
    /// Tokens of KV cache of the longest sequence.
    pub deepest: u64,
}

impl StepWork {
    /// Adds a sequence that decodes at the end of `depth` tokens with `drafts` drafted ones.
    pub fn add_decode(&mut self, depth: u32, drafts: u32) {
        self.decode_tokens += 1;
        self.draft_tokens += u64::from(drafts);
        self.add_sequence(u64::from(depth));
    }

    /// Adds `tokens` prompt tokens that follow `computed` earlier ones of their sequence.
    pub fn add_prefill(&mut self, computed: u32, tokens: u32) {
        let (before, new) = (u64::from(computed), u64::from(tokens));
        self.prefill_tokens += new;
        self.prefill_pairs += new * before + new * new.saturating_sub(1) / 2;
        self.add_sequence(before + new);
    }

    fn add_sequence(&mut self, depth: u64) {
        self.sequences += 1;
        self.kv_tokens += depth;
        self.deepest = self.deepest.max(depth);
    }

    /// All tokens that go through the model in this step.
    pub fn tokens(&self) -> u64 {
        self.decode_tokens + self.draft_tokens + self.prefill_tokens
    }
}

impl StepCost {
    /// How long a step with this work takes, times `factor` (1 without jitter). Never zero, so that
    /// time goes on whatever the costs are.
    pub fn span(&self, work: &StepWork, factor: f64) -> Nanos {
        let experts = self.experts.map_or(0.0, |experts| {
            experts.each.0 * experts.touched(work.tokens())
        });
        let nanos = float::from_u64(self.fixed.0)
            + (self.sequence.0 + self.state.0) * f64::from(work.sequences)
            + self.kv_read.0 * float::from_u64(work.kv_tokens)
            + self.kv_depth.0 * float::from_u64(work.deepest)
            + self.prefill.0 * float::from_u64(work.prefill_tokens)
            + self.prefill_attention.0 * float::from_u64(work.prefill_pairs)
            + self.draft.0 * float::from_u64(work.draft_tokens)
            + experts;
        Nanos(float::round_to_u64(nanos * factor).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_the_sum_of_its_terms() {
        let cost = StepCost {
            fixed: Nanos(1_000),
            sequence: NanosPerSequence(100.0),
            state: NanosPerSequence(0.0),
            kv_read: NanosPerToken(2.0),
            kv_depth: NanosPerToken(3.0),
            experts: None,
            prefill: NanosPerToken(10.0),
            prefill_attention: NanosPerPair(0.5),
            draft: NanosPerToken(7.0),
        };
        let mut work = StepWork::default();
        assert_eq!(cost.span(&work, 1.0), Nanos(1_000));
        work.add_decode(50, 2);
        // 1,000 + 100 + 50 * 2 + 50 * 3 + 2 * 7
        assert_eq!(cost.span(&work, 1.0), Nanos(1_364));
        work.add_prefill(10, 4);
        assert_eq!(work.prefill_pairs, 10 + 11 + 12 + 13);
        // + 100 + 14 * 2 + 4 * 10 + 46 / 2
        assert_eq!(cost.span(&work, 1.0), Nanos(1_555));
        assert_eq!(cost.span(&work, 2.0), Nanos(3_110));
        assert_eq!(work.tokens(), 7);
        let hybrid = StepCost {
            state: NanosPerSequence(30.0),
            ..cost
        };
        assert_eq!(hybrid.span(&work, 1.0), Nanos(1_615));
    }

    #[test]
    fn experts_saturate() {
        let experts = RoutedExperts {
            total: 128,
            active: 8,
            independence: 1.0,
            each: NanosPerExpert(1.0),
        };
        let touched = |n| float::round_to_u64(experts.touched(n));
        // The series of the decode model's description for 128 experts, 8 a token.
        assert_eq!([1, 2, 4, 8, 16].map(touched), [8, 16, 29, 52, 82]);
        assert_eq!(touched(10_000), 128);
    }
}
