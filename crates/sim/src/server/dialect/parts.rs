//! Parts that several servers write alike.

use super::super::json::Object;
use super::super::shape::{Head, Speech, Tally};

/// The first four members of most chunks: id, object, time, model.
pub(super) fn chunk_head(head: &Head, speech: Speech, chunk: &mut Object<'_>) {
    let object = match speech {
        Speech::Chat => "chat.completion.chunk",
        Speech::Text => "text_completion",
    };
    named_head(head, object, chunk);
}

/// The first four members of most whole answers.
pub(super) fn whole_head(head: &Head, speech: Speech, answer: &mut Object<'_>) {
    let object = match speech {
        Speech::Chat => "chat.completion",
        Speech::Text => "text_completion",
    };
    named_head(head, object, answer);
}

/// Id, object, time, model.
pub(super) fn named_head(head: &Head, object: &str, chunk: &mut Object<'_>) {
    chunk.text("id", &head.id);
    chunk.text("object", object);
    chunk.number("created", head.created);
    chunk.text("model", &head.model);
}

/// The three counts in `OpenAI`'s order.
pub(super) fn counts(tally: Tally, usage: &mut Object<'_>) {
    usage.number("prompt_tokens", tally.prompt);
    usage.number("completion_tokens", tally.completion);
    usage.number("total_tokens", tally.total());
}

/// The three counts in the order of vLLM and `SGLang`.
pub(super) fn counts_total_second(tally: Tally, usage: &mut Object<'_>) {
    usage.number("prompt_tokens", tally.prompt);
    usage.number("total_tokens", tally.total());
    usage.number("completion_tokens", tally.completion);
}

/// `prompt_tokens_details` with the cached tokens.
pub(super) fn cached(cached: u32, usage: &mut Object<'_>) {
    usage.object("prompt_tokens_details", |details| {
        details.number("cached_tokens", cached);
    });
}
