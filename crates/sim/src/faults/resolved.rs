//! The faults of one request, one connection, one scrape, and of the server as a whole.

use std::time::Duration;

use super::{Fault, FaultRule, Faults};

/// What goes wrong with one generation request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestFaults {
    /// It is refused.
    pub refusal: Option<HttpRefusal>,
    /// It is never answered.
    pub never_answer: bool,
    /// Fields with which it is refused.
    pub refuse_fields: Vec<String>,
    /// Tokens of the prompt that are kept.
    pub prompt_limit: Option<u32>,
    /// Length of an answer that ends by itself.
    pub early_end: Option<u32>,
    /// Tokens before the answer repeats itself.
    pub loop_after: Option<u32>,
    /// Tokens of reasoning at its beginning.
    pub reasoning: Option<u32>,
    /// A chunk with the role comes at once.
    pub role_chunk: bool,
    /// Tokens in an event.
    pub per_event: Option<u32>,
    /// Events between two comments.
    pub keep_alive: Option<u32>,
    /// How events are written.
    pub framing: Framing,
    /// How the stream breaks off.
    pub break_off: Option<BreakOff>,
    /// Events in a write.
    pub buffer_events: Option<u32>,
    /// Whether usage is told.
    pub usage: Option<UsageFault>,
    /// What usage tells of generated tokens, in percent of the truth.
    pub usage_percent: Option<u32>,
}

/// An HTTP status instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpRefusal {
    /// 429, with the seconds of `Retry-After`.
    TooManyRequests(u32),
    /// 503, with the seconds of `Retry-After`.
    Unavailable(u32),
}

/// How the bytes of events look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Framing {
    /// Lines end with carriage return and line feed.
    pub crlf: bool,
    /// No space follows `data:`.
    pub no_space: bool,
    /// A character of two bytes is parted between two writes.
    pub split_utf8: bool,
}

/// How a stream breaks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakOff {
    /// What happens.
    pub kind: BreakOffKind,
    /// Tokens that are sent before; it happens instead of the next event.
    pub after_tokens: u32,
}

/// What happens to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakOffKind {
    /// An error object as an event, then `[DONE]`.
    Error,
    /// The connection closes without an end.
    Cut,
    /// Nothing more is sent, and the connection stays open.
    Stall,
}

/// What becomes of usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageFault {
    /// It is not told.
    Absent,
    /// It is null.
    Null,
    /// It is told in every chunk.
    Continuous,
}

/// What goes wrong with one reading of `/metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MetricsFaults {
    /// It is not there.
    pub absent: bool,
    /// Its families have other names.
    pub renamed: bool,
    /// It tells of the first rank only.
    pub one_rank: bool,
}

/// What goes wrong with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerFaults {
    /// It dies once it has sent this many tokens.
    pub die_after_tokens: Option<u64>,
    /// It starts again.
    pub restart: Option<Restart>,
    /// Sequences of other people that always run.
    pub background_sequences: u32,
}

/// When a server starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// It dies once it has sent this many tokens.
    pub after_tokens: u64,
    /// How long it is away.
    pub down: Duration,
}

impl Faults {
    /// What goes wrong with the generation request of this number. A pure function.
    pub fn for_request(&self, number: u64) -> RequestFaults {
        let mut request = RequestFaults::default();
        for fault in self.hitting(number) {
            request.add(fault);
        }
        request
    }

    /// Whether the HTTP request of this number is answered with a page.
    pub fn html(&self, number: u64) -> bool {
        self.hitting(number).any(|fault| *fault == Fault::Html)
    }

    /// How long the connection of this number waits.
    pub fn accept_wait(&self, number: u64) -> Option<Duration> {
        self.hitting(number).find_map(|fault| match fault {
            Fault::SlowAccept { wait_ms } => Some(Duration::from_millis(u64::from(*wait_ms))),
            _ => None,
        })
    }

    /// What goes wrong with the reading of `/metrics` of this number.
    pub fn for_scrape(&self, number: u64) -> MetricsFaults {
        let hit = |wanted: &Fault| self.hitting(number).any(|fault| fault == wanted);
        MetricsFaults {
            absent: hit(&Fault::MetricsAbsent),
            renamed: hit(&Fault::MetricsRenamed),
            one_rank: hit(&Fault::MetricsOneRank),
        }
    }

    /// What goes wrong with the server as a whole, whomever the rules name.
    pub fn for_server(&self) -> ServerFaults {
        let mut server = ServerFaults::default();
        for FaultRule { fault, .. } in &self.rules {
            match fault {
                Fault::Die { after_tokens } => {
                    server.die_after_tokens.get_or_insert(*after_tokens);
                }
                Fault::Restart {
                    after_tokens,
                    down_ms,
                } => {
                    server.restart.get_or_insert(Restart {
                        after_tokens: *after_tokens,
                        down: Duration::from_millis(u64::from(*down_ms)),
                    });
                }
                Fault::BackgroundLoad { sequences } => server.background_sequences += sequences,
                _ => {}
            }
        }
        server
    }
}

