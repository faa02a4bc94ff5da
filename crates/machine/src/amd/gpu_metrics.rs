//! The driver's table of metrics, of which the format is told by its head: two bytes of size, one of
//! format, one of content revision.

use std::path::Path;

use tokmark_run_format::Throttle;

use crate::files;

/// Where revision 1.3 (cards from RDNA 1 and CDNA 1 on) keeps the reasons, in a common numbering.
const REASONS_AT: usize = 112;

/// Bits of that numbering: power, current, heat with voltage regulators, `PROCHOT`.
const POWER: u64 = 0xff;
const CURRENT: u64 = 0xff << 16;
const HEAT: u64 = 0x3fff << 32;
const BRAKE: u64 = 0b11 << 46;

fn table(device: &Path) -> Option<(Vec<u8>, u8, u8)> {
    let table = files::bytes(&device.join("gpu_metrics"))?;
    let (format, content) = (*table.get(2)?, *table.get(3)?);
    Some((table, format, content))
}

/// Whether the accelerator is a part of the processor: such have tables of formats 2 and 3.
pub(super) fn is_part_of_processor(device: &Path) -> Option<bool> {
    let (_, format, _) = table(device)?;
    Some(matches!(format, 2 | 3))
}

/// Why clocks are lowered, where the table has the common numbering.
pub(super) fn throttle(device: &Path) -> Option<Throttle> {
    let (table, format, content) = table(device)?;
    if (format, content) != (1, 3) {
        return None;
    }
    let bytes = table.get(REASONS_AT..REASONS_AT + 8)?;
    let bits = u64::from_le_bytes(bytes.try_into().ok()?);
    // All ones is what a chip without the field reads.
    (bits != u64::MAX).then(|| reasons(bits))
}

fn reasons(bits: u64) -> Throttle {
    [
        (POWER, Throttle::POWER_CAP),
        (CURRENT, Throttle::CURRENT),
        (HEAT, Throttle::THERMAL),
        (BRAKE, Throttle::POWER_BRAKE),
    ]
    .into_iter()
    .filter(|(mask, _)| bits & mask != 0)
    .fold(Throttle::NONE, |found, (_, reason)| found.and(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_our_words() {
        let check =
            |bits: u64, expected: Throttle| assert_eq!(reasons(bits), expected, "{bits:#x}");
        check(0, Throttle::NONE);
        check(1, Throttle::POWER_CAP);
        check(1 << 22, Throttle::CURRENT);
        check(1 << 36, Throttle::THERMAL);
        check(1 << 45, Throttle::THERMAL);
        check(1 << 47, Throttle::POWER_BRAKE);
        check(1 << 56, Throttle::NONE);
    }
}
