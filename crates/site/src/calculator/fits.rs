//! Constants fitted to the runs of this site, and how well they describe each run.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::{Mutex, Notify};
use tokmark_calculator::fit::{Calibration, calibrate};
use tokmark_calculator::fit_report::ErrorPart;
use tokmark_calculator::{Family, ObservedRun, compare, observe};
use tokmark_run_format::hardware::MachineClass;
use tokmark_run_format::{RunDocument, Trust};
use tokmark_site_store::{PageRequest, Store, StoreError};

use super::CalculatorData;

/// Runs of one engine and machine that a fit looks at, the newest.
const MOST_OF_A_KIND: usize = 16;

/// Runs that are looked at in all, the newest.
const MOST_RUNS: usize = 5_000;

/// Runs of one page of the store's list.
const PAGE: u32 = 200;

/// What the calculator knows with the runs of this site.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// The catalogue, and every path's calibration once.
    pub(crate) data: Arc<CalculatorData>,
    /// The runs of paths, the newest first.
    pub(crate) runs: Vec<SiteRun>,
    /// Fits to runs of this site, with the runs of each.
    own: Vec<(Vec<String>, Calibration)>,
}

/// A run of this site on a path.
#[derive(Debug, Clone)]
pub(crate) struct SiteRun {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Its model's layers in words.
    pub(crate) model: String,
    pub(crate) family: Family,
    pub(crate) is_fitted: bool,
    pub(crate) decode: ErrorPart,
    pub(crate) prefill: ErrorPart,
}

