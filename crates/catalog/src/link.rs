//! How an accelerator is connected to its neighbours or its host.

use std::fmt;

use tokmark_units::float;

use crate::unknown::UnknownWord;

/// A connection, as the catalog's files name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// A PCI Express slot, for example `PCIe 4.0 x16`.
    Pcie {
        /// Generation, 1 to 6.
        generation: u8,
        /// Lanes.
        lanes: u8,
    },
    /// NVIDIA's mezzanine socket of this generation, with `NVLink` between the modules.
    Sxm(u8),
    /// `NVLink` between chips on one board, as in Grace Hopper.
    NvlinkC2c,
    /// The open accelerator module.
    Oam,
    /// A processor's socket, for accelerators that are one package with their processor.
    Socket,
}

impl Link {
    /// The link that a text such as `PCIe 4.0 x16`, `SXM5`, `NVLink-C2C`, `OAM` or
    /// `APU socket SH5` means.
    pub fn parse(text: &str) -> Result<Self, UnknownWord> {
        let unknown = || UnknownWord::new(text, "link", ["PCIe 4.0 x16", "SXM5", "OAM"]);
        if let Some(rest) = text.strip_prefix("PCIe ") {
            let (generation, lanes) = rest.split_once(" x").ok_or_else(unknown)?;
            let generation = generation.strip_suffix(".0").unwrap_or(generation);
            return Ok(Self::Pcie {
                generation: generation.parse().map_err(|_| unknown())?,
                lanes: lanes.parse().map_err(|_| unknown())?,
            });
        }
        if let Some(generation) = text.strip_prefix("SXM") {
            return generation.parse().map(Self::Sxm).map_err(|_| unknown());
        }
        match text {
            "NVLink-C2C" => Ok(Self::NvlinkC2c),
            "OAM" => Ok(Self::Oam),
            "APU socket SH5" => Ok(Self::Socket),
            _ => Err(unknown()),
        }
    }

    /// GB/s (10^9 bytes a second) in one direction, where it is fixed by the standard.
    ///
    /// PCI Express: transfers a second x lanes x code efficiency / 8 (8 bits in 10 for generations 1
    /// and 2, 128 in 130 for 3 to 5; generation 6 counts flits of 242 in 256 bytes). `NVLink`: half of
    /// the makers' two-way figure a GPU (SXM2 300, SXM3 300, SXM4 600, SXM5 900, SXM6 1,800, C2C 900).
    pub fn gb_per_s(self) -> Option<f64> {
        match self {
            Self::Pcie { generation, lanes } => {
                let lane = match generation {
                    1 => 0.25,
                    2 => 0.5,
                    3 => 8.0 * 128.0 / 130.0 / 8.0,
                    4 => 16.0 * 128.0 / 130.0 / 8.0,
                    5 => 32.0 * 128.0 / 130.0 / 8.0,
                    6 => 64.0 * 242.0 / 256.0 / 8.0,
                    _ => return None,
                };
                Some(lane * float::from_u64(lanes.into()))
            }
            Self::Sxm(2 | 3) => Some(150.0),
            Self::Sxm(4) => Some(300.0),
            Self::Sxm(5) | Self::NvlinkC2c => Some(450.0),
            Self::Sxm(6) => Some(900.0),
            Self::Sxm(_) | Self::Oam | Self::Socket => None,
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pcie { generation, lanes } => write!(out, "PCIe {generation}.0 x{lanes}"),
            Self::Sxm(generation) => write!(out, "SXM{generation}"),
            Self::NvlinkC2c => out.write_str("NVLink-C2C"),
            Self::Oam => out.write_str("OAM"),
            Self::Socket => out.write_str("APU socket SH5"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<f64>) {
        let link = Link::parse(text).unwrap();
        assert_eq!(link.to_string(), text);
        let given = link.gb_per_s();
        assert_eq!(
            given.map(|rate| (rate * 10.0).round() / 10.0),
            expect,
            "{text}"
        );
    }

    #[test]
    fn links_have_the_rate_of_their_standard() {
        check("PCIe 1.0 x4", Some(1.0));
        check("PCIe 3.0 x16", Some(15.8));
        check("PCIe 4.0 x16", Some(31.5));
        check("PCIe 5.0 x8", Some(31.5));
        check("SXM4", Some(300.0));
        check("OAM", None);
        check("APU socket SH5", None);
    }

    #[test]
    fn an_unknown_link_is_an_error_with_a_proposal() {
        let error = Link::parse("PCIe 4.0 x1z").unwrap_err();
        assert_eq!(error.nearest, None.or(Some("PCIe 4.0 x16")));
        assert!(Link::parse("SXMX").is_err());
    }
}
