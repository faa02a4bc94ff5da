//! `tokmark.toml`, variables and options: which of them counts, and what is wrong with a file.

use std::path::Path;

use serde_json::Value;

use crate::program;

/// A project with a folder in it, and a user's folder of settings.
struct Home(tempfile::TempDir);

impl Home {
    fn new(project: &str, user: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project/part/deep")).unwrap();
        std::fs::create_dir_all(dir.path().join("config/tokmark")).unwrap();
        let home = Self(dir);
        home.write("project/tokmark.toml", project);
        home.write("config/tokmark/tokmark.toml", user);
        home
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.0.path().join(path), text).unwrap();
    }

    fn at(
        &self,
        folder: &str,
        variables: &[(&str, &str)],
        words: &[&str],
    ) -> (i32, String, String) {
        let root = self.0.path();
        let output = program()
            .env("HOME", root)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .envs(variables.iter().copied())
            .current_dir(root.join(folder))
            .args(words)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }

    /// A setting of a command: its value, the kind of its source, and the line in a file.
    fn setting(
        &self,
        variables: &[(&str, &str)],
        words: &[&str],
        option: &str,
    ) -> (Value, String, Option<u64>) {
        let words = [&["config", "show", "--json"], words].concat();
        let (code, out, err) = self.at("project/part/deep", variables, &words);
        assert_eq!(code, 0, "{err}");
        let document: Value = serde_json::from_str(&out).unwrap();
        let all = document["settings"].as_array().unwrap();
        let one = all.iter().find(|one| one["option"] == option).unwrap();
        let kind = one["source"]["kind"].as_str().unwrap().to_owned();
        (one["value"].clone(), kind, one["source"]["line"].as_u64())
    }
}

#[test]
fn stronger_sources_win_in_this_order() {
    let user = "seed = 2\n[run]\nseed = 3\n";
    let project = "seed = 4\n[run]\nseed = 5\n";
    let variable: &[(&str, &str)] = &[("TOKMARK_SEED", "6")];
    for (project, user, variables, words, expect) in [
        ("", "", &[][..], &["run"][..], ("1", "default", None)),
        ("", "seed = 2\n", &[], &["run"], ("2", "user", Some(1))),
        ("", user, &[], &["run"], ("3", "user", Some(3))),
        ("seed = 4\n", user, &[], &["run"], ("4", "project", Some(1))),
        (project, user, &[], &["run"], ("5", "project", Some(3))),
        (project, user, &[], &["probe"], ("4", "project", Some(1))),
        (project, user, variable, &["run"], ("6", "variable", None)),
        (
            project,
            user,
            variable,
            &["run", "--seed", "7"],
            ("7", "option", None),
        ),
    ] {
        let home = Home::new(project, user);
        let (value, kind, line) = home.setting(variables, words, "--seed");
        let found = (value.as_str().unwrap(), kind.as_str(), line);
        assert_eq!(found, expect, "{project:?} {user:?} {words:?}");
    }
}

#[test]
fn a_switch_of_the_user_can_be_off_in_a_project() {
    let home = Home::new(
        "[run]\nplain = false\n",
        "[run]\nplain = true\nyes = true\n",
    );
    let plain = home.setting(&[], &["run"], "--plain");
    assert_eq!(plain, ("false".into(), "project".into(), Some(2)));
    let yes = home.setting(&[], &["run"], "--yes");
    assert_eq!(yes, ("true".into(), "user".into(), Some(3)));
    let off = home.setting(&[("TOKMARK_YES", "0")], &["run"], "--yes");
    assert_eq!(off, ("false".into(), "variable".into(), None));
}

#[test]
fn lists_and_nested_commands() {
    let text = "requests = [1, 2, 4]\n[run]\nheader = ['A: 1', 'B: 2']\n[calc.fit]\nsave = true\n";
    let home = Home::new(text, "");
    assert_eq!(home.setting(&[], &["run"], "--requests").0, "1,2,4");
    assert_eq!(home.setting(&[], &["run"], "--header").0, "(set)");
    let save = home.setting(&[], &["calc", "fit"], "--save");
    assert_eq!(save, ("true".into(), "project".into(), Some(5)));
    let requests = home.setting(&[], &["calc", "--model", "x"], "--requests");
    assert_eq!(requests.1, "default", "TOKMARK_REQUESTS is not calc's");
}

/// Two that exclude each other are no error where one is stronger: it is meant.
#[test]
fn an_option_displaces_what_excludes_it() {
    let home = Home::new(
        "",
        "api-key-file = 'key'\nproxy = 'http://me:hunter2@p:1'\n",
    );
    let key = home.setting(&[], &["run", "--api-key", "k"], "--api-key-file");
    assert_eq!(key, (Value::Null, "default".into(), None));
    let proxy = home.setting(&[], &["run"], "--proxy");
    assert_eq!(proxy.0, "(set)");
    let proxy = home.setting(&[], &["run", "--no-proxy"], "--proxy");
    assert_eq!(proxy.1, "default");
    let variable = [("TOKMARK_API_KEY", "hunter2")];
    let words = ["run", "--api-key-file", "other"];
    let key = home.setting(&variable, &words, "--api-key");
    assert_eq!(key, (Value::Null, "default".into(), None));
}

