//! The calibrated paths, and what the calculator says of a run.

use axum::extract::{Path, State};
use axum::response::Response;
use tokmark_calculator::compare;
use tokmark_calculator::fit::Calibration;
use tokmark_calculator::fit_report::{ErrorPart, FamilyPart};
use tokmark_catalog::Hardware;
use tokmark_pages::{CalculatorPath, PathRun, Prediction, Section, path_list_page, path_page};
use tokmark_run_format::RunDocument;

use super::fits::{Fitted, SiteRun};
use crate::SiteState;
use crate::fault::Fault;
use crate::language::Language;
use crate::page::{html, language, options};

/// The list.
pub(crate) async fn list(
    State(site): State<SiteState>,
    Path(word): Path<String>,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let known = site.fits.now().ok_or(Fault::Internal)?;
    let calibrations = known.data.calibrations.iter();
    let paths: Vec<CalculatorPath<'_>> = calibrations
        .map(|calibration| path(&known, calibration, language))
        .collect();
    let options = options(language, Some(Section::Calculator));
    Ok(html(path_list_page(&paths, &options)))
}

/// One path.
pub(crate) async fn one(
    State(site): State<SiteState>,
    Path((word, slug)): Path<(String, String)>,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let known = site.fits.now().ok_or(Fault::Internal)?;
    let mut calibrations = known.data.calibrations.iter();
    let calibration = calibrations
        .find(|one| one.family.slug() == slug)
        .ok_or(Fault::NotFound(language))?;
    let path = path(&known, calibration, language);
    let runs = runs(&known, calibration, language);
    let options = options(language, Some(Section::Calculator));
    Ok(html(path_page(&path, &runs, &language.paths(), &options)))
}

fn path<'a>(
    known: &Fitted,
    calibration: &'a Calibration,
    language: Language,
) -> CalculatorPath<'a> {
    let family = &calibration.family;
    let row = known.data.catalog.hardware_by_id(&family.card);
    CalculatorPath {
        family: FamilyPart::of(calibration, &known.data.catalog),
        calibration,
        engine: family.engine.name(),
        hardware: row.map_or_else(|| family.card.clone(), Hardware::full_name),
        is_of_site: known.is_own(calibration),
        href: language.path(&family.slug()),
    }
}

/// The runs of the fit, with links where this site has them, and the site's other runs of the path.
fn runs(known: &Fitted, calibration: &Calibration, language: Language) -> Vec<PathRun> {
    let of_path = known
        .runs
        .iter()
        .filter(|run| run.family == calibration.family);
    let here: Vec<&SiteRun> = of_path.collect();
    let told = calibration.runs.iter().zip(&calibration.models);
    let mut used: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for (place, (title, model)) in told.enumerate() {
        let own = here
            .iter()
            .find(|run| run.is_fitted && run.title == *title && !used.contains(&run.id.as_str()));
        used.extend(own.map(|run| run.id.as_str()));
        let (decode, prefill) = errors(calibration, place);
        rows.push(PathRun {
            title: title.clone(),
            href: own.map(|run| language.run(&run.id)),
            model: model.clone(),
            is_fitted: true,
            decode,
            prefill,
        });
    }
    let others = here.iter().filter(|run| !run.is_fitted);
    rows.extend(others.map(|run| PathRun {
        title: run.title.clone(),
        href: Some(language.run(&run.id)),
        model: run.model.clone(),
        is_fitted: false,
        decode: run.decode,
        prefill: run.prefill,
    }));
    rows
}

/// Errors of one run of a fit: decode and prefill.
fn errors(calibration: &Calibration, place: usize) -> (ErrorPart, ErrorPart) {
    let of_kind = |prefill: bool| {
        let own = calibration.fitted.iter();
        own.filter(move |one| (one.run, one.prefill) == (place, prefill))
    };
    (ErrorPart::of(of_kind(false)), ErrorPart::of(of_kind(true)))
}

/// What the calculator says of a run; `None` without a calculator.
pub(crate) fn prediction(
    site: &SiteState,
    run: &RunDocument,
    language: Language,
) -> Option<Prediction> {
    let known = site.fits.now()?;
    let calibrations = &known.data.calibrations;
    Some(match compare(&known.data.catalog, calibrations, run) {
        Ok(comparison) => {
            let slug = &comparison.path.slug;
            let has_page = calibrations.iter().any(|one| one.family.slug() == *slug);
            Prediction::Compared {
                path: has_page.then(|| language.path(slug)),
                comparison: Box::new(comparison),
            }
        }
        Err(error) => Prediction::Unknown(error.to_string()),
    })
}
