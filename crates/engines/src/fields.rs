//! Learning what a server accepts from one tiny request (cases B010, B029, B068, B070).
//!
//! The request carries every optional field that the server may know. A refusal that names a field
//! drops that field; one that names none is isolated by going back to a bare request and adding the
//! fields one at a time. What came back in the accepted stream settles the rest.

use std::time::Duration;

use http::StatusCode;
use tokmark_run_format::Model;

use crate::answer::{Answer, shown};
use crate::capability::{Capabilities, Endpoint, LimitField, TokenizeKind, Tri};
use crate::control::{Control, ControlError, Limits, MAX_ANSWER_BYTES};
use crate::refusal::{self, Field, Named};
use crate::reply::{Reply, Seen};
use crate::tokens::{self, CountError};

/// Tokens that the probe asks for.
const PROBE_TOKENS: u64 = 4;

/// A server may load its model on the first request.
const LIMITS: Limits = Limits {
    time: Duration::from_mins(2),
    bytes: MAX_ANSWER_BYTES,
};

/// A model that may stop, stops before four tokens here: that shows whether `ignore_eos` works.
const PROBE_TEXT: &str = "Answer with the single word OK.";

/// Why the probe came to no result.
#[derive(Debug, thiserror::Error)]
pub enum FieldsError {
    /// The request failed.
    #[error("the probe request failed")]
    Control(#[from] ControlError),
    /// Even a request without any optional field is refused.
    #[error("`{path}` refuses a plain request: {status} `{shown}`")]
    Refused {
        /// Which route.
        path: &'static str,
        /// HTTP status; 200 for an error inside the stream.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
    /// The server wants a key, or another one.
    #[error("authentication failed: `{path}` answers {status} `{shown}`")]
    Unauthorized {
        /// Which route.
        path: &'static str,
        /// 401 or 403.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
    /// The address leads elsewhere.
    #[error("`{path}` redirects to `{to}`: use that address")]
    Redirected {
        /// Which route.
        path: &'static str,
        /// Where to.
        to: String,
    },
    /// A successful answer that is neither events nor JSON.
    #[error("`{path}` answers no event stream but `{shown}`")]
    NotAnEventStream {
        /// Which route.
        path: &'static str,
        /// First characters of the answer.
        shown: String,
    },
}

/// One attempt's outcome, apart from those that end the probe.
enum Outcome {
    Accepted(Reply),
    Refused(Refusal),
}

/// A request that was refused.
struct Refusal {
    /// HTTP status; 200 for an error inside the stream.
    status: u16,
    /// The answer's body or the error's text, without secrets.
    text: String,
}

impl Refusal {
    fn of(answer: &Answer) -> Self {
        Self {
            status: answer.status.as_u16(),
            text: String::from_utf8_lossy(&answer.safe_body()).into_owned(),
        }
    }
}

/// The state of the negotiation.
struct Trial<'a> {
    control: &'a Control,
    model: &'a str,
    endpoint: Endpoint,
    fields: Vec<Field>,
    limit: LimitField,
    dropped: Vec<String>,
}

/// What the server accepts, and the `system_fingerprint` of its answer.
pub(crate) async fn probe(
    control: &Control,
    known: &Capabilities,
    model: &Model,
    endpoint: Endpoint,
) -> Result<(Capabilities, Option<String>), FieldsError> {
    let mut trial = Trial {
        control,
        model: &model.served_name,
        endpoint,
        fields: Field::wanted(known),
        limit: LimitField::default(),
        dropped: Vec::new(),
    };
    let reply = trial.negotiate().await?;
    let seen = Seen::of(&reply);
    let mut learned = learn(known, &trial, &reply);
    check_tokenize(control, model, endpoint, seen.prompt_tokens, &mut learned).await;
    Ok((learned, seen.fingerprint))
}

impl Trial<'_> {
    /// Sends until something is accepted; every turn drops or renames at least one field.
    async fn negotiate(&mut self) -> Result<Reply, FieldsError> {
        loop {
            let refusal = match self.attempt().await? {
                Outcome::Accepted(reply) => return Ok(reply),
                Outcome::Refused(refusal) => refusal,
            };
            match refusal::named_in(&self.fields, self.limit, &refusal.text) {
                Some(Named::Field(field)) => self.drop_field(field),
                Some(Named::Limit) if self.can_rename_limit() => self.rename_limit(),
                _ if self.fields.is_empty() => return Err(self.refused(&refusal)),
                _ => return self.isolate().await,
            }
        }
    }

    /// Finds the refused fields when the server does not name them.
    async fn isolate(&mut self) -> Result<Reply, FieldsError> {
        let wanted = std::mem::take(&mut self.fields);
        let mut accepted = match self.attempt().await? {
            Outcome::Accepted(reply) => reply,
            Outcome::Refused(refusal) => return Err(self.refused(&refusal)),
        };
        for field in wanted {
            let pointless =
                field == Field::ContinuousUsage && !self.fields.contains(&Field::StreamUsage);
            if pointless {
                continue;
            }
            self.fields.push(field);
            match self.attempt().await? {
                Outcome::Accepted(reply) => accepted = reply,
                Outcome::Refused(_) => self.drop_field(field),
            }
        }
        Ok(accepted)
    }

    fn drop_field(&mut self, field: Field) {
        self.dropped.push(field.name().to_owned());
        let with_it = |other: &Field| {
            *other == field || (field == Field::StreamUsage && *other == Field::ContinuousUsage)
        };
        self.fields.retain(|other| !with_it(other));
    }

    fn can_rename_limit(&self) -> bool {
        self.endpoint == Endpoint::Chat && self.limit == LimitField::MaxTokens
    }

    fn rename_limit(&mut self) {
        self.dropped.push(self.limit.name().to_owned());
        self.limit = LimitField::MaxCompletionTokens;
    }

    fn refused(&self, refusal: &Refusal) -> FieldsError {
        FieldsError::Refused {
            path: self.endpoint.path(),
            status: refusal.status,
            shown: shown(refusal.text.as_bytes()),
        }
    }

    async fn attempt(&self) -> Result<Outcome, FieldsError> {
        let path = self.endpoint.path();
        let limit = (self.limit, PROBE_TOKENS);
        let body = refusal::body(self.model, self.endpoint, PROBE_TEXT, limit, &self.fields);
        let answer = self.control.post_json_within(path, &body, LIMITS).await?;
        let status = answer.status.as_u16();
        match answer.status {
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                Ok(Outcome::Refused(Refusal::of(&answer)))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(FieldsError::Unauthorized {
                path,
                status,
                shown: answer.shown(),
            }),
            code if code.is_redirection() => Err(FieldsError::Redirected {
                path,
                to: self.control.location(&answer),
            }),
            code if !code.is_success() => Err(self.refused(&Refusal::of(&answer))),
            _ => match Reply::read(&answer.body) {
                None => Err(FieldsError::NotAnEventStream {
                    path,
                    shown: answer.shown(),
                }),
                Some(reply) => Ok(match reply.error() {
                    Some(text) => Outcome::Refused(Refusal {
                        status,
                        text: answer.secrets.redact(&text).into_owned(),
                    }),
                    None => Outcome::Accepted(reply),
                }),
            },
        }
    }
}

fn learn(known: &Capabilities, trial: &Trial<'_>, reply: &Reply) -> Capabilities {
    let seen = Seen::of(reply);
    let streamed = matches!(reply, Reply::Stream(_));
    let sent = |field: Field| trial.fields.contains(&field);
    let running = |field: Field, with: u64| match (sent(field), seen.running_events) {
        (false, _) => Tri::No,
        (true, 0) => Tri::Unknown,
        (true, events) => Tri::from(with == events),
    };
    let mut learned = Capabilities {
        stream_usage: Tri::from(streamed && seen.completion_tokens.is_some()),
        continuous_usage: running(Field::ContinuousUsage, seen.with_usage)
            .or(known.continuous_usage),
        timings_per_token: running(Field::Timings, seen.with_timings).or(known.timings_per_token),
        return_token_ids: running(Field::TokenIds, seen.with_token_ids).or(known.return_token_ids),
        cached_tokens: if seen.tells_cached {
            Tri::Yes
        } else {
            known.cached_tokens
        },
        slot_pinning: sent(Field::Slot),
        cache_prompt_field: sent(Field::CachePrompt),
        limit_field: trial.limit,
        dropped_fields: trial.dropped.clone(),
        ..known.clone()
    };
    let stopped = seen.finish.as_deref() == Some("stop");
    let short = seen
        .completion_tokens
        .is_none_or(|tokens| tokens < PROBE_TOKENS);
    match trial.fields.iter().find(|field| field.fixes_length()) {
        None => learned.ignore_eos = Tri::No,
        Some(field) if stopped && short => {
            learned.ignore_eos = Tri::No;
            let name = field.name();
            learned
                .notes
                .push(format!("`{name}` is accepted but has no effect"));
        }
        Some(_) => {}
    }
    if let Some(tokens) = seen
        .completion_tokens
        .filter(|tokens| *tokens > PROBE_TOKENS)
    {
        learned.notes.push(format!(
            "the server ignored the output limit: {tokens} tokens came for {PROBE_TOKENS} asked"
        ));
    }
    if !streamed {
        learned
            .notes
            .push("the server answers a streaming request with one JSON object".to_owned());
    }
    learned
}

/// Compares the server's count of the probe's prompt with its usage. A server that is not known to
/// count prompts is tried with the commonest route and believed only when both agree.
async fn check_tokenize(
    control: &Control,
    model: &Model,
    endpoint: Endpoint,
    used: Option<u64>,
    learned: &mut Capabilities,
) {
    let known = learned.tokenize;
    let tried = match known {
        TokenizeKind::None => TokenizeKind::VllmMessages,
        kind => kind,
    };
    let counted = tokens::count(control, tried, model, endpoint, PROBE_TEXT).await;
    learned.tokenize = match (counted, used) {
        (Ok(counted), Some(used)) if counted == used => tried,
        (Ok(counted), Some(used)) if known != TokenizeKind::None => {
            learned.notes.push(format!(
                "the server counts {counted} prompt tokens where its usage says {used}"
            ));
            known
        }
        (Ok(_), Some(_)) => TokenizeKind::None,
        // Nothing to compare with, or a count of chats only, on a plain text.
        (Ok(_), None) | (Err(CountError::Unsupported), _) => known,
        (Err(error), _) => {
            if known != TokenizeKind::None {
                learned
                    .notes
                    .push(format!("prompts are not counted: {error}"));
            }
            TokenizeKind::None
        }
    };
}
