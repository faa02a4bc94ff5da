//! The contexts and levels of a run, and which cells a rule leaves out: methodology section 6.

use tokmark_measure::capacity::{self, Budget, Need};
use tokmark_run_format::CellStatus;
use tokmark_run_format::evidence::NotRun;
use tokmark_run_format::plan::CapacityRule;
use tokmark_run_format::server::{Engine, TokenBudget};
use tokmark_units::context::ContextEntry;
use tokmark_units::{Context, format};

use crate::settings::Settings;

const K: u64 = 1_024;
const DEFAULT_CONTEXTS: [u64; 5] = [0, 16 * K, 32 * K, 64 * K, 128 * K];
/// Output tokens that must fit behind the context for a cell to be worth running.
pub const LEAST_OUTPUT: u64 = 256;

/// The shape of a run's matrix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matrix {
    /// Decode contexts, rising.
    pub contexts: Vec<u64>,
    /// Prefill contexts, rising.
    pub prefill_contexts: Vec<u64>,
    /// Concurrency levels, rising.
    pub levels: Vec<u32>,
}

/// What the server can take, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits {
    /// Prompt and output tokens of one request.
    pub max_length: Option<u64>,
    /// KV cache.
    pub budget: Option<TokenBudget>,
    /// Most requests that the server ran at once.
    pub admission: Option<u32>,
}

impl Limits {
    /// Those that the server tells, with the person's own KV budget in place of the server's.
    pub fn of(engine: &Engine, kv_budget: Option<u64>) -> Self {
        let told = engine.kv_budget.clone();
        let budget = match kv_budget {
            None => told,
            Some(tokens) => {
                let ranks = told.as_ref().map_or(1, |known| known.ranks.max(1));
                Some(TokenBudget {
                    tokens,
                    tokens_per_rank: tokens / u64::from(ranks),
                    ranks,
                    block_tokens: told.as_ref().map_or(1, |known| known.block_tokens.max(1)),
                    source: "--kv-budget".to_owned(),
                })
            }
        };
        Self {
            max_length: engine.max_length,
            budget,
            admission: None,
        }
    }
}

/// Resolves the asked contexts and levels against the model's maximum length.
pub fn resolve(settings: &Settings, max_length: Option<u64>) -> Matrix {
    let longest = max_length.map(|length| length.saturating_sub(settings.max_output) / K * K);
    let fits = |context: &u64| longest.is_none_or(|most| *context <= most || *context == 0);
    let mut contexts: Vec<u64> = match &settings.contexts {
        Some(asked) => asked
            .iter()
            .filter_map(|entry| match entry {
                ContextEntry::Length(context) => Some(context.0),
                ContextEntry::Max => longest,
            })
            .collect(),
        None => DEFAULT_CONTEXTS
            .into_iter()
            .filter(fits)
            .chain(longest)
            .collect(),
    };
    contexts.sort_unstable();
    contexts.dedup();
    let mut prefill_contexts: Vec<u64> = match &settings.prefill_contexts {
        Some(asked) => asked.iter().map(|context| context.0).collect(),
        None => std::iter::once(8 * K)
            .filter(fits)
            .chain(contexts.iter().copied().filter(|context| *context > 0))
            .collect(),
    };
    prefill_contexts.sort_unstable();
    prefill_contexts.dedup();
    Matrix {
        contexts,
        prefill_contexts,
        levels: settings.requests.clone(),
    }
}

/// What one stream holds of the cache for its output: what it is expected to write, or, where the
/// engine sets the longest output aside, that (methodology sections 3 and 6).
pub fn held_output(expected: u64, reserves: bool, most: u64) -> u64 {
    // A request asks for 1.5 times the expected at most, up to a tenth more by its seed.
    let asked = expected.saturating_mul(33).div_ceil(20).max(LEAST_OUTPUT);
    let held = if reserves { asked } else { expected };
    held.min(most)
}

/// Why a cell is left out, or `None` when it runs. `expected_output` is what one stream is
/// expected to write in launch and window.
pub fn left_out(
    settings: &Settings,
    limits: &Limits,
    levels: &[u32],
    context: u64,
    requests: u32,
    expected_output: u64,
) -> Option<NotRun> {
    over_length(limits, context)
        .or_else(|| over_capacity(settings, limits, context, requests, expected_output))
        .or_else(|| over_admission(settings, limits, levels, requests))
}

/// Why a context cannot be prefilled at all.
pub fn over_length(limits: &Limits, context: u64) -> Option<NotRun> {
    let most = limits.max_length?;
    capacity::over_length(context, most).then(|| NotRun {
        status: CellStatus::OverLength,
        reason: format!(
            "{} prompt tokens and {LEAST_OUTPUT} output tokens are more than the {} that one request may have",
            format::count(context),
            format::count(most)
        ),
        need_tokens: None,
        budget_tokens: None,
        admission_limit: None,
    })
}

