#![cfg(unix)]

use tokmark_machine::{Listener, listeners};

use crate::tree::Tree;

const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/// A row of a socket table; `state` 0A listens.
fn row(address: &str, port: u16, state: &str, inode: u32) -> String {
    format!(
        "   0: {address}:{port:04X} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  1000        0 {inode} 1 0 100 0 0 10 0\n"
    )
}

fn process(tree: Tree, pid: u32, parent: u32, inodes: &[u32], arguments: &str) -> Tree {
    let cmdline = arguments.replace(' ', "\0") + "\0";
    let status = format!("Name:\tx\nPPid:\t{parent}\n");
    let tree = tree
        .file(&format!("{pid}/cmdline"), cmdline)
        .file(&format!("{pid}/status"), status)
        .link(&format!("{pid}/fd/0"), "/dev/null");
    inodes.iter().fold(tree, |tree, inode| {
        let link = format!("{pid}/fd/{inode}");
        tree.link(&link, &format!("socket:[{inode}]"))
    })
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn at(address: &str, lineage: &[&str]) -> Listener {
    Listener {
        address: address.parse().unwrap(),
        lineage: lineage.iter().map(|line| words(line)).collect(),
    }
}

#[test]
fn ports_with_their_processes_and_ancestors() {
    let tcp = [
        row("0100007F", 8000, "0A", 11),
        // A connection, and a port that another user's process holds.
        row("0100007F", 8000, "01", 12),
        row("0100007F", 22, "0A", 13),
        row("00000000", 8080, "0A", 14),
    ];
    let tcp6 = [
        row("00000000000000000000000000000000", 11_434, "0A", 15),
        row("00000000000000000000000001000000", 30_000, "0A", 16),
        row("0000000000000000FFFF00000100007F", 1234, "0A", 17),
        "garbage\n".to_owned(),
    ];
    let tree = Tree::new()
        .file("net/tcp", format!("{HEAD}{}", tcp.concat()))
        .file("net/tcp6", format!("{HEAD}{}", tcp6.concat()));
    let tree = process(tree, 20, 1, &[], "python3 -m vllm.entrypoints");
    let tree = process(tree, 30, 20, &[11], "VLLM::APIServer_0");
    // A worker that inherited the socket does not hide its parent.
    let tree = process(tree, 31, 30, &[11], "VLLM::Worker");
    let tree = process(tree, 40, 1, &[14, 17], "llama-server -m x.gguf");
    let tree = process(tree, 50, 1, &[15, 16], "ollama serve");
    let expect = [
        at("127.0.0.1:1234", &["llama-server -m x.gguf"]),
        at(
            "127.0.0.1:8000",
            &["VLLM::APIServer_0", "python3 -m vllm.entrypoints"],
        ),
        at("127.0.0.1:8080", &["llama-server -m x.gguf"]),
        at("127.0.0.1:11434", &["ollama serve"]),
        at("[::1]:30000", &["ollama serve"]),
    ];
    assert_eq!(listeners(tree.path()), expect);
}

#[test]
fn a_machine_without_such_a_folder_has_none_to_show() {
    assert_eq!(listeners(Tree::new().path()), []);
    let empty = Tree::new().file("net/tcp", HEAD).file("self", "");
    assert_eq!(listeners(empty.path()), []);
}

#[test]
fn a_container_whose_server_is_its_first_process() {
    let table = format!("{HEAD}{}", row("00000000", 8000, "0A", 11));
    let tree = Tree::new().file("net/tcp", table);
    let tree = process(tree, 1, 0, &[11], "vllm serve m");
    assert_eq!(
        listeners(tree.path()),
        [at("127.0.0.1:8000", &["vllm serve m"])]
    );
}
