//! Arguments of `calc`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use tokmark_units::context::ContextEntry;
use tokmark_units::{parse_context_list, parse_duration, parse_level_list};

use super::work::{List, tokens};

/// Arguments of `calc`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Every option is a variable too: TOKMARK_CALC_ and its name. Examples: `--help`.",
    after_long_help = "Examples:\n  \
        tokmark calc --model Qwen/Qwen3-4B --hardware 'RTX 4090' --quantization AWQ\n  \
        tokmark calc --model ./Qwen3-4B-Q4_K_M.gguf --hardware 'Mac Studio M3 Ultra' --memory-gib 96\n  \
        tokmark calc --model openai/gpt-oss-120b --hardware '2 x H100 SXM' --contexts 0,32k --json\n  \
        tokmark calc --model Qwen/Qwen3-14B-AWQ --hardware 'RTX 3090' --context 16k --requests 4 --explain\n  \
        tokmark calc --model Qwen/Qwen3-14B-AWQ --hardware 'RTX 3090' --versus 'RTX 5090'\n  \
        tokmark calc --model Qwen/Qwen3-14B-AWQ --need 8 --context 32k --tokens-per-s 20 --max-ttft 5s\n  \
        tokmark calc --model Qwen/Qwen3-14B-AWQ --hardware 'RTX 3090' --rent typical \\\n    \
            --price 700USD --lifetime-years 3 --electricity-per-kwh 0.17USD --utilization 0.3\n  \
        tokmark calc fit tokmark-runs/*/ --save\n\n\
        Every option is a variable too: TOKMARK_CALC_ and its name."
)]
pub(crate) struct CalcArgs {
    #[command(subcommand)]
    pub(crate) command: Option<CalcCommand>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    #[command(flatten)]
    pub(crate) what_if: WhatIfArgs,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print a row for each cell, with commas.
    #[arg(long, conflicts_with_all = ["explain", "versus", "need"])]
    pub(crate) csv: bool,
    /// Print every term of the first cell with its formula, what goes in and where that is from.
    #[arg(long, conflicts_with_all = ["versus", "need"])]
    pub(crate) explain: bool,
}

/// What `calc` does besides answering.
#[derive(Debug, Subcommand)]
pub(crate) enum CalcCommand {
    /// Fit the constants of an engine on an accelerator to measured runs, and say how well they
    /// predict.
    Fit(FitArgs),
}

/// Model, machine, server and load.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// Name of a model or checkpoint; or a file: GGUF, safetensors, `config.json`, a folder of one.
    #[arg(
        long,
        value_name = "NAME|PATH",
        env = "TOKMARK_CALC_MODEL",
        hide_env = true,
        required = true
    )]
    pub(crate) model: Option<String>,
    /// Format of the weights, such as `AWQ`, `FP8`, `Q4_K_M` [default: what the model's name says]
    #[arg(
        long,
        value_name = "FORMAT",
        env = "TOKMARK_CALC_QUANTIZATION",
        hide_env = true
    )]
    pub(crate) quantization: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineOfQuestionArgs,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// The machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineOfQuestionArgs {
    /// Accelerator or machine, `RTX 3090`; several as `2 x RTX 3090`.
    #[arg(
        long,
        value_name = "NAME",
        env = "TOKMARK_CALC_HARDWARE",
        hide_env = true,
        required_unless_present = "need"
    )]
    pub(crate) hardware: Option<String>,
    /// Memory of one in GiB, where there are several sizes.
    #[arg(
        long,
        value_name = "GIB",
        env = "TOKMARK_CALC_MEMORY_GIB",
        hide_env = true
    )]
    pub(crate) memory_gib: Option<f64>,
    /// Its maker's limits were taken off (`gpu-unlock`).
    #[arg(long, env = "TOKMARK_CALC_UNLOCKED", hide_env = true)]
    pub(crate) unlocked: bool,
    /// Accelerators that share each layer [default: 1]
    #[arg(
        long,
        visible_alias = "count",
        value_name = "N",
        env = "TOKMARK_CALC_TENSOR_PARALLEL",
        hide_env = true
    )]
    pub(crate) tensor_parallel: Option<u32>,
    /// Accelerators that hold the layers one after another [default: 1]
    #[arg(
        long,
        value_name = "N",
        env = "TOKMARK_CALC_PIPELINE_PARALLEL",
        hide_env = true
    )]
    pub(crate) pipeline_parallel: Option<u32>,
    /// Copies of the model [default: 1]
    #[arg(
        long,
        value_name = "N",
        env = "TOKMARK_CALC_DATA_PARALLEL",
        hide_env = true
    )]
    pub(crate) data_parallel: Option<u32>,
    /// What one accelerator sends to the others, in GB/s one way [default: 25]
    #[arg(
        long,
        value_name = "GB/S",
        env = "TOKMARK_CALC_LINK_GB_PER_S",
        hide_env = true
    )]
    pub(crate) link_gb_per_s: Option<f64>,
    /// Share of the dense weights in the host's memory, 0 to 1 [default: 0]
    #[arg(
        long,
        value_name = "SHARE",
        env = "TOKMARK_CALC_HOST_DENSE_SHARE",
        hide_env = true
    )]
    pub(crate) host_dense_share: Option<f64>,
    /// Share of the experts in the host's memory, 0 to 1 [default: 0]
    #[arg(
        long,
        value_name = "SHARE",
        env = "TOKMARK_CALC_HOST_EXPERT_SHARE",
        hide_env = true
    )]
    pub(crate) host_expert_share: Option<f64>,
    /// Bandwidth of the host's memory in GB/s, where weights lie there.
    #[arg(
        long,
        value_name = "GB/S",
        env = "TOKMARK_CALC_HOST_BANDWIDTH_GB_PER_S",
        hide_env = true
    )]
    pub(crate) host_bandwidth_gb_per_s: Option<f64>,
}

