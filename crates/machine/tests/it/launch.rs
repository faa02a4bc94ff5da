#![cfg(unix)]

use tokmark_machine::{LaunchCommand, launch_command};

use crate::tree::Tree;

pub const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/// Port 8000 is 1F40; one listening socket, and one connection from that port.
pub fn tcp(port: u16, inode: u32) -> String {
    format!(
        "{HEAD}   0: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 {inode} 1 0 100 0 0 10 0\n   1: 0100007F:{port:04X} 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 777 1 0 100 0 0 10 0\n"
    )
}

pub fn process(tree: Tree, pid: u32, parent: u32, arguments: &[&str]) -> Tree {
    let cmdline = arguments.join("\0") + "\0";
    tree.file(&format!("{pid}/cmdline"), cmdline)
        .file(
            &format!("{pid}/status"),
            format!("Name:\tx\nPid:\t{pid}\nPPid:\t{parent}\n"),
        )
        .link(&format!("{pid}/fd/0"), "/dev/null")
}

pub fn holds(tree: Tree, pid: u32, inode: u32) -> Tree {
    tree.link(&format!("{pid}/fd/7"), &format!("socket:[{inode}]"))
}

fn found(tree: &Tree) -> Option<LaunchCommand> {
    launch_command(8000, tree.path())
}

#[test]
fn the_process_that_listens() {
    let tree = Tree::new()
        .file("net/tcp", tcp(8000, 4711))
        .file("self", "");
    let tree = process(tree, 20, 1, &["bash"]);
    let tree = holds(
        process(
            tree,
            30,
            20,
            &[
                "/usr/bin/llama-server",
                "-m",
                "/home/ann/x y.gguf",
                "--port",
                "8000",
            ],
        ),
        30,
        4711,
    );
    let launch = found(&tree).unwrap();
    assert_eq!(launch.pid, Some(30));
    assert_eq!(
        launch.command,
        "/usr/bin/llama-server -m '~/x y.gguf' --port 8000"
    );
    assert_eq!(launch.argv.len(), 5);
    assert_eq!(launch_command(8001, tree.path()), None);
}

#[test]
fn a_title_leads_to_the_parent() {
    let tree = Tree::new()
        .file("net/tcp", HEAD)
        .file("net/tcp6", tcp(8000, 5));
    let serve = [
        "python3",
        "/opt/bin/vllm",
        "serve",
        "o/m",
        "--api-key",
        "k1",
        "--max-num-seqs",
        "64",
    ];
    let tree = process(tree, 100, 1, &serve);
    let tree = process(
        tree,
        110,
        100,
        &[
            "python3",
            "-c",
            "from multiprocessing.spawn import spawn_main; spawn_main(5)",
            "--multiprocessing-fork",
        ],
    );
    let tree = holds(
        process(tree, 120, 110, &["VLLM::APIServer_0", "", ""]),
        120,
        5,
    );
    let launch = found(&tree).unwrap();
    assert_eq!(launch.pid, Some(100));
    assert_eq!(
        launch.command,
        "python3 /opt/bin/vllm serve o/m --api-key *** --max-num-seqs 64"
    );
    assert!(!format!("{launch:?}").contains("k1"));
}

#[test]
fn nothing_is_better_than_something_wrong() {
    let listening = || Tree::new().file("net/tcp", tcp(8000, 5));
    assert_eq!(found(&Tree::new()), None, "no such files");
    assert_eq!(found(&listening()), None, "another user's process");
    let proxy = process(
        listening(),
        9,
        1,
        &["/usr/bin/docker-proxy", "-host-port", "8000"],
    );
    assert_eq!(found(&holds(proxy, 9, 5)), None);
    let orphan = process(listening(), 9, 1, &["VLLM::EngineCore"]);
    assert_eq!(
        found(&holds(orphan, 9, 5)),
        None,
        "no parent with arguments"
    );
    let other = process(listening(), 9, 1, &["server"]);
    assert_eq!(
        found(&holds(other, 9, 777)),
        None,
        "a connection is not a listener"
    );
}

