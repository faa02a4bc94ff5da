//! Reading a metrics route, which may be off, hidden or something else.

use http::StatusCode;

use crate::control::Control;
use crate::gauges::{GaugeError, Gauges};
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
            path: "/metrics",
            status: status.as_u16(),
            shown: answer.shown(),
        }),
    }
}

/// What a scrape without a single series of the engine means.
pub(crate) fn nothing_in(exposition: &Exposition, otherwise: &str) -> Gauges {
    let mut gauges = match exposition.complaint() {
        Some(complaint) => Gauges::nothing(complaint),
        None if exposition.is_empty() => Gauges::nothing("server metrics: none (empty answer)"),
        None => Gauges::nothing(otherwise),
    };
    gauges.engines = 0;
    gauges
}
