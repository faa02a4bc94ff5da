//! The fields of the calculator's forms: what a question can say, each under the name that its
//! address has for it.

/// A field of a form.
#[derive(Debug)]
pub struct Field {
    /// Its name in the address.
    pub name: &'static str,
    /// The option of `tokmark calc` that means the same; empty where there is none.
    pub option: &'static str,
    pub(crate) group: Group,
    pub(crate) control: Control,
    /// Stops of a slider beside it; empty without one.
    pub(crate) stops: &'static str,
}

/// Which part of a form a field stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Question,
    Load,
    Matrix,
    Machine,
    Server,
    Cost,
    Versus,
    Need,
    /// Of the document alone: no part of the form has it.
    Document,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// A name of a list, or another one that means the same.
    Names(List),
    /// A text.
    Text,
    /// A number.
    Number,
    /// One of a few words.
    Choice(List),
    /// Yes or no.
    Flag,
}

/// Names to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Models,
    Hardware,
    Quantizations,
    CacheTypes,
    Engines,
    Rents,
    Currencies,
}

impl List {
    /// All that a page offers as suggestions.
    pub(crate) const SUGGESTED: [Self; 5] = [
        Self::Models,
        Self::Hardware,
        Self::Quantizations,
        Self::CacheTypes,
        Self::Currencies,
    ];

    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Hardware => "machines",
            Self::Quantizations => "quantizations",
            Self::CacheTypes => "cache-types",
            Self::Engines => "engines",
            Self::Rents => "rents",
            Self::Currencies => "currencies",
        }
    }
}

const fn field(name: &'static str, option: &'static str, group: Group, control: Control) -> Field {
    Field {
        name,
        option,
        group,
        control,
        stops: "",
    }
}

const fn sliding(
    name: &'static str,
    option: &'static str,
    group: Group,
    control: Control,
    stops: &'static str,
) -> Field {
    Field {
        name,
        option,
        group,
        control,
        stops,
    }
}

const CONTEXT_STOPS: &str = "0,1k,2k,4k,8k,12k,16k,24k,32k,48k,64k,96k,120k,128k,192k,256k";
const REQUEST_STOPS: &str = "1,2,3,4,6,8,12,16,24,32,48,64,96,128,192,256";
const OUTPUT_STOPS: &str = "64,128,256,512,1k,2k,4k,8k,16k,32k";
const SHARE_STOPS: &str = "0.05,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1";

use Control::{Choice, Flag, Names, Number, Text};
use Group::{Cost, Document, Load, Machine, Matrix, Need, Question, Server, Versus};

const MODEL: Field = field("model", "--model", Question, Names(List::Models));
const QUANTIZATION: Field = field(
    "quantization",
    "--quantization",
    Question,
    Names(List::Quantizations),
);
const KV: Field = field("kv", "--kv", Question, Names(List::CacheTypes));
const ENGINE: Field = field("engine", "--engine", Question, Choice(List::Engines));
const OUTPUT: Field = sliding("output_tokens", "--output-tokens", Load, Text, OUTPUT_STOPS);

/// The fields of a question about one machine.
pub const FIELDS: [Field; 37] = [
    MODEL,
    field("hardware", "--hardware", Question, Names(List::Hardware)),
    field("tensor_parallel", "--tensor-parallel", Question, Number),
    QUANTIZATION,
    KV,
    ENGINE,
    sliding("at_requests", "", Load, Number, REQUEST_STOPS),
    sliding("at_context", "", Load, Text, CONTEXT_STOPS),
    OUTPUT,
    field("shared_prompt", "--shared-prompt", Load, Flag),
    field("contexts", "--contexts", Matrix, Text),
    field("requests", "--requests", Matrix, Text),
    field("memory_gib", "--memory-gib", Machine, Number),
    field("unlocked", "--unlocked", Machine, Flag),
    field("pipeline_parallel", "--pipeline-parallel", Machine, Number),
    field("data_parallel", "--data-parallel", Machine, Number),
    field("link_gb_per_s", "--link-gb-per-s", Machine, Number),
    field("host_dense_share", "--host-dense-share", Machine, Number),
    field("host_expert_share", "--host-expert-share", Machine, Number),
    field(
        "host_bandwidth_gb_per_s",
        "--host-bandwidth-gb-per-s",
        Machine,
        Number,
    ),
    field("memory_fraction", "--memory-fraction", Server, Number),
    field("max_sequences", "--max-sequences", Server, Number),
    field("max_length", "--max-length", Server, Text),
    field("kv_budget", "--kv-budget", Server, Text),
    field("drafted_tokens", "--drafted-tokens", Server, Number),
    field("accepted_share", "--accepted-share", Server, Number),
    field("versus", "--versus", Versus, Names(List::Hardware)),
    field("versus_unlocked", "--versus-unlocked", Versus, Flag),
    field("rent_per_hour", "--rent-per-hour", Cost, Number),
    field("rent", "--rent", Cost, Choice(List::Rents)),
    field("price", "--price", Cost, Number),
    field("lifetime_years", "--lifetime-years", Cost, Number),
    field("electricity_per_kwh", "--electricity-per-kwh", Cost, Number),
    field("power_overhead", "--power-overhead", Cost, Number),
    sliding("utilization", "--utilization", Cost, Number, SHARE_STOPS),
    field("currency", "--currency", Cost, Names(List::Currencies)),
    field("explain", "", Document, Flag),
];

/// The fields of a question for a machine.
pub const NEED_FIELDS: [Field; 9] = [
    MODEL,
    QUANTIZATION,
    KV,
    ENGINE,
    sliding("people", "--need", Need, Number, REQUEST_STOPS),
    sliding("context", "--context", Need, Text, CONTEXT_STOPS),
    field("tokens_per_s", "--tokens-per-s", Need, Number),
    field("max_ttft", "--max-ttft", Need, Text),
    OUTPUT,
];
