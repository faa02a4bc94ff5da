//! Prefill rows: methodology section 2.

mod energy;

use std::collections::BTreeMap;

use tokmark_run_format::evidence::{
    PrefillEvidence, PrefillPurpose, ProbeEvidence, RequestEvidence,
};
use tokmark_run_format::prefill::{CacheState, PrefillRow, PrefillSample, SampleRole};
use tokmark_run_format::status::PrefillStatus;
use tokmark_units::float;

use crate::launch;
use crate::stats;

/// Largest cached share of a cold prompt.
const COLD_SHARE: f64 = 0.02;
/// A first sample that takes longer than this times the next one is not like the rest.
const FIRST_SLOWER: f64 = 1.1;

/// One row per context, in the order given. Samples are in the order of sending.
pub fn rows(
    contexts: &[u64],
    samples: &[PrefillEvidence],
    probes: &ProbeEvidence,
) -> Vec<PrefillRow> {
    let mut by_context: BTreeMap<u64, Vec<&PrefillEvidence>> = BTreeMap::new();
    for sample in samples {
        by_context.entry(sample.context).or_default().push(sample);
    }
    let here = |context: &u64| by_context.get(context).map_or(&[][..], Vec::as_slice);
    contexts
        .iter()
        .map(|context| row(*context, here(context), probes))
        .collect()
}

/// Whether a prompt was computed rather than taken from the server's cache; `None` when the server
/// does not say (which is not the same as nothing cached).
pub fn is_cold(sample: &PrefillEvidence, probes: &ProbeEvidence) -> Option<bool> {
    let cached = cached_tokens(sample)?;
    let prompt = float::from_u64(prompt_tokens(sample));
    let shared = probes.template_tokens.saturating_add(probes.block_tokens);
    Some(float::from_u64(cached) <= (COLD_SHARE * prompt).max(float::from_u64(shared)))
}

/// Prompt tokens per second between two lengths (case B083): the fixed part of both TTFTs cancels.
/// Arguments are `(prompt tokens, TTFT in milliseconds)`; `None` unless both differ the same way.
pub fn slope_tokens_per_s(short: (u64, f64), long: (u64, f64)) -> Option<f64> {
    let tokens = float::from_u64(long.0.checked_sub(short.0)?);
    let seconds = (long.1 - short.1) / 1e3;
    (tokens > 0.0 && seconds > 0.0).then(|| tokens / seconds)
}

fn cached_tokens(sample: &PrefillEvidence) -> Option<u64> {
    sample.request.cached_tokens.or(sample.counter_hits)
}

/// By the server's usage; the nominal context where it counts nothing.
fn prompt_tokens(sample: &PrefillEvidence) -> u64 {
    sample.request.prompt_tokens.unwrap_or(sample.context)
}

/// First event less send, else the end less send, and which of them it is.
fn ttft_ns(request: &RequestEvidence) -> Option<(u64, &'static str)> {
    if request.failure.is_some() {
        return None;
    }
    let (ns, source) = if request.events.is_empty() {
        (request.ended_ns?.checked_sub(request.sent_ns)?, "finish")
    } else {
        (request.ttft_ns()?, "event")
    };
    (ns > 0).then_some((ns, source))
}

/// The same in milliseconds.
fn ttft_ms(request: &RequestEvidence) -> Option<(f64, &'static str)> {
    let (ns, source) = ttft_ns(request)?;
    Some((float::from_u64(ns) / 1e6, source))
}

fn row(context: u64, samples: &[&PrefillEvidence], probes: &ProbeEvidence) -> PrefillRow {
    let fixed_ms = probes.fixed_ttft_ns.map(|ns| float::from_u64(ns) / 1e6);
    let mut row = PrefillRow::without_samples(context, PrefillStatus::Interrupted, None);
    row.fixed_ttft_ms = fixed_ms;
    row.warm_ttft_ms = warm_ttft_ms(samples);
    let mut kept = cold_samples(samples, probes);
    row.completed_requests = float::len_u64(kept.len());
    if kept.is_empty() {
        (row.status, row.reason) = without_sample(samples);
        return row;
    }
    let any_cold = kept.iter().any(|kept| !kept.is_partly_cached());
    if any_cold {
        row.status = PrefillStatus::Valid;
    } else {
        row.status = PrefillStatus::PartlyCached;
        row.reason = Some(partly_cached(&kept));
    }
    set_first_apart(&mut kept, |kept| kept.is_partly_cached() != any_cold);
    let counts = |kept: &&Kept<'_>| {
        kept.is_partly_cached() != any_cold && kept.sample.role != SampleRole::First
    };
    let counted: Vec<&Kept<'_>> = kept.iter().filter(counts).collect();
    summarise(&mut row, &counted);
    let counted: Vec<&PrefillEvidence> = counted.iter().map(|kept| kept.evidence).collect();
    row.energy = energy::of(&counted, probes);
    row.samples = kept.into_iter().map(|kept| kept.sample).collect();
    row
}

/// A sample of a row and what it comes from.
struct Kept<'a> {
    sample: PrefillSample,
    evidence: &'a PrefillEvidence,
}

impl Kept<'_> {
    fn is_partly_cached(&self) -> bool {
        self.sample.cache == CacheState::PartlyCached
    }
}

