//! Setups that runs are made of: a model on a machine, with the calculator's predictions as speeds.

use tokmark_calculator::Query;
use tokmark_calculator::fit::Calibration;
use tokmark_calculator::report::CellPart;
use tokmark_catalog::{Catalog, Hardware};
use tokmark_run_format::hardware::{Accelerator, Hardware as Machine, MachineClass};
use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::{Timestamp, float};

use super::chance::Chance;
use crate::identity;

/// Setups that are asked for; each takes the calculator a few milliseconds.
const KINDS: usize = 240;
/// Setups that are tried for them: many models do not fit on many machines.
const TRIES: u64 = 6_000;
/// Of the decode matrix.
const CONTEXTS: [u64; 5] = [0, 8_192, 16_384, 32_768, 65_536];
const REQUESTS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Seconds of a window.
const WINDOW_S: f64 = 30.0;
/// The first run is from 2025-11-01; the others follow within a year.
const FIRST_MS: i64 = 1_761_955_200_000;
const YEAR_MS: f64 = 365.0 * 86_400_000.0;
/// Names without a person.
const SENDERS: u64 = 400;
/// What every such run says of itself.
const NOTE: &str = "Seeded data: made by `tokmark site seed` from the calculator's predictions with \
                    noise. Nothing was measured.";

const QUANTIZATIONS: [(&str, &str, &[&str]); 6] = [
    ("AWQ", "vllm", &["0.11.0", "0.12.0", "0.13.0"]),
    ("Q4_K_M", "llamacpp", &["b6700", "b6900", "b7100"]),
    ("FP8", "sglang", &["0.5.3", "0.5.5"]),
    ("BF16", "vllm", &["0.11.0", "0.12.0", "0.13.0"]),
    ("Q8_0", "llamacpp", &["b6700", "b6900", "b7100"]),
    ("AWQ", "sglang", &["0.5.3", "0.5.5"]),
];
const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// The setups.
#[derive(Debug)]
pub(super) struct Kinds {
    seed: u64,
    all: Vec<Kind>,
}

/// A run without noise, and the versions of its engine.
#[derive(Debug)]
struct Kind {
    run: RunDocument,
    versions: &'static [&'static str],
}

impl Kinds {
    /// Asks the calculator for setups until there are enough.
    pub(super) fn new(catalog: &Catalog, calibrations: &[Calibration], seed: u64) -> Self {
        let kind = |number| {
            let mut chance = Chance::of(seed, u64::MAX - number);
            Kind::of(catalog, calibrations, &mut chance)
        };
        let all = (0..TRIES).filter_map(kind).take(KINDS).collect();
        Self { seed, all }
    }

    /// A run by its number, and when it was received.
    pub(super) fn run(&self, number: u32) -> (RunDocument, Timestamp) {
        let mut chance = Chance::of(self.seed, u64::from(number));
        let id: Vec<u8> = [chance.next(), chance.next()]
            .into_iter()
            .flat_map(u64::to_be_bytes)
            .collect();
        let id = data_encoding::BASE32_DNSSEC.encode(&id);
        let picked = chance.pick(&self.all);
        let mut run = match picked {
            Some(kind) => kind.run.clone(),
            None => RunDocument::new(String::new(), identity::tool()),
        };
        run.id = id;
        if let Some(version) = picked.and_then(|kind| chance.pick(kind.versions)) {
            run.engine.version = Some((*version).to_owned());
        }
        run.submitted_by = Some(format!("seed-{}", chance.next() % SENDERS));
        let into_year = i64::try_from(float::round_to_u64(chance.share() * YEAR_MS)).unwrap_or(0);
        let started = moment(FIRST_MS + into_year);
        run.started_at = Some(started.to_string());
        vary(&mut run, &mut chance);
        (run, started)
    }
}

fn moment(ms: i64) -> Timestamp {
    Timestamp::from_unix_millis(ms).unwrap_or_else(identity::now)
}

/// The whole run is a little faster or slower, and each cell on top of that.
fn vary(run: &mut RunDocument, chance: &mut Chance) {
    let whole = chance.near_one(0.06);
    for cell in &mut run.decode {
        let Some(rate) = cell.total_tokens_per_s else {
            continue;
        };
        let rate = rate * whole * chance.near_one(0.01);
        let half = rate * (0.002 + 0.01 * chance.share());
        let active = f64::from(cell.requests);
        cell.total_tokens_per_s = Some(rate);
        cell.per_request_tokens_per_s = Some(rate / active);
        cell.time_between_tokens_ms = Some(1_000.0 * active / rate);
        cell.ttft_ms = cell.ttft_ms.map(|ms| ms * chance.near_one(0.05));
        cell.output_tokens = Some(float::round_to_u64(rate * WINDOW_S));
        cell.ci95_low = Some(rate - half);
        cell.ci95_high = Some(rate + half);
    }
    for row in &mut run.prefill {
        let factor = whole * chance.near_one(0.02);
        row.prompt_tokens_per_s = row.prompt_tokens_per_s.map(|rate| rate * factor);
        row.ttft_ms = row.ttft_ms.map(|ms| ms / factor);
    }
}