/// What is asked of the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// Contexts, such as `0,16k,max`. K is 1,024 [default: 0 to 128k as far as the model goes]
    #[arg(long, visible_alias = "context", value_name = "LIST", env = "TOKMARK_CALC_CONTEXTS", hide_env = true, value_parser = contexts)]
    pub(crate) contexts: Option<List<ContextEntry>>,
    /// Requests at once, such as `1,2,4` or `1..128x2` [default: 1..128x2]
    #[arg(long, value_name = "LIST", env = "TOKMARK_CALC_REQUESTS", hide_env = true, value_parser = levels)]
    pub(crate) requests: Option<List<u32>>,
    /// Tokens that each request generates; half of them are in the cache on average [default: 512]
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_CALC_OUTPUT_TOKENS", hide_env = true, value_parser = tokens)]
    pub(crate) output_tokens: Option<u64>,
    /// All requests share one prompt.
    #[arg(long, env = "TOKMARK_CALC_SHARED_PROMPT", hide_env = true)]
    pub(crate) shared_prompt: bool,
}

/// How the server is set up.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct EngineArgs {
    /// The engine [default: `llamacpp` for GGUF formats, else `vllm`]
    #[arg(
        long,
        value_name = "ENGINE",
        env = "TOKMARK_CALC_ENGINE",
        hide_env = true
    )]
    pub(crate) engine: Option<String>,
    /// Type of the KV cache, such as `fp8`, `q8_0`; `q8_0/q4_0` for keys and values [default: 16 bits]
    #[arg(
        long,
        visible_alias = "kv-type",
        value_name = "TYPE",
        env = "TOKMARK_CALC_KV",
        hide_env = true
    )]
    pub(crate) kv: Option<String>,
    /// Share of the accelerator's memory that it may take, 0 to 1 [default: the engine's]
    #[arg(
        long,
        value_name = "SHARE",
        env = "TOKMARK_CALC_MEMORY_FRACTION",
        hide_env = true
    )]
    pub(crate) memory_fraction: Option<f64>,
    /// Most sequences that it runs at once [default: no limit]
    #[arg(
        long,
        value_name = "N",
        env = "TOKMARK_CALC_MAX_SEQUENCES",
        hide_env = true
    )]
    pub(crate) max_sequences: Option<u32>,
    /// Most tokens of one request, prompt and output [default: the model's]
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_CALC_MAX_LENGTH", hide_env = true, value_parser = tokens)]
    pub(crate) max_length: Option<u64>,
    /// Tokens that its KV cache holds, where it says so [default: calculated]
    #[arg(long, value_name = "TOKENS", env = "TOKMARK_CALC_KV_BUDGET", hide_env = true, value_parser = tokens)]
    pub(crate) kv_budget: Option<u64>,
    /// Tokens that it drafts a step [default: none]
    #[arg(
        long,
        value_name = "N",
        env = "TOKMARK_CALC_DRAFTED_TOKENS",
        hide_env = true
    )]
    pub(crate) drafted_tokens: Option<u32>,
    /// Share of them that is accepted, 0 to 1 [default: 0.7]
    #[arg(
        long,
        value_name = "SHARE",
        env = "TOKMARK_CALC_ACCEPTED_SHARE",
        hide_env = true,
        requires = "drafted_tokens"
    )]
    pub(crate) accepted_share: Option<f64>,
}

