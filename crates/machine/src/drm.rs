//! Graphics and compute cards as `/sys/class/drm` lists them.

use std::path::{Path, PathBuf};

use crate::files;

/// A card's folders.
#[derive(Debug, Clone)]
pub(crate) struct DrmCard {
    /// `/sys/class/drm/cardN`.
    pub(crate) card: PathBuf,
    /// The device below it.
    pub(crate) device: PathBuf,
    /// The kernel driver: `amdgpu`, `xe`, `i915`, `nvidia`, …
    pub(crate) driver: String,
}

impl DrmCard {
    /// The folder with the card's sensors. One without the wanted file is another chip's.
    pub(crate) fn sensors(&self, wanted: &[&str]) -> Option<PathBuf> {
        files::entries(&self.device.join("hwmon"))
            .into_iter()
            .find(|folder| wanted.iter().any(|name| folder.join(name).exists()))
    }
}

/// All cards in order. Connectors (`card0-DP-1`) are left out.
pub(crate) fn cards(root: &Path) -> Vec<DrmCard> {
    files::entries(&root.join("sys/class/drm"))
        .into_iter()
        .filter(|card| files::numbered(card, "card").is_some())
        .filter_map(|card| {
            let device = card.join("device");
            let uevent = files::whole(&device.join("uevent"))?;
            let driver = files::value(&uevent, "DRIVER")?;
            Some(DrmCard {
                card,
                device,
                driver,
            })
        })
        .collect()
}
