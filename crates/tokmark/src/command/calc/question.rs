//! From what was typed to a question that can be answered.

use tokmark_calculator::query::{FileModel, QueryError, counted};
use tokmark_calculator::{Query, Question};
use tokmark_catalog::Catalog;
use tokmark_units::Context;
use tokmark_units::context::ContextEntry;

use super::model_file;
use crate::args::calc::{CalcArgs, QuestionArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// The question about the machine that was named.
pub(super) fn question(catalog: &Catalog, args: &QuestionArgs) -> Outcome<Question> {
    let machine = args.machine.hardware.as_deref().unwrap_or_default();
    let unlocked = args.machine.unlocked;
    about(catalog, args, machine, unlocked, Query::resolve)
}

/// The same question about another machine.
pub(super) fn versus(catalog: &Catalog, args: &CalcArgs, name: &str) -> Outcome<Question> {
    let unlocked = args.what_if.versus_unlocked;
    about(
        catalog,
        &args.question,
        name,
        unlocked,
        Query::resolve_beside,
    )
    .map_err(|failure| failure.context(format!("--versus `{name}`")))
}

/// A question whose machine does not matter.
pub(super) fn about_any_machine(catalog: &Catalog, args: &QuestionArgs) -> Outcome<Question> {
    let any = catalog
        .hardware()
        .iter()
        .find(|row| row.memory_gib.is_some());
    let any = any.map(|row| row.id.as_str()).unwrap_or_default();
    about(catalog, args, any, false, Query::resolve)
}

fn about(
    catalog: &Catalog,
    args: &QuestionArgs,
    machine: &str,
    unlocked: bool,
    resolve: Resolve,
) -> Outcome<Question> {
    let words = args.model.as_deref().unwrap_or_default();
    let file = model_file::read(catalog, words, args.quantization.as_deref())?;
    let query = query(args, machine, unlocked)?;
    let mut question = resolved(catalog, &query, file, resolve)?;
    let entries = args.load.contexts.as_deref().unwrap_or_default();
    if entries.contains(&ContextEntry::Max) {
        // How long the longest is, is only known with the model.
        question.contexts = lengths(entries);
        let longest = question.longest_context().ok_or_else(|| {
            let message = "--contexts: `max` is not known for this model";
            Failure::saying(Exit::Usage, message).hint("--max-length TOKENS")
        })?;
        question.contexts.push(longest);
        question.contexts.sort_unstable();
        question.contexts.dedup();
    }
    Ok(question)
}

/// The lengths of a list, sorted and without repeats.
fn lengths(entries: &[ContextEntry]) -> Vec<u64> {
    let lengths = entries.iter().filter_map(|entry| match entry {
        ContextEntry::Length(Context(tokens)) => Some(*tokens),
        ContextEntry::Max => None,
    });
    let mut lengths: Vec<u64> = lengths.collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn query(args: &QuestionArgs, machine: &str, unlocked: bool) -> Outcome<Query> {
    let (count, hardware) = counted(machine);
    let own = &args.machine;
    if let (Some(count), Some(given)) = (count, own.tensor_parallel)
        && count != given
    {
        let message = format!("`{machine}` and --count {given} are two numbers of accelerators");
        return Err(Failure::saying(Exit::Usage, message));
    }
    let groups = [own.pipeline_parallel, own.data_parallel];
    let groups = groups.into_iter().flatten().map(u64::from).product::<u64>();
    if let Some(count) = count
        && groups > 1
    {
        let message = format!(
            "`{machine}` is {count} accelerators in each of {groups} groups, {} in all",
            groups.saturating_mul(count.into())
        );
        return Err(Failure::saying(Exit::Usage, message).hint(
            "one accelerator's name and --tensor-parallel, --pipeline-parallel, --data-parallel",
        ));
    }
    Ok(Query {
        model: args.model.clone().unwrap_or_default(),
        quantization: args.quantization.clone(),
        hardware: hardware.to_owned(),
        memory_gib: own.memory_gib,
        unlocked,
        engine: args.engine.engine.clone(),
        kv_type: args.engine.kv.clone(),
        contexts: lengths(args.load.contexts.as_deref().unwrap_or_default()),
        requests: args.load.requests.as_deref().unwrap_or_default().to_vec(),
        output_tokens: args.load.output_tokens,
        shared_prompt: args.load.shared_prompt,
        tensor_parallel: own.tensor_parallel.or(count),
        pipeline_parallel: own.pipeline_parallel,
        data_parallel: own.data_parallel,
        link_gb_per_s: own.link_gb_per_s,
        host_dense_share: own.host_dense_share,
        host_expert_share: own.host_expert_share,
        host_bandwidth_gb_per_s: own.host_bandwidth_gb_per_s,
        memory_fraction: args.engine.memory_fraction,
        max_sequences: args.engine.max_sequences,
        max_length_tokens: args.engine.max_length,
        kv_budget_tokens: args.engine.kv_budget,
        drafted_tokens: args.engine.drafted_tokens,
        accepted_share: args.engine.accepted_share,
    })
}

/// How names are looked up.
type Resolve = fn(&Query, &Catalog, Option<FileModel>) -> Result<Question, QueryError>;

fn resolved(
    catalog: &Catalog,
    query: &Query,
    file: Option<FileModel>,
    resolve: Resolve,
) -> Outcome<Question> {
    resolve(query, catalog, file).map_err(|error| {
        let hint = hint(catalog, query, &error);
        let option = option_of(error.field);
        let message = format!("{option}: {}", error.message);
        Failure::saying(Exit::Usage, message).hint(hint)
    })
}

/// The option of a field of the question.
fn option_of(field: &str) -> String {
    match field {
        "kv_type" => "--kv".to_owned(),
        "kv_budget_tokens" => "--kv-budget".to_owned(),
        "max_length_tokens" => "--max-length".to_owned(),
        other => format!("--{}", other.replace('_', "-")),
    }
}

/// What to try: names that are written alike, where the catalog has no candidates of its own.
fn hint(catalog: &Catalog, query: &Query, error: &QueryError) -> String {
    if !error.candidates.is_empty() {
        return "name one of them".to_owned();
    }
    let alike: Vec<&str> = match error.field {
        "model" => catalog.models_like(&query.model),
        "hardware" => catalog.hardware_like(&query.hardware),
        _ => return String::new(),
    };
    let files = "the path of its config.json or GGUF file";
    match (error.field, alike.as_slice()) {
        ("model", []) => files.to_owned(),
        ("model", some) => format!("{}; or {files}", some.join(", ")),
        (_, some) => some.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_by_their_options() {
        assert_eq!(option_of("kv_type"), "--kv");
        assert_eq!(option_of("host_dense_share"), "--host-dense-share");
    }
}
