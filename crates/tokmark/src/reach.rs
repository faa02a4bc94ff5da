//! From an address and its options to an identified server.

use std::sync::Arc;

use tokmark_bench::{ConnectDial, Endpoint, Route, Session, control_endpoint};
use tokmark_driver::{Clock, LoadThreads};
use tokmark_engines::{Address, Control, DEFAULT_TIMEOUT, Declared, IdentifyError};
use tokmark_machine::{LaunchCommand, LaunchPlaces};
use tokmark_run_format::Note;

use crate::args::ServerArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::headers::{headers, key_source};
use crate::local;
use crate::road::{Road, parse_address};

/// A server that was reached and identified.
pub(crate) struct Reached {
    pub(crate) session: Session,
    pub(crate) address: Address,
    /// How the server was started, when it runs on this machine and its process can be seen.
    pub(crate) launch: Option<LaunchCommand>,
    /// Whether the server runs on this machine, as far as the road there tells.
    pub(crate) is_local: bool,
    /// What a person should know about the road.
    pub(crate) said: Option<String>,
    /// What the run keeps of it.
    pub(crate) notes: Vec<Note>,
}

/// Reaches and identifies a server, chooses the model, and finds out what it accepts.
/// `try_fields` sends one tiny request; without it nothing is generated on the server.
pub(crate) async fn reach(
    args: &ServerArgs,
    endpoint: Endpoint,
    load: LoadThreads,
    try_fields: bool,
) -> Outcome<Reached> {
    let address = match &args.url {
        Some(url) => parse_address(url)?,
        None => parse_address(&local::only().await?)?,
    };
    let mut headers = headers(args)?;
    let clock = Clock::start();
    let road = Road::new(args, &address, clock)?;
    headers.extend(road.for_proxy);
    let dial = Arc::new(ConnectDial::new(Arc::clone(&road.connector), clock));
    let target = tokmark_engines::Target::new(&address, headers.clone()).written(road.form);
    let control = Control::new(dial, target, DEFAULT_TIMEOUT);
    let refused = |error: IdentifyError| identify_failure(error, args);
    let mut server = tokmark_engines::identify(&control, args.engine.as_deref())
        .await
        .map_err(refused)?;
    let (launch, elsewhere) = local_launch(&address, road.is_local);
    // Before the model is chosen: a command line may name the only one that is served.
    if let Some(launch) = &launch {
        server.learn_from_launch(&launch.argv);
    }
    let model = server
        .choose_model(args.model.as_deref())
        .map_err(refused)?;
    server.read_capacity(&control).await.map_err(refused)?;
    if let Some(launch) = &launch {
        server.learn_from_settings(tokmark_machine::settings(launch));
    }
    server.declare(Declared {
        max_length: args.max_length,
        max_sequences: args.max_sequences,
    });
    if try_fields {
        server
            .probe_fields(&control, &model, control_endpoint(endpoint))
            .await
            .map_err(|error| {
                let text = error.to_string();
                Failure::new(Exit::Server, error).hint(fields_hint(&text))
            })?;
    }
    let route = Route::new(
        endpoint,
        &address.authority(),
        &format!("{}{}", road.origin, address.path_prefix),
        &headers,
    );
    let capabilities = server.capabilities().clone();
    Ok(Reached {
        session: Session {
            clock,
            connector: road.connector,
            control: Arc::new(control),
            server,
            capabilities,
            model,
            route,
            load,
            watch: None,
        },
        address,
        launch,
        is_local: road.is_local && elsewhere.is_none(),
        said: road.said.or(elsewhere),
        notes: road.notes,
    })
}

/// How a server of this machine was started; or why the port is not its own.
fn local_launch(address: &Address, is_local: bool) -> (Option<LaunchCommand>, Option<String>) {
    if !is_local || address.socket.is_some() {
        return (None, None);
    }
    match tokmark_machine::find_launch(address.port, &LaunchPlaces::default()) {
        Ok(launch) => (Some(launch), None),
        // A tunnel's port is on this machine, the server is not.
        Err(unknown) if unknown.is_elsewhere() => (None, Some(unknown.to_string())),
        Err(_) => (None, None),
    }
}

fn identify_failure(error: IdentifyError, args: &ServerArgs) -> Failure {
    let usage = matches!(
        error,
        IdentifyError::UnknownDialect { .. }
            | IdentifyError::UnknownModel { .. }
            | IdentifyError::SeveralModels { .. }
    );
    let exit = if usage { Exit::Usage } else { Exit::Server };
    let mut hint = error.hint();
    if matches!(error, IdentifyError::Unauthorized { .. }) {
        hint = match key_source(args) {
            "none" => {
                "give a key with --api-key-file FILE, --api-key or TOKMARK_API_KEY".to_owned()
            }
            source => format!("the key from {source} was refused; give another one"),
        };
    }
    Failure::new(exit, error).hint(hint)
}

fn fields_hint(text: &str) -> &'static str {
    if text.contains("model") {
        "name the served model with --model"
    } else {
        "look at the server's log; `tokmark probe` shows what it says about itself"
    }
}
