//! Cases of streams and HTTP parsing.

use tokmark_openai_stream::reply::{BodyEnd, ReplyReader};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::{Nanos, float};

use crate::feed::{self, DONE, EVENTS, chat, chat_ended, content, delta, finish, frame};

#[test]
fn b022_keep_alives_are_not_events() {
    let last = r#"{"choices":[{"index":0,"delta":{"content":"Go"},"finish_reason":"stop"}]}"#;
    let seen = chat(&[
        (500, ":\n\n"),
        (1_000, ": keep-alive\n\n"),
        (1_500, "data:\n\n"),
        (2_000, &format!("id: 7\nretry: 3000\ndata: {last}\n\n")),
        (2_000, DONE),
    ]);
    seen.succeeded();
    assert_eq!(seen.times(), [2_000.0]);
    assert_eq!(seen.reply.comments, 2);
}

#[test]
fn b023_reads_are_not_events() {
    let body = [content("one"), content(" two"), content(" three")].concat();
    let all = chat(&[(100, &body), (110, "data: [DONE]")]);
    all.succeeded();
    assert_eq!(all.text(), "one two three");
    assert_eq!(all.times(), [100.0; 3]);
    assert!(all.reply.ended_with_done);

    // Byte by byte: an event arrives with the byte that closes it.
    let bytes: Vec<(u64, &[u8])> = body
        .as_bytes()
        .chunks(1)
        .zip(0..)
        .map(|(byte, ms)| (ms, byte))
        .chain([(9_998, &b"data: [DO"[..]), (9_999, b"NE]")])
        .collect();
    let slow = feed::answer(
        Endpoint::Chat,
        (200, Some(EVENTS)),
        &bytes,
        BodyEnd::Complete,
    );
    slow.succeeded();
    assert_eq!(slow.text(), all.text());
    let last_byte = content("one").len() - 1;
    assert_eq!(slow.times()[0..1], [float::from_usize(last_byte)]);
}

#[test]
fn b023_last_event_without_a_final_newline_keeps_its_own_time() {
    let body = delta(r#"{"content":"end"}"#, r#","finish_reason":"stop""#);
    let seen = chat(&[(40, &content("the ")), (70, body.trim_end())]);
    seen.succeeded();
    assert_eq!(seen.times(), [40.0, 70.0]);
    assert_eq!(seen.reply.finish_at, Some(Nanos::from_millis(70)));
}

#[test]
fn b025_characters_split_between_reads() {
    let body = content("中é🙂");
    let body = body.as_bytes();
    let at = |byte: u8| body.iter().position(|b| *b == byte).unwrap() + 1;
    let (first, second, third) = (at(0xE4), at(0xC3), at(0x9F));
    let pieces = [
        (10, &body[..first]),
        (20, &body[first..second]),
        (30, &body[second..third]),
        (40, &body[third..]),
        (50, DONE.as_bytes()),
    ];
    let seen = feed::answer(
        Endpoint::Chat,
        (200, Some(EVENTS)),
        &pieces,
        BodyEnd::Complete,
    );
    seen.succeeded();
    assert_eq!(seen.text(), "中é🙂");
    assert_eq!(seen.times(), [40.0]);
}

#[test]
fn b026_crlf_multi_line_data_and_event_lines() {
    let body = "event: message\r\ndata: {\"choices\":[{\"index\":0,\r\n\
                data: \"delta\":{\"content\":\"A\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n";
    let seen = chat(&[(10, body)]);
    seen.succeeded();
    assert_eq!(seen.text(), "A");
    assert!(seen.reply.ended_with_done);
}

#[test]
fn b028_cut_stream_is_a_failure() {
    for end in [BodyEnd::Complete, BodyEnd::Reset, BodyEnd::Cut] {
        let seen = chat_ended(&[(10, &content("a")), (20, &content("b"))], end);
        let failure = seen.failure().unwrap();
        assert!(failure.starts_with("cut_stream: "), "{failure}");
        assert!(failure.contains("after 2 events"), "{failure}");
        assert_eq!(seen.events.len(), 2);
    }
}

#[test]
fn b028_a_finish_reason_is_an_end_without_done() {
    for end in [BodyEnd::Complete, BodyEnd::Reset, BodyEnd::Cut] {
        let seen = chat_ended(&[(10, &content("a")), (20, &finish("stop"))], end);
        seen.succeeded();
        assert!(!seen.reply.ended_with_done);
    }
}

#[test]
fn b028_a_cut_event_is_neither_a_token_nor_a_protocol_fault() {
    let whole = content("b");
    let seen = chat_ended(
        &[(10, &content("a")), (20, &whole[..whole.len() / 2])],
        BodyEnd::Cut,
    );
    let failure = seen.failure().unwrap();
    assert!(failure.starts_with("cut_stream: "), "{failure}");
    assert!(failure.contains("bytes into another one"), "{failure}");
    assert_eq!(seen.text(), "a");

    let words = chat_ended(&[(10, &content("a")), (20, "worker died")], BodyEnd::Cut);
    assert!(words.failure().unwrap().ends_with("then: worker died"));
}

#[test]
fn b029_json_answer_is_a_success_without_events() {
    let body = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hi"},
        "finish_reason":"length"}],"usage":{"prompt_tokens":4,"completion_tokens":50}}"#;
    for content_type in [Some("application/json"), Some(EVENTS), None] {
        let seen = feed::whole(200, content_type, body);
        seen.succeeded();
        assert!(!seen.reply.streamed);
        assert_eq!((seen.ttft(), seen.output_tokens()), (None, Some(50)));
        assert_eq!(seen.reply.text, "Hi");
        assert_eq!(seen.reply.finish_at, Some(Nanos::from_secs(2)));
    }
}

