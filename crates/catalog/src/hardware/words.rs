//! What of a hardware name says which hardware it is, and what does not.

use crate::matching::runs;

/// Words that every name may carry without meaning anything else by it.
const SILENT: [&str; 27] = [
    "r",
    "tm",
    "c",
    "gpu",
    "gpus",
    "graphics",
    "card",
    "cards",
    "accelerator",
    "processor",
    "cpu",
    "cpus",
    "with",
    "w",
    "inc",
    "corporation",
    "corp",
    "edition",
    "generation",
    "series",
    "desktop",
    "oem",
    "rev",
    "the",
    "vga",
    "controller",
    "apu",
];

/// Words that a maker's own names may carry.
const MAKERS: [(&str, &[&str]); 6] = [
    ("NVIDIA", &["nvidia", "geforce", "tesla"]),
    (
        "AMD",
        &[
            "amd", "ati", "radeon", "instinct", "advanced", "micro", "devices",
        ],
    ),
    ("Intel", &["intel"]),
    ("Apple", &["apple"]),
    ("Qualcomm", &["qualcomm", "oryon"]),
    ("Ampere", &["ampere"]),
];

/// Words of a series: a name may leave them out, but not have another series' (`GTX 4090`).
const SERIES: [&str; 9] = [
    "rtx",
    "gtx",
    "rx",
    "arc",
    "core",
    "xeon",
    "data",
    "center",
    "blackwell",
];

/// Words for how a card is mounted. A name may leave them out.
const MOUNTS: [&str; 3] = ["pcie", "sxm", "oam"];

/// Words that mean another word.
const SAME: [(&str, &str); 3] = [
    ("mobile", "laptop"),
    ("notebook", "laptop"),
    ("gen", "generation"),
];

/// A name taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Words {
    /// Runs of letters and digits that say which hardware it is, in order.
    pub(super) said: Vec<String>,
    /// Memory that the name states, in GiB.
    pub(super) memory_gib: Option<f64>,
}

