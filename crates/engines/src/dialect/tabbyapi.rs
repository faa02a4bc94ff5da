//! `TabbyAPI`.
//!
//! `/v1/model` tells length, cache and batch of the loaded model. There are no gauges and no real
//! version. `ignore_eos` is accepted and does nothing; a least length does.

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokmark_run_format::TokenBudget;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, FixedLength, TokenizeKind, Tri};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::scrape;
use crate::server::Server;

/// The cache is handed out in pages of so many tokens.
const PAGE: u64 = 256;

/// `TabbyAPI`.
#[derive(Debug)]
pub(crate) struct TabbyApi;

impl Adapter for TabbyApi {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("tabbyAPI")
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/.well-known/serviceinfo",
            accepts: |answer| {
                let name =
                    |info: &Value| info.pointer("/software/name")?.as_str().map(str::to_owned);
                answer
                    .json()
                    .is_some_and(|info| name(&info).as_deref() == Some("TabbyAPI"))
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            fixed_length: FixedLength::LeastTokens("min_tokens"),
            // It would end answers that repeat themselves.
            constants: &[("loop_detect_window", 0)],
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            tokenize: TokenizeKind::TabbyEncode,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            advice: Advice {
                more_requests: "set a larger `model.max_batch_size` in TabbyAPI's config.yml",
                longer_context: "set a larger `model.max_seq_len` in TabbyAPI's config.yml",
                more_cache: "set a larger `model.cache_size`, or a smaller `model.cache_mode`, in \
                             TabbyAPI's config.yml",
                show_gauges: "",
            },
            ..Habits::UNKNOWN
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        Box::pin(async move {
            // `/version` is no route of its own: whatever answered there is not its version.
            server.engine.version = None;
            server.metrics = Some(false);
            server.engine.kv_budget = None;
            let model = scrape::json(control, "/v1/model").await;
            let parameters = model.as_ref().and_then(|model| model.get("parameters"));
            let number = |key: &str| parameters?.get(key)?.as_u64().filter(|n| *n > 0);
            server.engine.max_length = number("max_seq_len");
            server.engine.max_sequences =
                number("max_batch_size").and_then(|most| u32::try_from(most).ok());
            server.engine.kv_type = parameters
                .and_then(|all| all.get("cache_mode")?.as_str())
                .map(str::to_owned);
            match number("cache_size") {
                Some(tokens) => {
                    let source = "v1/model cache_size";
                    server.engine.kv_budget = Some(TokenBudget::of_one(tokens, PAGE, source));
                }
                None => {
                    server.budget_note = Some(
                        "KV budget: `/v1/model` does not tell it; give `--kv-budget`".to_owned(),
                    );
                }
            }
            Ok(())
        })
    }
}
