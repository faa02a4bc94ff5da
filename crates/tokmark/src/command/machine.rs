//! `tokmark machine`: what this machine is, or one with an agent.

use std::path::Path;

use tokmark_catalog::Catalog;
use tokmark_machine::{
    BandwidthSettings, ComputeLibrary, PROBE_IS_OPTIMISED, keep_probe, measure_bandwidth,
    measure_device_bandwidth, real_clock,
};
use tokmark_run_format::{Accelerator, AcceleratorFacts, Hardware, MeasuredBandwidth, UnknownFact};
use tokmark_units::{float, format};

use crate::args::MachineArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::machine::full_name;
use crate::{agent, data, identity, say};

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
    let hardware = match &client {
        Some(client) => agent::inventory(client, None).await?,
        None if args.probe => probe(quiet)?,
        None => crate::machine::look(None).hardware,
    };
    if args.json {
        let value = serde_json::to_value(&hardware).map_err(|e| Failure::new(Exit::Failed, e))?;
        say::result(format!("{value:#}"));
    } else {
        say::raw(&as_text(&hardware));
    }
    Ok(Exit::Done)
}

/// Measures this machine and keeps the result for the runs that follow.
fn probe(quiet: bool) -> Outcome<Hardware> {
    let mut hardware = crate::machine::inventory();
    let tell = |text: String| {
        if !quiet {
            say::progress(text);
        }
    };
    let now = real_clock();
    let settings = BandwidthSettings::here(Path::new("/"));
    tell(format!(
        "measuring memory bandwidth on {} cores",
        settings.cores.len()
    ));
    let mut found = measure_bandwidth(&settings, &*now);
    let vendors: Vec<&str> = hardware
        .accelerators
        .iter()
        .filter_map(|group| group.facts.as_ref()?.vendor.as_deref())
        .collect();
    if !vendors.is_empty() {
        tell("measuring memory bandwidth of the accelerators".to_owned());
    }
    let catalog = Catalog::bundled().ok();
    let devices = measure_device_bandwidth(
        &ComputeLibrary::of_system(),
        &vendors,
        &|name, memory| full_name(catalog.as_ref(), name, memory),
        &*now,
    );
    found.accelerators = devices.accelerators;
    found.unknown = devices.unknown;
    found.measured_at = Some(identity::now().to_string());
    hardware.measured_bandwidth = Some(found);
    tell(kept(&hardware)?);
    Ok(hardware)
}

