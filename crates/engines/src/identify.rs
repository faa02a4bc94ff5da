//! Finding out what answers at an address.
//!
//! The order is: the model list, the version, the metrics, then what only one kind of server has.
//! A proxy may hide all but the first, so every later probe may fail in any way without harm.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::capability::Endpoint;
use crate::control::{Control, Limits, MAX_ANSWER_BYTES};
use crate::dialect::{Dialect, tensorrt};
use crate::error::IdentifyError;
use crate::model::{ModelCard, read_cards};
use crate::prometheus::Exposition;
use crate::scrape;
use crate::server::Server;

/// What the probes that suit every server brought.
#[derive(Debug, Clone, Default)]
pub struct FirstLook {
    /// The listed models; `None` when the server has no list.
    pub cards: Option<Vec<ModelCard>>,
    /// The `Server` header.
    pub server_header: Option<String>,
    /// `version` of `GET /version`.
    pub version: Option<String>,
    /// `GET /metrics`, when it is metrics text.
    pub metrics: Option<Exposition>,
}

impl FirstLook {
    /// Whether any model is claimed by `owner`.
    pub fn is_owned_by(&self, owner: &str) -> bool {
        self.cards
            .iter()
            .flatten()
            .any(|card| card.owned_by.as_deref() == Some(owner))
    }

    /// Whether the server has metrics whose names begin with `prefix`.
    pub fn has_metrics(&self, prefix: &str) -> bool {
        self.metrics
            .as_ref()
            .is_some_and(|metrics| metrics.has_prefix(prefix))
    }
}

/// Says what kind of server answers, with its models and limits.
///
/// `hint` is the word of a [`Dialect`] that the user gave; it is believed.
///
/// # Errors
/// [`IdentifyError`], one for each case that a person acts on differently.
pub async fn identify(control: &Control, hint: Option<&str>) -> Result<Server, IdentifyError> {
    let told = hint.map(Dialect::parse).transpose()?;
    let list = control
        .get("/v1/models")
        .await
        .map_err(|source| IdentifyError::Unreachable {
            authority: control.authority().to_owned(),
            source,
        })?;
    let mut look = FirstLook {
        cards: judge_list(control, &list)?,
        server_header: list.server.clone(),
        version: version(control).await,
        metrics: None,
    };
    // Reading them there would take away what somebody else's collector waits for.
    if !look.is_owned_by(tensorrt::OWNER) {
        look.metrics = scrape::metrics(control, "/metrics").await.ok().flatten();
    }
    let dialect = match told {
        Some(dialect) => dialect,
        None => recognise(control, &look).await,
    };
    let is_proved = look.cards.is_some() || told.is_some() || dialect != Dialect::OpenAi;
    if !is_proved && !answers_chat(control).await {
        return Err(not_a_server(control, &list));
    }
    tracing::debug!(dialect = dialect.word(), "identified");
    let mut server = Server::new(dialect, look);
    server.read_capacity(control).await?;
    Ok(server)
}

/// Time for the one route that only one kind of server has.
const PROOF_LIMITS: Limits = Limits {
    time: Duration::from_secs(2),
    bytes: MAX_ANSWER_BYTES,
};

/// The first kind whose signs are there; without any, the first whose own route answers.
async fn recognise(control: &Control, look: &FirstLook) -> Dialect {
    let mut refuted = Vec::new();
    for dialect in Dialect::ALL {
        let adapter = dialect.adapter();
        if adapter.recognises(look) {
            if !adapter.needs_proof() || proved(control, dialect).await == Some(true) {
                return dialect;
            }
            refuted.push(dialect);
        }
    }
    for dialect in Dialect::ALL {
        if refuted.contains(&dialect) {
            continue;
        }
        match proved(control, dialect).await {
            Some(true) => return dialect,
            Some(false) => {}
            // What does not even refuse a route is not asked for a dozen of them.
            None => break,
        }
    }
    Dialect::OpenAi
}

/// Whether the route that only this kind has answers as it does; `None` when nothing answers.
async fn proved(control: &Control, dialect: Dialect) -> Option<bool> {
    let Some(proof) = dialect.adapter().proof() else {
        return Some(false);
    };
    let answer = control.get_within(proof.path, PROOF_LIMITS).await.ok()?;
    Some(answer.status.is_success() && !answer.is_html() && (proof.accepts)(&answer))
}

/// Reads the list, or says why there can be no run. A list that is merely missing is `None`.
fn judge_list(control: &Control, answer: &Answer) -> Result<Option<Vec<ModelCard>>, IdentifyError> {
    let authority = control.authority().to_owned();
    let status = answer.status.as_u16();
    let shown = answer.shown();
    match answer.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(IdentifyError::Unauthorized {
            authority,
            status,
            shown,
        }),
        StatusCode::SERVICE_UNAVAILABLE => Err(IdentifyError::Loading { authority, shown }),
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
            Err(IdentifyError::Unavailable {
                authority,
                status,
                shown,
            })
        }
        code if code.is_redirection() => Err(IdentifyError::Redirected {
            authority,
            to: control.location(answer),
        }),
        code if code.is_success() => answer
            .json()
            .as_ref()
            .and_then(read_cards)
            .map(Some)
            .ok_or_else(|| not_a_server(control, answer)),
        _ => Ok(None),
    }
}

fn not_a_server(control: &Control, answer: &Answer) -> IdentifyError {
    IdentifyError::NotAnLlmServer {
        authority: control.authority().to_owned(),
        status: answer.status.as_u16(),
        content_type: answer.content_type.clone(),
        shown: answer.shown(),
    }
}

async fn version(control: &Control) -> Option<String> {
    let answer = control.get("/version").await.ok()?.success_json()?;
    answer
        .get("version")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// Whether the chat route exists: it refuses an empty request as such, or at least the method `GET`.
async fn answers_chat(control: &Control) -> bool {
    let refused = control.post_json(Endpoint::Chat.path(), &json!({})).await;
    let said_why = refused.is_ok_and(|answer| {
        let refused = matches!(
            answer.status,
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY
        );
        refused && !answer.is_html() && answer.json().is_some()
    });
    if said_why {
        return true;
    }
    let got = control.get(Endpoint::Chat.path()).await;
    got.is_ok_and(|answer| {
        answer.status == StatusCode::METHOD_NOT_ALLOWED && answer.json().is_some()
    })
}
