//! Options of `selftest`.

use clap::{Args, ValueEnum};

use super::server::ArrivalTime;

/// Arguments of `selftest`.
#[derive(Debug, Args)]
pub(crate) struct SelftestArgs {
    /// Streams of the flooded measurements.
    #[arg(long, value_delimiter = ',', default_value = "1,64,1024", value_parser = streams())]
    pub(crate) flood: Vec<u32>,
    /// Streams of the paced measurements, one token every 5 ms on each.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64,256", value_parser = streams())]
    pub(crate) paced: Vec<u32>,
    /// Connections that are opened at once.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) open: u32,
    /// Length of each measurement in seconds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub(crate) seconds: u64,
    /// Repeat a measurement up to so many times and keep the best: others use this machine too.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) tries: u32,
    /// Print the figures as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a client of `selftest` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelftestRole {
    /// Measure with tokmark's own load path.
    Load,
    /// Read with the minimal drain.
    Drain,
    /// Open connections and do nothing.
    Open,
}

/// Arguments of a client of `selftest`.
#[derive(Debug, Args)]
pub(crate) struct SelftestClientArgs {
    /// What to do.
    #[arg(long)]
    pub(crate) role: SelftestRole,
    /// The server's `host:port`.
    #[arg(long)]
    pub(crate) address: std::net::SocketAddr,
    /// Streams.
    #[arg(long)]
    pub(crate) streams: u32,
    /// Tokens of an answer.
    #[arg(long)]
    pub(crate) tokens: u32,
    /// Seconds.
    #[arg(long)]
    pub(crate) seconds: u64,
    /// Give every request an output limit of its own.
    #[arg(long)]
    pub(crate) distinct: bool,
    /// What the time of an arrival is.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) arrival: ArrivalTime,
    /// Run on this core only.
    #[arg(long)]
    pub(crate) core: Option<usize>,
    /// Let another thread on the same core use all of it that it can get.
    #[arg(long)]
    pub(crate) starve: bool,
}

/// From one stream to more than any machine has ports for.
fn streams() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=60_000)
}
