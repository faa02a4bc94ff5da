//! The engine's parameters by name, so that a machine can be described on a command line.

use tokmark_units::{Nanos, float};

use crate::config::SimConfig;
use crate::model::{NanosPerExpert, RoutedExperts, Speculation};

/// A named parameter of the simulated engine.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name, as in `cost.prefill_ns_per_token`.
    pub name: &'static str,
    /// What it is, with its unit.
    pub text: &'static str,
    field: Field,
}

/// Where a parameter lies, and what may stand there.
#[derive(Debug, Clone, Copy)]
enum Field {
    Count(fn(&mut SimConfig) -> &mut u32),
    OptionalCount(fn(&mut SimConfig) -> &mut Option<u32>),
    /// A number that is not negative.
    Real(fn(&mut SimConfig) -> &mut f64),
    Span(fn(&mut SimConfig) -> &mut Nanos),
    Flag(fn(&mut SimConfig) -> &mut bool),
}

/// A parameter that could not be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not of the form `NAME=VALUE`.
    #[error("`{words}` is not of the form `NAME=VALUE`")]
    Form {
        /// What was typed.
        words: String,
    },
    /// No such parameter.
    #[error("`{name}` is not a parameter; the parameters are {}", list())]
    Unknown {
        /// What was typed.
        name: String,
    },
    /// A value of the wrong kind.
    #[error("`{name}` must be {wanted}, but is `{value}`")]
    Value {
        /// The parameter.
        name: &'static str,
        /// What it may be.
        wanted: &'static str,
        /// What was typed.
        value: String,
    },
}

const fn parameter(name: &'static str, field: Field, text: &'static str) -> Parameter {
    Parameter { name, text, field }
}

