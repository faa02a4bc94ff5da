//! The agent on a server's host, from this side.

use std::path::Path;

use tokmark_machine::agent::{AgentClient, AgentError, Token};
use tokmark_run_format::Hardware;

use crate::args::machine::AgentArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// The client of the agent that was named, if one was.
pub(crate) fn client(args: &AgentArgs) -> Outcome<Option<AgentClient>> {
    let (Some(url), Some(file)) = (&args.machine_agent, &args.machine_token_file) else {
        return Ok(None);
    };
    let client =
        AgentClient::new(url, token(file)?).map_err(|error| failure(error, Exit::Usage))?;
    Ok(Some(client))
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
