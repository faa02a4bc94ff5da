//! Size and speed of the main memory.

use std::path::Path;

use crate::files;

/// The firmware's tables, which only the administrator may read.
const TABLES: &str = "sys/firmware/dmi/tables/DMI";

/// A memory module's structure in them.
const MEMORY_DEVICE: u8 = 17;

/// `MemTotal` in bytes: what the system can use, a little less than what is built in.
pub(crate) fn bytes(root: &Path) -> Option<u64> {
    let text = files::whole(&root.join("proc/meminfo"))?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The speed that the modules run at, in MT/s, or why it is not known.
pub(crate) fn speed_mt_s(root: &Path) -> Result<u32, &'static str> {
    let path = root.join(TABLES);
    if !path.exists() {
        return Err("the system shows no tables of the firmware");
    }
    let tables = files::bytes(&path).ok_or_else(|| files::why_not(&path))?;
    let speeds: Vec<u32> = structures(&tables).filter_map(speed).collect();
    match speeds.split_first() {
        Some((first, others)) if others.iter().all(|speed| speed == first) => Ok(*first),
        Some(_) => Err("the modules run at different speeds"),
        None => Err("the firmware does not tell"),
    }
}

/// The formatted parts of the tables' structures. What follows each as text holds serial numbers
/// and is stepped over.
fn structures(tables: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = tables;
    std::iter::from_fn(move || {
        let length = usize::from(*rest.get(1)?);
        let (formatted, after) = rest.split_at_checked(length).filter(|_| length >= 4)?;
        let end = after.windows(2).position(|pair| pair == [0, 0])?;
        rest = after.get(end + 2..)?;
        Some(formatted)
    })
}

/// The configured speed of a module that is plugged in, else its rated speed.
fn speed(structure: &[u8]) -> Option<u32> {
    let word = |at: usize| {
        let bytes = structure.get(at..at + 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?)).filter(|word| !matches!(word, 0 | 0xffff))
    };
    if structure.first() != Some(&MEMORY_DEVICE) {
        return None;
    }
    // A size of zero is an empty slot.
    word(0x0c)?;
    word(0x20).or_else(|| word(0x15)).map(u32::from)
}
