//! The page's cards.

use tokmark_run_format::{
    Accelerator, CapacityRule, MachineClass, PrefillMode, Profile, RunDocument,
};

use super::shape::Page;
use crate::error::ImportError;
use crate::{figure, launch, redact};

/// Hardware. An unknown type of machine is never refused: its word stays among the notes.
pub(super) fn hardware(page: &mut Page, run: &mut RunDocument) {
    let card = &mut page.hardware;
    let hardware = &mut run.hardware;
    hardware.name.clone_from(&page.hardware_title);
    hardware.source = Some("imported".to_owned());
    if let Some(word) = card.take("Type") {
        match class(&word) {
            Some(class) => hardware.class = class,
            None => card.keep("Type", word),
        }
    }
    let memory = card.take("VRAM");
    match card.take("GPU") {
        Some(gpu) => hardware.accelerators = vec![accelerator(&gpu, memory)],
        None => {
            if let Some(memory) = memory {
                card.keep("VRAM", memory);
            }
        }
    }
    hardware.cpu = card.take("CPU");
    hardware.cpu_cores = hardware.cpu.as_deref().and_then(cores);
    hardware.memory_text = card.take("RAM");
    hardware.os = card.take("OS");
}

fn class(word: &str) -> Option<MachineClass> {
    [
        MachineClass::DiscreteGpu,
        MachineClass::UnifiedMemory,
        MachineClass::Cpu,
        MachineClass::Simulated,
        MachineClass::Unknown,
    ]
    .into_iter()
    .find(|class| class.label() == word)
}

/// `RTX 3090` is one; `2x RTX 3090` and `2 × RTX 3090` are two.
fn accelerator(text: &str, memory_text: Option<String>) -> Accelerator {
    let counted = text.split_once(['x', '×']).and_then(|(count, name)| {
        let count = count
            .trim()
            .parse::<u32>()
            .ok()
            .filter(|count| *count > 0)?;
        Some((count, name.trim()))
    });
    let (count, name) = counted.unwrap_or((1, text));
    Accelerator {
        name: name.to_owned(),
        count,
        memory_bytes: None,
        memory_text,
        ..Accelerator::default()
    }
}

/// The cores of `AMD Ryzen 9 7900X (12C)`.
fn cores(cpu: &str) -> Option<u32> {
    let (_, last) = cpu.rsplit_once('(')?;
    last.strip_suffix("C)")?.parse().ok()
}

/// Engine: the card, and what the launch command states.
pub(super) fn engine(page: &mut Page, run: &mut RunDocument) {
    let card = &mut page.engine;
    let engine = &mut run.engine;
    engine.name = card.take("Engine").unwrap_or_default();
    engine.version = card.take("Version");
    engine.quantization = card.take("Quantization");
    engine.backend = card.take("Backend");
    engine.build = card.take("Build");
    let command = run.launch_command.as_deref().unwrap_or_default();
    let stated = launch::read(command);
    engine.max_length = stated.max_length;
    engine.max_sequences = stated.max_sequences;
    engine.kv_type = stated.kv_type;
    engine.flags = stated.flags;
    run.model.repository = stated.repository;
}

/// Model: its name for titles, the served name, the revision.
pub(super) fn model(page: &mut Page, run: &mut RunDocument) {
    run.model.name = redact::text(&page.model);
    run.model.served_name = page.run.take("Served model").unwrap_or_default();
    run.model.revision = page.run.take("Revision");
}

/// The plan: what the page says, and the places of its rows and cells. This tool reserves the
/// longest output for every request (methodology section 6, `reserve`) and uses the chat route.
pub(super) fn plan(page: &mut Page, run: &mut RunDocument) -> Result<(), ImportError> {
    let card = &mut page.run;
    let plan = &mut run.plan;
    plan.contexts = sorted(run.decode.iter().map(|cell| cell.context));
    plan.requests = sorted(run.decode.iter().map(|cell| cell.requests));
    plan.prefill_contexts = sorted(run.prefill.iter().map(|row| row.context));
    plan.profile = Profile::Standard;
    plan.capacity = CapacityRule::Reserve;
    "chat".clone_into(&mut plan.endpoint);
    plan.decode_test = match card.take("Decode test").as_deref() {
        Some("Fixed duration") => "fixed_duration".to_owned(),
        other => other.unwrap_or_default().to_owned(),
    };
    if let Some(mode) = card.take("Prefill mode") {
        plan.prefill = prefill_mode(&mode)?;
    }
    if let Some(text) = card.take("Time per measurement") {
        let place = "run.Time per measurement";
        plan.window_s = figure::with_unit(&text, "s")
            .ok_or_else(|| ImportError::figure(&text, place, "a time such as `30 s`"))?;
    }
    if let Some(text) = card.take("Max output") {
        plan.max_output_tokens = figure::whole_with_unit(&text, "tokens").ok_or_else(|| {
            ImportError::figure(&text, "run.Max output", "a length such as `8,192 tokens`")
        })?;
    }
    Ok(())
}

fn prefill_mode(label: &str) -> Result<PrefillMode, ImportError> {
    let modes = [
        PrefillMode::WarmUp,
        PrefillMode::Standalone,
        PrefillMode::Off,
    ];
    modes
        .into_iter()
        .find(|mode| mode.label() == label)
        .ok_or_else(|| ImportError::word(label, "run.Prefill mode", &modes.map(PrefillMode::label)))
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerators_are_counted() {
        let check = |text: &str, count: u32, name: &str| {
            let found = accelerator(text, None);
            assert_eq!((found.count, found.name.as_str()), (count, name), "{text}");
        };
        check("RTX 3090", 1, "RTX 3090");
        check("2x RTX 3090", 2, "RTX 3090");
        check("8 × H100", 8, "H100");
        check("0x RTX", 1, "0x RTX");
    }

    #[test]
    fn cores_stand_in_brackets() {
        assert_eq!(cores("AMD Ryzen 9 7900X (12C)"), Some(12));
        assert_eq!(cores("Apple M3 (unified)"), None);
        assert_eq!(cores("some 12C"), None);
    }
}
