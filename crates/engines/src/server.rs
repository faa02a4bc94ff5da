//! A server that was identified.

use std::time::Duration;

use tokmark_run_format::{Engine, LaunchSettings, Model};

use crate::adapter::{Adapter, Habits};
use crate::advice::Advice;
use crate::cache::{self, CacheState};
use crate::capability::{Abort, Capabilities, Endpoint};
use crate::control::{Control, ControlError};
use crate::dialect::Dialect;
use crate::error::IdentifyError;
use crate::fields::{self, FieldsError};
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::model::{ModelCard, choose};
use crate::tokens::{self, CountError};

/// Limits that a person knows and the server does not tell, or tells wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Declared {
    /// Prompt and output tokens of one request (`--max-length`).
    pub max_length: Option<u64>,
    /// Requests that run at once (`--max-sequences`).
    pub max_sequences: Option<u32>,
}

/// What is known about one server, and how to ask it for more.
#[derive(Debug, Clone)]
pub struct Server {
    /// What kind of server it is.
    pub dialect: Dialect,
    /// Identity and limits, as the run document keeps them.
    pub engine: Engine,
    /// The models that it lists.
    pub models: Vec<ModelCard>,
    /// Whether the control routes must name the model (a router in front of several processes).
    pub(crate) routes_name_model: bool,
    pub(crate) chosen: Option<ModelCard>,
    /// Whether models are served that are not in the list.
    serves_others: bool,
    pub(crate) capabilities: Capabilities,
    /// Whether gauges can be read.
    pub(crate) metrics: Option<bool>,
    pub(crate) budget_note: Option<String>,
    /// Blocks of the cache, where their size is told elsewhere.
    pub(crate) blocks: Option<u64>,
    /// The model's family, where it is told and matters.
    pub(crate) family: Option<String>,
    declared: Declared,
    launch: Vec<String>,
    pub(crate) launch_settings: LaunchSettings,
    identity_notes: Vec<String>,
    notes: Vec<String>,
}

impl Server {
    pub(crate) fn new(dialect: Dialect, look: FirstLook) -> Self {
        let mut server = Self {
            dialect,
            engine: Engine {
                name: dialect.word().to_owned(),
                version: look.version,
                ..Engine::default()
            },
            routes_name_model: false,
            chosen: None,
            serves_others: dialect.adapter().habits().lists_some,
            capabilities: dialect.adapter().capabilities(),
            metrics: None,
            budget_note: None,
            blocks: None,
            family: None,
            declared: Declared::default(),
            launch: Vec::new(),
            launch_settings: LaunchSettings::default(),
            identity_notes: Vec::new(),
            notes: Vec::new(),
            models: Vec::new(),
        };
        match look.cards {
            Some(cards) => server.models = dialect.adapter().models(cards),
            None => server
                .identity_notes
                .push("the server has no list of models; the given name is not checked".to_owned()),
        }
        if let [only] = server.models.as_slice() {
            server.chosen = Some(only.clone());
        }
        server
    }

