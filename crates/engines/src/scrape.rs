//! Reading a metrics route, which may be off, hidden or something else.

use http::StatusCode;
use serde_json::Value;

use crate::control::Control;
use crate::gauges::GaugeError;
use crate::prometheus::Exposition;

/// The metrics at `path`, or `None` when the server has no such route.
pub(crate) async fn metrics(
    control: &Control,
    path: &str,
) -> Result<Option<Exposition>, GaugeError> {
    let answer = control.get(path).await?;
    match answer.status {
        status if status.is_success() => {
            let read = Exposition::parse(&answer.body);
            if read.as_ref().is_ok_and(|all| all.complaint().is_none()) {
                return Ok(read.ok());
            }
            // What is wrong with it is told in the answer's own words.
            Ok(Some(Exposition::parse(&answer.safe_body())?))
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
            Ok(None)
        }
        status => Err(GaugeError::Status {
            path: path.to_owned(),
            status: status.as_u16(),
            shown: answer.shown(),
        }),
    }
}

/// What a route answers, if it is JSON and a success. Any refusal, page or silence is `None`.
pub(crate) async fn json(control: &Control, path: &str) -> Option<Value> {
    control.get(path).await.ok()?.success_json()
}

/// Why a scrape has not a single series of the engine.
pub(crate) fn why_nothing(exposition: &Exposition, otherwise: &str) -> String {
    match exposition.complaint() {
        Some(complaint) => complaint,
        None if exposition.is_empty() => "server metrics: none (empty answer)".to_owned(),
        None => otherwise.to_owned(),
    }
}
