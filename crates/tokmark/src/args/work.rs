//! What to measure, import and simulate.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use tokmark_sim::{FaultError, FaultRule};
use tokmark_units::context::ContextEntry;
use tokmark_units::{Context, parse_context_list, parse_duration, parse_level_list};

use super::{AgentArgs, ServerArgs};

/// A list given as one argument; clap would take a `Vec` for many arguments.
pub(crate) type List<T> = Box<[T]>;

/// Options about the matrix, shared by `run` and `probe`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Matrix")]
pub(crate) struct PlanArgs {
    /// Contexts, such as `0,16k,max`. K is 1,024 [default: 0,16k,32k,64k,128k,max as far as they fit]
    #[arg(long, value_name = "LIST", env = "TOKMARK_CONTEXTS", value_parser = contexts)]
    pub(crate) contexts: Option<List<ContextEntry>>,
    /// Requests at once, such as `1,2,4` or `1..128x2` [default: 1,2,4,8,16,32,64,128]
    #[arg(long, value_name = "LIST", env = "TOKMARK_REQUESTS", value_parser = levels)]
    pub(crate) requests: Option<List<u32>>,
    /// Contexts of the prefill rows [default: 8k and the non-zero contexts]
    #[arg(long, value_name = "LIST", env = "TOKMARK_PREFILL_CONTEXTS", value_parser = lengths)]
    pub(crate) prefill_contexts: Option<List<Context>>,
    /// Length of a measurement window [default: 30s]
    #[arg(long, value_name = "TIME", env = "TOKMARK_DURATION", value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// How thorough: `quick` ends a window early when its rate is known to 2 %, `rigorous` measures each cell three times.
    #[arg(long, env = "TOKMARK_PROFILE", default_value = "standard")]
    pub(crate) profile: Thoroughness,
    /// Most output tokens of one request.
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_MAX_OUTPUT", default_value = "8192", value_parser = tokens)]
    pub(crate) max_output: u64,
    /// Which cells are left out for lack of KV cache.
    #[arg(long, env = "TOKMARK_CAPACITY", default_value = "expected")]
    pub(crate) capacity: Capacity,
    /// Tokens that the server's KV cache holds, when it does not say.
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_KV_BUDGET", value_parser = tokens)]
    pub(crate) kv_budget: Option<u64>,
    /// All requests share one document: much quicker, and the run says so.
    #[arg(long, env = "TOKMARK_SHARED_CONTEXT")]
    pub(crate) shared_context: bool,
    /// Where prefill is measured.
    #[arg(long, env = "TOKMARK_PREFILL", default_value = "warm-up")]
    pub(crate) prefill: Prefill,
    /// Cold prefill samples per context [default: 3, 2 or 1 by the time that one takes]
    #[arg(long, value_name = "N", env = "TOKMARK_PREFILL_SAMPLES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) prefill_samples: Option<u32>,
    /// The route that is measured.
    #[arg(long, env = "TOKMARK_ENDPOINT", default_value = "chat")]
    pub(crate) endpoint: Route,
    /// Longest silence inside an answer.
    #[arg(long, value_name = "TIME", env = "TOKMARK_STALL_TIMEOUT", default_value = "60s", value_parser = parse_duration)]
    pub(crate) stall_timeout: Duration,
    /// How long a server that answers nobody is waited for: it may be starting again.
    #[arg(long, value_name = "TIME", env = "TOKMARK_WAIT_SERVER", default_value = "60s", value_parser = parse_duration)]
    pub(crate) wait_server: Duration,
    /// End after this long. One request at every context is kept first, then every level at context 0, the corner, the rest.
    #[arg(long, value_name = "TIME", env = "TOKMARK_MAX_TIME", value_parser = parse_duration)]
    pub(crate) max_time: Option<Duration>,
    /// Seed of the prompts.
    #[arg(long, env = "TOKMARK_SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Do not discard cells whose text repeats itself.
    #[arg(long, env = "TOKMARK_NO_LOOP_CHECK")]
    pub(crate) no_loop_check: bool,
}

/// How thorough a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Thoroughness {
    /// A window may end after a third, half or two thirds of its time.
    Quick,
    /// Whole windows, each cell once.
    Standard,
    /// Whole windows, each cell three times.
    Rigorous,
}

