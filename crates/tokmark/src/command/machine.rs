//! `tokmark machine`: what this machine is, or one with an agent.

use std::path::Path;

use tokmark_machine::{BandwidthSettings, measure_bandwidth, real_clock};
use tokmark_run_format::{Accelerator, AcceleratorFacts, Hardware, UnknownFact};
use tokmark_units::{float, format};

use crate::args::MachineArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{agent, say};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Prints the hardware.
pub(crate) async fn run(args: MachineArgs, quiet: bool) -> Outcome {
    let client = agent::client(&args.agent, &args.trust)?;
    if let Some(said) = agent::said(&args.agent) {
        say::progress(format!("warning: {said}"));
    }
    if client.is_some() && args.probe {
        let message = "--probe measures this machine and no agent's";
        return Err(Failure::saying(Exit::Usage, message)
            .hint("run `tokmark machine --probe --json` on the server's host"));
    }
    let mut hardware = match &client {
        Some(client) => agent::inventory(client, None).await?,
        None => crate::machine::inventory(),
    };
    if args.probe {
        let settings = BandwidthSettings::here(Path::new("/"));
        if !quiet {
            say::progress(format!(
                "measuring memory bandwidth on {} cores",
                settings.cores.len()
            ));
        }
        let found = measure_bandwidth(&settings, &*real_clock());
        hardware.measured_bandwidth = Some(found);
    }
    if args.json {
        let value = serde_json::to_value(&hardware).map_err(|e| Failure::new(Exit::Failed, e))?;
        say::result(format!("{value:#}"));
    } else {
        say::raw(&as_text(&hardware));
    }
    Ok(Exit::Done)
}

/// A fact per line; what is not known stands at the end with its reason.
fn as_text(hardware: &Hardware) -> String {
    let mut lines = vec![("machine", hardware.class.label().to_owned())];
    let mut add = |name: &'static str, text: Option<String>| {
        lines.extend(text.map(|text| (name, text)));
    };
    for accelerator in &hardware.accelerators {
        add("accelerator", Some(accelerator_text(accelerator)));
    }
    for accelerator in &hardware.unused_accelerators {
        add("not counted", Some(accelerator_text(accelerator)));
    }
    for link in &hardware.links {
        let times = link.links.map(|links| format!("{links} x "));
        let times = times.unwrap_or_default();
        let text = format!("{} - {}: {times}{}", link.from, link.to, link.path);
        add("link", Some(text));
    }
    add("driver", hardware.driver.clone());
    add("processor", hardware.cpu.clone());
    add("", processor_text(hardware));
    add("memory", memory_text(hardware));
    add("bandwidth", bandwidth_text(hardware));
    add("system", hardware.os.clone());
    if let Some(host) = &hardware.host {
        add("kernel", host.kernel.clone());
        add("board", host.board.clone());
        add("container", host.container.clone());
        add("virtual", host.virtualization.clone());
    }
    let of_cards = hardware
        .accelerators
        .iter()
        .filter_map(|card| card.facts.as_ref());
    let unknown: Vec<&UnknownFact> = of_cards
        .flat_map(|facts| &facts.unknown)
        .chain(&hardware.unknown)
        .collect();
    for fact in unknown {
        add("unknown", Some(format!("{}: {}", fact.fact, fact.reason)));
    }
    let line = |(name, text): (&str, String)| format!("{name:<12}{text}\n");
    lines.into_iter().map(line).collect()
}

fn gib(bytes: u64) -> String {
    format!("{} GiB", format::decimal(float::from_u64(bytes) / GIB, 1))
}

fn accelerator_text(accelerator: &Accelerator) -> String {
    let mut parts = vec![match accelerator.count {
        0 | 1 => accelerator.name.clone(),
        several => format!("{several} x {}", accelerator.name),
    }];
    parts.extend(accelerator.memory_bytes.map(gib));
    parts.extend(accelerator.facts.iter().flat_map(facts_text));
    parts.join(", ")
}

