use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{Request, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokmark_driver::{
    Arrival, Clock, Connect, Io, MemoryConnect, Protocol, TcpConnect, TlsSettings, What,
};
use tokmark_units::Nanos;

use crate::server::{batches, certified, listen, run, start, story, target, times, trusting};

/// What a server does with one request.
#[derive(Clone, Copy)]
enum Act {
    /// Sends these texts, each 50 ms after the one before.
    Send(&'static [&'static str]),
    /// Sends one text, then resets the stream.
    Reset,
    /// Sends one text, then closes the connection.
    Close,
    /// Answers, and says that this connection takes no further request.
    Goodbye,
    /// Sends one text and then nothing for ever.
    Hang,
}

/// Requests as they came: method, URI, headers, body.
type Seen = Arc<Mutex<Vec<(Request<()>, Bytes)>>>;

async fn serve(io: impl Io, acts: Arc<Mutex<VecDeque<Act>>>, seen: Seen) {
    let mut connection = h2::server::handshake(io).await.unwrap();
    while let Some(accepted) = connection.accept().await {
        let Ok((request, mut answer)) = accepted else {
            return;
        };
        let act = acts.lock().unwrap().pop_front().unwrap();
        let seen = Arc::clone(&seen);
        match act {
            Act::Close => {
                let mut body = head(&mut answer);
                body.send_data(frame("one"), false).unwrap();
                // Lets the text out, and then the byte stream goes away under the connection.
                let _flushed =
                    tokio::time::timeout(Duration::from_millis(50), connection.accept()).await;
                return;
            }
            Act::Goodbye => connection.graceful_shutdown(),
            Act::Send(_) | Act::Reset | Act::Hang => {}
        }
        tokio::spawn(respond(request, answer, act, seen));
    }
}

/// One event of the completions endpoint.
fn frame(text: &str) -> Bytes {
    format!("data: {{\"choices\":[{{\"text\":\"{text}\"}}]}}\n\n").into()
}

fn head(answer: &mut SendResponse<Bytes>) -> h2::SendStream<Bytes> {
    let head = Response::builder()
        .header("content-type", "text/event-stream")
        .body(())
        .unwrap();
    answer.send_response(head, false).unwrap()
}

async fn respond(
    request: Request<RecvStream>,
    mut answer: SendResponse<Bytes>,
    act: Act,
    seen: Seen,
) {
    let (parts, mut body) = request.into_parts();
    let mut got = Vec::new();
    while let Some(data) = body.data().await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        got.extend_from_slice(&data);
    }
    seen.lock()
        .unwrap()
        .push((Request::from_parts(parts, ()), got.into()));
    let texts = match act {
        Act::Send(texts) => texts,
        _ => &["one"],
    };
    let mut out = head(&mut answer);
    for text in texts {
        tokio::time::sleep(Duration::from_millis(50)).await;
        out.send_data(frame(text), false).unwrap();
    }
    match act {
        Act::Reset => {
            tokio::time::sleep(Duration::from_millis(50)).await;
            out.send_reset(Reason::INTERNAL_ERROR);
        }
        Act::Hang => {
            // Ends when the client is gone.
            let _reset = std::future::poll_fn(|cx| out.poll_reset(cx)).await;
            seen.lock().unwrap().clear();
        }
        _ => {
            let end = "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
            out.send_data(Bytes::from_static(end.as_bytes()), true)
                .unwrap();
        }
    }
}

/// Connections through memory to a server that acts so, request by request.
fn acting(acts: &[Act]) -> (Arc<dyn Connect>, Seen, Arc<Mutex<u32>>) {
    let acts = Arc::new(Mutex::new(acts.iter().copied().collect::<VecDeque<_>>()));
    let (seen, opened) = (Seen::default(), Arc::new(Mutex::new(0)));
    let (told, count) = (Arc::clone(&seen), Arc::clone(&opened));
    let connector = MemoryConnect::new(move || {
        *count.lock().unwrap() += 1;
        let (client, server) = tokio::io::duplex(65_536);
        tokio::spawn(serve(server, Arc::clone(&acts), Arc::clone(&told)));
        Box::new(client)
    });
    (Arc::new(connector.speaking(Protocol::Http2)), seen, opened)
}

#[tokio::test(start_paused = true)]
async fn requests_share_a_connection_and_their_texts_have_their_times() {
    let (connector, seen, opened) = acting(&[Act::Send(&["a", "b"]), Act::Send(&["c"])]);
    let clock = Clock::start();
    let all = run(connector, clock, 2).await;
    assert_eq!(story(&all), ["ab complete", "c complete"]);
    assert_eq!(*opened.lock().unwrap(), 1);
    let sent: Vec<Nanos> = all
        .iter()
        .filter_map(|arrival| match arrival.what {
            What::Sent(at) => Some(at),
            _ => None,
        })
        .collect();
    let after = |sent: Nanos, ms| sent + Nanos::from_millis(ms);
    let expect = [after(sent[0], 50), after(sent[0], 100), after(sent[1], 50)];
    assert_eq!(times(&all), expect);
    let seen = seen.lock().unwrap();
    let (first, body) = &seen[0];
    assert_eq!(first.method(), "POST");
    assert_eq!(first.uri(), "http://test/v1/completions");
    assert_eq!(first.headers().get("host"), None, "it is the authority");
    assert_eq!(body, "{}");
}