/// Which cells are left out for lack of KV cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Capacity {
    /// Prompts and expected output must fit.
    Expected,
    /// Context and longest output are reserved for every request.
    Reserve,
    /// Every cell is tried.
    Try,
}

/// Where prefill is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prefill {
    /// On the documents that decode needs.
    WarmUp,
    /// Nothing else is measured.
    Standalone,
    /// Not at all.
    Off,
}

/// The measured route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Route {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/completions`.
    Completions,
}

/// Arguments of `run`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    tokmark run\n  \
    tokmark run http://127.0.0.1:8000\n  \
    tokmark run localhost:8080 --contexts 0,2k,8k --requests 1,2,4,8 --duration 10s\n  \
    tokmark run https://llm.example/v1 --api-key-file key.txt --model my-model --output results")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) facts: FactArgs,
    /// Empty the server's prefix cache before the run, where the server lets a client do that.
    #[arg(long, env = "TOKMARK_RESET_CACHE")]
    pub(crate) reset_cache: bool,
    /// Folder for the result [default: tokmark-runs/MODEL-HARDWARE-TIME]
    #[arg(long, short, value_name = "DIR", env = "TOKMARK_OUTPUT")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with an unfinished run: that of this folder, or the newest that has the same server, model and plan.
    #[arg(long, value_name = "DIR", num_args = 0..=1, env = "TOKMARK_RESUME")]
    #[expect(
        clippy::option_option,
        reason = "how clap says that a value may follow"
    )]
    pub(crate) resume: Option<Option<PathBuf>>,
    /// Plain progress lines in place of the full screen. The default in a pipe and in CI.
    #[arg(long, env = "TOKMARK_PLAIN")]
    pub(crate) plain: bool,
    /// Ask nothing.
    #[arg(long, short, env = "TOKMARK_YES")]
    pub(crate) yes: bool,
    /// Print the run document to stdout.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a person knows and a server may not tell.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Facts for the result")]
pub(crate) struct FactArgs {
    /// The server's machine: `auto` (this machine, when the address is local), `none`, or a TOML or JSON file.
    #[arg(
        long,
        value_name = "FILE|auto|none",
        env = "TOKMARK_HARDWARE",
        default_value = "auto"
    )]
    pub(crate) hardware: String,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
    /// The command that started the server; secrets in it are removed.
    #[arg(long, value_name = "COMMAND", env = "TOKMARK_LAUNCH_COMMAND")]
    pub(crate) launch_command: Option<String>,
    /// Repository of the model, `owner/name`.
    #[arg(long, value_name = "OWNER/NAME", env = "TOKMARK_REPOSITORY")]
    pub(crate) repository: Option<String>,
    /// Revision of the model.
    #[arg(long, env = "TOKMARK_REVISION")]
    pub(crate) revision: Option<String>,
    /// Quantization of the weights, such as `AWQ 4-bit` or `Q4_K_M`.
    #[arg(long, env = "TOKMARK_QUANTIZATION")]
    pub(crate) quantization: Option<String>,
    /// Type of the KV cache, such as `fp8` or `q8_0`.
    #[arg(long, env = "TOKMARK_KV_TYPE")]
    pub(crate) kv_type: Option<String>,
    /// Folder or file of the model on this machine: `config.json` with its safetensors, or GGUF; for the share of the roofline [default: what the server's launch names, else the catalogue]
    #[arg(long, value_name = "PATH", env = "TOKMARK_MODEL_FILES")]
    pub(crate) model_files: Option<PathBuf>,
    /// Compute backend, such as `cuda`, `rocm`, `metal` or `cpu`.
    #[arg(long, env = "TOKMARK_BACKEND")]
    pub(crate) backend: Option<String>,
    /// Build or container image of the server.
    #[arg(long, env = "TOKMARK_BUILD")]
    pub(crate) build: Option<String>,
    /// A remark that the result carries.
    #[arg(long, env = "TOKMARK_NOTE")]
    pub(crate) note: Option<String>,
}

