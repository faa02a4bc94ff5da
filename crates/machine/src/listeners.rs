//! What listens on TCP ports of this machine, and which processes hold those ports (Linux).

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// Ancestors that are looked at, the holder included: workers bear titles, their parents arguments.
const MOST_ANCESTORS: usize = 8;

/// A port that somebody listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Where to connect from this machine: a wildcard address is given as the loopback one.
    pub address: SocketAddr,
    /// Arguments of the process that holds it, then of its ancestors. They may hold secrets: for
    /// recognising programs only, never to be shown.
    pub lineage: Vec<Vec<String>>,
}

/// Every listening port of the machine whose `/proc` lies at `proc_root`, one entry per port, in
/// the order of ports. A port whose process belongs to somebody else is left out.
pub fn listeners(proc_root: &Path) -> Vec<Listener> {
    let mut sockets: BTreeMap<u16, (SocketAddr, String)> = BTreeMap::new();
    for table in ["net/tcp", "net/tcp6"] {
        let text = fs::read_to_string(proc_root.join(table)).unwrap_or_default();
        for (address, inode) in text.lines().skip(1).filter_map(listening) {
            // The first address of a port is as good as its others.
            sockets
                .entry(address.port())
                .or_insert((address, format!("socket:[{inode}]")));
        }
    }
    let holders = holders(proc_root);
    sockets
        .into_values()
        .filter_map(|(address, link)| {
            let lineage = lineage(proc_root, *holders.get(&link)?);
            (!lineage.is_empty()).then_some(Listener { address, lineage })
        })
        .collect()
}

/// Address and inode of a row of a socket table, if the socket listens.
fn listening(row: &str) -> Option<(SocketAddr, String)> {
    let columns: Vec<&str> = row.split_whitespace().collect();
    let (ip, port) = columns.get(1)?.split_once(':')?;
    let is_listening = *columns.get(3)? == "0A";
    let inode = columns.get(9)?;
    let address = SocketAddr::new(reachable(ip)?, u16::from_str_radix(port, 16).ok()?);
    is_listening.then(|| (address, (*inode).to_owned()))
}

/// An address as the kernel writes it: groups of four bytes, each in the machine's order.
fn reachable(hex: &str) -> Option<IpAddr> {
    let group = |at: usize| u32::from_str_radix(hex.get(at..at + 8)?, 16).ok();
    let address = match hex.len() {
        8 => IpAddr::V4(Ipv4Addr::from(group(0)?.to_ne_bytes())),
        32 => {
            let groups = [group(0)?, group(8)?, group(16)?, group(24)?];
            let mut bytes = [0; 16];
            for (slot, group) in bytes.chunks_mut(4).zip(groups) {
                slot.copy_from_slice(&group.to_ne_bytes());
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(match address {
        // A socket for all IPv6 addresses takes IPv4 ones, too, unless it says otherwise.
        address if address.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        address => address,
    })
}

/// The process behind each socket; of several the one with the lowest number, which is the parent.
fn holders(proc_root: &Path) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let entries = fs::read_dir(proc_root).into_iter().flatten().flatten();
    let mut pids: Vec<u32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    for pid in pids {
        let files = fs::read_dir(proc_root.join(pid.to_string()).join("fd"));
        let links = files
            .into_iter()
            .flatten()
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        for link in links {
            if let Some(link) = link.to_str().filter(|link| link.starts_with("socket:[")) {
                found.entry(link.to_owned()).or_insert(pid);
            }
        }
    }
    found
}

fn lineage(proc_root: &Path, pid: u32) -> Vec<Vec<String>> {
    let mut lineage = Vec::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| *pid > 1 || lineage.is_empty()) {
        lineage.extend(arguments(proc_root, pid));
        if lineage.len() == MOST_ANCESTORS {
            break;
        }
        next = parent(proc_root, pid).filter(|parent| *parent != pid);
    }
    lineage
}

fn arguments(proc_root: &Path, pid: u32) -> Option<Vec<String>> {
    let bytes = fs::read(proc_root.join(pid.to_string()).join("cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let arguments = text.trim_end_matches('\0').split('\0').map(str::to_owned);
    Some(arguments.collect())
}

fn parent(proc_root: &Path, pid: u32) -> Option<u32> {
    let status = fs::read_to_string(proc_root.join(pid.to_string()).join("status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("PPid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
