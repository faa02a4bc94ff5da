//! `tokmark site seed`: many simulated runs, to try the site at its later size.

mod chance;
mod kind;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokmark_calculator::stored;
use tokmark_catalog::Catalog;
use tokmark_site_store::{PreparedRun, PutOutcome, SqlStore, StoreError};

use crate::args::SeedArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;
use crate::site_store::{self, Durability};
use kind::Kinds;

/// Runs of one transaction: a second's worth or less.
const BATCH: u32 = 500;

/// Batches that wait for the database.
const AHEAD: usize = 2;

/// Fills the database.
pub(crate) async fn run(args: SeedArgs, quiet: bool) -> Outcome {
    let store = site_store::open(&args.store, Durability::MadeAgain).await?;
    let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
    let catalog = Catalog::bundled().map_err(|error| failed(error.into()))?;
    let calibrations = stored::bundled().map_err(|error| failed(error.into()))?;
    if !quiet {
        say::progress("asking the calculator for setups");
    }
    let kinds = Arc::new(Kinds::new(&catalog, &calibrations, args.seed));
    let added = fill(&store, &kinds, &args, quiet)
        .await
        .map_err(|error| failed(error.into()))?;
    store
        .analyze()
        .await
        .map_err(|error| failed(error.into()))?;
    store.close().await;
    say::result(format!(
        "{added} simulated runs added, {} were there already",
        u64::from(args.runs) - added
    ));
    Ok(Exit::Done)
}

/// Makes runs on a thread of their own while the database takes those before.
async fn fill(
    store: &SqlStore,
    kinds: &Arc<Kinds>,
    args: &SeedArgs,
    quiet: bool,
) -> Result<u64, StoreError> {
    let (send, mut batches) = mpsc::channel::<Result<Vec<PreparedRun>, StoreError>>(AHEAD);
    let (kinds, runs) = (Arc::clone(kinds), args.runs);
    let making = tokio::task::spawn_blocking(move || {
        let mut next = 0;
        while next < runs {
            let end = runs.min(next + BATCH);
            let batch = (next..end).map(|number| {
                let (document, received_at) = kinds.run(number);
                PreparedRun::made(document, received_at)
            });
            if send.blocking_send(batch.collect()).is_err() {
                return;
            }
            next = end;
        }
    });
    let (mut added, mut done) = (0, 0);
    while let Some(batch) = batches.recv().await {
        let outcomes = store.put_prepared(batch?).await?;
        let created = outcomes
            .iter()
            .filter(|one| matches!(one, PutOutcome::Created(_)));
        added += tokmark_units::float::len_u64(created.count());
        done += outcomes.len();
        if !quiet && done % 10_000 == 0 {
            say::progress(format!("{done} of {runs} runs"));
        }
    }
    making.await.map_err(|_| StoreError::Closing)?;
    Ok(added)
}
