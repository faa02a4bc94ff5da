//! Telemetry of the server's machine in cells: power, energy, and the verdict of throttling.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokmark_bench::Settings;
use tokmark_machine::Watch;
use tokmark_machine::telemetry::{Now, Pace, Sampler, SamplerSettings, Source, Sources};
use tokmark_run_format::evidence::{PrefillPurpose, Record};
use tokmark_run_format::{
    CellStatus, DeviceKind, DeviceSample, DeviceSeries, PrefillStatus, Throttle,
};
use tokmark_sim::SimConfig;
use tokmark_sim::model::NanosPerToken;
use tokmark_test_kit::SimBench;
use tokmark_units::{Context, Nanos};

use crate::{cell, settings, sim};

/// A card that draws 50 W, and 250 W from a moment on, held back by heat from then on or never.
struct Card {
    busy_from_ns: u64,
    hot: bool,
}

impl Source for Card {
    fn devices(&self) -> Vec<DeviceSeries> {
        let kind = DeviceKind::Accelerator;
        vec![DeviceSeries::new(kind, 0, "card".to_owned(), "test")]
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        let at_ns = now().0;
        let busy = at_ns >= self.busy_from_ns;
        let held_back = busy && self.hot;
        vec![DeviceSample {
            at_ns,
            power_mw: Some(if busy { 250_000 } else { 50_000 }),
            throttle: Some(if held_back {
                Throttle::THERMAL
            } else {
                Throttle::NONE
            }),
            ..DeviceSample::default()
        }]
    }
}

/// Reads two minutes at once, before the run: its clock is the test's own.
struct Beforehand(Arc<AtomicU64>);

impl Pace for Beforehand {
    fn wait(&mut self, span: Duration) -> bool {
        let span = u64::try_from(span.as_nanos()).unwrap();
        self.0.fetch_add(span, Ordering::SeqCst) < 120_000_000_000
    }
}

async fn watched(hot: bool) -> SimBench {
    watched_sim(hot, SimConfig::default()).await
}

async fn watched_sim(hot: bool, config: SimConfig) -> SimBench {
    let mut bench = SimBench::start(config, settings("0", &[4]).endpoint)
        .await
        .unwrap();
    let clock = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&clock);
    let card = Card {
        // After the three seconds at rest.
        busy_from_ns: bench.session.clock.now().0 + 4_000_000_000,
        hot,
    };
    let sampler = Sampler::start_paced(
        Sources::new(vec![Box::new(card)]),
        &SamplerSettings::default(),
        Arc::new(move || Nanos(now.load(Ordering::SeqCst))),
        Box::new(Beforehand(Arc::clone(&clock))),
    )
    .unwrap();
    while clock.load(Ordering::SeqCst) < 120_000_000_000 {
        std::thread::yield_now();
    }
    bench.session.watch = Some(Watch::local(sampler));
    bench
}

#[tokio::test(start_paused = true)]
async fn power_energy_and_rest_are_in_the_cell_and_its_evidence() {
    let bench = watched(false).await;
    let (outcome, _) = bench.measure(&settings("0", &[4])).await.unwrap();
    let cell = cell(&outcome, 0, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    let energy = cell.energy.as_ref().unwrap();
    let close = |found: Option<f64>, expect: f64| {
        let found = found.unwrap();
        assert!((found / expect - 1.0).abs() < 0.01, "{found} {expect}");
    };
    close(energy.mean_power_w, 250.0);
    close(energy.idle_power_w, 50.0);
    // The window is 8 s long.
    close(energy.energy_j, 2_000.0);
    let tokens = f64::from(u32::try_from(cell.output_tokens.unwrap()).unwrap());
    close(energy.joules_per_output_token, 2_000.0 / tokens);
    let kept = outcome.records.iter().find_map(|record| match record {
        Record::Cell(cell) => cell.telemetry.as_ref(),
        _ => None,
    });
    assert!(kept.unwrap().devices[0].len() > 40);
    // Three seconds at rest, before the first request of a probe.
    let idle = outcome.probes.idle.as_ref().unwrap();
    let at: Vec<u64> = idle.devices[0]
        .samples()
        .map(|sample| sample.at_ns)
        .collect();
    let span = at[at.len() - 1] - at[0];
    assert!((3_000_000_000..=3_400_000_000).contains(&span), "{span}");
}

#[tokio::test(start_paused = true)]
async fn a_prefill_row_has_its_energy_over_the_tokens_that_were_computed() {
    let slow = sim(|config| config.engine.cost.prefill = NanosPerToken(250_000.0));
    let bench = watched_sim(false, slow).await;
    let wanted = Settings {
        prefill_contexts: Some(vec![Context(16_384)]),
        prefill_samples: Some(3),
        ..settings("16384", &[1])
    };
    let (outcome, _) = bench.measure(&wanted).await.unwrap();
    let row = &outcome.prefill[0];
    assert_eq!(row.status, PrefillStatus::Valid, "{:?}", row.reason);
    assert_eq!(row.samples.len(), 3);
    let energy = row.energy.as_ref().unwrap();
    let close = |found: Option<f64>, expect: f64| {
        let found = found.unwrap();
        assert!((found / expect - 1.0).abs() < 0.001, "{found} {expect}");
    };
    let seconds: f64 = row.samples.iter().map(|s| s.ttft_ms / 1e3).sum();
    let computed: u64 = row
        .samples
        .iter()
        .map(|s| s.prompt_tokens - s.cached_tokens.unwrap())
        .sum();
    assert!(seconds > 10.0, "{seconds}");
    close(energy.mean_power_w, 250.0);
    close(energy.peak_power_w, 250.0);
    close(energy.idle_power_w, 50.0);
    close(energy.energy_j, 250.0 * seconds);
    let computed = f64::from(u32::try_from(computed).unwrap());
    close(energy.joules_per_prompt_token, 250.0 * seconds / computed);
    assert_eq!(energy.method.as_deref(), Some("trapezoid"));
    // The document again has no readings, the samples have theirs and little more.
    for record in &outcome.records {
        let Record::Prefill(sample) = record else {
            continue;
        };
        let Some(telemetry) = &sample.telemetry else {
            assert_eq!(sample.purpose, PrefillPurpose::Warm);
            continue;
        };
        let took = sample.request.ended_ns.unwrap() - sample.request.sent_ns;
        let readings = u64::try_from(telemetry.devices[0].len()).unwrap();
        let inside = took / telemetry.period_ns;
        assert!(
            (inside..inside + 4).contains(&readings),
            "{readings} {took}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_card_that_heat_holds_back_makes_a_throttled_cell() {
    let bench = watched(true).await;
    let (outcome, _) = bench.measure(&settings("0", &[4])).await.unwrap();
    let cell = cell(&outcome, 0, 4);
    assert_eq!(cell.status, CellStatus::Throttled, "{:?}", cell.reason);
    assert!(cell.total_tokens_per_s.is_some());
}
