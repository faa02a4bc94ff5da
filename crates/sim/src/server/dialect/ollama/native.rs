//! Ollama's own `/api/chat` and `/api/generate`.

use serde_json::Value;
use tokmark_units::Nanos;

use super::super::super::error::{ApiError, Refused};
use super::super::super::json::Object;
use super::super::super::shape::{Chunks, Fields, Framing, Head, Shape, Speech, Step};
use super::super::super::stamp;
use super::words;

/// One of the two routes.
#[derive(Debug)]
pub(super) struct Native(pub(super) Speech);

impl Native {
    fn write(&self, head: &Head, step: &Step<'_>, last: bool, text: bool, out: &mut Object<'_>) {
        let content = if text {
            step.delta.content.as_str()
        } else {
            ""
        };
        let thought = step.delta.thought().filter(|_| text);
        out.text("model", &head.model);
        out.text("created_at", &stamp::utc(head.created));
        match self.0 {
            Speech::Chat => out.object("message", |message| {
                message.text("role", "assistant");
                message.text("content", content);
                if let Some(thought) = thought {
                    message.text("thinking", thought);
                }
            }),
            Speech::Text => {
                out.text("response", content);
                if let Some(thought) = thought {
                    out.text("thinking", thought);
                }
            }
        }
        out.flag("done", last);
        if let Some(finish) = step.finish_word().filter(|_| last) {
            out.text("done_reason", finish);
            out.number("total_duration", ns(step.times.total()));
            out.number("load_duration", ns(step.times.queue()));
            // Cached tokens are among these, too, so that count and duration overstate the prefill.
            out.number("prompt_eval_count", step.tally.prompt);
            out.number("prompt_eval_duration", ns(step.times.prompt()));
            out.number("eval_count", step.tally.completion);
            out.number("eval_duration", ns(step.times.decode()));
        }
    }
}

fn ns(span: Nanos) -> u64 {
    span.0
}

impl Shape for Native {
    fn speech(&self) -> Speech {
        self.0
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn stream_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    /// Streams unless told not to; the sampling is in `options`.
    fn fields(&self, mut fields: Fields) -> Result<Fields, ApiError> {
        fields.entry("stream").or_insert(Value::Bool(true));
        if let Some(Value::Object(options)) = fields.remove("options") {
            for (own, name) in [
                ("num_predict", "max_tokens"),
                ("temperature", "temperature"),
                ("seed", "seed"),
                ("top_p", "top_p"),
            ] {
                if let Some(value) = options.get(own) {
                    fields.insert(name.to_owned(), value.clone());
                }
            }
        }
        Ok(fields)
    }

    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks) {
        if !step.delta.is_silent() {
            chunks.tokens(|chunk| self.write(head, step, false, true, chunk));
        }
        if step.finish.is_some() {
            chunks.aside(|chunk| self.write(head, step, true, false, chunk));
        }
    }

    fn failure(&self, _head: &Head, chunks: &mut Chunks) {
        chunks
            .aside(|chunk| chunk.text("error", "an error was encountered while running the model"));
    }

    fn error(&self, error: &ApiError) -> Option<Refused> {
        let body = serde_json::json!({"error": words(error)});
        Some(Refused::json(error.status(), &body))
    }

    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>) {
        self.write(head, step, true, true, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::check::{self, step};
    use super::*;

    #[test]
    fn the_last_line_has_counts_and_nanoseconds() {
        let (head, delta) = (check::head(), check::delta(" a"));
        assert_eq!(
            check::written(&Native(Speech::Chat), &head, &step(&delta, false, true)),
            [
                r#"{"model":"m","created_at":"1970-01-01T00:00:07Z","message":{"role":"assistant","content":" a"},"done":false}"#,
                r#"{"model":"m","created_at":"1970-01-01T00:00:07Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"length","total_duration":6000000,"load_duration":1000000,"prompt_eval_count":51,"prompt_eval_duration":3000000,"eval_count":2,"eval_duration":2000000}"#,
            ]
        );
        let text = check::written(&Native(Speech::Text), &head, &step(&delta, true, false));
        assert_eq!(
            text,
            [r#"{"model":"m","created_at":"1970-01-01T00:00:07Z","response":" a","done":false}"#]
        );
    }
}
