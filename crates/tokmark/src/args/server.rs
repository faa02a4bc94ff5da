//! How to reach a server.

use std::path::PathBuf;

use clap::Args;

/// Options about the server and the way to it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Address of the server: `host:port`, with or without `http://`, a path, or `/v1`.
    #[arg(value_name = "URL", env = "TOKMARK_URL")]
    pub(crate) url: String,
    /// The served model, when the server has several.
    #[arg(long, env = "TOKMARK_MODEL")]
    pub(crate) model: Option<String>,
    /// What the server is, when it hides it: `vllm`, `llamacpp` or `openai`.
    #[arg(long, value_name = "DIALECT", env = "TOKMARK_ENGINE")]
    pub(crate) engine: Option<String>,
    /// API key. Never shown, never stored.
    #[arg(
        long,
        value_name = "KEY",
        env = "TOKMARK_API_KEY",
        hide_env_values = true
    )]
    pub(crate) api_key: Option<String>,
    /// File that holds the API key.
    #[arg(
        long,
        value_name = "FILE",
        env = "TOKMARK_API_KEY_FILE",
        conflicts_with = "api_key"
    )]
    pub(crate) api_key_file: Option<PathBuf>,
    /// Another header, `Name: value`. Can be given several times.
    #[arg(long = "header", value_name = "HEADER")]
    pub(crate) headers: Vec<String>,
    /// PEM file of certificates to trust besides the system's.
    #[arg(long, value_name = "FILE", env = "TOKMARK_CA")]
    pub(crate) ca: Option<PathBuf>,
    /// Accept any TLS certificate; the run says so.
    #[arg(long, env = "TOKMARK_INSECURE")]
    pub(crate) insecure: bool,
    /// Connect to this `host:port` instead of the URL's.
    #[arg(long, value_name = "HOST:PORT", env = "TOKMARK_CONNECT_TO")]
    pub(crate) connect_to: Option<String>,
}

impl ServerArgs {
    /// A server at an address, and nothing said beside.
    pub(crate) fn plain(url: String) -> Self {
        Self {
            url,
            model: None,
            engine: None,
            api_key: None,
            api_key_file: None,
            headers: Vec::new(),
            ca: None,
            insecure: false,
            connect_to: None,
        }
    }
}
