//! `tokmark serve`: the site over its store.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokmark_catalog::Catalog;
use tokmark_site::{CalculatorData, SiteState};
use tokmark_site_store::SqlStore;

use crate::args::ServeArgs;
use crate::calibrations::Known;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;
use crate::site_store::{self, Durability};

/// Serves until it is asked to end.
pub(crate) async fn run(args: ServeArgs, quiet: bool) -> Outcome {
    let store = site_store::open(&args.store, Durability::Durable).await?;
    let listener = listen(args.listen).await?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    say::result(format!("http://{address}/"));
    if !quiet {
        say::progress("the site is served until Ctrl-C");
    }
    serve(listener, store, args.public_address.as_deref()).await
}

/// Serves a store at an address, then lets requests in progress and the database end.
pub(crate) async fn serve(
    listener: TcpListener,
    store: Arc<SqlStore>,
    public_address: Option<&str>,
) -> Outcome {
    let mut state = site_state(Arc::clone(&store));
    if let Some(address) = public_address {
        state = state.with_public_address(address);
    }
    let calibrating = tokio::spawn(state.clone().keep_calibrated());
    let router = tokmark_site::router(state);
    let served = tokmark_site::serve(listener, router, asked_to_end()).await;
    calibrating.abort();
    store.close().await;
    served.map_err(|error| Failure::new(Exit::Failed, error))?;
    Ok(Exit::Done)
}

/// Ctrl-C, and what a service manager sends.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _no_handler = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _no_handler = tokio::signal::ctrl_c().await;
}

async fn listen(address: SocketAddr) -> Outcome<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let context = format!("cannot listen on {address}");
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("choose another address with --listen; port 0 takes a free one")
    })
}

/// The site, whose calculator knows a person's own fits where they can be read: a site that is refused
/// over them would be worse.
fn site_state(store: Arc<SqlStore>) -> SiteState {
    let site = SiteState::new(store);
    match (Catalog::bundled(), Known::read()) {
        (Ok(catalog), Ok(known)) => site.with_calculator(CalculatorData {
            catalog,
            calibrations: known.all,
        }),
        _ => site,
    }
}
