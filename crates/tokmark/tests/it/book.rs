//! The documentation as a book: every page has its place, every link leads somewhere, and every
//! command, setting and document in it is one that the program takes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{program, tokmark};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The pages, as paths from the root.
fn pages() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "md")
        {
            found.push(format!("docs/{name}"));
        }
    }
    found.sort();
    found
}

/// A fenced block of a page.
struct Block {
    place: String,
    language: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (number, line) in read(page).lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_open = !is_open;
            if is_open {
                found.push(Block {
                    place: format!("{page}:{}", number + 1),
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
        } else if is_open {
            let block = found.last_mut().unwrap();
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    found
}

/// The calls of the program in a block of shell, with lines joined and comments left out.
fn calls(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    joined
        .lines()
        .map(|line| line.trim().trim_start_matches("$ "))
        .filter_map(|line| {
            let start = ["tokmark ", "cargo run --release -- "];
            start.iter().find_map(|start| line.strip_prefix(*start))
        })
        .map(words)
        .collect()
}

/// The words of a line up to a comment, a pipe, a redirection or an `&`.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#' | '|' | '>' | '&' | ';') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_of_a_shell_line() {
    let check = |line: &str, expect: &[&str]| assert_eq!(words(line), expect, "{line}");
    check("run 'a b' -x \"c\"  # why", &["run", "a b", "-x", "c"]);
    check(
        "show f --format html > page.html",
        &["show", "f", "--format", "html"],
    );
    check("sim --port 0 &", &["sim", "--port", "0"]);
    check("import ''", &["import", ""]);
}

/// `config show` reads the words by the program's own definition, and runs nothing.
#[test]
fn every_command_in_the_pages_is_one_that_the_program_takes() {
    let mut count = 0;
    for page in pages() {
        for block in blocks(&page) {
            if !["sh", "console", "yaml"].contains(&block.language.as_str()) {
                continue;
            }
            // In a `console` block the other lines are what is printed.
            let typed = |line: &&str| block.language != "console" || line.starts_with("$ ");
            let text: Vec<&str> = block.text.lines().filter(typed).collect();
            for call in calls(&text.join("\n")) {
                count += 1;
                let all: Vec<&str> = ["config", "show"]
                    .into_iter()
                    .chain(call.iter().map(String::as_str))
                    .collect();
                let output = tokmark(&all);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{}: {call:?}\n{said}", block.place);
            }
        }
    }
    assert!(count > 40, "only {count} commands were found");
}

/// A block that is a file of settings is read as one.
#[test]
fn every_file_of_settings_in_the_pages_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tokmark.toml");
    let mut count = 0;
    for page in pages() {
        for block in blocks(&page)
            .iter()
            .filter(|block| block.language == "toml")
        {
            count += 1;
            std::fs::write(&file, &block.text).unwrap();
            let mut shown = program();
            shown.arg("--config").arg(&file).args(["config", "show"]);
            let output = shown.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{}: {said}", block.place);
        }
    }
    assert!(count > 0);
}

#[test]
fn every_document_in_the_pages_is_json() {
    for page in pages() {
        for block in blocks(&page)
            .iter()
            .filter(|block| block.language == "json")
        {
            let read: Result<serde_json::Value, _> = serde_json::from_str(&block.text);
            assert!(read.is_ok(), "{}: {read:?}", block.place);
        }
    }
}

/// What follows `$ tokmark …` in a block of `console` is what the program prints, run in the folder of
/// a saved run; a line of three dots stands for any lines.
#[test]
fn what_the_pages_show_is_what_the_program_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-1");
    let mut count = 0;
    for page in pages() {
        for block in blocks(&page)
            .iter()
            .filter(|block| block.language == "console")
        {
            for part in block.text.split("$ tokmark ").skip(1) {
                let (line, expect) = part.split_once('\n').unwrap();
                count += 1;
                let mut run = program();
                run.args(words(line)).current_dir(&folder);
                let output = run.output().unwrap();
                let mut said = String::from_utf8(output.stdout).unwrap();
                said.push_str(&String::from_utf8(output.stderr).unwrap());
                assert!(is_like(&said, expect), "{}: {line}\n{said}", block.place);
            }
        }
    }
    assert!(count > 2, "only {count} commands with output were found");
}

fn is_like(said: &str, expect: &str) -> bool {
    let mut rest = said.lines().map(str::trim_end);
    let mut may_skip = false;
    for line in expect.lines().map(str::trim_end) {
        if line == "..." {
            may_skip = true;
        } else if may_skip {
            if !rest.any(|other| other == line) {
                return false;
            }
            may_skip = false;
        } else if rest.next() != Some(line) {
            return false;
        }
    }
    may_skip || rest.all(str::is_empty)
}

