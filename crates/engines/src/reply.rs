//! What one small streamed answer shows about the server.

use serde_json::Value;
use tokmark_units::float::len_u64;

/// The events of a streamed answer, or the single object of an answer that was not streamed.
#[derive(Debug)]
pub(crate) enum Reply {
    Stream(Vec<Value>),
    Whole(Value),
}

impl Reply {
    /// Reads the body of a successful answer; `None` when it is neither events nor an object.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        if let Ok(whole @ Value::Object(_)) = serde_json::from_slice(body) {
            return Some(Self::Whole(whole));
        }
        let text = std::str::from_utf8(body).ok()?;
        let events: Vec<Value> = text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect();
        (!events.is_empty()).then_some(Self::Stream(events))
    }

    fn events(&self) -> &[Value] {
        match self {
            Self::Stream(events) => events,
            Self::Whole(whole) => std::slice::from_ref(whole),
        }
    }

    /// The text of an error that came with status 200, as several servers send it.
    pub(crate) fn error(&self) -> Option<String> {
        self.events()
            .iter()
            .find_map(|event| event.get("error").filter(|error| !error.is_null()))
            .map(Value::to_string)
    }
}

/// What was seen in a reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Events with text that are not the last of their choice.
    pub(crate) running_events: u64,
    /// Those of them that carry a running token count.
    pub(crate) with_usage: u64,
    /// Those of them that carry the server's timings.
    pub(crate) with_timings: u64,
    /// Those of them that carry token ids.
    pub(crate) with_token_ids: u64,
    /// `usage.prompt_tokens`.
    pub(crate) prompt_tokens: Option<u64>,
    /// `usage.completion_tokens`.
    pub(crate) completion_tokens: Option<u64>,
    /// Whether cached prompt tokens are told, be it zero.
    pub(crate) tells_cached: bool,
    /// Why generation ended.
    pub(crate) finish: Option<String>,
    /// What the server calls its build.
    pub(crate) fingerprint: Option<String>,
}

impl Seen {
    pub(crate) fn of(reply: &Reply) -> Self {
        let mut seen = Self::default();
        for event in reply.events() {
            seen.take(event);
        }
        seen
    }

    fn take(&mut self, event: &Value) {
        let count = |path: &str| event.pointer(path).and_then(Value::as_u64);
        let choice = event.pointer("/choices/0");
        let finish = choice
            .and_then(|choice| choice.get("finish_reason"))
            .and_then(Value::as_str);
        let completion = count("/usage/completion_tokens");
        if finish.is_none() && choice.is_some_and(has_text) {
            self.running_events += 1;
            // A usage of zero beside text is a placeholder, not a count.
            self.with_usage += u64::from(completion.is_some_and(|tokens| tokens > 0));
            self.with_timings += u64::from(count("/timings/predicted_n").is_some_and(|n| n > 0));
            // `LMDeploy` has its own name for them.
            let ids = ["/choices/0/token_ids", "/choices/0/output_ids"]
                .iter()
                .find_map(|path| event.pointer(path)?.as_array())
                .map_or(0, |ids| len_u64(ids.len()));
            self.with_token_ids += u64::from(ids > 0);
        }
        let fingerprint = event.get("system_fingerprint").and_then(Value::as_str);
        self.fingerprint = fingerprint.map(str::to_owned).or(self.fingerprint.take());
        self.finish = finish.map(str::to_owned).or(self.finish.take());
        self.prompt_tokens = count("/usage/prompt_tokens").or(self.prompt_tokens);
        self.completion_tokens = completion.or(self.completion_tokens);
        self.tells_cached |= count("/usage/prompt_tokens_details/cached_tokens").is_some()
            || count("/timings/cache_n").is_some();
    }
}

fn has_text(choice: &Value) -> bool {
    [
        "/delta/content",
        "/delta/reasoning_content",
        "/delta/reasoning",
        "/text",
    ]
    .iter()
    .filter_map(|path| choice.pointer(path))
    .any(|text| text.as_str().is_some_and(|text| !text.is_empty()))
}
