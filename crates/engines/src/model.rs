//! The models that a server lists, and the choice among them (case B091).

use serde_json::Value;
use tokmark_run_format::Model;

use crate::error::{IdentifyError, nearest};

/// One entry of `/v1/models`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelCard {
    /// The name that requests carry.
    pub id: String,
    /// Other names of the same model.
    pub aliases: Vec<String>,
    /// Which server or namespace claims it.
    pub owned_by: Option<String>,
    /// Where the weights came from: repository or path.
    pub root: Option<String>,
    /// Repository (`owner/name`), where it is told apart from `root`.
    pub repository: Option<String>,
    /// The model that an adapter (`LoRA`) builds on.
    pub parent: Option<String>,
    /// Most tokens of one request, prompt and output.
    pub max_model_len: Option<u64>,
    /// Parameters.
    pub parameters: Option<u64>,
    /// Weight type as the server names it.
    pub weight_type: Option<String>,
    /// Context that the server runs with, where it is told apart from the model's own.
    pub running_context: Option<u64>,
}

/// The names under which servers give the length of a model.
const LENGTH_KEYS: [&str; 4] = [
    "max_model_len",
    "context_length",
    "max_context_length",
    "context_window",
];

impl ModelCard {
    /// Reads one entry; a field of an unexpected type is as good as absent.
    fn from_json(entry: &Value) -> Option<Self> {
        let text = |key: &str| Some(entry.get(key)?.as_str()?.to_owned()).filter(|t| !t.is_empty());
        let meta = |key: &str| entry.get("meta").and_then(|meta| meta.get(key));
        Some(Self {
            id: text("id")?,
            aliases: strings(entry.get("aliases")),
            owned_by: text("owned_by"),
            root: text("root"),
            repository: None,
            parent: text("parent"),
            max_model_len: LENGTH_KEYS
                .iter()
                .find_map(|key| entry.get(key)?.as_u64())
                .filter(|length| *length > 0),
            parameters: meta("n_params").and_then(Value::as_u64),
            weight_type: meta("ftype").and_then(Value::as_str).map(str::to_owned),
            running_context: meta("n_ctx").and_then(Value::as_u64),
        })
    }

    /// Whether a person may mean this model by `name`: its id, an alias, or its repository.
    fn is_called(&self, name: &str) -> bool {
        self.id == name
            || self.aliases.iter().any(|alias| alias == name)
            || self.root.as_deref() == Some(name)
    }

    /// The model as the run document keeps it.
    pub fn describe(&self) -> Model {
        let origin = Origin::of(self.root.as_deref().unwrap_or(&self.id));
        let repository = self.repository.clone().or(origin.repository);
        let own_name = last_segment(&self.id);
        let name = match &repository {
            Some(repository) => last_segment(repository),
            None => weights_stem(own_name).unwrap_or(own_name),
        };
        Model {
            name: name.to_owned(),
            served_name: self.id.clone(),
            repository: repository.clone(),
            revision: origin.revision,
            weights_hash: None,
            file: origin.file,
            parameters: self.parameters,
        }
    }
}

/// What `/v1/models` lists, or `None` when the answer has no list.
pub(crate) fn read_cards(answer: &Value) -> Option<Vec<ModelCard>> {
    let list = answer.get("data").unwrap_or(answer).as_array()?;
    Some(list.iter().filter_map(ModelCard::from_json).collect())
}

/// The card that `wanted` names, or the only one.
pub(crate) fn choose(
    cards: &[ModelCard],
    wanted: Option<&str>,
) -> Result<ModelCard, IdentifyError> {
    let available = || cards.iter().map(|card| card.id.clone()).collect::<Vec<_>>();
    match (wanted, cards) {
        (None, []) => Err(IdentifyError::NoModels),
        (None, [only]) => Ok(only.clone()),
        // Several served names of one set of weights: requests may carry any of them.
        (None, [first, rest @ ..])
            if first.root.is_some() && rest.iter().all(|card| same_weights(first, card)) =>
        {
            Ok(first.clone())
        }
        (None, _) => Err(IdentifyError::SeveralModels {
            available: available(),
        }),
        // A server that lists nothing can only be asked by name; it will say if it does not know it.
        (Some(name), []) => Ok(ModelCard {
            id: name.to_owned(),
            ..ModelCard::default()
        }),
        (Some(name), _) => {
            let exact = cards.iter().find(|card| card.id == name);
            exact
                .or_else(|| cards.iter().find(|card| card.is_called(name)))
                .map(|card| with_parent_length(card, cards))
                .ok_or_else(|| IdentifyError::UnknownModel {
                    wanted: name.to_owned(),
                    available: available(),
                    nearest: nearest(name, cards.iter().map(|card| card.id.as_str()))
                        .map(str::to_owned),
                })
        }
    }
}

/// An adapter is as long as the model that it builds on, and often does not say so.
fn with_parent_length(card: &ModelCard, cards: &[ModelCard]) -> ModelCard {
    let parent = cards
        .iter()
        .find(|other| Some(&other.id) == card.parent.as_ref());
    ModelCard {
        max_model_len: card
            .max_model_len
            .or_else(|| parent.and_then(|parent| parent.max_model_len)),
        ..card.clone()
    }
}

fn same_weights(one: &ModelCard, other: &ModelCard) -> bool {
    one.root == other.root && one.parent.is_none() && other.parent.is_none()
}

/// Where weights came from, as far as a name or path tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Origin {
    /// `owner/name`.
    pub(crate) repository: Option<String>,
    /// Commit of the repository.
    pub(crate) revision: Option<String>,
    /// File name for single-file formats.
    pub(crate) file: Option<String>,
}

/// First folders that look like an owner but are where people keep models.
const FOLDERS: [&str; 8] = [
    "checkpoints",
    "data",
    "home",
    "llm",
    "llms",
    "model",
    "models",
    "weights",
];

impl Origin {
    /// Reads a repository name or a path. A local path leaves nothing but its file name, or the
    /// repository when it lies in a hub cache (`models--owner--name/snapshots/REVISION`).
    pub(crate) fn of(place: &str) -> Self {
        let segments: Vec<&str> = place.split(['/', '\\']).filter(|s| !s.is_empty()).collect();
        let file = segments
            .last()
            .filter(|name| weights_stem(name).is_some())
            .map(|name| (*name).to_owned());
        let cached = segments.iter().position(|s| s.starts_with("models--"));
        if let Some(at) = cached {
            let repository = segments
                .get(at)
                .and_then(|folder| folder.strip_prefix("models--"))
                .map(|name| name.replacen("--", "/", 1));
            let revision = segments
                .get(at + 1)
                .filter(|folder| **folder == "snapshots")
                .and_then(|_| segments.get(at + 2))
                .map(|revision| (*revision).to_owned());
            return Self {
                repository,
                revision,
                file,
            };
        }
        let local = place.starts_with(['/', '.', '~', '\\']) || place.contains([':', '\\']);
        let repository = match segments.as_slice() {
            [owner, name] if !local && file.is_none() && !FOLDERS.contains(owner) => {
                Some(format!("{owner}/{name}"))
            }
            _ => None,
        };
        Self {
            repository,
            revision: None,
            file,
        }
    }
}

/// The name of a single-file model without its extension.
pub(crate) fn weights_stem(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    extension.eq_ignore_ascii_case("gguf").then_some(stem)
}

pub(crate) fn last_segment(path: &str) -> &str {
    path.trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .map(|list| {
            list.iter()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect()
        })
        .unwrap_or_default()
}
