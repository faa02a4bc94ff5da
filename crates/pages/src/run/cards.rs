//! The cards with facts about machine, engine and run.

use tokmark_run_format::{Accelerator, CapacityRule, Hardware, RunDocument};
use tokmark_units::format;

use super::head::minute;
use crate::roofline;
use crate::words;
use crate::words::label::fact;

/// A card.
pub(crate) struct Card {
    pub(crate) title: &'static str,
    pub(crate) facts: Vec<Fact>,
}

/// A fact: label and value; a dash stands where a value does not exist.
pub(crate) struct Fact {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// The facts of a card, one after another.
#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    /// A fact that every run should have: without a value it shows a dash.
    fn wanted(self, label: &'static str, value: Option<impl Into<String>>) -> Self {
        let value = value.map(Into::into).filter(|text| !text.is_empty());
        self.with(label, value.unwrap_or_else(|| format::DASH.to_owned()))
    }

    /// A fact that is only shown where it is known.
    fn extra(self, label: &'static str, value: Option<impl Into<String>>) -> Self {
        match value.map(Into::into).filter(|text| !text.is_empty()) {
            Some(value) => self.with(label, value),
            None => self,
        }
    }

    fn with(mut self, label: &'static str, value: String) -> Self {
        self.0.push(Fact { label, value });
        self
    }
}

/// The cards of a run.
pub(crate) fn of(run: &RunDocument) -> Vec<Card> {
    let card = |title, facts: Facts| Card {
        title,
        facts: facts.0,
    };
    vec![
        card(
            words::HARDWARE,
            hardware(&run.hardware).extra(fact::ROOFLINE, roofline::machine(run)),
        ),
        card(words::ENGINE, engine(run)),
        card(words::RUN, run_facts(run)),
    ]
}

