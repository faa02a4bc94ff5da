//! The pages.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use tokmark_pages::{
    ListedRun, NavigationEntry, PageOptions, RunLinks, RunListRow, Section, SiteChrome, home,
    run_page,
};
use tokmark_run_format::{RunDocument, read_document};
use tokmark_site_store::{PageRequest, RunSummary, StoredRun};

use crate::SiteState;
use crate::calculator::paths;
use crate::fault::Fault;
use crate::language::Language;

/// Runs on the start page.
const LATEST: u32 = 6;

/// A page is asked for again each time, since runs are added.
pub(crate) fn html(text: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}

/// How the pages of a language are dressed. Only sections that exist are in the navigation.
pub(crate) fn options(language: Language, current: Option<Section>) -> PageOptions {
    let entry = |section, href| NavigationEntry {
        section,
        href,
        current: current == Some(section),
    };
    let chrome = SiteChrome {
        home: language.start(),
        navigation: vec![
            entry(Section::Calculator, language.calculator()),
            entry(Section::Runs, language.runs()),
        ],
    };
    PageOptions::site(language.as_str(), chrome)
}

/// The language of an address' first part, or the page that says that nothing is there.
pub(crate) fn language(word: &str) -> Result<Language, Fault> {
    Language::of(word).ok_or(Fault::NotFound(Language::default()))
}

/// Nothing is here.
pub(crate) async fn nothing() -> Fault {
    Fault::NotFound(Language::default())
}

/// `/` leads to a language.
pub(crate) async fn to_start() -> Redirect {
    Redirect::to(&Language::default().start())
}

/// `/en` leads to `/en/`.
pub(crate) async fn to_language(Path(word): Path<String>) -> Result<Redirect, Fault> {
    Ok(Redirect::to(&language(&word)?.start()))
}

/// `/runs` leads to a language.
pub(crate) async fn to_runs() -> Redirect {
    Redirect::to(&Language::default().runs())
}

/// `/decode-calculator` leads to a language.
pub(crate) async fn to_calculator() -> Redirect {
    Redirect::to(&Language::default().calculator())
}

/// `/runs/{id}` leads to the run's page; what cannot be a run leads nowhere.
pub(crate) async fn to_run(
    State(site): State<SiteState>,
    Path(id): Path<String>,
) -> Result<Redirect, Fault> {
    let stored = stored(&site, &id, Language::default()).await?;
    Ok(Redirect::to(&Language::default().run(&stored.summary.id)))
}

/// The start page.
pub(crate) async fn start(
    State(site): State<SiteState>,
    Path(word): Path<String>,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let request = PageRequest {
        limit: LATEST,
        ..PageRequest::default()
    };
    let page = site.store.list_runs(request).await?;
    let rows = rows(&page.runs, language);
    let all = language.runs();
    Ok(html(home(&rows, Some(&all), &options(language, None))))
}

/// The page of one run.
pub(crate) async fn run(
    State(site): State<SiteState>,
    Path((word, id)): Path<(String, String)>,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let stored = stored(&site, &id, language).await?;
    let run = document(&stored)?;
    let links = links(&stored.summary, site.public_address.as_deref());
    let prediction = paths::prediction(&site, &run, language);
    let options = options(language, Some(Section::Runs))
        .with_links(links)
        .with_prediction(prediction);
    Ok(html(run_page(&run, &options)))
}

/// A run, or the page that says that there is none.
pub(crate) async fn stored(
    site: &SiteState,
    id: &str,
    language: Language,
) -> Result<StoredRun, Fault> {
    let found = site.store.get_run(id).await?;
    found.ok_or(Fault::NotFound(language))
}

/// The document as this site vouches for it: with the trust that the store gave it.
pub(crate) fn document(stored: &StoredRun) -> Result<RunDocument, Fault> {
    let mut run = read_document(&stored.document)
        .map_err(|error| Fault::unreadable(&stored.summary.id, &error))?;
    run.trust = stored.summary.trust;
    Ok(run)
}

fn links(run: &RunSummary, public_address: Option<&str>) -> RunLinks {
    let file = |name: &str| Some(format!("/runs/{}/{name}", run.id));
    let card = file("card.png");
    RunLinks {
        public_card: public_address
            .zip(card.as_deref())
            .map(|(address, card)| format!("{address}{card}")),
        svg: file("run.svg"),
        card,
        json: file("run.json"),
        csv: file("run.csv"),
        html: file("run.html"),
        evidence: run.has_evidence.then(|| file("evidence")).flatten(),
    }
}

pub(crate) fn rows(runs: &[RunSummary], language: Language) -> Vec<RunListRow> {
    let row = |run: &RunSummary| {
        let cells = run.cells.iter();
        RunListRow::from(ListedRun {
            href: language.run(&run.id),
            model: &run.model,
            hardware: run.hardware.as_deref(),
            engine: [
                Some(run.engine.as_str()),
                run.engine_version.as_deref(),
                run.quantization.as_deref(),
            ],
            trust: run.trust,
            started_at: run.started_at.as_deref(),
            received_at: Some(run.received_at),
            cells: cells
                .map(|c| (c.context, c.requests, c.status, c.total_tokens_per_s))
                .collect(),
        })
    };
    runs.iter().map(row).collect()
}
