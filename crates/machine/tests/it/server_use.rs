//! Which of a machine's accelerators are a server's: by its processes, by what it was let see.

#![cfg(target_os = "linux")]

use std::sync::Arc;
use std::time::Duration;

use tokmark_machine::agent::{
    Agent, AgentAddress, AgentClient, Inventory, RemoteSampler, Token, serve,
};
use tokmark_machine::telemetry::{Pace, Sampler, SamplerSettings, SharedNow, Sources};
use tokmark_machine::{
    Found, LaunchCommand, LaunchPlaces, Look, NvmlLibrary, ServerUse, UsedDevice, Watch,
    name_for_title,
};
use tokmark_run_format::{
    Accelerator, AcceleratorSelection, DeviceKind, DeviceSeries, MachineClass, Telemetry,
};
use tokmark_units::Nanos;

use crate::fake_nvml::FakeNvml;
use crate::launch::{holds, process, tcp};
use crate::sysfs::amd;
use crate::tree::Tree;

const MIB: u64 = 1 << 20;

/// A server of process 4000, which has started 4001, with this environment; 9 is somebody else's.
fn proc(environment: &[&str]) -> Tree {
    let status = |parent: u32| format!("Name:\tx\nPPid:\t{parent}\n");
    Tree::new()
        .file("proc/driver/nvidia/version", "NVRM version: x\n")
        .file("proc/4000/status", status(1))
        .file("proc/4000/environ", environment.join("\0") + "\0")
        .file("proc/4001/status", status(4000))
        .file("proc/9/status", status(1))
}

fn server(tree: &Tree) -> ServerUse {
    let places = LaunchPlaces {
        proc_root: tree.path().join("proc"),
        engine_sockets: Vec::new(),
    };
    let launch = LaunchCommand {
        pid: Some(4_000),
        ..LaunchCommand::default()
    };
    let typed = LaunchCommand::from_text("vllm serve m");
    assert!(
        ServerUse::of(&typed, &places).is_none(),
        "it has no process"
    );
    ServerUse::of(&launch, &places).unwrap()
}

/// What is found for the server of a tree, and one reading of what it uses.
fn look(library: &FakeNvml, tree: &Tree) -> (Found, Telemetry) {
    let server = server(tree);
    let look = Look {
        server: Some(&server),
        ..library.look(tree.path())
    };
    let found = look.found();
    let sampler = Sampler::start_paced(
        Sources::of(&look),
        &SamplerSettings::default(),
        Arc::new(|| Nanos(1)),
        Box::new(Once),
    );
    let watch = Watch::local(sampler.unwrap()).only(found.devices.clone());
    let text = format!("{found:?} {server:?}");
    assert!(!text.contains("PRIVATE"), "{text}");
    (found, watch.stop())
}

struct Once;

impl Pace for Once {
    fn wait(&mut self, _span: Duration) -> bool {
        false
    }
}

fn cards(telemetry: &Telemetry) -> Vec<&DeviceSeries> {
    let all = telemetry.devices.iter();
    all.filter(|device| device.kind == DeviceKind::Accelerator)
        .collect()
}

fn nvidia(index: u32, shared: bool) -> UsedDevice {
    UsedDevice {
        vendor: "nvidia".to_owned(),
        index,
        shared,
    }
}

