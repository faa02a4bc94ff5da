//! Prefill rows: methodology section 2.

use tokmark_measure::prefill::{is_cold, rows};
use tokmark_run_format::evidence::{
    Event, PrefillEvidence, PrefillPurpose, ProbeEvidence, RequestEvidence,
};
use tokmark_run_format::prefill::{CacheState, PrefillRow, SampleRole};
use tokmark_run_format::status::PrefillStatus;
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, Energy, Telemetry};

use crate::build::*;

const CONTEXT: u64 = 8_192;

fn probes() -> ProbeEvidence {
    ProbeEvidence {
        fixed_ttft_ns: Some(50 * MS),
        template_tokens: 30,
        block_tokens: 16,
        ..ProbeEvidence::default()
    }
}

fn sample(purpose: PrefillPurpose, ttft_ms: u64, cached: Option<u64>) -> PrefillEvidence {
    PrefillEvidence {
        context: CONTEXT,
        purpose,
        request: RequestEvidence {
            sent_ns: S,
            prompt_tokens: Some(8_200),
            cached_tokens: cached,
            events: vec![Event {
                at_ns: S + ttft_ms * MS,
                tokens: Some(1),
            }],
            ended_ns: Some(S + ttft_ms * MS + 100 * MS),
            finish: Some("length".to_owned()),
            ..RequestEvidence::default()
        },
        ..PrefillEvidence::default()
    }
}

fn row(samples: &[PrefillEvidence]) -> PrefillRow {
    rows(&[CONTEXT], samples, &probes()).remove(0)
}

use PrefillPurpose::{Document, Extra, Repeat, Warm};

#[test]
fn medians_over_cold_samples() {
    let found = row(&[
        sample(Extra, 2_050, Some(0)),
        sample(Document, 2_000, Some(0)),
        sample(Document, 2_100, Some(16)),
        sample(Warm, 90, Some(8_192)),
        sample(Warm, 80, Some(8_192)),
        sample(Warm, 100, Some(8_192)),
    ]);
    assert_eq!(found.status, PrefillStatus::Valid);
    assert_eq!((found.requests, found.completed_requests), (1, 3));
    assert_eq!(found.prompt_tokens, Some(8_200));
    close_to(found.ttft_ms, 2_050.0);
    close_to(found.prompt_tokens_per_s, 4_000.0);
    close_to(found.ttft_ms_min, 2_000.0);
    close_to(found.ttft_ms_max, 2_100.0);
    close_to(found.fixed_ttft_ms, 50.0);
    close_to(found.prompt_tokens_per_s_less_fixed, 4_100.0);
    close_to(found.warm_ttft_ms, 90.0);
    let roles: Vec<_> = found.samples.iter().map(|sample| sample.role).collect();
    assert_eq!(
        roles,
        [
            SampleRole::Extra,
            SampleRole::Document,
            SampleRole::Document
        ]
    );
    assert!(
        found
            .samples
            .iter()
            .all(|sample| sample.ttft_source == "event")
    );
}

#[test]
fn a_slow_first_sample_is_apart() {
    let found = row(&[
        sample(Extra, 2_300, Some(0)),
        sample(Extra, 2_000, Some(0)),
        sample(Extra, 2_100, Some(0)),
    ]);
    assert_eq!(found.samples[0].role, SampleRole::First);
    close_to(found.ttft_ms, 2_050.0);
    close_to(found.ttft_ms_max, 2_100.0);
    assert_eq!(found.completed_requests, 3);
    // 10 % exactly is not more than 10 %; and a single sample has no next one.
    assert_eq!(
        row(&[sample(Extra, 2_200, None), sample(Extra, 2_000, None)]).ttft_ms,
        Some(2_100.0)
    );
    assert_eq!(row(&[sample(Extra, 9_000, Some(0))]).ttft_ms, Some(9_000.0));
}

#[test]
fn what_counts_as_cold() {
    let check = |cached: Option<u64>, hits: Option<u64>, template: u64, expect: Option<bool>| {
        let mut evidence = sample(Extra, 2_000, cached);
        evidence.counter_hits = hits;
        let known = ProbeEvidence {
            template_tokens: template,
            ..probes()
        };
        assert_eq!(
            is_cold(&evidence, &known),
            expect,
            "{cached:?} {hits:?} {template}"
        );
    };
    check(Some(0), None, 0, Some(true));
    check(Some(164), None, 0, Some(true));
    check(Some(165), None, 0, Some(false));
    // A long shared template with one more block.
    check(Some(216), None, 200, Some(true));
    check(Some(217), None, 200, Some(false));
    check(None, Some(4_000), 0, Some(false));
    check(None, Some(0), 0, Some(true));
    // Usage comes before counters, and silence is not zero.
    check(Some(0), Some(4_000), 0, Some(true));
    check(None, None, 0, None);
}

