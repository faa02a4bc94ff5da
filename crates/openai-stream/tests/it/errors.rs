//! Failures: their class, status and words.

use tokmark_openai_stream::chunk::parse_error;
use tokmark_openai_stream::reply::{
    BodyEnd, Failure, FailureClass, ReplyReader, Secrets, is_context_error,
};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

use crate::feed::{self, DONE, EVENTS, chat, chat_ended, content, delta, frame};

const JSON: Option<&str> = Some("application/json");

#[track_caller]
fn check(status: u16, body: &str, expect: &str) {
    let failure = feed::whole(status, JSON, body).reply.failure.unwrap();
    let found = format!("{}: {}", failure.class.as_str(), failure.message);
    assert_eq!(found, expect, "{body}");
    assert_eq!(failure.status, Some(status));
}

#[test]
fn refusals_in_all_shapes() {
    // vLLM now and then; Dynamo; mistral.rs; FastAPI; TGI; mlx-lm.
    check(
        404,
        r#"{"error":{"message":"no such thing","type":"NotFoundError","param":"model","code":404}}"#,
        "http: no such thing (param model)",
    );
    check(
        400,
        r#"{"object":"error","message":"bad","type":"BadRequestError","param":null,"code":400}"#,
        "http: bad",
    );
    check(
        503,
        r#"{"message":"no worker","type":"Service Unavailable","code":503}"#,
        "http: no worker",
    );
    check(500, r#"{"message":"engine died"}"#, "http: engine died");
    check(404, r#"{"detail":"Not Found"}"#, "http: Not Found");
    check(
        422,
        r#"{"detail":[{"type":"json_invalid","loc":["body",28],"msg":"JSON decode error"},{}]}"#,
        "http: JSON decode error (param body.28)",
    );
    check(
        424,
        r#"{"error":"broke","error_type":"generation"}"#,
        "http: broke",
    );
    check(404, r#"{"error":"no such file"}"#, "http: no such file");
    // mlc-llm encodes twice; a proxy streams its refusal.
    check(
        400,
        r#""{\"object\":\"error\",\"message\":\"twice\",\"code\":400}""#,
        "http: twice",
    );
    check(
        502,
        "data: {\"error\":{\"message\":\"late\"}}\n\ndata: [DONE]\n\n",
        "http: late",
    );
    check(500, "Internal Server Error", "http: Internal Server Error");
    check(
        502,
        "<html>\n  <h1>Bad gateway</h1>\n</html>",
        "http: <html> <h1>Bad gateway</h1> </html>",
    );
    check(401, "", "http: HTTP 401 without a body");
    check(
        500,
        r#"{"error":{"type":"server_error"}}"#,
        r#"http: {"error":{"type":"server_error"}}"#,
    );
}

#[test]
fn rate_limits() {
    let refused = |status: u16, retry_after: Option<u64>| {
        let mut reader = ReplyReader::new(Endpoint::Chat);
        reader.head(status, JSON, None, retry_after);
        let body: &[u8] = br#"{"error":"Model is overloaded","error_type":"overloaded"}"#;
        let seen = feed::read(reader, &[(5, body)], BodyEnd::Complete);
        let failure = seen.reply.failure.unwrap();
        (failure.class, failure.retry_after)
    };
    assert_eq!(refused(429, Some(7)), (FailureClass::RateLimited, Some(7)));
    assert_eq!(refused(529, None), (FailureClass::RateLimited, None));
    assert_eq!(refused(503, Some(1)), (FailureClass::RateLimited, Some(1)));
    assert_eq!(refused(503, None), (FailureClass::Http, None));
}

#[test]
fn every_server_says_too_long_in_its_own_words() {
    for words in [
        "This model's maximum context length is 8192 tokens. However, your prompt contains at least 8193 input tokens",
        "The prompt is longer than the maximum model length of 4096",
        "max_tokens=32768 cannot be greater than max_model_len=8192.",
        "The input (8235 tokens) is longer than the model's context length (4096 tokens).",
        "Requested token count exceeds the model's maximum context length of 4096 tokens",
        "max_completion_tokens is too large: 16384.",
        "request (16427 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "the prompt is longer than the context length currently available (4096)",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
        "Input length (5000) must be smaller than the model context length (4096).",
        "Prompt length 5000 exceeds the available context size of 4096 tokens",
        "Request prompt has 5000 tokens in total, larger than the model input length limit 4096.",
        "Prompt sequence length is greater than 4096, perhaps consider using `truncate_sequence`?",
        "Sequence 3 with 9000 tokens exceeds the total KV cache capacity of 8192 tokens.",
        "the kv cache does not have sufficient capacity to store this request",
    ] {
        assert!(is_context_error(words), "{words}");
        let body = serde_json::json!({ "error": { "message": words, "code": 400 } }).to_string();
        check(400, &body, &format!("context_too_long: {words}"));
        let streamed = chat(&[(5, &frame(&body)), (5, DONE)])
            .reply
            .failure
            .unwrap();
        assert_eq!(streamed.class, FailureClass::ContextTooLong, "{words}");
    }
    for words in [
        "max_tokens must be at least 1, got 0",
        "Field 'max_tokens': type must be number",
    ] {
        assert!(!is_context_error(words), "{words}");
    }
}

#[test]
fn context_errors_by_their_code_alone() {
    let code = r#"{"error":{"message":"nope","code":"context_length_exceeded"}}"#;
    check(400, code, "context_too_long: nope");
    let kind = r#"{"error":{"message":"nope","type":"exceed_context_size_error","n_ctx":8192}}"#;
    check(400, kind, "context_too_long: nope");
}

#[test]
fn errors_within_a_stream() {
    let check = |object: &str, class: FailureClass, status: u16, message: &str| {
        let seen = chat(&[(1, &content("a")), (2, &frame(object)), (2, DONE)]);
        let failure = seen.reply.failure.unwrap();
        assert_eq!(
            (failure.class, failure.status),
            (class, Some(status)),
            "{object}"
        );
        assert_eq!(failure.message, message);
        assert_eq!(seen.events.len(), 1, "what came before stays");
    };
    let class = FailureClass::ErrorInStream;
    check(
        r#"{"error":{"message":"died","code":500}}"#,
        class,
        500,
        "died",
    );
    check(
        r#"{"error":{"message":"died","type":"server_error","code":null}}"#,
        class,
        200,
        "died",
    );
    check(r#"{"error":"died"}"#, class, 200, "died");
    check(
        r#"{"error":{"message":"died","trace":"…"}}"#,
        class,
        200,
        "died",
    );
    check(
        r#"{"object":"error","message":"died","code":"503"}"#,
        class,
        503,
        "died",
    );
    check(r#"{"error":{}}"#, class, 200, "an error without a text");
    check(
        r#"{"error":{"type":"server_error"}}"#,
        class,
        200,
        "(type server_error)",
    );
    check(
        r#"{"error":{"message":"Model is overloaded","http_status_code":429}}"#,
        FailureClass::RateLimited,
        429,
        "Model is overloaded",
    );
}

#[test]
fn a_named_error_event_is_an_error_whatever_it_holds() {
    let text = chat(&[(1, "event: error\ndata: out of memory\n\n")]);
    assert_eq!(text.failure().unwrap(), "error_in_stream: out of memory");
    let object = chat(&[(
        1,
        "event: error\ndata: {\"error\":{\"message\":\"died\"}}\n\n",
    )]);
    assert_eq!(object.failure().unwrap(), "error_in_stream: died");
}

#[test]
fn null_errors_are_none() {
    for error in ["null", r#""""#, "false"] {
        let object = format!(r#"{{"error":{error},"choices":[{{"delta":{{"content":"a"}}}}]}}"#);
        let seen = chat(&[(1, &frame(&object)), (2, DONE)]);
        seen.succeeded();
        assert_eq!(seen.text(), "a", "{error}");
    }
}

#[test]
fn the_first_failure_stands() {
    let seen = chat(&[(1, &frame(r#"{"error":"first"}"#)), (2, "data: what\n\n")]);
    assert_eq!(seen.failure().unwrap(), "error_in_stream: first");
}

#[test]
fn frames_that_are_not_json_break_the_protocol() {
    for body in [
        "data: hello\n\n",
        "data: 17\n\n",
        "data: {\"choices\":[}\n\n",
    ] {
        let seen = chat(&[(1, body), (2, &content("a")), (3, DONE)]);
        let failure = seen.failure().unwrap();
        assert!(failure.starts_with("protocol: "), "{failure}");
    }
}

/// Bytes that are not UTF-8 cost a character, not the frame.
#[test]
fn invalid_utf8_costs_a_character() {
    let mut body = content("a?b").into_bytes();
    let at = body.iter().position(|byte| *byte == b'?').unwrap();
    body[at] = 0xFF;
    let pieces = [(1, body.as_slice()), (2, DONE.as_bytes())];
    let seen = feed::answer(
        Endpoint::Chat,
        (200, Some(EVENTS)),
        &pieces,
        BodyEnd::Complete,
    );
    seen.succeeded();
    assert_eq!(seen.text(), "a\u{FFFD}b");
}

#[test]
fn an_event_above_the_limit_breaks_the_protocol() {
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(200, Some(EVENTS), None, None);
    let mut events = Vec::new();
    reader.push(Nanos::ZERO, b"data: ", &mut events);
    let block = vec![b'x'; 1024 * 1024];
    for _ in 0..17 {
        reader.push(Nanos::ZERO, &block, &mut events);
    }
    let reply = reader.finish(Nanos::ZERO, BodyEnd::Complete, &mut events);
    let failure = reply.failure.unwrap();
    assert_eq!(failure.class, FailureClass::Protocol);
    assert!(
        failure.message.contains("16777216 bytes"),
        "{}",
        failure.message
    );
}

#[test]
fn answers_that_hold_nothing() {
    let ended = |end| {
        let mut reader = ReplyReader::new(Endpoint::Chat);
        reader.head(200, Some(EVENTS), None, None);
        feed::read(reader, &[], end).reply.failure.unwrap().class
    };
    assert_eq!(ended(BodyEnd::Complete), FailureClass::EmptyStream);
    assert_eq!(ended(BodyEnd::Reset), FailureClass::CutStream);
    let headless = feed::read(ReplyReader::new(Endpoint::Chat), &[], BodyEnd::Cut);
    let failure = headless.reply.failure.unwrap();
    assert_eq!(
        (failure.class, failure.status),
        (FailureClass::CutStream, None)
    );
}

#[test]
fn errors_in_json_answers() {
    check(
        200,
        r#"{"error":{"message":"died"}}"#,
        "error_in_stream: died",
    );
    let refused = r#"{"choices":[{"message":{"content":""},"finish_reason":"error"}]}"#;
    check(200, refused, "error_in_stream: finish_reason:error");
    let strange = feed::whole(200, JSON, r#"{"hello":1}"#).failure().unwrap();
    assert_eq!(
        strange,
        r#"protocol: not an event stream (application/json): {"hello":1}"#
    );
    let pieces: [(u64, &[u8]); 1] = [(1, br#"{"choices":[{"mess"#)];
    let cut = feed::answer(Endpoint::Chat, (200, JSON), &pieces, BodyEnd::Cut);
    assert!(cut.failure().unwrap().starts_with("cut_stream: "));
}

/// Nothing but keep-alives and a role: the end tells which of the two it was.
#[test]
fn streams_that_hold_no_token() {
    let role = delta(r#"{"role":"assistant"}"#, "");
    let class = |end| {
        let seen = chat_ended(&[(1, ": ping\n\n"), (2, &role)], end);
        seen.reply.failure.unwrap().class
    };
    assert_eq!(class(BodyEnd::Complete), FailureClass::EmptyStream);
    assert_eq!(class(BodyEnd::Cut), FailureClass::CutStream);
    assert_eq!(class(BodyEnd::Reset), FailureClass::CutStream);
}

/// The members of a flat error may stand beside an answer.
#[test]
fn an_answer_with_a_message_is_no_error() {
    let object = r#"{"message":"hi","type":"x","choices":[{"delta":{"content":"a"}}]}"#;
    let seen = chat(&[(1, &frame(object)), (2, DONE)]);
    seen.succeeded();
    assert_eq!(seen.text(), "a");
}

/// Servers without a content type, or with a wrong one, still stream.
#[test]
fn a_stream_is_known_by_its_bytes() {
    for content_type in [None, Some("text/plain"), JSON] {
        for opening in ["", ": hello\n\n", "\n", "event: message\n", "id: 1\n"] {
            let body = [opening.to_owned(), content("a"), DONE.to_owned()].concat();
            let pieces: Vec<(u64, &[u8])> = body.as_bytes().chunks(1).map(|b| (1, b)).collect();
            let seen = feed::answer(
                Endpoint::Chat,
                (200, content_type),
                &pieces,
                BodyEnd::Complete,
            );
            seen.succeeded();
            assert!(
                seen.reply.streamed && seen.text() == "a",
                "{content_type:?} {opening:?}"
            );
        }
    }
    let plain = feed::whole(200, Some("text/plain"), "dat")
        .failure()
        .unwrap();
    assert_eq!(plain, "protocol: not an event stream (text/plain): dat");
}

#[test]
fn messages_are_short_single_line_and_without_secrets() {
    let message = |words: &str| Failure::new(FailureClass::Http, None, words).message;
    assert_eq!(message("a\r\n\tb\u{1b}[31mc  d"), "a b [31mc d");
    let long = message(&"é".repeat(1_000));
    assert_eq!(long.chars().count(), 300);
    assert!(long.ends_with("é…"));
    assert_eq!(message(&"é".repeat(300)).chars().count(), 300);
    for (words, expect) in [
        ("got Bearer t0k3n here", "got Bearer [redacted] here"),
        (
            "Authorization: bearer: abc",
            "Authorization: bearer: [redacted]",
        ),
        ("key sk-abcd1234efgh, wrong", "key [redacted], wrong"),
        ("key 'sk-proj-AB_cd***9z'.", "key '[redacted]'."),
        ("hf_AbCdEfGhIj and sk-12345678", "[redacted] and [redacted]"),
        ("disk-cache task-runner sk-8", "disk-cache task-runner sk-8"),
    ] {
        assert_eq!(message(words), expect);
    }
    // A secret across the cut does not show its beginning.
    let words = format!("{} sk-abcdefghijklmnop", "x".repeat(290));
    assert!(!message(&words).contains("sk-"));
}

#[test]
fn errors_that_are_none() {
    for body in [
        "",
        "hello",
        "[]",
        r#"{"choices":[]}"#,
        r#"{"a":1}"#,
        r#""text""#,
    ] {
        assert_eq!(parse_error(body), None, "{body}");
    }
}

#[test]
fn classes_have_the_words_of_the_methodology() {
    let words = [
        (FailureClass::Connect, "connect"),
        (FailureClass::Tls, "tls"),
        (FailureClass::Http, "http"),
        (FailureClass::RateLimited, "rate_limited"),
        (FailureClass::ContextTooLong, "context_too_long"),
        (FailureClass::ErrorInStream, "error_in_stream"),
        (FailureClass::CutStream, "cut_stream"),
        (FailureClass::Stalled, "stalled"),
        (FailureClass::Protocol, "protocol"),
        (FailureClass::EmptyStream, "empty_stream"),
    ];
    for (class, word) in words {
        assert_eq!(class.as_str(), word);
    }
}

#[test]
fn b095_a_key_that_the_server_repeats_is_in_no_message() {
    let secrets = || Secrets::of([b"Bearer tk-distinct-77".as_slice(), b"tenant-42-x"]);
    let echo = "bad request: authorization: Bearer tk-distinct-77, x-tenant: tenant-42-x";
    // Cut in the middle of the key, were it not replaced before.
    let long = format!("{} tk-distinct-77", "x".repeat(290));
    let bodies = [
        (
            400,
            "application/json",
            format!(r#"{{"error":{{"message":"{echo}"}}}}"#),
        ),
        (500, "text/html", format!("<pre>{echo}</pre>")),
        (400, "text/plain", long),
        (200, "text/html", format!("<pre>{echo}</pre>")),
        (
            200,
            EVENTS,
            frame(&format!(r#"{{"error":{{"message":"{echo}"}}}}"#)),
        ),
        (200, EVENTS, format!("data: {{{echo}}}\n\n")),
        (
            200,
            EVENTS,
            delta(r#"{"content":"a"}"#, r#","finish_reason":"tk-distinct-77""#),
        ),
    ];
    for (status, kind, body) in bodies {
        let mut reader = ReplyReader::new(Endpoint::Chat).hiding(secrets());
        reader.head(status, Some(kind), None, None);
        let seen = feed::read(reader, &[(1, body.as_bytes())], BodyEnd::Complete);
        let told = format!("{:?}", seen.reply);
        assert!(
            told.contains("[redacted]") || told.contains('…'),
            "{body}: {told}"
        );
        for part in ["tk-dist", "tenant-42-x"] {
            assert!(!told.contains(part), "{body}: {told}");
        }
    }
}
