//! The computer around processor and accelerators: board, kernel, container, virtual machine.

use std::path::Path;

use tokmark_run_format::Host;

use crate::files;

/// What firmware says when nobody filled it in.
const EMPTY: [&str; 6] = [
    "default string",
    "not specified",
    "o.e.m.",
    "system manufacturer",
    "system product name",
    "to be filled by o.e.m.",
];

/// Words of makers and products that are virtual machines.
const MACHINES: [(&str, &str); 9] = [
    ("amazon ec2", "kvm"),
    ("google compute engine", "kvm"),
    ("innotek", "virtualbox"),
    ("kvm", "kvm"),
    ("parallels", "parallels"),
    ("qemu", "kvm"),
    ("virtual machine", "hyper-v"),
    ("vmware", "vmware"),
    ("xen", "xen"),
];

pub(crate) fn read(root: &Path) -> Option<Host> {
    let host = Host {
        board: board(root),
        kernel: files::text(&root.join("proc/sys/kernel/osrelease")),
        container: container(root),
        virtualization: virtualization(root),
    };
    (host != Host::default()).then_some(host)
}

/// The board's maker and model, else the machine's; on ARM the device tree's model.
fn board(root: &Path) -> Option<String> {
    let told = |name: &str| {
        files::text(&root.join("sys/class/dmi/id").join(name))
            .filter(|text| !EMPTY.contains(&text.to_ascii_lowercase().as_str()))
    };
    let pair = |vendor: &str, name: &str| {
        let name = told(name)?;
        match told(vendor) {
            Some(vendor) if !name.starts_with(&vendor) => Some(format!("{vendor} {name}")),
            _ => Some(name),
        }
    };
    let tree = || {
        let model = files::text(&root.join("proc/device-tree/model"))?;
        Some(model.trim_end_matches('\0').to_owned())
    };
    pair("board_vendor", "board_name")
        .or_else(|| pair("sys_vendor", "product_name"))
        .or_else(tree)
}

/// The container that this process runs in.
fn container(root: &Path) -> Option<String> {
    if root.join(".dockerenv").exists() {
        return Some("docker".to_owned());
    }
    if root.join("run/.containerenv").exists() {
        return Some("podman".to_owned());
    }
    let told = files::bytes(&root.join("proc/1/environ")).and_then(|environment| {
        environment
            .split(|byte| *byte == 0)
            .filter_map(|entry| std::str::from_utf8(entry).ok())
            .find_map(|entry| entry.strip_prefix("container=").map(str::to_owned))
    });
    let groups = files::whole(&root.join("proc/self/cgroup")).unwrap_or_default();
    let by_group = [
        ("kubepods", "kubernetes"),
        ("libpod", "podman"),
        ("docker", "docker"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
    ]
    .iter()
    .find(|(word, _)| groups.contains(word))
    .map(|(_, name)| (*name).to_owned());
    // What the variable says is a word for one of a few programs.
    told.filter(|word| word.len() < 20 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
        .or(by_group)
}

/// The virtual machine that the system runs in.
fn virtualization(root: &Path) -> Option<String> {
    let dmi = |name: &str| {
        files::text(&root.join("sys/class/dmi/id").join(name))
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let words = [dmi("sys_vendor"), dmi("product_name")].join(" ");
    let told = MACHINES.iter().find(|(word, _)| words.contains(word));
    if let Some((_, name)) = told {
        return Some((*name).to_owned());
    }
    if let Some(kind) = files::text(&root.join("sys/hypervisor/type")) {
        return Some(kind);
    }
    let kernel = files::text(&root.join("proc/sys/kernel/osrelease")).unwrap_or_default();
    if kernel.to_ascii_lowercase().contains("microsoft") {
        return Some("wsl".to_owned());
    }
    let flags = files::whole(&root.join("proc/cpuinfo")).unwrap_or_default();
    let is_guest = flags.lines().any(|line| {
        line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor")
    });
    is_guest.then(|| "unknown hypervisor".to_owned())
}
