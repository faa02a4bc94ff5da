//! Cases of first tokens, gaps and counts whose right value is a property of the decoded stream.

use tokmark_openai_stream::reply::{Channel, FinishReason};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

use crate::feed::{self, DONE, chat, content, delta, finish, frame};

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-6
}

#[test]
fn b001_role_only_chunk_is_no_token() {
    for opening in [
        r#"{"role":"assistant","content":""}"#,
        r#"{"role":"assistant","content":null}"#,
        r#"{"role":"assistant"}"#,
    ] {
        let last = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#
            .replace('\n', "");
        let seen = chat(&[
            (10, &delta(opening, r#","finish_reason":null"#)),
            (1_000, &content("Red")),
            (1_020, &content(" fox")),
            (1_020, &frame(&last)),
            (1_020, DONE),
        ]);
        seen.succeeded();
        assert_eq!(seen.ttft(), Some(1_000.0), "{opening}");
        assert_eq!(seen.gaps(), [20.0]);
        assert_eq!(seen.output_tokens(), Some(2));
        assert!(near(seen.tpot(2.0), 20.0));
    }
}

fn reasoning_stream(thinking: [&str; 2], answer: bool) -> feed::Seen {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":4,
        "completion_tokens_details":{"reasoning_tokens":2}}}"#
        .replace('\n', "");
    let mut pieces = vec![
        (200, delta(r#"{"role":"assistant"}"#, "")),
        (200, delta(thinking[0], "")),
        (220, delta(thinking[1], "")),
    ];
    if answer {
        pieces.push((240, content("91")));
        pieces.push((
            260,
            delta(r#"{"content":" no"}"#, r#","finish_reason":"stop""#),
        ));
    } else {
        pieces.push((220, finish("length")));
    }
    pieces.push((260, frame(&usage)));
    pieces.push((260, DONE.to_owned()));
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(ms, text)| (*ms, text.as_str()))
        .collect();
    chat(&pieces)
}

#[test]
fn b002_reasoning_under_either_name_is_generated_text() {
    let older = [
        r#"{"reasoning_content":"Let"}"#,
        r#"{"reasoning_content":" me"}"#,
    ];
    let newer = [
        r#"{"reasoning":"Let","content":""}"#,
        r#"{"reasoning":" me"}"#,
    ];
    let both = [
        r#"{"reasoning":"Let","reasoning_content":"Let"}"#,
        r#"{"reasoning":" me","reasoning_content":" me"}"#,
    ];
    for thinking in [older, newer, both] {
        let seen = reasoning_stream(thinking, true);
        seen.succeeded();
        assert_eq!((seen.ttft(), seen.ttfat()), (Some(200.0), Some(240.0)));
        assert_eq!(seen.gaps(), [20.0, 20.0, 20.0]);
        assert_eq!(seen.text(), "Let me91 no");
        let usage = seen.reply.usage.unwrap();
        assert_eq!(
            (usage.completion_tokens, usage.reasoning_tokens),
            (Some(4), Some(2))
        );
    }
}

#[test]
fn b002_reasoning_without_an_answer_has_a_ttft() {
    let seen = reasoning_stream([r#"{"reasoning":"Let"}"#, r#"{"reasoning":" me"}"#], false);
    seen.succeeded();
    assert_eq!((seen.ttft(), seen.ttfat()), (Some(200.0), None));
    assert_eq!(seen.reply.finish, Some(FinishReason::Length));
}

#[test]
fn b002_a_frame_with_both_counts_once() {
    let seen = chat(&[
        (
            200,
            &delta(r#"{"reasoning_content":"so","content":" yes"}"#, ""),
        ),
        (210, &finish("stop")),
    ]);
    seen.succeeded();
    assert_eq!(seen.channels(), [Channel::Content]);
    assert_eq!(seen.text(), "so yes");
}

#[test]
fn b004_multi_token_event() {
    let pieces: Vec<(u64, String)> = (1..=5)
        .map(|n| {
            let usage = format!(
                r#"{{"choices":[{{"index":0,"delta":{{"content":" c d"}}}}],"usage":{{"prompt_tokens":5,"completion_tokens":{}}}}}"#,
                2 * n
            );
            (80 + 20 * n, frame(&usage))
        })
        .chain([(180, finish("stop")), (180, DONE.to_owned())])
        .collect();
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(ms, text)| (*ms, text.as_str()))
        .collect();
    let seen = chat(&pieces);
    seen.succeeded();
    assert_eq!(seen.output_tokens(), Some(10));
    assert_eq!(seen.counts(), [2, 4, 6, 8, 10].map(Some));
    assert_eq!(seen.gaps(), [20.0; 4]);
    assert!((seen.tpot(10.0) - 8.89).abs() < 0.01);
}

#[test]
fn b005_empty_frame_is_neither_token_nor_gap() {
    let seen = chat(&[
        (100, &content("Hi")),
        (120, &content("")),
        (
            140,
            &delta(r#"{"content":" all"}"#, r#","finish_reason":"stop""#),
        ),
        (
            140,
            &frame(r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#),
        ),
    ]);
    seen.succeeded();
    assert_eq!(seen.gaps(), [40.0]);
    assert_eq!(seen.output_tokens(), Some(2));
    assert!(near(seen.tpot(2.0), 40.0));
}

/// Frames at 100 and 120 ms, the finish at 130 ms, with usage where `usage` says.
fn usage_stream(on_all: &str, at_finish: &str, behind: &str) -> feed::Seen {
    let text = |text: &str| {
        frame(&format!(
            r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]{on_all}}}"#
        ))
    };
    let end = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"stop"}}]{at_finish}}}"#);
    let behind = if behind.is_empty() {
        String::new()
    } else {
        frame(&format!(r#"{{"choices":[]{behind}}}"#))
    };
    chat(&[
        (100, &text("a")),
        (120, &text(" b")),
        (130, &frame(&end)),
        (190, &behind),
        (190, DONE),
    ])
}

#[test]
fn b010_usage_nowhere_behind_or_with_the_finish() {
    let usage = r#","usage":{"prompt_tokens":7,"completion_tokens":3}"#;
    let null = r#","usage":null"#;
    let none = usage_stream("", "", "");
    none.succeeded();
    assert_eq!(none.reply.usage, None, "absent is not zero");
    for (on_all, at_finish, behind) in [(null, null, usage), ("", usage, ""), (null, usage, "")] {
        let seen = usage_stream(on_all, at_finish, behind);
        seen.succeeded();
        assert_eq!(seen.times(), [100.0, 120.0], "the last token does not move");
        assert_eq!(seen.counts(), [None, None], "a total is no running count");
        assert_eq!(seen.output_tokens(), Some(3));
        assert_eq!(seen.reply.usage.unwrap().cached_tokens, None);
        assert_eq!(seen.reply.finish_at, Some(Nanos::from_millis(130)));
    }
}

#[test]
fn b011_frames_without_choices_and_a_stream_without_tokens() {
    let seen = chat(&[
        (
            50,
            &frame(r#"{"id":"x","choices":[],"prompt_filter_results":[]}"#),
        ),
        (60, &frame(r#"{"id":"x"}"#)),
        (70, &frame(r#"{"id":"x","choices":null}"#)),
        (
            300,
            &delta(r#"{"content":"ok"}"#, r#","finish_reason":"stop""#),
        ),
        (
            300,
            &frame(r#"{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":1}}"#),
        ),
        (300, DONE),
    ]);
    seen.succeeded();
    assert_eq!(seen.times(), [300.0]);

    let empty = chat(&[(300, DONE)]);
    assert!(empty.failure().unwrap().starts_with("empty_stream: "));
    assert!(empty.events.is_empty());
}

#[test]
fn b013_responses_stream_is_refused_in_words() {
    let named = "event: response.created\ndata: {\"type\":\"response.created\"}\n\n";
    let unnamed = frame(r#"{"type":"response.output_text.delta","delta":"Blue"}"#);
    for body in [named, &unnamed] {
        let seen = chat(&[(10, body)]);
        let failure = seen.failure().unwrap();
        assert!(failure.starts_with("protocol: "), "{failure}");
        assert!(failure.contains("Responses API"), "{failure}");
        assert!(seen.events.is_empty());
    }
    let error = "responses".parse::<Endpoint>().unwrap_err();
    assert!(error.to_string().contains("Responses API"));
}

#[test]
fn b014_decode_begins_with_the_reasoning() {
    let seen = chat(&[
        (20_000, &delta(r#"{"reasoning":"hm"}"#, "")),
        (30_000, &content("so")),
        (
            31_000,
            &delta(r#"{"content":"."}"#, r#","finish_reason":"stop""#),
        ),
        (
            31_000,
            &frame(r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":300}}"#),
        ),
    ]);
    let rate = 1_000.0 / seen.tpot(300.0);
    assert!((rate - 27.2).abs() < 0.05, "{rate}");
}

#[test]
fn b068_short_answers_are_told_by_their_finish() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":40}}"#;
    let end = delta("{}", r#","finish_reason":"stop","stop_reason":151645"#);
    let seen = chat(&[(10, &content("a")), (20, &end), (20, &frame(usage))]);
    seen.succeeded();
    assert_eq!(seen.reply.finish, Some(FinishReason::Stop));
    assert_eq!(seen.reply.stop_reason.as_deref(), Some("151645"));
    assert_eq!(seen.output_tokens(), Some(40));
}