fn summarise(row: &mut PrefillRow, counted: &[&Kept<'_>]) {
    let by_server: Vec<f64> = counted
        .iter()
        .filter_map(|kept| kept.evidence.server_ttft_ns)
        .map(|ns| float::from_u64(ns) / 1e6)
        .collect();
    let counted: Vec<&PrefillSample> = counted.iter().map(|kept| &kept.sample).collect();
    let all = |value: &dyn Fn(&PrefillSample) -> f64| -> Vec<f64> {
        counted.iter().map(|sample| value(sample)).collect()
    };
    let ttft = all(&|sample| sample.ttft_ms);
    let prompt = all(&|sample| float::from_u64(sample.prompt_tokens));
    row.prompt_tokens = stats::median(&prompt).map(float::round_to_u64);
    row.prompt_tokens_per_s = stats::median(&all(&|sample| sample.prompt_tokens_per_s));
    row.ttft_ms = stats::median(&ttft);
    row.server_ttft_ms = stats::median(&by_server);
    row.outside_engine_ms = row
        .ttft_ms
        .zip(row.server_ttft_ms)
        .and_then(|(ours, theirs)| launch::outside_engine_ms(ours, theirs));
    row.ttft_ms_min = stats::percentile(&ttft, 0.0);
    row.ttft_ms_max = stats::percentile(&ttft, 1.0);
    let Some(fixed) = row.fixed_ttft_ms else {
        return;
    };
    let less_fixed: Vec<f64> = counted
        .iter()
        .filter(|sample| sample.ttft_ms > fixed)
        .map(|sample| float::from_u64(sample.prompt_tokens) * 1e3 / (sample.ttft_ms - fixed))
        .collect();
    // A sample faster than the fixed part says that the fixed part is not one: no rate then.
    if less_fixed.len() == counted.len() {
        row.prompt_tokens_per_s_less_fixed = stats::median(&less_fixed);
    }
}

/// Cold samples in order; a repeat stands in the place of the sample that was not cold.
fn cold_samples<'a>(samples: &[&'a PrefillEvidence], probes: &ProbeEvidence) -> Vec<Kept<'a>> {
    let mut kept: Vec<Kept<'a>> = Vec::new();
    for &evidence in samples {
        let role = match evidence.purpose {
            PrefillPurpose::Warm => continue,
            PrefillPurpose::Document => SampleRole::Document,
            PrefillPurpose::Extra => SampleRole::Extra,
            PrefillPurpose::Repeat => kept
                .last()
                .map_or(SampleRole::Extra, |before| before.sample.role),
        };
        let Some(sample) = sample(evidence, role, probes) else {
            continue;
        };
        if evidence.purpose == PrefillPurpose::Repeat {
            kept.pop_if(|before| before.is_partly_cached());
        }
        kept.push(Kept { sample, evidence });
    }
    kept
}

fn sample(
    evidence: &PrefillEvidence,
    role: SampleRole,
    probes: &ProbeEvidence,
) -> Option<PrefillSample> {
    let (ttft_ms, source) = ttft_ms(&evidence.request)?;
    let prompt_tokens = prompt_tokens(evidence);
    Some(PrefillSample {
        role,
        prompt_tokens,
        ttft_ms,
        prompt_tokens_per_s: float::from_u64(prompt_tokens) * 1e3 / ttft_ms,
        cached_tokens: cached_tokens(evidence),
        cache: match is_cold(evidence, probes) {
            None => CacheState::Unverified,
            Some(true) => CacheState::Cold,
            Some(false) => CacheState::PartlyCached,
        },
        ttft_source: source.to_owned(),
    })
}

/// The first sample that counts is apart when it is more than 10 % slower than the next.
fn set_first_apart(samples: &mut [Kept<'_>], counts: impl Fn(&Kept<'_>) -> bool) {
    let mut counted = samples.iter_mut().filter(|kept| counts(kept));
    if let (Some(first), Some(next)) = (counted.next(), counted.next())
        && first.sample.ttft_ms > FIRST_SLOWER * next.sample.ttft_ms
    {
        first.sample.role = SampleRole::First;
    }
}

fn warm_ttft_ms(samples: &[&PrefillEvidence]) -> Option<f64> {
    let warm: Vec<f64> = samples
        .iter()
        .filter(|sample| sample.purpose == PrefillPurpose::Warm)
        .filter_map(|sample| ttft_ms(&sample.request))
        .map(|(ms, _)| ms)
        .collect();
    stats::median(&warm)
}

fn without_sample(samples: &[&PrefillEvidence]) -> (PrefillStatus, Option<String>) {
    let cold = samples
        .iter()
        .filter(|sample| sample.purpose != PrefillPurpose::Warm);
    let failure = cold
        .filter_map(|sample| sample.request.failure.as_ref())
        .next_back();
    match failure {
        Some(failure) => (
            PrefillStatus::Failed,
            Some(format!("{}: {}", failure.class, failure.message)),
        ),
        None => (
            PrefillStatus::Interrupted,
            Some("stopped before the first sample".to_owned()),
        ),
    }
}

fn partly_cached(samples: &[Kept<'_>]) -> String {
    let share = |Kept { sample, .. }: &Kept<'_>| {
        let cached = float::from_u64(sample.cached_tokens.unwrap_or(0));
        cached / float::from_u64(sample.prompt_tokens.max(1))
    };
    let shares: Vec<f64> = samples.iter().map(share).collect();
    format!(
        "{} of the prompt came from the server's cache",
        tokmark_units::format::percent(stats::median(&shares).unwrap_or(0.0))
    )
}
