//! Cutting bytes into events.

use tokmark_openai_stream::sse::{SseError, SseSplitter};

type Owned = (Option<String>, String);

fn collect(pieces: &[&[u8]]) -> (Vec<Owned>, u64) {
    let mut splitter = SseSplitter::new();
    let mut events = Vec::new();
    for piece in pieces {
        splitter
            .push(piece, |event| events.push(owned(event)))
            .unwrap();
    }
    splitter.finish(|event| events.push(owned(event))).unwrap();
    (events, splitter.comments())
}

fn owned(event: tokmark_openai_stream::sse::SseEvent<'_>) -> Owned {
    let data = String::from_utf8_lossy(event.data).into_owned();
    (event.event.map(str::to_owned), data)
}

/// Whole, byte by byte, and cut at every place.
#[track_caller]
fn check(body: &str, expect: &[(Option<&str>, &str)]) {
    let expect: Vec<Owned> = expect
        .iter()
        .map(|(name, data)| (name.map(str::to_owned), (*data).to_owned()))
        .collect();
    let body = body.as_bytes();
    assert_eq!(collect(&[body]).0, expect, "in one piece");
    let bytes: Vec<_> = body.chunks(1).collect();
    assert_eq!(collect(&bytes).0, expect, "byte by byte");
    for cut in 0..body.len() {
        let (left, right) = body.split_at(cut);
        assert_eq!(collect(&[left, right]).0, expect, "cut at {cut}");
    }
}

#[test]
fn line_ends_of_all_three_kinds() {
    let expect = &[(None, "a"), (None, "b")];
    check("data: a\n\ndata: b\n\n", expect);
    check("data: a\r\n\r\ndata: b\r\n\r\n", expect);
    check("data: a\r\rdata: b\r\r", expect);
    check("data: a\r\n\ndata: b\n\r\n", expect);
}

#[test]
fn values_lose_one_space_only() {
    check("data:a\n\n", &[(None, "a")]);
    check("data:  a \n\n", &[(None, " a ")]);
    check("data: \n\n", &[(None, "")]);
    check("data\n\n", &[(None, "")]);
}

#[test]
fn several_data_lines_are_one_event() {
    check("data: a\ndata:\ndata: b\n\n", &[(None, "a\n\nb")]);
    check("data: a\n: ping\nid: 3\ndata: b\n\n", &[(None, "a\nb")]);
}

#[test]
fn names_belong_to_their_event() {
    check(
        "event: error\ndata: a\n\ndata: b\n\n",
        &[(Some("error"), "a"), (None, "b")],
    );
    check("event: x\nevent: y\ndata: a\n\n", &[(Some("y"), "a")]);
    check("event:\ndata: a\n\n", &[(None, "a")]);
    // A name without data is no event, and is forgotten.
    check("event: x\n\ndata: a\n\n", &[(None, "a")]);
}

#[test]
fn unknown_fields_are_skipped() {
    check(
        "dat: x\ndatab: y\nretry: 3\nid\nfoo\ndata: a\n\n",
        &[(None, "a")],
    );
    check("", &[]);
    check("\n\r\n\r", &[]);
}

#[test]
fn byte_order_mark_only_at_the_beginning() {
    check("\u{FEFF}data: a\n\n", &[(None, "a")]);
    check("\u{FEFF}\ndata: a\n\n", &[(None, "a")]);
    check("data: a\n\n\u{FEFF}data: b\n\n", &[(None, "a")]);
}

#[test]
fn b023_missing_end_still_gives_the_event() {
    check("data: a\n\ndata: [DONE]", &[(None, "a"), (None, "[DONE]")]);
    check(
        "data: a\n\ndata: [DONE]\n",
        &[(None, "a"), (None, "[DONE]")],
    );
    check("data: a\r", &[(None, "a")]);
}

#[test]
fn b022_comments_are_counted_and_are_no_events() {
    let body = b":\n\n: keep-alive\n\ndata: a\n: inside\n\n:last";
    for size in 1..body.len() {
        let pieces: Vec<_> = body.chunks(size).collect();
        let (events, comments) = collect(&pieces);
        assert_eq!((events.len(), comments), (1, 4), "pieces of {size}");
    }
}

/// The bytes of an event that lies whole in one push are the pushed bytes themselves.
#[test]
fn whole_events_are_borrowed() {
    let body = b"data: one\n\nevent: e\ndata: two\r\n\r\ndata: thr";
    let range = body.as_ptr_range();
    let mut splitter = SseSplitter::new();
    let mut borrowed = Vec::new();
    splitter
        .push(body, |event| {
            borrowed.push(range.contains(&event.data.as_ptr()));
        })
        .unwrap();
    assert_eq!(borrowed, [true, true]);
    assert_eq!(splitter.unfinished(), b"data: thr");
}

#[test]
fn events_above_the_limit_are_an_error() {
    let error = Err(SseError::EventTooLarge { limit: 32 });
    let ok = "data: 0123456789\ndata: 0123456789\n\n";
    let long_line = "data: 0123456789012345678901234567\n\n";
    let many_lines = "data: 0123456789\ndata: 0123456789\ndata: 0123456789\n\n";
    for (body, expect) in [(ok, Ok(())), (long_line, error), (many_lines, error)] {
        for size in [1, 3, body.len()] {
            let mut splitter = SseSplitter::with_limit(32);
            let pushed = body
                .as_bytes()
                .chunks(size)
                .try_for_each(|piece| splitter.push(piece, |_| {}));
            assert_eq!(pushed, expect, "{body:?} in pieces of {size}");
            assert_eq!(splitter.finish(|_| {}), expect);
        }
    }
}

/// Keep-alives through a prefill of hours are no event that grows.
#[test]
fn comments_do_not_count_towards_the_limit() {
    let mut splitter = SseSplitter::with_limit(32);
    for _ in 0..100 {
        splitter.push(b": keep-alive\n", |_| {}).unwrap();
    }
    assert_eq!(splitter.comments(), 100);
}