impl Fitted {
    /// Without runs.
    fn of(data: Arc<CalculatorData>) -> Self {
        Self {
            data,
            runs: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Whether a path's calibration was fitted to runs of this site.
    pub(crate) fn is_own(&self, calibration: &Calibration) -> bool {
        self.own.iter().any(|(_, own)| own == calibration)
    }
}

/// The fits of a site, renewed while it serves.
#[derive(Debug)]
pub(crate) struct Fits {
    now: RwLock<Option<Arc<Fitted>>>,
    /// One renewal at a time.
    renewing: Mutex<()>,
    /// Told when a run was stored.
    pub(crate) changed: Notify,
}

impl Fits {
    pub(crate) fn new(data: Option<Arc<CalculatorData>>) -> Self {
        Self {
            now: RwLock::new(data.map(|data| Arc::new(Fitted::of(data)))),
            renewing: Mutex::new(()),
            changed: Notify::new(),
        }
    }

    /// What is known now; `None` where the program's own files are wrong.
    pub(crate) fn now(&self) -> Option<Arc<Fitted>> {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        now.clone()
    }

    /// Fits every path that has runs in the store, on a thread of its own.
    pub(crate) async fn renew(
        &self,
        store: &dyn Store,
        base: Arc<CalculatorData>,
    ) -> Result<(), StoreError> {
        let _one = self.renewing.lock().await;
        let documents = documents(store).await?;
        let before = self.now();
        let work = move || fitted(&base, &documents, before.as_deref());
        match tokio::task::spawn_blocking(work).await {
            Ok(fitted) => {
                let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
                *now = Some(Arc::new(fitted));
            }
            Err(error) => {
                tracing::error!(%error, "the fit of the calculator's constants broke off");
            }
        }
        Ok(())
    }
}

/// The newest runs, at most so many of each engine and machine.
async fn documents(store: &dyn Store) -> Result<Vec<RunDocument>, StoreError> {
    let mut kinds: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut found = Vec::new();
    let mut after = None;
    let mut seen = 0;
    loop {
        let request = PageRequest {
            after,
            limit: PAGE,
            ..PageRequest::default()
        };
        let page = store.list_runs(request).await?;
        seen += page.runs.len();
        for run in page.runs {
            // It tells nothing about a machine, and its document need not be read to know that.
            if run.class == MachineClass::Simulated {
                continue;
            }
            let kind = (run.engine.clone(), run.hardware.clone());
            let count = kinds.entry(kind).or_default();
            if *count >= MOST_OF_A_KIND {
                continue;
            }
            *count += 1;
            let Some(stored) = store.get_run(&run.id).await? else {
                continue;
            };
            match tokmark_run_format::read_document(&stored.document) {
                Ok(mut document) => {
                    document.trust = stored.summary.trust;
                    found.push(document);
                }
                // Its page says so; a fit goes on without it.
                Err(error) => {
                    tracing::warn!(run = run.id, %error, "a stored document cannot be fitted");
                }
            }
        }
        after = page.next;
        if after.is_none() || seen >= MOST_RUNS {
            return Ok(found);
        }
    }
}

/// Whether a run may move constants: one that was measured with evidence, or another tool's result on
/// a card that its notes call unlocked, which is a path of its own and never the stock card's.
fn may_calibrate(document: &RunDocument, run: &ObservedRun) -> bool {
    let trusted = match document.trust {
        Trust::Measured => true,
        Trust::Imported => run.setup.card.unlocked,
        Trust::SelfReported => false,
    };
    trusted && !run.simulated && !run.observations.is_empty()
}

fn fitted(
    base: &Arc<CalculatorData>,
    documents: &[RunDocument],
    before: Option<&Fitted>,
) -> Fitted {
    let observed = documents
        .iter()
        .enumerate()
        .filter_map(|(place, document)| {
            Some((document, observe(&base.catalog, document, place).ok()?))
        });
    let observed: Vec<(&RunDocument, ObservedRun)> = observed.collect();
    let own = fit_all(&observed, before);
    let calibrations = chosen(base, &own);
    let data = CalculatorData {
        catalog: base.catalog.clone(),
        calibrations,
    };
    let runs = observed
        .iter()
        .filter(|(_, run)| !run.simulated)
        .filter_map(|(document, run)| site_run(&data, document, run))
        .collect();
    Fitted {
        data: Arc::new(data),
        runs,
        own,
    }
}

/// A fit for each family; one whose runs are the same as before is kept.
fn fit_all(
    observed: &[(&RunDocument, ObservedRun)],
    before: Option<&Fitted>,
) -> Vec<(Vec<String>, Calibration)> {
    let mut families: Vec<(Family, Vec<(String, ObservedRun)>)> = Vec::new();
    for (document, run) in observed {
        if !may_calibrate(document, run) {
            continue;
        }
        let family = Family::of(&run.setup);
        let own = (document.id.clone(), run.clone());
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, runs)) => runs.push(own),
            None => families.push((family, vec![own])),
        }
    }
    let fits = families.into_iter().filter_map(|(family, runs)| {
        let (ids, runs): (Vec<String>, Vec<ObservedRun>) = runs.into_iter().unzip();
        let known = before.and_then(|before| {
            let mut own = before.own.iter();
            own.find(|(known, one)| *known == ids && one.family == family)
        });
        let calibration = match known {
            Some((_, calibration)) => calibration.clone(),
            None => calibrate(&runs).into_iter().next()?,
        };
        Some((ids, calibration))
    });
    fits.collect()
}

/// Each path once: the fit of this site, unless the program came with one that has more figures.
fn chosen(base: &CalculatorData, own: &[(Vec<String>, Calibration)]) -> Vec<Calibration> {
    let mut chosen: Vec<Calibration> = Vec::new();
    let with = |family: &Family| {
        let mut known = base.calibrations.iter();
        known.find(|one| one.family == *family)
    };
    for (_, calibration) in own {
        let other = with(&calibration.family);
        let better = other.filter(|other| other.fitted.len() > calibration.fitted.len());
        chosen.push(better.unwrap_or(calibration).clone());
    }
    for calibration in &base.calibrations {
        if chosen.iter().all(|one| one.family != calibration.family) {
            chosen.push(calibration.clone());
        }
    }
    chosen
}

fn site_run(data: &CalculatorData, document: &RunDocument, run: &ObservedRun) -> Option<SiteRun> {
    let family = Family::of(&run.setup);
    let known = data.calibrations.iter().any(|one| one.family == family);
    if !known || run.observations.is_empty() {
        return None;
    }
    let comparison = compare(&data.catalog, &data.calibrations, document).ok()?;
    Some(SiteRun {
        id: document.id.clone(),
        title: run.title.clone(),
        model: run.setup.shape(),
        family,
        is_fitted: comparison.path.has_this_run,
        decode: comparison.decode_errors.all,
        prefill: comparison.prefill_errors.all,
    })
}
