//! A question in words, as a form, a command line or an address asks it.

use serde::{Deserialize, Serialize};
use tokmark_catalog::roofline::Prompts;
use tokmark_catalog::{Catalog, Engine, Hardware, KvCache, Match, Model, ModelSpec, WeightFormat};
use tokmark_units::float;

use crate::decode::{DecodeLoad, Output};
use crate::memory::Limits;
use crate::observe::open_format;
use crate::setup::{Card, Drafting, Host, Kernel, Layout, Setup};

/// Contexts of a matrix where none are asked for: 0 to 128K.
pub const CONTEXTS: [u64; 6] = [0, 8_192, 16_384, 32_768, 65_536, 131_072];

/// Requests of a matrix where none are asked for.
pub const REQUESTS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Most contexts, and most requests, of one question.
pub const MOST_PLACES: usize = 32;

/// Tokens of a K.
const K: u64 = 1_024;

/// Time of drafting one token as a share of a step: a head for drafting on Strix Halo, published.
const DRAFT_SHARE: f64 = 0.18;

/// One way of a link between accelerators, where nothing is said: PCIe 4.0 x16.
const LINK_GB_PER_S: f64 = 25.0;

/// What is asked. Fields that are not given take the defaults stated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// Name or id of the model; of a checkpoint too, whose format is taken from its name.
    pub model: String,
    /// Format of the weights, for example `AWQ`, `FP8`, `Q4_K_M`; from the model's name.
    pub quantization: Option<String>,
    /// Name of the accelerator or machine.
    pub hardware: String,
    /// Memory of one in GiB, where there are several sizes.
    pub memory_gib: Option<f64>,
    /// Whether limits of its maker were taken off.
    pub unlocked: bool,
    /// The server: `llamacpp` for its formats, else `vllm`.
    pub engine: Option<String>,
    /// Type of the KV cache: 16 bits.
    pub kv_type: Option<String>,
    /// Contexts in tokens: [`CONTEXTS`] up to the model's longest.
    pub contexts: Vec<u64>,
    /// Requests at once: [`REQUESTS`].
    pub requests: Vec<u32>,
    /// Tokens that each request generates: 512. Half of them are in the cache on average.
    pub output_tokens: Option<u64>,
    /// Whether the requests share their prompt.
    pub shared_prompt: bool,
    /// Accelerators that share each layer: 1.
    pub tensor_parallel: Option<u32>,
    /// Accelerators that hold the layers one after another: 1.
    pub pipeline_parallel: Option<u32>,
    /// Copies of the model: 1.
    pub data_parallel: Option<u32>,
    /// What one accelerator sends to the others in GB/s one way: 25.
    pub link_gb_per_s: Option<f64>,
    /// Share of the dense weights in the host's memory, 0 to 1: 0.
    pub host_dense_share: Option<f64>,
    /// Share of the experts in the host's memory, 0 to 1: 0.
    pub host_expert_share: Option<f64>,
    /// Bandwidth of the host's memory in GB/s; needed where weights lie there.
    pub host_bandwidth_gb_per_s: Option<f64>,
    /// Share of the accelerator's memory that the server may take: the engine's default.
    pub memory_fraction: Option<f64>,
    /// Most sequences that the server runs at once: no limit.
    pub max_sequences: Option<u32>,
    /// Longest request in tokens: the model's.
    pub max_length_tokens: Option<u64>,
    /// Tokens that the cache holds, where the server said so: calculated.
    pub kv_budget_tokens: Option<u64>,
    /// Tokens drafted a step: none.
    pub drafted_tokens: Option<u32>,
    /// Share of them that is accepted, 0 to 1: 0.7.
    pub accepted_share: Option<f64>,
}

