//! Lengths of files and functions: what fits on a few screens is read, what does not is skimmed.

use syn::visit::Visit;

use crate::finding::Finding;

/// Lines of a file, its tests included.
const FILE: usize = 500;

/// Lines of a function from its `fn` to its closing brace, comments and blank lines included.
/// Tests are left out: a table of cases may be long.
const FUNCTION: usize = 80;

/// Too long a file, and the functions in it that are too long.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > FILE {
        findings.push(Finding::new(
            path,
            FILE + 1,
            format!("the file has {lines} lines, {FILE} are allowed"),
            "split it by subject",
        ));
    }
    if holds_tests_only(path) {
        return findings;
    }
    match syn::parse_file(text) {
        Ok(file) => findings.extend(functions(&file).into_iter().filter_map(|function| {
            let Function { name, line, lines } = function;
            (lines > FUNCTION).then(|| {
                Finding::new(
                    path,
                    line,
                    format!("`{name}` has {lines} lines, {FUNCTION} are allowed"),
                    "give its parts names",
                )
            })
        })),
        Err(error) => findings.push(Finding::new(
            path,
            error.span().start().line,
            format!("this is not Rust: {error}"),
            "mend it",
        )),
    }
    findings
}

fn holds_tests_only(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let file = folders.pop().unwrap_or_default();
    file == "tests.rs"
        || file.ends_with("_tests.rs")
        || folders
            .iter()
            .any(|folder| ["tests", "benches"].contains(folder))
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

fn functions(file: &syn::File) -> Vec<Function> {
    let mut found = Functions(Vec::new());
    found.visit_file(file);
    found.0
}

struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let end = body.brace_token.span.close().end().line;
        self.0.push(Function {
            name: signature.ident.to_string(),
            line,
            lines: end + 1 - line,
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !module.attrs.iter().any(is_test) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !function.attrs.iter().any(is_test) {
            self.add(&function.sig, &function.block);
            syn::visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        syn::visit::visit_trait_item_fn(self, function);
    }
}

/// `#[test]`, `#[tokio::test]` and the like, or `#[cfg(test)]` also as a part of `all(…)`.
fn is_test(attribute: &syn::Attribute) -> bool {
    if let syn::Meta::List(list) = &attribute.meta
        && list.path.is_ident("cfg")
    {
        let condition = list.tokens.to_string();
        let mut words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
        return words.any(|word| word == "test") && !condition.contains("not");
    }
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| segment.ident == "test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    fn long(head: &str, lines: usize) -> String {
        let body = "    work();\n".repeat(lines - 2);
        format!("{head} fn long() {{\n{body}}}\n")
    }

    fn check_text(path: &str, text: &str, expect: &[&str]) {
        assert_eq!(lines(&check(path, text)), expect);
    }

    #[test]
    fn a_file_has_at_most_500_lines() {
        check_text("src/a.rs", &"// word\n".repeat(500), &[]);
        check_text(
            "tests/it/a.rs",
            &"// word\n".repeat(501),
            &["tests/it/a.rs:501: the file has 501 lines, 500 are allowed; split it by subject"],
        );
    }

    #[test]
    fn a_function_has_at_most_80_lines() {
        check_text("src/a.rs", &long("pub(crate)", 80), &[]);
        check_text(
            "src/a.rs",
            &format!("//! Module.\n\n/// Long.\n{}", long("", 81)),
            &["src/a.rs:4: `long` has 81 lines, 80 are allowed; give its parts names"],
        );
    }

    #[test]
    fn methods_and_default_methods_count() {
        for head in ["impl A", "impl B for A", "trait B", "mod inner"] {
            let text = format!("{head} {{\n{}}}\n", long("", 81));
            check_text(
                "src/a.rs",
                &text,
                &["src/a.rs:2: `long` has 81 lines, 80 are allowed; give its parts names"],
            );
        }
    }

    #[test]
    fn tests_are_left_out() {
        for head in ["#[test]\n", "#[tokio::test(start_paused = true)]\nasync"] {
            check_text("src/a.rs", &long(head, 81), &[]);
        }
        for condition in ["test", "all(test, unix)"] {
            let text = format!("#[cfg({condition})]\nmod tests {{\n{}}}\n", long("", 81));
            check_text("src/a.rs", &text, &[]);
        }
        for path in [
            "tests/it/a.rs",
            "crates/x/benches/b.rs",
            "src/stream/tests.rs",
        ] {
            check_text(path, &long("", 81), &[]);
        }
    }

    #[test]
    fn code_for_outside_of_tests_counts() {
        let text = format!("#[cfg(not(test))]\nmod real {{\n{}}}\n", long("", 81));
        check_text(
            "src/a.rs",
            &text,
            &["src/a.rs:3: `long` has 81 lines, 80 are allowed; give its parts names"],
        );
    }

    #[test]
    fn what_does_not_parse_is_reported() {
        let findings = lines(&check("src/a.rs", "fn a() {}\nfn {}\n"));
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].starts_with("src/a.rs:2: this is not Rust: "),
            "{findings:?}"
        );
    }
}
