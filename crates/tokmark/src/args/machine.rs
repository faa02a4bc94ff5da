//! Arguments of `machine` and `machine-agent`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tokmark_units::parse_duration;

use super::TrustArgs;

/// Arguments of `machine`.
#[derive(Debug, Args)]
pub(crate) struct MachineArgs {
    /// Measure the memory bandwidth of processor and accelerators, and keep it for the runs against
    /// servers on this machine. Loads every core for some seconds, and takes half of the memory that
    /// is free on each accelerator: never while something is measured.
    #[arg(long)]
    pub(crate) probe: bool,
    /// Print one JSON document, which `run --hardware` takes as a file.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
    #[command(flatten)]
    pub(crate) trust: TrustArgs,
}

/// Another machine, through an agent.
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentArgs {
    /// Agent on the server's host, for its hardware: see `tokmark machine-agent`. With `https://`
    /// something in front of it speaks TLS.
    #[arg(
        long,
        value_name = "URL",
        env = "TOKMARK_MACHINE_AGENT",
        requires = "machine_token_file"
    )]
    pub(crate) machine_agent: Option<String>,
    /// File with the agent's token.
    #[arg(
        long,
        value_name = "FILE",
        env = "TOKMARK_MACHINE_TOKEN_FILE",
        requires = "machine_agent"
    )]
    pub(crate) machine_token_file: Option<PathBuf>,
}

/// Arguments of `machine-agent`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    openssl rand -hex 32 > token.txt\n  \
    tokmark machine-agent --token-file token.txt\n  \
    ssh -L 9417:127.0.0.1:9417 server    (on the client)\n\n\
    Answers, each with the header `Authorization: Bearer TOKEN`:\n  \
    /v1/inventory          hardware\n  \
    /v1/telemetry?after=T  readings after T nanoseconds of the agent's clock\n  \
    /v1/telemetry/stream   the same, a line per period\n  \
    /v1/launch?port=N      how the server on a port was started, without secrets")]
pub(crate) struct MachineAgentArgs {
    /// File with the token that clients must give, at least 16 characters.
    #[arg(long, value_name = "FILE", env = "TOKMARK_MACHINE_TOKEN_FILE")]
    pub(crate) token_file: PathBuf,
    /// Address to listen on. The connection is not encrypted, the token in it neither: forward a
    /// port rather than open it, or let something in front of it speak TLS.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9417")]
    pub(crate) listen: SocketAddr,
    /// Time between two readings, 100ms to 500ms.
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = parse_duration)]
    pub(crate) period: Duration,
}