/// Takes a name as somebody wrote it apart.
pub(super) fn of_name(name: &str) -> Words {
    let name = without_renderer(name);
    let mut words = Words::default();
    let runs: Vec<String> = runs(&name).into_iter().map(same).collect();
    let mut rest = without_count(&runs);
    while let Some((run, after)) = rest.split_first() {
        // In `A10G` the letter belongs to the name.
        let after_letter = words
            .said
            .last()
            .is_some_and(|last| last.len() == 1 && !last.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((gib, used)) = memory(rest).filter(|_| !after_letter) {
            words.memory_gib = words.memory_gib.or(Some(gib));
            rest = rest.get(used..).unwrap_or_default();
            continue;
        }
        if let Some(used) = cores_of_a_processor(rest) {
            rest = rest.get(used..).unwrap_or_default();
            continue;
        }
        if !SILENT.contains(&run.as_str()) {
            words.said.push(run.clone());
        }
        rest = after;
    }
    words
}

fn same(run: String) -> String {
    let other = SAME.iter().find(|(word, _)| *word == run);
    other.map_or(run, |(_, meant)| (*meant).to_owned())
}

/// `2x A100` and `8 x H100` are an A100 and an H100.
fn without_count(runs: &[String]) -> &[String] {
    match runs {
        [count, times, rest @ ..]
            if times == "x" && !rest.is_empty() && count.parse::<u16>().is_ok_and(|n| n <= 64) =>
        {
            rest
        }
        _ => runs,
    }
}

/// The size and the runs used, where a size of memory stands at the front.
fn memory(runs: &[String]) -> Option<(f64, usize)> {
    let [size, unit, ..] = runs else {
        return None;
    };
    let size: f64 = size.parse().ok()?;
    match unit.as_str() {
        "gb" | "gib" | "g" => Some((size, 2)),
        "mb" | "mib" => Some((size / 1024.0, 2)),
        _ => None,
    }
}

/// `16-core CPU`, `12-Core Processor`, `13th Gen` say nothing of the accelerator.
fn cores_of_a_processor(runs: &[String]) -> Option<usize> {
    let [count, second, third, ..] = runs else {
        return None;
    };
    count.parse::<u32>().ok()?;
    let cores = matches!(second.as_str(), "core" | "cores" | "c")
        && matches!(third.as_str(), "cpu" | "processor" | "processors");
    let generation = second == "th" && third == "generation";
    (cores || generation).then_some(3)
}

/// Leaves out what drivers add: `(RADV NAVI31)`, `(rev a1)`, `/PCIe/SSE2`, `@ 3.20GHz`.
fn without_renderer(name: &str) -> String {
    let name = name.split(" @ ").next().unwrap_or_default();
    let name = name.strip_suffix("/PCIe/SSE2").unwrap_or(name);
    let mut kept = String::new();
    let mut rest = name;
    while let Some((before, inside)) = rest.split_once('(') {
        kept.push_str(before);
        let (inside, after) = inside.split_once(')').unwrap_or((inside, ""));
        let first = runs(inside).into_iter().next().unwrap_or_default();
        let silent = ["radv", "rev", "llvm", "dg", "bmg", "acm", "per"].contains(&first.as_str());
        if !silent {
            kept.push(' ');
            kept.push_str(inside);
        }
        kept.push(' ');
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// The names inside an `lspci` line: `GA102 [GeForce RTX 3090] [10de:2204]` holds one, and
/// `Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]` holds three that share a number.
pub(super) fn alternatives(name: &str) -> Vec<String> {
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == ':');
    let brackets = name.rsplit('[').filter_map(|rest| rest.split_once(']'));
    let inside = brackets
        .map(|(inside, _)| inside)
        .find(|inside| !is_number(inside));
    match inside {
        Some(inside) => inside
            .split('/')
            .map(|part| part.trim().to_owned())
            .collect(),
        None => vec![name.to_owned()],
    }
}

/// The words of a row, by what a name has to say to mean it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct RowWords {
    /// Words that a name must have.
    needed: Vec<String>,
    /// Words that it may have.
    allowed: Vec<String>,
    /// Those of them that stand in brackets behind the name, and say something of it.
    bracketed: Vec<String>,
}

impl RowWords {
    /// Of a row's name: what stands in brackets, mounts, memory and the maker's words are allowed,
    /// all else is needed.
    pub(super) fn of_row(vendor: &str, name: &str, extra: &[&str]) -> Self {
        let (plain, bracketed) = name.split_once('(').unwrap_or((name, ""));
        let maker = MAKERS.iter().find(|(maker, _)| *maker == vendor);
        let own: &[&str] = maker.map_or(&[], |(_, words)| words);
        let mut words = Self::default();
        let said = of_name(plain).said;
        let mut place = said.iter().peekable();
        while let Some(run) = place.next() {
            let mount = MOUNTS.contains(&run.as_str());
            let series = SERIES.contains(&run.as_str());
            if mount || series || own.contains(&run.as_str()) {
                words.allowed.push(run.clone());
            } else {
                words.needed.push(run.clone());
            }
            // The generation of a mount belongs to it: `SXM4`.
            if mount && place.peek().is_some_and(|next| next.len() == 1) {
                words.allowed.extend(place.next().cloned());
            }
        }
        words
            .allowed
            .extend(own.iter().map(|word| (*word).to_owned()));
        words.bracketed.extend(of_name(bracketed).said);
        words.allowed.extend(runs(vendor));
        words
            .allowed
            .extend(extra.iter().flat_map(|text| runs(text)));
        words
    }

    /// Whether a name's words mean this row: it says all that is needed, and nothing else.
    pub(super) fn are_meant_by(&self, said: &[String]) -> bool {
        self.needed.iter().all(|word| said.contains(word)) && self.explain(said)
    }

    /// Whether everything that a name says is said of this row, and something is.
    pub(super) fn explain(&self, said: &[String]) -> bool {
        let speaks = |word: &String| self.needed.contains(word) || self.bracketed.contains(word);
        let known = |word: &String| speaks(word) || self.allowed.contains(word);
        said.iter().all(known) && said.iter().any(speaks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, said: &[&str], memory_gib: Option<f64>) {
        let words = of_name(name);
        assert_eq!(words.said, said, "{name}");
        assert_eq!(words.memory_gib, memory_gib, "{name}");
    }

    #[test]
    fn names_lose_what_says_nothing() {
        check(
            "NVIDIA GeForce RTX 3090",
            &["nvidia", "geforce", "rtx", "3090"],
            None,
        );
        check("4x RTX 3060 12GB", &["rtx", "3060"], Some(12.0));
        check("RTX 4090 Mobile", &["rtx", "4090", "laptop"], None);
        check("A40 (49140 MiB)", &["a", "40"], Some(49140.0 / 1024.0));
        check(
            "AMD Radeon RX 7900 XTX (RADV NAVI31)",
            &["amd", "radeon", "rx", "7900", "xtx"],
            None,
        );
        check(
            "AMD Ryzen 9 7900X 12-Core Processor",
            &["amd", "ryzen", "9", "7900", "x"],
            None,
        );
        check(
            "13th Gen Intel(R) Core(TM) i9-14900K CPU @ 3.20GHz",
            &["intel", "core", "i", "9", "14900", "k"],
            None,
        );
        check(
            "Apple M4 Max 16-core CPU / 40-core GPU",
            &["apple", "m", "4", "max", "40", "core"],
            None,
        );
        check(
            "NVIDIA GeForce RTX 3090/PCIe/SSE2",
            &["nvidia", "geforce", "rtx", "3090"],
            None,
        );
    }

    #[test]
    fn a_bus_line_holds_one_or_several_names() {
        for line in [
            "GA102 [GeForce RTX 3090] (rev a1)",
            "VGA compatible controller [0300]: NVIDIA GA102 [GeForce RTX 3090] [10de:2204]",
        ] {
            assert_eq!(alternatives(line), ["GeForce RTX 3090"]);
        }
        assert_eq!(
            alternatives("Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]"),
            ["Radeon RX 7900 XT", "7900 XTX", "7900M"]
        );
        assert_eq!(alternatives("RTX 3090"), ["RTX 3090"]);
    }
}
