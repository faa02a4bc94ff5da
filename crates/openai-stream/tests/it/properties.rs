//! What holds for any bytes, however they are read.

use proptest::collection::vec;
use proptest::prelude::*;
use tokmark_openai_stream::chunk::{Chunk, parse_error};
use tokmark_openai_stream::reply::{BodyEnd, Failure, FailureClass};
use tokmark_openai_stream::request::{Endpoint, refused_field};
use tokmark_openai_stream::sse::SseSplitter;

use crate::any_bytes;
use crate::feed::{self, EVENTS, Seen};
use crate::refusals::SENT;

/// Pieces that streams are made of, good and bad.
fn piece() -> impl Strategy<Value = String> {
    let object = prop_oneof![
        any::<String>().prop_map(|text| serde_json::json!({
            "choices": [{"delta": {"content": text}}]
        })),
        (any::<String>(), 0..9_u64).prop_map(|(text, count)| serde_json::json!({
            "choices": [{"delta": {"reasoning": text}}], "usage": {"completion_tokens": count}
        })),
        vec(any::<u32>(), 0..4).prop_map(|ids| serde_json::json!({
            "choices": [{"text": "a", "token_ids": ids}]
        })),
        Just(serde_json::json!({"choices": [], "usage": {"completion_tokens": 7}})),
        Just(serde_json::json!({"choices": [{"finish_reason": "stop"}]})),
        Just(serde_json::json!({"error": {"message": "died"}})),
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r")];
    let frame = (object, end, "[a-z]{0,3}").prop_map(|(object, end, name)| {
        let name = if name.len() == 3 {
            format!("event: {name}{end}")
        } else {
            String::new()
        };
        format!("{name}data: {object}{end}{end}")
    });
    prop_oneof![
        6 => frame,
        1 => Just(": keep-alive\n\n".to_owned()),
        1 => Just("data: [DONE]\n\n".to_owned()),
        1 => "[\\n\\r:a-d \u{FEFF}{}]{0,12}",
    ]
}

fn read(head: (u16, Option<&str>), body: &[u8], cuts: &[usize], end: BodyEnd) -> Seen {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (body.len() + 1)).collect();
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    let pieces: Vec<_> = cuts
        .windows(2)
        .map(|pair| (3, &body[pair[0]..pair[1]]))
        .collect();
    feed::answer(Endpoint::Chat, head, &pieces, end)
}

fn ends() -> impl Strategy<Value = BodyEnd> {
    prop_oneof![
        Just(BodyEnd::Complete),
        Just(BodyEnd::Cut),
        Just(BodyEnd::Reset)
    ]
}

fn heads() -> impl Strategy<Value = (u16, Option<&'static str>)> {
    prop_oneof![
        4 => Just((200, Some(EVENTS))),
        1 => Just((200, None)),
        1 => Just((200, Some("application/json"))),
        1 => Just((400, Some("application/json"))),
    ]
}

