//! Reading one event's JSON, whatever its types.

use std::borrow::Cow;

use tokmark_openai_stream::chunk::{Chunk, Usage};

fn parse(json: &str) -> Chunk<'_> {
    Chunk::parse(json.as_bytes()).unwrap().unwrap()
}

#[test]
fn plain_text_is_borrowed() {
    let json = r#"{"model":"m","choices":[{"delta":{"content":" fox","reasoning":"é"}}]}"#;
    let chunk = parse(json);
    let delta = chunk.choices.first.unwrap().delta.unwrap();
    for text in [delta.content, delta.reasoning, chunk.model] {
        assert!(matches!(text, Some(Cow::Borrowed(_))), "{text:?}");
    }
}

#[test]
fn escapes_are_decoded() {
    let chunk = parse(r#"{"choices":[{"text":"a\n\"\u4e2d\ud83d\ude42"}]}"#);
    let text = chunk.choices.first.unwrap().text;
    assert_eq!(text.as_deref(), Some("a\n\"中🙂"));
}

#[test]
fn usage_absent_null_and_zero_differ() {
    let check = |json: &str, expect: [Option<u64>; 4]| {
        let json = format!(r#"{{"usage":{json}}}"#);
        let usage = parse(&json).usage.unwrap_or_default();
        let Usage {
            prompt_tokens,
            completion_tokens,
            cached_tokens,
            reasoning_tokens,
        } = usage;
        let found = [
            prompt_tokens,
            completion_tokens,
            cached_tokens,
            reasoning_tokens,
        ];
        assert_eq!(found, expect, "{json}");
    };
    check("null", [None; 4]);
    check("{}", [None; 4]);
    check(
        r#"{"prompt_tokens":null,"prompt_tokens_details":null}"#,
        [None; 4],
    );
    check(
        r#"{"prompt_tokens_details":{"cached_tokens":null}}"#,
        [None; 4],
    );
    check(
        r#"{"prompt_tokens":0,"prompt_tokens_details":{"cached_tokens":0}}"#,
        [Some(0), None, Some(0), None],
    );
    check(
        r#"{"prompt_tokens":5,"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":2}}"#,
        [Some(5), Some(3), None, Some(2)],
    );
    // SGLang's place for it; the details are there and empty.
    check(
        r#"{"completion_tokens":3,"reasoning_tokens":1,"completion_tokens_details":null}"#,
        [None, Some(3), None, Some(1)],
    );
    // TabbyAPI's rates may be words; counts that are no counts are absent.
    check(
        r#"{"prompt_tokens":5.0,"completion_tokens":"7","prompt_tokens_per_sec":"Indeterminate"}"#,
        [Some(5), Some(7), None, None],
    );
    check(r#"{"prompt_tokens":-1,"completion_tokens":2.5}"#, [None; 4]);
}

#[test]
fn llama_cpp_timings_and_progress() {
    let chunk = parse(
        r#"{"choices":[],"timings":{"cache_n":50,"prompt_n":1,"prompt_ms":1.5,"predicted_n":24,
            "predicted_ms":18,"draft_n":9,"draft_n_accepted":7},
            "prompt_progress":{"total":100,"cache":20,"processed":60,"time_ms":12}}"#,
    );
    let timings = chunk.timings.unwrap();
    assert_eq!((timings.prompt_n, timings.cache_n), (Some(1), Some(50)));
    assert_eq!(
        (timings.prompt_ms, timings.predicted_ms),
        (Some(1.5), Some(18.0))
    );
    assert_eq!(timings.predicted_n, Some(24));
    assert_eq!(
        (timings.draft_n, timings.draft_n_accepted),
        (Some(9), Some(7))
    );
    let progress = chunk.prompt_progress.unwrap();
    assert_eq!(progress.total, Some(100));
    assert_eq!((progress.cache, progress.processed), (Some(20), Some(60)));
    assert_eq!(progress.time_ms, Some(12.0));
}

#[test]
fn wrong_types_cost_the_member_and_nothing_else() {
    for junk in [
        "null",
        "true",
        "-3",
        "1.5",
        r#""x""#,
        "[1,[2],{}]",
        r#"{"a":{"b":[]}}"#,
    ] {
        let json = format!(
            r#"{{"id":{junk},"model":{junk},"usage":{junk},"timings":{junk},"created":{junk},
                "prompt_progress":{junk},"system_fingerprint":{junk},"choices":[{{"index":{junk},
                "logprobs":{junk},"stop_reason":{junk},"token_ids":{junk},"message":{junk},
                "delta":{{"role":{junk},"tool_calls":{junk},"reasoning":{junk},"content":"ok"}}}}]}}"#
        );
        let chunk = parse(&json);
        let choice = chunk.choices.first.unwrap();
        assert_eq!(
            choice.delta.unwrap().content.as_deref(),
            Some("ok"),
            "{junk}"
        );
    }
}