#[test]
fn the_parent_of_forked_workers_comes_first() {
    let tree = Tree::new().file("net/tcp", tcp(8000, 5));
    let tree = holds(process(tree, 1000, 999, &["serve", "--worker"]), 1000, 5);
    let tree = holds(process(tree, 999, 1, &["serve", "--all"]), 999, 5);
    assert_eq!(found(&tree).unwrap().pid, Some(999));
}

/// Ollama's settings stand in the environment of its process, beside keys and places.
#[test]
fn the_environment_of_a_process_is_read_without_what_is_private() {
    let environ = [
        "PATH=/usr/bin",
        "HOME=/home/ann",
        "OLLAMA_HOST=10.0.0.7:11434",
        "OLLAMA_MODELS=/home/ann/models",
        "OLLAMA_NUM_PARALLEL=4",
        "OLLAMA_CONTEXT_LENGTH=16384",
        "OLLAMA_KV_CACHE_TYPE=q8_0",
        "OLLAMA_FLASH_ATTENTION=1",
        "OLLAMA_MAX_QUEUE=8",
        "OLLAMA_API_KEY=very-secret-word",
    ];
    let tree = Tree::new().file("net/tcp", tcp(8000, 5));
    let tree = holds(
        process(tree, 70, 1, &["/usr/local/bin/ollama", "serve"]),
        70,
        5,
    );
    // What it starts for a model listens elsewhere.
    let tree = process(
        tree,
        80,
        70,
        &["llama-server", "--port", "39001", "-np", "2"],
    );
    let tree = tree.file("70/environ", environ.join("\0") + "\0");
    let launch = found(&tree).unwrap();
    assert_eq!(launch.command, "/usr/local/bin/ollama serve");
    let text = format!("{launch:?}");
    for word in ["ann", "10.0.0.7", "very-secret-word", "PATH"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let found = tokmark_machine::settings(&launch);
    assert_eq!(found.server.as_deref(), Some("ollama"));
    assert_eq!(
        (found.max_sequences, found.context, found.max_queue),
        (Some(4), Some(16_384), Some(8))
    );
    assert_eq!(found.kv_type.as_deref(), Some("q8_0"));
    assert_eq!(found.flash_attention, Some(true));
    for setting in [
        "max_sequences",
        "context",
        "kv_type",
        "max_queue",
        "flash_attention",
    ] {
        assert!(found.is_from_environment(setting), "{setting}: {found:?}");
    }
}

/// The port is the router's; quantization, KV type and shards stand in its launcher's arguments.
#[test]
fn a_launcher_says_more_than_the_part_that_listens() {
    let launcher = [
        "/usr/local/bin/text-generation-launcher",
        "--model-id",
        "o/m",
        "--quantize",
        "awq",
        "--kv-cache-dtype",
        "fp8_e5m2",
        "--num-shard",
        "2",
    ];
    let router = ["text-generation-router", "--max-batch-size", "8"];
    let tree = Tree::new().file("net/tcp", tcp(8000, 5));
    let tree = process(tree, 50, 1, &launcher);
    let tree = holds(process(tree, 60, 50, &router), 60, 5);
    let launch = found(&tree).unwrap();
    assert_eq!(launch.pid, Some(50));
    let found = tokmark_machine::settings(&launch);
    assert_eq!(found.quantization.as_deref(), Some("awq"));
    assert_eq!(found.kv_type.as_deref(), Some("fp8_e5m2"));
    assert_eq!(found.tensor_parallel, Some(2));
    // A router that somebody else has started speaks for itself.
    let alone = Tree::new().file("net/tcp", tcp(8000, 5));
    let alone = holds(process(alone, 60, 1, &router), 60, 5);
    assert_eq!(launch_command(8000, alone.path()).unwrap().pid, Some(60));
}
