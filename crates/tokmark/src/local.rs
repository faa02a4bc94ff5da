//! Servers on this machine, for when no address was typed: those at the usual ports, and, on Linux,
//! those whose processes are known servers.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokmark_bench::ConnectDial;
use tokmark_driver::{Clock, Protocol, Target, TcpConnect, TlsSettings, Way};
use tokmark_engines::{Address, Control, Dialect, IdentifyError};
use tokmark_machine::Listener;

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// How long a port of this machine may take to answer one question.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server that answers at an address of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    address: SocketAddr,
    /// Its kind and version, its models; or why it does not say.
    says: String,
}

/// The address of the only server on this machine.
pub(crate) async fn only() -> Outcome<String> {
    let candidates = candidates(&tokmark_machine::listeners(Path::new("/proc")));
    let mut asked = JoinSet::new();
    for address in candidates.clone() {
        asked.spawn(ask(address));
    }
    let mut found: Vec<Found> = asked.join_all().await.into_iter().flatten().collect();
    found.sort_by_key(|found| found.address.port());
    choose(&found, &candidates)
}

/// Where to ask: the usual ports, and the ports of processes that are known servers.
fn candidates(listeners: &[Listener]) -> BTreeSet<SocketAddr> {
    let usual = Dialect::usual_ports().into_iter();
    let at_home = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let known = listeners.iter().filter(|listener| is_server(listener));
    let known: Vec<SocketAddr> = known.map(|listener| listener.address).collect();
    // A process that holds a usual port tells its address better than the port does.
    let held: BTreeSet<u16> = known.iter().map(SocketAddr::port).collect();
    usual
        .filter(|port| !held.contains(port))
        .map(at_home)
        .chain(known)
        .collect()
}

/// Whether the process is a known server, and not one that another server has started for itself.
fn is_server(listener: &Listener) -> bool {
    let kinds: Vec<Dialect> = listener
        .lineage
        .iter()
        .filter_map(|arguments| Dialect::of_command(arguments))
        .collect();
    let inside = |kind: &Dialect| matches!(kind, Dialect::Ollama | Dialect::LmStudio);
    match kinds.as_slice() {
        [] => false,
        [own, above @ ..] => inside(own) || !above.iter().any(inside),
    }
}

/// Asks one address, without keys: what listens there may be anybody's. `None` when it is no server.
async fn ask(address: SocketAddr) -> Option<Found> {
    let typed = Address::parse(&address.to_string()).ok()?;
    let clock = Clock::start();
    let target = Target {
        server_name: None,
        host: address.ip().to_string(),
        port: address.port(),
        tls: false,
        way: Way::Direct,
        protocol: Protocol::Http1,
        connect_timeout: PATIENCE,
    };
    let connector = TcpConnect::new(target, &TlsSettings::default(), clock).ok()?;
    let dial = Arc::new(ConnectDial::new(Arc::new(connector), clock));
    let target = tokmark_engines::Target::new(&typed, Vec::new());
    let control = Control::new(dial, target, PATIENCE);
    // Without a list of models it is left alone: nobody has asked for requests to whatever it is.
    let list = control.get("/v1/models").await.ok()?;
    let json = list.json();
    let has_list = list.status.is_success()
        && json.is_some_and(|list| list.get("data").is_some_and(serde_json::Value::is_array));
    if !has_list && !matches!(list.status.as_u16(), 401 | 403 | 503) {
        return None;
    }
    let says = match tokmark_engines::identify(&control, None).await {
        Ok(server) => {
            let names: Vec<&str> = server.models.iter().map(|card| card.id.as_str()).collect();
            let version = server.engine.version.as_deref().unwrap_or_default();
            let engine = format!("{} {version}", server.engine.name);
            match names.as_slice() {
                [] => engine.trim_end().to_owned(),
                names => format!("{}, {}", engine.trim_end(), names.join(", ")),
            }
        }
        Err(IdentifyError::Loading { .. }) if !list.is_html() => "still loading".to_owned(),
        Err(IdentifyError::Unauthorized { .. }) if !list.is_html() => "wants a key".to_owned(),
        Err(_) => return None,
    };
    Some(Found { address, says })
}

fn choose(found: &[Found], asked: &BTreeSet<SocketAddr>) -> Outcome<String> {
    match found {
        [] => {
            let ports: Vec<String> = asked.iter().map(|at| at.port().to_string()).collect();
            let message = format!(
                "no address was given, and no server was found on this machine (ports {})",
                ports.join(", ")
            );
            Err(Failure::saying(Exit::Usage, message)
                .hint("start a server, or give its address: tokmark run HOST:PORT"))
        }
        [one] => {
            say::progress(format!("found {}: {}", one.address, one.says));
            Ok(one.address.to_string())
        }
        [first, ..] => {
            let list: Vec<String> = found
                .iter()
                .map(|one| format!("\n  {}  {}", one.address, one.says))
                .collect();
            let message = format!(
                "no address was given, and several servers run on this machine:{}",
                list.concat()
            );
            Err(Failure::saying(Exit::Usage, message)
                .hint(format!("name one of them, for example {}", first.address)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(address: &str, lineage: &[&str]) -> Listener {
        let words = |line: &&str| line.split(' ').map(str::to_owned).collect();
        Listener {
            address: address.parse().unwrap(),
            lineage: lineage.iter().map(words).collect(),
        }
    }

    fn found(address: &str, says: &str) -> Found {
        Found {
            address: address.parse().unwrap(),
            says: says.to_owned(),
        }
    }

    #[test]
    fn usual_ports_and_known_processes_are_asked() {
        let asked = candidates(&[
            listener("127.0.0.1:22", &["sshd"]),
            listener("127.0.0.1:9123", &["VLLM::APIServer_0", "vllm serve m"]),
            listener("[::1]:8080", &["llama-server -m x.gguf"]),
            listener("127.0.0.1:11434", &["ollama serve"]),
            // What Ollama starts for a model is Ollama's own.
            listener("127.0.0.1:39001", &["llama-server -m y", "ollama serve"]),
        ]);
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        assert_eq!(
            asked,
            [
                "127.0.0.1:1234",
                "127.0.0.1:3000",
                "127.0.0.1:5000",
                "127.0.0.1:8000",
                "127.0.0.1:9123",
                "127.0.0.1:11434",
                "127.0.0.1:23333",
                "127.0.0.1:30000",
                "[::1]:8080",
            ]
        );
    }

    #[test]
    fn the_only_one_is_taken_and_several_are_listed() {
        let asked = candidates(&[]);
        let one = [found("127.0.0.1:8000", "vllm 0.32.0, m")];
        assert_eq!(choose(&one, &asked).unwrap(), "127.0.0.1:8000");
        let none = choose(&[], &asked).unwrap_err();
        assert_eq!(none.exit(), Exit::Usage);
        let text = none.to_string();
        assert!(text.contains("ports 1234, 3000") && text.contains("tokmark run HOST:PORT"));
        let two = [
            found("127.0.0.1:8000", "vllm 0.32.0, m"),
            found("[::1]:8080", "wants a key"),
        ];
        let several = choose(&two, &asked).unwrap_err();
        assert_eq!(several.exit(), Exit::Usage);
        assert_eq!(
            several.to_string(),
            "error: no address was given, and several servers run on this machine:\n  \
             127.0.0.1:8000  vllm 0.32.0, m\n  [::1]:8080  wants a key\n  \
             try: name one of them, for example 127.0.0.1:8000"
        );
    }
}
