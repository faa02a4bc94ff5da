//! TGI's own `/generate` and `/generate_stream`.

use serde_json::Value;

use super::super::super::error::ApiError;
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Fields, Head, Shape, Speech, Step};
use super::chunk::figures;
use super::{kind, words};
use crate::model::Finish;
use crate::tokenizer::END;

/// One of the two routes: the path, not the body, says whether the answer is a stream.
#[derive(Debug)]
pub(super) struct Native {
    pub(super) streams: bool,
}

/// The reasons in the words of this route.
fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Stop | Finish::Abort => "eos_token",
    }
}

fn error(message: &str, kind: &str, chunks: &mut Chunks) {
    chunks.aside(|chunk| {
        chunk.text("error", message);
        chunk.text("error_type", kind);
    });
}

impl Shape for Native {
    fn speech(&self) -> Speech {
        Speech::Text
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn repeats(&self) -> bool {
        true
    }

    fn fields(&self, mut fields: Fields) -> Result<Fields, ApiError> {
        if let Some(prompt) = fields.remove("inputs") {
            fields.insert("prompt".to_owned(), prompt);
        }
        if let Some(Value::Object(parameters)) = fields.remove("parameters") {
            for (own, name) in [
                ("max_new_tokens", "max_tokens"),
                ("temperature", "temperature"),
                ("seed", "seed"),
                ("top_p", "top_p"),
            ] {
                if let Some(value) = parameters.get(own) {
                    fields.insert(name.to_owned(), value.clone());
                }
            }
        }
        fields.insert("stream".to_owned(), Value::Bool(self.streams));
        Ok(fields)
    }

    fn step(&self, _head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        let id = step.delta.ids.last().copied().unwrap_or(END);
        chunks.tokens(|chunk| {
            chunk.number("index", step.tally.completion);
            chunk.object("token", |token| {
                token.number("id", id);
                token.text("text", &step.delta.content);
                token.float("logprob", 0.0);
                token.flag("special", id == END);
            });
            match step.finish {
                None => {
                    chunk.null("generated_text");
                    chunk.null("details");
                }
                Some(finish) => {
                    chunk.text("generated_text", step.so_far);
                    chunk.object("details", |details| {
                        details.text("finish_reason", reason(finish));
                        details.number("generated_tokens", step.tally.completion);
                        details.null("seed");
                        details.number("input_length", step.tally.prompt);
                    });
                }
            }
        });
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        error("Request failed during generation", "generation", chunks);
    }

    fn refusal(&self, refused: &ApiError, chunks: &mut Chunks) -> bool {
        let told = !matches!(refused, ApiError::Json { .. } | ApiError::Field { .. });
        if told {
            error(&words(refused), kind(refused), chunks);
        }
        told
    }

    fn headers(&self, step: &Step<'_>) -> Vec<(&'static str, String)> {
        figures(step)
    }

    fn whole(&self, _head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        out.text("generated_text", &step.delta.content);
        out.object("details", |details| {
            details.text("finish_reason", step.finish.map_or("length", reason));
            details.number("generated_tokens", step.tally.completion);
            details.null("seed");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_last_event_has_the_text_and_no_end_mark_follows() {
        let (head, delta) = (check::head(), check::delta(" a"));
        assert_eq!(
            check::written(&Native { streams: true }, &head, &step(&delta, false, true)),
            [
                r#"{"index":2,"token":{"id":9,"text":" a","logprob":0.0,"special":false},"generated_text":"Once a","details":{"finish_reason":"length","generated_tokens":2,"seed":null,"input_length":51}}"#
            ]
        );
    }
}
