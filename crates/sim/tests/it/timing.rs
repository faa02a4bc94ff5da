//! Times: what a client sees equals the model, whatever the load.

use std::time::Duration;

use http::Method;
use tokmark_sim::model::Speculation;
use tokmark_sim::server::Ending;
use tokmark_sim::text::Reasoning;
use tokmark_sim::text::ReasoningField;
use tokmark_units::Nanos;

use crate::client::{complete, document, gauge, get, now, open, read, request, server};

#[tokio::test(start_paused = true)]
async fn first_token_and_gaps_equal_the_model() {
    let server = server(|_| {});
    let stream = complete(&server, &document(1, 100), 4).await;
    // 2 ms front end, 10 ms a step, 100 prompt tokens at 1 ms.
    assert_eq!(stream.token_ms(), [112, 122, 132, 142]);
    let truth = server.truth();
    let request = &truth.requests[0];
    assert_eq!(request.prompt_tokens, 100);
    assert_eq!(request.tokens(), 4);
    let since = |at: Nanos| (at - request.arrival).0;
    assert_eq!(since(request.prefill_start.unwrap()), 2_000_000);
    assert_eq!(since(request.first_token.unwrap()), 112_000_000);
    // The timer's grain is 1 ms; nothing is ever handed over early.
    for emission in &request.emissions {
        assert!(emission.at >= emission.produced);
        assert!((emission.at - emission.produced).0 <= 1_000_000);
    }
    let (ending, at) = request.ended.unwrap();
    assert_eq!(ending, Ending::Length);
    assert_eq!(at, request.emissions[3].at);
}

#[tokio::test(start_paused = true)]
async fn a_prefill_of_200_seconds_takes_no_real_time() {
    let server = server(|c| {
        c.engine.cost.prefill.0 = 50_000_000.0;
    });
    let stream = complete(&server, &document(1, 4_000), 2).await;
    // Two chunks of at most 2,048 tokens, 10 ms each.
    assert_eq!(stream.token_ms(), [200_022, 200_032]);
}

