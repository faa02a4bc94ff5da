//! The example pages: a public result page of `llm-inference-bench` as JSON.

mod cells;
mod facts;
mod shape;
mod summary;

use tokmark_run_format::{Note, RunDocument, Tool, Trust};

use crate::error::ImportError;
use crate::redact;
use crate::source::Source;
use shape::Page;

/// The name of this format.
pub(crate) const FORMAT: &str = "llm-inference-bench page";

pub(crate) fn recognises(source: &Source<'_>) -> bool {
    source.has_fields(&["title", "tool", "prefill", "sustained_decode"])
}

pub(crate) fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.clone().unwrap_or_default();
    let page: Page = serde_json::from_value(json).map_err(|source| ImportError::Shape {
        format: FORMAT,
        source,
    })?;
    let mut run = document(source.id(), page)?;
    run.source = Some(source.origin(FORMAT));
    Ok(vec![run])
}

/// The page's own texts that the document's facts do not already give become notes, so that no
/// word of the page is lost.
fn document(id: String, mut page: Page) -> Result<RunDocument, ImportError> {
    let mut run = RunDocument::new(id, tool(&page.tool));
    run.trust = Trust::Imported;
    run.complete = true;
    run.submitted_by = page.submitted_by.take();
    run.launch_command = page.launch_command.as_deref().map(redact::text);
    facts::hardware(&mut page, &mut run);
    facts::engine(&mut page, &mut run);
    facts::model(&mut page, &mut run);
    run.prefill = cells::prefill(&page.prefill)?;
    run.decode = cells::decode(&page.sustained_decode)?;
    facts::plan(&mut page, &mut run)?;
    run.notes = notes(&page, &run);
    Ok(run)
}

/// `llm-inference-bench v0.8.0`: the name, then the version as the page writes it.
fn tool(text: &str) -> Tool {
    let (name, version) = match text.rsplit_once(' ') {
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (text, None),
    };
    Tool {
        name: name.to_owned(),
        version,
    }
}

fn notes(page: &Page, run: &RunDocument) -> Vec<Note> {
    let note = |code: &str, text: String| Note {
        code: code.to_owned(),
        text,
    };
    let mut notes = Vec::new();
    if let Some(trust) = &page.trust {
        notes.push(note(
            "source_trust",
            format!("The source calls this run “{trust}”. Its evidence did not come with it."),
        ));
    }
    if page.title != run.title() {
        notes.push(note(
            "source_title",
            format!("Title at the source: {}", page.title),
        ));
    }
    match &page.summary {
        Some(text) if *text != summary::of(run) => notes.push(note(
            "source_summary",
            format!("Summary at the source: {text}"),
        )),
        _ => {}
    }
    let left = page.left_over();
    if !left.is_empty() {
        notes.push(note(
            "source_fields",
            format!("Further facts of the source: {}.", left.join("; ")),
        ));
    }
    notes
}
