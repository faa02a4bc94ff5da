//! NVIDIA's management library, loaded when it is asked for. Without it, and whatever it refuses,
//! there is a reason in words and never an error that ends a run.

pub(crate) mod driver_files;

#[cfg(any(target_os = "linux", windows))]
mod cards;
#[cfg(any(target_os = "linux", windows))]
mod library;
#[cfg(any(target_os = "linux", windows))]
mod readings;
#[cfg(any(target_os = "linux", windows))]
mod used;
#[cfg(any(target_os = "linux", windows))]
mod ways;

use std::path::PathBuf;

use tokmark_run_format::{AcceleratorLink, AcceleratorSelection};

use crate::card::Card;
use crate::server_use::ServerUse;
use crate::telemetry::Source;

/// Which library is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NvmlLibrary {
    /// The system's.
    #[default]
    System,
    /// This file.
    At(PathBuf),
    /// None.
    Off,
}

/// What the library tells about the machine.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) cards: Vec<Card>,
    pub(crate) links: Vec<AcceleratorLink>,
    /// `NVIDIA 580.178.04`.
    pub(crate) driver: Option<String>,
    /// How it is known which of the cards the server uses.
    pub(crate) selection: Option<AcceleratorSelection>,
}

/// All cards, or why the library does not tell. Slices that the server uses stand in their card's
/// place.
#[cfg(any(target_os = "linux", windows))]
pub(crate) fn ask(library: &NvmlLibrary, server: Option<&ServerUse>) -> Result<Told, String> {
    let nvml = library::load(library)?;
    let found = server.and_then(|server| used::of(&nvml, server));
    let (used, selection) = found.unzip();
    Ok(Told {
        cards: cards::read(&nvml, used.as_deref())?,
        selection,
        links: ways::read(&nvml),
        driver: nvml
            .sys_driver_version()
            .ok()
            .map(|version| format!("NVIDIA {version}")),
    })
}

/// Readings of all cards, or why there are none.
#[cfg(any(target_os = "linux", windows))]
pub(crate) fn source(library: &NvmlLibrary) -> Result<Box<dyn Source>, String> {
    let source = readings::NvmlSource::new(library::load(library)?)?;
    Ok(Box::new(source))
}

#[cfg(not(any(target_os = "linux", windows)))]
pub(crate) fn ask(_library: &NvmlLibrary, _server: Option<&ServerUse>) -> Result<Told, String> {
    Err("this system has no NVIDIA library".to_owned())
}

#[cfg(not(any(target_os = "linux", windows)))]
pub(crate) fn source(_library: &NvmlLibrary) -> Result<Box<dyn Source>, String> {
    Err("this system has no NVIDIA library".to_owned())
}