impl RequestFaults {
    /// The first fault of a kind counts; of several ways to break off the earliest one.
    fn add(&mut self, fault: &Fault) {
        match fault {
            Fault::TooManyRequests { retry_after_s } => {
                let refusal = HttpRefusal::TooManyRequests(*retry_after_s);
                self.refusal.get_or_insert(refusal);
            }
            Fault::Unavailable { retry_after_s } => {
                let refusal = HttpRefusal::Unavailable(*retry_after_s);
                self.refusal.get_or_insert(refusal);
            }
            Fault::NeverAnswer => self.never_answer = true,
            Fault::RefuseField { field } => self.refuse_fields.push(field.clone()),
            Fault::TruncatedPrompt { tokens } => first(&mut self.prompt_limit, *tokens),
            Fault::EarlyEnd { after_tokens } => first(&mut self.early_end, *after_tokens),
            Fault::Loop { after_tokens } => first(&mut self.loop_after, *after_tokens),
            Fault::ReasoningFirst { tokens } => first(&mut self.reasoning, *tokens),
            Fault::RoleChunk => self.role_chunk = true,
            Fault::SeveralTokens { per_event } => first(&mut self.per_event, *per_event),
            Fault::KeepAlive { every } => first(&mut self.keep_alive, *every),
            Fault::Crlf => self.framing.crlf = true,
            Fault::NoSpace => self.framing.no_space = true,
            Fault::SplitUtf8 => self.framing.split_utf8 = true,
            Fault::ErrorInStream { after_tokens } => {
                self.break_off(BreakOffKind::Error, *after_tokens);
            }
            Fault::CutStream { after_tokens } => self.break_off(BreakOffKind::Cut, *after_tokens),
            Fault::Stall { after_tokens } => self.break_off(BreakOffKind::Stall, *after_tokens),
            Fault::BufferingProxy { events } => first(&mut self.buffer_events, *events),
            Fault::UsageAbsent => first(&mut self.usage, UsageFault::Absent),
            Fault::UsageNull => first(&mut self.usage, UsageFault::Null),
            Fault::UsageContinuous => first(&mut self.usage, UsageFault::Continuous),
            Fault::WrongUsage { percent } => first(&mut self.usage_percent, *percent),
            Fault::SlowAccept { .. }
            | Fault::MetricsAbsent
            | Fault::MetricsRenamed
            | Fault::MetricsOneRank
            | Fault::Restart { .. }
            | Fault::Die { .. }
            | Fault::Html
            | Fault::BackgroundLoad { .. } => {}
        }
    }

    fn break_off(&mut self, kind: BreakOffKind, after_tokens: u32) {
        if self
            .break_off
            .is_none_or(|it| after_tokens < it.after_tokens)
        {
            self.break_off = Some(BreakOff { kind, after_tokens });
        }
    }

    /// The number of generated tokens that usage tells.
    pub fn told(&self, completion: u32) -> u32 {
        self.usage_percent.map_or(completion, |percent| {
            let told = u64::from(completion) * u64::from(percent) / 100;
            u32::try_from(told).unwrap_or(u32::MAX)
        })
    }
}

fn first<T>(place: &mut Option<T>, value: T) {
    place.get_or_insert(value);
}

#[cfg(test)]
mod tests {
    use super::super::Hits;
    use super::*;

    #[test]
    fn the_first_of_a_kind_counts_and_the_earliest_end() {
        let mut faults = Faults::default();
        faults.add(Fault::KeepAlive { every: 3 });
        faults.add(Fault::KeepAlive { every: 5 });
        faults.add(Fault::Stall { after_tokens: 9 });
        faults.add_to(Fault::CutStream { after_tokens: 4 }, Hits::first(1));
        faults.add(Fault::BackgroundLoad { sequences: 2 });
        let broken = |number| faults.for_request(number).break_off.unwrap();
        assert_eq!(faults.for_request(0).keep_alive, Some(3));
        assert_eq!(
            (broken(0).kind, broken(0).after_tokens),
            (BreakOffKind::Cut, 4)
        );
        assert_eq!(
            (broken(1).kind, broken(1).after_tokens),
            (BreakOffKind::Stall, 9)
        );
        assert_eq!(faults.for_server().background_sequences, 2);
        assert_eq!(Faults::default().for_request(7), RequestFaults::default());
    }

    #[test]
    fn wrong_usage_is_in_percent_and_rounds_down() {
        let check = |percent: Option<u32>, completion: u32, expect: u32| {
            let faults = RequestFaults {
                usage_percent: percent,
                ..RequestFaults::default()
            };
            assert_eq!(faults.told(completion), expect);
        };
        check(None, 7, 7);
        check(Some(150), 7, 10);
        check(Some(0), 7, 0);
        check(Some(200), u32::MAX, u32::MAX);
    }
}
