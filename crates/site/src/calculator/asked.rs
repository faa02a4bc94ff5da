//! From the values of an address to a question that can be answered.

use tokmark_calculator::query::{FileModel, QueryError, counted};
use tokmark_calculator::{Query, Question};
use tokmark_catalog::Catalog;
use tokmark_pages::{Field, FieldFault};
use tokmark_units::context::ContextEntry;

use super::form::Form;

/// Context and requests of the sentence where none are given.
const CONTEXT: u64 = 8_192;

/// Shown to whoever comes without a question.
pub(crate) const EXAMPLE: [(&str, &str); 4] = [
    ("model", "Qwen/Qwen3-14B-AWQ"),
    ("hardware", "RTX 3090"),
    ("at_requests", "4"),
    ("at_context", "8k"),
];

/// A question about one machine, and what is asked about the answer.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) question: Question,
    /// Of another machine.
    pub(crate) versus: Option<Question>,
    /// Context and requests of the sentence.
    pub(crate) at: (u64, u32),
    /// Whether the document has every term.
    pub(crate) explain: bool,
}

impl Asked {
    /// Reads the form; what is wrong is told at its fields.
    pub(crate) fn read(catalog: &Catalog, form: &mut Form, place: &Place<'_>) -> Option<Self> {
        let machine = form.text("hardware").unwrap_or_default();
        let unlocked = form.flag("unlocked");
        let query = query(form, &machine, unlocked);
        let entries = form.contexts("contexts").unwrap_or_default();
        let at_requests = form.count("at_requests");
        let at_context = form.tokens("at_context");
        let explain = form.flag("explain");
        if at_requests.is_some_and(|one| one == 0 || one > 65_536) {
            form.wrong("at_requests", "requests are between 1 and 65536");
        }
        if at_context.is_some_and(|one| one > 1 << 30) {
            form.wrong("at_context", "a context is at most 1G tokens");
        }
        let question = question(catalog, form, &query, &entries, place)?;
        let longest = question.longest_context().unwrap_or(CONTEXT);
        let other = form.text("versus");
        let versus_unlocked = form.flag("versus_unlocked");
        let versus = other.map(|name| {
            let query = self::query(form, &name, versus_unlocked);
            versus(catalog, form, &query, &entries, place)
        });
        Some(Self {
            at: (
                at_context.unwrap_or(CONTEXT.min(longest)),
                at_requests.unwrap_or(1),
            ),
            versus: match versus {
                Some(found) => Some(found?),
                None => None,
            },
            question,
            explain,
        })
    }
}

/// Where a form is, for links to the same question with another name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) address: &'a str,
    pub(crate) fields: &'static [Field],
}

/// The question in words, as `tokmark calc` makes it from its options.
pub(crate) fn query(form: &mut Form, machine: &str, unlocked: bool) -> Query {
    let (count, hardware) = counted(machine);
    let given = form.count("tensor_parallel");
    if let (Some(count), Some(given)) = (count, given)
        && count != given
    {
        let message = format!("`{machine}` and {given} are two numbers of accelerators");
        form.wrong("tensor_parallel", message);
    }
    let groups = [form.count("pipeline_parallel"), form.count("data_parallel")];
    let groups = groups.into_iter().flatten().map(u64::from).product::<u64>();
    if let Some(count) = count
        && groups > 1
    {
        let message = format!(
            "`{machine}` is {count} accelerators in each of {groups} groups, {} in all",
            groups.saturating_mul(count.into())
        );
        form.wrong("hardware", message);
    }
    Query {
        model: form.text("model").unwrap_or_default(),
        quantization: form.text("quantization"),
        hardware: hardware.to_owned(),
        memory_gib: form.number("memory_gib"),
        unlocked,
        engine: form.text("engine"),
        kv_type: form.text("kv"),
        contexts: Vec::new(),
        requests: form.levels("requests").unwrap_or_default(),
        output_tokens: form.tokens("output_tokens"),
        shared_prompt: form.flag("shared_prompt"),
        tensor_parallel: given.or(count),
        pipeline_parallel: form.count("pipeline_parallel"),
        data_parallel: form.count("data_parallel"),
        link_gb_per_s: form.number("link_gb_per_s"),
        host_dense_share: form.number("host_dense_share"),
        host_expert_share: form.number("host_expert_share"),
        host_bandwidth_gb_per_s: form.number("host_bandwidth_gb_per_s"),
        memory_fraction: form.number("memory_fraction"),
        max_sequences: form.count("max_sequences"),
        max_length_tokens: form.tokens("max_length"),
        kv_budget_tokens: form.tokens("kv_budget"),
        drafted_tokens: form.count("drafted_tokens"),
        accepted_share: form.number("accepted_share"),
    }
}

