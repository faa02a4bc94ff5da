//! The strict rule against three published matrices: it must leave out what they left out.

use tokmark_measure::capacity::{Budget, Need, over_capacity};
use tokmark_run_format::CapacityRule;

const K: u64 = 1_024;
const LEVELS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const MAX_OUTPUT: u64 = 8_192;

/// A matrix: the interval of KV budgets that its left-out cells imply, and for each context the
/// largest level that was run.
struct Example {
    budgets: (u64, u64),
    rows: &'static [(u64, u32)],
}

const EXAMPLES: [Example; 3] = [
    Example {
        budgets: (147_456, 163_840),
        rows: &[
            (0, 16),
            (16 * K, 4),
            (32 * K, 2),
            (64 * K, 2),
            (128 * K, 1),
            (136 * K, 1),
        ],
    },
    Example {
        budgets: (589_824, 655_360),
        rows: &[
            (0, 64),
            (16 * K, 16),
            (32 * K, 8),
            (64 * K, 8),
            (128 * K, 4),
            (248 * K, 2),
        ],
    },
    Example {
        budgets: (57_344, 65_536),
        rows: &[(0, 4), (16 * K, 2), (32 * K, 1), (48 * K, 1)],
    },
];

fn is_over(context: u64, requests: u32, budget: u64) -> bool {
    let need = Need {
        requests,
        context,
        expected_output: 1_000,
        max_output: MAX_OUTPUT,
        shared_context: false,
    };
    let budget = Budget {
        tokens_per_rank: budget,
        ranks: 1,
        block_tokens: 16,
    };
    over_capacity(CapacityRule::Reserve, &need, &budget).is_some()
}

#[test]
fn reserve_reproduces_all_128_cells() {
    let mut cells = 0;
    for Example { budgets, rows } in &EXAMPLES {
        for budget in [budgets.0, budgets.0.midpoint(budgets.1), budgets.1 - 1] {
            for (context, most) in *rows {
                for requests in LEVELS {
                    let left_out = requests > *most;
                    let found = is_over(*context, requests, budget);
                    assert_eq!(found, left_out, "{context} x {requests} of {budget}");
                }
            }
        }
        cells += rows.len() * LEVELS.len();
    }
    assert_eq!(cells, 128);
}

/// Just outside its interval each budget gives another matrix: the intervals are as tight as said.
#[test]
fn the_budgets_are_bounded_by_the_cells() {
    for Example { budgets, rows } in &EXAMPLES {
        for budget in [budgets.0 - 1, budgets.1] {
            let same = rows.iter().all(|(context, most)| {
                LEVELS
                    .iter()
                    .all(|level| is_over(*context, *level, budget) == (level > most))
            });
            assert!(!same, "{budget}");
        }
    }
}

/// What the default rule wins back: outputs that are really written instead of the longest ones.
#[test]
fn expected_runs_what_fits() {
    let budget = Budget {
        tokens_per_rank: 150_000,
        ranks: 1,
        block_tokens: 16,
    };
    let need = |requests, context| Need {
        requests,
        context,
        expected_output: 2_000,
        max_output: MAX_OUTPUT,
        shared_context: false,
    };
    let over = |rule, requests, context| over_capacity(rule, &need(requests, context), &budget);
    for (requests, context) in [(32, 0), (64, 0), (4, 32 * K), (1, 136 * K)] {
        assert_eq!(
            over(CapacityRule::Expected, requests, context),
            None,
            "{context} x {requests}"
        );
    }
    assert!(over(CapacityRule::Reserve, 32, 0).is_some());
    assert!(over(CapacityRule::Expected, 128, 0).is_some());
}
