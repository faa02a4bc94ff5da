//! The server's machine and launch, as far as they are known.

use std::sync::Arc;

use tokmark_catalog::Catalog;
use tokmark_driver::LoadThreads;
use tokmark_machine::agent::{Launched, RemoteSampler};
use tokmark_machine::telemetry::{Sampler, SamplerSettings, SharedNow, Sources};
use tokmark_machine::{
    Found, LaunchCommand, LaunchPlaces, Look, ServerUse, UsedDevice, Watch, recall_probe,
};
use tokmark_run_format::{Hardware, LaunchSettings, MachineClass};
use tokmark_units::float;

use crate::args::TrustArgs;
use crate::args::work::FactArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::reach::Reached;
use crate::{agent, data};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// The server's machine, and how the server was started on it.
pub(crate) struct Machine {
    pub(crate) hardware: Hardware,
    pub(crate) launch_command: Option<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) launch: Option<LaunchSettings>,
    argv: Vec<String>,
    /// Whose readings are the run's; `None` is all of the machine's.
    devices: Option<Vec<UsedDevice>>,
}

impl Machine {
    /// Of a server that was reached: what was declared, else what the agent on its host tells, else
    /// this machine's when the address is local; never the client's for a remote server (case
    /// B101).
    pub(crate) async fn of(reached: &Reached, args: &FactArgs, trust: &TrustArgs) -> Outcome<Self> {
        let agent = agent::client(&args.agent, trust)?;
        // A server in front of the host may have another port: then nothing is found.
        let port = Some(reached.address.port).filter(|_| !reached.is_local);
        let told = match (&agent, port) {
            (Some(agent), Some(port)) => agent.launch(port).await.unwrap_or_default(),
            _ => Launched::default(),
        };
        let declared = args.launch_command.as_deref().map(LaunchCommand::from_text);
        let (hardware, devices) = match (args.hardware.as_str(), &agent) {
            ("auto", Some(agent)) => (agent::inventory(agent, port).await?, told.devices),
            _ => hardware(reached, args)?,
        };
        Ok(match declared.as_ref().or(reached.launch.as_ref()) {
            Some(launch) => Self {
                hardware,
                devices,
                launch_command: Some(launch.command.clone()),
                flags: tokmark_machine::flags(&launch.argv),
                argv: launch.argv.clone(),
                launch: said(tokmark_machine::settings(launch)),
            },
            None => Self {
                hardware,
                devices,
                launch_command: told.command,
                flags: told.flags,
                argv: told.argv,
                launch: told.settings.and_then(said),
            },
        })
    }

    /// Tells the server's adapter how the server was started, also where an agent or the person
    /// said it, so that the plan has its limits.
    pub(crate) fn teach(&self, reached: &mut Reached) {
        let server = &mut reached.session.server;
        if !self.argv.is_empty() {
            server.learn_from_launch(&self.argv);
        }
        server.learn_from_settings(self.launch.clone().unwrap_or_default());
    }

    /// The machine's name for titles and file names.
    pub(crate) fn name(&self) -> String {
        let unknown = || "unknown-hardware".to_owned();
        self.hardware.name.clone().unwrap_or_else(unknown)
    }
}

/// What watches the server's accelerators during a run: this program where the server is on this
/// machine, else the agent on its host, else nobody.
pub(crate) fn watch(
    reached: &Reached,
    args: &FactArgs,
    trust: &TrustArgs,
    machine: &Machine,
) -> Outcome<Option<Watch>> {
    let watch = all_of(reached, args, trust)?;
    Ok(match &machine.devices {
        Some(devices) => watch.map(|watch| watch.only(devices.clone())),
        None => watch,
    })
}

fn all_of(reached: &Reached, args: &FactArgs, trust: &TrustArgs) -> Outcome<Option<Watch>> {
    let clock = reached.session.clock;
    let now: SharedNow = Arc::new(move || clock.now());
    if let Some(agent) = agent::client(&args.agent, trust)? {
        return Ok(Some(Watch::remote(RemoteSampler::start(agent, now))));
    }
    if args.hardware != "auto" || !reached.is_local {
        return Ok(None);
    }
    let sources = Sources::of(&Look::here());
    if sources.is_empty() {
        return Ok(None);
    }
    let sampler = Sampler::start(sources, &beside(&reached.session.load), now)
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    Ok(Some(Watch::local(sampler)))
}

