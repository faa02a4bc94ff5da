//! Results of a file, put together as run documents.

use std::collections::BTreeMap;

use serde_json::Value;
use tokmark_run_format::cell::FailureCount;
use tokmark_run_format::{
    CapacityRule, CellStatus, DecodeCell, Note, PrefillMode, PrefillRow, RunDocument, Tool, Trust,
};

use crate::error::ImportError;
use crate::load::Place;
use crate::mapping::{self, Mapping};
use crate::object::Object;
use crate::redact;
use crate::source::Source;

/// A file with more results is refused: nobody reads a page of them.
const MOST_RESULTS: usize = 4_096;
/// One file gives at most so many documents, each of which keeps its part of the original.
const MOST_DOCUMENTS: usize = 256;
/// Originals that are kept again in every document of a file, in bytes, all together.
const MOST_KEPT: usize = 256 << 20;

/// One result: the facts around it, and the cell or row that it gives.
pub(crate) struct Found {
    /// Model, engine, machine and whatever else results share.
    pub(crate) run: RunDocument,
    /// When it was measured, RFC 3339.
    pub(crate) at: Option<String>,
    pub(crate) cell: Option<DecodeCell>,
    pub(crate) prefill: Option<PrefillRow>,
    /// Tokens that each answer had, where the file says so.
    pub(crate) answer: Option<u64>,
    /// Its part of the original, where that stands by itself.
    pub(crate) part: Option<Value>,
}

impl Found {
    pub(crate) fn new(run: RunDocument) -> Self {
        Self {
            run,
            at: None,
            cell: None,
            prefill: None,
            answer: None,
            part: None,
        }
    }
}

/// All results of a file, and why others of it are no cell.
#[derive(Default)]
pub(crate) struct Results {
    found: Vec<Found>,
    left: Vec<String>,
}

impl Results {
    /// A result. A cell that should have a rate and has none is none.
    pub(crate) fn take(&mut self, mut found: Found) {
        let without = |cell: &DecodeCell| {
            cell.status == CellStatus::Valid && cell.total_tokens_per_s.is_none()
        };
        if let Some(cell) = found.cell.take_if(|cell| without(cell)) {
            let place = format!("context {}, requests {}", cell.context, cell.requests);
            self.leave(&place, "it has no rate of output tokens");
        }
        if found.cell.is_some() || found.prefill.is_some() {
            self.found.push(found);
        }
    }

    /// A result that is no cell of a matrix.
    pub(crate) fn leave(&mut self, place: &str, why: impl AsRef<str>) {
        let why = why.as_ref();
        self.left.push(if place.is_empty() {
            why.to_owned()
        } else {
            format!("{place}: {why}")
        });
    }

    /// The documents: results with the same facts share one, until a place of its matrix is taken;
    /// the same place again is a repeat, and stands in a document of its own.
    pub(crate) fn documents(
        self,
        source: &Source<'_>,
        format: &str,
        table: &[Mapping],
    ) -> Result<Vec<RunDocument>, ImportError> {
        if self.found.is_empty() {
            return Err(ImportError::NoCell {
                format: format.to_owned(),
                reasons: listed(&self.left),
            });
        }
        if self.found.len() > MOST_RESULTS {
            return Err(ImportError::too_many(self.found.len(), MOST_RESULTS));
        }
        let sheets = sheets(self.found)?;
        let single = sheets.len() == 1;
        let size = source.len();
        if !single
            && sheets.iter().any(|sheet| sheet.parts.is_none())
            && size.saturating_mul(sheets.len()) > MOST_KEPT
        {
            return Err(ImportError::too_many(sheets.len(), MOST_KEPT / size.max(1)));
        }
        let left = (!self.left.is_empty()).then(|| Note {
            code: "source_left_out".to_owned(),
            text: format!(
                "Results of the source that are no cell: {}.",
                listed(&self.left)
            ),
        });
        Ok(sheets
            .into_iter()
            .enumerate()
            .map(|(index, sheet)| {
                let id = if single {
                    source.id()
                } else {
                    source.id_of(index)
                };
                let mut origin = source.origin(format);
                if let Some(parts) = sheet.parts.filter(|_| !single) {
                    origin.original = redact::original(Value::Array(parts));
                }
                let mut run = finished(sheet.run, id);
                run.notes
                    .extend(mapping::notes(&run, &origin.original, table));
                run.notes.extend(left.clone());
                run.source = Some(origin);
                run
            })
            .collect())
    }
}

