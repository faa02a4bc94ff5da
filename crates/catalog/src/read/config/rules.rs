//! Lists of modules, as quantizations write them: exact names, parts of names, wildcards, regular
//! expressions.

use std::collections::HashSet;

use regex::bytes::{Regex, RegexBuilder};

use super::super::ReadError;
use super::super::bounds::at_most;

/// Entries of a list at most. Lists that name each router of each layer have a few hundred.
const MOST_ENTRIES: u64 = 100_000;
/// Expressions at most; each is tried on each module.
const MOST_EXPRESSIONS: u64 = 500;
/// Memory of one compiled expression at most.
const MOST_COMPILED_BYTES: usize = 1 << 20;

/// What stands before `layers` in the checkpoints of different families.
const BEFORE: [&str; 5] = [
    "",
    "model.",
    "model.language_model.",
    "language_model.model.",
    "backbone.",
];

/// A list of modules.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    names: HashSet<String>,
    expressions: Vec<Regex>,
}

impl Rules {
    pub(super) fn read<'a>(entries: impl Iterator<Item = &'a str>) -> Result<Self, ReadError> {
        let mut rules = Self::default();
        let mut count = 0;
        for entry in entries {
            count += 1;
            at_most("the list of modules", count, MOST_ENTRIES)?;
            if let Some(expression) = entry.strip_prefix("re:") {
                rules.add(&format!("^(?:{expression})"), entry)?;
            } else if entry.contains('*') {
                // `*` stands for anything; the rest for itself.
                let parts: Vec<String> = entry.split('*').map(regex::escape).collect();
                rules.add(&format!("^(?:{})$", parts.join(".*")), entry)?;
            } else {
                rules.names.insert(without_start(entry).to_owned());
            }
            let expressions = tokmark_units::float::len_u64(rules.expressions.len());
            at_most("the number of expressions", expressions, MOST_EXPRESSIONS)?;
        }
        Ok(rules)
    }

    fn add(&mut self, expression: &str, entry: &str) -> Result<(), ReadError> {
        let compiled = RegexBuilder::new(expression)
            .unicode(false)
            .size_limit(MOST_COMPILED_BYTES)
            .build()
            .map_err(|_| ReadError::wrong("ignore", entry, "a regular expression"))?;
        self.expressions.push(compiled);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.expressions.is_empty()
    }

    /// Whether the list covers a module: by its name, by the name of what it lies in, or by a part
    /// of the name (`self_attn`, `lm_head`).
    pub(super) fn cover(&self, path: &str) -> bool {
        self.by_name(path) || self.by_expression(path)
    }

    fn by_name(&self, path: &str) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let starts = std::iter::once(0).chain(path.match_indices('.').map(|(at, _)| at + 1));
        starts.filter_map(|start| path.get(start..)).any(|rest| {
            let ends = rest.match_indices('.').map(|(at, _)| at);
            ends.chain([rest.len()])
                .filter_map(|end| rest.get(..end))
                .any(|part| self.names.contains(part))
        })
    }

    fn by_expression(&self, path: &str) -> bool {
        if self.expressions.is_empty() {
            return false;
        }
        BEFORE.iter().any(|before| {
            let name = format!("{before}{path}");
            self.expressions
                .iter()
                .any(|rule| rule.is_match(name.as_bytes()))
        })
    }
}

fn without_start(entry: &str) -> &str {
    let longest = BEFORE
        .iter()
        .filter_map(|before| entry.strip_prefix(before))
        .min_by_key(|rest| rest.len());
    longest.unwrap_or(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[&str], path: &str, expect: bool) {
        let rules = Rules::read(entries.iter().copied()).unwrap();
        assert_eq!(rules.cover(path), expect, "{entries:?} and {path}");
    }

    #[test]
    fn lists_cover_modules_by_name_part_and_expression() {
        let dense = "layers.0.mlp.gate_proj";
        let expert = "layers.3.mlp.experts.0.gate_proj";
        check(&["lm_head"], "lm_head", true);
        check(&["model.layers.0.mlp.gate_proj"], dense, true);
        check(&["model.layers.0.mlp"], dense, true);
        check(&["model.language_model.layers.0"], dense, true);
        check(&["mlp"], dense, true);
        check(&["layers.0.mlp"], "layers.10.mlp.gate_proj", false);
        check(&["gate"], dense, false);
        check(&["model.layers.*.mlp.gate_proj"], dense, true);
        check(&["*lm_head*"], "lm_head", true);
        check(&["re:.*mlp\\.(gate|up|gate_up|down)_proj.*"], dense, true);
        check(&["re:.*mlp\\.(gate|up|gate_up|down)_proj.*"], expert, false);
        check(&["re:.*shared_experts.*"], expert, false);
        check(&[], dense, false);
    }

    #[test]
    fn a_broken_or_huge_expression_is_refused() {
        let read = |entry: &str| Rules::read(std::iter::once(entry));
        assert!(read("re:(").is_err());
        assert!(read("re:((a{1000}){1000}){1000}").is_err());
        let many = vec!["re:a"; 501];
        assert!(Rules::read(many.into_iter()).is_err());
    }
}
