//! A server that was identified.

use tokmark_run_format::{Engine, Model};

use crate::capability::{Abort, Capabilities, Endpoint};
use crate::control::Control;
use crate::dialect::{Dialect, llamacpp, openai, vllm};
use crate::error::IdentifyError;
use crate::fields::{self, FieldsError};
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::model::{ModelCard, choose};
use crate::tokens::{self, CountError};

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
    pub(crate) capabilities: Capabilities,
    /// Whether gauges can be read.
    pub(crate) metrics: Option<bool>,
    pub(crate) budget_note: Option<String>,
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
            capabilities: dialect.capabilities(),
            metrics: None,
            budget_note: None,
            notes: Vec::new(),
            models: Vec::new(),
        };
        match look.cards {
            Some(cards) => server.models = cards,
            None => server.note("the server has no list of models; the given name is not checked"),
        }
        if let [only] = server.models.as_slice() {
            server.chosen = Some(only.clone());
        }
        server
    }

    /// Adds a note, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// What a person should know, in full sentences or short remarks.
    pub fn notes(&self) -> Vec<String> {
        self.notes
            .iter()
            .chain(&self.budget_note)
            .cloned()
            .collect()
    }

    /// The model to measure: the one that was asked for (id, alias or repository), or the only one.
    /// With several models, call [`Server::read_capacity`] afterwards: limits may be the model's.
    ///
    /// # Errors
    /// `NoModels`, `SeveralModels` or `UnknownModel`.
    pub fn choose_model(&mut self, wanted: Option<&str>) -> Result<Model, IdentifyError> {
        let card = choose(&self.models, wanted)?;
        self.engine.max_length = card.max_model_len.or(self.engine.max_length);
        let model = card.describe();
        self.chosen = Some(card);
        Ok(model)
    }

    /// Reads limits, KV budget and what else the server tells about the chosen model.
    /// What it does not tell stays unknown; [`identify`](crate::identify()) has done this once.
    ///
    /// # Errors
    /// Only when the server says that it is still loading.
    pub async fn read_capacity(&mut self, control: &Control) -> Result<(), IdentifyError> {
        self.budget_note = None;
        match self.dialect {
            Dialect::Vllm => vllm::read_capacity(self, control).await,
            Dialect::LlamaCpp => llamacpp::read_capacity(self, control).await?,
            Dialect::OpenAi => openai::read_capacity(self),
        }
        self.engine.accepts = self.capabilities.accepts(self.metrics);
        Ok(())
    }

    /// Takes what the server's own command line tells and HTTP does not. Call it only with the
    /// arguments of this very server.
    pub fn learn_from_launch(&mut self, arguments: &[String]) {
        match self.dialect {
            Dialect::Vllm => vllm::learn_from_launch(self, arguments),
            Dialect::LlamaCpp => llamacpp::learn_from_launch(self, arguments),
            Dialect::OpenAi => {}
        }
    }

    /// Load and counters, summed over ranks. What the server does not say is `None`.
    pub async fn gauges(&self, control: &Control) -> Result<Gauges, GaugeError> {
        match self.dialect {
            Dialect::Vllm => vllm::gauges(self, control).await,
            Dialect::LlamaCpp => llamacpp::gauges(self, control).await,
            Dialect::OpenAi => Ok(Gauges::nothing(
                "server metrics: none known for this server",
            )),
        }
    }

    /// What the server accepts: known for its kind, and corrected once
    /// [`Server::probe_fields`] has run.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Tries every optional field in a request of four tokens, drops what is refused, and remembers
    /// what came back (cases B010, B068, B070). The result also stands in `engine.accepts`.
    pub async fn probe_fields(
        &mut self,
        control: &Control,
        model: &Model,
        endpoint: Endpoint,
    ) -> Result<&Capabilities, FieldsError> {
        self.capabilities =
            fields::probe(control, &self.dialect.capabilities(), model, endpoint).await?;
        self.engine.accepts = self.capabilities.accepts(self.metrics);
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

    /// Whether its counter of output tokens moves while requests run, rather than when they end.
    pub fn counts_output_live(&self) -> bool {
        match self.dialect {
            Dialect::Vllm => true,
            Dialect::LlamaCpp | Dialect::OpenAi => false,
        }
    }

    /// What ends a request on this server.
    pub fn abort(&self) -> Abort {
        self.dialect.abort()
    }
}