/// Keeps the probe in the data folder, and says so.
fn kept(hardware: &Hardware) -> Outcome<String> {
    let Some(folder) = data::folder() else {
        return Ok("note: there is no home folder, so that no run will know of this".to_owned());
    };
    let mut kept = hardware.clone();
    let processor = if PROBE_IS_OPTIMISED {
        ""
    } else {
        // A limit that is too low would make every share of it too high.
        if let Some(measured) = &mut kept.measured_bandwidth {
            (measured.read_gb_s, measured.triad_gb_s) = (None, None);
        }
        "; the processor's figures are not kept, since this program was built without optimisation"
    };
    let path = keep_probe(&folder, &kept).map_err(|error| {
        let context = format!("cannot keep the result in `{}`", folder.display());
        Failure::new(Exit::Failed, anyhow::Error::new(error).context(context))
            .hint("name another folder with TOKMARK_DATA")
    })?;
    Ok(format!(
        "kept in {}: runs against servers on this machine show their share of it{processor}",
        path.display()
    ))
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
    let measured = hardware.measured_bandwidth.iter();
    for (at, text) in measured.flat_map(bandwidth_lines).enumerate() {
        add(if at == 0 { "bandwidth" } else { "" }, Some(text));
    }
    add("system", hardware.os.clone());
    if let Some(host) = &hardware.host {
        add("kernel", host.kernel.clone());
        add("board", host.board.clone());
        add("container", host.container.clone());
        add("virtual", host.virtualization.clone());
    }
    for text in unknown(hardware) {
        add("unknown", Some(text));
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

/// The processor's, each accelerator's, and when.
fn bandwidth_lines(measured: &MeasuredBandwidth) -> Vec<String> {
    let rate = |rate: Option<f64>| {
        rate.map_or("unknown".to_owned(), |rate| {
            format!("{} GB/s", format::decimal(rate, 1))
        })
    };
    let processor = measured.processor_gb_s().map(|_| {
        format!(
            "read {}, triad {} ({})",
            rate(measured.read_gb_s),
            rate(measured.triad_gb_s),
            measured.method
        )
    });
    let accelerators = measured.accelerators.iter().map(|card| {
        let method = match card.method.as_str() {
            "" => String::new(),
            method => format!(" ({method})"),
        };
        format!(
            "{}: copy {}, fill {}{method}",
            card.name,
            rate(card.copy_gb_s),
            rate(card.fill_gb_s)
        )
    });
    let at = measured
        .measured_at
        .as_ref()
        .map(|at| format!("measured {at}"));
    processor
        .into_iter()
        .chain(accelerators)
        .chain(at)
        .collect()
}

/// Every fact that could not be found out, of the machine, its accelerators and its last probe.
fn unknown(hardware: &Hardware) -> Vec<String> {
    let line = |fact: &UnknownFact| format!("{}: {}", fact.fact, fact.reason);
    let of_cards = hardware
        .accelerators
        .iter()
        .filter_map(|card| card.facts.as_ref())
        .flat_map(|facts| facts.unknown.iter().map(line));
    let measured = hardware.measured_bandwidth.iter();
    let of_probe = measured.flat_map(|measured| {
        let of_one = measured.accelerators.iter().flat_map(|card| {
            let named = move |fact: &UnknownFact| format!("{}: {}", card.name, line(fact));
            card.unknown.iter().map(named)
        });
        of_one.chain(measured.unknown.iter().map(line))
    });
    of_cards
        .chain(of_probe)
        .chain(hardware.unknown.iter().map(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::{AcceleratorBandwidth, Host, MachineClass, PcieLink, ProcessorFacts};

    use super::*;

    fn probe_of_two_cards() -> MeasuredBandwidth {
        let card = |copy, fill, method: &str, unknown| AcceleratorBandwidth {
            name: "RTX 3090".to_owned(),
            copy_gb_s: copy,
            fill_gb_s: fill,
            method: method.to_owned(),
            unknown,
            ..AcceleratorBandwidth::default()
        };
        let full = UnknownFact::new("bandwidth", "not enough of its memory is free");
        let hip = UnknownFact::new("hip", "no accelerator is visible to this program");
        MeasuredBandwidth {
            read_gb_s: Some(61.5),
            method: "12 threads".to_owned(),
            measured_at: Some("2026-11-30T12:00:00Z".to_owned()),
            accelerators: vec![
                card(Some(845.1), Some(862.0), "CUDA driver API", Vec::new()),
                card(None, None, "", vec![full]),
            ],
            unknown: vec![hip],
            ..MeasuredBandwidth::default()
        }
    }

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
            measured_bandwidth: Some(probe_of_two_cards()),
            ..Hardware::default()
        };
        let expected = "\
machine     Discrete GPU
accelerator 2 x RTX 3090, 24.0 GiB, limited to 300 W of 350 W, PCIe 1 x? now, 4 x16 at most, without resizable BAR
            12 cores, governor performance
memory      64.0 GiB, 4800 MT/s
bandwidth   read 61.5 GB/s, triad unknown (12 threads)
            RTX 3090: copy 845.1 GB/s, fill 862.0 GB/s (CUDA driver API)
            RTX 3090: copy unknown, fill unknown
            measured 2026-11-30T12:00:00Z
kernel      6.8.0
unknown     architecture: the card does not tell
unknown     RTX 3090: bandwidth: not enough of its memory is free
unknown     hip: no accelerator is visible to this program
";
        assert_eq!(as_text(&hardware), expected);
    }
}