/// How this machine is read beside its load threads: on none of their cores.
fn beside(load: &LoadThreads) -> SamplerSettings {
    SamplerSettings {
        avoid_cores: load.cores().to_vec(),
        ..SamplerSettings::default()
    }
}

/// Settings that say anything.
fn said(settings: LaunchSettings) -> Option<LaunchSettings> {
    (settings != LaunchSettings::default()).then_some(settings)
}

/// This machine, or what a server of it uses, with the catalogue's names, as far as its system tells.
fn look_afresh(server: Option<&ServerUse>) -> Found {
    // Names as the drivers give them are no worse facts.
    let catalog = Catalog::bundled().ok();
    let normalise = |name: &str, memory: Option<u64>| full_name(catalog.as_ref(), name, memory);
    tokmark_machine::look_named(&normalise, server)
}

/// The whole machine as its system tells it, without what was measured before.
pub(crate) fn inventory() -> Hardware {
    look_afresh(None).hardware
}

/// This machine, or what a server of it uses, with what its last probe measured, where the whole
/// machine is still the same hardware.
pub(crate) fn look(server: Option<&ServerUse>) -> Found {
    let mut found = look_afresh(server);
    if let Some(folder) = data::folder() {
        recall_probe(&folder, &mut found.hardware, |hardware| match server {
            Some(_) => inventory(),
            None => hardware.clone(),
        });
    }
    found
}

/// The catalogue's name of what a driver calls so.
pub(crate) fn full_name(
    catalog: Option<&Catalog>,
    name: &str,
    memory_bytes: Option<u64>,
) -> Option<String> {
    let gib = memory_bytes.map(|bytes| float::from_u64(bytes) / GIB);
    let found = catalog?.find_hardware(name, gib);
    found.found().map(tokmark_catalog::Hardware::full_name)
}

/// Whether the server is `tokmark sim`, whose speeds are no machine's.
fn is_simulated(reached: &Reached) -> bool {
    let argv = reached.launch.iter().flat_map(|launch| &launch.argv);
    let words: Vec<&str> = argv.take(2).map(String::as_str).collect();
    let is_ours = |program: &str| {
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        name.trim_end_matches(".exe") == "tokmark"
    };
    matches!(words.as_slice(), [program, "sim"] if is_ours(program))
}

fn simulated() -> Hardware {
    Hardware {
        class: MachineClass::Simulated,
        name: Some("simulated server".to_owned()),
        source: Some("simulated".to_owned()),
        ..Hardware::default()
    }
}

/// The hardware, and which accelerators in it are read, where that is known.
fn hardware(reached: &Reached, args: &FactArgs) -> Outcome<(Hardware, Option<Vec<UsedDevice>>)> {
    match args.hardware.as_str() {
        "auto" if is_simulated(reached) => Ok((simulated(), Some(Vec::new()))),
        "auto" if reached.is_local => {
            let launch = reached.launch.as_ref();
            let server = launch.and_then(|found| ServerUse::of(found, &LaunchPlaces::default()));
            let found = look(server.as_ref());
            Ok((found.hardware, Some(found.devices)))
        }
        // Never the client's own machine for a remote server (case B101).
        "auto" | "none" => Ok((Hardware::default(), None)),
        file => {
            let text = std::fs::read_to_string(file).map_err(|error| {
                let context = format!("cannot read `{file}`");
                Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
                    .hint("--hardware takes `auto`, `none`, or a TOML or JSON file")
            })?;
            let declared = tokmark_machine::read_hardware_file(&text).map_err(|error| {
                let context = format!("`{file}` does not describe a machine");
                Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            })?;
            Ok((declared, None))
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_read_away_from_the_load_threads() {
        let cores = tokmark_driver::cores::allowed();
        let last = &cores[cores.len() - 1..];
        let load = LoadThreads::start(1, last).unwrap();
        assert_eq!(beside(&load).avoid_cores, last);
        let anywhere = LoadThreads::start(1, &[]).unwrap();
        assert_eq!(beside(&anywhere).avoid_cores, [0_usize; 0]);
    }
}
