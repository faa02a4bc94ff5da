//! Faults of real servers, to be had by name, rate and seed.
//!
//! A [`Fault`] says what goes wrong, [`Hits`] to whom, and [`Faults`] is the list of them that a
//! server has. Whom a fault hits is a pure function of the seed, the fault's name and the number of
//! the request, so that a run can be repeated. [`FAULTS`] describes every fault for people and
//! makes it from words (`NAME[:RATE[:ARG]]`).

mod catalogue;
mod entry;
mod parse;
mod resolved;

use std::ops::Range;
use std::str::FromStr;

use crate::rng::Rng;

pub use catalogue::FAULTS;
pub use entry::{Argument, ArgumentKind, FaultEntry, Scope};
pub use parse::FaultError;
pub use resolved::{
    BreakOff, BreakOffKind, Framing, HttpRefusal, MetricsFaults, RequestFaults, Restart,
    ServerFaults, UsageFault,
};

/// What goes wrong. [`FAULTS`] says in words what each of them does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A chunk with a role and no text comes as soon as the request is taken, long before a token.
    RoleChunk,
    /// The first tokens of a chat answer are reasoning.
    ReasoningFirst {
        /// How many.
        tokens: u32,
    },
    /// An event carries several tokens: it is sent when the last of them is there.
    SeveralTokens {
        /// How many.
        per_event: u32,
    },
    /// SSE comments: one when the request is taken, and one after every so many events.
    KeepAlive {
        /// Events between two comments.
        every: u32,
    },
    /// Lines end with carriage return and line feed.
    Crlf,
    /// No space follows `data:`.
    NoSpace,
    /// Text has letters of two bytes, and every event with one is written in two halves that part
    /// it.
    SplitUtf8,
    /// An error object comes as an event, then `[DONE]`.
    ErrorInStream {
        /// Tokens that are sent before.
        after_tokens: u32,
    },
    /// The connection closes without an end.
    CutStream {
        /// Tokens that are sent before.
        after_tokens: u32,
    },
    /// Nothing more is sent, and the connection stays open.
    Stall {
        /// Tokens that are sent before.
        after_tokens: u32,
    },
    /// HTTP 429.
    TooManyRequests {
        /// What `Retry-After` says, in seconds.
        retry_after_s: u32,
    },
    /// HTTP 503.
    Unavailable {
        /// What `Retry-After` says, in seconds.
        retry_after_s: u32,
    },
    /// A connection waits before the server reads from it.
    SlowAccept {
        /// How long, in milliseconds.
        wait_ms: u32,
    },
    /// Events are held back and sent together in one write: a proxy that buffers.
    BufferingProxy {
        /// Events in a write.
        events: u32,
    },
    /// No usage, whatever was asked for.
    UsageAbsent,
    /// Every chunk says `"usage":null`, the last one too.
    UsageNull,
    /// Every chunk has the usage so far, though nobody asked.
    UsageContinuous,
    /// The answer ends by itself, whatever length was asked for.
    EarlyEnd {
        /// Its length in tokens.
        after_tokens: u32,
    },
    /// The answer repeats one sentence for ever.
    Loop {
        /// Tokens of ordinary text before.
        after_tokens: u32,
    },
    /// Usage tells a wrong number of generated tokens.
    WrongUsage {
        /// What it tells, in percent of the truth.
        percent: u32,
    },
    /// A prompt that is longer is cut without a word.
    TruncatedPrompt {
        /// Tokens that are kept, from its beginning.
        tokens: u32,
    },
    /// There is no `/metrics`.
    MetricsAbsent,
    /// Every family of `/metrics` has another name.
    MetricsRenamed,
    /// `/metrics` tells of the first rank only.
    MetricsOneRank,
    /// The server dies and comes back with empty caches and counters at zero.
    Restart {
        /// It dies once it has sent this many tokens in all.
        after_tokens: u64,
        /// How long it is away, in milliseconds.
        down_ms: u32,
    },
    /// The server dies: every connection breaks, the listener closes, new connections fail.
    Die {
        /// It dies once it has sent this many tokens in all.
        after_tokens: u64,
    },
    /// A request with this field is refused with HTTP 400.
    RefuseField {
        /// The field's name. A dot reaches into an object: `stream_options.include_usage`.
        field: String,
    },
    /// Every route answers with an HTML page and HTTP 200, as a captive portal or a wrong port does.
    Html,
    /// Generation requests are taken and never answered.
    NeverAnswer,
    /// Sequences of other people always run beside.
    BackgroundLoad {
        /// How many.
        sequences: u32,
    },
}

