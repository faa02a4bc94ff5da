//! The ways that are compared, and the comparison.

use std::time::Duration;

use tokmark_sim::drain::{DrainConfig, drain};

use crate::answers::{Answers, Cost, MAX_TOKENS, body};
use crate::polled::{Find, Polled};
use crate::ring::Ring;
use crate::{Failure, polled, ring};

const USAGE: &str = "receive ADDRESS STREAMS SECONDS ROUNDS [WAY...]";

/// How long bytes may wait so that one wake-up serves many streams: the load threads' longest wait.
const WAIT: Duration = Duration::from_micros(500);

/// The ways that are compared where none is named.
const ALL: [&str; 13] = [
    "drain",
    "epoll+wait",
    "epoll+stamps",
    "epoll+stamps+wait",
    "edge+stamps",
    "edge+stamps+wait",
    "edge+stamps+wait+half-acks",
    "every+stamps+wait",
    "ring+wait",
    "ring+stamps",
    "ring+stamps+wait",
    "ring+stamps+wait+half-acks",
    "ring+stamps+wait+eager",
];

/// One way to receive.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// The bundled drain itself.
    Drain,
    Polled(Polled),
    Ring(Ring),
}

/// A way, and whether it halves the acknowledgements.
fn parse(name: &str) -> Result<(Way, bool), Failure> {
    let mut words: Vec<&str> = name.split('+').collect();
    let mut has = |word: &str| {
        let before = words.len();
        words.retain(|one| *one != word);
        words.len() < before
    };
    let stamps = has("stamps");
    let wait = has("wait").then_some(WAIT);
    let half_acks = has("half-acks");
    let deferred = !has("eager");
    let polled = |find| Way::Polled(Polled { find, stamps, wait });
    let way = match words.as_slice() {
        ["drain"] => Way::Drain,
        ["epoll"] => polled(Find::Level),
        ["edge"] => polled(Find::Edge),
        ["every"] => polled(Find::Every),
        ["ring"] => Way::Ring(Ring {
            stamps,
            wait,
            deferred,
        }),
        _ => return Err(format!("no such way: `{name}`").into()),
    };
    Ok((way, half_acks))
}

pub(crate) fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, streams, seconds, rounds, names @ ..] = args.as_slice() else {
        return Err(USAGE.into());
    };
    let streams: u32 = streams.parse()?;
    let duration = Duration::from_secs_f64(seconds.parse()?);
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() {
        names.extend(ALL);
    }
    for _round in 0..rounds.parse::<u32>()? {
        for name in &names {
            let (way, half_acks) = parse(name)?;
            match measure(way, address, streams, duration, half_acks) {
                Ok(cost) => println!("{name:28} {streams:5} streams  {cost}"),
                Err(error) => eprintln!("{name:28} {error}"),
            }
        }
    }
    Ok(())
}

fn measure(
    way: Way,
    address: &str,
    streams: u32,
    duration: Duration,
    half_acks: bool,
) -> Result<Cost, Failure> {
    if matches!(way, Way::Drain) {
        return drained(address, streams, duration);
    }
    let mut answers = Answers::open(address, streams, duration, half_acks)?;
    match way {
        Way::Drain => {}
        Way::Polled(way) => polled::receive(&mut answers, way)?,
        Way::Ring(way) => ring::receive(&mut answers, way)?,
    }
    answers.cost()
}

fn drained(address: &str, streams: u32, duration: Duration) -> Result<Cost, Failure> {
    let result = drain(&DrainConfig {
        address: address.parse()?,
        path: "/v1/chat/completions".to_owned(),
        body: body(),
        max_tokens: MAX_TOKENS,
        streams,
        duration,
        answers: None,
        nap: None,
    })?;
    Ok(Cost {
        cpu: result.cpu,
        wall: result.wall,
        events: result.events,
        reads: result.reads,
        ..Cost::default()
    })
}
