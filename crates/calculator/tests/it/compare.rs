//! Runs beside their predictions.

use tokmark_calculator::compare::ComparedFigure;
use tokmark_calculator::fit::calibrate;
use tokmark_calculator::{Comparison, ObserveError, compare, observe, stored};
use tokmark_run_format::{CellStatus, MachineClass, RunDocument};

use crate::CATALOG;
use crate::pages::documents;

const FIXTURE: &str = include_str!("../../../import/tests/fixtures/page.json");

/// The import's example as a page of a 14B model on an unlocked RTX 3090, which the program's own
/// calibration covers.
fn known() -> RunDocument {
    let text = FIXTURE
        .replace("Tiny-7B-Chat-AWQ", "deepseek-r1-distill-qwen-14b-awq")
        .replace("2x Rig", "RTX 3090")
        .replace("Rig 16GB", "RTX 3090 24GB")
        .replace("\"16 GB\"", "\"24 GB\"")
        .replace("# a remark", "# 1x RTX 3090 24GB (gpu-unlock)");
    tokmark_import::import(&text).unwrap().remove(0)
}

fn compared(run: &RunDocument) -> Comparison {
    compare(&CATALOG, &stored::bundled().unwrap(), run).unwrap()
}

fn cell(comparison: &Comparison, context: u64, requests: u32) -> &ComparedFigure {
    let mut cells = comparison.decode.iter();
    cells
        .find(|one| (one.context, one.requests) == (context, requests))
        .unwrap()
}

#[track_caller]
fn near(value: Option<f64>, expect: f64, within: f64) {
    let value = value.unwrap();
    assert!((value - expect).abs() <= within, "{value}, not {expect}");
}

#[test]
fn a_cell_stands_beside_its_prediction() {
    let comparison = compared(&known());
    let path = &comparison.path;
    assert_eq!(path.slug, "vllm-nvidia-rtx-3090-unlocked");
    assert_eq!((path.kernels, path.cache.as_str()), ("weight-only", "f16"));
    assert!(path.calibrated && path.has_this_model && !path.simulated);
    assert_eq!(path.runs.len(), 3);
    assert!(!path.has_this_run, "its figures are no run's of the fit");

    let first = cell(&comparison, 0, 1);
    assert_eq!(first.measured_tokens_per_s, Some(80.0));
    let band = first.predicted_tokens_per_s.unwrap();
    near(Some(band.median), 79.1, 0.1);
    near(first.error, band.median / 80.0 - 1.0, 1e-12);
    assert!(band.low90 < band.low50 && band.low50 < band.median && band.median < band.high90);
    assert_eq!(first.in_band, Some(true));
    assert_eq!(first.held_out_error, None);

    // A rate of a cell whose requests waited is no figure to compare.
    let queued = cell(&comparison, 0, 2);
    assert_eq!(queued.status, "queued");
    assert_eq!((queued.measured_tokens_per_s, queued.error), (None, None));
    near(
        queued.predicted_tokens_per_s.map(|band| band.median),
        154.3,
        0.6,
    );
    assert_eq!(comparison.decode_errors.all.figures, 1);
    assert_eq!(comparison.prefill_errors.all.figures, 2);
}

#[test]
fn an_error_is_predicted_over_measured() {
    let check = |measured: f64, expect: f64, in_band: bool| {
        let mut run = known();
        run.decode[0].total_tokens_per_s = Some(measured);
        let comparison = compared(&run);
        near(cell(&comparison, 0, 1).error, expect, 0.005);
        assert_eq!(cell(&comparison, 0, 1).in_band, Some(in_band), "{measured}");
        assert_eq!(comparison.decode_errors.in_band, usize::from(in_band));
        let median = comparison.decode_errors.all.median_abs_error;
        near(median, expect.abs(), 0.005);
    };
    check(79.1, 0.0, true);
    check(158.2, -0.5, false);
    check(39.55, 1.0, false);
}

#[test]
fn room_is_held_against_what_the_server_did() {
    let comparison = compared(&known());
    let of = |context, requests| {
        let capacity = cell(&comparison, context, requests).capacity.unwrap();
        (capacity.came, capacity.predicted, capacity.right)
    };
    assert_eq!(of(0, 1), ("ran", "fits", Some(true)));
    // 4 x 8,192 tokens of output fit into some 60,000, whatever this page's server did.
    assert_eq!(of(0, 4), ("refused", "fits", Some(false)));
    assert_eq!(of(16_384, 4), ("refused", "does_not_fit", Some(true)));
    let score = comparison.capacity;
    let told = comparison
        .decode
        .iter()
        .filter(|one| one.capacity.is_some());
    assert_eq!(score.right + score.borderline + score.wrong, told.count());
}

