//! `tokmark calc fit`: constants of an engine on an accelerator from measured runs.

mod markdown;
mod runs;
mod table;

use tokmark_calculator::fit::{Calibration, calibrate};
use tokmark_calculator::fit_report::{CapacityPart, FamilyPart, SkippedPart, TestPart};
use tokmark_calculator::{Capacity, FitReport};
use tokmark_catalog::Catalog;
use tokmark_pages::terminal::Painter;

use crate::args::calc::FitArgs;
use crate::calibrations;
use crate::command::show::{colours, width};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

use super::print;
use super::words::joined;
use runs::Runs;

/// Fits every family of the runs, predicts the test's, and says how well.
pub(super) fn run(catalog: &Catalog, args: &FitArgs, quiet: bool) -> Outcome {
    let test = Runs::read(catalog, &args.test)?;
    if let Some(bad) = test.skipped.first() {
        return Err(unusable(
            &format!("the test run {} cannot be used", bad.run),
            bad,
        ));
    }
    let mut known = Runs::read(catalog, &args.runs)?;
    leave_out(&mut known, &test);
    if known.usable.is_empty() {
        let Some(bad) = known.skipped.first() else {
            let message = "no run is left to fit: all of them are test runs";
            return Err(Failure::saying(Exit::NotEnoughData, message));
        };
        let what = format!("no run can be used: {}", bad.run);
        return Err(unusable(&what, bad));
    }
    let observed = known.observed();
    let calibrations = calibrate(&observed);
    let report = report(catalog, &calibrations, known, &test);
    if args.json {
        print(&report)?;
    } else if args.markdown {
        say::raw(&markdown::text(&report));
    } else {
        say::raw(&joined(&table::lines(
            &report,
            width(),
            Painter::new(colours()),
        )));
    }
    keep(args, &calibrations, quiet)?;
    Ok(Exit::Done)
}

/// A run that is both is a test: what it is predicted with has not seen it.
fn leave_out(known: &mut Runs, test: &Runs) {
    let is_test = |id: &str| test.usable.iter().any(|run| run.document.id == id);
    let (out, kept) = std::mem::take(&mut known.usable)
        .into_iter()
        .partition(|run| is_test(&run.document.id));
    known.usable = kept;
    known
        .skipped
        .extend(out.into_iter().map(|run: runs::Usable| SkippedPart {
            run: run.observed.title,
            reason: "it is a test run, so that the fit does not see it".to_owned(),
            candidates: Vec::new(),
        }));
}

fn unusable(what: &str, bad: &SkippedPart) -> Failure {
    let hint = match bad.candidates.as_slice() {
        [] => String::new(),
        some => format!("it may be {}", some.join(", ")),
    };
    Failure::saying(Exit::NotEnoughData, format!("{what}: {}", bad.reason)).hint(hint)
}

fn report(catalog: &Catalog, calibrations: &[Calibration], known: Runs, test: &Runs) -> FitReport {
    let families = calibrations.iter().map(|one| FamilyPart::of(one, catalog));
    let all = known.usable.iter().chain(&test.usable);
    let capacity = all.map(|run| {
        let capacity = Capacity::of(&run.document, &run.observed);
        CapacityPart::of(&run.observed.title, &capacity)
    });
    FitReport {
        fit: families.collect(),
        test: TestPart::of(calibrations, &test.observed()),
        capacity: capacity.collect(),
        skipped: known.skipped,
    }
}

fn keep(args: &FitArgs, calibrations: &[Calibration], quiet: bool) -> Outcome<()> {
    if let Some(path) = &args.output {
        calibrations::write(path, calibrations)?;
        if !quiet {
            say::progress(format!("written: {}", path.display()));
        }
    }
    if args.save {
        let path = calibrations::save(calibrations)?;
        if !quiet {
            say::progress(format!("kept for `tokmark calc`: {}", path.display()));
        }
    }
    Ok(())
}
