//! The files of a run.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use tokmark_pages::{PageOptions, Prediction, csv as csv_of, run_page};

use crate::SiteState;
use crate::calculator::paths;
use crate::fault::Fault;
use crate::language::Language;
use crate::page::{document, stored};

/// What a person sent is always handed out as a file, never shown as a page of the site.
fn file(content_type: &'static str, name: &str, body: impl IntoResponse) -> Response {
    let headers = [
        (CONTENT_TYPE, content_type.to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
        (CACHE_CONTROL, "no-cache".to_owned()),
    ];
    (headers, body.into_response().into_body()).into_response()
}

/// The run document, byte for byte as it was stored.
pub(crate) async fn json(
    State(site): State<SiteState>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    let name = format!("{}.json", stored.summary.id);
    Ok(file("application/json", &name, stored.document))
}

/// One row per prefill point and cell.
pub(crate) async fn csv(
    State(site): State<SiteState>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    let name = format!("{}.csv", stored.summary.id);
    let text = csv_of(&document(&stored)?);
    Ok(file("text/csv; charset=utf-8", &name, text))
}

/// The page as one file.
pub(crate) async fn html(
    State(site): State<SiteState>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    let name = format!("{}.html", stored.summary.id);
    let run = document(&stored)?;
    // A file that is handed on has no site beside it: no links.
    let prediction = paths::prediction(&site, &run, Language::default()).map(Prediction::unlinked);
    let options = PageOptions::self_contained().with_prediction(prediction);
    let text = run_page(&run, &options);
    Ok(file("text/html; charset=utf-8", &name, text))
}

/// The evidence, byte for byte as it was stored.
pub(crate) async fn evidence(
    State(site): State<SiteState>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    let id = &stored.summary.id;
    let bytes = site.store.evidence(id).await?;
    let bytes = bytes.ok_or(Fault::NotFound(Language::default()))?;
    let name = format!("{id}.evidence.zst");
    Ok(file("application/zstd", &name, bytes))
}
