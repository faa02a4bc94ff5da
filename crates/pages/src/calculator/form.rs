//! The form of a question, with what was typed into it and what is wrong with that.

use std::collections::BTreeMap;

use tokmark_catalog::Engine;

use super::field::{Control, Field, Group, List};
use crate::words::calculator::field as words;

/// What was typed, by the name of the field.
pub type FormValues = BTreeMap<&'static str, String>;

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// Name of the field.
    pub field: &'static str,
    /// What is wrong, and what is possible.
    pub message: String,
    /// Names that may have been meant, each with the address of the question that has it.
    pub candidates: Vec<(String, String)>,
}

/// A form as it is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct CalculatorForm<'a> {
    /// What was typed.
    pub values: &'a FormValues,
    /// What is wrong with it.
    pub faults: &'a [FieldFault],
    /// Ids of the models that can be named.
    pub models: &'a [&'a str],
    /// Names of the machines that can be named.
    pub hardware: &'a [String],
    /// Where the answer to a question about one machine is.
    pub calculator: &'a str,
    /// Where machines for a need are.
    pub need: &'a str,
    /// Where the calibrated paths are.
    pub paths: &'a str,
}

/// Weights that are usual; any other that is known may be typed.
const QUANTIZATIONS: [&str; 16] = [
    "BF16", "FP8", "INT8", "AWQ", "GPTQ", "NVFP4", "MXFP4", "INT4", "Q8_0", "Q6_K", "Q5_K_M",
    "Q4_K_M", "Q4_0", "Q3_K_M", "Q2_K", "IQ4_XS",
];

/// Cache types that are usual; any other that is known may be typed.
const CACHE_TYPES: [&str; 8] = [
    "bf16",
    "fp8",
    "q8_0",
    "q5_1",
    "q4_0",
    "q8_0/q4_0",
    "int8_per_token_head",
    "int4_per_token_head",
];

/// Currencies that are offered; any code may be typed.
const CURRENCIES: [&str; 8] = ["USD", "EUR", "GBP", "JPY", "KRW", "CNY", "CHF", "BRL"];

/// A form, ready for its template.
pub(crate) struct FormView<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) lists: Vec<Names<'a>>,
    /// Where it leads.
    pub(crate) action: &'a str,
    /// Where the script asks for the answer alone.
    pub(crate) answer: String,
}

/// Fields that stand together.
pub(crate) struct Part<'a> {
    pub(crate) title: &'static str,
    /// Whether it is folded away until somebody asks for it.
    pub(crate) folded: bool,
    /// Whether it stands open although it can be folded: something was typed into it.
    pub(crate) open: bool,
    pub(crate) fields: Vec<FieldView<'a>>,
}

/// Suggestions for fields.
pub(crate) struct Names<'a> {
    pub(crate) id: &'static str,
    pub(crate) names: Vec<&'a str>,
}

/// One field.
pub(crate) struct FieldView<'a> {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) value: &'a str,
    /// `names`, `text`, `number`, `choice` or `flag`.
    pub(crate) control: &'static str,
    /// Id of its suggestions.
    pub(crate) list: &'static str,
    pub(crate) choices: Vec<Choice>,
    pub(crate) stops: &'static str,
    pub(crate) fault: Option<&'a FieldFault>,
}

/// A word to choose.
pub(crate) struct Choice {
    pub(crate) value: &'static str,
    pub(crate) label: &'static str,
    pub(crate) chosen: bool,
}

impl<'a> FormView<'a> {
    /// A form of these parts.
    pub(crate) fn of(
        form: &CalculatorForm<'a>,
        fields: &'static [Field],
        parts: &[(Group, &'static str, bool)],
        action: &'a str,
    ) -> Self {
        let part = |(group, title, folded): &(Group, &'static str, bool)| {
            let own = fields.iter().filter(|field| field.group == *group);
            let views: Vec<FieldView<'a>> = own.map(|field| FieldView::of(field, form)).collect();
            Part {
                title,
                folded: *folded,
                open: views
                    .iter()
                    .any(|one| !one.value.is_empty() || one.fault.is_some()),
                fields: views,
            }
        };
        let names = |list: List| Names {
            id: list.id(),
            names: match list {
                List::Models => form.models.to_vec(),
                List::Hardware => form.hardware.iter().map(String::as_str).collect(),
                List::Quantizations => QUANTIZATIONS.to_vec(),
                List::CacheTypes => CACHE_TYPES.to_vec(),
                _ => CURRENCIES.to_vec(),
            },
        };
        let used = |list: &List| {
            fields
                .iter()
                .any(|field| field.control == Control::Names(*list))
        };
        Self {
            parts: parts.iter().map(part).collect(),
            lists: List::SUGGESTED
                .into_iter()
                .filter(used)
                .map(names)
                .collect(),
            action,
            answer: format!("{action}/answer"),
        }
    }
}

impl<'a> FieldView<'a> {
    fn of(field: &Field, form: &CalculatorForm<'a>) -> Self {
        let (label, hint) = words::field(field.name);
        let value = form.values.get(field.name).map_or("", String::as_str);
        let (control, list, choices) = match field.control {
            Control::Names(list) => ("names", list.id(), Vec::new()),
            Control::Text => ("text", "", Vec::new()),
            Control::Number => ("number", "", Vec::new()),
            Control::Flag => ("flag", "", Vec::new()),
            Control::Choice(list) => ("choice", "", choices(list, hint, value)),
        };
        Self {
            name: field.name,
            label,
            hint,
            value,
            control,
            list,
            choices,
            stops: field.stops,
            fault: form.faults.iter().find(|fault| fault.field == field.name),
        }
    }

    /// The element that says what is wrong.
    pub(crate) fn fault_id(&self) -> String {
        format!("fault-{}", self.name)
    }
}

/// Nothing, then each word.
fn choices(list: List, none: &'static str, chosen: &str) -> Vec<Choice> {
    let words: Vec<(&'static str, &'static str)> = match list {
        List::Engines => Engine::all().map(|one| (one.id(), one.name())).collect(),
        _ => ["low", "typical", "high"]
            .map(|word| (word, words::choice(word)))
            .to_vec(),
    };
    std::iter::once(("", none))
        .chain(words)
        .map(|(value, label)| Choice {
            value,
            label,
            chosen: value == chosen,
        })
        .collect()
}
