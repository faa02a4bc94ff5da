//! `tokmark selftest`: how fast and how exact this client is on this machine.
//!
//! Server and client run on a core each. What the client can do is told beside what a minimal
//! drain can do in the same minute: both suffer alike from whatever else the machine does.

pub(crate) mod client;
mod open;
mod process;
mod report;
mod system;
mod truth;

use process::{Cores, Server, Task};
use report::{Flooded, Paced, Report};

use self::client::Found;
use crate::args::SelftestArgs;
use crate::exit::Exit;
use crate::failure::Outcome;
use crate::{load, say};

/// Tokens of an answer under flood, as in the comparison with other clients.
const FLOOD_TOKENS: u32 = 512;
/// Tokens of a paced answer: it outlasts a measurement.
const PACED_TOKENS: u32 = 20_000;
/// Between two tokens of a stream, and before its first one.
const PACE: &str = "5ms";
const FIRST: &str = "100ms";

/// Measures and judges.
pub(crate) fn run(args: &SelftestArgs, quiet: bool) -> Outcome {
    let cores = Cores::of_this_machine();
    let tell = |text: String| {
        if !quiet {
            say::progress(text);
        }
    };
    let mut report = Report::new(cores);
    for streams in &args.flood {
        tell(format!("flooded, {streams} streams"));
        report.flooded.push(flooded(*streams, args, cores)?);
    }
    for streams in &args.paced {
        tell(format!("paced, {streams} streams"));
        report.paced.push(paced(*streams, args, cores)?);
    }
    if args.open > 0 {
        tell(format!("{} open connections", args.open));
        report.open = Some(opened(args.open, cores)?);
    }
    let starts: Outcome<Vec<_>> = (0..args.tries.max(1))
        .map(|_| process::first_byte())
        .collect();
    report.first_byte_ms = starts?
        .iter()
        .map(|time| time.as_secs_f64() * 1_000.0)
        .reduce(f64::min);
    if args.json {
        say::result(report.as_json()?);
    } else {
        say::raw(&report.as_text());
    }
    Ok(if report.holds() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The best of a few tries, drain and client in turn.
fn flooded(streams: u32, args: &SelftestArgs, cores: Cores) -> Outcome<Flooded> {
    let server = Server::start(&["--flood", "16"], cores)?;
    let task = |role| Task {
        role,
        streams,
        tokens: FLOOD_TOKENS,
        seconds: args.seconds,
        distinct: false,
        starve: false,
    };
    let mut best: Option<Flooded> = None;
    for _ in 0..args.tries {
        let drain = process::measure(&server, task("drain"), cores)?;
        let load = process::measure(&server, task("load"), cores)?;
        best = Some(match best {
            None => Flooded {
                streams,
                drain,
                load,
            },
            Some(best) => Flooded {
                streams,
                drain: faster(best.drain, drain),
                load: faster(best.load, load),
            },
        });
        if best.as_ref().is_some_and(Flooded::holds) {
            break;
        }
    }
    Ok(best.unwrap_or_default())
}

fn faster(one: Found, other: Found) -> Found {
    if other.tokens_per_s > one.tokens_per_s {
        other
    } else {
        one
    }
}

fn paced(streams: u32, args: &SelftestArgs, cores: Cores) -> Outcome<Paced> {
    let options = ["--pace", PACE, "--first", FIRST, "--truth-events"];
    let task = |role| Task {
        role,
        streams,
        tokens: PACED_TOKENS,
        seconds: args.seconds,
        distinct: true,
        starve: false,
    };
    let mut best: Option<Paced> = None;
    for _ in 0..args.tries {
        let server = Server::start(&options, cores)?;
        let drain = process::measure(&server, task("drain"), cores)?;
        let server = Server::start(&options, cores)?;
        let load = process::measure(&server, task("load"), cores)?;
        let new = Paced {
            streams,
            drain,
            load,
        };
        best = Some(match best {
            None => new,
            Some(best) => best.or_better(new),
        });
        if best.as_ref().is_some_and(Paced::holds) {
            break;
        }
    }
    Ok(best.unwrap_or_default())
}

fn opened(streams: u32, cores: Cores) -> Outcome<report::Open> {
    let room = load::room_for_connections();
    if u64::from(streams) > room {
        return Ok(report::Open::forbidden(streams, room));
    }
    let server = Server::start(&["--pace", "1s"], cores)?;
    let task = Task {
        role: "open",
        streams,
        tokens: 1,
        seconds: 1,
        distinct: false,
        starve: false,
    };
    let found = process::measure(&server, task, cores)?;
    Ok(report::Open::found(streams, &found))
}