/// The first reasons; a file of thousands would say the same thousands of times.
fn listed(reasons: &[String]) -> String {
    const SHOWN: usize = 4;
    if reasons.is_empty() {
        return "it has no results".to_owned();
    }
    let mut text = reasons
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("; ");
    if reasons.len() > SHOWN {
        text.push_str(&format!("; and {} more", reasons.len() - SHOWN));
    }
    text
}

/// A document that is being put together.
struct Sheet {
    run: RunDocument,
    parts: Option<Vec<Value>>,
}

fn sheets(found: Vec<Found>) -> Result<Vec<Sheet>, ImportError> {
    let mut sheets: Vec<Sheet> = Vec::new();
    let mut by_facts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for one in found {
        let facts = serde_json::to_string(&one.run).unwrap_or_default();
        let known = by_facts.entry(facts).or_default();
        let free = known
            .iter()
            .copied()
            .find(|index| sheets.get(*index).is_some_and(|sheet| sheet.has_room(&one)));
        if let Some(sheet) = free.and_then(|index| sheets.get_mut(index)) {
            sheet.add(one);
        } else {
            if sheets.len() == MOST_DOCUMENTS {
                return Err(ImportError::too_many(MOST_DOCUMENTS + 1, MOST_DOCUMENTS));
            }
            known.push(sheets.len());
            let mut sheet = Sheet {
                run: one.run.clone(),
                parts: Some(Vec::new()),
            };
            sheet.add(one);
            sheets.push(sheet);
        }
    }
    Ok(sheets)
}

impl Sheet {
    fn has_room(&self, found: &Found) -> bool {
        let cell = found.cell.as_ref();
        let row = found.prefill.as_ref();
        cell.is_none_or(|cell| self.run.cell(cell.context, cell.requests).is_none())
            && row.is_none_or(|row| {
                self.run
                    .prefill
                    .iter()
                    .all(|old| old.context != row.context)
            })
    }

    fn add(&mut self, found: Found) {
        let run = &mut self.run;
        run.decode.extend(found.cell);
        run.prefill.extend(found.prefill);
        if let Some(at) = found.at
            && run.started_at.as_ref().is_none_or(|old| at < *old)
        {
            run.started_at = Some(at);
        }
        let longest = found.answer.unwrap_or_default();
        run.plan.max_output_tokens = run.plan.max_output_tokens.max(longest);
        match (&mut self.parts, found.part) {
            (Some(parts), Some(part)) => parts.push(part),
            _ => self.parts = None,
        }
    }
}

