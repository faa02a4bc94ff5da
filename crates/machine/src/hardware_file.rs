//! A file in which a person declares the hardware of a server (`--hardware FILE`).

use serde::Deserialize;
use tokmark_run_format::{
    Accelerator, AcceleratorFacts, AcceleratorLink, AcceleratorSelection, Hardware, Host,
    MachineClass, MeasuredBandwidth, ProcessorFacts, UnknownFact,
};
use tokmark_units::float;

use crate::title::name_for_title;

/// Why a hardware file was not understood.
#[derive(Debug, thiserror::Error)]
pub enum HardwareFileError {
    /// It is not TOML, or names a field that does not exist.
    #[error("the hardware file is not understood")]
    Toml(#[from] toml::de::Error),
    /// It is not JSON, or names a field that does not exist.
    #[error("the hardware file is not understood")]
    Json(#[from] serde_json::Error),
    /// An amount of memory that is no amount.
    #[error("`{given}` is not an amount of memory")]
    Memory {
        /// What stood there.
        given: String,
    },
    /// An accelerator without a name or with a count of zero.
    #[error("an accelerator needs a name and a count of at least 1")]
    Accelerator,
    /// Nothing that names the machine.
    #[error("the hardware file names neither `accelerators` nor `cpu` nor `name`")]
    Empty,
}

impl HardwareFileError {
    /// What the person may do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Memory { .. } => "write `24 GB`, `512 MB` or a number of bytes",
            _ => {
                "a hardware file is TOML or JSON, for example: cpu = \"AMD Ryzen 9 7900X (12C)\", \
                 memory = \"32 GB\", and a table [[accelerators]] with name = \"RTX 3090\", \
                 memory = \"24 GB\""
            }
        }
    }
}

/// The file's shape. A mistyped field is an error that lists the right ones.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Declared {
    class: Option<MachineClass>,
    name: Option<String>,
    accelerators: Vec<DeclaredAccelerator>,
    /// Stand in hardware that was copied from a run document; a declared list says what was used.
    #[serde(rename = "accelerators_known_by")]
    _known_by: Option<AcceleratorSelection>,
    unused_accelerators: Vec<DeclaredAccelerator>,
    cpu: Option<String>,
    cpu_cores: Option<u32>,
    memory_bytes: Option<u64>,
    #[serde(alias = "memory_text")]
    memory: Option<String>,
    os: Option<String>,
    driver: Option<String>,
    /// Stands in hardware that was copied from a run document; here it is always declared.
    #[serde(rename = "source")]
    _source: Option<String>,
    processor: Option<ProcessorFacts>,
    memory_speed_mt_s: Option<u32>,
    host: Option<Host>,
    links: Vec<AcceleratorLink>,
    measured_bandwidth: Option<MeasuredBandwidth>,
    unknown: Vec<UnknownFact>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredAccelerator {
    name: String,
    #[serde(default = "one")]
    count: u32,
    memory_bytes: Option<u64>,
    #[serde(alias = "memory_text")]
    memory: Option<String>,
    facts: Option<AcceleratorFacts>,
}

fn one() -> u32 {
    1
}

/// Reads TOML, or JSON when the text begins with a brace.
pub fn read_hardware_file(text: &str) -> Result<Hardware, HardwareFileError> {
    let declared: Declared = if text.trim_start().starts_with('{') {
        serde_json::from_str(text)?
    } else {
        toml::from_str(text)?
    };
    let all = |declared: Vec<DeclaredAccelerator>| {
        let all = declared.into_iter().map(accelerator);
        all.collect::<Result<Vec<_>, _>>()
    };
    let accelerators = all(declared.accelerators)?;
    let class = declared.class.unwrap_or(if !accelerators.is_empty() {
        MachineClass::DiscreteGpu
    } else if declared.cpu.is_some() {
        MachineClass::Cpu
    } else {
        MachineClass::Unknown
    });
    let mut hardware = Hardware {
        class,
        name: declared.name,
        accelerators,
        accelerators_known_by: None,
        unused_accelerators: all(declared.unused_accelerators)?,
        cpu: declared.cpu,
        cpu_cores: declared.cpu_cores,
        memory_bytes: amount(declared.memory_bytes, declared.memory.as_deref())?,
        memory_text: declared.memory,
        os: declared.os,
        driver: declared.driver,
        source: Some("declared".to_owned()),
        processor: declared.processor,
        memory_speed_mt_s: declared.memory_speed_mt_s,
        host: declared.host,
        links: declared.links,
        measured_bandwidth: declared.measured_bandwidth,
        unknown: declared.unknown,
    };
    let is_named = hardware.name.is_some() || hardware.cpu.is_some();
    if !is_named && hardware.accelerators.is_empty() {
        return Err(HardwareFileError::Empty);
    }
    hardware.name = Some(name_for_title(&hardware));
    Ok(hardware)
}

fn accelerator(declared: DeclaredAccelerator) -> Result<Accelerator, HardwareFileError> {
    if declared.name.trim().is_empty() || declared.count == 0 {
        return Err(HardwareFileError::Accelerator);
    }
    Ok(Accelerator {
        name: declared.name.trim().to_owned(),
        count: declared.count,
        memory_bytes: amount(declared.memory_bytes, declared.memory.as_deref())?,
        memory_text: declared.memory,
        facts: declared.facts,
    })
}

fn amount(bytes: Option<u64>, text: Option<&str>) -> Result<Option<u64>, HardwareFileError> {
    match (bytes, text) {
        (Some(bytes), _) => Ok(Some(bytes)),
        (None, None) => Ok(None),
        (None, Some(text)) => {
            parse_amount(text)
                .map(Some)
                .ok_or_else(|| HardwareFileError::Memory {
                    given: text.to_owned(),
                })
        }
    }
}

/// `24 GB` as bytes. Makers of memory count in powers of two whatever they write, so GB is GiB.
fn parse_amount(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let power = match unit.trim().to_ascii_uppercase().trim_end_matches('B') {
        "" => 0,
        "K" | "KI" => 1,
        "M" | "MI" => 2,
        "G" | "GI" => 3,
        "T" | "TI" => 4,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    let bytes = number * 1024_f64.powi(power);
    (bytes > 0.0 && bytes < 1e18).then(|| float::round_to_u64(bytes))
}
