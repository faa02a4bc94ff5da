//! MLC LLM.
//!
//! No limit is told over HTTP, and its metrics are sums without gauges, in a form that is not quite
//! Prometheus'. Started with `--enable-debug` it forces lengths and empties its cache.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::cache::{self, CacheReset};
use crate::capability::{Abort, Capabilities, FixedLength, Tri};
use crate::control::Control;
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::launch;
use crate::server::Server;

/// MLC LLM.
#[derive(Debug)]
pub(crate) struct Mlc;

impl Adapter for Mlc {
    fn recognises(&self, look: &FirstLook) -> bool {
        look.is_owned_by("MLC-LLM") || look.has_metrics("engine_prefill_time_sum")
    }

    /// Its metrics' labels are not quoted, so that they are looked at as text.
    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/metrics",
            accepts: |answer| {
                let text = String::from_utf8_lossy(&answer.body);
                text.starts_with('#') && text.contains("\nengine_decode_time_sum")
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Without `--enable-debug` the field is dropped.
            ignore_eos: Tri::Unknown,
            fixed_length: FixedLength::DebugConfig,
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            token_prompts: Tri::Yes,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            reset: Some(CacheReset {
                path: "/debug/reset_engine",
                names_model: true,
                judge: cache::success,
            }),
            queues_silently: true,
            advice: Advice {
                more_requests: "start mlc_llm with `--mode server`, or `--overrides \
                                max_num_sequence=N`",
                longer_context: "start mlc_llm with `--overrides context_window_size=N`",
                more_cache: "start mlc_llm with `--overrides max_total_seq_length=N`",
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
        let card = server.chosen.as_ref();
        server.engine.quantization = card.and_then(|card| quantization_in_name(&card.id));
        server.metrics = Some(false);
        server.budget_note =
            Some("KV budget: MLC LLM does not tell it; give it with `--kv-budget`".to_owned());
        futures_util::future::ready(Ok(())).boxed()
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        if Dialect::of_program(arguments) != Some(Dialect::Mlc) {
            return;
        }
        let overrides = launch::value(arguments, &["--overrides"]).unwrap_or_default();
        let number = |name: &str| {
            overrides
                .split(';')
                .filter_map(|pair| pair.split_once('='))
                .find(|(key, _)| key.trim() == name)
                .and_then(|(_, value)| launch::whole_number(value))
        };
        let by_mode = match launch::value(arguments, &["--mode"]) {
            // The mode that is taken when none is given.
            None | Some("local") => Some(4),
            Some("interactive") => Some(1),
            Some(_) => None,
        };
        let engine = &mut server.engine;
        engine.max_sequences = number("max_num_sequence")
            .or(by_mode)
            .and_then(|all| u32::try_from(all).ok());
        engine.max_length = number("context_window_size").or(engine.max_length);
        engine.kv_budget = number("max_total_seq_length").map(|tokens| {
            let source = "command line: max_total_seq_length";
            tokmark_run_format::TokenBudget::of_one(tokens, 1, source)
        });
        if engine.kv_budget.is_some() {
            server.budget_note = None;
        }
    }
}

/// `q4f16_1` in `Llama-3.2-1B-q4f16_1-MLC`.
fn quantization_in_name(name: &str) -> Option<String> {
    let is_one = |part: &&str| {
        let digits = part.strip_prefix('q').unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains(['f', 'b'])
    };
    name.split('-').find(is_one).map(str::to_owned)
}