#[tokio::test(start_paused = true)]
async fn requests_sent_together_share_their_steps() {
    let server = server(|c| c.engine.cost.sequence.0 = 1_000_000.0);
    let prompts: Vec<_> = (0..4).map(|seed| document(seed, 10)).collect();
    let streams =
        futures_util::future::join_all(prompts.iter().map(|p| complete(&server, p, 3))).await;
    for stream in streams {
        // 2 ms + 10 ms + 4 x (1 ms a sequence + 10 prompt tokens); then 14 ms a step.
        assert_eq!(stream.token_ms(), [56, 70, 84]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_over_the_limit_waits_and_the_gauges_say_so() {
    let server = server(|c| c.engine.max_num_seqs = 2);
    let prompts: Vec<_> = (0..3).map(|seed| document(seed, 10)).collect();
    let all = futures_util::future::join_all(prompts.iter().map(|p| complete(&server, p, 5)));
    let look = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let usage = gauge(&server, "kv_cache_usage_perc").await;
        assert!((usage - 2.0 / 1_023.0).abs() < 1e-12, "{usage}");
        (
            gauge(&server, "num_requests_running").await,
            gauge(&server, "num_requests_waiting").await,
        )
    };
    let (streams, (running, waiting)) = tokio::join!(all, look);
    assert!(
        (running - 2.0).abs() < 1e-9 && (waiting - 1.0).abs() < 1e-9,
        "{running} {waiting}"
    );
    assert_eq!(streams[0].token_ms(), streams[1].token_ms());
    assert_eq!(streams[0].token_ms(), [32, 42, 52, 62, 72]);
    assert_eq!(streams[2].token_ms()[0], 92);
}

#[tokio::test(start_paused = true)]
async fn running_out_of_cache_is_counted() {
    let server = server(|c| {
        c.engine.max_model_len = 512;
        c.engine.num_blocks = 33;
    });
    // Two times 200 tokens fit into 32 blocks of 16, two times 400 do not.
    let (one, two) = (document(1, 200), document(2, 200));
    let (first, second) = tokio::join!(complete(&server, &one, 200), complete(&server, &two, 200));
    for stream in [&first, &second] {
        assert_eq!(stream.usage()["completion_tokens"], 200);
    }
    let mut preemptions: Vec<_> = server
        .truth()
        .requests
        .iter()
        .map(|r| r.preemptions)
        .collect();
    preemptions.sort_unstable();
    assert_eq!(preemptions, [0, 1]);
    assert!((gauge(&server, "num_preemptions_total").await - 1.0).abs() < 1e-9);
    let gaps = |ms: Vec<u64>| ms.windows(2).map(|w| w[1] - w[0]).max().unwrap();
    assert_eq!(gaps(first.token_ms()).min(gaps(second.token_ms())), 10);
    assert!(gaps(first.token_ms()).max(gaps(second.token_ms())) > 500);
}

#[tokio::test(start_paused = true)]
async fn hanging_up_frees_the_engine() {
    let server = server(|_| {});
    let mut sender = open(&server).await;
    let body = crate::client::completion(&document(1, 100), 5_000);
    let start = now();
    let response = sender
        .send_request(request(Method::POST, "/v1/completions", body.to_string()))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!((gauge(&server, "num_requests_running").await - 1.0).abs() < 1e-9);
    let (_, load) = get(&server, "/load").await;
    assert_eq!(load, r#"{"server_load":1}"#);
    drop(response);
    drop(sender);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(gauge(&server, "num_requests_running").await.abs() < 1e-9);
    assert!(gauge(&server, "kv_cache_usage_perc").await.abs() < 1e-9);
    let truth = server.truth();
    assert_eq!(truth.requests[0].ended.unwrap().0, Ending::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(1));
    // A client that does not stream hangs up the same way.
    let mut body = crate::client::completion(&document(2, 100), 5_000);
    body["stream"] = serde_json::json!(false);
    body.as_object_mut().unwrap().remove("stream_options");
    let mut sender = open(&server).await;
    let send = sender.send_request(request(Method::POST, "/v1/completions", body.to_string()));
    let cut = tokio::time::timeout(Duration::from_millis(300), send).await;
    assert!(cut.is_err());
    drop(sender);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(gauge(&server, "num_requests_running").await.abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn two_requests_on_one_connection() {
    let server = server(|_| {});
    let mut sender = open(&server).await;
    for (number, expect) in [(1, vec![32, 42]), (2, vec![32, 42])] {
        let body = crate::client::completion(&document(number, 20), 2);
        let start = now();
        let response = sender
            .send_request(request(Method::POST, "/v1/completions", body.to_string()))
            .await
            .unwrap();
        let stream = read(start, response).await;
        assert_eq!(stream.token_ms(), expect);
        sender.ready().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn b004_several_tokens_in_an_event() {
    let server = server(|c| {
        c.engine.speculation = Some(Speculation {
            drafts: 3,
            acceptance: 0.8,
        });
    });
    let stream = complete(&server, &document(1, 10), 50).await;
    let events = stream.token_ms().len();
    assert!(events < 35, "{events}");
    assert_eq!(stream.usage()["completion_tokens"], 50);
    let request = &server.truth().requests[0];
    assert_eq!((request.emissions.len(), request.tokens()), (events, 50));
    assert_eq!(server.config().engine.speculation.unwrap().drafts, 3);
    let drafts = gauge(&server, "spec_decode_num_drafts_total").await;
    let accepted = gauge(&server, "spec_decode_num_accepted_tokens_total").await;
    assert!(drafts > 10.0 && accepted > drafts, "{drafts} {accepted}");
}

#[tokio::test(start_paused = true)]
async fn reasoning_moves_the_text_and_not_the_times() {
    for (field, name) in [
        (ReasoningField::ReasoningContent, "reasoning_content"),
        (ReasoningField::Reasoning, "reasoning"),
        (ReasoningField::Hidden, "content"),
    ] {
        let server = server(|c| c.text.reasoning = Some(Reasoning { tokens: 3, field }));
        let body = crate::client::chat("Think", 5);
        let stream = crate::client::stream(&server, "/v1/chat/completions", &body).await;
        let deltas: Vec<_> = stream.events[1..6]
            .iter()
            .map(|e| e.json()["choices"][0]["delta"].clone())
            .collect();
        for delta in &deltas[..3] {
            let text = delta[name].as_str().unwrap();
            assert_eq!(text.is_empty(), field == ReasoningField::Hidden, "{delta}");
            assert_eq!(delta.as_object().unwrap().len(), 1);
        }
        for delta in &deltas[3..] {
            assert!(!delta["content"].as_str().unwrap().is_empty());
        }
        let usages: Vec<_> = stream.events[1..6]
            .iter()
            .map(|e| e.json()["usage"]["completion_tokens"].clone())
            .collect();
        assert_eq!(usages, [1, 2, 3, 4, 5]);
        assert_eq!(server.truth().requests[0].tokens(), 5);
    }
}
