//! Hugging Face's `transformers serve`.
//!
//! It tells neither its version nor any limit, and lists the models of its cache folder rather than
//! the one that it was started for. Unless started with `--continuous-batching` it runs one request
//! after the other. It has no metrics, and no cache of prompts.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::adapter::{Adapter, Habits, Proof};
use crate::advice::Advice;
use crate::capability::{Abort, Capabilities, FixedLength, Tri};
use crate::control::Control;
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::launch;
use crate::model::ModelCard;
use crate::server::Server;

/// Options without a value; every other one is followed by its value, or has it behind `=`.
const SWITCHES: [&str; 6] = [
    "--continuous-batching",
    "--compile",
    "--trust-remote-code",
    "--cb-use-cuda-graph",
    "--enable-cors",
    "--non-blocking",
];

/// `transformers serve`.
#[derive(Debug)]
pub(crate) struct Transformers;

impl Adapter for Transformers {
    /// Its list of models is one of uvicorn's many.
    fn recognises(&self, _look: &FirstLook) -> bool {
        false
    }

    fn proof(&self) -> Option<Proof> {
        Some(Proof {
            path: "/openapi.json",
            accepts: |answer| {
                answer.json().is_some_and(|api| {
                    let has =
                        |path: &str| api.get("paths").and_then(|paths| paths.get(path)).is_some();
                    has("/load_model") && has("/reset") && has("/v1/chat/completions")
                })
            },
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ignore_eos: Tri::Yes,
            fixed_length: FixedLength::GenerationConfig,
            // `stream_options` is taken and not read: usage stands beside the finish reason anyway.
            stream_usage: Tri::Yes,
            continuous_usage: Tri::No,
            timings_per_token: Tri::No,
            return_token_ids: Tri::No,
            token_prompts: Tri::No,
            ..Capabilities::default()
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            abort: Abort::CloseConnection,
            lists_some: true,
            queues_silently: true,
            advice: Advice {
                more_requests: "start `transformers serve` with `--continuous-batching`",
                longer_context: "",
                more_cache: "start `transformers serve` with a larger `--cb-num-blocks` or \
                             `--cb-max-memory-percent`",
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
            "KV budget: `transformers serve` does not tell it; give it with `--kv-budget`"
                .to_owned(),
        );
        futures_util::future::ready(Ok(())).boxed()
    }

    fn learn_from_launch(&self, server: &mut Server, arguments: &[String]) {
        if Dialect::of_program(arguments) != Some(Dialect::Transformers) {
            return;
        }
        if let Some(pinned) = pinned_model(arguments) {
            server.serves_only(ModelCard {
                id: pinned.to_owned(),
                ..ModelCard::default()
            });
        }
        let engine = &mut server.engine;
        if !launch::has(arguments, &["--continuous-batching"]) {
            engine.max_sequences = Some(1);
        }
        let word = |names: &[&str]| launch::value(arguments, names).filter(|word| *word != "auto");
        let quantization = word(&["--quantization"]).or_else(|| word(&["--dtype"]));
        engine.quantization = quantization.map(str::to_owned);
        engine.backend = word(&["--device"]).map(|device| {
            let kind = device.split(':').next().unwrap_or(device);
            kind.to_owned()
        });
    }
}

/// The model that the server was started for: the argument behind `serve` that is no option's.
/// Requests for another are refused.
fn pinned_model(arguments: &[String]) -> Option<&str> {
    let mut rest = arguments.iter().skip_while(|word| *word != "serve").skip(1);
    while let Some(word) = rest.next() {
        if !word.starts_with("--") {
            return Some(word);
        }
        let is_switch = SWITCHES.contains(&word.as_str()) || word.starts_with("--no-");
        if !is_switch && !word.contains('=') {
            rest.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_what_belongs_to_no_option() {
        let check = |line: &str, expect: Option<&str>| {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            assert_eq!(pinned_model(&arguments), expect, "{line}");
        };
        check("transformers serve", None);
        check("transformers serve acme/dolphin", Some("acme/dolphin"));
        check(
            "python3 /env/bin/transformers serve --port 8000 --device=cpu --compile /models/tiny",
            Some("/models/tiny"),
        );
        check("transformers serve m --continuous-batching", Some("m"));
        check("transformers serve --no-cb-use-cuda-graph m", Some("m"));
        check("transformers serve --host 0.0.0.0 --dtype bfloat16", None);
    }
}
