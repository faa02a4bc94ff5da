//! One TCP connection to a name with several addresses (case B088).

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

/// How long an attempt may stay without an answer before the next address is tried beside it:
/// the value that RFC 8305 section 8 recommends.
const HEAD_START: Duration = Duration::from_millis(250);

/// The first of `addresses` that `connect` opens, tried one after the other and beside each other,
/// the families in turn: a dead family costs a quarter of a second and never the whole patience.
///
/// # Errors
/// The address tried last and its error; with no addresses, `None` and `NotFound`.
pub(crate) async fn first_to_open<T, F>(
    addresses: Vec<SocketAddr>,
    patience: Duration,
    connect: impl Fn(SocketAddr) -> F,
) -> Result<T, (Option<SocketAddr>, io::Error)>
where
    F: Future<Output = io::Result<T>>,
{
    let mut waiting = in_turn(addresses);
    let mut under_way = FuturesUnordered::new();
    let mut failure = (None, io::Error::from(io::ErrorKind::NotFound));
    let attempt = |address: SocketAddr| {
        let opening = connect(address);
        async move { (address, opening.await) }
    };
    let race = async {
        loop {
            if let Some(address) = waiting.pop_front() {
                under_way.push(attempt(address));
            } else if under_way.is_empty() {
                return None;
            }
            let head_start = tokio::time::sleep(HEAD_START);
            tokio::select! {
                biased;
                Some((address, outcome)) = under_way.next() => match outcome {
                    Ok(open) => return Some(open),
                    Err(error) => failure = (Some(address), error),
                },
                () = head_start, if !waiting.is_empty() => {}
            }
        }
    };
    let ended = tokio::time::timeout(patience, pin!(race)).await;
    match ended {
        Ok(Some(open)) => Ok(open),
        Ok(None) => Err(failure),
        Err(_) => {
            let silent = io::Error::new(io::ErrorKind::TimedOut, "no answer in time");
            Err((failure.0, silent))
        }
    }
}

/// The resolver's order, with the families in turn (RFC 8305 section 4).
fn in_turn(addresses: Vec<SocketAddr>) -> VecDeque<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) = addresses
        .into_iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut turns = VecDeque::new();
    loop {
        let before = turns.len();
        turns.extend(first.next());
        turns.extend(second.next());
        if turns.len() == before {
            return turns;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::time::Instant;

    use super::*;

    /// What an address does in a test, by its port.
    const OPENS: u16 = 1;
    const REFUSES: u16 = 2;
    const OPENS_LATE: u16 = 3;

    async fn race(addresses: &[&str]) -> (Result<String, String>, Duration, Vec<String>) {
        let started = tokio_now();
        let tried = Mutex::new(Vec::new());
        let outcome = first_to_open(
            addresses.iter().map(|a| a.parse().unwrap()).collect(),
            Duration::from_secs(10),
            |address: SocketAddr| {
                tried.lock().unwrap().push(address.to_string());
                async move {
                    match address.port() {
                        OPENS => Ok(address.to_string()),
                        REFUSES => Err(io::Error::from(io::ErrorKind::ConnectionRefused)),
                        OPENS_LATE => {
                            tokio::time::sleep(Duration::from_millis(400)).await;
                            Ok(address.to_string())
                        }
                        _ => std::future::pending().await,
                    }
                }
            },
        )
        .await;
        let outcome = outcome.map_err(|(address, error)| format!("{address:?} {}", error.kind()));
        (outcome, started.elapsed(), tried.into_inner().unwrap())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test's own look at the paused clock"
    )]
    fn tokio_now() -> Instant {
        Instant::now()
    }

    #[tokio::test(start_paused = true)]
    async fn b088_a_refused_family_costs_nothing() {
        let (outcome, took, _) = race(&["[::1]:2", "127.0.0.1:1"]).await;
        assert_eq!(outcome.unwrap(), "127.0.0.1:1");
        assert_eq!(took, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn b088_a_silent_family_costs_a_quarter_of_a_second() {
        let (outcome, took, tried) = race(&["[::1]:9", "[::2]:9", "127.0.0.1:1"]).await;
        assert_eq!(outcome.unwrap(), "127.0.0.1:1");
        assert_eq!(took, HEAD_START);
        assert_eq!(tried, ["[::1]:9", "127.0.0.1:1"], "families in turn");
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_needs_longer_still_wins() {
        let (outcome, took, _) = race(&["[::1]:3", "127.0.0.1:9"]).await;
        assert_eq!(outcome.unwrap(), "[::1]:3");
        assert_eq!(took, Duration::from_millis(400));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_name_the_last_address() {
        let (outcome, took, _) = race(&["[::1]:2", "127.0.0.1:2"]).await;
        assert_eq!(outcome.unwrap_err(), "Some(127.0.0.1:2) connection refused");
        assert_eq!(took, Duration::ZERO);
        let (outcome, took, _) = race(&["[::1]:9", "127.0.0.1:9"]).await;
        assert_eq!(outcome.unwrap_err(), "None timed out");
        assert_eq!(took, Duration::from_secs(10));
        let (outcome, ..) = race(&[]).await;
        assert_eq!(outcome.unwrap_err(), "None entity not found");
    }
}