#[test]
fn a_repeat_takes_the_place_of_a_sample_that_was_not_cold() {
    let found = row(&[
        sample(Extra, 700, Some(6_000)),
        sample(Repeat, 2_000, Some(0)),
        sample(Document, 2_100, Some(0)),
    ]);
    assert_eq!(found.status, PrefillStatus::Valid);
    assert_eq!(found.completed_requests, 2);
    close_to(found.ttft_ms, 2_050.0);
    assert_eq!(found.samples[0].role, SampleRole::Extra);
    assert_eq!(found.samples[0].cache, CacheState::Cold);

    let stays = row(&[
        sample(Extra, 700, Some(6_000)),
        sample(Repeat, 800, Some(5_740)),
    ]);
    assert_eq!(stays.status, PrefillStatus::PartlyCached);
    assert!(stays.reason.unwrap().starts_with("70.0 %"));
    assert_eq!(stays.completed_requests, 1);
    close_to(stays.ttft_ms, 800.0);

    // One that stays so beside cold ones is kept, outside the median.
    let mixed = row(&[
        sample(Extra, 2_000, Some(0)),
        sample(Extra, 700, Some(6_000)),
        sample(Extra, 2_100, Some(0)),
    ]);
    assert_eq!(mixed.status, PrefillStatus::Valid);
    assert_eq!(mixed.samples[1].cache, CacheState::PartlyCached);
    close_to(mixed.ttft_ms, 2_050.0);
}

#[test]
fn a_silent_server_is_unverified() {
    let found = row(&[sample(Extra, 2_000, None), sample(Extra, 2_000, None)]);
    assert_eq!(found.status, PrefillStatus::Valid);
    assert!(
        found
            .samples
            .iter()
            .all(|sample| sample.cache == CacheState::Unverified)
    );
    assert_eq!(found.samples[0].cached_tokens, None);
}

#[test]
fn without_an_event_the_finish_counts() {
    let mut silent = sample(Extra, 2_000, Some(0));
    silent.request.events.clear();
    let found = row(&[silent]);
    assert_eq!(found.samples[0].ttft_source, "finish");
    close_to(found.ttft_ms, 2_100.0);
}

#[test]
fn failures_and_nothing_at_all() {
    let mut failed = sample(Extra, 2_000, None);
    failed.request.failure = Some(failure("http", Some(400)));
    let found = row(std::slice::from_ref(&failed));
    assert_eq!(found.status, PrefillStatus::Failed);
    assert!(found.reason.unwrap().starts_with("http: "));
    assert_eq!(found.prompt_tokens_per_s, None);
    let beside = row(&[failed, sample(Extra, 2_000, Some(0))]);
    assert_eq!(
        (beside.status, beside.completed_requests),
        (PrefillStatus::Valid, 1)
    );
    let nothing = row(&[]);
    assert_eq!(nothing.status, PrefillStatus::Interrupted);
    assert!(nothing.samples.is_empty());
}

#[test]
fn rows_follow_the_contexts_asked_for() {
    let mut other = sample(Extra, 5_000, Some(0));
    other.context = 16_384;
    let samples = [other, sample(Extra, 2_000, Some(0))];
    let found = rows(&[8_192, 16_384, 32_768], &samples, &probes());
    let medians: Vec<_> = found.iter().map(|row| (row.context, row.ttft_ms)).collect();
    assert_eq!(
        medians,
        [
            (8_192, Some(2_000.0)),
            (16_384, Some(5_000.0)),
            (32_768, None)
        ]
    );
}

/// A card's readings every 200 ms over 20 s, 60 W at rest and 360 W from `from_ns` to `to_ns`, with
/// an energy counter or without.
fn card(from_ns: u64, to_ns: u64, counts: bool) -> Telemetry {
    let busy = |at_ns: u64| (from_ns..to_ns).contains(&at_ns);
    let mut series = DeviceSeries::new(DeviceKind::Accelerator, 0, "card".to_owned(), "nvml");
    let joules = |at_ns: u64| at_ns * 60 + at_ns.min(to_ns).saturating_sub(from_ns) * 300;
    for at_ns in (0..=20 * S).step_by(200 * 1_000_000) {
        series.push(&DeviceSample {
            at_ns,
            power_mw: Some(if busy(at_ns) { 360_000 } else { 60_000 }),
            energy_uj: counts.then(|| joules(at_ns) / 1_000),
            ..DeviceSample::default()
        });
    }
    Telemetry {
        period_ns: 200 * MS,
        devices: vec![series],
        unknown: Vec::new(),
    }
}

