//! Which address leads where.

use axum::Router;
use axum::middleware::map_response;
use axum::routing::get;

use crate::calculator::paths;
use crate::{SiteState, asset, calculator, download, headers, list, page, picture};

/// The site's routes. Pages lie under `/{language}/`; files of a run have no language.
pub fn router(state: SiteState) -> Router {
    Router::new()
        .route("/", get(page::to_start))
        .route("/{language}", get(page::to_language))
        .route("/{language}/", get(page::start))
        .route("/{language}/runs", get(list::runs))
        .route("/{language}/runs/{id}", get(page::run))
        .route("/{language}/decode-calculator", get(calculator::page))
        .route(
            "/{language}/decode-calculator/answer",
            get(calculator::fragment),
        )
        .route(
            "/{language}/decode-calculator/need",
            get(calculator::need_page),
        )
        .route(
            "/{language}/decode-calculator/need/answer",
            get(calculator::need_fragment),
        )
        .route("/decode-calculator", get(page::to_calculator))
        .route("/decode-calculator.csv", get(calculator::csv))
        .route("/api/v1/calculator", get(calculator::document))
        .route("/api/v1/calculator/need", get(calculator::need_document))
        .route("/{language}/decode-calculator/paths", get(paths::list))
        .route(
            "/{language}/decode-calculator/paths/{slug}",
            get(paths::one),
        )
        .route("/runs", get(page::to_runs))
        .route("/runs/{id}", get(page::to_run))
        .route("/runs/{id}/run.json", get(download::json))
        .route("/runs/{id}/run.csv", get(download::csv))
        .route("/runs/{id}/run.html", get(download::html))
        .route("/runs/{id}/run.svg", get(picture::svg))
        .route("/runs/{id}/card.png", get(picture::card))
        .route("/runs/{id}/evidence", get(download::evidence))
        .route("/assets/{file}", get(asset::asset))
        .route("/healthz", get(healthy))
        .fallback(page::nothing)
        .layer(map_response(headers::secure))
        .with_state(state)
}

/// Whether this process answers; it says nothing about the store.
async fn healthy() -> &'static str {
    "ok\n"
}