/// A setting that needs another waits for it.
#[test]
fn a_lonely_setting_has_no_effect() {
    let home = Home::new(
        "[calc]\nmodel = 'Qwen/Qwen3-4B'\nelectricity-per-kwh = 0.3\n",
        "",
    );
    let alone = home.setting(&[], &["calc", "--hardware", "x"], "--electricity-per-kwh");
    assert_eq!(alone.1, "default");
    let words = [
        "calc",
        "--hardware",
        "x",
        "--price",
        "900",
        "--lifetime-years",
        "3",
    ];
    let beside = home.setting(&[], &words, "--electricity-per-kwh");
    assert_eq!(beside, ("0.3".into(), "project".into(), Some(3)));
    let words = ["calc", "--hardware", "RTX 3090", "--contexts", "0"];
    let (code, out, err) = home.at("project", &[], &words);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Qwen/Qwen3-4B"), "{out}");
}

#[test]
fn files_of_editors_that_add_to_them() {
    let home = Home::new(
        "\u{feff}# ours\r\nseed = 8\r\n\r\n[run]\r\nduration = \"9s\"\r\n",
        "",
    );
    let seed = home.setting(&[], &["run"], "--seed");
    assert_eq!(seed, ("8".into(), "project".into(), Some(2)));
    let duration = home.setting(&[], &["run"], "--duration");
    assert_eq!(duration, ("9s".into(), "project".into(), Some(5)));
}

#[test]
fn the_nearest_project_counts_alone() {
    let home = Home::new("seed = 4\nduration = '9s'\n", "");
    home.write("project/part/tokmark.toml", "seed = 5\n");
    let seed = home.setting(&[], &["run"], "--seed");
    assert_eq!(seed, ("5".into(), "project".into(), Some(1)));
    assert_eq!(home.setting(&[], &["run"], "--duration").1, "default");
    let (_, out, _) = home.at("project/part/deep", &[], &["config", "path", "--json"]);
    let places: Value = serde_json::from_str(&out).unwrap();
    let path = places["files"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("project/part/tokmark.toml"), "{path}");
    assert_eq!(places["files"][0]["is_read"], true);
}

