//! The full screen on a pseudo terminal, which `script` of util-linux makes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// Enters and leaves the alternate screen.
const ENTERED: &str = "\u{1b}[?1049h";
const LEFT: &str = "\u{1b}[?1049l";

/// A process that is ended when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _already_gone = self.0.kill();
        let _ended = self.0.wait();
    }
}

fn server() -> (Process, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args(["sim", "--port", "0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    lines.read_line(&mut url).unwrap();
    (Process(process), url.trim().to_owned())
}

/// A run on a pseudo terminal of 80 by 24, between two looks at the terminal's modes.
struct Terminal {
    process: Process,
    keys: ChildStdin,
    output: ChildStdout,
    seen: String,
    /// Where in it what was waited for last ends.
    at: usize,
}

impl Terminal {
    /// `None` where there is no `script`.
    fn start(url: &str, folder: &Path, more: &str, variables: &[(&str, &str)]) -> Option<Self> {
        let run = format!(
            "stty cols 80 rows 24; stty -g; '{}' run {url} --prefill off --contexts 0 \
             --duration 2s --hardware none --output '{}/run' --yes {more}; \
             echo code $?; stty -g",
            env!("CARGO_BIN_EXE_tokmark"),
            folder.display()
        );
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--return", "--command", &run, "/dev/null"])
            .env_remove("CI")
            .env_remove("NO_COLOR")
            .env_remove("SSH_CONNECTION")
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("XDG_DATA_HOME", "/nowhere/data")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = match command.spawn() {
            Ok(process) => process,
            Err(error) => {
                println!("skipped: no pseudo terminal without `script`: {error}");
                return None;
            }
        };
        Some(Self {
            keys: process.stdin.take().unwrap(),
            output: process.stdout.take().unwrap(),
            process: Process(process),
            seen: String::new(),
            at: 0,
        })
    }

    /// Reads until `part` is seen after what was waited for before. Spaces are often not written:
    /// only what changes is.
    fn wait_for(&mut self, part: &str) {
        let mut bytes = [0; 4_096];
        loop {
            let found = self.seen.get(self.at..).and_then(|new| new.find(part));
            if let Some(found) = found {
                self.at += found + part.len();
                return;
            }
            let count = self.output.read(&mut bytes).unwrap();
            assert!(count > 0, "`{part}` is missing:\n{}", self.seen);
            self.seen += &String::from_utf8_lossy(&bytes[..count]);
        }
    }

    fn press(&mut self, key: &str) {
        self.keys.write_all(key.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Everything that was shown until the end.
    fn ended(mut self) -> String {
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        self.process.0.wait().unwrap();
        self.seen += &String::from_utf8_lossy(&rest);
        self.seen
    }
}

/// Checks that the terminal is in the modes from before, and gives what was shown after the screen.
fn given_back(seen: &str, code: i32) -> &str {
    let lines: Vec<&str> = seen.lines().map(str::trim).collect();
    let first = lines.iter().find(|line| line.contains(':')).unwrap();
    let last = lines.iter().rfind(|line| !line.is_empty()).unwrap();
    assert_eq!(first, last, "{seen}");
    assert!(first.matches(':').count() > 10, "no modes: {first}");
    assert!(seen.contains(&format!("code {code}")), "{seen}");
    assert!(seen.contains(ENTERED), "{seen}");
    let (_, after) = seen.rsplit_once(LEFT).expect("the screen was left");
    assert!(seen.contains("\u{1b}[?25h"), "the cursor is shown again");
    after
}

fn statuses(folder: &Path) -> Vec<String> {
    let documents: Vec<_> = std::fs::read_dir(folder.join("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    assert_eq!(documents.len(), 1, "{documents:?}");
    let text = std::fs::read_to_string(&documents[0]).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let cells = document["decode"].as_array().unwrap();
    let status = |cell: &Value| cell["status"].as_str().unwrap().to_owned();
    cells.iter().map(status).collect()
}

#[test]
fn keys_skip_a_cell_and_finish_early_and_the_terminal_is_as_before() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let Some(mut terminal) = Terminal::start(&url, folder.path(), "--requests 1,2,4", &[]) else {
        return;
    };
    terminal.wait_for(ENTERED);
    // The heading of the running cell: what changes of it is drawn piece by piece.
    terminal.wait_for("0 x 1: ");
    terminal.press("s");
    terminal.wait_for("skipping");
    terminal.wait_for("Skipped");
    terminal.press("q");
    let seen = terminal.ended();
    let after = given_back(&seen, 130);
    assert!(
        after.contains("Skipped") && after.contains("saved "),
        "{after}"
    );
    let statuses = statuses(folder.path());
    assert_eq!(statuses[0], "skipped", "{statuses:?}");
    assert_eq!(statuses[2], "not_planned", "{statuses:?}");
}

#[test]
fn a_signal_to_end_keeps_the_result_and_gives_the_terminal_back() {
    let (_server, url) = server();
    for name in ["TERM", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        // The result goes elsewhere: nothing of the screen may be in it.
        let result = folder.path().join("result.json");
        let more = format!("--requests 1,2,4 --json > '{}'", result.display());
        let Some(mut terminal) = Terminal::start(&url, folder.path(), &more, &[]) else {
            return;
        };
        terminal.wait_for(ENTERED);
        terminal.wait_for("0 x 1: ");
        terminal.press("\u{c}");
        terminal.wait_for("0 x 1: ");
        // The run alone, by the folder that no other one has.
        let run = format!("{}/run", folder.path().display());
        let found = Command::new("pgrep")
            .args(["-f", &format!("tokmark run .*--output {run}")])
            .output()
            .unwrap();
        let found = String::from_utf8_lossy(&found.stdout).into_owned();
        let process = found.lines().next().expect("the run's process");
        let sent = Command::new("kill").args(["-s", name, process]).status();
        assert!(sent.unwrap().success());
        let seen = terminal.ended();
        let after = given_back(&seen, 130);
        assert!(after.contains("stopping"), "{after}");
        let result = std::fs::read_to_string(&result).unwrap();
        let result: Value = serde_json::from_str(&result).expect("nothing but the document");
        assert_eq!(result["decode"].as_array().unwrap().len(), 3);
        assert_eq!(statuses(folder.path())[2], "not_planned");
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_run_and_the_result_is_kept() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("result");
    let made = Command::new("mkfifo").arg(&result).status().unwrap();
    assert!(made.success());
    let more = format!("--requests 1,2,4 --json > '{}'", result.display());
    // It opens once the run opens its end, and ends when the run does.
    let document = std::thread::spawn(move || std::fs::read_to_string(result).unwrap());
    let Some(mut terminal) = Terminal::start(&url, folder.path(), &more, &[]) else {
        return;
    };
    terminal.wait_for("0 x 1: ");
    drop(terminal);
    let document: Value = serde_json::from_str(&document.join().unwrap()).unwrap();
    assert_eq!(document["decode"][0]["status"], "interrupted");
    assert_eq!(statuses(folder.path())[2], "not_planned");
}

#[test]
fn in_ci_and_on_a_dumb_terminal_there_are_lines() {
    let (_server, url) = server();
    for variables in [[("CI", "true")], [("TERM", "dumb")]] {
        let folder = tempfile::tempdir().unwrap();
        let Some(terminal) = Terminal::start(&url, folder.path(), "--requests 1", &variables)
        else {
            return;
        };
        let seen = terminal.ended();
        assert!(!seen.contains(ENTERED), "{seen}");
        assert!(seen.contains("decode       0 x 1"), "{seen}");
        assert_eq!(statuses(folder.path()), ["valid"]);
    }
}
