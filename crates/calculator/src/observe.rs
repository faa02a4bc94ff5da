//! What of a run document a fit can use.

use std::sync::Arc;

use tokmark_catalog::roofline::Prompts;
use tokmark_catalog::{
    Catalog, CheckpointFormat, Engine, Hardware, HardwareKind, KvCache, Match, Model,
};
use tokmark_run_format::{
    CellStatus, DecodeCell, MachineClass, PrefillRow, PrefillStatus, RunDocument, Trust,
};
use tokmark_units::float;

use crate::decode::{DecodeLoad, Output};
use crate::fit::{Measured, Observation};
use crate::memory::Limits;
use crate::setup::{Card, Layout, Setup};

/// Real prompt tokens over nominal context in imported pages, which do not state the former
/// (their prefill rate times TTFT gives 0.98 to 1.03).
const IMPORTED_PROMPT_SHARE: f64 = 0.99;

/// What a server's launch notes call a card whose limits were taken off.
const UNLOCKED: [&str; 2] = ["gpu-unlock", "gpu unlock"];

/// A run as the calculator sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedRun {
    /// Its title.
    pub title: String,
    /// Model, engine and machine.
    pub setup: Arc<Setup>,
    /// Limits of its server.
    pub limits: Limits,
    /// The figures of valid cells and rows.
    pub observations: Vec<Observation>,
    /// What the run left open, and how it was taken.
    pub assumptions: Vec<String>,
    /// Whether its server was a simulated one, which tells nothing about the accelerator.
    pub simulated: bool,
}

/// Why a run tells the calculator nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObserveError {
    /// The model is not in the catalog.
    #[error("the model `{name}` is not in the catalog{}", akin(.candidates))]
    Model {
        /// The name that the run gives.
        name: String,
        /// Models that it may be.
        candidates: Vec<String>,
    },
    /// The model's layers are not known well enough.
    #[error("no speed can be calculated for `{0}`: its layers are not known")]
    Shape(String),
    /// The machine is not in the catalog.
    #[error("the accelerator `{name}` is not in the catalog{}", akin(.candidates))]
    Hardware {
        /// The name that the run gives.
        name: String,
        /// Accelerators that it may be.
        candidates: Vec<String>,
    },
    /// Several unlike accelerators, which the model does not know.
    #[error("the run was made on unlike accelerators")]
    UnlikeAccelerators,
    /// A word that means nothing.
    #[error("{0}")]
    Word(String),
}

fn akin(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    format!("; it may be {}", candidates.join(", "))
}

/// Model, machine and figures of a run.
///
/// `run` is its place among the runs of a fit.
///
/// # Errors
///
/// Model or machine is unknown, or a word of the run means nothing.
pub fn observe(
    catalog: &Catalog,
    document: &RunDocument,
    run: usize,
) -> Result<ObservedRun, ObserveError> {
    let mut assumptions = Vec::new();
    let setup = Arc::new(setup(catalog, document, &mut assumptions)?);
    let mut observations = decode(document, &setup, run);
    observations.extend(prefill(document, &setup, run));
    Ok(ObservedRun {
        title: document.title(),
        limits: limits(document),
        setup,
        observations,
        assumptions,
        simulated: document.hardware.class == MachineClass::Simulated,
    })
}