/// Sorted, with the plan that its cells show.
fn finished(mut run: RunDocument, id: String) -> RunDocument {
    run.id = id;
    run.decode.sort_by_key(|cell| (cell.context, cell.requests));
    run.prefill.sort_by_key(|row| row.context);
    let plan = &mut run.plan;
    plan.contexts = distinct(run.decode.iter().map(|cell| cell.context));
    plan.requests = distinct(run.decode.iter().map(|cell| cell.requests));
    plan.prefill_contexts = distinct(run.prefill.iter().map(|row| row.context));
    plan.prefill = if run.prefill.is_empty() {
        PrefillMode::Off
    } else {
        PrefillMode::Standalone
    };
    run
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// A document with what every import says.
pub(crate) fn facts(tool: &str, version: Option<String>) -> RunDocument {
    let mut run = RunDocument::new(
        String::new(),
        Tool {
            name: tool.to_owned(),
            version,
        },
    );
    run.trust = Trust::Imported;
    run.complete = true;
    run.plan.capacity = CapacityRule::Try;
    "fixed_requests".clone_into(&mut run.plan.decode_test);
    run
}

/// A model by the name that requests carry: `owner/name`, a name, or a path, of which only the last
/// part is shown.
pub(crate) fn model(run: &mut RunDocument, name: &str) {
    let name = redact::text(name);
    let last = name.rsplit(['/', '\\']).find(|part| !part.is_empty());
    let last = last.unwrap_or(&name).to_owned();
    if last.to_ascii_lowercase().ends_with(".gguf") {
        run.model.file = Some(last.clone());
    }
    run.model.repository = crate::launch::repository(&name);
    run.model.name = last;
    run.model.served_name = name;
}

/// A cell with figures to come.
pub(crate) fn cell(context: u64, requests: u32) -> DecodeCell {
    DecodeCell::without_numbers(context, requests, CellStatus::Valid, None)
}

/// A cell whose requests failed, some or all. As in a run of our own it has no figures then: the
/// source's are over those that came through, and stay in the original.
pub(crate) fn failed(
    context: u64,
    requests: u32,
    completed: u64,
    failed: u64,
    sample: Option<&str>,
) -> DecodeCell {
    let all = completed.saturating_add(failed);
    let reason = if completed == 0 {
        "no request came through".to_owned()
    } else {
        format!("{failed} of {all} requests failed; the source's figures are over the others")
    };
    let mut cell = DecodeCell::without_numbers(context, requests, CellStatus::Failed, Some(reason));
    cell.completed_requests = Some(completed);
    if failed > 0 {
        let sample: String = redact::text(sample.unwrap_or_default())
            .chars()
            .take(300)
            .collect();
        cell.failures.push(FailureCount {
            class: "other".to_owned(),
            count: failed,
            http_status: None,
            sample,
        });
    }
    cell
}

/// How `chat` and `completions` are told apart by the word that tools have for a route.
pub(crate) fn endpoint(word: &str) -> &'static str {
    if word.contains("chat") {
        "chat"
    } else if word.contains("completion") || matches!(word, "openai" | "vllm" | "text") {
        "completions"
    } else {
        ""
    }
}

/// Sets rate and time between tokens of one request from the latter: each is 1000 over the other,
/// as in a run of our own.
pub(crate) fn pace(cell: &mut DecodeCell, time_between_tokens_ms: Option<f64>) {
    cell.time_between_tokens_ms = time_between_tokens_ms;
    cell.per_request_tokens_per_s = time_between_tokens_ms.map(|ms| 1_000.0 / ms);
}

/// The documents of a file whose records are one result each: `cell` reads a record's place in the
/// matrix and its figures, `found` what stands around them.
pub(crate) fn of_records(
    source: &Source<'_>,
    tool: &'static str,
    mappings: &'static [Mapping],
    cell: impl Fn(&Object<'_>) -> Result<Place<DecodeCell>, ImportError>,
    found: impl Fn(&Object<'_>, &Value, DecodeCell) -> Result<Found, ImportError>,
) -> Result<Vec<RunDocument>, ImportError> {
    let mut results = Results::default();
    let records = source.records();
    for (index, record) in records.iter().enumerate() {
        let place = match records {
            [_] => String::new(),
            _ => format!("result {}", index + 1),
        };
        let object = Object::new(record, &*place)?;
        match cell(&object)? {
            Ok(cell) => results.take(found(&object, record, cell)?),
            Err(why) => results.leave(&place, why),
        }
    }
    results.documents(source, tool, mappings)
}

/// A cell of a client whose headline has vLLM's names, all of whose requests succeeded.
pub(crate) fn served(
    record: &Object<'_>,
    context: u64,
    requests: u32,
    completed: u64,
) -> Result<DecodeCell, ImportError> {
    let mut cell = cell(context, requests);
    cell.total_tokens_per_s = record.positive("output_throughput")?;
    pace(&mut cell, record.positive("median_tpot_ms")?);
    cell.ttft_ms = record.positive("median_ttft_ms")?;
    cell.launch_ttft.p95_ms = record.positive("p95_ttft_ms")?;
    cell.completed_requests = Some(completed);
    cell.output_tokens = record.whole("total_output_tokens")?;
    cell.measured_s = record.positive("duration")?;
    Ok(cell)
}