#[test]
fn b100_a_slice_is_no_whole_card() {
    let build = FakeNvml::build;
    let busy = build(&["SLICED_H200"]);
    let (Some(busy), Some(quiet)) = (busy, build(&["SLICED_H200", "NO_PROCESSES"])) else {
        return;
    };
    let check = |library: &FakeNvml, environment: &[&str], known_by: AcceleratorSelection| {
        let (found, telemetry) = look(library, &proc(environment));
        let [slice] = found.hardware.accelerators.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(slice.name, "NVIDIA H200 MIG 1g.35gb");
        assert_eq!((slice.count, slice.memory_bytes), (1, Some(33_280 * MIB)));
        let facts = slice.facts.as_ref().unwrap();
        assert_eq!(facts.part_of.as_deref(), Some("NVIDIA H200"));
        assert_eq!((facts.power_limit_w, &facts.slices), (None, &vec![]));
        assert_eq!(found.hardware.accelerators_known_by, Some(known_by));
        assert_eq!(found.devices, [nvidia(0, true)]);
        // The card's power once, and marked.
        let [card] = cards(&telemetry)[..] else {
            panic!("{telemetry:?}");
        };
        assert!(card.shared);
        assert_eq!(card.samples().next().unwrap().power_mw, Some(61_500));
    };
    let one = "CUDA_VISIBLE_DEVICES=MIG-PRIVATE2";
    check(&busy, &[], AcceleratorSelection::Processes);
    check(&quiet, &[one], AcceleratorSelection::Visible);
    // Two slices of a card are one device.
    let both = "NVIDIA_VISIBLE_DEVICES=MIG-PRIVATE1,MIG-PRIVATE2";
    let (found, telemetry) = look(&quiet, &proc(&[both]));
    assert_eq!(found.hardware.accelerators[0].count, 2);
    assert_eq!((found.devices.len(), cards(&telemetry).len()), (1, 1));
    // Nobody knows which slice: it is the whole card even less.
    let (found, _) = look(&quiet, &proc(&[]));
    assert_eq!(found.hardware.accelerators[0].name, "NVIDIA H200 MIG");
    assert_eq!(found.hardware.accelerators_known_by, None);
}

