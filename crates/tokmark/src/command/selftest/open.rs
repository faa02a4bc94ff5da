//! Connections that wait: how many can be had, and what memory each takes.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokmark_driver::{Outgoing, StreamStart, What, run_stream};
use tokmark_units::{Nanos, float};

use super::client::{Found, session};
use super::system;
use crate::args::SelftestClientArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Opens all connections, keeps them open at once, and says what they take.
pub(super) async fn opened(args: &SelftestClientArgs) -> Outcome<Found> {
    let session = session(args).await?;
    let before = system::memory();
    let (sender, mut arrivals) = mpsc::unbounded_channel();
    let (gate, closed) = watch::channel(false);
    for stream in 0..args.streams {
        let start = StreamStart {
            stream,
            first_attempt: 0,
            connector: Arc::clone(&session.connector),
            clock: session.clock,
            endpoint: session.endpoint(),
            secrets: session.secrets(),
            health: None,
            gate: closed.clone(),
            arrivals: sender.clone(),
        };
        if let Some((handle, _)) = session.load.of_stream(stream) {
            handle.spawn(run_stream(start, |_: u32, _: Nanos| None::<Outgoing>));
        }
    }
    for open in 0..args.streams {
        match arrivals.recv().await.map(|arrival| arrival.what) {
            Some(What::Open) => {}
            Some(What::NoConnection { error, .. }) => {
                let context = format!("connection {} of {}", open + 1, args.streams);
                let error = anyhow::Error::new(error).context(context);
                return Err(Failure::new(Exit::Server, error));
            }
            other => {
                let text = format!("connection {} of {}: {other:?}", open + 1, args.streams);
                return Err(Failure::saying(Exit::Server, text));
            }
        }
    }
    let taken = float::from_u64(system::memory().saturating_sub(before));
    drop(gate);
    Ok(Found {
        memory_bytes: system::highest_memory(),
        idle_stream_bytes: Some(taken / f64::from(args.streams.max(1))),
        ..Found::default()
    })
}