/// A sample that is sent at 1 s, on a machine that works from then to its first token.
fn watched(ttft_ms: u64, cached: Option<u64>, counts: bool) -> PrefillEvidence {
    PrefillEvidence {
        telemetry: Some(card(S, S + ttft_ms * MS, counts)),
        ..sample(Extra, ttft_ms, cached)
    }
}

#[test]
fn energy_is_that_of_the_samples_over_the_tokens_that_were_computed() {
    let at_rest = ProbeEvidence {
        idle: Some(card(0, 0, false)),
        ..probes()
    };
    let samples = [
        // Apart as the first, and slower.
        watched(9_000, Some(0), true),
        watched(4_000, Some(0), true),
        watched(4_200, Some(100), true),
        PrefillEvidence {
            purpose: Warm,
            ..watched(2_000, Some(8_192), true)
        },
    ];
    let row = rows(&[CONTEXT], &samples, &at_rest).remove(0);
    assert_eq!(row.samples[0].role, SampleRole::First);
    let energy = row.energy.unwrap();
    assert_eq!(energy.method.as_deref(), Some("counter"));
    // 8.2 s at 360 W for 8,200 and 8,100 tokens.
    close_to(energy.energy_j, 8.2 * 360.0);
    close_to(energy.mean_power_w, 360.0);
    close_to(energy.peak_power_w, 360.0);
    close_to(energy.joules_per_prompt_token, 8.2 * 360.0 / 16_300.0);
    close_to(energy.idle_power_w, 60.0);
    assert_eq!(energy.joules_per_output_token, None);
    assert_eq!(energy.samples, 20 + 21);
    // Nobody watched.
    assert_eq!(row_of(sample(Extra, 4_000, Some(0))), None);
}

fn row_of(sample: PrefillEvidence) -> Option<Energy> {
    row(&[sample]).energy
}

#[test]
fn a_sample_too_short_for_its_readings_has_no_energy() {
    let check = |ttft_ms: u64, counts: bool, is_known: bool| {
        let found = row_of(watched(ttft_ms, Some(0), counts));
        assert_eq!(found.is_some(), is_known, "{ttft_ms} ms, counter: {counts}");
    };
    check(999, true, false);
    check(1_000, true, true);
    check(1_999, false, false);
    check(2_000, false, true);
    // The short one is left out with its tokens, not counted as nothing.
    let both = [
        watched(900, Some(0), true),
        watched(1_000, Some(0), true),
        watched(1_000, Some(0), true),
    ];
    close_to(
        row(&both).energy.unwrap().joules_per_prompt_token,
        2.0 * 360.0 / 16_400.0,
    );
}

/// The edges lie between two readings: what the straight line there moves stays within a tenth.
#[test]
fn what_the_readings_cannot_tell_is_a_tenth_at_most() {
    let check = |ttft_ms: u64, shift_ms: u64, counts: bool| {
        let mut evidence = watched(ttft_ms, Some(0), counts);
        let start = S + shift_ms * MS;
        evidence.telemetry = Some(card(start, start + ttft_ms * MS, counts));
        evidence.request.sent_ns = start;
        evidence.request.events[0].at_ns = start + ttft_ms * MS;
        let truth = 0.36 * f64::from(u32::try_from(ttft_ms).unwrap());
        let found = row_of(evidence).unwrap().energy_j.unwrap();
        let share = found / truth - 1.0;
        assert!(share.abs() <= 0.1, "{ttft_ms} {shift_ms} {counts}: {share}");
    };
    for shift_ms in (0..200).step_by(10) {
        for longer in [0, 30, 100] {
            check(1_000 + longer, shift_ms, true);
            check(2_000 + longer, shift_ms, false);
        }
    }
}

/// A gateway that holds the answer back: 0.2 s in the engine, 8 s for the client.
#[test]
fn b020_time_outside_the_engine_stands_beside_ours() {
    let counted = |ttft_ms: u64, server_ms: Option<u64>| PrefillEvidence {
        server_ttft_ns: server_ms.map(|ms| ms * MS),
        ..sample(Extra, ttft_ms, Some(0))
    };
    let held = row(&[counted(8_000, Some(200)), counted(8_000, Some(200))]);
    close_to(held.ttft_ms, 8_000.0);
    close_to(held.server_ttft_ms, 200.0);
    close_to(held.outside_engine_ms, 7_800.0);
    // A fifth is the network's and the front end's share of anything.
    let usual = row(&[counted(1_000, Some(800))]);
    assert_eq!(
        (usual.server_ttft_ms, usual.outside_engine_ms),
        (Some(800.0), None)
    );
    let more = row(&[counted(1_000, Some(799))]);
    close_to(more.outside_engine_ms, 201.0);
    let silent = row(&[counted(1_000, None)]);
    assert_eq!(
        (silent.server_ttft_ms, silent.outside_engine_ms),
        (None, None)
    );
}
