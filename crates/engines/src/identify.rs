//! Finding out what answers at an address.
//!
//! The order is: the model list, the version, the metrics, then what only one kind of server has.
//! A proxy may hide all but the first, so every later probe may fail in any way without harm.

use http::StatusCode;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::capability::Endpoint;
use crate::control::Control;
use crate::dialect::Dialect;
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
    let look = FirstLook {
        cards: judge_list(control, &list)?,
        server_header: list.server.clone(),
        version: version(control).await,
        metrics: scrape::metrics(control, "/metrics").await.ok().flatten(),
    };
    let dialect = told.unwrap_or_else(|| Dialect::recognise(&look));
    let is_proved = look.cards.is_some() || told.is_some() || dialect != Dialect::OpenAi;
    if !is_proved && !answers_chat(control).await {
        return Err(not_a_server(control, &list));
    }
    tracing::debug!(dialect = dialect.word(), "identified");
    let mut server = Server::new(dialect, look);
    server.read_capacity(control).await?;
    Ok(server)
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
