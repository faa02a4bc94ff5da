//! Recorded answers of real servers, where a checkout has them beside it.

use std::fs;
use std::path::{Path, PathBuf};

use tokmark_openai_stream::reply::{BodyEnd, FailureClass, FinishReason};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::float;

use crate::feed::{self, Seen};

const SERVERS: [&str; 4] = ["llama-server", "sglang", "transformers-serve", "vllm"];

/// An answer as `curl -i` printed it, behind the request's line.
struct Capture {
    name: String,
    endpoint: Endpoint,
    /// `max_tokens` of the request.
    limit: Option<u64>,
    asks_usage: bool,
    status: u16,
    content_type: Option<String>,
    body: Vec<u8>,
    /// Whether curl gave up before the end.
    given_up: bool,
}

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    folder.is_dir().then_some(folder)
}

/// Runs a test on every capture whose file name it wants.
fn each(wanted: impl Fn(&str) -> bool, mut test: impl FnMut(&str, Capture)) {
    let Some(folder) = folder() else {
        eprintln!("skipped: no recorded answers beside this checkout");
        return;
    };
    let mut seen = 0;
    for server in SERVERS {
        for entry in fs::read_dir(folder.join(server)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if wanted(&name) {
                seen += 1;
                test(
                    server,
                    capture(&format!("{server}/{name}"), &fs::read(&path).unwrap()),
                );
            }
        }
    }
    assert!(seen > 0);
}

fn capture(name: &str, bytes: &[u8]) -> Capture {
    let split = |bytes: &[u8], mark: &[u8]| {
        let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
        (bytes[..at].to_vec(), bytes[at + mark.len()..].to_vec())
    };
    let (request, rest) = split(bytes, b"\n");
    let request = String::from_utf8(request).unwrap();
    let rest: Vec<u8> = rest.into_iter().filter(|byte| *byte != b'\r').collect();
    let (head, body) = split(&rest, b"\n\n");
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let content_type = head
        .lines()
        .find_map(|line| line.strip_prefix("content-type: "));
    let text = String::from_utf8_lossy(&body).into_owned();
    let given_up = text.contains("\ncurl: (28)") || !text.contains("# curl exit");
    let end = ["\ncurl: (28)", "\n# curl exit"]
        .iter()
        .filter_map(|m| text.find(m))
        .min();
    let body = end.map_or(body.clone(), |end| body[..end].to_vec());
    let limit = ["\"max_tokens\":", "\"max_completion_tokens\":"]
        .iter()
        .find_map(|name| {
            let digits = request.split(name).nth(1)?;
            digits.split([',', '}']).next()?.parse().ok()
        });
    Capture {
        name: name.to_owned(),
        endpoint: if request.contains("/v1/completions") {
            Endpoint::Completions
        } else {
            Endpoint::Chat
        },
        limit,
        asks_usage: request.contains("include_usage"),
        status,
        content_type: content_type.map(str::to_owned),
        body: if name.ends_with("raw_chunks.txt") {
            dechunk(&body)
        } else {
            body
        },
        given_up,
    }
}

/// The body inside HTTP chunks, whose line ends are LF by now.
fn dechunk(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let is_size = |line: &&str| !line.is_empty() && line.chars().all(|c| c.is_ascii_hexdigit());
    let lines: Vec<_> = text.split('\n').filter(|line| !is_size(line)).collect();
    lines.join("\n").into_bytes()
}

fn read(capture: &Capture, size: usize) -> Seen {
    let pieces: Vec<_> = capture
        .body
        .chunks(size.max(1))
        .map(|piece| (7, piece))
        .collect();
    let head = (capture.status, capture.content_type.as_deref());
    let end = if capture.given_up {
        BodyEnd::Cut
    } else {
        BodyEnd::Complete
    };
    feed::answer(capture.endpoint, head, &pieces, end)
}

fn is_stream(name: &str) -> bool {
    let streams = [
        "chat_stream",
        "completion_stream",
        "completion_token_ids",
        "completion_return",
    ];
    streams.iter().any(|start| name.starts_with(start))
}

