#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use tokmark_machine::{LaunchCommand, LaunchPlaces, LaunchUnknown, find_launch};

use crate::launch::{HEAD, holds, process, tcp};
use crate::tree::Tree;

const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";

/// The process of a server in a container with a network of its own.
fn inside(tree: Tree, pid: u32, id: &str, address: &str, group: &str) -> Tree {
    let tree = holds(
        process(
            tree,
            pid,
            1,
            &["vllm", "serve", "o/m", "--api-key", "k1", "-tp", "2"],
        ),
        pid,
        42 + pid,
    );
    tree.file(&format!("{pid}/cgroup"), group.replace("ID", id))
        .file(&format!("{pid}/net/tcp"), tcp(8000, 42 + pid))
        .file(
            &format!("{pid}/net/fib_trie"),
            format!("Local:\n  |-- 127.0.0.1\n     /32 host LOCAL\n  |-- {address}\n     /32 host LOCAL\n  |-- 172.17.255.255\n     /32 link BROADCAST\n"),
        )
        .file(
            &format!("{pid}/environ"),
            "PATH=/bin\0VLLM_USE_V1=1\0HF_TOKEN=hf_secretsecretsecret\0VLLM_API_KEY=k2\0",
        )
}

fn proxy(tree: Tree, port: u16) -> Tree {
    let tree = tree.file("net/tcp", tcp(port, 5));
    let arguments = [
        "/usr/bin/docker-proxy",
        "-proto",
        "tcp",
        "-host-ip",
        "0.0.0.0",
        "-host-port",
        "9000",
        "-container-ip",
        "172.17.0.3",
        "-container-port",
        "8000",
    ];
    holds(process(tree, 9, 1, &arguments), 9, 5)
}

fn places(tree: &Tree, sockets: &[PathBuf]) -> LaunchPlaces {
    LaunchPlaces {
        proc_root: tree.path().to_owned(),
        engine_sockets: sockets.to_vec(),
    }
}

const GROUPS: [&str; 4] = [
    "0::/system.slice/docker-ID.scope\n",
    "12:devices:/docker/ID\n11:memory:/docker/ID\n",
    "0::/machine.slice/libpod-ID.scope/container\n",
    "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-ID.scope\n",
];

#[test]
fn a_published_port_leads_into_its_container() {
    for group in GROUPS {
        // Two containers with the same port inside.
        let tree = inside(proxy(Tree::new(), 9000), 200, OTHER, "172.17.0.2", group);
        let tree = inside(tree, 300, ID, "172.17.0.3", group);
        let found = find_launch(9000, &places(&tree, &[])).unwrap();
        assert_eq!(found.pid, Some(300), "{group}");
        assert_eq!(found.command, "vllm serve o/m --api-key *** -tp 2");
        assert_eq!(found.environment, ["VLLM_USE_V1=1"]);
        assert_eq!(found.image, None);
    }
}

#[test]
fn without_a_look_at_addresses_only_a_single_container_is_an_answer() {
    let group = GROUPS[0];
    let one = inside(proxy(Tree::new(), 9000), 200, OTHER, "10.88.0.9", group);
    assert_eq!(
        find_launch(9000, &places(&one, &[])).unwrap().pid,
        Some(200)
    );
    let two = inside(one, 300, ID, "10.88.0.10", group);
    let unknown = find_launch(9000, &places(&two, &[])).unwrap_err();
    assert_eq!(unknown, LaunchUnknown::Container { port: 9000 });
}

/// A container engine that answers a number of questions.
fn engine(folder: &Tree, questions: usize) -> (PathBuf, JoinHandle<Vec<String>>) {
    let path = folder.path().join("engine.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let answers = thread::spawn(move || {
        (0..questions)
            .map(|_| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut asked = String::new();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                reader.read_line(&mut asked).unwrap();
                let (status, body) = if asked.starts_with("GET /containers/json ") {
                    ("200 OK", format!(r#"[{{"Id":"{OTHER}","Ports":[{{"PublicPort":80}}]}},{{"Id":"{ID}","Ports":[{{"PrivatePort":8000}},{{"PrivatePort":8000,"PublicPort":9000}}]}}]"#))
                } else if asked.starts_with(&format!("GET /containers/{ID}/json ")) {
                    ("200 OK", format!(r#"{{"Id":"{ID}","Name":"/anns-box","State":{{"Pid":300}},"Config":{{"Hostname":"anns-box","Image":"registry.corp.example/vllm-openai:v1","Entrypoint":["vllm","serve"],"Cmd":["o/m","--api-key","k9"],"Env":["HF_TOKEN=hf_x","NCCL_DEBUG=WARN"]}}}}"#))
                } else {
                    ("404 Not Found", "{}".to_owned())
                };
                write!(stream, "HTTP/1.0 {status}\r\nContent-Type: application/json\r\n\r\n{body}").unwrap();
                asked
            })
            .collect()
    });
    (path, answers)
}

#[test]
fn the_engine_is_asked_where_nothing_listens_here() {
    // The process is another machine's or user's: what the container was made with.
    let folder = Tree::new();
    let (socket, answers) = engine(&folder, 2);
    let tree = Tree::new().file("net/tcp", HEAD);
    let found = find_launch(9000, &places(&tree, &[socket])).unwrap();
    let expected = LaunchCommand {
        pid: None,
        argv: ["vllm", "serve", "o/m", "--api-key", "***"]
            .map(str::to_owned)
            .to_vec(),
        command: "vllm serve o/m --api-key ***".to_owned(),
        environment: vec!["NCCL_DEBUG=WARN".to_owned()],
        image: Some("registry.corp.example/vllm-openai:v1".to_owned()),
    };
    assert_eq!(found, expected);
    assert_eq!(answers.join().unwrap().len(), 2);
}

#[test]
fn the_engine_names_the_image_of_a_process_that_is_seen() {
    let folder = Tree::new();
    let (socket, answers) = engine(&folder, 1);
    let tree = inside(proxy(Tree::new(), 9000), 300, ID, "172.17.0.3", GROUPS[0]);
    let found = find_launch(9000, &places(&tree, &[socket])).unwrap();
    assert_eq!(found.pid, Some(300));
    assert_eq!(
        found.image.as_deref(),
        Some("registry.corp.example/vllm-openai:v1")
    );
    answers.join().unwrap();
}

#[test]
fn reasons() {
    let check = |tree: &Tree, expected: LaunchUnknown| {
        let no_socket = [PathBuf::from("/nowhere/docker.sock")];
        assert_eq!(find_launch(8000, &places(tree, &no_socket)), Err(expected));
    };
    let port = 8000;
    check(&Tree::new(), LaunchUnknown::NothingListens { port });
    let listening = || Tree::new().file("net/tcp", tcp(8000, 5));
    check(&listening(), LaunchUnknown::AnotherUser { port });
    let tunnel = |arguments: &[&str]| holds(process(listening(), 9, 1, arguments), 9, 5);
    for (arguments, program) in [
        (&["ssh", "-L", "8000:127.0.0.1:8000", "ann@box"][..], "ssh"),
        (
            &["/usr/bin/kubectl", "port-forward", "svc/x", "8000"][..],
            "kubectl",
        ),
    ] {
        let program = program.to_owned();
        let unknown = LaunchUnknown::Forwarded { port, program };
        assert!(unknown.is_elsewhere());
        check(&tunnel(arguments), unknown);
    }
    let orphan = holds(process(listening(), 9, 1, &["VLLM::EngineCore"]), 9, 5);
    check(&orphan, LaunchUnknown::NoArguments { port });
    assert!(!LaunchUnknown::NoArguments { port }.is_elsewhere());
}
