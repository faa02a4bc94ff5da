//! Which frames are events, and what they count (methodology section 1).

use tokmark_openai_stream::reply::{Channel, ReplyReader};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

use crate::feed::{DONE, EVENTS, Seen, chat, completions, content, delta, finish, frame};

/// A chat of frames with a running count and perhaps text, 10 ms apart.
fn counted(frames: &[(&str, &str, u64)]) -> Seen {
    let pieces: Vec<(u64, String)> = frames
        .iter()
        .zip(1..)
        .map(|((text, finish, count), n)| {
            let object = format!(
                r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":{finish}}}],"usage":{{"prompt_tokens":51,"completion_tokens":{count}}}}}"#
            );
            (n * 10, frame(&object))
        })
        .collect();
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(ms, text)| (*ms, text.as_str()))
        .collect();
    chat(&pieces)
}

#[test]
fn a_raised_count_without_text_is_an_event() {
    let seen = counted(&[
        ("", "null", 0),
        ("", "null", 3),
        ("", "null", 3),
        ("a", "null", 4),
        ("", r#""stop""#, 5),
    ]);
    seen.succeeded();
    assert_eq!(seen.times(), [20.0, 40.0, 50.0]);
    assert_eq!(
        seen.channels(),
        [Channel::Silent, Channel::Content, Channel::Silent]
    );
    assert_eq!(seen.counts(), [3, 4, 5].map(Some));
}

#[test]
fn two_frames_of_one_token_are_two_events() {
    let seen = counted(&[("a", "null", 1), ("b", "null", 1), ("c", r#""length""#, 2)]);
    assert_eq!(seen.counts(), [1, 1, 2].map(Some));
}

#[test]
fn a_reply_of_one_frame_is_counted_by_it() {
    let seen = counted(&[("whole", r#""stop""#, 3)]);
    assert_eq!((seen.times(), seen.counts()), (vec![10.0], vec![Some(3)]));
}

/// A total with the last text is not that event's count: it would move every token to the end.
#[test]
fn total_on_a_last_frame_with_text_is_not_its_count() {
    let last = frame(
        r#"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":3,"completion_tokens":40}}"#
            .replace('\n', "")
            .as_str(),
    );
    let seen = chat(&[(10, &content("a")), (20, &last)]);
    assert_eq!(seen.counts(), [None, None]);
    assert_eq!(seen.output_tokens(), Some(40));
}

#[test]
fn llama_cpp_counts_by_timings() {
    let object = |text: &str, finish: &str, n: u64| {
        frame(&format!(
            r#"{{"choices":[{{"delta":{{"content":{text}}},"finish_reason":{finish}}}],"timings":{{"cache_n":5,"predicted_n":{n}}}}}"#
        ))
    };
    let seen = chat(&[
        (10, &object("null", "null", 0)),
        (20, &object(r#""a""#, "null", 1)),
        (30, &object(r#""b c""#, "null", 3)),
        (40, &object("null", r#""length""#, 3)),
        (40, DONE),
    ]);
    seen.succeeded();
    assert_eq!(
        (seen.times(), seen.counts()),
        (vec![20.0, 30.0], vec![Some(1), Some(3)])
    );
    assert_eq!(seen.reply.timings.unwrap().cache_n, Some(5));
    // Asked without `timings_per_token`, the total comes with the finish and is no event.
    let total = chat(&[
        (20, &content("a")),
        (40, &object("null", r#""length""#, 24)),
    ]);
    assert_eq!((total.times(), total.counts()), (vec![20.0], vec![None]));
    assert_eq!(total.reply.timings.unwrap().predicted_n, Some(24));
}

#[test]
fn prefill_progress_is_no_event() {
    let progress = r#"{"choices":[{"delta":{"role":"assistant","content":null}}],
        "prompt_progress":{"total":100,"cache":0,"processed":50,"time_ms":9}}"#
        .replace('\n', "");
    let seen = chat(&[
        (10, &frame(&progress)),
        (20, &content("a")),
        (30, &finish("stop")),
    ]);
    assert_eq!(seen.times(), [20.0]);
}

#[test]
fn ollama_zero_usage_is_ignored() {
    let object = |text: &str, finish: &str| {
        frame(&format!(
            r#"{{"choices":[{{"text":"{text}","finish_reason":{finish}}}],"usage":{{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}}}"#
        ))
    };
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;
    let seen = completions(&[
        (10, &object("a", "null")),
        (20, &object("b", "null")),
        (30, &object("", r#""stop""#)),
        (30, &frame(usage)),
        (30, DONE),
    ]);
    seen.succeeded();
    assert_eq!(
        (seen.times(), seen.counts()),
        (vec![10.0, 20.0], vec![None, None])
    );
    assert_eq!(seen.output_tokens(), Some(2));
}

#[test]
fn token_ids_count_and_speak_for_silent_tokens() {
    let object = |text: &str, ids: &str| {
        frame(&format!(
            r#"{{"choices":[{{"text":"{text}","token_ids":{ids}}}]}}"#
        ))
    };
    let seen = completions(&[
        (10, &object("a", "[5]")),
        (20, &object("", "[6]")),
        (30, &object("", "[]")),
        (40, &object("bc", "[7,8]")),
        (50, &finish("stop")),
    ]);
    seen.succeeded();
    let ids: Vec<_> = seen.events.iter().map(|event| event.token_ids).collect();
    assert_eq!(
        (seen.times(), ids),
        (vec![10.0, 20.0, 40.0], vec![Some(1), Some(1), Some(2)])
    );
    assert_eq!(seen.channels()[1], Channel::Silent);
}

#[test]
fn tool_calls_are_generated_text() {
    let name = r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":""}}]}"#;
    let arguments = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#;
    let seen = chat(&[
        (10, &delta(name, "")),
        (20, &delta(arguments, "")),
        (30, &finish("tool_calls")),
    ]);
    seen.succeeded();
    assert_eq!(seen.channels(), [Channel::ToolCall; 2]);
    assert_eq!(seen.text(), "look{}");
}

#[test]
fn text_of_either_endpoint_counts_once() {
    let both = frame(r#"{"choices":[{"text":"x","delta":{"content":"x"}}]}"#);
    let text = frame(r#"{"choices":[{"text":"y"}]}"#);
    assert_eq!(chat(&[(10, &both), (20, &text)]).text(), "xy");
    assert_eq!(
        completions(&[(10, &both), (20, &content("y"))]).text(),
        "xy"
    );
}

/// mistral.rs and gateways add named events of their own.
#[test]
fn named_events_are_passed_over() {
    let progress = "event: agentic_tool_call_progress\ndata: {\"content\":\"x\"}\n\n";
    let seen = chat(&[(5, progress), (10, &content("a")), (20, &finish("stop"))]);
    seen.succeeded();
    assert_eq!(seen.times(), [10.0]);
    let alone = chat(&[(5, progress)]).failure().unwrap();
    assert!(alone.contains("`agentic_tool_call_progress`"), "{alone}");
}

#[test]
fn nothing_counts_behind_done() {
    let seen = chat(&[
        (10, &content("a")),
        (20, DONE),
        (30, &content("b")),
        (40, "data: x\n\n"),
    ]);
    seen.succeeded();
    assert_eq!(seen.text(), "a");
}

/// A finish without any token is an end, not a failure: its frame is the prefill's TTFT.
#[test]
fn finish_without_tokens_is_a_success() {
    let role = delta(r#"{"role":"assistant","content":""}"#, "");
    let seen = chat(&[(10, &role), (20, &finish("length")), (20, DONE)]);
    seen.succeeded();
    assert!(seen.events.is_empty());
    assert_eq!(seen.reply.finish_at, Some(Nanos::from_millis(20)));
}

#[test]
fn names_of_model_and_build_are_kept() {
    let first = r#"{"model":"tiny","system_fingerprint":"","choices":[]}"#;
    let last = r#"{"model":"other","system_fingerprint":"b1","choices":[]}"#;
    let seen = chat(&[
        (10, &frame(first)),
        (20, &content("a")),
        (30, &frame(last)),
        (30, DONE),
    ]);
    assert_eq!(seen.reply.model.as_deref(), Some("tiny"));
    assert_eq!(seen.reply.system_fingerprint.as_deref(), Some("b1"));
    let tabby = frame(r#"{"model_name":"exl","choices":[]}"#);
    assert_eq!(chat(&[(10, &tabby)]).reply.model.as_deref(), Some("exl"));
}

#[test]
fn usage_is_known_before_the_end() {
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(200, Some(EVENTS), None, None);
    assert_eq!(reader.usage_so_far(), None);
    let body = frame(
        r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
    );
    let mut events = Vec::new();
    reader.push(Nanos::from_millis(1), body.as_bytes(), &mut events);
    assert_eq!(reader.usage_so_far().unwrap().prompt_tokens, Some(5));
}

/// Details that only one of several usages has stay known.
#[test]
fn usage_is_completed_by_earlier_ones() {
    let with = frame(
        r#"{"choices":[],"usage":{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}"#,
    );
    let without = frame(r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#);
    let usage = chat(&[(1, &with), (2, &without)]).reply.usage.unwrap();
    assert_eq!(
        (usage.cached_tokens, usage.completion_tokens),
        (Some(4), Some(2))
    );
}