#[test]
fn a_run_that_says_too_little_has_no_prediction() {
    let mut run = tokmark_import::import(FIXTURE).unwrap().remove(0);
    let bundled = stored::bundled().unwrap();
    let error = compare(&CATALOG, &bundled, &run).unwrap_err();
    assert!(matches!(&error, ObserveError::Model { name, .. } if name.contains("Tiny-7B")));
    run = known();
    run.hardware.accelerators[0].name = "Nobody's Card 9".to_owned();
    let error = compare(&CATALOG, &bundled, &run).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the accelerator `Nobody's Card 9` is not in the catalog"
    );
}

#[test]
fn without_a_calibration_the_band_is_wide() {
    let mut run = known();
    run.launch_command = None;
    let comparison = compared(&run);
    assert_eq!(comparison.path.slug, "vllm-nvidia-rtx-3090");
    assert!(!comparison.path.calibrated && comparison.path.runs.is_empty());
    let band = cell(&comparison, 0, 1).predicted_tokens_per_s.unwrap();
    near(Some(band.low90 / band.median), 0.6, 1e-9);
}

/// A simulated server imitates a machine: it is compared, and never fitted.
#[test]
fn a_simulated_run_is_marked() {
    let mut run = known();
    run.hardware.class = MachineClass::Simulated;
    run.hardware.accelerators[0].name = "something simulated".to_owned();
    run.roofline = Some(tokmark_run_format::Roofline {
        machine: Some(tokmark_run_format::roofline::RooflineMachine {
            name: "NVIDIA RTX 3090".to_owned(),
            ..Default::default()
        }),
        ..Default::default()
    });
    assert!(compared(&run).path.simulated);
    assert!(observe(&CATALOG, &run, 0).unwrap().simulated);
}

/// The titles of two runs may be the same: figures tell them apart.
#[test]
fn a_fitted_run_knows_itself_by_its_figures() {
    let run = known();
    let mut other = known();
    other.decode[0].total_tokens_per_s = Some(81.0);
    let observed = [&run, &other].map(|run| observe(&CATALOG, run, 0).unwrap());
    let fits = calibrate(&observed[..1]);
    assert_eq!(fits[0].place_of(&observed[0]), Some(0));
    assert_eq!(fits[0].place_of(&observed[1]), None);
    let comparison = compare(&CATALOG, &fits, &run).unwrap();
    assert!(comparison.path.has_this_run);
    let valid = |one: &&ComparedFigure| one.error.is_some();
    for figure in comparison
        .decode
        .iter()
        .chain(&comparison.prefill)
        .filter(valid)
    {
        assert!(figure.held_out_error.is_some(), "{figure:?}");
    }
}

/// Unchanged pages beside the program's own calibration: the errors are those of its file.
#[test]
fn the_pages_have_the_residuals_of_the_bundled_fit() {
    let Some(documents) = documents() else {
        eprintln!("skipped: there are no example pages beside the repository");
        return;
    };
    let bundled = stored::bundled().unwrap().remove(0);
    for (place, document) in documents.iter().enumerate() {
        let comparison = compared(document);
        assert!(comparison.path.has_this_run, "{}", document.title());
        let residual =
            |all: &[tokmark_calculator::fit::Residual], one: &ComparedFigure, prefill| {
                let mut own = all
                    .iter()
                    .filter(|it| (it.run, it.prefill) == (place, prefill));
                let same = own.find(|it| (it.context, it.requests) == (one.context, one.requests));
                same.unwrap().relative()
            };
        for (figures, prefill) in [(&comparison.decode, false), (&comparison.prefill, true)] {
            for one in figures.iter().filter(|one| one.error.is_some()) {
                near(one.error, residual(&bundled.fitted, one, prefill), 1e-4);
                let held_out = residual(&bundled.rows_held_out, one, prefill);
                near(one.held_out_error, held_out, 1e-12);
            }
        }
        let valid = document.decode.iter();
        let valid = valid
            .filter(|cell| cell.status == CellStatus::Valid)
            .count();
        assert_eq!(comparison.decode_errors.all.figures, valid);
    }
    // Figures of the three pages: 80.0 tok/s, 145.0 and 126.6 for one request without context.
    for (place, expect) in [(0, 0.0), (1, -0.02), (2, -0.011)] {
        near(
            cell(&compared(&documents[place]), 0, 1).error,
            expect,
            0.002,
        );
    }
}
