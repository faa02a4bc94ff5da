//! Emptying the server's prefix cache, where it lets a client do that.

use http::StatusCode;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::control::{Control, ControlError};

/// How one kind of server empties its cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheReset {
    /// The route, to `POST` to.
    pub(crate) path: &'static str,
    /// Whether the body names the model.
    pub(crate) names_model: bool,
    /// What a successful answer means, beyond its status.
    pub(crate) judge: fn(&Answer) -> CacheState,
}

/// What became of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheState {
    /// It is empty.
    Emptied,
    /// The server did not do it because requests run.
    Busy,
    /// The server offers no way, or has it turned off.
    Unsupported,
}

/// Any success is one.
pub(crate) fn success(_answer: &Answer) -> CacheState {
    CacheState::Emptied
}

pub(crate) async fn reset(
    control: &Control,
    reset: CacheReset,
    model: Option<&str>,
) -> Result<CacheState, ControlError> {
    let body = match model {
        Some(model) if reset.names_model => json!({ "model": model }),
        _ => Value::Object(serde_json::Map::new()),
    };
    let answer = control.post_json(reset.path, &body).await?;
    Ok(match answer.status {
        status if status.is_success() && answer.is_html() => CacheState::Unsupported,
        status if status.is_success() => (reset.judge)(&answer),
        StatusCode::BAD_REQUEST | StatusCode::CONFLICT | StatusCode::SERVICE_UNAVAILABLE => {
            CacheState::Busy
        }
        _ => CacheState::Unsupported,
    })
}
