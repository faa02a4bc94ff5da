//! The model against three real pages, where they lie beside the repository.

use std::path::PathBuf;

use tokmark_calculator::fit::{Calibration, Errors, Observation, Residual};
use tokmark_calculator::{Family, ObservedRun, observe};
use tokmark_run_format::RunDocument;

use crate::CATALOG;

/// The pages as run documents, in the order of their files; `None` where they are not.
pub(crate) fn documents() -> Option<Vec<RunDocument>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    let documents = files.iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        tokmark_import::import(&text).unwrap().remove(0)
    });
    Some(documents.collect())
}

fn pages() -> Option<Vec<ObservedRun>> {
    let documents = documents()?;
    let runs = documents.iter().enumerate();
    Some(
        runs.map(|(place, document)| observe(&CATALOG, document, place).unwrap())
            .collect(),
    )
}

fn show(name: &str, residuals: &[Residual], prefill: bool) -> Errors {
    let of_kind = || residuals.iter().filter(|one| one.prefill == prefill);
    let errors = Errors::of(of_kind()).unwrap();
    eprintln!("{name}: {errors:?}");
    for one in of_kind() {
        eprintln!(
            "  {} {} x {}: {:.1} %",
            one.run,
            one.context,
            one.requests,
            100.0 * one.relative()
        );
    }
    errors
}

#[test]
fn the_pages_are_described_and_predicted() {
    let Some(runs) = pages() else {
        eprintln!("skipped: there are no example pages beside the repository");
        return;
    };
    let observations: Vec<Observation> = runs
        .iter()
        .flat_map(|run| run.observations.clone())
        .collect();
    let family = Family::of(&runs[0].setup);
    let names: Vec<String> = runs.iter().map(|run| run.title.clone()).collect();
    let calibration = Calibration::of_runs(&family, &observations, &names);
    for entry in &calibration.entries {
        eprintln!(
            "{} {} = {:.3e} ({})",
            entry.id.word(),
            entry.scope.word(),
            entry.value,
            entry.observations
        );
    }
    let check = |name, residuals: &[Residual], prefill, median: f64, p90: f64| {
        let errors = show(name, residuals, prefill);
        assert!(
            errors.median_abs <= median && errors.p90_abs <= p90,
            "{name}: {errors:?}"
        );
    };
    check("decode, fitted", &calibration.fitted, false, 0.02, 0.06);
    check(
        "decode, rows held out",
        &calibration.rows_held_out,
        false,
        0.02,
        0.08,
    );
    check(
        "decode, models held out",
        &calibration.models_held_out,
        false,
        0.04,
        0.16,
    );
    check("prefill, fitted", &calibration.fitted, true, 0.02, 0.09);
    check(
        "prefill, models held out",
        &calibration.models_held_out,
        true,
        0.15,
        0.28,
    );
    for run in &runs {
        eprintln!("{}: {:?}", run.title, run.setup.memory(&run.limits));
    }
}