/// Other machines.
#[derive(Debug, Args)]
#[command(next_help_heading = "What if")]
pub(crate) struct WhatIfArgs {
    /// Another machine beside the first, cell by cell.
    #[arg(
        long,
        value_name = "NAME",
        env = "TOKMARK_CALC_VERSUS",
        hide_env = true,
        conflicts_with = "need"
    )]
    pub(crate) versus: Option<String>,
    /// The limits of the other machine's maker were taken off.
    #[arg(
        long,
        env = "TOKMARK_CALC_VERSUS_UNLOCKED",
        hide_env = true,
        requires = "versus"
    )]
    pub(crate) versus_unlocked: bool,
    /// Which machines are enough for so many people at once, the cheapest first.
    #[arg(
        long,
        value_name = "PEOPLE",
        env = "TOKMARK_CALC_NEED",
        hide_env = true,
        requires_all = ["contexts", "tokens_per_s"],
        conflicts_with_all = ["hardware", "requests", "memory_gib", "unlocked", "tensor_parallel",
            "pipeline_parallel", "data_parallel", "shared_prompt", "kv_budget", "memory_fraction"],
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub(crate) need: Option<u32>,
    /// Tokens a second that each of them gets at least.
    #[arg(
        long,
        value_name = "RATE",
        env = "TOKMARK_CALC_TOKENS_PER_S",
        hide_env = true,
        requires = "need"
    )]
    pub(crate) tokens_per_s: Option<f64>,
    /// Longest wait for the first token of a prompt that is not cached.
    #[arg(long, value_name = "TIME", env = "TOKMARK_CALC_MAX_TTFT", hide_env = true, requires = "need", value_parser = parse_duration)]
    pub(crate) max_ttft: Option<Duration>,
    /// List every machine that is enough, not only the first 20.
    #[arg(long, env = "TOKMARK_CALC_ALL", hide_env = true, requires = "need")]
    pub(crate) all: bool,
}

/// Prices. An amount may carry its currency: `0.22USD`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cost of a million tokens")]
pub(crate) struct CostArgs {
    /// Rent of the whole machine an hour, such as `0.22` or `0.22EUR`.
    #[arg(long, value_name = "AMOUNT", env = "TOKMARK_CALC_RENT_PER_HOUR", hide_env = true, conflicts_with_all = ["versus", "need"])]
    pub(crate) rent_per_hour: Option<Amount>,
    /// Rent by the catalog's price points, shown with source and date.
    #[arg(long, value_name = "POINT", env = "TOKMARK_CALC_RENT", hide_env = true, conflicts_with_all = ["rent_per_hour", "versus", "need"])]
    pub(crate) rent: Option<RentPoint>,
    /// Price of the whole machine; with its lifetime and the price of electricity.
    #[arg(long, value_name = "AMOUNT", env = "TOKMARK_CALC_PRICE", hide_env = true, requires_all = ["lifetime", "electricity_per_kwh"], conflicts_with_all = ["versus", "need"])]
    pub(crate) price: Option<Amount>,
    /// Hours until it is worth nothing.
    #[arg(
        long,
        value_name = "HOURS",
        env = "TOKMARK_CALC_LIFETIME_HOURS",
        hide_env = true,
        group = "lifetime",
        requires = "price"
    )]
    pub(crate) lifetime_hours: Option<f64>,
    /// The same in years of 8,760 hours.
    #[arg(
        long,
        value_name = "YEARS",
        env = "TOKMARK_CALC_LIFETIME_YEARS",
        hide_env = true,
        group = "lifetime",
        requires = "price",
        conflicts_with = "lifetime_hours"
    )]
    pub(crate) lifetime_years: Option<f64>,
    /// Price of a kilowatt-hour.
    #[arg(
        long,
        value_name = "AMOUNT",
        env = "TOKMARK_CALC_ELECTRICITY_PER_KWH",
        hide_env = true,
        requires = "price"
    )]
    pub(crate) electricity_per_kwh: Option<Amount>,
    /// Power at the meter over power at the machine: 1.2 to 1.4 in a cooled room [default: 1]
    #[arg(
        long,
        value_name = "FACTOR",
        env = "TOKMARK_CALC_POWER_OVERHEAD",
        hide_env = true,
        requires = "price"
    )]
    pub(crate) power_overhead: Option<f64>,
    /// Share of the hours in which it works, above 0 and up to 1 [default: 1]
    #[arg(
        long,
        value_name = "SHARE",
        env = "TOKMARK_CALC_UTILIZATION",
        hide_env = true
    )]
    pub(crate) utilization: Option<f64>,
    /// Currency of amounts without one.
    #[arg(long, value_name = "CODE", env = "TOKMARK_CALC_CURRENCY", hide_env = true, default_value = "USD", value_parser = currency)]
    pub(crate) currency: String,
}