/// A question that can be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The model's id, or the name of the file it was read from.
    pub model: String,
    /// What is predicted for.
    pub setup: Setup,
    /// Limits of its server.
    pub limits: Limits,
    /// What the cells have in common.
    pub load: DecodeLoad,
    /// Contexts in tokens.
    pub contexts: Vec<u64>,
    /// Requests at once.
    pub requests: Vec<u32>,
    /// Tokens that each output may take in the cache.
    pub output_tokens: u64,
    /// What the question left open, and how it was taken.
    pub assumptions: Vec<String>,
}

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct QueryError {
    /// The field of [`Query`].
    pub field: &'static str,
    /// What is wrong with it, and what is possible.
    pub message: String,
    /// Names that may have been meant.
    pub candidates: Vec<String>,
}

fn wrong(field: &'static str, message: impl Into<String>) -> QueryError {
    QueryError {
        field,
        message: message.into(),
        candidates: Vec::new(),
    }
}

/// A model that was read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileModel {
    /// Its name for people.
    pub name: String,
    /// Layers and weights.
    pub spec: ModelSpec,
    /// Format of its linear layers, which decides the kernels.
    pub format: WeightFormat,
    /// What was left open, and how it was taken.
    pub assumptions: Vec<String>,
}

impl Query {
    /// Looks the names up and checks the figures.
    ///
    /// `file` is the model where one was read; else the catalog has to know `model`.
    ///
    /// # Errors
    ///
    /// A name is unknown or fits several rows, or a figure is out of its range.
    pub fn resolve(
        &self,
        catalog: &Catalog,
        file: Option<FileModel>,
    ) -> Result<Question, QueryError> {
        self.check_figures()?;
        let model = match file {
            Some(file) => file,
            None => self.model_of(catalog)?,
        };
        let engine = match self.engine.as_deref() {
            Some(word) => Engine::parse(word).map_err(|word| wrong("engine", word.to_string()))?,
            None if Kernel::of(model.format) == Kernel::Ggml => Engine::LlamaCpp,
            None => Engine::Vllm,
        };
        let cache = KvCache::parse(self.kv_type.as_deref().unwrap_or("auto"))
            .map_err(|word| wrong("kv_type", word.to_string()))?;
        let card = self.card(catalog)?;
        let longest = self.max_length_tokens.or(model.spec.max_context_tokens);
        let output_tokens = self.output_tokens.unwrap_or(512);
        let mut setup = Setup::new(model.spec, model.format, engine, cache, card);
        setup.layout = self.layout()?;
        setup.drafting = self.drafting();
        Ok(Question {
            model: model.name,
            limits: self.limits(),
            load: self.load(output_tokens),
            contexts: self.contexts_up_to(longest.map(|most| most.saturating_sub(output_tokens))),
            requests: if self.requests.is_empty() {
                REQUESTS.to_vec()
            } else {
                self.requests.clone()
            },
            output_tokens,
            assumptions: model.assumptions,
            setup,
        })
    }

    /// The same for another machine beside the one that the memory was said for: a size that the
    /// other cannot have is not meant for it.
    ///
    /// # Errors
    ///
    /// As [`Self::resolve`].
    pub fn resolve_beside(
        &self,
        catalog: &Catalog,
        file: Option<FileModel>,
    ) -> Result<Question, QueryError> {
        match self.resolve(catalog, file.clone()) {
            Err(error) if error.field == "memory_gib" => {
                let query = Self {
                    memory_gib: None,
                    ..self.clone()
                };
                query.resolve(catalog, file)
            }
            found => found,
        }
    }

