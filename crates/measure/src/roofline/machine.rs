//! What carries the model: accelerators or processor, how many of them, and how fast their memory is.

use tokmark_catalog::{Catalog, Hardware as Row, HardwareKind};
use tokmark_run_format::roofline::{RooflineMachine, RooflineRates};
use tokmark_run_format::{
    Accelerator, AcceleratorBandwidth, FigureSource, Hardware, LaunchSettings, MachineClass,
    MeasuredBandwidth,
};
use tokmark_units::float;

use super::inputs::Subject;
use super::shape;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Servers that put a model on one accelerator unless they are told otherwise. Others spread it over
/// all that they see, each in its own way.
const ON_ONE_BY_DEFAULT: [&str; 2] = ["vllm", "sglang"];

/// Flags that keep a part of the model or its cache in the processor's memory.
const OFFLOADING: [&str; 12] = [
    "--cpu-offload-gb",
    "--cpu-moe",
    "-cmoe",
    "--n-cpu-moe",
    "-ncmoe",
    "--override-tensor",
    "-ot",
    "--no-kv-offload",
    "-nkvo",
    "--cpu-offload",
    "--kv-offloading-size",
    "--offload-group-size",
];

/// Variables that hide accelerators from a server.
const VISIBLE: [&str; 3] = [
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// The machine, or why it is not known. `blocks` are the model's, where it is known.
pub(super) fn choose(
    subject: &Subject<'_>,
    blocks: Option<u32>,
    catalog: &Catalog,
) -> Result<RooflineMachine, String> {
    let hardware = subject.hardware;
    if is_on_processor(subject) {
        return processor(hardware, catalog);
    }
    let group = match hardware.accelerators.as_slice() {
        [one] => one,
        [] if hardware.class == MachineClass::UnifiedMemory => {
            return Ok(of_row(by_processor(hardware, catalog)?, 1, None));
        }
        [] if hardware.class == MachineClass::Simulated => {
            return Err("the server is simulated, and its speeds are no machine's".to_owned());
        }
        [] if hardware.class == MachineClass::Unknown && hardware.name.is_none() => {
            return Err("the server's machine is not known; --hardware tells it".to_owned());
        }
        [] => return Err("the machine's accelerators are not known".to_owned()),
        _ => {
            return Err(
                "the machine has accelerators of several kinds, and which of them the model is on \
                 is not known"
                    .to_owned(),
            );
        }
    };
    let facts = group.facts.as_ref();
    if facts.is_some_and(|facts| !facts.slices.is_empty()) {
        return Err(
            "the accelerator is divided into slices, whose bandwidth is not known".to_owned(),
        );
    }
    let unified = facts.and_then(|facts| facts.unified_memory) == Some(true)
        || hardware.class == MachineClass::UnifiedMemory;
    if !unified {
        is_whole_on_accelerators(subject, blocks)?;
    }
    let count = sharing(group.count.max(1), subject.launch)?;
    accelerators(hardware, group, count, catalog)
}

/// Whether the processor computes: there is nothing else, or server or launch say so.
fn is_on_processor(subject: &Subject<'_>) -> bool {
    let layers = subject
        .launch
        .and_then(|launch| launch.accelerator_layers.as_deref());
    let backend = subject.engine.backend.as_deref();
    subject.hardware.class == MachineClass::Cpu
        || backend.is_some_and(|backend| backend.eq_ignore_ascii_case("cpu"))
        || layers == Some("0")
}

/// Refuses a model of which a part is, or may be, in the processor's memory.
fn is_whole_on_accelerators(subject: &Subject<'_>, blocks: Option<u32>) -> Result<(), String> {
    let offloads = subject.engine.flags.iter().find(|flag| {
        let mut words = flag.split([' ', '=']);
        let name = words.next().unwrap_or_default();
        OFFLOADING.contains(&name) && words.next() != Some("0")
    });
    if let Some(flag) = offloads {
        return Err(format!(
            "the launch keeps a part of the model in the processor's memory (`{flag}`)"
        ));
    }
    let Some(launch) = subject.launch else {
        return Ok(());
    };
    if !matches!(launch.server.as_deref(), Some("llamacpp" | "ollama")) {
        return Ok(());
    }
    match launch.accelerator_layers.as_deref() {
        None | Some("auto") => Err(
            "the launch does not say how many layers are on the accelerator (`--n-gpu-layers`)"
                .to_owned(),
        ),
        Some("all") => Ok(()),
        Some(text) => {
            // The output head counts as one more layer.
            let wanted = blocks.map_or(99, |blocks| blocks.saturating_add(1));
            let layers: Option<u32> = text.parse().ok();
            match layers {
                Some(layers) if layers >= wanted => Ok(()),
                _ => Err(format!(
                    "a part of the layers is in the processor's memory (`--n-gpu-layers {text}`)"
                )),
            }
        }
    }
}

/// How many accelerators read the model together, or why that is not known.
fn sharing(count: u32, launch: Option<&LaunchSettings>) -> Result<u32, String> {
    let several = |number: Option<u32>| number.filter(|number| *number > 1);
    if several(launch.and_then(|launch| launch.pipeline_parallel)).is_some() {
        return Err("the accelerators work one after another (pipeline parallel)".to_owned());
    }
    if several(launch.and_then(|launch| launch.data_parallel)).is_some() {
        return Err(
            "the server runs several copies of the model, and how requests are spread over them is \
             not known"
                .to_owned(),
        );
    }
    let visible = launch.and_then(visible).unwrap_or(count).min(count);
    let server = launch.and_then(|launch| launch.server.as_deref());
    match launch.and_then(|launch| launch.tensor_parallel) {
        Some(shared) if (1..=visible).contains(&shared) => Ok(shared),
        Some(shared) => Err(format!(
            "the launch shares the layers over {shared} accelerators, and the machine shows {visible}"
        )),
        None if visible <= 1 => Ok(1),
        None if server.is_some_and(|server| ON_ONE_BY_DEFAULT.contains(&server)) => Ok(1),
        None => Err(format!(
            "the machine has {visible} accelerators, and the launch does not say whether they share \
             the layers (tensor parallel)"
        )),
    }
}

/// Accelerators that the environment leaves visible.
fn visible(launch: &LaunchSettings) -> Option<u32> {
    let value = launch.environment.iter().find_map(|entry| {
        let (name, value) = entry.split_once('=')?;
        VISIBLE.contains(&name).then_some(value)
    })?;
    let count = value
        .split(',')
        .filter(|part| !part.trim().is_empty())
        .count();
    u32::try_from(count).ok().filter(|count| *count > 0)
}

/// So many of a group: by what was measured on them, else by the catalogue.
fn accelerators(
    hardware: &Hardware,
    group: &Accelerator,
    count: u32,
    catalog: &Catalog,
) -> Result<RooflineMachine, String> {
    let gib = group.memory_bytes.map(|bytes| float::from_u64(bytes) / GIB);
    let row = catalog.find_hardware(&group.name, gib).found();
    let measured = measured(hardware, group);
    match (row, measured) {
        (Some(row), measured) => Ok(of_row(row, count, measured)),
        (None, Some(bandwidth_gb_s)) => Ok(RooflineMachine {
            name: group.name.clone(),
            count,
            bandwidth_gb_s,
            bandwidth_source: FigureSource::Measured,
            rates: RooflineRates::default(),
        }),
        (None, None) => Err(not_in_catalogue(&group.name, hardware)),
    }
}

/// The slowest of the group's cards: those that share a layer wait for each other.
fn measured(hardware: &Hardware, group: &Accelerator) -> Option<f64> {
    let probe = hardware.measured_bandwidth.as_ref()?;
    let of_group = probe
        .accelerators
        .iter()
        .filter(|card| card.name.eq_ignore_ascii_case(&group.name));
    let rates: Option<Vec<f64>> = of_group.map(AcceleratorBandwidth::best_gb_s).collect();
    rates?.into_iter().reduce(f64::min)
}

/// The processor, by what was measured on it, else by the catalogue. Its arithmetic is not known: a
/// row's rates are those of accelerators.
fn processor(hardware: &Hardware, catalog: &Catalog) -> Result<RooflineMachine, String> {
    let probe = hardware.measured_bandwidth.as_ref();
    let measured = probe.and_then(MeasuredBandwidth::processor_gb_s);
    let found = if let Some(bandwidth_gb_s) = measured {
        // All sockets were measured together.
        RooflineMachine {
            name: hardware.cpu.clone().unwrap_or_default(),
            count: 1,
            bandwidth_gb_s,
            bandwidth_source: FigureSource::Measured,
            ..RooflineMachine::default()
        }
    } else {
        let row = by_processor(hardware, catalog)?;
        let facts = hardware.processor.as_ref();
        let sockets = facts.and_then(|facts| facts.sockets).unwrap_or(1).max(1);
        let is_processor = row.kind == HardwareKind::Cpu;
        of_row(row, if is_processor { sockets } else { 1 }, None)
    };
    Ok(RooflineMachine {
        rates: RooflineRates::default(),
        ..found
    })
}

/// The catalogue's row of the processor's name, which may have sockets in front and cores behind:
/// `2x AMD EPYC 9654 (96C)`.
fn by_processor<'a>(hardware: &Hardware, catalog: &'a Catalog) -> Result<&'a Row, String> {
    let Some(cpu) = hardware.cpu.as_deref() else {
        return Err("the machine's processor is not known".to_owned());
    };
    let name = cpu.split(" (").next().unwrap_or(cpu);
    let name = match name.split_once("x ") {
        Some((sockets, rest)) if sockets.parse::<u32>().is_ok() => rest,
        _ => name,
    };
    let found = catalog.find_hardware(name, None).found();
    found.ok_or_else(|| not_in_catalogue(name, hardware))
}

fn of_row(row: &Row, count: u32, measured: Option<f64>) -> RooflineMachine {
    RooflineMachine {
        name: row.full_name(),
        count,
        bandwidth_gb_s: measured.unwrap_or(row.bandwidth_gb_per_s),
        bandwidth_source: match measured {
            Some(_) => FigureSource::Measured,
            None => FigureSource::Catalogue,
        },
        rates: row_rates(row),
    }
}

/// Rates that can be surpassed are no limit.
fn row_rates(row: &Row) -> RooflineRates {
    if row.rates_are_a_ceiling() {
        shape::rates(&row.rates)
    } else {
        RooflineRates::default()
    }
}

fn not_in_catalogue(name: &str, hardware: &Hardware) -> String {
    let measure = match hardware.source.as_deref() {
        Some("detected" | "agent") => "; `tokmark machine --probe` on it measures its bandwidth",
        _ => "",
    };
    format!("`{name}` is not in the catalogue{measure}")
}