#[test]
fn recorded_streams_are_read() {
    let mut successes = 0;
    each(is_stream, |server, capture| {
        let name = &capture.name;
        let seen = read(&capture, capture.body.len());
        for size in [1, 7, 64, 1448] {
            assert_eq!(read(&capture, size), seen, "{name} in pieces of {size}");
        }
        if server == "transformers-serve" && capture.status != 200 {
            // Unknown fields and token-id prompts are refused there.
            assert_eq!(
                seen.reply.failure.unwrap().class,
                FailureClass::Http,
                "{name}"
            );
            return;
        }
        if capture.given_up {
            // transformers serve passes over `max_completion_tokens` and writes on (case B070).
            let failure = seen.reply.failure.unwrap();
            assert_eq!(failure.class, FailureClass::CutStream, "{name}");
            assert!(name.contains("max_completion_tokens"), "{name}");
            return;
        }
        successes += 1;
        seen.succeeded();
        assert!(seen.reply.streamed && !seen.events.is_empty(), "{name}");
        assert_eq!(
            seen.reply.ended_with_done,
            server != "transformers-serve",
            "{name}"
        );
        assert!(seen.reply.model.is_some(), "{name}");
        if !name.contains("_n2") && !name.contains("sampled") {
            assert_eq!(seen.reply.finish, Some(FinishReason::Length), "{name}");
            check_counts(server, &capture, &seen);
        }
    });
    eprintln!("{successes} recorded streams");
}

/// Counts of a stream that reached its limit.
fn check_counts(server: &str, capture: &Capture, seen: &Seen) {
    let name = &capture.name;
    let limit = capture.limit.unwrap();
    if capture.asks_usage || server == "transformers-serve" {
        assert_eq!(seen.output_tokens(), Some(limit), "{name}");
        assert!(seen.reply.usage.unwrap().prompt_tokens > Some(0), "{name}");
    }
    if server == "llama-server" {
        assert_eq!(
            seen.reply.timings.unwrap().predicted_n,
            Some(limit),
            "{name}"
        );
    }
    let events = float::len_u64(seen.events.len());
    assert!(
        events <= limit && events * 2 > limit,
        "{name}: {events} events of {limit} tokens"
    );
    let counts: Vec<u64> = seen.counts().into_iter().flatten().collect();
    if name.contains("usage_cont") && ["vllm", "sglang"].contains(&server) {
        assert_eq!(counts.len(), seen.events.len(), "{name}");
        assert!(
            counts.is_sorted() && counts.last() == Some(&limit),
            "{name}: {counts:?}"
        );
    } else {
        assert!(counts.is_empty(), "{name}: {counts:?}");
    }
    let ids: u64 = seen.events.iter().filter_map(|event| event.token_ids).sum();
    let with_ids = name.contains("return_token_ids") && ["vllm", "sglang"].contains(&server);
    assert_eq!(ids, if with_ids { limit } else { 0 }, "{name}");
}

#[test]
fn recorded_streams_that_the_client_gave_up_are_cut() {
    each(
        |name| name == "cancelled_client_side.txt",
        |server, capture| {
            let seen = read(&capture, 1448);
            let failure = seen.reply.failure.unwrap();
            if server == "transformers-serve" {
                assert_eq!(failure.status, Some(422));
                return;
            }
            assert_eq!(
                failure.class,
                FailureClass::CutStream,
                "{server}: {}",
                failure.message
            );
            assert!(seen.events.len() > 10, "{server}");
        },
    );
}

#[test]
fn recorded_answers_without_a_stream_are_read() {
    each(
        |name| name.contains("nonstream"),
        |server, capture| {
            let seen = read(&capture, 100);
            seen.succeeded();
            assert!(!seen.reply.streamed && seen.events.is_empty(), "{server}");
            assert_eq!(seen.output_tokens(), Some(24), "{server}");
            assert!(!seen.reply.text.is_empty(), "{server}");
        },
    );
}

#[test]
fn recorded_errors_have_a_class() {
    each(
        |name| name.starts_with("err_"),
        |server, capture| {
            let name = &capture.name;
            let seen = read(&capture, 50);
            let class = seen.reply.failure.as_ref().map(|failure| failure.class);
            let too_long = name.contains("prompt_too_long") || name.contains("max_tokens_too_big");
            let expect = match capture.status {
                200 if capture.given_up => Some(FailureClass::CutStream),
                200 if server == "transformers-serve"
                    && (name.contains("zero") || name.contains("negative")) =>
                {
                    Some(FailureClass::ErrorInStream)
                }
                200 => None,
                400 if too_long => Some(FailureClass::ContextTooLong),
                _ => Some(FailureClass::Http),
            };
            assert_eq!(class, expect, "{name}: {:?}", seen.reply.failure);
            let said = seen.reply.failure.map(|failure| failure.message);
            assert_ne!(said.as_deref(), Some(""), "{name}");
        },
    );
}
