//! Faults from words: `NAME[:RATE[:ARG]]`.

use super::catalogue::FAULTS;
use super::entry::{ArgumentKind, FaultEntry, Scope, Values};
use super::{FaultRule, Hits};

/// Words that describe no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// No such fault.
    #[error("`{name}` is not a fault; the faults are {}", list())]
    Unknown {
        /// What was typed.
        name: String,
    },
    /// A rate that is none.
    #[error(
        "the rate of `{fault}` must be a share from 0 to 1 or numbers such as `..2`, `20..` or \
         `5..8`, but is `{rate}`"
    )]
    Rate {
        /// The fault.
        fault: &'static str,
        /// What was typed.
        rate: String,
    },
    /// A rate where there can be none.
    #[error("`{fault}` concerns the whole server: its rate can only be 1, but is `{rate}`")]
    NoRate {
        /// The fault.
        fault: &'static str,
        /// What was typed.
        rate: String,
    },
    /// An argument out of its range.
    #[error(
        "{argument} of `{fault}` must be a whole number from {least} to {most}, but is `{value}`"
    )]
    Number {
        /// The fault.
        fault: &'static str,
        /// The argument.
        argument: &'static str,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// What was typed.
        value: String,
    },
    /// An argument that must be given.
    #[error("`{fault}` needs {argument}, as in `{example}`")]
    Missing {
        /// The fault.
        fault: &'static str,
        /// The argument.
        argument: &'static str,
        /// How it is written.
        example: &'static str,
    },
    /// More than there is to say.
    #[error("`{fault}` is written `{usage}`; `{rest}` is too much")]
    TooMuch {
        /// The fault.
        fault: &'static str,
        /// How it is written.
        usage: String,
        /// What is too much.
        rest: String,
    },
}

fn list() -> String {
    let names: Vec<_> = FAULTS
        .iter()
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    names.join(", ")
}

/// The fault that these words describe.
pub(super) fn rule(words: &str) -> Result<FaultRule, FaultError> {
    let mut parts = words.split(':');
    let name = parts.next().unwrap_or_default();
    let entry = FAULTS.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| FaultError::Unknown {
        name: name.to_owned(),
    })?;
    let hits = match parts.next() {
        None | Some("") => Hits::ALL,
        Some(rate) => hits(entry, rate)?,
    };
    let values = values(entry, &mut parts)?;
    match parts.next() {
        Some(rest) => Err(FaultError::TooMuch {
            fault: entry.name,
            usage: entry.usage(),
            rest: rest.to_owned(),
        }),
        None => Ok(FaultRule {
            fault: (entry.make)(&values),
            hits,
        }),
    }
}

fn hits(entry: &FaultEntry, rate: &str) -> Result<Hits, FaultError> {
    let wrong = || FaultError::Rate {
        fault: entry.name,
        rate: rate.to_owned(),
    };
    let hits = match rate.split_once("..") {
        None => {
            let share: f64 = rate.parse().map_err(|_| wrong())?;
            if !(0.0..=1.0).contains(&share) {
                return Err(wrong());
            }
            Hits::Share(share)
        }
        Some((from, to)) => {
            let bound = |text: &str, open: u64| match text {
                "" => Ok(open),
                text => text.parse().map_err(|_| wrong()),
            };
            let (from, to) = (bound(from, 0)?, bound(to, u64::MAX)?);
            if from >= to {
                return Err(wrong());
            }
            Hits::Numbers(from..to)
        }
    };
    if entry.scope == Scope::Server && hits != Hits::ALL {
        return Err(FaultError::NoRate {
            fault: entry.name,
            rate: rate.to_owned(),
        });
    }
    Ok(hits)
}

