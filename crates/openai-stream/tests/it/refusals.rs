//! Which member of a request a refusal names.

use tokmark_openai_stream::request::refused_field;

/// Everything optional that a request may carry, the output limit last.
pub(crate) const SENT: [&str; 11] = [
    "temperature",
    "top_p",
    "seed",
    "ignore_eos",
    "min_tokens",
    "continuous_usage_stats",
    "stream_options",
    "timings_per_token",
    "return_token_ids",
    "cache_prompt",
    "max_tokens",
];

#[track_caller]
fn check(text: &str, expect: Option<&str>) {
    check_of(&SENT, "max_tokens", text, expect);
}

#[track_caller]
fn check_of(sent: &[&str], limit: &str, text: &str, expect: Option<&str>) {
    assert_eq!(refused_field(text, sent, limit), expect, "{text}");
}

#[test]
fn b010_stream_options_are_refused() {
    check(
        r#"{"error":{"message":"unknown field stream_options","type":"invalid_request_error"}}"#,
        Some("stream_options"),
    );
    // vLLM names the parameter apart.
    check(
        r#"{"error":{"message":"Only with stream.","param":"stream_options","code":400}}"#,
        Some("stream_options"),
    );
    // The narrower one goes first where it is named.
    check(
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","continuous_usage_stats"],"msg":"Extra inputs are not permitted"}]}"#,
        Some("continuous_usage_stats"),
    );
}

#[test]
fn b068_ignore_eos_is_refused() {
    check(
        r#"{"detail":"Unexpected fields in the request: {'ignore_eos'}"}"#,
        Some("ignore_eos"),
    );
    check(
        r#"{"detail":"Unexpected fields in the request: {'min_tokens', 'ignore_eos'}"}"#,
        Some("min_tokens"),
    );
    check("unknown argument: ignore_eos", Some("ignore_eos"));
    check(
        r#"{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'ignore_eos'), 'msg': 'Extra inputs are not permitted', 'input': True}]","code":400}"#,
        Some("ignore_eos"),
    );
}

#[test]
fn b070_the_limit_is_refused_by_its_name() {
    let swapped = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#;
    check(swapped, Some("max_tokens"));
    let newer = ["seed", "max_completion_tokens"];
    check_of(
        &newer,
        "max_completion_tokens",
        "unknown field `max_completion_tokens`",
        Some("max_completion_tokens"),
    );
    check_of(
        &newer,
        "max_completion_tokens",
        "unknown field `max_tokens`",
        None,
    );
}

#[test]
fn a_limit_of_the_wrong_size_is_not_refused_by_its_name() {
    check(
        "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)",
        None,
    );
    check(
        r#"{"error":{"message":"max_tokens=32768 cannot be greater than max_model_len=8192. (parameter=max_tokens)","param":"max_tokens","code":400}}"#,
        None,
    );
    check(
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Extra: seed",
        None,
    );
}

/// Servers that list what they would have taken do so behind what they refuse.
#[test]
fn the_first_name_is_the_refused_one() {
    check(
        "unknown field `top_p`, expected one of `model`, `messages`, `temperature`, `max_tokens`",
        Some("top_p"),
    );
    check("expected one of `seed`, `top_p`", Some("seed"));
}

#[test]
fn the_parameter_decides_before_the_text() {
    check(
        r#"{"error":{"message":"seed and top_p do not go together","param":"body.top_p"}}"#,
        Some("top_p"),
    );
}

#[test]
fn values_that_are_repeated_name_nothing() {
    check(
        "1 validation error: {'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required', 'input': {'model': 'tiny', 'temperature': 0.7}}",
        None,
    );
}

#[test]
fn extra_members_can_be_refused() {
    check(
        "Unrecognized request argument supplied: cache_prompt",
        Some("cache_prompt"),
    );
}

#[test]
fn only_what_was_sent_and_only_as_a_word() {
    check_of(&["seed"], "max_tokens", "unknown field ignore_eos", None);
    check("unknown field my_seed or seeds", None);
    check("the model `x` does not exist", None);
    check("", None);
}

/// Everything that is refused one by one is dropped in the end.
#[test]
fn refusing_and_dropping_ends() {
    let mut sent = SENT.to_vec();
    let mut dropped = Vec::new();
    while let Some(field) = refused_field(
        "unknown: temperature top_p seed ignore_eos min_tokens stream_options \
         continuous_usage_stats timings_per_token return_token_ids cache_prompt max_tokens",
        &sent,
        "max_tokens",
    ) {
        sent.retain(|other| *other != field);
        dropped.push(field);
    }
    assert_eq!(dropped.len(), SENT.len(), "{dropped:?}");
    assert!(sent.is_empty());
}
