//! What there is to say about a fault.

use super::Fault;

/// What a fault's rate and request numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Generation requests.
    Requests,
    /// HTTP requests of any route.
    HttpRequests,
    /// Connections.
    Connections,
    /// Readings of `/metrics`.
    Scrapes,
    /// Nothing: it concerns the whole server, and has no rate.
    Server,
}

/// A fault's argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name, in capitals.
    pub name: &'static str,
    /// What it may be.
    pub kind: ArgumentKind,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A whole number.
    Number {
        /// The value when none is given.
        default: u64,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
    },
    /// A text, which must be given.
    Text,
}

/// The arguments of a fault as they were given, or their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Values {
    pub(super) numbers: Vec<u64>,
    pub(super) text: String,
}

impl Values {
    pub(super) fn long(&self, at: usize) -> u64 {
        self.numbers.get(at).copied().unwrap_or(0)
    }

    pub(super) fn short(&self, at: usize) -> u32 {
        u32::try_from(self.long(at)).unwrap_or(u32::MAX)
    }
}

/// A fault in words.
#[derive(Debug, Clone, Copy)]
pub struct FaultEntry {
    /// The name used on the command line.
    pub name: &'static str,
    /// What it does.
    pub text: &'static str,
    /// What its rate counts.
    pub scope: Scope,
    /// What may follow the rate.
    pub arguments: &'static [Argument],
    /// A use of it.
    pub example: &'static str,
    pub(super) make: fn(&Values) -> Fault,
}

impl FaultEntry {
    /// How it is written: `stall[:RATE[:TOKENS]]`.
    pub fn usage(&self) -> String {
        let needed = self
            .arguments
            .iter()
            .any(|argument| argument.kind == ArgumentKind::Text);
        let names: String = self
            .arguments
            .iter()
            .flat_map(|argument| [":", argument.name])
            .collect();
        let rate = if self.scope == Scope::Server {
            "1"
        } else {
            "RATE"
        };
        match (self.scope, names.is_empty()) {
            (Scope::Server, true) => self.name.to_owned(),
            (_, true) => format!("{}[:{rate}]", self.name),
            (_, false) if needed => format!("{}:{rate}{names}", self.name),
            (_, false) => format!("{}[:{rate}[{names}]]", self.name),
        }
    }

    /// The defaults of its arguments, as `TOKENS 16`.
    pub fn defaults(&self) -> Vec<String> {
        let defaults = self
            .arguments
            .iter()
            .filter_map(|argument| match argument.kind {
                ArgumentKind::Number { default, .. } => {
                    Some(format!("{} {default}", argument.name))
                }
                ArgumentKind::Text => None,
            });
        defaults.collect()
    }

    /// What its rate is a share of; `None` where it has no rate.
    pub fn share_of(&self) -> Option<&'static str> {
        match self.scope {
            Scope::Requests => Some("generation requests"),
            Scope::HttpRequests => Some("HTTP requests"),
            Scope::Connections => Some("connections"),
            Scope::Scrapes => Some("readings of the metrics"),
            Scope::Server => None,
        }
    }
}
