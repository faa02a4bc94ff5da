//! From an address and its options to an identified server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use tokmark_bench::{ConnectDial, Endpoint, Route, Session, control_endpoint};
use tokmark_driver::{Clock, Connect, LoadThreads, Target, TcpConnect, TlsSettings};
use tokmark_engines::{Address, Control, DEFAULT_TIMEOUT, IdentifyError, Scheme};
use tokmark_machine::LaunchCommand;

use crate::args::ServerArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// How long one connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server that was reached and identified.
pub(crate) struct Reached {
    pub(crate) session: Session,
    pub(crate) address: Address,
    /// How the server was started, when it runs on this machine and its process can be seen.
    pub(crate) launch: Option<LaunchCommand>,
}

impl Reached {
    /// Whether the server runs on this machine, as far as the address tells.
    pub(crate) fn is_local(&self) -> bool {
        is_loopback(&self.address.host)
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

/// Reaches and identifies a server, chooses the model, and finds out what it accepts.
/// `try_fields` sends one tiny request; without it nothing is generated on the server.
pub(crate) async fn reach(
    args: &ServerArgs,
    endpoint: Endpoint,
    load: LoadThreads,
    try_fields: bool,
) -> Outcome<Reached> {
    let address = Address::parse(&args.url).map_err(|error| {
        let hint = error.hint();
        Failure::new(Exit::Usage, error).hint(hint)
    })?;
    let headers = headers(args)?;
    let clock = Clock::start();
    let connector = connector(args, &address, clock)?;
    let dial = Arc::new(ConnectDial::new(Arc::clone(&connector), clock));
    let target = tokmark_engines::Target::new(&address, headers.clone());
    let control = Control::new(dial, target, DEFAULT_TIMEOUT);
    let refused = |error: IdentifyError| identify_failure(error, args);
    let mut server = tokmark_engines::identify(&control, args.engine.as_deref())
        .await
        .map_err(refused)?;
    let model = server
        .choose_model(args.model.as_deref())
        .map_err(refused)?;
    server.read_capacity(&control).await.map_err(refused)?;
    let launch = Some(&address)
        .filter(|address| is_loopback(&address.host))
        .and_then(|address| tokmark_machine::launch_command(address.port, Path::new("/proc")));
    if let Some(launch) = &launch {
        server.learn_from_launch(&launch.argv);
    }
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
        &address.path_prefix,
        &headers,
    );
    let capabilities = server.capabilities().clone();
    Ok(Reached {
        session: Session {
            clock,
            connector,
            control: Arc::new(control),
            server,
            capabilities,
            model,
            route,
            load,
        },
        address,
        launch,
    })
}

fn connector(args: &ServerArgs, address: &Address, clock: Clock) -> Outcome<Arc<dyn Connect>> {
    let (host, port) = match &args.connect_to {
        None => (address.host.clone(), address.port),
        Some(text) => {
            let other = Address::parse(text).map_err(|error| {
                let hint = error.hint();
                Failure::new(Exit::Usage, error).hint(hint)
            })?;
            (other.host, other.port)
        }
    };
    let target = Target {
        server_name: (host != address.host).then(|| address.host.clone()),
        host,
        port,
        tls: address.scheme == Scheme::Https,
        connect_timeout: CONNECT_TIMEOUT,
    };
    let tls = TlsSettings {
        ca_pem: args.ca.as_deref().map(read_file).transpose()?,
        insecure: args.insecure,
    };
    let connector = TcpConnect::new(target, &tls, clock)
        .map_err(|error| Failure::new(Exit::Usage, error).hint("check the file given to --ca"))?;
    Ok(Arc::new(connector))
}

fn headers(args: &ServerArgs) -> Outcome<Vec<(HeaderName, HeaderValue)>> {
    let mut headers = Vec::new();
    if let Some(key) = api_key(args)? {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            Failure::saying(
                Exit::Usage,
                "the API key holds characters that no header may have",
            )
        })?;
        value.set_sensitive(true);
        headers.push((http::header::AUTHORIZATION, value));
    }
    for text in &args.headers {
        headers.push(header(text)?);
    }
    Ok(headers)
}

fn header(text: &str) -> Outcome<(HeaderName, HeaderValue)> {
    let bad = || {
        Failure::saying(Exit::Usage, format!("`{text}` is not a header"))
            .hint("write it as 'Name: value'")
    };
    let (name, value) = text.split_once(':').ok_or_else(bad)?;
    let name = name.trim().parse().map_err(|_| bad())?;
    let mut value: HeaderValue = value.trim().parse().map_err(|_| bad())?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn api_key(args: &ServerArgs) -> Outcome<Option<String>> {
    if let Some(key) = &args.api_key {
        return Ok(Some(key.trim().to_owned()).filter(|key| !key.is_empty()));
    }
    let Some(path) = &args.api_key_file else {
        return Ok(None);
    };
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if text.is_empty() {
        let message = format!("the API key file `{}` is empty", path.display());
        return Err(Failure::saying(Exit::Usage, message));
    }
    Ok(Some(text))
}

fn read_file(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })
}

/// Where the key came from, for messages; never the key (case B095).
fn key_source(args: &ServerArgs) -> &'static str {
    match (&args.api_key, &args.api_key_file) {
        (Some(_), _) => "--api-key or TOKMARK_API_KEY",
        (None, Some(_)) => "--api-key-file",
        (None, None) => "none",
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
