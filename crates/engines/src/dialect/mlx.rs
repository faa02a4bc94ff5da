//! mlx-lm.
//!
//! Nothing is told over HTTP but the list of models and, with an answer, the version. The cache of a
//! request grows until memory ends. Requests with a seed, or beside a draft model, run one at a time.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::adapter::{Adapter, Habits};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, FixedLength, Tri};
use crate::control::Control;
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::launch;
use crate::server::Server;

/// Requests that are decoded together unless the command line says otherwise.
const DECODE_CONCURRENCY: u64 = 32;

/// mlx-lm.
#[derive(Debug)]
pub(crate) struct MlxLm;

impl Adapter for MlxLm {
    /// Python's own HTTP server, and cards without an owner.
    fn recognises(&self, look: &FirstLook) -> bool {
        let header = look.server_header.as_deref().unwrap_or_default();
        let cards = look.cards.as_deref().unwrap_or_default();
        header.starts_with("BaseHTTP/")
            && !cards.is_empty()
            && cards.iter().all(|card| card.owned_by.is_none())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::No,
            fixed_length: FixedLength::Never,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            cached_tokens: Tri::Yes,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    /// A failed write ends the generation, so that leaving is noticed with the next token.
    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            queues_silently: true,
            advice: Advice {
                more_requests: "start mlx_lm.server with a larger `--decode-concurrency` and \
                                without `--draft-model`",
                longer_context: "",
                more_cache: "",
                show_gauges: "",
            },
            ..Habits::UNKNOWN
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        _control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        server.metrics = Some(false);
        server.budget_note = Some(
            "KV budget: mlx-lm's cache grows until memory ends; `--kv-budget` sets a limit"
                .to_owned(),
        );
        futures_util::future::ready(Ok(())).boxed()
    }

    /// `VERSION-MLX VERSION-PLATFORM-GPU`.
    fn learn_from_fingerprint(&self, server: &mut Server, fingerprint: &str) {
        let mut parts = fingerprint.split('-');
        let is_version = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
        if let Some(version) = parts.next().filter(is_version) {
            server.engine.version = Some(version.to_owned());
            server.engine.build = parts
                .next()
                .filter(is_version)
                .map(|mlx| format!("mlx {mlx}"));
        }
        server.engine.backend =
            Some("metal".to_owned()).filter(|_| fingerprint.contains("applegpu"));
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        if Dialect::of_program(arguments) != Some(Dialect::MlxLm) {
            return;
        }
        let drafts = launch::value(arguments, &["--draft-model"]).is_some();
        let asked = launch::number(arguments, &["--decode-concurrency"]);
        let at_once = if drafts {
            1
        } else {
            asked.unwrap_or(DECODE_CONCURRENCY)
        };
        server.engine.max_sequences = u32::try_from(at_once).ok();
    }
}
