//! The machine and the client beside a run, for who looks on.

use std::convert::Infallible;
use std::time::Duration;

use tokmark_driver::Health;

use crate::progress::{Listener, MachineNow, Progress};
use crate::session::Session;

const EVERY: Duration = Duration::from_secs(1);

/// Tells once a second what the machine's newest readings are, until it is dropped. It asks nobody:
/// the readings are those that the run takes anyway.
pub async fn tell_machine(session: &Session, listener: &Listener) -> Infallible {
    let mut before = session.load.sample();
    loop {
        tokio::time::sleep(EVERY).await;
        let after = session.load.sample();
        let client = Health::between(&before, &after);
        before = after;
        let now = MachineNow {
            telemetry: session.watch.as_ref().map(tokmark_machine::Watch::newest),
            client_cpu: client.and_then(|health| health.busiest_cpu),
        };
        // Nobody has to listen.
        let _unheard = listener.send(Progress::Machine(Box::new(now)));
    }
}