#[test]
fn b029_html_answer_is_a_failure_that_shows_it() {
    let seen = feed::whole(200, Some("text/html"), "<html>Sign in</html>");
    assert_eq!(
        seen.failure().unwrap(),
        "protocol: not an event stream (text/html): <html>Sign in</html>"
    );
    assert_eq!(seen.reply.failure.unwrap().status, Some(200));
}

#[test]
fn b031_bare_colons_change_nothing_but_their_count() {
    let plain = [content("a"), content("b"), finish("stop"), DONE.to_owned()];
    let without = chat(&[(10, &plain.concat())]);
    let with = chat(&[(10, &plain.join(":\n\n"))]);
    assert_eq!(with.events, without.events);
    assert_eq!((with.reply.comments, without.reply.comments), (3, 0));
}

#[test]
fn b032_empty_choices_when_usage_is_asked_for() {
    let usage = r#"{"id":"z","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let seen = chat(&[
        (10, &content("a")),
        (20, &finish("stop")),
        (90, &frame(usage)),
    ]);
    seen.succeeded();
    assert_eq!(seen.times(), [10.0]);
    assert_eq!(seen.output_tokens(), Some(2));
}

fn encoded(encoding: &str, body: &[u8]) -> feed::Seen {
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(200, Some(EVENTS), Some(encoding), None);
    feed::read(reader, &[(10, body)], BodyEnd::Complete)
}

#[test]
fn b034_compression_is_noticed() {
    let body = [content("a"), finish("stop")].concat();
    // Somebody decoded it on the way: it can be read, and is marked.
    let decoded = encoded("GZIP", body.as_bytes());
    decoded.succeeded();
    assert_eq!(decoded.reply.encoded.as_deref(), Some("gzip"));
    assert_eq!(encoded("identity", body.as_bytes()).reply.encoded, None);

    // What nobody can unpack here is told with its name.
    let raw = encoded("br", b"\x1b\x2a\x00\xf8");
    let failure = raw.failure().unwrap();
    assert!(failure.starts_with("protocol: "), "{failure}");
    assert!(failure.contains("`br`"), "{failure}");
}

/// The compressed bytes of each text, flushed one by one as a proxy does.
fn gzipped(texts: &[String]) -> Vec<Vec<u8>> {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut pieces = Vec::new();
    for text in texts {
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.flush().unwrap();
        pieces.push(std::mem::take(gzip.get_mut()));
    }
    pieces
}