#[test]
fn choices_of_the_wrong_type_are_no_choices() {
    for junk in [
        "null", "1", r#""x""#, "{}", "[]", "[null]", "[[]]", r#"["x"]"#,
    ] {
        let json = format!(r#"{{"choices":{junk}}}"#);
        assert_eq!(parse(&json).choices.first, None, "{junk}");
    }
    for root in ["null", "1", r#""x""#, "[]"] {
        assert_eq!(Chunk::parse(root.as_bytes()).unwrap(), None, "{root}");
    }
    for broken in ["", "{", r#"{"choices":[}"#, "data"] {
        assert!(Chunk::parse(broken.as_bytes()).is_err(), "{broken}");
    }
}

#[test]
fn tool_calls_give_names_and_arguments() {
    let check = |delta: &str, expect: Option<&str>| {
        let json = format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
        let chunk = parse(&json);
        let delta = chunk.choices.first.unwrap().delta.unwrap();
        assert_eq!(delta.tool_text().as_deref(), expect, "{json}");
    };
    let call = r#"{"index":0,"id":"c","function":{"name":"look","arguments":""}}"#;
    let more = r#"{"index":0,"function":{"arguments":"{\"a\":1}"}}"#;
    check(&format!(r#"{{"tool_calls":[{call}]}}"#), Some("look"));
    check(&format!(r#"{{"tool_calls":[{more}]}}"#), Some(r#"{"a":1}"#));
    check(
        &format!(r#"{{"tool_calls":[{call},{more}]}}"#),
        Some(r#"look{"a":1}"#),
    );
    check(r#"{"function_call":{"name":"look"}}"#, Some("look"));
    check(r#"{"tool_calls":[]}"#, None);
    check(
        r#"{"tool_calls":[{"index":0,"function":{"arguments":""}}]}"#,
        None,
    );
}

#[test]
fn token_ids_are_counted_under_either_name() {
    let ids = |json: &str| {
        let json = format!(r#"{{"choices":[{{{json}}}]}}"#);
        parse(&json).choices.first.unwrap().ids()
    };
    assert_eq!(ids(r#""token_ids":[3838,3838]"#), Some(2));
    assert_eq!(ids(r#""output_ids":[1]"#), Some(1));
    assert_eq!(ids(r#""token_ids":null,"prompt_token_ids":[1,2]"#), None);
    assert_eq!(ids(r#""token_ids":[]"#), Some(0));
}

/// Servers of the transition send thinking under both names; it is counted once, and whole.
#[test]
fn thinking_is_the_longer_of_two() {
    let check = |delta: &str, expect: Option<&str>| {
        let json = format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
        let chunk = parse(&json);
        let delta = chunk.choices.first.unwrap().delta.unwrap();
        assert_eq!(delta.thinking(), expect, "{json}");
    };
    check(r#"{"reasoning":"a","reasoning_content":"a"}"#, Some("a"));
    check(r#"{"reasoning":"ab","reasoning_content":"a"}"#, Some("ab"));
    check(r#"{"reasoning":"a","reasoning_content":"ab"}"#, Some("ab"));
    check(r#"{"reasoning":"","reasoning_content":null}"#, None);
}
