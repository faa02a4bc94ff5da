//! Machine and model of a run, chosen from what is known of them.

use tokmark_catalog::{Catalog, ModelSpec};
use tokmark_run_format::{Engine, Hardware, LaunchSettings, Model, Roofline, UnknownFact};

use super::{machine, model};

/// All that decides.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The machine that carries the model.
    pub hardware: &'a Hardware,
    /// The engine.
    pub engine: &'a Engine,
    /// The model.
    pub model: &'a Model,
    /// What the server's launch says.
    pub launch: Option<&'a LaunchSettings>,
    /// The model's own files, or why they could not be read; `None` where nobody knows of any.
    pub files: Option<&'a Result<FileModel, String>>,
}

/// A model read from its files.
#[derive(Debug, Clone, PartialEq)]
pub struct FileModel {
    /// Shape and weights.
    pub spec: ModelSpec,
    /// What kind of files, without names and folders: `GGUF`, `config.json and safetensors`.
    pub kind: String,
}

/// The roofline's inputs of a run. What is not known is left out with its reason, never guessed.
///
/// The machine: the accelerators that the model is on, else the processor. Its bandwidth is the one
/// that was measured on it, else the catalogue's. Several accelerators count as one each only as far as
/// the launch says that they share every layer. The model: its own files, else the catalogue's row
/// with the format that engine or names tell.
pub fn inputs(subject: &Subject<'_>, catalog: &Catalog) -> Roofline {
    let mut roofline = Roofline::default();
    let mut blocks = None;
    match model::choose(subject, catalog) {
        Ok((model, in_blocks)) => {
            blocks = Some(in_blocks);
            roofline.model = Some(model);
        }
        Err(reason) => roofline.unknown.push(UnknownFact::new("model", reason)),
    }
    match machine::choose(subject, blocks, catalog) {
        Ok(machine) => roofline.machine = Some(machine),
        Err(reason) => roofline.unknown.push(UnknownFact::new("machine", reason)),
    }
    let speculation = subject
        .launch
        .and_then(|launch| launch.speculation.as_ref());
    roofline.draft_tokens = speculation.and_then(|speculation| speculation.draft_tokens);
    roofline
}