#[tokio::test(start_paused = true)]
async fn a_reset_stream_and_a_closed_connection_are_told_apart() {
    let (connector, ..) = acting(&[Act::Reset]);
    let all = run(connector, Clock::start(), 1).await;
    let told = story(&all).concat();
    assert!(told.starts_with("one cut_stream: "), "{told}");
    assert!(told.contains("internal error"), "{told}");
    assert!(failure(&all).contains("was reset"), "{all:?}");
    let (connector, ..) = acting(&[Act::Close]);
    let all = run(connector, Clock::start(), 1).await;
    let told = story(&all).concat();
    assert!(told.starts_with("one cut_stream: "), "{told}");
    assert!(failure(&all).contains("closed in the middle"), "{all:?}");
}

/// The words of the last answer's failure.
fn failure(all: &[Arrival]) -> String {
    let What::Ended { reply, .. } = &all.last().unwrap().what else {
        panic!("{all:?}");
    };
    reply.failure.as_ref().unwrap().message.clone()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_goodbye_gets_the_next_request_on_a_new_connection() {
    let (connector, _, opened) = acting(&[Act::Goodbye, Act::Send(&["c"])]);
    let all = run(connector, Clock::start(), 2).await;
    assert_eq!(story(&all), ["one complete", "c complete"]);
    assert_eq!(*opened.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_stream_cancels_its_request() {
    let (connector, seen, _) = acting(&[Act::Hang]);
    let (mut arrivals, task) = start(connector, Clock::start(), 1);
    while let Some(arrival) = arrivals.recv().await {
        if matches!(arrival.what, What::Events(_)) {
            break;
        }
    }
    assert_eq!(seen.lock().unwrap().len(), 1);
    task.abort();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(seen.lock().unwrap().is_empty(), "the server noticed");
}

/// One exchange over TCP with a server that offers `protocols` in its handshake, or none.
async fn over_tcp(protocols: Option<&[&[u8]]>) -> Vec<Arrival> {
    let (listener, port) = listen().await;
    let (acceptor, pem) = certified(protocols.unwrap_or_default());
    let acts = Arc::new(Mutex::new(VecDeque::from([Act::Send(&["x"])])));
    let server = async {
        let (io, _) = listener.accept().await.unwrap();
        let io: Box<dyn Io> = match protocols {
            None => Box::new(io),
            // A client that finds nothing in common ends the handshake.
            Some(_) => match acceptor.accept(io).await {
                Ok(io) => Box::new(io),
                Err(_) => return,
            },
        };
        if protocols.is_none_or(|all| all.contains(&b"h2".as_slice())) {
            serve(io, acts, Seen::default()).await;
        }
    };
    let mut target = target(port, protocols.is_some());
    target.protocol = Protocol::Http2;
    let clock = Clock::start();
    let connector = TcpConnect::new(target, &trusting(&pem), clock).unwrap();
    let (all, ()) = tokio::join!(run(Arc::new(connector), clock, 1), server);
    all
}

#[tokio::test]
async fn http2_works_on_plain_connections_and_over_tls_with_kernel_stamps() {
    for protocols in [None, Some([b"h2".as_slice(), b"http/1.1"].as_slice())] {
        // On a machine without a quiet moment a single stamp may fall back to the read's time.
        let mut stamped = false;
        for _ in 0..5 {
            let all = over_tcp(protocols).await;
            assert_eq!(story(&all), ["x complete"]);
            stamped |= batches(&all).any(|batch| !batch.read_stamps);
        }
        assert!(stamped || cfg!(not(target_os = "linux")));
    }
}

#[tokio::test]
async fn a_server_without_http2_is_told_as_such() {
    for protocols in [[b"http/1.1".as_slice()].as_slice(), &[]] {
        let all = over_tcp(Some(protocols)).await;
        let What::NoConnection { error, .. } = &all.last().unwrap().what else {
            panic!("{all:?}");
        };
        assert!(error.is_tls(), "{error}");
    }
    // Without TLS nobody asks beforehand: the answer to the greeting tells.
    let (listener, port) = listen().await;
    let server = async {
        let (mut io, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
        io.write_all(answer).await.unwrap();
        let mut greeting = Vec::new();
        let _closed_by_the_client = io.read_to_end(&mut greeting).await;
    };
    let mut target = target(port, false);
    target.protocol = Protocol::Http2;
    let clock = Clock::start();
    let connector = TcpConnect::new(target, &TlsSettings::default(), clock).unwrap();
    let (all, ()) = tokio::join!(run(Arc::new(connector), clock, 1), server);
    let told = story(&all).join("\n");
    assert!(told.contains("no HTTP/2 on this connection"), "{told}");
}
