//! `SGLang`'s own `/generate`: every chunk repeats the text so far.

use serde_json::Value;

use super::super::super::error::ApiError;
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Fields, Head, Shape, Speech, Step};
use super::super::openai;
use crate::model::Finish;
use crate::tokenizer::END;

/// `/generate`.
#[derive(Debug)]
pub(super) struct Native;

/// Names inside `sampling_params`, and those of the OpenAI routes for the same things.
const SAMPLING: &[(&str, &str)] = &[
    ("max_new_tokens", "max_tokens"),
    ("min_new_tokens", "min_tokens"),
    ("ignore_eos", "ignore_eos"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("sampling_seed", "seed"),
];

/// Output of a request that does not say how long it may be.
const UNSAID_TOKENS: u32 = 128;

impl Native {
    fn write(head: &Head, step: &Step<'_>, text: &str, ids: &[u32], out: &mut Object<'_>) {
        out.text("text", text);
        out.ids("output_ids", Some(ids));
        out.object("meta_info", |meta| {
            meta.text("id", &head.id);
            match step.finish {
                None => meta.null("finish_reason"),
                Some(finish) => meta.object("finish_reason", |reason| match finish {
                    Finish::Length => {
                        reason.text("type", "length");
                        reason.number("length", step.tally.completion);
                    }
                    Finish::Stop => {
                        reason.text("type", "stop");
                        reason.number("matched", END);
                    }
                    Finish::Abort => {
                        reason.text("type", "abort");
                        reason.text("message", "Aborted");
                    }
                }),
            }
            meta.number("prompt_tokens", step.tally.prompt);
            meta.text("weight_version", "default");
            meta.number("completion_tokens", step.tally.completion);
            meta.number("cached_tokens", step.tally.cached);
            if step.finish.is_some() {
                meta.float("e2e_latency", step.times.total().as_secs_f64());
            }
        });
    }
}

impl Shape for Native {
    fn speech(&self) -> Speech {
        Speech::Text
    }

    fn repeats(&self) -> bool {
        true
    }

    fn fields(&self, mut fields: Fields) -> Result<Fields, ApiError> {
        let prompt = fields.remove("text").or_else(|| fields.remove("input_ids"));
        if let Some(prompt) = prompt {
            fields.insert("prompt".to_owned(), prompt);
        }
        fields.insert("max_tokens".to_owned(), Value::from(UNSAID_TOKENS));
        if let Some(Value::Object(sampling)) = fields.remove("sampling_params") {
            for (own, name) in SAMPLING {
                if let Some(value) = sampling.get(*own) {
                    fields.insert((*name).to_owned(), value.clone());
                }
            }
        }
        Ok(fields)
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        chunks.tokens(|chunk| Self::write(head, step, step.so_far, &step.delta.ids, chunk));
        if step.finish.is_some() {
            chunks.done();
        }
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        openai::failure(chunks);
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        Self::write(head, step, &step.delta.content, &step.delta.ids, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_text_grows_and_meta_info_counts() {
        let (head, delta) = (check::head(), check::delta(" a"));
        assert_eq!(
            check::written(&Native, &head, &step(&delta, false, true)),
            [
                r#"{"text":"Once a","output_ids":[9],"meta_info":{"id":"x-1","finish_reason":{"type":"length","length":2},"prompt_tokens":51,"weight_version":"default","completion_tokens":2,"cached_tokens":50,"e2e_latency":0.006}}"#,
                "[DONE]",
            ]
        );
    }

    #[test]
    fn sampling_parameters_are_found_in_their_object() {
        let body =
            r#"{"input_ids":[1,2],"sampling_params":{"max_new_tokens":7,"ignore_eos":true}}"#;
        let fields = Native.fields(serde_json::from_str(body).unwrap()).unwrap();
        let text = serde_json::to_string(&fields).unwrap();
        for part in [
            r#""prompt":[1,2]"#,
            r#""max_tokens":7"#,
            r#""ignore_eos":true"#,
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