fn over_capacity(
    settings: &Settings,
    limits: &Limits,
    context: u64,
    requests: u32,
    expected_output: u64,
) -> Option<NotRun> {
    let budget = limits.budget.as_ref()?;
    let held = Budget {
        tokens_per_rank: budget.tokens_per_rank,
        ranks: budget.ranks.max(1),
        block_tokens: budget.block_tokens.max(1),
    };
    let need = Need {
        requests,
        context,
        expected_output,
        max_output: settings.max_output,
        shared_context: settings.shared_context,
    };
    let over = capacity::over_capacity(settings.capacity, &need, &held)?;
    let rule = match settings.capacity {
        CapacityRule::Reserve => "context and longest output reserved for every stream",
        CapacityRule::Expected | CapacityRule::Try => "prompts and expected output",
    };
    Some(NotRun {
        status: CellStatus::OverCapacity,
        reason: format!(
            "needs {} tokens of KV cache ({rule}); the server has {}",
            format::count(over.need_tokens),
            format::count(over.budget_tokens)
        ),
        need_tokens: Some(over.need_tokens),
        budget_tokens: Some(over.budget_tokens),
        admission_limit: None,
    })
}

/// The first level above the limit runs, as evidence of the queueing; larger ones do not.
fn over_admission(
    settings: &Settings,
    limits: &Limits,
    levels: &[u32],
    requests: u32,
) -> Option<NotRun> {
    let limit = limits.admission?;
    let first_above = levels.iter().copied().find(|level| *level > limit)?;
    let runs = requests <= first_above || settings.capacity == CapacityRule::Try;
    (!runs).then(|| NotRun {
        status: CellStatus::OverAdmission,
        reason: format!(
            "the server runs {} at once; {requests} would only lengthen its queue",
            requests_in_words(limit)
        ),
        need_tokens: None,
        budget_tokens: None,
        admission_limit: Some(limit),
    })
}

/// `1 request`, `21 requests`.
pub(crate) fn requests_in_words(count: u32) -> String {
    let noun = if count == 1 { "request" } else { "requests" };
    format!("{} {noun}", format::count(count.into()))
}

/// A context as tables name it.
pub fn label(context: u64) -> String {
    Context(context).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(contexts: Option<&str>) -> Settings {
        Settings {
            contexts: contexts.map(|list| tokmark_units::parse_context_list(list).unwrap()),
            ..Settings::default()
        }
    }

    #[test]
    fn defaults_are_thinned_to_what_the_model_takes() {
        let check = |max_length: Option<u64>, contexts: &[u64], prefill: &[u64]| {
            let matrix = resolve(&settings(None), max_length);
            assert_eq!(matrix.contexts, contexts, "{max_length:?}");
            assert_eq!(matrix.prefill_contexts, prefill, "{max_length:?}");
        };
        // The three example pages' contexts.
        check(
            Some(147_456),
            &[0, 16 * K, 32 * K, 64 * K, 128 * K, 136 * K],
            &[8 * K, 16 * K, 32 * K, 64 * K, 128 * K, 136 * K],
        );
        check(
            Some(57_344),
            &[0, 16 * K, 32 * K, 48 * K],
            &[8 * K, 16 * K, 32 * K, 48 * K],
        );
        check(Some(8_192), &[0], &[]);
        check(
            None,
            &DEFAULT_CONTEXTS,
            &[8 * K, 16 * K, 32 * K, 64 * K, 128 * K],
        );
    }

    #[test]
    fn asked_contexts_stay_even_when_they_do_not_fit() {
        let matrix = resolve(&settings(Some("0,64k,max")), Some(16_384));
        assert_eq!(matrix.contexts, [0, 8 * K, 64 * K]);
        let limits = Limits {
            max_length: Some(16_384),
            ..Limits::default()
        };
        let gone = left_out(&settings(None), &limits, &[1], 64 * K, 1, 0).unwrap();
        assert_eq!(gone.status, CellStatus::OverLength);
        assert!(left_out(&settings(None), &limits, &[1], 8 * K, 1, 0).is_none());
    }

    #[test]
    fn an_engine_that_reserves_holds_what_is_asked_of_it() {
        assert_eq!(held_output(1_000, false, 8_192), 1_000);
        assert_eq!(held_output(1_000, true, 8_192), 1_650);
        assert_eq!(held_output(10, true, 8_192), 256);
        assert_eq!(held_output(8_000, true, 8_192), 8_192);
    }

    #[test]
    fn one_level_above_the_admission_limit_runs() {
        let limits = Limits {
            admission: Some(21),
            ..Limits::default()
        };
        let levels = [1, 16, 32, 64];
        let status = |requests, rule| {
            let asked = Settings {
                capacity: rule,
                ..Settings::default()
            };
            left_out(&asked, &limits, &levels, 0, requests, 0).map(|gone| gone.status)
        };
        assert_eq!(status(16, CapacityRule::Expected), None);
        assert_eq!(status(32, CapacityRule::Expected), None);
        assert_eq!(
            status(64, CapacityRule::Expected),
            Some(CellStatus::OverAdmission)
        );
        assert_eq!(status(64, CapacityRule::Try), None);
    }
}
