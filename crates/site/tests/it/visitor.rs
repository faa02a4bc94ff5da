//! A site with runs in it, and somebody who asks for its pages.

use std::sync::Arc;

use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use tempfile::TempDir;
use tokmark_run_format::{EvidenceRef, RunDocument, Trust, write_document};
use tokmark_site::{SiteState, router};
use tokmark_site_store::{NewRun, ObjectKey, SqlStore, Store};
use tokmark_units::Timestamp;
use tower::Service;

/// The site, with its folder as long as it is used.
pub(crate) struct Site {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) state: SiteState,
    pub(crate) folder: TempDir,
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

pub(crate) const EVIDENCE: &[u8] = b"not really zstd";

/// The example of the import, as if it had been measured with evidence.
pub(crate) fn measured(id: &str) -> RunDocument {
    let text = include_str!("../../../import/tests/fixtures/page.json");
    let mut run = tokmark_import::import(text).unwrap().remove(0);
    id.clone_into(&mut run.id);
    run.source = None;
    run.trust = Trust::Measured;
    run.evidence = Some(EvidenceRef {
        file: "x.evidence.zst".to_owned(),
        sha256: ObjectKey::of(EVIDENCE).as_str().to_owned(),
        bytes: 15,
    });
    run
}

impl Site {
    pub(crate) async fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::open(&folder.path().join("tokmark.sqlite"))
            .await
            .unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        Self {
            state: SiteState::new(Arc::clone(&store)),
            store,
            folder,
        }
    }

    pub(crate) async fn put(&self, run: &RunDocument, evidence: Option<&[u8]>, second: i64) {
        let new = NewRun {
            document: write_document(run).unwrap(),
            evidence: evidence.map(<[u8]>::to_vec),
            received_at: Timestamp::from_unix_millis(1_796_026_500_000 + second * 1_000).unwrap(),
        };
        self.store.put_run(new).await.unwrap();
    }

    pub(crate) fn router(&self) -> axum::Router {
        router(self.state.clone())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.ask(request).await
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        answered(self.router(), request).await
    }
}

/// A site of one's own is asked for a page.
pub(crate) async fn ask(router: axum::Router, path: &str) -> Answer {
    let request = Request::get(path).body(Body::empty()).unwrap();
    answered(router, request).await
}

async fn answered(mut router: axum::Router, request: Request<Body>) -> Answer {
    let response = Service::call(&mut router, request).await.unwrap();
    let (head, body) = response.into_parts();
    Answer {
        status: head.status,
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes().to_vec(),
    }
}
