//! Pictures of a run: the SVG, and the social card as PNG.
//!
//! Other sites may show them, so they are no attachments and may be embedded.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use tokio::sync::Semaphore;
use tokmark_pages::{PictureKind, Theme, picture};

use crate::SiteState;
use crate::fault::Fault;
use crate::headers::EMBEDDABLE;
use crate::language::Language;
use crate::page::{document, stored};

/// Cards that are kept: about 100 kB each.
const KEPT: usize = 64;

/// Cards that are drawn at the same time; drawing is the only work here that keeps a core busy.
const AT_ONCE: usize = 2;

/// The cards that were drawn lately.
pub(crate) struct Cards {
    kept: Mutex<VecDeque<(Key, Bytes)>>,
    drawing: Semaphore,
}

/// The run, and a hash of what its card shows, which changes with the run's trust and with this
/// program.
type Key = (String, u64);

impl Default for Cards {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            drawing: Semaphore::new(AT_ONCE),
        }
    }
}

impl Cards {
    fn find(&self, key: &Key) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(one, _)| one == key);
        found.map(|(_, png)| png.clone())
    }

    fn keep(&self, key: Key, png: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((key, png));
    }

    /// The card of these words, drawn away from the tasks that answer.
    async fn drawn(&self, key: Key, svg: String) -> Result<Bytes, Fault> {
        if let Some(png) = self.find(&key) {
            return Ok(png);
        }
        // It is never closed; if it were, drawing without a turn would still be right.
        let _turn = self.drawing.acquire().await.ok();
        // Somebody may have asked for the same while this one waited.
        if let Some(png) = self.find(&key) {
            return Ok(png);
        }
        let drawn = tokio::task::spawn_blocking(move || tokmark_raster::png(&svg)).await;
        let drawn = drawn.map_err(|error| Fault::undrawn(&key.0, &error))?;
        let png = Bytes::from(drawn.map_err(|error| Fault::undrawn(&key.0, &error))?);
        self.keep(key, png.clone());
        Ok(png)
    }
}

/// Matrix and curves; they follow the colour scheme of whoever looks at them.
pub(crate) async fn svg(
    State(site): State<SiteState>,
    Path(id): Path<String>,
    asked: HeaderMap,
) -> Result<Response, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    let text = picture(
        &document(&stored)?,
        PictureKind::MatrixAndCurves,
        Theme::Auto,
    );
    let tag = tag(&text);
    if has(&asked, &tag) {
        return Ok(unchanged(&tag));
    }
    let name = format!("{}.svg", stored.summary.id);
    let mut response = answer("image/svg+xml", &tag, text);
    // Opened by itself it would be a document of this site; inside of an `img` the header means
    // nothing.
    if let Ok(value) = format!("attachment; filename=\"{name}\"").parse() {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// The social card.
pub(crate) async fn card(
    State(site): State<SiteState>,
    Path(id): Path<String>,
    asked: HeaderMap,
) -> Result<Response, Fault> {
    // The run is looked up every time: a card is shown only while its run is.
    let stored = stored(&site, &id, Language::default()).await?;
    let text = picture(&document(&stored)?, PictureKind::Card, Theme::Light);
    let tag = tag(&text);
    if has(&asked, &tag) {
        return Ok(unchanged(&tag));
    }
    let key = (stored.summary.id.clone(), hash(&text));
    let png = site.cards.drawn(key, text).await?;
    Ok(answer("image/png", &tag, png))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn tag(text: &str) -> String {
    format!("\"{:016x}\"", hash(text))
}

fn has(asked: &HeaderMap, tag: &str) -> bool {
    let known = asked.get(IF_NONE_MATCH);
    let known = known.and_then(|value| value.to_str().ok());
    known.is_some_and(|known| known.split(',').any(|one| one.trim().ends_with(tag)))
}

fn unchanged(tag: &str) -> Response {
    let headers = [
        (CACHE_CONTROL, "no-cache".to_owned()),
        (ETAG, tag.to_owned()),
    ];
    (StatusCode::NOT_MODIFIED, headers, EMBEDDABLE).into_response()
}

fn answer(content_type: &'static str, tag: &str, body: impl IntoResponse) -> Response {
    let headers = [
        (CONTENT_TYPE, content_type.to_owned()),
        (CACHE_CONTROL, "no-cache".to_owned()),
        (ETAG, tag.to_owned()),
    ];
    (headers, EMBEDDABLE, body.into_response().into_body()).into_response()
}