    fn check_figures(&self) -> Result<(), QueryError> {
        let shares = [
            ("host_dense_share", self.host_dense_share),
            ("host_expert_share", self.host_expert_share),
            ("memory_fraction", self.memory_fraction),
            ("accepted_share", self.accepted_share),
        ];
        for (field, share) in shares {
            if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return Err(wrong(field, "a share is between 0 and 1"));
            }
        }
        let positive = [
            ("memory_gib", self.memory_gib),
            ("link_gb_per_s", self.link_gb_per_s),
            ("host_bandwidth_gb_per_s", self.host_bandwidth_gb_per_s),
        ];
        for (field, figure) in positive {
            if figure.is_some_and(|figure| !figure.is_finite() || figure <= 0.0) {
                return Err(wrong(field, "this must be above 0"));
            }
        }
        let counts = [
            ("tensor_parallel", self.tensor_parallel),
            ("pipeline_parallel", self.pipeline_parallel),
            ("data_parallel", self.data_parallel),
            ("max_sequences", self.max_sequences),
        ];
        for (field, count) in counts {
            if count.is_some_and(|count| count == 0 || count > 4_096) {
                return Err(wrong(field, "this must be between 1 and 4096"));
            }
        }
        if self.requests.iter().any(|one| *one == 0 || *one > 65_536) {
            return Err(wrong("requests", "requests are between 1 and 65536"));
        }
        if self.contexts.iter().any(|one| *one > 1 << 30) {
            return Err(wrong("contexts", "a context is at most 1G tokens"));
        }
        if self.contexts.len() > MOST_PLACES || self.requests.len() > MOST_PLACES {
            return Err(wrong(
                "contexts",
                format!("at most {MOST_PLACES} rows and columns"),
            ));
        }
        Ok(())
    }

    fn model_of(&self, catalog: &Catalog) -> Result<FileModel, QueryError> {
        let matched = catalog.find_model(&self.model);
        let row = pick(&matched, "model", &self.model, |row: &Model| row.id.clone())?;
        // A server's word may be one of its own beside a name that tells; a person's has to mean
        // something.
        if let Some(word) = self.quantization.as_deref() {
            catalog
                .checkpoint_format("", Some(word))
                .map_err(|word| wrong("quantization", word.to_string()))?;
        }
        let found = catalog
            .checkpoint_format(&self.model, self.quantization.as_deref())
            .map_err(|word| wrong("quantization", word.to_string()))?;
        let spec = row.spec(found.format).ok_or_else(|| {
            let why = row
                .not_modelled
                .as_deref()
                .unwrap_or("its layers are not known");
            wrong(
                "model",
                format!("no speed can be calculated for `{}`: {why}", row.id),
            )
        })?;
        Ok(FileModel {
            name: row.id.clone(),
            spec,
            format: found.format,
            assumptions: open_format(&found).into_iter().collect(),
        })
    }

    fn card(&self, catalog: &Catalog) -> Result<Card, QueryError> {
        let matched = match catalog.hardware_by_id(&self.hardware) {
            Some(row) => Match::Exact(row),
            None => catalog.find_hardware(&self.hardware, self.memory_gib),
        };
        let row = pick(&matched, "hardware", &self.hardware, Hardware::full_name)
            .map_err(|error| self.other_size(catalog).unwrap_or(error))?;
        if let Some(gib) = self.memory_gib.filter(|gib| !row.may_have_memory(*gib)) {
            return Err(not_of_size(row, gib));
        }
        if self.unlocked && row.rates.fp16_accumulate_tflops.is_none() {
            let message = format!(
                "no limit of the {} is known to be taken off",
                row.full_name()
            );
            return Err(wrong("unlocked", message));
        }
        if self.memory_gib.is_none() && row.memory_gib.is_none() {
            return Err(wrong(
                "memory_gib",
                format!("say how much memory the {} has", row.full_name()),
            ));
        }
        let mut card = Card::of(row, self.memory_gib);
        card.unlocked = self.unlocked;
        Ok(card)
    }

    /// Whether the name is known, only not with so much memory.
    fn other_size(&self, catalog: &Catalog) -> Option<QueryError> {
        let gib = self.memory_gib?;
        let matched = catalog.find_hardware(&self.hardware, None);
        Some(not_of_size(matched.found()?, gib))
    }

    fn layout(&self) -> Result<Layout, QueryError> {
        let dense_share = self.host_dense_share.unwrap_or(0.0);
        let expert_share = self.host_expert_share.unwrap_or(0.0);
        let host = match self.host_bandwidth_gb_per_s {
            _ if dense_share <= 0.0 && expert_share <= 0.0 => None,
            Some(bandwidth_gb_per_s) => Some(Host {
                dense_share,
                expert_share,
                bandwidth_gb_per_s,
            }),
            None => {
                let message = "weights in the host's memory need its bandwidth in GB/s";
                return Err(wrong("host_bandwidth_gb_per_s", message));
            }
        };
        Ok(Layout {
            tensor: self.tensor_parallel.unwrap_or(1),
            pipeline: self.pipeline_parallel.unwrap_or(1),
            data: self.data_parallel.unwrap_or(1),
            link_gb_per_s: self.link_gb_per_s.unwrap_or(LINK_GB_PER_S),
            host,
        })
    }

    fn drafting(&self) -> Option<Drafting> {
        let drafted = self.drafted_tokens.filter(|drafted| *drafted > 0)?;
        Some(Drafting {
            drafted: f64::from(drafted),
            accepted_share: self.accepted_share.unwrap_or(0.7),
            draft_share: DRAFT_SHARE,
        })
    }

    fn limits(&self) -> Limits {
        Limits {
            memory_fraction: self.memory_fraction,
            max_sequences: self.max_sequences,
            max_length: self.max_length_tokens,
            kv_tokens: self.kv_budget_tokens,
        }
    }

    fn load(&self, output_tokens: u64) -> DecodeLoad {
        DecodeLoad {
            requests: 1.0,
            prompt_tokens: 0.0,
            prompts: if self.shared_prompt {
                Prompts::Shared
            } else {
                Prompts::Distinct
            },
            output: Output::Mean(float::from_u64(output_tokens) / 2.0),
        }
    }

    fn contexts_up_to(&self, longest: Option<u64>) -> Vec<u64> {
        if !self.contexts.is_empty() {
            return self.contexts.clone();
        }
        let fits = |context: &u64| longest.is_none_or(|most| *context <= most);
        CONTEXTS.into_iter().filter(fits).collect()
    }
}