#[test]
fn a_named_file_stands_alone() {
    let home = Home::new("seed = 4\n", "duration = '9s'\n");
    home.write("other.toml", "seed = 12\n");
    let other = home.0.path().join("other.toml");
    let other = other.to_str().unwrap();
    let seed = home.setting(&[("TOKMARK_CONFIG", other)], &["run"], "--seed");
    assert_eq!(seed, ("12".into(), "named".into(), Some(1)));
    let words = ["run", "--config", other];
    assert_eq!(home.setting(&[], &words, "--duration").1, "default");
    let none = home.setting(&[("TOKMARK_CONFIG", "")], &["run"], "--seed");
    assert_eq!(none, ("1".into(), "default".into(), None));
    let (code, _, err) = home.at("project", &[], &["run", "--config", "gone.toml"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no file of settings `gone.toml`"), "{err}");
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    for (text, line, says) in [
        ("duraton = '5s'", 1, "a similar setting exists: `duration`"),
        (
            "\n\nduration = true",
            3,
            "`duration` takes a value (TIME), not true or false",
        ),
        ("duration = '5 parsecs'", 1, "`duration` is `5 parsecs`"),
        ("[rum]\nseed = 1", 1, "a similar command exists: `[run]`"),
        (
            "[run]\nprofile = 'quik'",
            2,
            "a similar value exists: `quick`",
        ),
        (
            "[run]\nprofile = 'x'",
            2,
            "takes one of `quick`, `standard`, `rigorous`",
        ),
        ("[run]\nyes = 'x'", 2, "write `yes = true` or `yes = false`"),
        ("[run]\nseed = [1979-05-27]", 2, "not a date"),
        ("format = 'html'", 1, "write it below `[show]`"),
        (
            "[probe]\noutput = 'x'",
            2,
            "`output` is no setting of `tokmark probe`",
        ),
        ("[demo]\nport = 99999", 2, "99999 is not in 0..=65535"),
        ("[run.deep]\nseed = 1", 1, "there is no command `deep`"),
        ("seed = 1\nduration = 5s", 2, "text in quotes"),
        ("seed = 1\nseed = 2", 2, "duplicate key"),
        ("json = true", 1, "`json` is no setting"),
    ] {
        let home = Home::new(text, "");
        let (code, out, err) = home.at("project", &[], &["probe", "127.0.0.1:9"]);
        assert_eq!(code, 2, "{text}: {err}");
        assert!(out.is_empty(), "{out}");
        let place = format!("tokmark.toml:{line}: ");
        assert!(err.contains(&place) && err.contains(says), "{text}: {err}");
        assert!(err.contains("\n  try: "), "{text}: {err}");
        // What does not need settings works all the same.
        for words in [
            &["--help"][..],
            &["config", "path"],
            &["schema"],
            &["run", "-h"],
        ] {
            assert_eq!(home.at("project", &[], words).0, 0, "{words:?}");
        }
    }
    let both = "api-key = 'hunter2'\napi-key-file = 'x'\n";
    let home = Home::new(both, "");
    let (code, _, err) = home.at("project", &[], &["probe", "127.0.0.1:9"]);
    assert_eq!(code, 2);
    let says = "`api-key` (line 1) and `api-key-file` (line 2) exclude each other";
    assert!(err.contains(says) && !err.contains("hunter2"), "{err}");
}

#[test]
fn a_file_that_cannot_be_read() {
    let home = Home::new("", "");
    let path = home.0.path().join("project/tokmark.toml");
    std::fs::write(&path, [0xff, 0xfe, b'a', 0]).unwrap();
    let (code, _, err) = home.at("project", &[], &["probe", "127.0.0.1:9"]);
    assert_eq!(code, 2);
    assert!(err.contains("tokmark.toml` is not UTF-8 text"), "{err}");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let (code, _, err) = home.at("project", &[], &["probe", "127.0.0.1:9"]);
    assert_eq!(code, 2);
    assert!(err.contains("cannot read the settings in"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_key_in_a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("", "api-key = 'hunter2'\n");
    let path = home.0.path().join("config/tokmark/tokmark.toml");
    let said = |mode: u32| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let (code, out, err) = home.at("project", &[], &["config", "show", "run"]);
        assert_eq!(code, 0);
        assert!(out.contains("(set)") && !out.contains("hunter2"), "{out}");
        err
    };
    assert_eq!(said(0o600), "");
    assert!(said(0o644).contains("others may read it: chmod 600"));
}

#[test]
fn without_a_command_only_what_is_set_is_shown() {
    let home = Home::new("", "");
    let (_, out, _) = home.at("project", &[], &["config", "show"]);
    assert!(out.starts_with("nothing is set"), "{out}");
    home.write("project/tokmark.toml", "[sim]\ndialect = 'ollama'\n");
    let (_, out, _) = home.at(
        "project",
        &[("TOKMARK_SHOW_FORMAT", "csv")],
        &["config", "show"],
    );
    let lines: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert_eq!(
        lines[0],
        ["show", "--format", "csv", "variable", "TOKMARK_SHOW_FORMAT"]
    );
    assert_eq!(lines[1][..3], ["sim", "--dialect", "ollama"]);
    assert!(lines[1][3].ends_with("tokmark.toml:2"), "{out}");
}

/// Every setting has a variable, and no two different ones share it.
#[test]
fn every_option_has_a_variable() {
    let output = crate::tokmark(&["reference"]);
    let text = String::from_utf8(output.stdout).unwrap();
    // What says what one call prints or goes on with, and files that are named by their place.
    let of_one_call = ["`--json`", "`--resume DIR`", "`-V`, `--version`"];
    let mut options = 0;
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (option, variable) = (cells[0], cells[cells.len() - 2]);
        options += 1;
        if variable.is_empty() {
            let by_place = !option.contains("--");
            assert!(by_place || of_one_call.contains(&option), "{line}");
        } else {
            assert!(variable.starts_with("`TOKMARK_"), "{line}");
        }
    }
    assert!(options > 120, "only {options} options were found");
}

#[test]
fn man_pages_and_completions() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man");
    let output = crate::tokmark(&["man", "--output", folder.to_str().unwrap()]);
    assert!(output.status.success());
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("tokmark.1").contains(".TH tokmark 1"));
    assert!(page("tokmark-run.1").contains("TOKMARK_DURATION"));
    assert!(page("tokmark-calc-fit.1").contains("\\-\\-save"));
    let root = crate::tokmark(&["man"]);
    let root = String::from_utf8_lossy(&root.stdout).into_owned();
    assert!(root.contains("tokmark") && root.contains("probe"), "{root}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = crate::tokmark(&["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("prefill-contexts"), "{shell}");
    }
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let path = file.to_str().unwrap();
    crate::fails(
        &["man", "--output", path],
        2,
        &["cannot write man pages", "--output DIR"],
    );
}

#[test]
fn the_reference_is_what_the_program_says() {
    let output = crate::tokmark(&["reference"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let on_disk = std::fs::read_to_string(path).unwrap_or_default();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert!(
        on_disk == expected,
        "docs/cli.md is stale: run `cargo xtask reference`"
    );
}
