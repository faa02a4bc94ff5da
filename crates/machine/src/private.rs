//! A last look at what leaves this crate: names and addresses of this one machine go.
//!
//! Everything is read so that nothing private gets in. But firmware, kernels and drivers are text
//! that somebody wrote, and a machine's name may stand in it.

use std::path::Path;

use tokmark_run_format::Hardware;

use crate::files;
use crate::redact::redact;

/// Shorter names are words that occur by chance.
const SHORTEST_NAME: usize = 4;

/// Host names that say nothing.
const COMMON: [&str; 4] = ["localhost", "localhost.localdomain", "linux", "ubuntu"];

/// Names of this machine and of those who use it.
pub(crate) struct Private(Vec<String>);

impl Private {
    pub(crate) fn of(root: &Path) -> Self {
        let mut names: Vec<String> = ["proc/sys/kernel/hostname", "etc/hostname"]
            .iter()
            .filter_map(|path| files::text(&root.join(path)))
            .collect();
        let short: Vec<String> = names
            .iter()
            .filter_map(|name| Some(name.split_once('.')?.0.to_owned()))
            .collect();
        names.extend(short);
        names.retain(|name| name.len() >= SHORTEST_NAME && !COMMON.contains(&name.as_str()));
        Self(names)
    }

    fn clean(&self, text: &mut String) {
        let mut cleaned = redact(text);
        for name in &self.0 {
            cleaned = cleaned.replace(name.as_str(), "***");
        }
        *text = cleaned;
    }

    /// Every text of the inventory.
    pub(crate) fn clean_hardware(&self, hardware: &mut Hardware) {
        let host = hardware.host.iter_mut().flat_map(|host| {
            [
                &mut host.board,
                &mut host.kernel,
                &mut host.container,
                &mut host.virtualization,
            ]
        });
        let texts = [
            &mut hardware.name,
            &mut hardware.cpu,
            &mut hardware.os,
            &mut hardware.driver,
        ];
        for text in texts.into_iter().chain(host).flatten() {
            self.clean(text);
        }
        let unused = hardware.unused_accelerators.iter_mut();
        for accelerator in hardware.accelerators.iter_mut().chain(unused) {
            self.clean(&mut accelerator.name);
            let facts = accelerator.facts.iter_mut();
            let names = facts.flat_map(|facts| [&mut facts.driver_name, &mut facts.part_of]);
            names.flatten().for_each(|name| self.clean(name));
        }
    }
}