/// Every parameter.
pub const PARAMETERS: &[Parameter] = &[
    parameter(
        "max_model_len",
        Field::Count(|c| &mut c.engine.max_model_len),
        "most tokens of a sequence, prompt and output together",
    ),
    parameter(
        "max_num_seqs",
        Field::Count(|c| &mut c.engine.max_num_seqs),
        "most sequences that run at once on a rank",
    ),
    parameter(
        "max_states",
        Field::OptionalCount(|c| &mut c.engine.max_states),
        "recurrent states of a hybrid model on a rank: a second limit on sequences; `none` without",
    ),
    parameter(
        "max_num_batched_tokens",
        Field::Count(|c| &mut c.engine.max_num_batched_tokens),
        "most tokens of one step, prefill and decode together",
    ),
    parameter(
        "block_size",
        Field::Count(|c| &mut c.engine.block_size),
        "tokens in a block of KV cache",
    ),
    parameter(
        "num_blocks",
        Field::Count(|c| &mut c.engine.num_blocks),
        "blocks of KV cache of a rank, the reserved one included",
    ),
    parameter(
        "prefix_cache",
        Field::Flag(|c| &mut c.engine.prefix_cache),
        "whether full blocks are found again by their content",
    ),
    parameter(
        "cache_fraction",
        Field::Real(|c| &mut c.engine.cache_fraction),
        "share of the matching blocks that is used, 0 to 1; below 1 for hybrid models",
    ),
    parameter(
        "ranks",
        Field::Count(|c| &mut c.engine.ranks),
        "data-parallel ranks, each with its own cache and queue",
    ),
    parameter(
        "jitter",
        Field::Real(|c| &mut c.engine.jitter),
        "steps take 1 - jitter to 1 + jitter of their cost, 0 to 1",
    ),
    parameter(
        "natural_output",
        Field::OptionalCount(|c| &mut c.natural_output),
        "mean length in tokens of an answer that may end by itself; `none` when none does",
    ),
    parameter(
        "front_end.fixed_ns",
        Field::Span(|c| &mut c.engine.front_end.fixed),
        "ns before the scheduler for every request",
    ),
    parameter(
        "front_end.ns_per_token",
        Field::Real(|c| &mut c.engine.front_end.per_token.0),
        "ns before the scheduler for every prompt token, one request after the other",
    ),
    parameter(
        "cost.fixed_ns",
        Field::Span(|c| &mut c.engine.cost.fixed),
        "ns of every step: launches, dense weights, sampling",
    ),
    parameter(
        "cost.ns_per_sequence",
        Field::Real(|c| &mut c.engine.cost.sequence.0),
        "ns of a step for every sequence in it",
    ),
    parameter(
        "cost.state_ns_per_sequence",
        Field::Real(|c| &mut c.engine.cost.state.0),
        "ns of a step for every sequence's recurrent state",
    ),
    parameter(
        "cost.kv_read_ns_per_token",
        Field::Real(|c| &mut c.engine.cost.kv_read.0),
        "ns of a step for every token of KV cache that it reads, over all sequences",
    ),
    parameter(
        "cost.kv_depth_ns_per_token",
        Field::Real(|c| &mut c.engine.cost.kv_depth.0),
        "ns of a step for every token of KV cache of its longest sequence",
    ),
    parameter(
        "cost.prefill_ns_per_token",
        Field::Real(|c| &mut c.engine.cost.prefill.0),
        "ns of a step for every prompt token that it computes",
    ),
    parameter(
        "cost.prefill_ns_per_pair",
        Field::Real(|c| &mut c.engine.cost.prefill_attention.0),
        "ns of a step for every pair of a prompt token and an earlier position (the quadratic term)",
    ),
    parameter(
        "cost.draft_ns_per_token",
        Field::Real(|c| &mut c.engine.cost.draft.0),
        "ns of a step for every drafted token that it verifies",
    ),
    parameter(
        "experts.total",
        Field::Count(|c| &mut experts(c).total),
        "routed experts of a layer; naming any of the four makes a model of experts",
    ),
    parameter(
        "experts.active",
        Field::Count(|c| &mut experts(c).active),
        "experts that one token is sent to",
    ),
    parameter(
        "experts.independence",
        Field::Real(|c| &mut experts(c).independence),
        "1 when tokens choose their experts independently, less when they choose alike",
    ),
    parameter(
        "experts.ns_per_expert",
        Field::Real(|c| &mut experts(c).each.0),
        "ns of a step for every distinct expert that it touches, over all layers",
    ),
    parameter(
        "speculation.drafts",
        Field::Count(|c| &mut speculation(c).drafts),
        "tokens drafted for each sequence and step; naming either makes a server that speculates",
    ),
    parameter(
        "speculation.acceptance",
        Field::Real(|c| &mut speculation(c).acceptance),
        "probability that a draft is accepted when all before it were, 0 to 1",
    ),
];

fn experts(config: &mut SimConfig) -> &mut RoutedExperts {
    config.engine.cost.experts.get_or_insert(RoutedExperts {
        total: 128,
        active: 8,
        independence: 1.0,
        each: NanosPerExpert(0.0),
    })
}

fn speculation(config: &mut SimConfig) -> &mut Speculation {
    config.engine.speculation.get_or_insert(Speculation {
        drafts: 3,
        acceptance: 0.7,
    })
}

fn list() -> String {
    let names: Vec<_> = PARAMETERS
        .iter()
        .map(|parameter| format!("`{}`", parameter.name))
        .collect();
    names.join(", ")
}

/// Sets the parameter that `NAME=VALUE` names. Whether all of them go together is for
/// [`crate::model::EngineConfig::validate`] to say.
pub fn set(config: &mut SimConfig, words: &str) -> Result<(), ParameterError> {
    let (name, value) = words.split_once('=').ok_or_else(|| ParameterError::Form {
        words: words.to_owned(),
    })?;
    let (name, value) = (name.trim(), value.trim());
    let found = PARAMETERS.iter().find(|parameter| parameter.name == name);
    let parameter = found.ok_or_else(|| ParameterError::Unknown {
        name: name.to_owned(),
    })?;
    parameter
        .assign(config, value)
        .map_err(|wanted| ParameterError::Value {
            name: parameter.name,
            wanted,
            value: value.to_owned(),
        })
}