fn facts_text(facts: &AcceleratorFacts) -> Vec<String> {
    let watts = |watts: f64| format!("{} W", format::decimal(watts, 0));
    let mut parts = Vec::new();
    match (facts.power_limit_w, facts.power_limit_default_w) {
        (Some(limit), Some(default)) if (limit - default).abs() > 0.5 => {
            parts.push(format!("limited to {} of {}", watts(limit), watts(default)));
        }
        (Some(limit), _) => parts.push(watts(limit)),
        _ => {}
    }
    parts.extend(
        facts
            .core_clock_max_mhz
            .map(|mhz| format!("up to {mhz} MHz")),
    );
    if let Some(link) = &facts.pcie {
        let pair = |generation: Option<u32>, width: Option<u32>| {
            let known =
                |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
            format!("{} x{}", known(generation), known(width))
        };
        let now = pair(link.generation, link.width);
        let most = pair(link.generation_max, link.width_max);
        parts.push(format!("PCIe {now} now, {most} at most"));
    }
    parts.extend(facts.resizable_bar.map(|on| {
        let word = if on { "with" } else { "without" };
        format!("{word} resizable BAR")
    }));
    for slice in &facts.slices {
        parts.push(format!("{} x slice {}", slice.count, slice.profile));
    }
    if facts.unified_memory == Some(true) {
        parts.push("memory shared with the processor".to_owned());
    }
    let limit = facts.memory_limit_bytes.map(gib);
    parts.extend(limit.map(|limit| format!("at most {limit} of it")));
    parts
}

fn processor_text(hardware: &Hardware) -> Option<String> {
    let facts = hardware.processor.as_ref()?;
    let counted = |count: Option<u32>, word: &str| {
        count.map(|count| match count {
            1 => format!("1 {}", word.trim_end_matches('s')),
            several => format!("{several} {word}"),
        })
    };
    let parts: Vec<String> = [
        counted(facts.sockets, "sockets"),
        counted(facts.cores, "cores"),
        counted(facts.threads, "threads"),
        counted(facts.numa_nodes, "NUMA nodes"),
        facts.clock_max_mhz.map(|mhz| format!("up to {mhz} MHz")),
        facts
            .cache_bytes
            .map(|bytes| format!("{} MiB of cache", bytes >> 20)),
        facts
            .governor
            .as_ref()
            .map(|name| format!("governor {name}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn memory_text(hardware: &Hardware) -> Option<String> {
    let size = hardware.memory_bytes.map(gib)?;
    let speed = hardware.memory_speed_mt_s;
    Some(speed.map_or_else(|| size.clone(), |speed| format!("{size}, {speed} MT/s")))
}

fn bandwidth_text(hardware: &Hardware) -> Option<String> {
    let measured = hardware.measured_bandwidth.as_ref()?;
    let rate = |rate: Option<f64>| {
        rate.map_or("unknown".to_owned(), |rate| {
            format!("{} GB/s", format::decimal(rate, 1))
        })
    };
    Some(format!(
        "read {}, triad {} ({})",
        rate(measured.read_gb_s),
        rate(measured.triad_gb_s),
        measured.method
    ))
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::{Host, MachineClass, PcieLink, ProcessorFacts};

    use super::*;

    #[test]
    fn a_fact_per_line() {
        let facts = AcceleratorFacts {
            power_limit_w: Some(300.0),
            power_limit_default_w: Some(350.0),
            pcie: Some(PcieLink {
                generation: Some(1),
                generation_max: Some(4),
                width: None,
                width_max: Some(16),
            }),
            resizable_bar: Some(false),
            unknown: vec![UnknownFact::new("architecture", "the card does not tell")],
            ..AcceleratorFacts::default()
        };
        let hardware = Hardware {
            class: MachineClass::DiscreteGpu,
            accelerators: vec![Accelerator {
                name: "RTX 3090".to_owned(),
                count: 2,
                memory_bytes: Some(24 << 30),
                facts: Some(facts),
                ..Accelerator::default()
            }],
            memory_bytes: Some(64 << 30),
            memory_speed_mt_s: Some(4_800),
            processor: Some(ProcessorFacts {
                cores: Some(12),
                governor: Some("performance".to_owned()),
                ..ProcessorFacts::default()
            }),
            host: Some(Host {
                kernel: Some("6.8.0".to_owned()),
                ..Host::default()
            }),
            ..Hardware::default()
        };
        let expected = "\
machine     Discrete GPU
accelerator 2 x RTX 3090, 24.0 GiB, limited to 300 W of 350 W, PCIe 1 x? now, 4 x16 at most, without resizable BAR
            12 cores, governor performance
memory      64.0 GiB, 4800 MT/s
kernel      6.8.0
unknown     architecture: the card does not tell
";
        assert_eq!(as_text(&hardware), expected);
    }
}
