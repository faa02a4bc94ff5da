//! `llama-bench` as CSV and as a Markdown table, in the fields of its JSON.

use serde_json::{Map, Value, json};

use crate::error::ImportError;

/// Columns whose text is a text also when it has only digits.
const TEXTS: [&str; 12] = [
    "build_commit",
    "cpu_info",
    "gpu_info",
    "backends",
    "model_filename",
    "model_type",
    "cpu_mask",
    "type_k",
    "type_v",
    "devices",
    "tensor_split",
    "tensor_buft_overrides",
];

/// Names of columns that the Markdown table shortens.
const SHORTENED: [(&str, &str); 14] = [
    ("model", "model_type"),
    ("backend", "backends"),
    ("ngl", "n_gpu_layers"),
    ("sm", "split_mode"),
    ("threads", "n_threads"),
    ("nkvo", "no_kv_offload"),
    ("fa", "flash_attn"),
    ("mmap", "use_mmap"),
    ("embd", "embeddings"),
    ("ts", "tensor_split"),
    ("ot", "tensor_buft_overrides"),
    ("dev", "devices"),
    ("nopo", "no_op_offload"),
    ("mg", "main_gpu"),
];

/// Whether the first line names the columns of `llama-bench`.
pub(super) fn is_csv(text: &str) -> bool {
    let names = fields(first_line(text));
    ["build_commit", "n_prompt", "n_gen", "avg_ts"]
        .iter()
        .all(|name| names.iter().any(|given| given == name))
}

fn first_line(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
        .lines()
        .next()
        .unwrap_or_default()
}

/// The tests of a CSV file.
pub(super) fn csv(text: &str) -> Result<Vec<Value>, ImportError> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let names = lines
        .next()
        .map(|(_, line)| fields(line))
        .unwrap_or_default();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let values = fields(line);
            if values.len() != names.len() {
                return Err(ImportError::Line {
                    line: index + 1,
                    source: None,
                });
            }
            let row: Map<String, Value> = names
                .iter()
                .zip(values)
                .map(|(name, value)| (name.clone(), typed(name, value)))
                .collect();
            Ok(Value::Object(row))
        })
        .collect()
}

/// The value of a column: a number where it is one, `null` where nothing stands.
fn typed(name: &str, value: String) -> Value {
    if value.is_empty() {
        return Value::Null;
    }
    if !TEXTS.contains(&name)
        && let Ok(number) = value.parse::<f64>()
    {
        return value
            .parse::<u64>()
            .map_or_else(|_| json!(number), |whole| json!(whole));
    }
    Value::String(value)
}

/// The fields of a line of CSV; a quote inside quotes is doubled.
fn fields(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                push(&mut all, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(String::new()),
            other => push(&mut all, other),
        }
    }
    all
}

fn push(all: &mut [String], c: char) {
    if let Some(last) = all.last_mut() {
        last.push(c);
    }
}

/// Whether a table of `llama-bench` stands in the text, perhaps below what it printed before.
pub(super) fn is_markdown(text: &str) -> bool {
    text.lines().any(|line| is_head(&columns(line)))
}

fn is_head(names: &[&str]) -> bool {
    ["model", "size", "params", "test", "t/s"]
        .iter()
        .all(|name| names.contains(name))
}

fn columns(line: &str) -> Vec<&str> {
    let inner = line
        .trim()
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'));
    inner.map_or_else(Vec::new, |inner| inner.split('|').map(str::trim).collect())
}

/// The tests of every table in the text, and the build that is named below.
pub(super) fn markdown(text: &str) -> Result<Vec<Value>, ImportError> {
    let build = text.lines().find_map(build);
    let mut names: Option<Vec<&str>> = None;
    let mut tests = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let values = columns(line);
        if is_head(&values) {
            names = Some(values);
            continue;
        }
        let Some(names) = &names else { continue };
        if values.is_empty() || is_rule(&values) {
            continue;
        }
        if values.len() != names.len() {
            return Err(ImportError::Line {
                line: index + 1,
                source: None,
            });
        }
        let mut row = row(names, &values)?;
        if let Some((commit, number)) = build {
            row.insert("build_commit".to_owned(), commit.into());
            row.insert("build_number".to_owned(), number.into());
        }
        tests.push(Value::Object(row));
    }
    Ok(tests)
}

