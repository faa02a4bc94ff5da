//! The road to a server: straight, over a Unix socket or through a proxy; TLS; the version of HTTP.

use std::sync::Arc;
use std::time::Duration;

use http::header::PROXY_AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use tokmark_driver::{
    Clock, Connect, Protocol, Proxy, ProxyVariables, Target, TcpConnect, TlsSettings, Way,
    is_this_machine,
};
use tokmark_engines::{Address, Form, Scheme};
use tokmark_run_format::Note;

use crate::args::server::ArrivalTime;
use crate::args::{ServerArgs, TrustArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::headers::read_file;

/// How long one connection may take to open.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What of an address and its options the requests need to know.
pub(crate) struct Road {
    pub(crate) connector: Arc<dyn Connect>,
    /// How requests are written.
    pub(crate) form: Form,
    /// What stands before the path in a request that a proxy forwards.
    pub(crate) origin: String,
    /// The credentials for a proxy that forwards requests.
    pub(crate) for_proxy: Option<(HeaderName, HeaderValue)>,
    /// Whether the server runs on this machine, as far as the road tells.
    pub(crate) is_local: bool,
    /// What the person should know.
    pub(crate) said: Option<String>,
    /// What the run keeps of it, without names and addresses.
    pub(crate) notes: Vec<Note>,
}

/// A way and the option or variable that chose its proxy.
struct Chosen {
    way: Way,
    by: Option<String>,
}

impl Road {
    /// Of an address and the options about the way there.
    pub(crate) fn new(args: &ServerArgs, address: &Address, clock: Clock) -> Outcome<Self> {
        let end = match &args.connect_to {
            None => address.clone(),
            Some(text) => parse_address(text)?,
        };
        let tls = address.scheme == Scheme::Https;
        let chosen = choose(args, &end, tls)?;
        let form = match &chosen.way {
            _ if args.http2 => Form::Http2,
            Way::Forwarded(_) => Form::Absolute,
            _ => Form::Origin,
        };
        let origin = match form {
            Form::Absolute => format!("http://{}", address.authority()),
            Form::Origin | Form::Http2 => String::new(),
        };
        let forwarded = chosen.way.forwarded_by();
        let for_proxy = forwarded.and_then(|proxy| proxy.authorization.clone());
        Ok(Self {
            is_local: chosen.way.proxy().is_none() && is_this_machine(&end.host),
            said: chosen.said(),
            notes: notes(args, &chosen.way),
            form,
            origin,
            for_proxy: for_proxy.map(|value| (PROXY_AUTHORIZATION, value)),
            connector: connector(args, address, end, chosen.way, clock)?,
        })
    }
}

impl Chosen {
    fn straight(way: Way) -> Self {
        Self { way, by: None }
    }

    fn said(&self) -> Option<String> {
        let (proxy, by) = (self.way.proxy()?, self.by.as_deref()?);
        Some(format!("through the proxy `{}` ({by})", proxy.address()))
    }
}

/// An address of the command line.
pub(crate) fn parse_address(text: &str) -> Outcome<Address> {
    Address::parse(text).map_err(|error| {
        let hint = error.hint();
        Failure::new(Exit::Usage, error).hint(hint)
    })
}

fn connector(
    args: &ServerArgs,
    address: &Address,
    end: Address,
    way: Way,
    clock: Clock,
) -> Outcome<Arc<dyn Connect>> {
    let target = Target {
        server_name: (end.host != address.host).then(|| address.host.clone()),
        host: end.host,
        port: end.port,
        tls: address.scheme == Scheme::Https,
        way,
        protocol: if args.http2 {
            Protocol::Http2
        } else {
            Protocol::Http1
        },
        connect_timeout: CONNECT_TIMEOUT,
    };
    let connector = trusting(target, &args.trust, clock)?;
    Ok(Arc::new(if args.arrival == ArrivalTime::Read {
        connector.with_read_times()
    } else {
        connector
    }))
}

/// A connector that judges certificates as it was told to.
pub(crate) fn trusting(target: Target, trust: &TrustArgs, clock: Clock) -> Outcome<TcpConnect> {
    let tls = TlsSettings {
        ca_pem: trust.ca.as_deref().map(read_file).transpose()?,
        insecure: trust.insecure,
    };
    TcpConnect::new(target, &tls, clock)
        .map_err(|error| Failure::new(Exit::Usage, error).hint("check the file given to --ca"))
}

/// The way to `end`. A proxy of the command line is used for every address, those of the
/// environment as `no_proxy` says and never for this machine (case B089).
fn choose(args: &ServerArgs, end: &Address, tls: bool) -> Outcome<Chosen> {
    if let Some(socket) = &end.socket {
        if args.proxy.is_some() {
            let message = "a Unix socket cannot be reached through a proxy";
            return Err(Failure::saying(Exit::Usage, message).hint("leave out --proxy"));
        }
        return Ok(Chosen::straight(Way::Unix(socket.clone())));
    }
    let (proxy, by) = if args.no_proxy {
        return Ok(Chosen::straight(Way::Direct));
    } else if let Some(text) = &args.proxy {
        let proxy = Proxy::parse(text).map_err(|error| {
            Failure::new(Exit::Usage, error).hint("for example --proxy http://user@proxy:3128")
        })?;
        (proxy, "--proxy".to_owned())
    } else {
        let variables = ProxyVariables::read(|name| std::env::var(name).ok());
        let found = variables
            .choose(tls, &end.host, end.port)
            .map_err(|error| {
                Failure::new(Exit::Usage, error)
                    .hint("--no-proxy goes without it, --proxy URL names another one")
            })?;
        match found {
            None => return Ok(Chosen::straight(Way::Direct)),
            Some(found) => (found.proxy, found.variable),
        }
    };
    // Only plain HTTP/1.1 to the address itself can be forwarded request by request.
    let needs_tunnel = tls || args.http2 || args.connect_to.is_some();
    let way = if needs_tunnel {
        Way::Tunnelled(proxy)
    } else {
        Way::Forwarded(proxy)
    };
    Ok(Chosen { way, by: Some(by) })
}

fn notes(args: &ServerArgs, way: &Way) -> Vec<Note> {
    let noted = [
        (
            args.trust.insecure,
            "insecure_tls",
            "the server's TLS certificate was not checked",
        ),
        (
            way.proxy().is_some(),
            "proxy",
            "the requests went through an HTTP proxy, whose time is in every latency",
        ),
        (args.http2, "http2", "the requests were sent over HTTP/2"),
    ];
    noted
        .into_iter()
        .filter(|(holds, ..)| *holds)
        .map(|(_, code, text)| Note {
            code: code.to_owned(),
            text: text.to_owned(),
        })
        .collect()
}