pub(crate) fn question(
    catalog: &Catalog,
    form: &mut Form,
    query: &Query,
    entries: &[ContextEntry],
    place: &Place<'_>,
) -> Option<Question> {
    if !form.faults.is_empty() {
        return None;
    }
    let found = resolved(catalog, query, entries, Query::resolve);
    found
        .map_err(|error| {
            let model = error.field == "model";
            form.faults.push(fault(catalog, form, query, error, place));
            if model {
                others(catalog, form, query, place);
            }
        })
        .ok()
}

/// What is wrong beside an unknown model: found with a known one in its place.
fn others(catalog: &Catalog, form: &mut Form, query: &Query, place: &Place<'_>) {
    let [(_, known), ..] = EXAMPLE;
    let query = Query {
        model: known.to_owned(),
        quantization: None,
        ..query.clone()
    };
    if let Err(error) = query.resolve(catalog, None) {
        let fault = fault(catalog, form, &query, error, place);
        form.faults.push(fault);
    }
}

/// The other machine's question; what is wrong with its machine is told at its own field.
fn versus(
    catalog: &Catalog,
    form: &mut Form,
    query: &Query,
    entries: &[ContextEntry],
    place: &Place<'_>,
) -> Option<Question> {
    if !form.faults.is_empty() {
        return None;
    }
    let found = resolved(catalog, query, entries, Query::resolve_beside);
    found
        .map_err(|error| {
            let mut fault = fault(catalog, form, query, error, place);
            fault.field = match fault.field {
                "unlocked" => "versus_unlocked",
                _ => "versus",
            };
            for (name, href) in &mut fault.candidates {
                *href = linked(form, place, &[("versus", name)]);
            }
            form.faults.push(fault);
        })
        .ok()
}

/// How names are looked up.
type Resolve = fn(&Query, &Catalog, Option<FileModel>) -> Result<Question, QueryError>;

/// With the contexts of the list, of which `max` is only known with the model.
fn resolved(
    catalog: &Catalog,
    query: &Query,
    entries: &[ContextEntry],
    resolve: Resolve,
) -> Result<Question, QueryError> {
    let lengths = entries.iter().filter_map(|entry| match entry {
        ContextEntry::Length(context) => Some(context.0),
        ContextEntry::Max => None,
    });
    let mut query = query.clone();
    query.contexts = lengths.collect();
    query.contexts.sort_unstable();
    query.contexts.dedup();
    let given = query.contexts.clone();
    let mut question = resolve(&query, catalog, None)?;
    if entries.contains(&ContextEntry::Max) {
        let longest = question.longest_context().ok_or_else(|| QueryError {
            field: "contexts",
            message: "`max` is not known for this model; say the longest request".to_owned(),
            candidates: Vec::new(),
        })?;
        question.contexts = given;
        question.contexts.push(longest);
        question.contexts.sort_unstable();
        question.contexts.dedup();
    }
    Ok(question)
}

/// The field of the form, with names that may have been meant.
fn fault(
    catalog: &Catalog,
    form: &Form,
    query: &Query,
    error: QueryError,
    place: &Place<'_>,
) -> FieldFault {
    let field = match error.field {
        "kv_type" => "kv",
        "kv_budget_tokens" => "kv_budget",
        "max_length_tokens" => "max_length",
        other => other,
    };
    let alike: Vec<String> = match field {
        _ if !error.candidates.is_empty() => error.candidates,
        "model" => owned(catalog.models_like(&query.model)),
        "hardware" => owned(catalog.hardware_like(&query.hardware)),
        _ => Vec::new(),
    };
    FieldFault {
        field,
        message: error.message,
        candidates: alike
            .into_iter()
            .map(|name| {
                let href = linked(form, place, &[(field, &name)]);
                (name, href)
            })
            .collect(),
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// The address of the same question with another name.
fn linked(form: &Form, place: &Place<'_>, replaced: &[(&'static str, &str)]) -> String {
    format!("{}?{}", place.address, form.query(place.fields, replaced))
}