/// Arguments of `probe`.
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// A run document, or a folder that holds one.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Result files of other tools; `-` is the standard input.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Folder for the runs.
    #[arg(long, short, value_name = "DIR", default_value = "tokmark-runs")]
    pub(crate) output: PathBuf,
    /// The tool that wrote them, where the content does not tell.
    #[arg(long, value_name = "TOOL", value_parser = PossibleValuesParser::new(tokmark_import::tools()))]
    pub(crate) tool: Option<String>,
    /// Show each field of a file: what it is there, where it went, or why it did not.
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Arguments of `sim`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct SimArgs {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, env = "TOKMARK_SIM_PORT", default_value_t = 8000)]
    pub(crate) port: u16,
    /// The server that it stands for: `vllm`, `sglang`, `llamacpp`, `ollama`, `tgi`,
    /// `tensorrt-llm`, `lmdeploy`, `tabbyapi`, `mlx-lm`, `dynamo`, `mistralrs`, `transformers`
    /// or `openai`.
    #[arg(long, default_value = "vllm")]
    pub(crate) dialect: String,
    /// The machine and model that it stands for.
    #[arg(long, default_value = "small")]
    pub(crate) preset: String,
    /// Another value of one of the preset's parameters, such as `cost.fixed_ns=9000000`; may be
    /// given several times. `--list-parameters` tells the names.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Seed of its texts and its jitter.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Require this API key.
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
    /// Send this many events in a write, as fast as the client reads, instead of simulating.
    #[arg(long, value_name = "EVENTS", conflicts_with = "pace")]
    pub(crate) flood: Option<NonZeroU32>,
    /// Send one token of every stream each time this is over, such as `5ms`, instead of simulating.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) pace: Option<Duration>,
    /// With --pace: from a request to its first token.
    #[arg(long, value_name = "TIME", requires = "pace", default_value = "100ms", value_parser = parse_duration)]
    pub(crate) first: Duration,
    /// Write what really happened (requests, token times, lateness) to this file at the end; `/truth`
    /// shows it at any time.
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// With --flood and --pace: keep the time of every token, not only of first and last.
    #[arg(long)]
    pub(crate) truth_events: bool,
    /// Something that goes wrong, such as `stall:0.01:100`; may be given several times. RATE is a
    /// share of the requests from 0 to 1, or their numbers as `..2`, `20..`, `5..8`; `--list-faults`
    /// tells the names.
    #[arg(long = "fault", value_name = "NAME[:RATE[:ARG]]", value_parser = fault)]
    pub(crate) faults: Vec<FaultRule>,
    /// Seed of which requests the faults hit.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) fault_seed: u64,
    /// Explain the faults and exit.
    #[arg(long)]
    pub(crate) list_faults: bool,
    /// Explain the parameters, with the values of the preset and of `--set`, and exit.
    #[arg(long)]
    pub(crate) list_parameters: bool,
    /// List the presets and exit.
    #[arg(long)]
    pub(crate) list: bool,
    /// Run on this core only; for `selftest`.
    #[arg(long, hide = true)]
    pub(crate) core: Option<usize>,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Do not open a browser; print the run page's address and serve on.
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Port of the site on 127.0.0.1; 0 takes a free one [default: 7878, or a free one]
    #[arg(long, env = "TOKMARK_DEMO_PORT")]
    pub(crate) port: Option<u16>,
    /// Folder for database and results [default: the platform's data folder]
    #[arg(long, value_name = "DIR", env = "TOKMARK_DATA")]
    pub(crate) data: Option<PathBuf>,
}

fn fault(words: &str) -> Result<FaultRule, FaultError> {
    words.parse()
}

fn contexts(text: &str) -> Result<List<ContextEntry>, tokmark_units::ParseError> {
    parse_context_list(text).map(Into::into)
}

fn lengths(text: &str) -> Result<List<Context>, tokmark_units::ParseError> {
    text.split(',').map(Context::parse).collect()
}

fn levels(text: &str) -> Result<List<u32>, tokmark_units::ParseError> {
    parse_level_list(text).map(Into::into)
}

pub(super) fn tokens(text: &str) -> Result<u64, tokmark_units::ParseError> {
    Context::parse(text).map(|context| context.0)
}