    fn adapter(&self) -> &'static dyn Adapter {
        self.dialect.adapter()
    }

    fn habits(&self) -> Habits {
        self.adapter().habits()
    }

    /// Adds a note about what was read, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// What a person should know, in full sentences or short remarks.
    pub fn notes(&self) -> Vec<String> {
        let length = self.engine.max_length.is_none().then(|| {
            "maximum length: the server does not tell it; give it with `--max-length`".to_owned()
        });
        self.identity_notes
            .iter()
            .chain(&self.notes)
            .chain(&length)
            .chain(&self.budget_note)
            .cloned()
            .collect()
    }

    /// The only model that it answers for, whatever it lists.
    pub(crate) fn serves_only(&mut self, card: ModelCard) {
        self.chosen = Some(card.clone());
        self.models = vec![card];
        self.serves_others = false;
    }

    /// The name that the metrics of the chosen model carry.
    pub(crate) fn chosen_id(&self) -> Option<&str> {
        self.chosen.as_ref().map(|card| card.id.as_str())
    }

    /// The model to measure: the one that was asked for (id, alias or repository), or the only one.
    /// With several models, call [`Server::read_capacity`] afterwards: limits may be the model's.
    ///
    /// # Errors
    /// `NoModels`, `SeveralModels` or `UnknownModel`.
    pub fn choose_model(&mut self, wanted: Option<&str>) -> Result<Model, IdentifyError> {
        let card = match choose(&self.models, wanted) {
            Err(IdentifyError::UnknownModel { wanted, .. }) if self.serves_others => ModelCard {
                id: wanted,
                ..ModelCard::default()
            },
            found => found?,
        };
        self.engine.max_length = card.max_model_len.or(self.engine.max_length);
        let model = card.describe();
        self.chosen = Some(card);
        Ok(model)
    }

    /// Reads limits, KV budget and what else the server tells about the chosen model.
    /// What it does not tell stays unknown; [`identify`](crate::identify()) has done this once.
    ///
    /// # Errors
    /// Only when the server says that it is still loading, or wants a key.
    pub async fn read_capacity(&mut self, control: &Control) -> Result<(), IdentifyError> {
        self.budget_note = None;
        self.notes.clear();
        self.adapter().read_capacity(self, control).await?;
        self.engine.accepts = self.capabilities.accepts(self.metrics);
        self.settle();
        Ok(())
    }

    /// Takes what the server's own command line tells and HTTP does not. Call it only with the
    /// arguments of this very server.
    pub fn learn_from_launch(&mut self, arguments: &[String]) {
        self.launch = arguments.to_vec();
        self.settle();
    }

    /// Takes what its launch says in words that all servers share, environment included, where
    /// neither HTTP nor its own arguments have said it.
    pub fn learn_from_settings(&mut self, settings: LaunchSettings) {
        self.launch_settings = settings;
        self.settle();
    }

    /// Takes what the person knows; it replaces what the server says.
    pub fn declare(&mut self, declared: Declared) {
        self.declared = declared;
        self.settle();
    }

    fn settle(&mut self) {
        let launch = std::mem::take(&mut self.launch);
        if !launch.is_empty() {
            self.adapter().learn_from_launch(self, &launch);
        }
        self.launch = launch;
        let settings = std::mem::take(&mut self.launch_settings);
        let was_unknown = self.engine.kv_budget.is_none();
        self.adapter().learn_from_settings(self, &settings);
        if was_unknown && self.engine.kv_budget.is_some() {
            self.budget_note = None;
        }
        self.launch_settings = settings;
        self.engine.max_length = self.declared.max_length.or(self.engine.max_length);
        self.engine.max_sequences = self.declared.max_sequences.or(self.engine.max_sequences);
        self.adapter().settle(self);
    }

    /// Load and counters, summed over ranks. What the server does not say is `None`.
    pub async fn gauges(&self, control: &Control) -> Result<Gauges, GaugeError> {
        self.adapter().gauges(self, control).await
    }

    /// What the server accepts: known for its kind, and corrected once
    /// [`Server::probe_fields`] has run.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Tries every optional field in a request of four tokens, drops what is refused, and remembers
    /// what came back (cases B010, B068, B070). The result also stands in `engine.accepts`. A model
    /// that is loaded by its first request has told its limits only now.
    pub async fn probe_fields(
        &mut self,
        control: &Control,
        model: &Model,
        endpoint: Endpoint,
    ) -> Result<&Capabilities, FieldsError> {
        let known = self.adapter().capabilities();
        let (learned, fingerprint) = fields::probe(control, &known, model, endpoint).await?;
        self.capabilities = learned;
        if let Some(fingerprint) = fingerprint {
            self.adapter().learn_from_fingerprint(self, &fingerprint);
        }
        self.engine.accepts = self.capabilities.accepts(self.metrics);
        if self.habits().loads_on_demand {
            // The request worked: what a second reading might refuse is no reason to stop.
            let _still_unknown = self.read_capacity(control).await;
        }
        Ok(&self.capabilities)
    }

    /// Exact prompt tokens of a request with `text`: as the only user message of a chat, or as a
    /// plain prompt.
    pub async fn count_tokens(
        &self,
        control: &Control,
        model: &Model,
        endpoint: Endpoint,
        text: &str,
    ) -> Result<u64, CountError> {
        tokens::count(control, self.capabilities.tokenize, model, endpoint, text).await
    }

    /// Empties the server's prefix cache, if it lets a client do that.
    ///
    /// # Errors
    /// No answer. A refusal is a [`CacheState`].
    pub async fn reset_cache(&self, control: &Control) -> Result<CacheState, ControlError> {
        match self.habits().reset {
            None => Ok(CacheState::Unsupported),
            Some(reset) => cache::reset(control, reset, self.chosen_id()).await,
        }
    }

    /// Whether its counter of output tokens moves while requests run, rather than when they end.
    pub fn counts_output_live(&self) -> bool {
        self.habits().counts_output_live
    }

    /// How old a gauge may be when it is read.
    pub fn gauge_age(&self) -> Duration {
        self.habits().gauge_age
    }

    /// Whether it sets cache aside for the longest output of a request from its beginning.
    pub fn reserves_output(&self) -> bool {
        self.habits().reserves_output
    }

    /// Whether requests above its limit wait without any sign of it.
    pub fn queues_silently(&self) -> bool {
        self.habits().queues_silently
    }

    /// What a person can change when one of its limits shows.
    pub fn advice(&self) -> Advice {
        self.dialect.advice()
    }

    /// What ends a request on this server.
    pub fn abort(&self) -> Abort {
        self.habits().abort
    }
}