#[test]
fn b034_a_compressed_stream_is_unpacked_as_it_comes() {
    let texts = [
        content("a"),
        content("b") + &content("c"),
        finish("stop"),
        DONE.to_owned(),
    ];
    let packed = gzipped(&texts);
    let pieces: Vec<(u64, &[u8])> = (1..)
        .zip(&packed)
        .map(|(turn, bytes)| (turn * 10, bytes.as_slice()))
        .collect();
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(200, Some(EVENTS), Some("gzip"), None);
    assert_eq!(reader.encoded(), Some("gzip"));
    let seen = feed::read(reader, &pieces, BodyEnd::Complete);
    seen.succeeded();
    assert_eq!(
        seen.times(),
        [10.0, 20.0, 20.0],
        "those of the compressed pieces"
    );
    assert_eq!(seen.reply.encoded.as_deref(), Some("gzip"));
}

#[test]
fn b034_broken_compression_is_a_failure_and_keeps_what_came() {
    let packed = gzipped(&[content("a")]).concat();
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(200, Some(EVENTS), Some("gzip"), None);
    let pieces = [(10, packed.as_slice()), (20, &[0xff; 16])];
    let seen = feed::read(reader, &pieces, BodyEnd::Complete);
    assert_eq!(seen.times(), [10.0]);
    let failure = seen.failure().unwrap();
    assert!(
        failure.starts_with("protocol: an answer compressed with `gzip`"),
        "{failure}"
    );
}

#[test]
fn a_redirection_is_refused_without_the_host_that_it_names() {
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(307, Some("text/html"), None, None);
    reader.location(Some("https://me:pw@box/v1/chat/completions?key=s3cret#top"));
    let body: (u64, &[u8]) = (5, b"<html>moved</html>");
    let seen = feed::read(reader, &[body], BodyEnd::Complete);
    assert_eq!(
        seen.failure().unwrap(),
        "http: HTTP 307 redirects to `https://***/v1/chat/completions`"
    );
    assert_eq!(seen.reply.failure.unwrap().status, Some(307));
    let mut reader = ReplyReader::new(Endpoint::Chat);
    reader.head(304, None, None, None);
    let seen = feed::read(reader, &[], BodyEnd::Complete);
    assert_eq!(seen.failure().unwrap(), "http: HTTP 304 without a body");
}

#[test]
fn b035_without_streaming_there_is_no_first_token() {
    let body = r#"{"choices":[{"text":"…","finish_reason":"length"}],
        "usage":{"prompt_tokens":250000,"completion_tokens":1000}}"#;
    let pieces = [(5_000, body.as_bytes())];
    let head = (200, Some("application/json"));
    let seen = feed::answer(Endpoint::Completions, head, &pieces, BodyEnd::Complete);
    seen.succeeded();
    assert_eq!((seen.ttft(), seen.reply.events), (None, 0));
    assert_eq!(seen.output_tokens(), Some(1_000));
    assert_eq!(seen.reply.finish_at, Some(Nanos::from_secs(5)));
}

#[test]
fn b037_quick_refusal_is_no_quick_reply() {
    let refused = delta(r#"{"content":""}"#, r#","finish_reason":"error""#);
    let seen = chat(&[(3, &refused), (3, DONE)]);
    assert_eq!(
        seen.failure().unwrap(),
        "error_in_stream: finish_reason:error"
    );
    assert!(seen.events.is_empty());
}

#[test]
fn b037_endings() {
    let check = |word: &str, with_text: bool, failed: bool| {
        let text = if with_text {
            content("a")
        } else {
            String::new()
        };
        let seen = chat(&[(3, &text), (4, &finish(word)), (4, DONE)]);
        assert_eq!(
            seen.reply.failure.is_some(),
            failed,
            "{word}, text: {with_text}"
        );
        assert_eq!(seen.reply.finish.unwrap().to_string(), word);
    };
    for word in [
        "stop",
        "length",
        "tool_calls",
        "content_filter",
        "function_call",
        "eos_token",
        "stop_sequence",
    ] {
        check(word, true, false);
        check(word, false, false);
    }
    for word in ["error", "abort", "preempt"] {
        check(word, true, true);
    }
    // A word that nobody knows: believed behind text, not instead of it.
    check("max_turns", true, false);
    check("max_turns", false, true);
}
