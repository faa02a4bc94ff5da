//! Memory technologies.

use crate::unknown::UnknownWord;

/// What an accelerator's or machine's memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryType {
    /// DDR4 modules.
    Ddr4,
    /// DDR5 modules.
    Ddr5,
    /// Multiplexed DDR5 modules.
    Mrdimm,
    /// Soldered LPDDR4X.
    Lpddr4x,
    /// Soldered LPDDR5.
    Lpddr5,
    /// Soldered LPDDR5X.
    Lpddr5x,
    /// Graphics memory, fifth generation.
    Gddr5,
    /// The faster fifth generation.
    Gddr5x,
    /// Graphics memory, sixth generation.
    Gddr6,
    /// The faster sixth generation.
    Gddr6x,
    /// Graphics memory, seventh generation.
    Gddr7,
    /// Stacked memory, second generation.
    Hbm2,
    /// The faster second generation.
    Hbm2e,
    /// Stacked memory, third generation.
    Hbm3,
    /// The faster third generation.
    Hbm3e,
}

const NAMES: [(MemoryType, &str); 15] = [
    (MemoryType::Ddr4, "DDR4"),
    (MemoryType::Ddr5, "DDR5"),
    (MemoryType::Mrdimm, "MRDIMM"),
    (MemoryType::Lpddr4x, "LPDDR4X"),
    (MemoryType::Lpddr5, "LPDDR5"),
    (MemoryType::Lpddr5x, "LPDDR5X"),
    (MemoryType::Gddr5, "GDDR5"),
    (MemoryType::Gddr5x, "GDDR5X"),
    (MemoryType::Gddr6, "GDDR6"),
    (MemoryType::Gddr6x, "GDDR6X"),
    (MemoryType::Gddr7, "GDDR7"),
    (MemoryType::Hbm2, "HBM2"),
    (MemoryType::Hbm2e, "HBM2e"),
    (MemoryType::Hbm3, "HBM3"),
    (MemoryType::Hbm3e, "HBM3e"),
];

impl MemoryType {
    /// The name as the makers write it.
    pub fn name(self) -> &'static str {
        NAMES
            .into_iter()
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }

    /// The type that a name means, whatever its case.
    pub fn parse(name: &str) -> Result<Self, UnknownWord> {
        NAMES
            .into_iter()
            .find(|(_, known)| known.eq_ignore_ascii_case(name.trim()))
            .map(|(kind, _)| kind)
            .ok_or_else(|| UnknownWord::new(name, "memory type", NAMES.map(|(_, known)| known)))
    }

    /// Whether the memory is stacked beside the chip.
    pub fn is_stacked(self) -> bool {
        matches!(self, Self::Hbm2 | Self::Hbm2e | Self::Hbm3 | Self::Hbm3e)
    }
}
