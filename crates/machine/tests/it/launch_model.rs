#![cfg(unix)]

use std::path::PathBuf;

use tokmark_machine::{LaunchCommand, LaunchPlaces, model_path};

use crate::tree::Tree;

/// A process 30 with these arguments and variables in a tree of files that it sees as its root.
fn process(tree: Tree, arguments: &[&str], environment: &[&str]) -> Tree {
    let system = tree.path().join("system");
    tree.file("30/cmdline", arguments.join("\0") + "\0")
        .file("30/environ", environment.join("\0") + "\0")
        .link("30/root", system.to_str().unwrap())
        .link("30/cwd", system.join("work").to_str().unwrap())
        .file("system/work/here", "")
}

fn found(tree: &Tree, pid: Option<u32>) -> Option<PathBuf> {
    let launch = LaunchCommand {
        pid,
        ..LaunchCommand::default()
    };
    let places = LaunchPlaces {
        proc_root: tree.path().to_owned(),
        engine_sockets: Vec::new(),
    };
    let found = model_path(&launch, &places)?;
    // The way through the process' links, as the tree's own.
    let whole = found.canonicalize().unwrap();
    let root = tree.path().join("system").canonicalize().unwrap();
    Some(whole.strip_prefix(root).unwrap().to_owned())
}

#[test]
fn paths_as_the_server_sees_them() {
    let check = |arguments: &[&str], expect: Option<&str>| {
        let tree = Tree::new()
            .file("system/models/x y.gguf", "")
            .file("system/models/folder/config.json", "")
            .file("system/work/own/model/config.json", "");
        let tree = process(tree, arguments, &[]);
        assert_eq!(
            found(&tree, Some(30)),
            expect.map(PathBuf::from),
            "{arguments:?}"
        );
    };
    let gguf = Some("models/x y.gguf");
    check(&["/usr/bin/llama-server", "-m", "/models/x y.gguf"], gguf);
    check(
        &["llama-server", "--model=/models/x y.gguf", "-ngl", "99"],
        gguf,
    );
    // The last one holds, as with the servers.
    check(
        &["llama-server", "-m", "/gone", "-m", "/models/x y.gguf"],
        gguf,
    );
    let folder = Some("models/folder");
    check(
        &["python3", "/opt/bin/vllm", "serve", "/models/folder"],
        folder,
    );
    check(&["vllm", "serve", "/models/folder", "--port", "1"], folder);
    // Python's own `-m` names no model.
    check(
        &[
            "python3",
            "-m",
            "sglang.launch_server",
            "--model-path",
            "/models/folder",
        ],
        folder,
    );
    check(
        &["lmdeploy", "serve", "api_server", "own/model"],
        Some("work/own/model"),
    );
    check(&["llama-server", "-m", "/models/gone.gguf"], None);
    check(&["vllm", "serve", "owner/name"], None);
    check(&["llama-server", "--port", "8080"], None);
    check(&["vllm", "serve"], None);
}

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "fedcba9876543210fedcba9876543210fedcba98";

/// Checks which of two commits in a hub's cache is found.
fn check_hub(hub: &str, arguments: &[&str], environment: &[&str], expect: Option<&str>) {
    let folder = format!("system{hub}/models--owner--name");
    let tree = Tree::new()
        .file(&format!("{folder}/snapshots/{COMMIT}/config.json"), "")
        .file(&format!("{folder}/snapshots/{OTHER}/config.json"), "")
        .file(&format!("{folder}/refs/main"), COMMIT)
        .file(&format!("{folder}/refs/v2"), OTHER);
    let tree = process(tree, arguments, environment);
    let expect = expect.map(|commit| {
        let folder = format!("{hub}/models--owner--name/snapshots/{commit}");
        PathBuf::from(folder.trim_start_matches('/'))
    });
    assert_eq!(
        found(&tree, Some(30)),
        expect,
        "{arguments:?} {environment:?}"
    );
}

#[test]
fn repositories_in_the_hubs_cache() {
    let serve = &["vllm", "serve", "owner/name"][..];
    let at = |revision| ["vllm", "serve", "owner/name", "--revision", revision];
    let home = "/home/ann/.cache/huggingface/hub";
    let ann = &["HOME=/home/ann"][..];
    check_hub(home, serve, ann, Some(COMMIT));
    check_hub(
        "/big/hub",
        serve,
        &["HOME=/home/ann", "HF_HOME=/big"],
        Some(COMMIT),
    );
    check_hub(
        "/big",
        serve,
        &["HF_HOME=/gone", "HF_HUB_CACHE=/big"],
        Some(COMMIT),
    );
    let downloads = ["vllm", "serve", "owner/name", "--download-dir", "/dl"];
    check_hub("/dl", &downloads, &[], Some(COMMIT));
    check_hub(home, &at("v2"), ann, Some(OTHER));
    check_hub(home, &at(COMMIT), ann, Some(COMMIT));
    // Two snapshots, and nothing that says which.
    check_hub(home, &at("v3"), ann, None);
    check_hub(home, serve, &["HOME=/home/bob"], None);
    // A name is no way out of the cache.
    check_hub(home, &["vllm", "serve", "../owner/name"], ann, None);
    check_hub(home, &at("../../x"), ann, None);
    check_hub(home, &at("v2/../../../x"), ann, None);
}

#[test]
fn a_typed_command_is_no_process() {
    let tree = Tree::new().file("system/models/x.gguf", "");
    let tree = process(tree, &["llama-server", "-m", "/models/x.gguf"], &[]);
    assert!(found(&tree, Some(30)).is_some());
    assert_eq!(found(&tree, None), None);
    assert_eq!(found(&tree, Some(31)), None);
}
