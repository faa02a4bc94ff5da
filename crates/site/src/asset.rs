//! Styles, script and icon. Their addresses hold a hash of the content, so browsers keep them.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use tokmark_pages::assets;

use crate::fault::Fault;
use crate::language::Language;

/// A year, the longest that caches honour.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(crate) async fn asset(Path(file): Path<String>) -> Result<Response, Fault> {
    let path = format!("/assets/{file}");
    let asset = assets()
        .iter()
        .find(|asset| asset.path == path)
        .ok_or(Fault::NotFound(Language::default()))?;
    let headers = [
        (CONTENT_TYPE, asset.content_type),
        (CACHE_CONTROL, FOR_EVER),
    ];
    Ok((headers, asset.bytes).into_response())
}