fn hardware(hardware: &Hardware) -> Facts {
    let all = |show: fn(&Accelerator) -> Option<String>| {
        let parts: Vec<String> = hardware.accelerators.iter().filter_map(show).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let memory = memory(hardware.memory_text.as_deref(), hardware.memory_bytes);
    Facts::default()
        .wanted(fact::TYPE, Some(hardware.class.label()))
        .wanted(fact::GPU, all(|accelerator| Some(named(accelerator))))
        .wanted(fact::VRAM, all(accelerator_memory))
        .extra(fact::NOT_USED, unused(hardware))
        .wanted(fact::CPU, cpu(hardware))
        .wanted(fact::RAM, memory)
        .wanted(fact::OS, hardware.os.as_deref())
        .extra(fact::DRIVER, hardware.driver.as_deref())
        .extra(fact::FACTS, hardware.source.as_deref())
}

/// The machine's accelerators that the server left alone.
fn unused(hardware: &Hardware) -> Option<String> {
    let names: Vec<String> = hardware.unused_accelerators.iter().map(named).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn named(accelerator: &Accelerator) -> String {
    let name = &accelerator.name;
    match accelerator.count {
        0 | 1 => name.clone(),
        count => format!("{count} × {name}"),
    }
}

fn accelerator_memory(accelerator: &Accelerator) -> Option<String> {
    let one = memory(accelerator.memory_text.as_deref(), accelerator.memory_bytes)?;
    Some(match accelerator.count {
        0 | 1 => one,
        count => format!("{count} × {one}"),
    })
}

/// The memory as its source wrote it, else in binary units.
fn memory(text: Option<&str>, bytes: Option<u64>) -> Option<String> {
    text.map(str::to_owned).or_else(|| bytes.map(format::bytes))
}

/// The processor with its cores, unless its name tells them.
fn cpu(hardware: &Hardware) -> Option<String> {
    let name = hardware.cpu.clone()?;
    Some(match hardware.cpu_cores {
        Some(cores) if !name.contains(&format!("({cores}C)")) => format!("{name} ({cores}C)"),
        _ => name,
    })
}

fn engine(run: &RunDocument) -> Facts {
    let engine = &run.engine;
    let most = engine.max_sequences.map(|n| format::count(u64::from(n)));
    Facts::default()
        .wanted(fact::ENGINE, Some(engine.name.as_str()))
        .wanted(fact::VERSION, engine.version.as_deref())
        .wanted(fact::QUANTIZATION, engine.quantization.as_deref())
        .wanted(fact::BACKEND, engine.backend.as_deref())
        .wanted(fact::BUILD, engine.build.as_deref())
        .extra(fact::KV_CACHE_TYPE, engine.kv_type.as_deref())
        .extra(fact::LONGEST_REQUEST, engine.max_length.map(words::tokens))
        .extra(fact::MOST_REQUESTS_AT_ONCE, most)
        .extra(fact::PREFIX_CACHE, engine.prefix_cache.map(words::on_off))
        .extra(fact::WEIGHTS_AND_CACHE, roofline::model(run))
}

fn run_facts(run: &RunDocument) -> Facts {
    let plan = &run.plan;
    // What another tool's file cannot say is not shown as if it had been chosen.
    let ours = run.source.is_none();
    let ruled = ours || plan.capacity != CapacityRule::Try;
    let capacity = ruled.then(|| words::capacity(plan.capacity));
    let window = (plan.window_s > 0.0).then(|| window(plan.window_s));
    let output = (plan.max_output_tokens > 0).then(|| words::tokens(plan.max_output_tokens));
    let budget = run.engine.kv_budget.as_ref();
    let budget = budget.map(|b| words::budget(b.tokens, b.ranks, &b.source));
    let prompts = words::prompts(&plan.prompts, plan.shared_context);
    let short = run.fixed_ttft_ms.map(format::gap_ms);
    Facts::default()
        .wanted(fact::SERVED_MODEL, Some(run.model.served_name.as_str()))
        .extra(fact::REPOSITORY, run.model.repository.as_deref())
        .extra(fact::FILE, run.model.file.as_deref())
        .extra(fact::WEIGHTS, run.model.weights_hash.as_deref())
        .wanted(fact::REVISION, run.model.revision.as_deref())
        .wanted(
            fact::DECODE_TEST,
            Some(words::decode_test(&plan.decode_test)),
        )
        .wanted(fact::PREFILL_MODE, Some(plan.prefill.label()))
        .wanted(fact::TIME_PER_MEASUREMENT, window)
        .wanted(fact::MAX_OUTPUT, output)
        .wanted(fact::CAPACITY_RULE, capacity)
        .wanted(fact::PROFILE, ours.then(|| plan.profile.as_str()))
        .wanted(fact::ENDPOINT, Some(plan.endpoint.as_str()))
        .wanted(fact::PROMPTS, prompts)
        .wanted(fact::SEED, ours.then(|| plan.seed.to_string()))
        .wanted(fact::KV_BUDGET, budget)
        .wanted(
            fact::ADMISSION_LIMIT,
            run.admission_limit.map(words::admission),
        )
        .extra(fact::TTFT_OF_A_SHORT_PROMPT, short)
        .extra(fact::STARTED, run.started_at.as_deref().map(minute))
        .extra(fact::ENDED, run.finished_at.as_deref().map(minute))
}

/// `30 s`, `2.5 s`.
fn window(seconds: f64) -> String {
    let decimals = usize::from((seconds - seconds.round()).abs() > 1e-9);
    format!("{} s", format::decimal(seconds, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_no_needless_decimals() {
        assert_eq!(window(30.0), "30 s");
        assert_eq!(window(2.5), "2.5 s");
    }

    #[test]
    fn cores_are_told_once() {
        let check = |name: &str, cores: Option<u32>, expect: &str| {
            let hardware = Hardware {
                cpu: Some(name.to_owned()),
                cpu_cores: cores,
                ..Hardware::default()
            };
            assert_eq!(cpu(&hardware).as_deref(), Some(expect));
        };
        check("Some CPU", Some(8), "Some CPU (8C)");
        check("Some CPU (8C)", Some(8), "Some CPU (8C)");
        check("Some CPU", None, "Some CPU");
    }
}
