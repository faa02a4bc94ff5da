//! The energy of a prefill row.

use tokmark_run_format::evidence::{PrefillEvidence, ProbeEvidence, Window};
use tokmark_run_format::{DeviceKind, Energy};

use super::{cached_tokens, prompt_tokens, ttft_ns};
use crate::energy::{self, Method, Span, Tokens};

/// Fewest periods of reading that a sample lasts for its energy to be told. Between two readings
/// there is a straight line where power made a step, which moves at each edge up to a quarter of a
/// period's worth of that step (counters) or half of it (integrals) out of the sample: a tenth of
/// it at most.
const fn least_periods(method: Method) -> u64 {
    match method {
        Method::Counter => 5,
        Method::Trapezoid => 10,
    }
}

/// A sample: its span, and the prompt tokens that were computed in it.
#[derive(Clone, Copy)]
struct Part<'a> {
    span: Span<'a>,
    computed: u64,
}

/// Power and energy of the samples that count, each from its send to its first token, together.
/// `None` when none of them is long enough to be told from what lies around it.
///
/// Joules per prompt token are over the tokens that were computed: those that came from the
/// server's cache cost nothing. Where the server does not say how many did, all are counted, as in
/// the row's rate.
pub(super) fn of(samples: &[&PrefillEvidence], probes: &ProbeEvidence) -> Option<Energy> {
    let parts: Vec<Part<'_>> = samples.iter().filter_map(|sample| part(sample)).collect();
    let chosen = [Method::Counter, Method::Trapezoid]
        .map(|method| told(&parts, method))
        .into_iter()
        .find(|told| !told.is_empty());
    // Of a machine that tells no power there may still be throttling to tell.
    let chosen = chosen.unwrap_or_else(|| long(&parts, Method::Trapezoid));
    let spans: Vec<Span<'_>> = chosen.iter().map(|part| part.span).collect();
    let computed = chosen.iter().map(|part| part.computed);
    let tokens = Tokens {
        output: None,
        prompt: Some(computed.fold(0, u64::saturating_add)),
    };
    let idle = probes.idle.as_ref().and_then(energy::mean_power_w);
    (!spans.is_empty()).then(|| energy::energy_over(&spans, tokens, idle))
}

fn part(sample: &PrefillEvidence) -> Option<Part<'_>> {
    let telemetry = sample.telemetry.as_ref()?;
    let (length_ns, _) = ttft_ns(&sample.request)?;
    let start_ns = sample.request.sent_ns;
    let window = Window {
        start_ns,
        end_ns: start_ns.saturating_add(length_ns),
    };
    let cached = cached_tokens(sample).unwrap_or(0);
    Some(Part {
        span: Span { telemetry, window },
        computed: prompt_tokens(sample).saturating_sub(cached),
    })
}

/// Samples that last long enough for a method.
fn long<'a>(parts: &[Part<'a>], method: Method) -> Vec<Part<'a>> {
    let is_long = |part: &&Part<'_>| {
        let period_ns = part.span.telemetry.period_ns;
        part.span.window.len_ns() >= period_ns.saturating_mul(least_periods(method))
    };
    parts.iter().filter(is_long).copied().collect()
}

/// Those whose energy the method gives.
fn told<'a>(parts: &[Part<'a>], method: Method) -> Vec<Part<'a>> {
    let mut told = long(parts, method);
    told.retain(|part| {
        let found = energy::joules(&[part.span], DeviceKind::Accelerator);
        found.is_some_and(|(_, by)| by == method)
    });
    told
}
