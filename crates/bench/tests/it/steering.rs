//! What a person asks of a run while it works: skipped cells, pauses, a look at a stream.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokmark_bench::{InMemory, Live, Outcome, Progress, Run, Settings, Stage, Steering};
use tokmark_run_format::CellStatus;
use tokmark_test_kit::SimBench;

use crate::{CHAT, cell, settings, sim, status};

/// Measures while `hand` sees every event and may steer.
async fn steered(
    settings: &Settings,
    steering: &Steering,
    hand: impl AsyncFn(&Progress),
) -> (Outcome, Vec<Progress>) {
    let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    let (listener, mut events) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut keep = InMemory::default();
    let run = Run::new(
        &bench.session,
        settings,
        "test",
        &mut keep,
        &listener,
        &stop,
    )
    .steered_by(steering);
    let measured = async {
        let outcome = run.measure().await.unwrap();
        let _ended = listener.send(Progress::Note("end".to_owned()));
        outcome
    };
    let seen = async {
        let mut told = Vec::new();
        loop {
            let event = events.recv().await.unwrap();
            if matches!(&event, Progress::Note(text) if text == "end") {
                return told;
            }
            hand(&event).await;
            told.push(event);
        }
    };
    tokio::join!(measured, seen)
}

fn is_in_window(event: &Progress, level: u32) -> bool {
    matches!(event, Progress::CellLive(live)
        if live.requests == level && live.stage == Stage::Window)
}

#[tokio::test(start_paused = true)]
async fn a_skipped_cell_says_so_and_the_others_are_measured() {
    let steering = Steering::default();
    assert!(!steering.skip(), "no cell runs");
    let (outcome, _) = steered(&settings("0", &[1, 2, 4]), &steering, async |event| {
        if is_in_window(event, 2) {
            assert!(steering.skip());
        }
    })
    .await;
    let statuses = [1, 2, 4].map(|level| status(&outcome, 0, level));
    let expect = [CellStatus::Valid, CellStatus::Skipped, CellStatus::Valid];
    assert_eq!(statuses, expect);
    let skipped = cell(&outcome, 0, 2);
    assert_eq!(skipped.reason.as_deref(), Some("skipped by the user"));
    assert_eq!(skipped.total_tokens_per_s, None);
    assert!(outcome.complete);
}

#[tokio::test(start_paused = true)]
async fn a_pause_waits_between_cells_and_is_no_part_of_the_longest_time() {
    let steering = Steering::default();
    let settings = Settings {
        max_time: Some(Duration::from_mins(3)),
        ..settings("0", &[1, 2, 4])
    };
    let (outcome, told) = steered(&settings, &steering, async |event| match event {
        Progress::CellStarted { requests: 1, .. } => steering.pause(true),
        Progress::Paused(true) => {
            tokio::time::sleep(Duration::from_hours(1)).await;
            steering.pause(false);
        }
        _ => {}
    })
    .await;
    let statuses = [1, 2, 4].map(|level| status(&outcome, 0, level));
    assert_eq!(statuses, [CellStatus::Valid; 3]);
    // The running cell is finished before the run waits.
    let order: Vec<String> = told
        .iter()
        .filter_map(|event| match event {
            Progress::CellDone(cell) => Some(format!("done {}", cell.requests)),
            Progress::Paused(paused) => Some(format!("paused {paused}")),
            _ => None,
        })
        .collect();
    let expect = ["done 1", "paused true", "paused false", "done 2", "done 4"];
    assert_eq!(order, expect);
}

#[tokio::test(start_paused = true)]
async fn the_live_picture_comes_to_what_the_cell_says() {
    let steering = Steering::default();
    steering.look_at(Some(7));
    let (outcome, told) = steered(&settings("2k", &[4]), &steering, async |_| {}).await;
    let lives: Vec<&Live> = told
        .iter()
        .filter_map(|event| match event {
            Progress::CellLive(live) if live.context == 2_048 => Some(live),
            _ => None,
        })
        .collect();
    assert_eq!((lives[0].stage, lives[0].decoding), (Stage::Launching, 0));
    let last = lives
        .iter()
        .rfind(|live| live.stage == Stage::Window)
        .unwrap();
    let done = cell(&outcome, 2_048, 4);
    let near = |live: f64, done: Option<f64>| {
        let done = done.unwrap();
        assert!((live / done - 1.0).abs() < 0.03, "{live} and {done}");
    };
    near(last.tokens_per_s, done.total_tokens_per_s);
    near(last.recent_tokens_per_s, done.total_tokens_per_s);
    near(
        last.per_request_tokens_per_s.unwrap(),
        done.per_request_tokens_per_s,
    );
    near(last.ttft.unwrap().as_millis_f64(), done.ttft_ms);
    let (low, high) = last.interval.expect("seven seconds are enough for one");
    assert!(low <= last.tokens_per_s * 1.02 && last.tokens_per_s <= high * 1.02);
    assert!(high / low < 1.1, "{low} to {high}");
    assert_eq!(last.server.running, Some(4.0));
    assert!(last.server.kv_use.unwrap() > 0.0);
    // There is no stream 7: the last one is shown, at most four times a second.
    let samples: Vec<_> = told
        .iter()
        .filter_map(|event| match event {
            Progress::Sample(sample) if sample.context == 2_048 => Some(sample),
            _ => None,
        })
        .collect();
    assert!((30..60).contains(&samples.len()), "{}", samples.len());
    let sample = samples.last().unwrap();
    assert_eq!((sample.stream, sample.requests), (3, 4));
    assert!(sample.text.split(' ').count() > 100, "{}", sample.text);
}