fn setup(
    catalog: &Catalog,
    document: &RunDocument,
    assumptions: &mut Vec<String>,
) -> Result<Setup, ObserveError> {
    let engine = &document.engine;
    let launch = document.launch.as_ref();
    let checkpoint = document
        .model
        .repository
        .as_deref()
        .or(document.model.file.as_deref())
        .unwrap_or(&document.model.name);
    let id = |row: &Model| row.id.clone();
    let row = found(&catalog.find_model(checkpoint), id)
        .or_else(|_| found(&catalog.find_model(&document.model.name), id))
        .map_err(|candidates| ObserveError::Model {
            name: checkpoint.to_owned(),
            candidates,
        })?;
    let stated = engine.quantization.as_deref();
    let stated = stated.or(launch.and_then(|launch| launch.quantization.as_deref()));
    let found = catalog
        .checkpoint_format(checkpoint, stated)
        .map_err(|unknown| ObserveError::Word(unknown.to_string()))?;
    assumptions.extend(open_format(&found));
    let format = found.format;
    let model = row
        .spec(format)
        .ok_or_else(|| ObserveError::Shape(row.id.clone()))?;
    let word = engine.kv_type.as_deref();
    let word = word.or(launch.and_then(|launch| launch.kv_type.as_deref()));
    let cache = KvCache::parse(word.unwrap_or("auto"))
        .map_err(|unknown| ObserveError::Word(unknown.to_string()))?;
    let served =
        Engine::parse(&engine.name).map_err(|unknown| ObserveError::Word(unknown.to_string()))?;
    let mut setup = Setup::new(model, format, served, cache, card(catalog, document)?);
    setup.layout = layout(document);
    Ok(setup)
}

/// What is said of a word that leaves the layout of the weights open.
pub(crate) fn open_format(found: &CheckpointFormat) -> Option<String> {
    let word = found.open.as_deref()?;
    let bits = found.format.bits_per_weight();
    Some(format!(
        "`{word}` leaves the layout of the weights open: the usual one is taken, {bits} bits a weight"
    ))
}

fn found<'a, T>(matched: &Match<'a, T>, name: impl Fn(&T) -> String) -> Result<&'a T, Vec<String>> {
    matched
        .found()
        .ok_or_else(|| matched.candidates().into_iter().map(name).collect())
}

fn card(catalog: &Catalog, document: &RunDocument) -> Result<Card, ObserveError> {
    let mut accelerators = document.hardware.accelerators.iter();
    let first = accelerators.next();
    if accelerators.next().is_some() {
        return Err(ObserveError::UnlikeAccelerators);
    }
    let name = stood_for(document)
        .or(first.map(|card| card.name.as_str()))
        .or(document.hardware.cpu.as_deref())
        .unwrap_or_default();
    let gib = first.and_then(memory_gib);
    let matched = catalog.find_hardware(name, gib);
    let row =
        found(&matched, Hardware::full_name).map_err(|candidates| ObserveError::Hardware {
            name: name.to_owned(),
            candidates,
        })?;
    let memory = match row.kind {
        // What a driver reports is less than what the maker states, which the rules count from.
        HardwareKind::DiscreteGpu => row.memory_gib,
        _ => gib.or_else(|| document.hardware.memory_bytes.map(gib_of)),
    };
    let mut card = Card::of(row, memory);
    let told = [document.launch_command.as_deref(), document.note.as_deref()];
    card.unlocked = told.into_iter().flatten().any(|text| {
        let text = text.to_lowercase();
        UNLOCKED.iter().any(|word| text.contains(word))
    });
    Ok(card)
}

/// The machine whose speeds a simulated server imitates.
fn stood_for(document: &RunDocument) -> Option<&str> {
    if document.hardware.class != MachineClass::Simulated {
        return None;
    }
    let machine = document
        .roofline
        .as_ref()
        .and_then(|it| it.machine.as_ref());
    if let Some(machine) = machine {
        return Some(&machine.name);
    }
    let card = document.hardware.accelerators.first()?;
    card.name.strip_prefix("simulated ")
}

fn gib_of(bytes: u64) -> f64 {
    float::from_u64(bytes) / 1_073_741_824.0
}

fn memory_gib(card: &tokmark_run_format::Accelerator) -> Option<f64> {
    if let Some(bytes) = card.memory_bytes {
        return Some(gib_of(bytes));
    }
    let text = card.memory_text.as_deref()?;
    text.split_whitespace().next()?.parse().ok()
}

