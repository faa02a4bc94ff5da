//! Options on a server's command line, and what its launch says in words that all servers share.

use tokmark_run_format::{Engine, LaunchSettings, TokenBudget};

/// Takes what a launch says where nothing has said it before. Sequences are those of all copies of
/// the model.
pub(crate) fn fill(engine: &mut Engine, settings: &LaunchSettings) {
    let chosen = |word: &Option<String>| word.clone().filter(|word| word != "auto");
    let kv_type = engine.kv_type.take();
    engine.kv_type = kv_type.or_else(|| chosen(&settings.kv_type));
    let quantization = engine.quantization.take();
    engine.quantization = quantization
        .or_else(|| chosen(&settings.quantization))
        .or_else(|| chosen(&settings.dtype));
    let copies = settings.data_parallel.unwrap_or(1).max(1);
    let sequences = settings.max_sequences.filter(|sequences| *sequences > 0);
    let sequences = sequences.map(|sequences| sequences.saturating_mul(copies));
    engine.max_sequences = engine.max_sequences.or(sequences);
    let context = settings.context.filter(|tokens| *tokens > 0);
    engine.max_length = engine.max_length.or(context);
    engine.prefix_cache = engine.prefix_cache.or(settings.prefix_cache);
    engine.build = engine.build.take().or_else(|| settings.image.clone());
    let told = settings.kv_tokens.filter(|tokens| *tokens > 0);
    if let Some(tokens) = told.filter(|_| engine.kv_budget.is_none()) {
        let ranks = vec![tokens; usize::try_from(copies).unwrap_or(1)];
        engine.kv_budget = TokenBudget::of_ranks(&ranks, 1, "launch: tokens of the KV cache");
    }
}

/// The value of the last option of one of `names`, as `--name value` or `--name=value`.
pub(crate) fn value<'a>(arguments: &'a [String], names: &[&str]) -> Option<&'a str> {
    let mut found = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if names.contains(&argument.as_str()) {
            found = rest.clone().next().map(String::as_str);
        } else if let Some((name, value)) = argument.split_once('=')
            && names.contains(&name)
        {
            found = Some(value);
        }
    }
    found
}

/// Whether an option without a value is present.
pub(crate) fn has(arguments: &[String], names: &[&str]) -> bool {
    arguments
        .iter()
        .any(|argument| names.contains(&argument.as_str()))
}

/// As [`value`], for whole numbers; thousands separators are allowed.
pub(crate) fn number(arguments: &[String], names: &[&str]) -> Option<u64> {
    whole_number(value(arguments, names)?)
}

/// A whole number as people and programs write it: `131072`, `131,072`, `131072.0`.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    let digits: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '_'))
        .collect();
    let digits = digits.strip_suffix(".0").unwrap_or(&digits);
    digits.parse().ok()
}