/// Frames of moulds that real servers use, with texts and counts that stand still, jump, fall, or
/// come to look like parts of the mould.
fn moulded() -> impl Strategy<Value = Vec<String>> {
    let mould = prop_oneof![
        Just(
            r#"{"id":"c","created":7,"choices":[{"index":0,"delta":{"content":TEXT},"finish_reason":null}]}"#
        ),
        Just(
            r#"{"model":"a","choices":[{"delta":{"content":TEXT}}],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":COUNT}}"#
        ),
        Just(
            r#"{"choices":[{"delta":{"reasoning_content":TEXT},"token_ids":[COUNT]}],"created":COUNT}"#
        ),
        Just(
            r#"{"choices":[{"delta":{"reasoning":TEXT,"reasoning_content":TEXT}}],"usage":{"completion_tokens":COUNT}}"#
        ),
        Just(
            r#"{"choices":[{"text":TEXT,"index":0,"finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":COUNT}}"#
        ),
    ];
    let text = prop_oneof![
        4 => "[ a-z]{0,6}".prop_map(|text| serde_json::json!(text).to_string()),
        1 => any::<String>().prop_map(|text| serde_json::json!(text).to_string()),
        1 => Just("null".to_owned()),
        1 => Just(r#""a""#.to_owned()),
    ];
    let count = prop_oneof![
        4 => (0..30_u64).prop_map(|count| count.to_string()),
        1 => Just("null".to_owned()),
        1 => Just("1.5".to_owned()),
        1 => Just("18446744073709551616".to_owned()),
        1 => Just("-1".to_owned()),
    ];
    let frame = (text, count);
    (mould, vec(frame, 1..12)).prop_map(|(mould, frames)| {
        let fill =
            |(text, count): &(String, String)| mould.replace("TEXT", text).replace("COUNT", count);
        frames.iter().map(fill).collect()
    })
}

proptest! {
    /// A member that nobody knows, different in every frame, keeps frames from being of one mould:
    /// each is read in full. Nothing else may change.
    #[test]
    fn frames_of_one_mould_are_read_as_each_would_be_alone(frames in moulded()) {
        let stream = |frame: &dyn Fn(usize, &str) -> String| {
            let frames = frames.iter().enumerate();
            frames.map(|(index, object)| feed::frame(&frame(index, object))).collect::<String>()
        };
        let alike = stream(&|_, object| object.to_owned()) + feed::DONE;
        let unlike = stream(&|index, object| {
            let nonce = "x".repeat(index);
            object.replacen('{', &format!("{{\"nonce\":\"{nonce}\","), 1)
        }) + feed::DONE;
        for endpoint in [Endpoint::Chat, Endpoint::Completions] {
            let read = |body: &str| {
                let pieces = [(3, body.as_bytes())];
                feed::answer(endpoint, (200, Some(EVENTS)), &pieces, BodyEnd::Complete)
            };
            prop_assert_eq!(read(&alike), read(&unlike));
        }
    }

    /// Where reads begin and end changes nothing.
    #[test]
    fn any_split_gives_the_same_reply(
        pieces in vec(piece(), 0..12),
        cuts in vec(any::<usize>(), 0..20),
        head in heads(),
        end in ends(),
    ) {
        let body = pieces.concat();
        let whole = read(head, body.as_bytes(), &[], end);
        let split = read(head, body.as_bytes(), &cuts, end);
        prop_assert_eq!(&split, &whole);
        let bytes: Vec<_> = body.as_bytes().chunks(1).map(|byte| (3, byte)).collect();
        prop_assert_eq!(&feed::answer(Endpoint::Chat, head, &bytes, end), &whole);
    }

    /// As the fuzz target `reply`: also each time is that of the read which decided it, and each
    /// frame says what it says alone.
    #[test]
    fn any_split_keeps_times_and_frames(
        pieces in vec(piece(), 0..12),
        control in any::<[u8; any_bytes::CONTROL]>(),
    ) {
        let input = [&control[..], pieces.concat().as_bytes()].concat();
        any_bytes::reply(&input);
        any_bytes::sse(&input);
    }

    /// The text of a stream is what was put in.
    #[test]
    fn text_comes_through_whole(
        texts in vec(any::<String>(), 1..8),
        cuts in vec(any::<usize>(), 0..20),
    ) {
        let frames: String = texts.iter().map(|text| feed::content(text)).collect();
        let body = format!("{frames}{}", feed::DONE);
        let seen = read((200, Some(EVENTS)), body.as_bytes(), &cuts, BodyEnd::Complete);
        prop_assert_eq!(seen.text(), texts.concat());
        let filled = texts.iter().filter(|text| !text.is_empty()).count();
        prop_assert_eq!(seen.events.len(), filled);
    }

    /// Any bytes end in a reply, and split bytes in the same one.
    #[test]
    fn random_bytes_never_panic(
        body in vec(any::<u8>(), 0..400),
        cuts in vec(any::<usize>(), 0..8),
        head in heads(),
        end in ends(),
    ) {
        let whole = read(head, &body, &[], end);
        prop_assert_eq!(read(head, &body, &cuts, end), whole);
        let _ = Chunk::parse(&body);
    }

    /// Any value in any place of a chunk costs nothing but its member.
    #[test]
    fn random_json_never_panics(text in "[\\[\\]{}:,\"0-9a-z.\\-]{0,80}") {
        let _ = Chunk::parse(text.as_bytes());
        let _ = parse_error(&text);
        let _ = refused_field(&text, &SENT, "max_tokens");
    }

    /// A failure's words keep their bounds for any text.
    #[test]
    fn failure_messages_keep_their_bounds(text in any::<String>(), times in 1..40_usize) {
        let message = Failure::new(FailureClass::Http, None, &text.repeat(times)).message;
        prop_assert!(message.chars().count() <= 300);
        prop_assert!(!message.chars().any(char::is_control));
    }

    /// Splitting alone, on bytes that are full of line ends.
    #[test]
    fn splitter_does_not_see_reads(body in "[\\r\\n:dat e]{0,60}", cuts in vec(0..60_usize, 0..8)) {
        let collect = |cuts: &[usize]| {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(body.len())).collect();
            cuts.extend([0, body.len()]);
            cuts.sort_unstable();
            let mut splitter = SseSplitter::new();
            let mut events: Vec<Vec<u8>> = Vec::new();
            for pair in cuts.windows(2) {
                let piece = &body.as_bytes()[pair[0]..pair[1]];
                splitter.push(piece, |event| events.push(event.data.to_vec())).unwrap();
            }
            splitter.finish(|event| events.push(event.data.to_vec())).unwrap();
            (events, splitter.comments())
        };
        prop_assert_eq!(collect(&cuts), collect(&[]));
    }
}
