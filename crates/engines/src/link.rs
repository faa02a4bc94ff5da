//! One open connection of the control plane, of either version of HTTP.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::AbortHandle;

use crate::control::ControlIo;
use crate::target::Form;

type Body = Full<Bytes>;

enum Sender {
    Http1(http1::SendRequest<Body>),
    Http2(http2::SendRequest<Body>),
}

/// An open connection and the task that drives it.
pub(crate) struct Link {
    sender: Sender,
    driver: AbortHandle,
}

impl Drop for Link {
    fn drop(&mut self) {
        // An abandoned request must not keep running on the server (a timeout ends here, too).
        self.driver.abort();
    }
}

impl Link {
    /// Takes over a byte stream.
    pub(crate) async fn open(io: Box<dyn ControlIo>, form: Form) -> Result<Self, hyper::Error> {
        let io = TokioIo::new(io);
        if form == Form::Http2 {
            let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
            return Ok(Self {
                sender: Sender::Http2(sender),
                driver: driven(connection),
            });
        }
        let (sender, connection) = http1::handshake(io).await?;
        Ok(Self {
            sender: Sender::Http1(sender),
            driver: driven(connection),
        })
    }

    /// Waits until another request can be sent; `false` when none can.
    pub(crate) async fn is_ready(&mut self) -> bool {
        let ready = match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await,
            Sender::Http2(sender) => sender.ready().await,
        };
        ready.is_ok()
    }

    /// Sends a request and waits for the head of its answer.
    pub(crate) async fn send(
        &mut self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        match &mut self.sender {
            Sender::Http1(sender) => sender.send_request(request).await,
            Sender::Http2(sender) => sender.send_request(request).await,
        }
    }
}

fn driven(
    connection: impl Future<Output = Result<(), hyper::Error>> + Send + 'static,
) -> AbortHandle {
    let task = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "control connection closed");
        }
    });
    task.abort_handle()
}
