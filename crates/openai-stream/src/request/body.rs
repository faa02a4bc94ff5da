//! A request's JSON body.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Endpoint, Message, Prompt, RequestSpec};

impl RequestSpec {
    /// The JSON body. The order of its members is fixed, so that equal requests have equal bytes.
    pub fn body(&self) -> Vec<u8> {
        // Writing maps with string keys, numbers and text into memory has no way to fail.
        serde_json::to_vec(&Body(self)).unwrap_or_default()
    }

    fn asks_usage(&self) -> bool {
        self.include_usage || self.continuous_usage
    }

    /// JSON has no NaN and no infinity.
    fn temperature(&self) -> Option<f64> {
        self.sampling.temperature.filter(|value| value.is_finite())
    }

    fn top_p(&self) -> Option<f64> {
        self.sampling.top_p.filter(|value| value.is_finite())
    }
}

struct Body<'a>(&'a RequestSpec);

/// Writes members that no extra one replaces.
struct Members<'a, M> {
    map: M,
    spec: &'a RequestSpec,
}

impl<M: SerializeMap> Members<'_, M> {
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), M::Error> {
        if self.spec.extra.contains_key(name) {
            return Ok(());
        }
        self.map.serialize_entry(name, value)
    }

    fn put_some<T: Serialize>(&mut self, name: &str, value: Option<T>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(name, &value))
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.0;
        let mut members = Members {
            map: serializer.serialize_map(None)?,
            spec,
        };
        members.put("model", &spec.model)?;
        match (&spec.prompt, spec.endpoint) {
            (Prompt::Messages(messages), _) => members.put("messages", &Chat(messages))?,
            (Prompt::Text(text), Endpoint::Chat) => {
                members.put("messages", &[Line("user", text)])?;
            }
            (Prompt::Text(text), Endpoint::Completions) => members.put("prompt", text)?,
            (Prompt::TokenIds(ids), _) => members.put("prompt", ids)?,
        }
        members.put(spec.limit_field.as_str(), &spec.max_tokens)?;
        members.put_some("temperature", spec.temperature())?;
        members.put_some("top_p", spec.top_p())?;
        members.put_some("seed", spec.sampling.seed)?;
        members.put("stream", &true)?;
        if spec.asks_usage() {
            members.put("stream_options", &StreamOptions(spec))?;
        }
        members.put_some("ignore_eos", spec.ignore_eos.then_some(true))?;
        members.put_some("min_tokens", spec.min_tokens)?;
        members.put_some("timings_per_token", spec.timings_per_token.then_some(true))?;
        members.put_some("return_token_ids", spec.return_token_ids.then_some(true))?;
        let mut map = members.map;
        for (name, value) in &spec.extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct Chat<'a>(&'a [Message]);

impl Serialize for Chat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for message in self.0 {
            seq.serialize_element(&Line(message.role.as_str(), &message.content))?;
        }
        seq.end()
    }
}

struct Line<'a>(&'a str, &'a str);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", self.0)?;
        map.serialize_entry("content", self.1)?;
        map.end()
    }
}

struct StreamOptions<'a>(&'a RequestSpec);

impl Serialize for StreamOptions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("include_usage", &true)?;
        if self.0.continuous_usage {
            map.serialize_entry("continuous_usage_stats", &true)?;
        }
        map.end()
    }
}
