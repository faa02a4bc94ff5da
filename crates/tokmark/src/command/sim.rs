//! `tokmark sim`.

use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokmark_sim::{Dialect, Preset, SimConfig, SimServer};

use crate::args::SimArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// Serves until Ctrl-C.
pub(crate) async fn run(args: SimArgs, quiet: bool) -> Outcome {
    if args.list {
        for preset in Preset::ALL {
            say::result(preset);
        }
        return Ok(Exit::Done);
    }
    let config = config(&args)?;
    let model = config.model.served_name.clone();
    let server = start(config)?;
    let listener = listen(args.port).await?;
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
    if let Some(path) = &args.truth {
        write_truth(path, &server)?;
    }
    Ok(Exit::Done)
}

fn config(args: &SimArgs) -> Outcome<SimConfig> {
    let usage = |error: anyhow::Error| Failure::new(Exit::Usage, error);
    let preset = Preset::parse(&args.preset).map_err(|error| usage(error.into()))?;
    let mut config = preset.config();
    config.dialect = Dialect::parse(&args.dialect).map_err(|error| usage(error.into()))?;
    config.engine.seed = args.seed;
    config.api_key.clone_from(&args.api_key);
    config.keep_truth = args.truth.is_some();
    Ok(config)
}

/// Starts a server on the current runtime.
pub(crate) fn start(config: SimConfig) -> Outcome<Arc<SimServer>> {
    SimServer::start(config)
        .map(Arc::new)
        .map_err(|error| Failure::new(Exit::Usage, error))
}

/// Listens on a port of 127.0.0.1; 0 takes a free one.
pub(crate) async fn listen(port: u16) -> Outcome<TcpListener> {
    TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| {
            let context = format!("cannot listen on 127.0.0.1:{port}");
            Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
                .hint("choose another port with --port; 0 takes a free one")
        })
}

fn write_truth(path: &Path, server: &SimServer) -> Outcome<()> {
    let text = server.truth().to_json();
    tokmark_bench::output::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::new(Exit::Failed, error))
}
