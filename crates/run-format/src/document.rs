//! The run document as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::DecodeCell;
use crate::hardware::Hardware;
use crate::launch::LaunchSettings;
use crate::plan::Plan;
use crate::prefill::PrefillRow;
use crate::roofline::Roofline;
use crate::server::{Engine, Model};

/// How far a reader may trust a document by itself. A site may raise it after its own checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Typed in, or without evidence.
    #[default]
    SelfReported,
    /// Another tool's result file, kept as it was.
    Imported,
    /// Evidence lies beside the document and gives the same numbers.
    Measured,
}

impl Trust {
    /// The words that a page shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::SelfReported => "Self-reported",
            Self::Imported => "Imported",
            Self::Measured => "Measured",
        }
    }
}

/// The program that measured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
}

/// The evidence file that lies beside the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRef {
    /// File name, in the same folder.
    pub file: String,
    /// SHA-256 of the file, lower-case hexadecimal.
    pub sha256: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// Where an imported document comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportSource {
    /// The other tool's format, for example `llm-inference-bench page`.
    pub format: String,
    /// SHA-256 of the original file, lower-case hexadecimal.
    pub sha256: String,
    /// The original, with secrets and private names removed.
    pub original: serde_json::Value,
}

/// A remark about the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// A word for programs, for example `prefix_cache_off`.
    pub code: String,
    /// The sentence for people.
    pub text: String,
}

/// Documents without the field were written before there were two.
fn first_methodology() -> u32 {
    1
}

/// One measured matrix, with everything needed to repeat it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDocument {
    /// `tokmark-run/1`.
    pub format: String,
    /// Which version of the definitions its numbers follow: see [`crate::METHODOLOGY`].
    #[serde(default = "first_methodology")]
    pub methodology: u32,
    /// The run's identity: a UUID version 7 in lower-case base32 (26 characters).
    pub id: String,
    /// How far to trust it.
    #[serde(default)]
    pub trust: Trust,
    /// The program that measured.
    pub tool: Tool,
    /// Start, RFC 3339 with zone.
    #[serde(default)]
    pub started_at: Option<String>,
    /// End, RFC 3339 with zone.
    #[serde(default)]
    pub finished_at: Option<String>,
    /// Whether the run went through its whole plan.
    #[serde(default)]
    pub complete: bool,
    /// Who measured, as an imported page names them.
    #[serde(default)]
    pub submitted_by: Option<String>,
    /// The machine.
    #[serde(default)]
    pub hardware: Hardware,
    /// The engine.
    #[serde(default)]
    pub engine: Engine,
    /// The model.
    #[serde(default)]
    pub model: Model,
    /// The command that started the server, secrets removed.
    #[serde(default)]
    pub launch_command: Option<String>,
    /// What that command says about speed.
    #[serde(default)]
    pub launch: Option<LaunchSettings>,
    /// What the machine allows the model at most: the inputs of every `roofline_share`.
    #[serde(default)]
    pub roofline: Option<Roofline>,
    /// A remark of the person who measured.
    #[serde(default)]
    pub note: Option<String>,
    /// What was going to be measured.
    #[serde(default)]
    pub plan: Plan,
    /// TTFT of a 16-token prompt at one request, in milliseconds: the fixed part of every TTFT.
    #[serde(default)]
    pub fixed_ttft_ms: Option<f64>,
    /// Most requests that the server ran at once in a probe with short prompts.
    #[serde(default)]
    pub admission_limit: Option<u32>,
    /// Prefill rows, by context.
    #[serde(default)]
    pub prefill: Vec<PrefillRow>,
    /// Decode cells, by context, then requests.
    #[serde(default)]
    pub decode: Vec<DecodeCell>,
    /// Remarks about the whole run.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// The evidence file.
    #[serde(default)]
    pub evidence: Option<EvidenceRef>,
    /// The origin of an imported document.
    #[serde(default)]
    pub source: Option<ImportSource>,
}

impl RunDocument {
    /// A document with an identity and nothing in it yet.
    pub fn new(id: String, tool: Tool) -> Self {
        Self {
            format: crate::FORMAT.to_owned(),
            methodology: crate::METHODOLOGY,
            id,
            trust: Trust::default(),
            tool,
            started_at: None,
            finished_at: None,
            complete: false,
            submitted_by: None,
            hardware: Hardware::default(),
            engine: Engine::default(),
            model: Model::default(),
            launch_command: None,
            launch: None,
            roofline: None,
            note: None,
            plan: Plan::default(),
            fixed_ttft_ms: None,
            admission_limit: None,
            prefill: Vec::new(),
            decode: Vec::new(),
            notes: Vec::new(),
            evidence: None,
            source: None,
        }
    }

    /// `{model} on {hardware}`.
    pub fn title(&self) -> String {
        let hardware = self.hardware.name.as_deref().unwrap_or("unknown hardware");
        let model = match self.model.name.as_str() {
            "" => "unknown model",
            name => name,
        };
        format!("{model} on {hardware}")
    }

    /// The cell at a place of the matrix.
    pub fn cell(&self, context: u64, requests: u32) -> Option<&DecodeCell> {
        self.decode
            .iter()
            .find(|cell| cell.context == context && cell.requests == requests)
    }
}
