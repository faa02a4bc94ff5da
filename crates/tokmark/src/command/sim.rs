//! `tokmark sim`.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokmark_sim::{
    Dialect, FAULTS, Faults, PARAMETERS, Pace, Preset, SimConfig, SimServer, Spread, TokenSource,
    Truth, parameters,
};
use tokmark_units::Nanos;

use crate::args::SimArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::nearest::nearest;
use crate::say;

/// Serves until Ctrl-C.
pub(crate) async fn run(args: SimArgs, quiet: bool) -> Outcome {
    if args.list {
        for preset in Preset::ALL {
            say::result(preset);
            say::result(format!("    {}", preset.text()));
        }
        return Ok(Exit::Done);
    }
    if args.list_faults {
        list_faults();
        return Ok(Exit::Done);
    }
    let config = config(&args)?;
    if args.list_parameters {
        list_parameters(&config);
        return Ok(Exit::Done);
    }
    let model = config.model.served_name.clone();
    let server = start(config)?;
    let listener = listen(args.port)?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    say::result(format!("http://{address}"));
    if !quiet {
        say::progress(format!(
            "simulated server: preset {}, dialect {}, model `{model}`. Ctrl-C ends it.\n\
             measure it: tokmark run {address} --contexts 0,2k --requests 1,4 --duration 5s",
            args.preset, args.dialect
        ));
    }
    let ended = async {
        // Without a signal handler the process ends by the signal itself.
        let _no_handler = tokio::signal::ctrl_c().await;
    };
    server
        .serve(listener, ended)
        .await
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let truth = server.truth();
    if !quiet {
        say::progress(lateness(&truth.lateness));
    }
    if let Some(path) = &args.truth {
        write_truth(path, &truth)?;
    }
    Ok(Exit::Done)
}

/// Each fault: how it is written, what it does, its defaults, a use of it.
fn list_faults() {
    for fault in FAULTS {
        say::result(fault.usage());
        say::result(format!("    {}", fault.text));
        let rate = fault
            .share_of()
            .map(|of| format!("RATE 1 (a share of the {of})"));
        let defaults = rate.into_iter().chain(fault.defaults());
        let defaults: Vec<_> = defaults.collect();
        if !defaults.is_empty() {
            say::result(format!("    default: {}", defaults.join("; ")));
        }
        say::result(format!("    example: --fault {}", fault.example));
    }
}

/// Each parameter with its value, as `--set` takes it.
fn list_parameters(config: &SimConfig) {
    for parameter in PARAMETERS {
        let value = parameter.value(config);
        say::result(format!("{}={value}", parameter.name));
        say::result(format!("    {}", parameter.text));
    }
}

fn config(args: &SimArgs) -> Outcome<SimConfig> {
    let usage = |error: anyhow::Error| Failure::new(Exit::Usage, error);
    let near = |word: &str, known: &mut dyn Iterator<Item = String>| {
        let near = nearest(word, known);
        near.map_or_else(String::new, |near| format!("did you mean `{near}`?"))
    };
    let presets = || Preset::ALL.iter().map(ToString::to_string);
    let preset = Preset::parse(&args.preset)
        .map_err(|error| usage(error.into()).hint(near(&args.preset, &mut presets())))?;
    let mut config = preset.config();
    for words in &args.parameters {
        let name = words.split('=').next().unwrap_or_default();
        let mut names = PARAMETERS.iter().map(|one| one.name.to_string());
        parameters::set(&mut config, words)
            .map_err(|error| usage(error.into()).hint(near(name, &mut names)))?;
    }
    let dialects = || Dialect::ALL.iter().map(ToString::to_string);
    config.dialect = Dialect::parse(&args.dialect)
        .map_err(|error| usage(error.into()).hint(near(&args.dialect, &mut dialects())))?;
    config.engine.seed = args.seed;
    config.api_key.clone_from(&args.api_key);
    config.faults = Faults {
        seed: args.fault_seed,
        rules: args.faults.clone(),
    };
    config.tokens = source(args);
    // Every event of a flood would fill the memory, so there it has to be asked for.
    let all = args.truth.is_some() && config.tokens == TokenSource::Engine;
    config.keep_events = all || args.truth_events;
    Ok(config)
}

/// Where the tokens come from.
fn source(args: &SimArgs) -> TokenSource {
    match (args.flood, args.pace) {
        (Some(events), _) => TokenSource::Flood(events),
        (None, Some(every)) => TokenSource::Pace(Pace {
            first: args.first,
            every,
        }),
        (None, None) => TokenSource::Engine,
    }
}

/// Starts a server on the current runtime.
pub(crate) fn start(config: SimConfig) -> Outcome<Arc<SimServer>> {
    SimServer::start(config)
        .map(Arc::new)
        .map_err(|error| Failure::new(Exit::Usage, error))
}

/// Listens on a port of 127.0.0.1; 0 takes a free one.
pub(crate) fn listen(port: u16) -> Outcome<TcpListener> {
    tokmark_sim::listen((Ipv4Addr::LOCALHOST, port).into()).map_err(|error| {
        let context = format!("cannot listen on 127.0.0.1:{port}");
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("choose another port with --port; 0 takes a free one")
    })
}

/// How late events were, so that nobody takes this server's delay for a client's.
fn lateness(spread: &Spread) -> String {
    let ms = |at: Nanos| format!("{:.3}", at.as_millis_f64());
    format!(
        "{} events with tokens, sent late by p50 {} ms, p99 {} ms, at most {} ms",
        spread.count,
        ms(spread.p50),
        ms(spread.p99),
        ms(spread.max),
    )
}

fn write_truth(path: &Path, truth: &Truth) -> Outcome<()> {
    let text = truth.to_json();
    tokmark_bench::output::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::new(Exit::Failed, error))
}
