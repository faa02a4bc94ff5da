//! mistral.rs.
//!
//! The first entry of its list is the word `default`, which stands for the loaded model. Blocks of
//! the cache are counted but their size is a flag, so that only its command line gives the budget.

use futures_util::future::BoxFuture;
use tokmark_run_format::TokenBudget;
use tokmark_units::{float, format};

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, TokenizeKind, Tri};
use crate::control::Control;
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::families::Families;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::launch;
use crate::model::ModelCard;
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

const PREFIX: &str = "mistralrs_";
const METRICS_OFF: &str = "server metrics: off (mistral.rs runs with --disable-metrics?)";
const BLOCKS: &str = "mistralrs_kv_cache_blocks_total";
/// Tokens of a block unless `--pa-block-size` says otherwise.
const BLOCK_TOKENS: u64 = 32;
/// The name in the list that stands for the loaded model.
const ALIAS: &str = "default";

const FAMILIES: Families = Families {
    prefix: PREFIX,
    present: PREFIX,
    absent: METRICS_OFF,
    running: &["mistralrs_sequences_running"],
    preemptions: &["mistralrs_paged_preemptions_total"],
    drafted: &["mistralrs_speculative_draft_tokens_proposed_total"],
    accepted: &["mistralrs_speculative_draft_tokens_accepted_total"],
    ttft: "mistralrs_time_to_first_token_seconds",
    ..Families::NONE
};

/// mistral.rs.
#[derive(Debug)]
pub(crate) struct MistralRs;

impl Adapter for MistralRs {
    fn recognises(&self, look: &FirstLook) -> bool {
        let first = look.cards.as_deref().and_then(<[ModelCard]>::first);
        look.has_metrics(PREFIX)
            || first
                .is_some_and(|card| card.id == ALIAS && card.owned_by.as_deref() == Some("local"))
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/v1/system/info",
            accepts: |answer| {
                answer
                    .json()
                    .is_some_and(|info| info.pointer("/build/git_revision").is_some())
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            // Chats tell their usage unasked, completions never.
            stream_usage: Tri::Unknown,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            tokenize: TokenizeKind::AnthropicCount,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            advice: Advice {
                more_requests: "start mistral.rs with a larger `--max-seqs`",
                longer_context: "start mistral.rs with a larger `--pa-context-len`",
                more_cache: "start mistral.rs with a larger `--pa-context-len` or \
                             `--pa-memory-fraction`, or a smaller `--pa-cache-type`",
                show_gauges: "start mistral.rs without `--disable-metrics`",
            },
            ..Habits::UNKNOWN
        }
    }

    /// The stand-in is a name of the one loaded model.
    fn models(&self, cards: Vec<ModelCard>) -> Vec<ModelCard> {
        let (stand_ins, mut real): (Vec<_>, Vec<_>) =
            cards.into_iter().partition(|card| card.id == ALIAS);
        match real.as_mut_slice() {
            [] => stand_ins,
            [only] => {
                only.aliases
                    .extend(stand_ins.into_iter().map(|card| card.id));
                real
            }
            // Which of them it stands for is not told: it can still be asked for.
            _ => real.into_iter().chain(stand_ins).collect(),
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        Box::pin(async move {
            let info = scrape::json(control, "/v1/system/info").await;
            let version = info
                .as_ref()
                .and_then(|info| info.pointer("/build/version")?.as_str());
            server.engine.version = version.map(str::to_owned);
            server.engine.kv_budget = None;
            let metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
            let shown = metrics.filter(|all| all.has_prefix(PREFIX));
            server.metrics = Some(shown.is_some());
            let count = |name: &str| {
                let reading = FAMILIES.reading(shown.as_ref()?, None).ok()?;
                let value = float::round_to_u64(reading.sum(&[name])?);
                (value > 0).then_some(value)
            };
            server.engine.max_sequences =
                count("mistralrs_sequences_capacity").and_then(|all| u32::try_from(all).ok());
            // The size of a block is missing; a command line may bring it.
            server.blocks = count(BLOCKS);
            server.budget_note = Some(match server.blocks {
                Some(blocks) => format!(
                    "KV budget: {} blocks, whose size (`--pa-block-size`, {BLOCK_TOKENS} unless \
                     given) mistral.rs does not tell; give `--kv-budget`",
                    format::count(blocks)
                ),
                None => "KV budget: without paged attention there is none to read; `--kv-budget` \
                         sets a limit"
                    .to_owned(),
            });
            Ok(())
        })
    }

    fn gauges<'a>(
        &'a self,
        _server: &'a Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        Box::pin(async move {
            Ok(match scrape::metrics(control, "/metrics").await {
                Ok(Some(exposition)) => read_gauges(&exposition),
                // Turned off, the route answers 503.
                Ok(None) | Err(GaugeError::Status { status: 503, .. }) => {
                    Gauges::nothing(METRICS_OFF)
                }
                Err(error) => return Err(error),
            })
        })
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        let engine = &mut server.engine;
        let quantization = launch::value(arguments, &["--isq"]).map(str::to_owned);
        engine.quantization = quantization.or(engine.quantization.take());
        let kv_type = launch::value(arguments, &["--pa-cache-type"]).map(str::to_owned);
        engine.kv_type = kv_type.or(engine.kv_type.take());
        let asked = launch::number(arguments, &["--pa-block-size"]);
        let block = asked.unwrap_or(BLOCK_TOKENS);
        let is_own = Dialect::of_program(arguments) == Some(Dialect::MistralRs);
        if let Some(blocks) = server.blocks.filter(|_| is_own || asked.is_some()) {
            let source = "metrics kv_cache_blocks_total x the command line's block size";
            let tokens = blocks.saturating_mul(block);
            engine.kv_budget = Some(TokenBudget::of_one(tokens, block, source));
            server.budget_note = None;
        }
    }
}

/// Prefix hits are counted in sequences and tokens of prefill and decode together: neither is read.
fn read_gauges(exposition: &Exposition) -> Gauges {
    let gauges = FAMILIES.read(exposition, None);
    let Ok(reading) = FAMILIES.reading(exposition, None) else {
        return gauges;
    };
    let queued = reading.sum(&["mistralrs_sequences_waiting"]);
    let pending = reading.sum(&["mistralrs_requests_pending_admission"]);
    let used = reading.sum(&["mistralrs_kv_cache_blocks_used"]);
    let all = reading.sum(&[BLOCKS]).filter(|blocks| *blocks > 0.0);
    let share = used.zip(all).map(|(used, all)| used / all);
    Gauges {
        waiting: queued.map(|queued| queued + pending.unwrap_or(0.0)),
        kv_use_mean: share,
        kv_use_max: share,
        ..gauges
    }
}