#[test]
fn lines_may_be_left_out_where_dots_stand() {
    assert!(is_like("a\nb\n", "a\nb\n"));
    assert!(is_like("a\nb\nc\n", "a\n...\nc\n"));
    assert!(is_like("a\nb\nc\n", "...\nb\n...\n"));
    assert!(!is_like("a\nb\n", "a\n"));
    assert!(!is_like("a\nb\n", "a\nc\n"));
    assert!(!is_like("a\nb\n", "...\nc\n"));
}

#[test]
fn every_page_is_in_the_book_once() {
    let summary = read("docs/SUMMARY.md");
    let listed: Vec<String> = links(&summary);
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    for page in pages() {
        let Some(name) = page
            .strip_prefix("docs/")
            .filter(|name| *name != "SUMMARY.md")
        else {
            continue;
        };
        assert!(
            listed.iter().any(|link| link == name),
            "{name} is not in docs/SUMMARY.md"
        );
    }
    let readme = read("README.md");
    for name in [
        "first-run",
        "reading-a-matrix",
        "settings",
        "troubleshooting",
        "ci",
        "cli",
    ] {
        assert!(
            readme.contains(&format!("(docs/{name}.md)")),
            "README.md has no link to {name}"
        );
    }
}

#[test]
fn every_link_leads_somewhere() {
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    for page in pages().into_iter().chain(more) {
        let folder = Path::new(&page).parent().unwrap().to_owned();
        for link in links(&without_blocks(&read(&page))) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() {
                root().join(&page)
            } else {
                root().join(&folder).join(path)
            };
            assert!(target.exists(), "{page}: `{link}` leads nowhere");
            if !anchor.is_empty() {
                let text = without_blocks(&std::fs::read_to_string(&target).unwrap());
                assert!(
                    anchors(&text).contains(anchor),
                    "{page}: `{link}` has no such heading"
                );
            }
        }
    }
}

fn without_blocks(text: &str) -> String {
    let outside = text.split("\n```").step_by(2);
    outside.collect::<Vec<&str>>().join("\n")
}

fn links(text: &str) -> Vec<String> {
    let parts = text.split("](").skip(1);
    parts
        .filter_map(|part| part.split_once(')'))
        .map(|(link, _)| link.to_owned())
        .collect()
}

/// The anchors of the headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            words
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect()
        })
        .collect()
}

/// Methodology, "A worked example": the values there are what the evidence of the saved run gives.
#[test]
fn the_worked_example_is_what_the_evidence_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-1");
    let verified = tokmark(&["verify", folder.to_str().unwrap(), "--json"]);
    let verdict: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!(verdict["consistent"], true, "{verdict}");
    let text = std::fs::read_to_string(folder.join("demo.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cell = |requests: u64| {
        let all = run["decode"].as_array().unwrap();
        let is_it =
            |cell: &&serde_json::Value| cell["context"] == 8192 && cell["requests"] == requests;
        all.iter().find(is_it).unwrap().clone()
    };
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let (four, sixteen) = (cell(4), cell(16));
    let tokens = number(&four["output_tokens"]);
    let total = tokens / number(&four["measured_s"]);
    assert!((total - number(&four["total_tokens_per_s"])).abs() < 1e-9);
    let each = number(&four["per_request_tokens_per_s"]);
    let between = 1000.0 / each;
    assert!((between - number(&four["time_between_tokens_ms"])).abs() < 1e-9);
    let row = &run["prefill"][0];
    let prefill = number(&row["prompt_tokens"]) / number(&row["ttft_ms"]) * 1000.0;
    assert!((prefill - number(&row["prompt_tokens_per_s"])).abs() < 0.05);
    let budget = number(&sixteen["budget_tokens"]);
    assert!(number(&sixteen["need_tokens"]) > 0.97 * budget);
    let page = read("docs/methodology.md");
    let (_, example) = page.split_once("### A worked example").unwrap();
    let (example, _) = example.split_once("###").unwrap();
    for shown in [
        format!("{tokens} output tokens / 3 s | {total:.2} |"),
        format!("1000 / {each:.3} per request tok/s | {between:.2} ms |"),
        format!("4 streams x {each:.3} = {:.1} |", 4.0 * each),
        format!("/ {:.5} s", number(&row["ttft_ms"]) / 1000.0),
        "97 % of 61,440 = 59,596 allowed".to_owned(),
    ] {
        assert!(example.contains(&shown), "`{shown}` is missing:\n{example}");
    }
    assert!((59_596.0..59_597.0).contains(&(0.97 * budget)));
}
