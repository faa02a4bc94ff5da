//! Serving the site, and looking after its data.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Where the site's data is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct StoreArgs {
    /// Folder for the SQLite file and the objects [default: the platform's data folder]
    #[arg(long, value_name = "DIR", env = "TOKMARK_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// A PostgreSQL database in place of the SQLite file: `postgres://USER:PASSWORD@HOST/DATABASE`
    #[arg(
        long,
        value_name = "URL",
        env = "TOKMARK_DATABASE",
        hide_env_values = true
    )]
    pub(crate) database: Option<String>,
    /// Folder for run documents and evidence [default: `objects` in the data folder]
    #[arg(long, value_name = "DIR", env = "TOKMARK_OBJECTS")]
    pub(crate) objects: Option<String>,
}

/// `tokmark serve`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 takes a free one.
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7878",
        env = "TOKMARK_LISTEN"
    )]
    pub(crate) listen: SocketAddr,
    /// Address by which others reach the site, for the pictures that other sites show with a link
    #[arg(long, value_name = "URL", env = "TOKMARK_PUBLIC_ADDRESS", value_parser = public_address)]
    pub(crate) public_address: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `tokmark site`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SiteCommand {
    /// Fill the database with simulated runs, to try the site at its later size.
    Seed(SeedArgs),
}

/// `tokmark site seed`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SeedArgs {
    /// How many runs.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) runs: u32,
    /// Number that decides every figure: the same gives the same runs, which are stored once.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

fn public_address(text: &str) -> Result<String, String> {
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    match host {
        Some(host) if !host.is_empty() && !host.contains(char::is_whitespace) => {
            Ok(text.to_owned())
        }
        _ => Err("expected `https://HOST` or `http://HOST`".to_owned()),
    }
}
