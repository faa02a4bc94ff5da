//! The shape of a hardware file, and its rows.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::hardware::{Hardware, HardwareKind, Rates, Sources};
use crate::link::Link;
use crate::memory::MemoryType;

use super::{DataError, Place, parse};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    hardware: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    vendor: String,
    name: String,
    kind: Kind,
    architecture: String,
    year: u16,
    memory_gib: Option<f64>,
    #[serde(default)]
    memory_options_gib: Vec<f64>,
    memory_type: String,
    bandwidth_gb_per_s: f64,
    fp16_tflops: Option<f64>,
    fp16_accumulate_tflops: Option<f64>,
    fp8_tflops: Option<f64>,
    int8_tops: Option<f64>,
    fp4_tflops: Option<f64>,
    tdp_w: Option<f64>,
    link: Option<String>,
    msrp_usd: Option<f64>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    patterns: Vec<String>,
    sources: Keys,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Kind {
    DiscreteGpu,
    UnifiedMemory,
    Cpu,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    memory: String,
    rates: Option<String>,
    power: Option<String>,
    price: Option<String>,
}

pub(super) fn read(
    file: &'static str,
    text: &str,
    sources: &BTreeMap<String, String>,
) -> Result<Vec<Hardware>, DataError> {
    let rows: File = parse(file, text)?;
    rows.hardware
        .into_iter()
        .map(|row| row.check(file, sources))
        .collect()
}

impl Row {
    fn check(
        self,
        file: &'static str,
        texts: &BTreeMap<String, String>,
    ) -> Result<Hardware, DataError> {
        let place = Place {
            file,
            row: &self.id,
        };
        let memory_type =
            MemoryType::parse(&self.memory_type).map_err(|cause| place.word(cause))?;
        let link = self.link.as_deref().map(Link::parse).transpose();
        let link = link.map_err(|cause| place.word(cause))?;
        let sources = self.sources(place, texts)?;
        self.check_figures(place)?;
        Ok(Hardware {
            kind: match self.kind {
                Kind::DiscreteGpu => HardwareKind::DiscreteGpu,
                Kind::UnifiedMemory => HardwareKind::UnifiedMemory,
                Kind::Cpu => HardwareKind::Cpu,
            },
            rates: self.rates(),
            id: self.id,
            vendor: self.vendor,
            name: self.name,
            architecture: self.architecture,
            year: self.year,
            memory_gib: self.memory_gib,
            memory_options_gib: self.memory_options_gib,
            memory_type,
            bandwidth_gb_per_s: self.bandwidth_gb_per_s,
            tdp_w: self.tdp_w,
            link,
            msrp_usd: self.msrp_usd,
            aliases: self.aliases,
            patterns: self.patterns,
            sources,
        })
    }

    fn rates(&self) -> Rates {
        Rates {
            fp16_tflops: self.fp16_tflops,
            fp16_accumulate_tflops: self.fp16_accumulate_tflops,
            fp8_tflops: self.fp8_tflops,
            int8_tops: self.int8_tops,
            fp4_tflops: self.fp4_tflops,
        }
    }

    /// Every figure has a source, and every source a figure.
    fn sources(
        &self,
        place: Place<'_>,
        texts: &BTreeMap<String, String>,
    ) -> Result<Sources, DataError> {
        let text = |key: &String| {
            let unknown = || place.wrong(format!("`{key}` is no key of sources.toml"));
            texts.get(key).cloned().ok_or_else(unknown)
        };
        let group = |what: &str, key: Option<&String>, given: bool| match (key, given) {
            (Some(key), true) => text(key).map(Some),
            (None, false) => Ok(None),
            (Some(_), false) => Err(place.wrong(format!("a source but no figure for {what}"))),
            (None, true) => Err(place.wrong(format!("no source for {what}"))),
        };
        let any_rate = self
            .figures()
            .skip(2)
            .take(5)
            .any(|figure| figure.is_some());
        Ok(Sources {
            memory: text(&self.sources.memory)?,
            rates: group("rates", self.sources.rates.as_ref(), any_rate)?,
            power: group("power", self.sources.power.as_ref(), self.tdp_w.is_some())?,
            price: group(
                "the price",
                self.sources.price.as_ref(),
                self.msrp_usd.is_some(),
            )?,
        })
    }

    /// Bandwidth, memory, the five rates, power, price.
    fn figures(&self) -> impl Iterator<Item = Option<f64>> {
        [
            Some(self.bandwidth_gb_per_s),
            self.memory_gib,
            self.fp16_tflops,
            self.fp16_accumulate_tflops,
            self.fp8_tflops,
            self.int8_tops,
            self.fp4_tflops,
            self.tdp_w,
            self.msrp_usd,
        ]
        .into_iter()
    }

    fn check_figures(&self, place: Place<'_>) -> Result<(), DataError> {
        let options = self.memory_options_gib.iter().copied().map(Some);
        let all = self.figures().chain(options).flatten();
        for figure in all {
            if !(figure.is_finite() && figure > 0.0) {
                return Err(place.wrong(format!("`{figure}` is not above zero")));
            }
        }
        let needs_memory = !matches!(self.kind, Kind::Cpu);
        if needs_memory && self.memory_gib.is_none() {
            return Err(place.wrong("an accelerator without memory"));
        }
        let largest = self.memory_options_gib.iter().copied().reduce(f64::max);
        if largest.is_some() && largest != self.memory_gib {
            return Err(place.wrong("`memory_gib` is not the largest of its options"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
[[hardware]]
id = "a"
vendor = "V"
name = "A"
kind = "discrete_gpu"
architecture = "X"
year = 2024
memory_gib = 24
memory_type = "GDDR6"
bandwidth_gb_per_s = 900
tdp_w = 300
sources = { memory = "s", power = "s" }
"#;

    fn check(from: &str, to: &str, expect: &str) {
        let texts = BTreeMap::from([("s".to_owned(), "S".to_owned())]);
        let text = GOOD.replace(from, to);
        assert!(from.is_empty() || text != GOOD, "{from}");
        let error = read("f", &text, &texts).unwrap_err();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn a_row_that_contradicts_itself_is_refused() {
        let texts = BTreeMap::from([("s".to_owned(), "S".to_owned())]);
        assert_eq!(read("f", GOOD, &texts).unwrap().len(), 1);
        check("= 24\n", "= 0\n", "`a` in `f`: `0` is not above zero");
        check(
            "memory_gib = 24\n",
            "",
            "`a` in `f`: an accelerator without memory",
        );
        check(
            "tdp_w = 300\n",
            "",
            "`a` in `f`: a source but no figure for power",
        );
        check(", power = \"s\"", "", "`a` in `f`: no source for power");
        check(
            "{ memory = \"s\"",
            "{ memory = \"t\"",
            "`a` in `f`: `t` is no key of sources.toml",
        );
        check("GDDR6", "GDDR9", "`a` in `f`");
        check("year = 2024", "colour = 1", "`f` cannot be read");
        check(
            "= 24\n",
            "= 24\nmemory_options_gib = [12]\n",
            "`a` in `f`: `memory_gib` is not the largest of its options",
        );
    }
}