impl Question {
    /// The longest context of a request: the server's or the model's length less the output, in
    /// whole K. `None` where neither is known.
    pub fn longest_context(&self) -> Option<u64> {
        let length = self
            .limits
            .max_length
            .or(self.setup.model.max_context_tokens)?;
        Some(length.saturating_sub(self.output_tokens) / K * K)
    }
}

/// `2 x RTX 3090` and `2x RTX 3090` are two.
pub fn counted(machine: &str) -> (Option<u32>, &str) {
    let found = machine.split_once(['x', '×']).and_then(|(count, name)| {
        let count = count.trim().parse::<u32>().ok()?;
        Some((Some(count), name.trim()))
    });
    found.unwrap_or((None, machine))
}

fn not_of_size(row: &Hardware, gib: f64) -> QueryError {
    let sizes = if row.memory_options_gib.is_empty() {
        row.memory_gib.into_iter().collect()
    } else {
        row.memory_options_gib.clone()
    };
    let sizes: Vec<String> = sizes.iter().map(|size| format!("{size} GiB")).collect();
    let message = format!(
        "the {} has {}, not {gib} GiB",
        row.full_name(),
        sizes.join(", ")
    );
    wrong("memory_gib", message)
}

fn pick<'a, T>(
    matched: &Match<'a, T>,
    field: &'static str,
    given: &str,
    name: impl Fn(&T) -> String,
) -> Result<&'a T, QueryError> {
    if let Some(row) = matched.found() {
        return Ok(row);
    }
    let candidates: Vec<String> = matched.candidates().into_iter().map(name).collect();
    let message = match candidates.as_slice() {
        _ if given.trim().is_empty() => "say which".to_owned(),
        [] => format!("`{given}` is not in the catalog"),
        some => format!("`{given}` may be {}", some.join(", ")),
    };
    Err(QueryError {
        field,
        message,
        candidates,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_front_counts_machines() {
        for (typed, count, name) in [
            ("2 x RTX 3090", Some(2), "RTX 3090"),
            ("4xH100 SXM", Some(4), "H100 SXM"),
            ("8 × MI300X", Some(8), "MI300X"),
            ("RTX 3090", None, "RTX 3090"),
            ("GTX 1080", None, "GTX 1080"),
        ] {
            assert_eq!(counted(typed), (count, name), "{typed}");
        }
    }
}
