//! The form above the list of runs.

use tokmark_run_format::Trust;
use tokmark_run_format::hardware::MachineClass;

use crate::words::filter as said;

/// A filter of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterField {
    /// Words to search for.
    Search,
    /// The model.
    Model,
    /// The machine.
    Hardware,
    /// What kind of machine.
    Class,
    /// Its memory in GiB.
    Memory,
    /// The engine.
    Engine,
    /// The quantization.
    Quantization,
    /// How far to trust it.
    Trust,
    /// Received on this day or later.
    Since,
    /// Received before this day.
    Until,
    /// The order of the list.
    Order,
}

/// A value that can be chosen.
#[derive(Debug, Clone)]
pub struct FilterOption {
    /// As it stands in the address.
    pub value: String,
    /// As it is read; `None` where that is the value.
    pub label: Option<&'static str>,
}

/// The form above the list of runs.
#[derive(Debug, Clone, Default)]
pub struct ListForm {
    pub(crate) action: String,
    pub(crate) kept: Vec<(&'static str, String)>,
    pub(crate) filtered: bool,
    pub(crate) fields: Vec<Field>,
}

/// A field, ready to be shown.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) control: Control,
    pub(crate) value: String,
    pub(crate) options: Vec<(String, String)>,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    Words,
    Day,
    Choice,
}

impl FilterField {
    fn name_and_label(self) -> (&'static str, &'static str) {
        match self {
            Self::Search => ("q", said::SEARCH),
            Self::Model => ("model", said::MODEL),
            Self::Hardware => ("hardware", said::HARDWARE),
            Self::Class => ("class", said::CLASS),
            Self::Memory => ("memory", said::MEMORY),
            Self::Engine => ("engine", said::ENGINE),
            Self::Quantization => ("quantization", said::QUANTIZATION),
            Self::Trust => ("trust", said::TRUST),
            Self::Since => ("since", said::SINCE),
            Self::Until => ("until", said::UNTIL),
            Self::Order => ("order", said::ORDER),
        }
    }

    fn control(self) -> Control {
        match self {
            Self::Search => Control::Words,
            Self::Since | Self::Until => Control::Day,
            _ => Control::Choice,
        }
    }
}

impl FilterOption {
    /// A kind of machine.
    pub fn class(value: String, class: MachineClass) -> Self {
        Self {
            value,
            label: Some(class.label()),
        }
    }

    /// A level of trust.
    pub fn trust(value: String, trust: Trust) -> Self {
        Self {
            value,
            label: Some(trust.label()),
        }
    }

    /// A value that is read as it is.
    pub fn plain(value: String) -> Self {
        Self { value, label: None }
    }

    /// The orders of the list by their words: the newest, one request, the highest total.
    pub fn orders(words: [&str; 3]) -> Vec<Self> {
        let labels = [said::NEWEST, said::SINGLE, said::TOTAL];
        let both = words.into_iter().zip(labels);
        both.map(|(word, label)| Self {
            value: word.to_owned(),
            label: Some(label),
        })
        .collect()
    }
}

impl ListForm {
    /// A form without fields: the address of the list, names and values that are set in the address
    /// and have no field of their own, and whether anything is left out of the list.
    pub fn new(action: String, kept: Vec<(&'static str, String)>, filtered: bool) -> Self {
        Self {
            action,
            kept,
            filtered,
            fields: Vec::new(),
        }
    }

    /// Adds a field with its value and, where it is a choice, what can be chosen.
    pub fn add(&mut self, field: FilterField, value: &str, options: &[FilterOption]) {
        let (name, label) = field.name_and_label();
        let read = |option: &FilterOption| match (option.label, field) {
            (Some(label), _) => label.to_owned(),
            (None, FilterField::Memory) => said::memory(&option.value),
            (None, _) => option.value.clone(),
        };
        let mut shown: Vec<(String, String)> = options
            .iter()
            .map(|option| (option.value.clone(), read(option)))
            .collect();
        // A value that no run has any more stays visible, so that it can be taken away.
        if !value.is_empty() && options.iter().all(|option| option.value != value) {
            shown.push((value.to_owned(), value.to_owned()));
        }
        if field != FilterField::Order {
            shown.insert(0, (String::new(), said::ANY.to_owned()));
        }
        self.fields.push(Field {
            name,
            label,
            control: field.control(),
            value: value.to_owned(),
            options: shown,
        });
    }
}
