use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokmark_driver::{Clock, Io, Protocol, Proxy, TcpConnect, TlsSettings, Way};

use crate::server::{
    HEAD, certified, done, event, listen, request, run, run_at, story, target, trusting,
};

/// What a test's proxy was asked, head by head.
type Asked = Arc<Mutex<Vec<String>>>;

/// A proxy that opens tunnels and forwards plain requests; with TLS in front of it if given. Ends
/// with the test's runtime.
async fn proxy(tls: Option<TlsAcceptor>) -> (u16, Asked) {
    let (listener, port) = listen().await;
    let asked = Asked::default();
    let heads = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((io, _)) = listener.accept().await {
            let (tls, heads) = (tls.clone(), Arc::clone(&heads));
            tokio::spawn(async move {
                match tls {
                    None => serve(io, &heads).await,
                    Some(tls) => serve(tls.accept(io).await.unwrap(), &heads).await,
                }
            });
        }
    });
    (port, asked)
}

async fn serve(mut client: impl Io, asked: &Asked) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    asked.lock().unwrap().push(head.clone());
    let (line, rest) = head.split_once("\r\n").unwrap();
    let mut words = line.split(' ');
    let (method, to) = (words.next().unwrap(), words.next().unwrap());
    let mut server = if method == "CONNECT" {
        let server = TcpStream::connect(to).await.unwrap();
        let open = b"HTTP/1.1 200 Connection established\r\n\r\n";
        client.write_all(open).await.unwrap();
        server
    } else {
        let (authority, path) = to.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut server = TcpStream::connect(authority).await.unwrap();
        let rest: Vec<&str> = rest
            .lines()
            .filter(|line| !line.starts_with("proxy-"))
            .collect();
        let forwarded = format!("{method} /{path} HTTP/1.1\r\n{}\r\n", rest.join("\r\n"));
        server.write_all(forwarded.as_bytes()).await.unwrap();
        server
    };
    let _ended = copy_bidirectional(&mut client, &mut server).await;
}

/// A server for one exchange; gives the request's text.
async fn server(listener: TcpListener, tls: Option<TlsAcceptor>) -> String {
    async fn answer(mut io: impl Io) -> String {
        let got = request(&mut io).await.unwrap();
        for part in [HEAD, &event("x"), &done()] {
            io.write_all(part).await.unwrap();
        }
        io.flush().await.unwrap();
        got
    }
    let (io, _) = listener.accept().await.unwrap();
    match tls {
        None => answer(io).await,
        Some(tls) => answer(tls.accept(io).await.unwrap()).await,
    }
}

fn at(port: u16, credentials: &str, tls: bool) -> Proxy {
    let (scheme, host) = if tls {
        ("https", "localhost")
    } else {
        ("http", "127.0.0.1")
    };
    Proxy::parse(&format!("{scheme}://{credentials}{host}:{port}")).unwrap()
}

#[tokio::test]
async fn b089_https_goes_through_a_tunnel_with_the_proxys_credentials() {
    let (acceptor, pem) = certified(&[]);
    let (listener, port) = listen().await;
    let (proxy_port, asked) = proxy(None).await;
    let mut target = target(port, true);
    target.way = Way::Tunnelled(at(proxy_port, "me:pw@", false));
    let clock = Clock::start();
    let connector = TcpConnect::new(target, &trusting(&pem), clock).unwrap();
    let (all, got) = tokio::join!(
        run(Arc::new(connector), clock, 1),
        server(listener, Some(acceptor))
    );
    assert_eq!(story(&all), ["x complete"]);
    assert!(
        got.starts_with("POST /v1/completions HTTP/1.1\r\n"),
        "{got}"
    );
    assert!(!got.to_lowercase().contains("proxy-authorization"), "{got}");
    let asked = asked.lock().unwrap();
    assert_eq!(
        asked.as_slice(),
        [format!(
            "CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Proxy-Authorization: Basic bWU6cHc=\r\n\r\n"
        )]
    );
}

#[tokio::test]
async fn plain_requests_are_forwarded_with_their_whole_address() {
    let (listener, port) = listen().await;
    let (proxy_port, asked) = proxy(None).await;
    let mut target = target(port, false);
    target.way = Way::Forwarded(at(proxy_port, "", false));
    let clock = Clock::start();
    let connector = TcpConnect::new(target, &TlsSettings::default(), clock).unwrap();
    let path: &'static str = format!("http://127.0.0.1:{port}/llm/v1/completions").leak();
    let (all, got) = tokio::join!(
        run_at(Arc::new(connector), clock, 1, path),
        server(listener, None)
    );
    assert_eq!(story(&all), ["x complete"]);
    assert!(
        got.starts_with("POST /llm/v1/completions HTTP/1.1\r\n"),
        "{got}"
    );
    let first = asked.lock().unwrap()[0].clone();
    let line = format!("POST {path} HTTP/1.1\r\n");
    assert!(first.starts_with(&line), "{first}");
}

#[tokio::test]
async fn a_proxy_may_be_reached_over_tls_itself() {
    let (acceptor, pem) = certified(&[]);
    let (listener, port) = listen().await;
    let (proxy_port, asked) = proxy(Some(acceptor.clone())).await;
    let mut target = target(port, true);
    target.way = Way::Tunnelled(at(proxy_port, "", true));
    let clock = Clock::start();
    let connector = TcpConnect::new(target, &trusting(&pem), clock).unwrap();
    let (all, _) = tokio::join!(
        run(Arc::new(connector), clock, 1),
        server(listener, Some(acceptor))
    );
    assert_eq!(story(&all), ["x complete"]);
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_proxy_that_refuses_or_is_not_there_is_named() {
    let (listener, port) = listen().await;
    let refuse = async {
        let (mut io, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(io.read_u8().await.unwrap());
        }
        let no = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
        io.write_all(no).await.unwrap();
    };
    let clock = Clock::start();
    let connector = |protocol: Protocol| {
        let mut target = target(1, false);
        target.protocol = protocol;
        target.way = Way::Tunnelled(at(port, "me:hunter2@", false));
        Arc::new(TcpConnect::new(target, &TlsSettings::default(), clock).unwrap())
    };
    let (all, ()) = tokio::join!(run(connector(Protocol::Http2), clock, 1), refuse);
    let said = story(&all).join("\n");
    let whole = format!("the proxy `127.0.0.1:{port}` opens no tunnel to `127.0.0.1:1`");
    assert!(said.contains(&whole) && said.contains("407"), "{said}");
    drop(listener);
    let all = run(connector(Protocol::Http1), clock, 1).await;
    let said = story(&all).join("\n");
    let whole = format!("the proxy `127.0.0.1:{port}` cannot be reached");
    assert!(said.contains(&whole) && said.contains("refused"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}
