//! What a cell needs of the KV cache, and when that is too much: methodology section 6.

use tokmark_run_format::plan::CapacityRule;
use tokmark_units::float;

/// Output tokens that must fit behind a context.
pub const LEAST_OUTPUT: u64 = 256;
/// Share of a rank's budget that `expected` may fill: engines keep some blocks back, and outputs
/// differ.
const EXPECTED_SHARE: f64 = 0.97;

/// What the server holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of one data-parallel rank.
    pub tokens_per_rank: u64,
    /// Data-parallel ranks, at least 1.
    pub ranks: u32,
    /// Tokens per block, at least 1.
    pub block_tokens: u64,
}

/// What a cell wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Requests kept in flight.
    pub requests: u32,
    /// Prompt tokens of each.
    pub context: u64,
    /// Output tokens of each in launch and window; for engines that reserve `max_tokens`, all of
    /// them.
    pub expected_output: u64,
    /// Longest output of each.
    pub max_output: u64,
    /// Whether the streams share one document, which lies in each rank's cache once.
    pub shared_context: bool,
}

/// A need that is too large, and what it was held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over {
    /// Tokens needed: of the fullest rank by `expected`, of the server by `reserve`.
    pub need_tokens: u64,
    /// Tokens there are, likewise.
    pub budget_tokens: u64,
}

/// Expected output tokens of one stream: its rate over launch, settling and window.
pub fn expected_output(tokens_per_s: f64, launch_settle_window_s: f64) -> u64 {
    float::round_to_u64((tokens_per_s * launch_settle_window_s).ceil())
}

/// Whether a cell is over capacity by a rule, and by how much.
pub fn over_capacity(rule: CapacityRule, need: &Need, budget: &Budget) -> Option<Over> {
    match rule {
        CapacityRule::Try => None,
        CapacityRule::Reserve => over_reserve(need, budget),
        CapacityRule::Expected => over_expected(need, budget),
    }
}

/// Whether a context leaves too little room for output. `max_length` is what one request may have,
/// prompt and output; with slots, one slot's share.
pub fn over_length(context: u64, max_length: u64) -> bool {
    context.saturating_add(LEAST_OUTPUT) > max_length
}

/// `C x (context + max output) > KV budget`.
fn over_reserve(need: &Need, budget: &Budget) -> Option<Over> {
    let each = need.context.saturating_add(need.max_output);
    let over = Over {
        need_tokens: u64::from(need.requests).saturating_mul(each),
        budget_tokens: budget
            .tokens_per_rank
            .saturating_mul(budget.ranks.max(1).into()),
    };
    (over.need_tokens > over.budget_tokens).then_some(over)
}

/// Stream i is on rank i mod R, so the first rank has the most streams.
fn over_expected(need: &Need, budget: &Budget) -> Option<Over> {
    let streams = u64::from(need.requests.div_ceil(budget.ranks.max(1)));
    let block = budget.block_tokens.max(1);
    let in_blocks = |tokens: u64| tokens.div_ceil(block).saturating_mul(block);
    let each = in_blocks(need.context.saturating_add(need.expected_output));
    let need_tokens = if need.shared_context {
        // One stream brings the document, the others only what is their own.
        let own = in_blocks(need.expected_output);
        each.saturating_add(own.saturating_mul(streams.saturating_sub(1)))
    } else {
        each.saturating_mul(streams)
    };
    let room = EXPECTED_SHARE * float::from_u64(budget.tokens_per_rank);
    (float::from_u64(need_tokens) > room).then_some(Over {
        need_tokens,
        budget_tokens: budget.tokens_per_rank,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget {
        tokens_per_rank: 100_000,
        ranks: 1,
        block_tokens: 16,
    };

    fn need(requests: u32, context: u64, expected_output: u64) -> Need {
        Need {
            requests,
            context,
            expected_output,
            max_output: 8_192,
            shared_context: false,
        }
    }

    fn over(need: &Need, budget: &Budget) -> Option<u64> {
        over_capacity(CapacityRule::Expected, need, budget).map(|over| over.need_tokens)
    }

    #[test]
    fn expected_rounds_every_stream_up_to_blocks() {
        // 24,241 tokens are 1,516 blocks of 16: 24,256 tokens, four times 97,024.
        assert_eq!(over(&need(4, 24_000, 241), &BUDGET), Some(97_024));
        assert_eq!(
            over(&need(4, 24_000, 240), &BUDGET),
            None,
            "96,960 of 97,000"
        );
        assert_eq!(over(&need(1, 97_000, 0), &BUDGET), Some(97_008));
        assert_eq!(over(&need(1, 96_992, 0), &BUDGET), None);
    }

    #[test]
    fn ranks_take_streams_in_turn() {
        let four = Budget { ranks: 4, ..BUDGET };
        assert_eq!(
            over(&need(8, 48_000, 0), &four),
            None,
            "two streams on each rank"
        );
        assert_eq!(
            over(&need(9, 48_000, 0), &four),
            Some(144_000),
            "three on the first"
        );
    }

    #[test]
    fn a_shared_document_counts_once() {
        let shared = Need {
            shared_context: true,
            ..need(8, 60_000, 1_600)
        };
        assert_eq!(over(&shared, &BUDGET), None, "60,000 and 8 x 1,600");
        let longer = Need {
            expected_output: 4_800,
            ..shared
        };
        assert_eq!(over(&longer, &BUDGET), Some(64_800 + 7 * 4_800));
    }

    #[test]
    fn try_leaves_nothing_out() {
        let huge = need(128, 1 << 40, 1 << 40);
        assert_eq!(over_capacity(CapacityRule::Try, &huge, &BUDGET), None);
        assert!(over_capacity(CapacityRule::Reserve, &huge, &BUDGET).is_some());
        assert!(over_capacity(CapacityRule::Expected, &huge, &BUDGET).is_some());
    }

    #[test]
    fn a_context_needs_room_for_some_output() {
        assert!(!over_length(8_192 - 256, 8_192));
        assert!(over_length(8_192 - 255, 8_192));
        assert!(over_length(u64::MAX, 8_192));
    }

    #[test]
    fn expected_output_is_rate_times_time() {
        assert_eq!(expected_output(50.0, 34.5), 1_725);
        assert_eq!(expected_output(0.1, 33.0), 4);
    }
}
