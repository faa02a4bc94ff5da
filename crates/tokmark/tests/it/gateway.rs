//! Simulated servers in this process, behind TLS, a Unix socket, a proxy or another version of HTTP.

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio_rustls::TlsAcceptor;
use tokmark_sim::{SimConfig, SimServer};
use tokmark_test_kit::Front;

/// Runs `serve` on a thread of its own until the test's process ends, and gives what it reports.
fn host<T, F>(serve: impl FnOnce(mpsc::Sender<T>) -> F + Send + 'static) -> T
where
    T: Send + 'static,
    F: Future<Output = ()>,
{
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(serve(tell));
    });
    told.recv().unwrap()
}

fn sim() -> Arc<SimServer> {
    Arc::new(SimServer::start(SimConfig::default()).unwrap())
}

/// A server behind this front on `address`; gives its port, or `None` where there is no such
/// address.
pub(crate) fn on(address: &'static str, front: Front) -> Option<u16> {
    host(move |tell| async move {
        let Ok(listener) = TcpListener::bind((address, 0)).await else {
            return tell.send(None).unwrap();
        };
        tell.send(Some(listener.local_addr().unwrap().port()))
            .unwrap();
        let server = sim();
        while let Ok((io, _)) = listener.accept().await {
            front.attach(io, &server);
        }
    })
}

/// A server behind this front on 127.0.0.1.
pub(crate) fn plain(front: Front) -> u16 {
    on("127.0.0.1", front).unwrap()
}

/// TLS for `localhost` in front of what listens on a port; gives its port and its authority's
/// certificate.
pub(crate) fn tls_in_front(of: u16) -> (u16, String) {
    let (acceptor, pem) = for_localhost(b"http/1.1");
    let port = host(move |tell| async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        tell.send(listener.local_addr().unwrap().port()).unwrap();
        while let Ok((io, _)) = listener.accept().await {
            if let Ok(mut io) = acceptor.accept(io).await {
                let mut server = TcpStream::connect(("127.0.0.1", of)).await.unwrap();
                let _ended = copy_bidirectional(&mut io, &mut server).await;
            }
        }
    });
    (port, pem)
}

/// What accepts TLS for `localhost`, and its authority's certificate.
fn for_localhost(protocol: &[u8]) -> (TlsAcceptor, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![protocol.to_vec()];
    (TlsAcceptor::from(Arc::new(config)), cert.pem())
}

/// A server over TLS for `localhost`; gives its port and its authority's certificate.
pub(crate) fn over_tls(front: Front) -> (u16, String) {
    let name: &[u8] = if front.http2 { b"h2" } else { b"http/1.1" };
    let (acceptor, pem) = for_localhost(name);
    let port = host(move |tell| async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        tell.send(listener.local_addr().unwrap().port()).unwrap();
        let server = sim();
        while let Ok((io, _)) = listener.accept().await {
            // A client that does not trust the certificate ends the handshake.
            if let Ok(io) = acceptor.accept(io).await {
                front.attach(io, &server);
            }
        }
    });
    (port, pem)
}

/// A server on a Unix socket.
pub(crate) fn on_socket(path: &Path, front: Front) {
    let path = path.to_owned();
    host(move |tell| async move {
        let listener = UnixListener::bind(path).unwrap();
        tell.send(()).unwrap();
        let server = sim();
        while let Ok((io, _)) = listener.accept().await {
            front.attach(io, &server);
        }
    });
}

/// What a proxy was asked first on each connection.
pub(crate) type Asked = Arc<Mutex<Vec<String>>>;

/// A proxy through which every name leads to the server on `to`: tunnels are opened, and plain
/// requests handed on as they are.
pub(crate) fn proxy(to: u16) -> (u16, Asked) {
    let asked = Asked::default();
    let heads = Arc::clone(&asked);
    let port = host(move |tell| async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        tell.send(listener.local_addr().unwrap().port()).unwrap();
        while let Ok((io, _)) = listener.accept().await {
            tokio::spawn(pass(io, to, Arc::clone(&heads)));
        }
    });
    (port, asked)
}

async fn pass(mut client: TcpStream, to: u16, asked: Asked) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else {
            return;
        };
        head.push(byte);
    }
    let text = String::from_utf8(head.clone()).unwrap();
    asked.lock().unwrap().push(text.clone());
    let mut server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
    if text.starts_with("CONNECT ") {
        let open = b"HTTP/1.1 200 Connection established\r\n\r\n";
        client.write_all(open).await.unwrap();
    } else {
        server.write_all(&head).await.unwrap();
    }
    let _ended = copy_bidirectional(&mut client, &mut server).await;
}