fn layout(document: &RunDocument) -> Layout {
    let launch = document.launch.as_ref();
    let of = |read: fn(&tokmark_run_format::LaunchSettings) -> Option<u32>| {
        launch.and_then(read).unwrap_or(1).max(1)
    };
    Layout {
        tensor: of(|launch| launch.tensor_parallel),
        pipeline: of(|launch| launch.pipeline_parallel),
        data: of(|launch| launch.data_parallel),
        link_gb_per_s: 25.0,
        host: None,
    }
}

fn limits(document: &RunDocument) -> Limits {
    let launch = document.launch.as_ref();
    let stated = |flag: &str| {
        let flags = document.engine.flags.iter();
        let mut values = flags.filter_map(|one| one.strip_prefix(flag)?.trim().parse::<f64>().ok());
        values.next()
    };
    Limits {
        memory_fraction: launch
            .and_then(|launch| launch.memory_fraction)
            .or_else(|| stated("--gpu-memory-utilization")),
        max_sequences: document.engine.max_sequences,
        max_length: document.engine.max_length,
        kv_tokens: document
            .engine
            .kv_budget
            .as_ref()
            .map(|budget| budget.tokens),
    }
}

fn decode(document: &RunDocument, setup: &Arc<Setup>, run: usize) -> Vec<Observation> {
    let figures = document.decode.iter().filter_map(|cell| {
        Some(Observation {
            setup: Arc::clone(setup),
            run,
            context: cell.context,
            requests: cell.requests,
            measured: Measured::Decode(cell_load(document, cell)),
            tokens_per_s: cell_rate(cell)?,
        })
    });
    figures.collect()
}

/// The rate of a valid cell.
pub(crate) fn cell_rate(cell: &DecodeCell) -> Option<f64> {
    let valid = cell.status == CellStatus::Valid;
    cell.total_tokens_per_s.filter(|rate| valid && *rate > 0.0)
}

/// What a cell decodes.
pub(crate) fn cell_load(document: &RunDocument, cell: &DecodeCell) -> DecodeLoad {
    let imported = document.trust == Trust::Imported;
    let shared = imported || document.plan.shared_context;
    let nominal = float::from_u64(cell.context);
    let prompt_tokens = match cell.prompt_tokens {
        Some(tokens) => float::from_u64(tokens),
        None if imported => nominal * IMPORTED_PROMPT_SHARE,
        None => nominal,
    };
    let output = match cell.mean_depth {
        Some(depth) => Output::Mean((depth - prompt_tokens).max(0.0)),
        None => Output::Window {
            seconds: cell.measured_s.unwrap_or(document.plan.window_s),
            most_tokens: float::from_u64(document.plan.max_output_tokens),
        },
    };
    DecodeLoad {
        requests: f64::from(cell.requests),
        prompt_tokens,
        prompts: if shared {
            Prompts::Shared
        } else {
            Prompts::Distinct
        },
        output,
    }
}

fn prefill(document: &RunDocument, setup: &Arc<Setup>, run: usize) -> Vec<Observation> {
    let figures = document.prefill.iter().filter_map(|row| {
        Some(Observation {
            setup: Arc::clone(setup),
            run,
            context: row.context,
            requests: 1,
            measured: Measured::Prefill {
                tokens: row_tokens(row),
            },
            tokens_per_s: row_rate(row)?,
        })
    });
    figures.collect()
}

/// The rate of a valid prefill row.
pub(crate) fn row_rate(row: &PrefillRow) -> Option<f64> {
    let valid = row.status == PrefillStatus::Valid;
    row.prompt_tokens_per_s.filter(|rate| valid && *rate > 0.0)
}

/// Tokens that a prefill row reads.
pub(crate) fn row_tokens(row: &PrefillRow) -> f64 {
    match (row.prompt_tokens, row.prompt_tokens_per_s, row.ttft_ms) {
        (Some(tokens), ..) => float::from_u64(tokens),
        // The page's rate is tokens over TTFT.
        (None, Some(rate), Some(ttft)) if rate > 0.0 => rate * ttft / 1e3,
        _ => float::from_u64(row.context) * IMPORTED_PROMPT_SHARE,
    }
}