#[test]
fn b101_only_the_cards_of_the_server_count() {
    let busy = FakeNvml::build(&["EIGHT"]);
    let quiet = FakeNvml::build(&["EIGHT", "NO_PROCESSES"]);
    let (Some(busy), Some(quiet)) = (busy, quiet) else {
        return;
    };
    let check = |environment: &[&str], library: &FakeNvml, expect: &[u32]| {
        let (found, telemetry) = look(library, &proc(environment));
        let used: Vec<UsedDevice> = expect.iter().map(|index| nvidia(*index, false)).collect();
        assert_eq!(found.devices, used, "{environment:?}");
        let count = |all: &[Accelerator]| -> u32 { all.iter().map(|one| one.count).sum() };
        let wanted = u32::try_from(expect.len()).unwrap();
        assert_eq!(count(&found.hardware.accelerators), wanted);
        assert_eq!(count(&found.hardware.unused_accelerators), 8 - wanted);
        let read: Vec<u32> = cards(&telemetry).iter().map(|card| card.index).collect();
        assert_eq!(read, expect, "{environment:?}");
        assert!(!cards(&telemetry).iter().any(|card| card.shared));
    };
    // The process and its child; process 9 is somebody else's.
    check(&["CUDA_VISIBLE_DEVICES=0"], &busy, &[2, 5]);
    check(&["CUDA_VISIBLE_DEVICES=1, 3"], &quiet, &[1, 3]);
    check(&["CUDA_VISIBLE_DEVICES=GPU-PRIVATE6"], &quiet, &[6]);
    check(&["NVIDIA_VISIBLE_DEVICES=4"], &quiet, &[4]);
    check(
        &["NVIDIA_VISIBLE_DEVICES=all"],
        &quiet,
        &[0, 1, 2, 3, 4, 5, 6, 7],
    );
    check(&["CUDA_VISIBLE_DEVICES=-1"], &quiet, &[]);
    // A number of a container's own list says nothing of the host's.
    let inside = ["NVIDIA_VISIBLE_DEVICES=4,5", "CUDA_VISIBLE_DEVICES=0"];
    check(&inside, &quiet, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let (found, _) = look(&quiet, &proc(&["CUDA_VISIBLE_DEVICES="]));
    assert_eq!(found.hardware.class, MachineClass::Cpu, "it sees no card");
}

#[test]
fn numbers_of_unlike_cards_need_their_order() {
    let Some(library) = FakeNvml::build(&["NO_PROCESSES"]) else {
        return;
    };
    let check = |environment: &[&str], expect: Option<AcceleratorSelection>| {
        let (found, _) = look(&library, &proc(environment));
        assert_eq!(found.hardware.accelerators_known_by, expect);
        let one = &found.hardware.accelerators[0].name;
        assert_eq!(one, "NVIDIA GeForce RTX 3090");
    };
    check(&["CUDA_VISIBLE_DEVICES=0"], None);
    let order = "CUDA_DEVICE_ORDER=PCI_BUS_ID";
    let visible = Some(AcceleratorSelection::Visible);
    check(&["CUDA_VISIBLE_DEVICES=0", order], visible);
    // The second card is divided: its number means one of the slices.
    check(&["CUDA_VISIBLE_DEVICES=1", order], None);
}

/// An accelerator inside the processor, beside cards and alone.
#[test]
fn b101_graphics_inside_the_processor_is_listed_and_not_counted() {
    let mut metrics = vec![0_u8; 120];
    metrics[2] = 2;
    let inside = |tree: Tree| {
        amd(tree, 0, Some("AMD Radeon Graphics"))
            .file("sys/class/drm/card0/device/gpu_metrics", &metrics)
            .file("proc/meminfo", "MemTotal: 65641000 kB\n")
    };
    let tree = inside(proc(&[]));
    let alone = tokmark_machine::inventory_of(tree.path());
    assert_eq!(alone.class, MachineClass::UnifiedMemory);
    assert_eq!(alone.accelerators.len(), 1);
    assert_eq!(name_for_title(&alone), alone.name.clone().unwrap());
    let Some(library) = FakeNvml::build(&["EIGHT", "NO_PROCESSES"]) else {
        return;
    };
    let (found, telemetry) = look(&library, &tree);
    assert_eq!(found.hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(found.hardware.accelerators.len(), 1);
    assert_eq!(found.hardware.accelerators[0].count, 8);
    let [unused] = found.hardware.unused_accelerators.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        unused.facts.as_ref().unwrap().vendor.as_deref(),
        Some("amd")
    );
    assert!(!telemetry.devices.iter().any(|one| one.source == "amdgpu"));
}

/// What an agent tells of a server's host, it tells of the cards that the server uses.
#[tokio::test]
async fn b101_an_agent_tells_of_the_servers_cards() {
    let Some(library) = FakeNvml::build(&["EIGHT"]) else {
        return;
    };
    let proc = Tree::new().file("net/tcp", tcp(8_000, 5));
    let proc = process(proc, 4_001, 4_000, &["vllm::worker"]);
    let proc = holds(process(proc, 4_000, 1, &["vllm", "serve", "m"]), 4_000, 5);
    let root = Tree::new();
    let (path, nvml) = (root.path().to_owned(), library.path.clone());
    let inventory: Inventory = Arc::new(move |server| {
        let look = Look {
            nvml: NvmlLibrary::At(nvml.clone()),
            server,
            ..Look::at(&path)
        };
        look.found()
    });
    let places = LaunchPlaces {
        proc_root: proc.path().to_owned(),
        engine_sockets: Vec::new(),
    };
    let now: SharedNow = Arc::new(|| Nanos(1));
    let sources = Sources::of(&library.look(root.path()));
    let settings = SamplerSettings::default();
    let sampler = Sampler::start_paced(sources, &settings, Arc::clone(&now), Box::new(Once));
    let sampler = sampler.unwrap();
    let token = || Token::read("0123456789abcdef0123").unwrap();
    let agent = Agent::new(token(), inventory, &sampler, Arc::clone(&now), places);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = AgentAddress::parse(&listener.local_addr().unwrap().to_string());
    let served = tokio::spawn(serve(listener, agent, std::future::pending()));
    let client = AgentClient::plain(&address.unwrap(), token());
    let count = |hardware: &tokmark_run_format::Hardware| -> u32 {
        hardware.accelerators.iter().map(|one| one.count).sum()
    };
    assert_eq!(count(&client.inventory(None).await.unwrap()), 8);
    assert_eq!(count(&client.inventory(Some(8_000)).await.unwrap()), 2);
    // Nobody listens there: then it may be any of them.
    assert_eq!(count(&client.inventory(Some(8_001)).await.unwrap()), 8);
    let launched = client.launch(8_000).await.unwrap();
    let devices = launched.devices.unwrap();
    assert_eq!(devices, [nvidia(2, false), nvidia(5, false)]);
    let remote = RemoteSampler::start(client, now);
    let watch = Watch::remote(remote).only(devices);
    let seen = watch.between(Nanos(0), Nanos(1)).await;
    let read: Vec<u32> = cards(&seen).iter().map(|card| card.index).collect();
    assert_eq!(read, [2, 5]);
    served.abort();
}
