use tokmark_engines::{Continuity, CounterWatch, GaugeError, Gauges, identify};

use crate::fake::{Fake, Reply, fixture, llamacpp, vllm};

async fn read(fake: Fake) -> Result<Gauges, GaugeError> {
    let (control, _) = fake.start();
    let server = identify(&control, None).await.unwrap();
    server.gauges(&control).await
}

async fn vllm_says(metrics: &str) -> Gauges {
    read(vllm().get("/metrics", Reply::text(metrics)))
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn b076_ranks_are_summed_and_shares_are_not() {
    let gauges = read(vllm()).await.unwrap();
    assert_eq!(gauges.engines, 2);
    assert_eq!(gauges.running, Some(21.0));
    assert_eq!(gauges.waiting, Some(3.0), "not the series by reason");
    assert!((gauges.kv_use_mean.unwrap() - 0.8).abs() < 1e-12);
    assert_eq!(gauges.kv_use_max, Some(0.9));
    assert_eq!(gauges.output_tokens, Some(4_000.0));
    assert_eq!(gauges.prompt_tokens, Some(2e6));
    assert_eq!(gauges.prefix_queries, Some(2e6));
    assert_eq!(gauges.prefix_hits, Some(1.6e6));
    assert_eq!(gauges.preemptions, Some(3.0));
    assert_eq!(
        (gauges.drafted, gauges.accepted),
        (Some(400.0), Some(280.0))
    );
    assert_eq!(gauges.process_start, Some(1.79e9));
}

#[tokio::test(start_paused = true)]
async fn b076_two_model_names_are_kept_apart() {
    let both = "vllm:num_requests_running{engine=\"0\",model_name=\"bench\"} 5\n\
                vllm:num_requests_running{engine=\"0\",model_name=\"other\"} 7\n";
    let gauges = vllm_says(both).await;
    assert_eq!((gauges.running, gauges.engines), (Some(5.0), 1));
    let strangers = both.replace("bench", "third");
    let gauges = vllm_says(&strangers).await;
    assert_eq!(gauges.running, None);
    assert!(
        gauges.notes[0].contains("`other`, `third`"),
        "{:?}",
        gauges.notes
    );
    // One name is the measured model's, whatever it is called there.
    let alias = "vllm:num_requests_running{model_name=\"first-name\"} 4\n";
    assert_eq!(vllm_says(alias).await.running, Some(4.0));
}

#[tokio::test(start_paused = true)]
async fn old_names_are_read_and_new_ones_win() {
    let old = "vllm:num_requests_running 1\n\
               vllm:gpu_cache_usage_perc 0.25\n\
               vllm:gpu_prefix_cache_queries_total 80\n\
               vllm:gpu_prefix_cache_hits_total 60\n";
    let gauges = vllm_says(old).await;
    assert_eq!(gauges.kv_use_max, Some(0.25));
    assert_eq!(
        (gauges.prefix_queries, gauges.prefix_hits),
        (Some(80.0), Some(60.0))
    );
    assert_eq!(gauges.engines, 1, "no engine label is one engine");
    let both = format!("{old}vllm:kv_cache_usage_perc 0.5\n");
    assert_eq!(vllm_says(&both).await.kv_use_max, Some(0.5));
}

#[tokio::test(start_paused = true)]
async fn values_that_are_no_numbers_are_left_out() {
    let text = "vllm:num_requests_running{engine=\"0\"} NaN\n\
                vllm:num_requests_running{engine=\"1\"} 2\n\
                vllm:num_requests_waiting +Inf\n";
    let gauges = vllm_says(text).await;
    assert_eq!((gauges.running, gauges.waiting), (Some(2.0), None));
}

#[tokio::test(start_paused = true)]
async fn b079_a_metrics_that_are_off_say_how_to_turn_them_on() {
    let off = r#"{"error":{"code":501,"message":"metrics are not enabled on this server"}}"#;
    let gauges = read(llamacpp().get("/metrics", Reply::new(501, "application/json", off)))
        .await
        .unwrap();
    assert_eq!(
        gauges.notes,
        ["server metrics: off (llama-server needs --metrics)"]
    );
    assert_eq!(gauges.running, Some(2.0), "the slots tell as much");
    assert_eq!((gauges.waiting, gauges.output_tokens), (None, None));
    let neither = llamacpp()
        .get("/metrics", Reply::new(501, "application/json", off))
        .get("/slots", Reply::new(501, "application/json", off));
    let gauges = read(neither).await.unwrap();
    assert_eq!((gauges.running, gauges.engines), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn b079_b_rates_come_from_counters_and_not_from_lifetime_averages() {
    let first = read(llamacpp()).await.unwrap();
    let later = fixture("llamacpp/metrics.txt")
        .replace("tokens_predicted_total 1000", "tokens_predicted_total 4000")
        .replace("predicted_seconds_total 20", "predicted_seconds_total 50");
    let second = read(llamacpp().get("/metrics", Reply::text(later)))
        .await
        .unwrap();
    assert_eq!(second.decode_rate_since(&first), Some(100.0));
    assert_eq!(first.decode_rate_since(&first), None, "no time has passed");
    assert_eq!(first.prefix_queries, Some(15_000.0));
    assert_eq!(first.prefix_hits, Some(2_000.0));
}

#[tokio::test(start_paused = true)]
async fn b079_c_a_body_that_is_no_metrics_text() {
    let gauges = read(llamacpp().get("/metrics", Reply::text("oops, not metrics\n")))
        .await
        .unwrap();
    assert_eq!((gauges.running, gauges.engines), (None, 0));
    assert!(gauges.notes[0].contains("line 1: `oops, not metrics`"));
    let partly = format!("garbage\n{}", fixture("llamacpp/metrics.txt"));
    let gauges = read(llamacpp().get("/metrics", Reply::text(partly)))
        .await
        .unwrap();
    assert_eq!(gauges.running, Some(4.0));
    assert!(gauges.notes[0].contains("1 line(s) not understood"));
}

#[tokio::test(start_paused = true)]
async fn b080_an_empty_body_is_nothing_and_not_zero() {
    let gauges = vllm_says("").await;
    assert_eq!(
        (gauges.running, gauges.output_tokens, gauges.engines),
        (None, None, 0)
    );
    assert_eq!(gauges.notes, ["server metrics: none (empty answer)"]);
    let gauges = vllm_says("process_open_fds 3\n").await;
    assert!(gauges.notes[0].contains("--disable-log-stats"));
    let error = read(vllm().get("/metrics", Reply::html(200, "<html>Sign in")))
        .await
        .unwrap_err();
    assert!(matches!(error, GaugeError::Exposition(_)));
    let error = read(vllm().get("/metrics", Reply::new(403, "text/plain", "no")))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "`/metrics` answers 403 `no`");
}

#[tokio::test(start_paused = true)]
async fn unknown_servers_have_no_gauges() {
    let list = Reply::json(r#"{"data":[{"id":"m"}]}"#);
    let gauges = read(Fake::new().get("/v1/models", list)).await.unwrap();
    assert_eq!(gauges.engines, 0);
    assert_eq!(gauges.notes.len(), 1);
}

fn reading(prompt_tokens: f64, process_start: Option<f64>) -> Gauges {
    Gauges {
        prompt_tokens: Some(prompt_tokens),
        process_start,
        ..Gauges::default()
    }
}

#[test]
fn b080_counters_that_jump_back_come_from_several_replicas() {
    use Continuity::{Restarted, Steady, Unreliable};
    let check = |readings: &[(f64, Option<f64>)], expected: &[Continuity]| {
        let mut watch = CounterWatch::default();
        let seen: Vec<Continuity> = readings
            .iter()
            .map(|(tokens, start)| watch.observe(&reading(*tokens, *start)))
            .collect();
        assert_eq!(seen, expected);
    };
    let none = None;
    check(
        &[(5_000.0, none), (120.0, none), (5_200.0, none)],
        &[Steady, Unreliable, Unreliable],
    );
    check(
        &[(5_000.0, none), (5_000.0, none), (5_200.0, none)],
        &[Steady, Steady, Steady],
    );
    check(
        &[(5_000.0, Some(1.0)), (120.0, Some(2.0)), (300.0, Some(2.0))],
        &[Steady, Restarted, Steady],
    );
    check(
        &[
            (5_000.0, Some(1.0)),
            (120.0, Some(2.0)),
            (5_200.0, Some(1.0)),
        ],
        &[Steady, Restarted, Unreliable],
    );
}
