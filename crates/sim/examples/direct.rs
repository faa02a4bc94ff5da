//! Streams without an engine, and the drain that reads them, to be run on a core each:
//!
//! ```sh
//! taskset -c 0 direct serve-flood 8899 16 &
//! taskset -c 1 direct drain 127.0.0.1:8899 64 4096 3
//! ```
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for people at a terminal"
)]

use std::num::NonZeroU32;
use std::time::Duration;

use tokmark_sim::{Pace, SimConfig, SimServer, TokenSource};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "direct serve-flood PORT EVENTS SECONDS | direct serve-pace PORT FIRST_MS EVERY_US SECONDS | \
                     direct drain ADDRESS STREAMS MAX_TOKENS SECONDS [NAP_US]";

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve-flood", port, events, seconds] => serve(
            port.parse()?,
            TokenSource::Flood(events.parse::<NonZeroU32>()?),
            seconds.parse()?,
        ),
        ["serve-pace", port, first_ms, every_us, seconds] => serve(
            port.parse()?,
            TokenSource::Pace(Pace {
                first: Duration::from_millis(first_ms.parse()?),
                every: Duration::from_micros(every_us.parse()?),
            }),
            seconds.parse()?,
        ),
        ["drain", address, streams, max_tokens, seconds, nap @ ..] => read(
            address,
            streams.parse()?,
            max_tokens.parse()?,
            seconds.parse()?,
            nap,
        ),
        _ => Err(USAGE.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn read(_: &str, _: u32, _: u32, _: f64, _: &[&str]) -> Result<(), Failure> {
    Err("the drain is for Linux only".into())
}

#[cfg(target_os = "linux")]
fn read(
    address: &str,
    streams: u32,
    max_tokens: u32,
    seconds: f64,
    nap: &[&str],
) -> Result<(), Failure> {
    use tokmark_sim::drain::{DrainConfig, drain};

    let nap = nap.first().map(|nap| nap.parse()).transpose()?;
    let result = drain(&DrainConfig {
        address: address.parse()?,
        path: "/v1/chat/completions".to_owned(),
        body: body(max_tokens),
        max_tokens,
        streams,
        duration: Duration::from_secs_f64(seconds),
        answers: None,
        nap: nap.map(Duration::from_micros),
    })?;
    let tokens = f64::from(u32::try_from(result.tokens)?);
    println!("{result:?}");
    println!(
        "{:.0} tokens/s, {:.2} CPU us/token, core use {:.2}",
        tokens / result.wall.as_secs_f64(),
        result.cpu.as_secs_f64() / tokens * 1e6,
        result.cpu.as_secs_f64() / result.wall.as_secs_f64(),
    );
    Ok(())
}

#[cfg(target_os = "linux")]
fn body(max_tokens: u32) -> Vec<u8> {
    let prompt = "word ".repeat(64);
    format!(
        r#"{{"messages":[{{"role":"user","content":"{prompt}"}}],"stream":true,"max_tokens":{max_tokens},"ignore_eos":true,"stream_options":{{"include_usage":true}}}}"#
    )
    .into_bytes()
}

fn serve(port: u16, tokens: TokenSource, seconds: u64) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = SimServer::start(SimConfig {
            tokens,
            keep_events: false,
            ..SimConfig::default()
        })?;
        let listener = tokmark_sim::listen((std::net::Ipv4Addr::LOCALHOST, port).into())?;
        let end = tokio::time::sleep(Duration::from_secs(seconds));
        server.serve(listener, end).await?;
        let truth = server.truth();
        eprintln!(
            "{} requests, lateness {:?}",
            truth.requests.len(),
            truth.lateness
        );
        Ok(())
    })
}
