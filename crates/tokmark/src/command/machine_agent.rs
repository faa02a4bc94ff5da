//! `tokmark machine-agent`.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokmark_machine::agent::{Agent, serve};
use tokmark_machine::telemetry::{PERIODS, Sampler, SamplerSettings, Sources};
use tokmark_machine::{LaunchPlaces, Look, real_clock};

use crate::agent::IN_THE_CLEAR;
use crate::args::MachineAgentArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{agent, say};

/// What is to be said of an address that others can reach.
fn warning(ip: IpAddr) -> Option<String> {
    (!ip.to_canonical().is_loopback())
        .then(|| format!("warning: others can reach this address without TLS, and {IN_THE_CLEAR}"))
}

/// Serves until Ctrl-C.
pub(crate) async fn run(args: MachineAgentArgs, quiet: bool) -> Outcome {
    let token = agent::token(&args.token_file)?;
    if !PERIODS.contains(&args.period) {
        return Err(Failure::saying(Exit::Usage, "the period is out of range")
            .hint("choose --period between 100ms and 500ms"));
    }
    let failed = |error: std::io::Error| Failure::new(Exit::Failed, error);
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        let context = format!("cannot listen on {}", args.listen);
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("choose another address with --listen")
    })?;
    let address = listener.local_addr().map_err(failed)?;
    let now = real_clock();
    let settings = SamplerSettings {
        period: args.period,
        ..SamplerSettings::default()
    };
    let sources = Sources::of(&Look::here());
    let sampler = Sampler::start(sources, &settings, Arc::clone(&now)).map_err(failed)?;
    let served = Agent::new(
        token,
        Arc::new(crate::machine::look),
        &sampler,
        now,
        LaunchPlaces::default(),
    );
    say::result(format!("http://{address}"));
    if !quiet {
        say::progress(format!(
            "machine agent on {address}. Ctrl-C ends it.\n\
             use it: tokmark run URL --machine-agent http://{address} --machine-token-file FILE"
        ));
    }
    // Also with --quiet: who opens a port to others must know it.
    if let Some(warning) = warning(address.ip()) {
        say::progress(warning);
    }
    let ended = async {
        // Without a signal handler the process ends by the signal itself.
        let _no_handler = tokio::signal::ctrl_c().await;
    };
    serve(listener, served, ended).await.map_err(failed)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::warning;

    #[test]
    fn only_loopback_needs_no_warning() {
        for inside in ["127.0.0.1", "127.0.0.53", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(warning(inside.parse().unwrap()), None, "{inside}");
        }
        for open in ["0.0.0.0", "::", "10.0.0.7", "192.168.1.2", "fe80::1"] {
            let said = warning(open.parse().unwrap()).unwrap();
            for part in ["token travels in the clear", "ssh -L", "TLS"] {
                assert!(said.contains(part), "{open}: {said}");
            }
        }
    }
}