impl Kind {
    /// A model on a machine, where the calculator can say something and the first cell fits.
    fn of(catalog: &Catalog, calibrations: &[Calibration], chance: &mut Chance) -> Option<Self> {
        let model = chance.pick(catalog.models())?;
        let hardware = chance.pick(catalog.hardware())?;
        let (quantization, engine, versions) = chance.pick(&QUANTIZATIONS)?;
        let count = *chance.pick(&COUNTS)?;
        let query = Query {
            model: model.id.clone(),
            quantization: Some((*quantization).to_owned()),
            hardware: hardware.id.clone(),
            engine: Some((*engine).to_owned()),
            contexts: CONTEXTS.to_vec(),
            requests: REQUESTS.to_vec(),
            tensor_parallel: Some(count),
            ..Query::default()
        };
        let report = query.resolve(catalog, None).ok()?.answer(calibrations);
        let first = report.cells.first()?;
        if first.fit == "does_not_fit" {
            return None;
        }
        let mut run = RunDocument::new(String::new(), identity::tool());
        run.complete = true;
        run.note = Some(NOTE.to_owned());
        run.hardware = machine(hardware, count)?;
        model.name().clone_into(&mut run.model.name);
        model.id.clone_into(&mut run.model.served_name);
        run.model.repository = Some(model.id.clone());
        (*engine).clone_into(&mut run.engine.name);
        run.engine.quantization = Some((*quantization).to_owned());
        run.engine.backend = Some("simulation".to_owned());
        run.decode = (report.cells.iter())
            .map(|part| cell(part, model.max_context_tokens))
            .collect();
        let alone = report.cells.iter().filter(|cell| cell.requests == 1);
        run.prefill = alone.filter_map(prefill).collect();
        Some(Self { run, versions })
    }
}

/// Called simulated in its name and its class, since nothing was measured on it.
fn machine(hardware: &Hardware, count: u32) -> Option<Machine> {
    let gib = hardware.memory_gib?;
    let name = hardware.full_name();
    let times = if count > 1 {
        format!("{count}x ")
    } else {
        String::new()
    };
    Some(Machine {
        class: MachineClass::Simulated,
        name: Some(format!("simulated {times}{name}")),
        accelerators: vec![Accelerator {
            name: format!("simulated {name}"),
            count,
            memory_bytes: Some(float::round_to_u64(gib * float::from_u64(1 << 30))),
            ..Accelerator::default()
        }],
        source: Some("seeded".to_owned()),
        ..Machine::default()
    })
}

fn cell(part: &CellPart, longest: u64) -> DecodeCell {
    let fits = part.fit != "does_not_fit";
    let (status, reason) = if part.context >= longest {
        (CellStatus::OverLength, Some("the model is shorter"))
    } else if fits {
        (CellStatus::Valid, None)
    } else {
        let reason = "the calculator says that it does not fit";
        (CellStatus::OverCapacity, Some(reason))
    };
    let fits = status == CellStatus::Valid;
    let reason = reason.map(str::to_owned);
    let mut cell = DecodeCell::without_numbers(part.context, part.requests, status, reason);
    if fits {
        cell.total_tokens_per_s = Some(part.total_tokens_per_s.median);
        cell.ttft_ms = Some(part.warm_ttft_ms);
        cell.average_active_requests = Some(f64::from(part.requests));
        cell.measured_s = Some(WINDOW_S);
        cell.prompt_tokens = Some(part.context);
    }
    cell
}

fn prefill(part: &CellPart) -> Option<PrefillRow> {
    let rate = part.prompt_tokens_per_s.as_ref()?.median;
    if part.context == 0 || part.fit == "does_not_fit" {
        return None;
    }
    let mut row = PrefillRow::without_samples(part.context, PrefillStatus::Valid, None);
    row.completed_requests = 1;
    row.prompt_tokens = Some(part.context);
    row.prompt_tokens_per_s = Some(rate);
    row.ttft_ms = part.cold_ttft_ms.as_ref().map(|cold| cold.median);
    Some(row)
}

#[cfg(test)]
mod tests {
    use tokmark_calculator::stored;
    use tokmark_site_store::PreparedRun;

    use super::*;

    #[test]
    fn seeded_runs_say_what_they_are_and_are_the_same_again() {
        let catalog = Catalog::bundled().unwrap();
        let calibrations = stored::bundled().unwrap();
        let kinds = Kinds::new(&catalog, &calibrations, 7);
        assert!(kinds.all.len() > 60, "{} setups", kinds.all.len());
        for number in 0..50 {
            let (run, at) = kinds.run(number);
            assert_eq!(run, kinds.run(number).0);
            assert_eq!(run.hardware.class, MachineClass::Simulated);
            assert!(
                run.hardware
                    .name
                    .as_deref()
                    .unwrap()
                    .starts_with("simulated ")
            );
            assert_eq!(run.note.as_deref(), Some(NOTE));
            assert!(run.submitted_by.as_deref().unwrap().starts_with("seed-"));
            let first = &run.decode[0];
            assert_eq!((first.context, first.requests), (0, 1));
            let rate = first.total_tokens_per_s.unwrap();
            assert!(
                rate > 0.1 && rate < 5_000.0,
                "{rate} on {:?}",
                run.hardware.name
            );
            assert_eq!(run.decode.len() % REQUESTS.len(), 0);
            PreparedRun::made(run, at).unwrap();
        }
        assert_ne!(kinds.run(1).0.id, kinds.run(2).0.id);
    }
}