/// Whom a fault hits.
#[derive(Debug, Clone, PartialEq)]
pub enum Hits {
    /// A share of the requests, in [0, 1], drawn by the seed, the fault's name and the request's
    /// number.
    Share(f64),
    /// The requests with these numbers, counted from 0 at the server's first start.
    Numbers(Range<u64>),
}

impl Hits {
    /// Everybody.
    pub const ALL: Self = Self::Share(1.0);

    /// The first so many requests.
    pub fn first(count: u64) -> Self {
        Self::Numbers(0..count)
    }

    /// All requests but the first so many.
    pub fn after(count: u64) -> Self {
        Self::Numbers(count..u64::MAX)
    }
}

/// A fault and whom it hits.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultRule {
    /// What goes wrong.
    pub fault: Fault,
    /// To whom.
    pub hits: Hits,
}

/// Everything that goes wrong. The default is that nothing does.
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    /// Seed of the draws of [`Hits::Share`].
    pub seed: u64,
    /// The faults. Of two of the same kind that hit the same request the first one counts.
    pub rules: Vec<FaultRule>,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            seed: 1,
            rules: Vec::new(),
        }
    }
}

impl Faults {
    /// Adds a fault that hits everybody.
    pub fn add(&mut self, fault: Fault) {
        self.add_to(fault, Hits::ALL);
    }

    /// Adds a fault.
    pub fn add_to(&mut self, fault: Fault, hits: Hits) {
        self.rules.push(FaultRule { fault, hits });
    }

    /// Adds the fault that `NAME[:RATE[:ARG]]` describes.
    pub fn add_words(&mut self, words: &str) -> Result<(), FaultError> {
        self.rules.push(words.parse()?);
        Ok(())
    }

    /// The faults that hit number `number` of what they count.
    fn hitting(&self, number: u64) -> impl Iterator<Item = &Fault> {
        self.rules
            .iter()
            .filter(move |rule| rule.hits(self.seed, number))
            .map(|rule| &rule.fault)
    }
}

impl FromStr for FaultRule {
    type Err = FaultError;

    fn from_str(words: &str) -> Result<Self, FaultError> {
        parse::rule(words)
    }
}

impl FaultRule {
    /// Whether number `number` is hit.
    fn hits(&self, seed: u64, number: u64) -> bool {
        match &self.hits {
            Hits::Numbers(range) => range.contains(&number),
            Hits::Share(share) => {
                let purpose = self.fault.name().bytes().fold(0_u64, |hash, byte| {
                    hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
                });
                let mut draw = Rng::new(seed).split(purpose).split(number);
                draw.chance(*share)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(seed: u64, fault: &Fault, share: f64) -> Vec<u64> {
        let rule = FaultRule {
            fault: fault.clone(),
            hits: Hits::Share(share),
        };
        (0..2_000).filter(|n| rule.hits(seed, *n)).collect()
    }

    #[test]
    fn whom_a_fault_hits_depends_on_seed_name_and_number_alone() {
        let tenth = hit(1, &Fault::Crlf, 0.1);
        assert!((150..250).contains(&tenth.len()), "{}", tenth.len());
        assert_eq!(tenth, hit(1, &Fault::Crlf, 0.1));
        assert_ne!(tenth, hit(2, &Fault::Crlf, 0.1));
        assert_ne!(tenth, hit(1, &Fault::NoSpace, 0.1));
        // A greater share hits the same ones and more.
        let third = hit(1, &Fault::Crlf, 0.3);
        assert!(tenth.iter().all(|n| third.contains(n)));
        assert_eq!(hit(1, &Fault::Crlf, 1.0).len(), 2_000);
        assert!(hit(1, &Fault::Crlf, 0.0).is_empty());
    }

    #[test]
    fn numbers_are_hit_as_they_are_named() {
        let check = |hits: Hits, expect: [bool; 4]| {
            let fault = Fault::Crlf;
            let rule = FaultRule { fault, hits };
            assert_eq!([0, 1, 2, 9].map(|n| rule.hits(1, n)), expect);
        };
        check(Hits::first(2), [true, true, false, false]);
        check(Hits::after(2), [false, false, true, true]);
        check(Hits::Numbers(1..3), [false, true, true, false]);
    }
}
