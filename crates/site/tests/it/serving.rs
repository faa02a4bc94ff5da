//! The server on a socket.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::visitor::Site;

#[tokio::test]
async fn it_serves_until_it_is_told_to_stop() {
    let site = Site::empty().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async {
        stopped.await.unwrap();
    };
    let server = tokio::spawn(tokmark_site::serve(listener, site.router(), shutdown));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nok\n"), "{answer}");
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
