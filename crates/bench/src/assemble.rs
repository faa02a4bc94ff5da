//! The run document of an outcome.

use tokmark_run_format::hardware::Hardware;
use tokmark_run_format::{Engine, Note, RunDocument, Tool, Trust};
use tokmark_units::Timestamp;

use crate::plan::{plan, public_name};
use crate::run::Outcome;
use crate::session::Session;
use crate::settings::Settings;

/// What a document says besides what was measured.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The run's identity.
    pub id: String,
    /// This program.
    pub tool: Tool,
    /// Start.
    pub started: Timestamp,
    /// End.
    pub finished: Timestamp,
    /// The server's machine.
    pub hardware: Hardware,
    /// The command that started the server, already without secrets.
    pub launch_command: Option<String>,
    /// Its flags that matter, already without secrets.
    pub flags: Vec<String>,
    /// The person's remark.
    pub note: Option<String>,
    /// What the person says about the engine, where the server says nothing.
    pub declared: Declared,
}

/// Facts that a server may not tell and a person may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// Repository of the model.
    pub repository: Option<String>,
    /// Revision of the model.
    pub revision: Option<String>,
    /// Weight quantization.
    pub quantization: Option<String>,
    /// KV type.
    pub kv_type: Option<String>,
    /// Compute backend.
    pub backend: Option<String>,
    /// Build or image.
    pub build: Option<String>,
}

/// Puts a document together. The numbers are the outcome's; nothing is computed here.
pub fn document(
    session: &Session,
    settings: &Settings,
    outcome: &Outcome,
    facts: Facts,
) -> RunDocument {
    let mut run = RunDocument::new(facts.id, facts.tool);
    run.trust = Trust::Measured;
    run.started_at = Some(facts.started.to_string());
    run.finished_at = Some(facts.finished.to_string());
    run.complete = outcome.complete;
    run.hardware = facts.hardware;
    run.engine = engine(session, outcome, &facts.declared, facts.flags);
    run.model = session.model.clone();
    run.model.served_name = public_name(&session.model.served_name);
    run.model.repository = facts.declared.repository.or(run.model.repository);
    run.model.revision = facts.declared.revision.or(run.model.revision);
    if let Some(name) = run
        .model
        .repository
        .as_deref()
        .and_then(|r| r.rsplit('/').next())
    {
        name.clone_into(&mut run.model.name);
    }
    run.launch_command = facts.launch_command;
    run.note = facts.note;
    run.plan = plan(session, settings, &outcome.matrix);
    run.fixed_ttft_ms = outcome
        .probes
        .fixed_ttft_ns
        .map(|ns| tokmark_units::Nanos(ns).as_millis_f64());
    run.admission_limit = outcome.probes.admission_limit;
    run.prefill.clone_from(&outcome.prefill);
    run.decode.clone_from(&outcome.decode);
    run.notes = server_notes(session);
    run.notes.extend(outcome.notes.iter().cloned());
    run
}

/// What the adapter has to say about the server: what it could not learn, and what is special.
fn server_notes(session: &Session) -> Vec<Note> {
    let secrets = session.secrets();
    let accepted = session.capabilities.notes.iter().cloned();
    session
        .server
        .notes()
        .into_iter()
        .chain(accepted)
        .map(|text| Note {
            code: "server".to_owned(),
            text: secrets.redact(&text).into_owned(),
        })
        .collect()
}

fn engine(session: &Session, outcome: &Outcome, declared: &Declared, flags: Vec<String>) -> Engine {
    let mut engine = session.server.engine.clone();
    engine.quantization = declared.quantization.clone().or(engine.quantization);
    engine.kv_type = declared.kv_type.clone().or(engine.kv_type);
    engine.backend = declared.backend.clone().or(engine.backend);
    engine.build = declared.build.clone().or(engine.build);
    if !flags.is_empty() {
        engine.flags = flags;
    }
    engine.prefix_cache = outcome.prefix_cache.or(engine.prefix_cache);
    if let Some(budget) = outcome.budget.clone() {
        engine.kv_budget = Some(budget);
    }
    engine.accepts = session.capabilities.accepts(engine.accepts.metrics);
    engine
}