fn values<'a>(
    entry: &FaultEntry,
    parts: &mut impl Iterator<Item = &'a str>,
) -> Result<Values, FaultError> {
    let mut values = Values::default();
    for argument in entry.arguments {
        let given = parts.next().filter(|text| !text.is_empty());
        match (argument.kind, given) {
            (ArgumentKind::Text, None) => {
                return Err(FaultError::Missing {
                    fault: entry.name,
                    argument: argument.name,
                    example: entry.example,
                });
            }
            (ArgumentKind::Text, Some(text)) => text.clone_into(&mut values.text),
            (ArgumentKind::Number { default, .. }, None) => values.numbers.push(default),
            (ArgumentKind::Number { least, most, .. }, Some(text)) => {
                let number = text.parse().ok().filter(|n| (least..=most).contains(n));
                let number = number.ok_or_else(|| FaultError::Number {
                    fault: entry.name,
                    argument: argument.name,
                    least,
                    most,
                    value: text.to_owned(),
                })?;
                values.numbers.push(number);
            }
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::Fault;
    use super::*;

    #[test]
    fn every_entry_makes_its_own_fault_and_its_example_reads() {
        for entry in FAULTS {
            let words = match entry.arguments.first().map(|a| a.kind) {
                Some(ArgumentKind::Text) => entry.example,
                _ => entry.name,
            };
            assert_eq!(rule(words).unwrap().fault.name(), entry.name);
            assert_eq!(rule(entry.example).unwrap().fault.name(), entry.name);
            assert!(entry.text.ends_with('.'), "{}", entry.text);
        }
        let mut names: Vec<_> = FAULTS.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FAULTS.len());
    }

    #[test]
    fn words_become_faults() {
        let check = |words: &str, fault: Fault, hits: Hits| {
            assert_eq!(rule(words), Ok(FaultRule { fault, hits }), "{words}");
        };
        check("crlf", Fault::Crlf, Hits::ALL);
        check("crlf:0.25", Fault::Crlf, Hits::Share(0.25));
        check("crlf:..2", Fault::Crlf, Hits::first(2));
        check("crlf:20..", Fault::Crlf, Hits::after(20));
        check("crlf:5..8", Fault::Crlf, Hits::Numbers(5..8));
        let stall = |after_tokens| Fault::Stall { after_tokens };
        check("stall", stall(16), Hits::ALL);
        check("stall::7", stall(7), Hits::ALL);
        check("stall:0.5:7", stall(7), Hits::Share(0.5));
        let restart = Fault::Restart {
            after_tokens: 9,
            down_ms: 10_000,
        };
        check("restart:1:9", restart, Hits::ALL);
        let field = "a.b".to_owned();
        check("refuse-field::a.b", Fault::RefuseField { field }, Hits::ALL);
    }

    #[test]
    fn wrong_words_say_what_would_be_right() {
        let check = |words: &str, expect: &str| {
            assert_eq!(rule(words).unwrap_err().to_string(), expect);
        };
        let unknown = rule("stal").unwrap_err().to_string();
        assert!(
            unknown.starts_with("`stal` is not a fault; the faults are `role-chunk`, `reasoning-"),
            "{unknown}"
        );
        let share = "must be a share from 0 to 1 or numbers such as `..2`, `20..` or `5..8`";
        for rate in ["1.5", "-1", "x", "NaN", "3..2", "a..", "inf"] {
            check(
                &format!("stall:{rate}"),
                &format!("the rate of `stall` {share}, but is `{rate}`"),
            );
        }
        check(
            "die:0.5",
            "`die` concerns the whole server: its rate can only be 1, but is `0.5`",
        );
        check(
            "several-tokens:1:0",
            "TOKENS of `several-tokens` must be a whole number from 1 to 4294967295, but is `0`",
        );
        check(
            "refuse-field",
            "`refuse-field` needs FIELD, as in `refuse-field:1:stream_options.include_usage`",
        );
        check(
            "crlf:1:3",
            "`crlf` is written `crlf[:RATE]`; `3` is too much",
        );
        check(
            "restart:1:3:4:5",
            "`restart` is written `restart[:1[:TOKENS:MILLISECONDS]]`; `5` is too much",
        );
    }
}
