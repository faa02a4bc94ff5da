//! How to reach a server.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What the time of an arrival is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ArrivalTime {
    /// The kernel's receive stamp.
    #[default]
    Kernel,
    /// When the read returned.
    Read,
}

/// Which certificates are trusted, of the server and of an agent on its host.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TrustArgs {
    /// PEM file of certificates to trust besides the system's.
    #[arg(long, value_name = "FILE", env = "TOKMARK_CA")]
    pub(crate) ca: Option<PathBuf>,
    /// Accept any TLS certificate; the run says so.
    #[arg(long, env = "TOKMARK_INSECURE")]
    pub(crate) insecure: bool,
}

/// Options about the server and the way to it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Address of the server: `host:port`, with or without `http://`, a path, or `/v1`; or `unix:/path/to.sock` [default: the only server that runs on this machine]
    #[arg(value_name = "URL", env = "TOKMARK_URL")]
    pub(crate) url: Option<String>,
    /// The served model, when the server has several.
    #[arg(long, env = "TOKMARK_MODEL")]
    pub(crate) model: Option<String>,
    /// What the server is, when it hides it: `vllm`, `sglang`, `llamacpp`, `ollama`, `lmstudio`, `tgi`, `tensorrt-llm`, `lmdeploy`, `tabbyapi`, `mlx-lm`, `mlc`, `dynamo`, `mistralrs`, `llm-d-sim`, `transformers` or `openai`.
    #[arg(long, value_name = "DIALECT", env = "TOKMARK_ENGINE")]
    pub(crate) engine: Option<String>,
    /// Most tokens of one request, prompt and output, when the server does not say.
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_MAX_LENGTH", value_parser = super::work::tokens)]
    pub(crate) max_length: Option<u64>,
    /// Most requests that the server runs at once, when it does not say.
    #[arg(long, value_name = "N", env = "TOKMARK_MAX_SEQUENCES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sequences: Option<u32>,
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
    #[arg(
        long = "header",
        value_name = "HEADER",
        env = "TOKMARK_HEADER",
        hide_env_values = true
    )]
    pub(crate) headers: Vec<String>,
    #[command(flatten)]
    pub(crate) trust: TrustArgs,
    /// Speak HTTP/2: agreed on in the TLS handshake, or taken for granted on plain connections.
    #[arg(long, env = "TOKMARK_HTTP2")]
    pub(crate) http2: bool,
    /// HTTP proxy for every address [default: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, never for this machine]
    #[arg(
        long,
        value_name = "URL",
        env = "TOKMARK_PROXY",
        hide_env_values = true,
        conflicts_with = "no_proxy"
    )]
    pub(crate) proxy: Option<String>,
    /// No proxy, whatever the environment says.
    #[arg(long, env = "TOKMARK_NO_PROXY")]
    pub(crate) no_proxy: bool,
    /// Connect to this `host:port` or `unix:/path/to.sock` instead of the URL's.
    #[arg(long, value_name = "HOST:PORT", env = "TOKMARK_CONNECT_TO")]
    pub(crate) connect_to: Option<String>,
    /// What an arrival's time is: the kernel's stamp, where it has one, or the time when a read
    /// returned, to see the difference.
    #[arg(long, value_enum, default_value_t, hide = true)]
    pub(crate) arrival: ArrivalTime,
}

impl ServerArgs {
    /// A server at an address, and nothing said beside.
    pub(crate) fn plain(url: String) -> Self {
        Self {
            url: Some(url),
            model: None,
            engine: None,
            max_length: None,
            max_sequences: None,
            api_key: None,
            api_key_file: None,
            headers: Vec::new(),
            trust: TrustArgs::default(),
            http2: false,
            proxy: None,
            no_proxy: true,
            connect_to: None,
            arrival: ArrivalTime::Kernel,
        }
    }
}