fn is_rule(values: &[&str]) -> bool {
    let dashes = |value: &&str| !value.is_empty() && value.chars().all(|c| matches!(c, '-' | ':'));
    values.iter().all(dashes)
}

/// `build: 1e8f28c (1234)`.
fn build(line: &str) -> Option<(&str, u64)> {
    let (commit, number) = line.trim().strip_prefix("build: ")?.split_once(' ')?;
    let number = number.trim().strip_prefix('(')?.split(')').next()?;
    Some((commit, number.parse().ok()?))
}

fn row(names: &[&str], values: &[&str]) -> Result<Map<String, Value>, ImportError> {
    let mut row = Map::new();
    for (name, value) in names.iter().zip(values) {
        match *name {
            "test" => {
                for (field, tokens) in test(value)? {
                    row.insert(field.to_owned(), tokens.into());
                }
            }
            "t/s" => {
                let rate = value.split('±').next().unwrap_or_default().trim();
                let rate: f64 = rate.parse().map_err(|_| {
                    ImportError::figure(*value, "t/s", "a rate such as `70.52 ± 0.04`")
                })?;
                row.insert("avg_ts".to_owned(), json!(rate));
            }
            // Rounded for reading: no exact count.
            "size" | "params" => {}
            other => {
                let long = SHORTENED.iter().find(|(short, _)| *short == other);
                let name = long.map_or(other, |(_, long)| *long);
                row.insert(name.to_owned(), typed(name, (*value).to_owned()));
            }
        }
    }
    Ok(row)
}

/// `pp512`, `tg128`, `pp512+tg128`, each perhaps with `@ d4096`.
fn test(text: &str) -> Result<Vec<(&'static str, u64)>, ImportError> {
    let wanted = || ImportError::figure(text, "test", "a test such as `pp512` or `tg128 @ d4096`");
    let (tests, depth) = match text.split_once('@') {
        Some((tests, depth)) => (tests, Some(depth.trim())),
        None => (text, None),
    };
    let mut found = Vec::new();
    for part in tests.trim().split('+') {
        let named = [("pp", "n_prompt"), ("tg", "n_gen")];
        let read = named.into_iter().find_map(|(start, field)| {
            let tokens = part.trim().strip_prefix(start)?.trim();
            Some((field, tokens.parse().ok()?))
        });
        found.push(read.ok_or_else(wanted)?);
    }
    if let Some(depth) = depth {
        let tokens = depth
            .strip_prefix('d')
            .and_then(|tokens| tokens.parse().ok());
        found.push(("n_depth", tokens.ok_or_else(wanted)?));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields() {
        assert_eq!(
            fields("\"a,b\",\"c \"\"d\"\"\",,5"),
            ["a,b", "c \"d\"", "", "5"]
        );
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn names_of_tests() {
        let check = |text: &str, expect: &[(&str, u64)]| {
            assert_eq!(test(text).unwrap(), expect, "{text}");
        };
        check("pp512", &[("n_prompt", 512)]);
        check("tg 128", &[("n_gen", 128)]);
        check("pp512+tg128", &[("n_prompt", 512), ("n_gen", 128)]);
        check("tg128 @ d4096", &[("n_gen", 128), ("n_depth", 4_096)]);
        for bad in ["", "pp", "xx1", "pp512 @ 3", "ppx", "tg1+", "pp-1"] {
            assert!(test(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn tables_are_found_among_other_lines() {
        let text = "found 1 device\n| model | size | params | backend | test | t/s |\n\
                    | --- | ---: | ---: | --- | ---: | ---: |\n\
                    | llama 1B Q4_0 | 1.00 GiB | 1.24 B | CPU | pp64 | 120.50 ± 0.10 |\n\n\
                    build: abc1234 (77)\n";
        assert!(is_markdown(text));
        let tests = markdown(text).unwrap();
        assert_eq!(
            tests,
            [
                json!({"model_type": "llama 1B Q4_0", "backends": "CPU", "n_prompt": 64,
                "avg_ts": 120.5, "build_commit": "abc1234", "build_number": 77})
            ]
        );
        assert!(!is_markdown("| model | t/s |\n"));
        assert!(markdown(&text.replace("CPU | pp64", "CPU | pp64 |")).is_err());
    }
}
