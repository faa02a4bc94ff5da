//! The agent on a server's host, from this side.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokmark_driver::{Clock, Connect, Protocol, Target, TcpConnect, Way, is_this_machine};
use tokmark_machine::agent::{AgentAddress, AgentClient, AgentError, Dial, Dialing, Io, Token};
use tokmark_run_format::Hardware;

use crate::args::TrustArgs;
use crate::args::machine::AgentArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::road::{CONNECT_TIMEOUT, trusting};

/// What to do about a token that others could read.
pub(crate) const IN_THE_CLEAR: &str = "the token travels in the clear: forward a port with \
    `ssh -L 9417:127.0.0.1:9417 HOST`, or let a server that speaks TLS stand in front";

/// The client of the agent that was named, if one was.
pub(crate) fn client(args: &AgentArgs, trust: &TrustArgs) -> Outcome<Option<AgentClient>> {
    let (Some(url), Some(file)) = (&args.machine_agent, &args.machine_token_file) else {
        return Ok(None);
    };
    let address = AgentAddress::parse(url).map_err(|error| failure(error, Exit::Usage))?;
    let token = token(file)?;
    if !address.tls {
        return Ok(Some(AgentClient::plain(&address, token)));
    }
    let clock = Clock::start();
    let target = Target {
        server_name: None,
        host: address.host.clone(),
        port: address.port,
        tls: true,
        way: Way::Direct,
        protocol: Protocol::Http1,
        connect_timeout: CONNECT_TIMEOUT,
    };
    let connector = trusting(target, trust, clock)?;
    let dial = Arc::new(OverTls { connector, clock });
    let client = AgentClient::dialing(dial, address.authority(), token);
    Ok(Some(client))
}

/// What a person should know of the way to the agent that was named.
pub(crate) fn said(args: &AgentArgs) -> Option<String> {
    let address = AgentAddress::parse(args.machine_agent.as_deref()?).ok()?;
    let is_open = !address.tls && !is_this_machine(&address.host);
    is_open.then(|| format!("the machine agent is asked without TLS, and {IN_THE_CLEAR}"))
}

/// The driver's connections with TLS, trusted as those to the server are.
struct OverTls {
    connector: TcpConnect,
    clock: Clock,
}

impl Dial for OverTls {
    fn dial(&self) -> Dialing<'_> {
        Box::pin(async {
            let connected = self.connector.connect(self.clock).await;
            let connected = connected.map_err(|error| io::Error::new(error.kind(), error))?;
            let io: Box<dyn Io> = Box::new(connected.into_io());
            Ok(io)
        })
    }
}

/// The host's hardware; with a port what the server there uses of it.
pub(crate) async fn inventory(client: &AgentClient, port: Option<u16>) -> Outcome<Hardware> {
    client
        .inventory(port)
        .await
        .map_err(|error| failure(error, Exit::Server))
}

/// The token in a file.
pub(crate) fn token(file: &Path) -> Outcome<Token> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let context = format!("cannot read `{}`", file.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("make a token with `openssl rand -hex 32 > FILE`")
    })?;
    Token::read(&text).map_err(|error| {
        let context = format!("`{}` holds no token", file.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("make a token with `openssl rand -hex 32 > FILE`")
    })
}

fn failure(error: AgentError, exit: Exit) -> Failure {
    let hint = error.hint();
    Failure::new(exit, error).hint(hint)
}