impl Parameter {
    /// Its value in words; `none` where there is none.
    pub fn value(&self, config: &SimConfig) -> String {
        let none = || "none".to_owned();
        let absent = match self.name.split_once('.') {
            Some(("experts", _)) => config.engine.cost.experts.is_none(),
            Some(("speculation", _)) => config.engine.speculation.is_none(),
            _ => false,
        };
        if absent {
            return none();
        }
        let mut config = config.clone();
        match self.field {
            Field::Count(of) => of(&mut config).to_string(),
            Field::OptionalCount(of) => of(&mut config).map_or_else(none, |n| n.to_string()),
            Field::Real(of) => of(&mut config).to_string(),
            Field::Span(of) => of(&mut config).0.to_string(),
            Field::Flag(of) => of(&mut config).to_string(),
        }
    }

    /// Sets it, or says what it may be.
    fn assign(&self, config: &mut SimConfig, text: &str) -> Result<(), &'static str> {
        const COUNT: &str = "a whole number";
        match self.field {
            Field::Count(of) => *of(config) = text.parse().map_err(|_| COUNT)?,
            Field::OptionalCount(of) => {
                *of(config) = match text {
                    "none" => None,
                    text => Some(text.parse().map_err(|_| "a whole number or `none`")?),
                };
            }
            Field::Real(of) => *of(config) = real(text)?,
            Field::Span(of) => *of(config) = Nanos(float::round_to_u64(real(text)?)),
            Field::Flag(of) => *of(config) = text.parse().map_err(|_| "`true` or `false`")?,
        }
        Ok(())
    }
}

fn real(text: &str) -> Result<f64, &'static str> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|n| n.is_finite() && *n >= 0.0)
        .ok_or("a number from 0 on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_takes_its_value_and_no_other_changes() {
        for parameter in PARAMETERS {
            let mut config = SimConfig::default();
            let value = match parameter.field {
                Field::Flag(_) => "false",
                Field::Real(_) => "0.25",
                _ => "77",
            };
            set(&mut config, &format!("{}={value}", parameter.name)).unwrap();
            assert_eq!(parameter.value(&config), value, "{}", parameter.name);
            let changed = PARAMETERS.iter().filter(|other| {
                let group = |p: &Parameter| p.name.split_once('.').map(|(group, _)| group);
                let grouped = matches!(group(other), Some("experts" | "speculation"));
                // Naming one of a group brings the defaults of the others.
                let brought = grouped && group(other) == group(parameter);
                other.value(&config) != other.value(&SimConfig::default()) && !brought
            });
            let changed: Vec<_> = changed.map(|p| p.name).collect();
            assert!(
                changed.iter().all(|name| *name == parameter.name),
                "{changed:?}"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let check = |words: &str, expect: &str| {
            let mut config = SimConfig::default();
            let error = set(&mut config, words).unwrap_err().to_string();
            assert_eq!(error, expect);
            assert_eq!(config, SimConfig::default());
        };
        check("ranks", "`ranks` is not of the form `NAME=VALUE`");
        check("ranks=two", "`ranks` must be a whole number, but is `two`");
        check(
            "jitter=-1",
            "`jitter` must be a number from 0 on, but is `-1`",
        );
        check(
            "cost.fixed_ns=NaN",
            "`cost.fixed_ns` must be a number from 0 on, but is `NaN`",
        );
        check(
            "max_states=",
            "`max_states` must be a whole number or `none`, but is ``",
        );
        check(
            "prefix_cache=1",
            "`prefix_cache` must be `true` or `false`, but is `1`",
        );
        let unknown = set(&mut SimConfig::default(), "rank=1").unwrap_err();
        let unknown = unknown.to_string();
        assert!(
            unknown.starts_with("`rank` is not a parameter; the parameters are `max_model_len`, "),
            "{unknown}"
        );
    }

    #[test]
    fn optional_ones_come_and_go() {
        let mut config = SimConfig::default();
        set(&mut config, "max_states=21").unwrap();
        assert_eq!(config.engine.admission_limit(), 21);
        set(&mut config, "max_states=none").unwrap();
        assert_eq!(config.engine.max_states, None);
        set(&mut config, "speculation.drafts=5").unwrap();
        assert_eq!(config.engine.speculation.unwrap().drafts, 5);
    }
}