/// A price point of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RentPoint {
    /// The cheapest that was seen.
    Low,
    /// What most providers ask.
    Typical,
    /// The dearest that was seen.
    High,
}

/// An amount as typed, with its currency where that was given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    pub(crate) amount: f64,
    pub(crate) currency: Option<String>,
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wanted = || format!("`{text}` is no amount such as 0.22 or 700EUR");
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(text.len());
        let (digits, code) = text.split_at(end);
        let amount: f64 = digits.parse().map_err(|_| wanted())?;
        let code = code.trim();
        let code = if code.is_empty() {
            None
        } else {
            Some(currency(code).map_err(|_| wanted())?)
        };
        if !amount.is_finite() {
            return Err(wanted());
        }
        Ok(Self {
            amount,
            currency: code,
        })
    }
}

/// A code of ISO 4217: three letters.
fn currency(code: &str) -> Result<String, String> {
    if code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return Ok(code.to_uppercase());
    }
    Err(format!("`{code}` is no currency code such as USD or EUR"))
}

fn contexts(text: &str) -> Result<List<ContextEntry>, tokmark_units::ParseError> {
    parse_context_list(text).map(Into::into)
}

fn levels(text: &str) -> Result<List<u32>, tokmark_units::ParseError> {
    parse_level_list(text).map(Into::into)
}

/// Arguments of `calc fit`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    tokmark calc fit tokmark-runs/*/ --save\n  \
    tokmark calc fit one.json two.json --test three.json --json\n  \
    tokmark calc fit results/*.json --output calibrations.json\n\n\
    Errors are those of figures that the fit did not know: each row of contexts is left out in turn, \
    and each model. A run of --test is only predicted.")]
pub(crate) struct FitArgs {
    /// Run documents, folders of one, or other tools' result files.
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    pub(crate) runs: Vec<PathBuf>,
    /// Runs that are only predicted.
    #[arg(long, value_name = "RUN", num_args = 1..)]
    pub(crate) test: Vec<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the errors as Markdown tables.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write the calibrations to this file.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Keep the calibrations in the data folder, for `calc` to use.
    #[arg(long)]
    pub(crate) save: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_may_carry_its_currency() {
        let check = |text: &str, amount: f64, currency: Option<&str>| {
            let read: Amount = text.parse().unwrap();
            assert!((read.amount - amount).abs() < 1e-12, "{text}");
            assert_eq!(read.currency.as_deref(), currency, "{text}");
        };
        check("0.22", 0.22, None);
        check("0.22USD", 0.22, Some("USD"));
        check(" 700 eur", 700.0, Some("EUR"));
        for bad in ["", "USD", "-1", "1,5", "1.2.3", "5$", "5 EURO", "1e400"] {
            assert!(bad.parse::<Amount>().is_err(), "{bad}");
        }
    }
}
