//! Prompts of exact length for this server: methodology section 3.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tokmark_engines::{
    Capabilities, CountError, ENDLESS_GENERATION, FixedLength, LimitField as Limit, Tri,
};
use tokmark_openai_stream::request::{
    Endpoint as StreamEndpoint, LimitField, Prompt, RequestSpec, Sampling,
};
use tokmark_units::{Context, Nanos, float};
use tokmark_workload::{
    Calibration, Fitter, Genre, Key, Purpose, Recipe, Seed, Slot, Step, TOKENS_PER_WORD, probe,
    short_prompt,
};

use crate::session::{Session, control_endpoint};
use crate::settings::Settings;
use crate::single::{self, Patience};

/// Why a prompt could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The server does not count.
    #[error("the server does not count the prompt")]
    Count(#[source] CountError),
    /// Stopped while asking.
    #[error("stopped by the user")]
    Stopped,
}

/// What a request asks.
#[derive(Debug, Clone)]
enum Text {
    /// A document with exchangeable tasks.
    Document(tokmark_workload::Document),
    /// A task of its own, another one at every restart.
    Short(Seed),
    /// About 16 tokens.
    Probe(Seed),
}

/// A prompt that was made for this server.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    text: Text,
    /// Its prompt tokens as the server counted them beforehand.
    tokens: Option<u64>,
    /// The slot or rank that keeps its cache, on servers that let requests choose.
    pub(crate) home: Option<u32>,
}

impl Document {
    fn new(text: Text, tokens: Option<u64>) -> Self {
        Self {
            text,
            tokens,
            home: None,
        }
    }

    fn prompt(&self, task: u32) -> String {
        match &self.text {
            Text::Document(document) => document.restarted(task),
            Text::Short(seed) => short_prompt(*seed, task),
            Text::Probe(seed) => probe(*seed),
        }
    }

    /// Prompt tokens as counted, else the nominal context.
    pub(crate) fn tokens_or(&self, context: u64) -> u64 {
        self.tokens.unwrap_or(context)
    }

    fn words(&self) -> u64 {
        float::len_u64(self.prompt(0).split_whitespace().count())
    }
}

/// Makes and keeps the prompts of a run.
pub(crate) struct Prompts {
    run: Seed,
    shared: bool,
    tokens_per_word: f64,
    /// Learned from usage, where the server does not count.
    calibration: Option<Calibration>,
    template_tokens: u64,
    made: HashMap<(u64, u32), Arc<Document>>,
    shared_document: HashMap<u64, tokmark_workload::Document>,
    replaced: u32,
}

impl Prompts {
    /// For one run.
    pub(crate) fn new(run_id: &str, settings: &Settings) -> Self {
        Self {
            run: Seed::of_run(run_id).part(settings.seed),
            shared: settings.shared_context,
            tokens_per_word: TOKENS_PER_WORD,
            calibration: None,
            template_tokens: 0,
            made: HashMap::new(),
            shared_document: HashMap::new(),
            replaced: 0,
        }
    }

    /// The document of a stream in a row; the same one whenever it is asked for.
    pub(crate) async fn document(
        &mut self,
        session: &Session,
        context: u64,
        stream: u32,
    ) -> Result<Arc<Document>, PromptError> {
        if let Some(made) = self.made.get(&(context, stream)) {
            return Ok(Arc::clone(made));
        }
        let mut document = if context == 0 {
            Document::new(Text::Short(self.key(0, stream, Purpose::Document)), None)
        } else if self.shared {
            self.shared(session, context, stream).await?
        } else {
            let recipe = Recipe::of_stream(self.run, Context(context), stream, 0);
            self.fitted(session, recipe, context).await?
        };
        // A document that every stream uses has no slot or rank of its own.
        document.home = (!self.shared).then_some(stream);
        let document = Arc::new(document);
        self.made.insert((context, stream), Arc::clone(&document));
        Ok(document)
    }

    async fn shared(
        &mut self,
        session: &Session,
        context: u64,
        stream: u32,
    ) -> Result<Document, PromptError> {
        let recipe = Recipe::shared(self.run, Context(context), stream, 0);
        if let Some(document) = self.shared_document.get(&context) {
            let own = document.with_task(recipe.task);
            return Ok(Document::new(Text::Document(own), None));
        }
        let document = self.fitted(session, recipe, context).await?;
        if let Text::Document(inner) = &document.text {
            self.shared_document.insert(context, inner.clone());
        }
        Ok(document)
    }

    fn key(&self, context: u64, stream: u32, purpose: Purpose) -> Seed {
        self.run.derive(Key {
            context: Context(context),
            slot: Slot::Stream(stream),
            purpose,
            attempt: 0,
        })
    }

    /// A document that is read once: a prefill sample, a replacement, the warm-up.
    pub(crate) async fn once(
        &mut self,
        session: &Session,
        context: u64,
        purpose: Purpose,
    ) -> Result<Arc<Document>, PromptError> {
        self.replaced += 1;
        let recipe = Recipe::once(self.run, Context(context), purpose, self.replaced);
        self.fitted(session, recipe, context).await.map(Arc::new)
    }

    /// Documents that are read once are numbered from here on.
    pub(crate) fn number_from(&mut self, number: u32) {
        self.replaced = self.replaced.max(number);
    }

    /// A prompt of about 16 tokens; another one for every purpose, group and number.
    pub(crate) fn short(&self, purpose: Purpose, group: u64, n: u32) -> Arc<Document> {
        Arc::new(Document::new(
            Text::Probe(self.key(group, n, purpose)),
            None,
        ))
    }

    /// The seed of the whole run.
    pub(crate) fn run_seed(&self) -> Seed {
        self.run
    }

    /// Prompt tokens that any two prompts share.
    pub(crate) fn template_tokens(&self) -> u64 {
        self.template_tokens
    }

    async fn fitted(
        &mut self,
        session: &Session,
        recipe: Recipe,
        target: u64,
    ) -> Result<Document, PromptError> {
        if self.calibration.is_some() {
            return Ok(self.estimated(recipe, target));
        }
        let mut search = Fitter::new(recipe, target, self.tokens_per_word);
        loop {
            match search.step() {
                Step::Done(fitted) => {
                    if let Some(tokens) = fitted.tokens {
                        let words = float::from_u64(fitted.document.words().max(1));
                        self.tokens_per_word = float::from_u64(tokens) / words;
                    }
                    return Ok(Document::new(
                        Text::Document(fitted.document),
                        fitted.tokens,
                    ));
                }
                Step::Count(text) => match count(session, &text).await {
                    Ok(tokens) => search.counted(tokens),
                    Err(CountError::Unsupported) => {
                        self.calibrate(session).await?;
                        return Ok(self.estimated(recipe, target));
                    }
                    Err(error) => return Err(PromptError::Count(error)),
                },
            }
        }
    }

    /// Without a counting route: by tokens per word. All such documents are of one genre, since
    /// genres differ in tokens per word.
    fn estimated(&self, recipe: Recipe, target: u64) -> Document {
        let recipe = Recipe {
            genre: Genre::of_stream(0),
            ..recipe
        };
        let words = self.calibration.map_or_else(
            || float::round_to_u64(float::from_u64(target) / TOKENS_PER_WORD),
            |calibration| calibration.words_for(target),
        );
        Document::new(Text::Document(recipe.document(words)), None)
    }

    /// Learns tokens per word from the usage of two requests of different lengths.
    async fn calibrate(&mut self, session: &Session) -> Result<(), PromptError> {
        let patience = Patience {
            first: Nanos::from_secs(600),
            stall: Nanos::from_secs(60),
        };
        let mut pairs = Vec::new();
        for words in [300_u64, 1_500] {
            let recipe = Recipe {
                genre: Genre::of_stream(0),
                ..Recipe::once(self.run, Context(words), Purpose::Calibration, 0)
            };
            let document = Document::new(Text::Document(recipe.document(words)), None);
            let body = BodyMaker::of(session).body(&document, 0, 1);
            let request = single::run(session, body, 1, patience, None, &CancellationToken::new())
                .await
                .map_err(|_| PromptError::Stopped)?;
            pairs.extend(
                request
                    .prompt_tokens
                    .map(|tokens| (document.words(), tokens)),
            );
        }
        let assumed = Calibration {
            tokens_per_word: TOKENS_PER_WORD,
            overhead: 0.0,
        };
        self.calibration = Some(Calibration::fit(&pairs).unwrap_or(assumed));
        Ok(())
    }

    /// Counts the shared template once, where the server counts.
    pub(crate) async fn count_template(&mut self, session: &Session) {
        if let Ok(tokens) = count(session, "a").await {
            self.template_tokens = tokens.saturating_sub(1);
        }
    }
}

async fn count(session: &Session, text: &str) -> Result<u64, CountError> {
    let endpoint = control_endpoint(session.endpoint());
    session
        .server
        .count_tokens(&session.control, &session.model, endpoint, text)
        .await
}

/// Makes request bodies that this server takes.
#[derive(Debug, Clone)]
pub(crate) struct BodyMaker {
    model: String,
    endpoint: StreamEndpoint,
    slots: Option<u32>,
    ranks: u32,
    accepts: Capabilities,
}

impl BodyMaker {
    /// For a session's model and route.
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            model: session.model.served_name.clone(),
            endpoint: session.endpoint(),
            slots: session.server.engine.max_sequences,
            ranks: session
                .server
                .engine
                .kv_budget
                .as_ref()
                .map_or(1, |b| b.ranks),
            accepts: session.capabilities.clone(),
        }
    }

    /// The body of a request on a document with its n-th task.
    pub(crate) fn body(&self, document: &Document, task: u32, max_tokens: u64) -> Bytes {
        let text = document.prompt(task);
        let prompt = match self.endpoint {
            StreamEndpoint::Chat => Prompt::user(text),
            StreamEndpoint::Completions => Prompt::Text(text),
        };
        let mut spec = RequestSpec::new(self.endpoint, self.model.clone(), prompt, max_tokens);
        spec.limit_field = match self.accepts.limit_field {
            Limit::MaxTokens => LimitField::MaxTokens,
            Limit::MaxCompletionTokens => LimitField::MaxCompletionTokens,
        };
        let wanted = |field: &str| !self.accepts.refuses(field);
        spec.sampling = Sampling {
            temperature: wanted("temperature").then_some(0.7),
            top_p: wanted("top_p").then_some(0.95),
            // No seed of a request's own: vLLM samples seeded requests one by one, which slows the
            // very thing that is measured, and its CPU build dies of one in a chunked prefill.
            seed: None,
        };
        self.fix_length(max_tokens, &mut spec);
        spec.include_usage = self.accepts.stream_usage.is_possible() && wanted("stream_options");
        spec.continuous_usage = spec.include_usage && self.accepts.continuous_usage.is_possible();
        spec.timings_per_token =
            self.accepts.timings_per_token.is_possible() && wanted("timings_per_token");
        // Ids are many bytes: they are asked for only where nothing else counts the tokens.
        let counted = [
            self.accepts.continuous_usage,
            self.accepts.timings_per_token,
        ];
        spec.return_token_ids =
            self.accepts.return_token_ids == Tri::Yes && !counted.contains(&Tri::Yes);
        self.pin(document, &mut spec);
        Bytes::from(spec.body())
    }

    /// Makes the answer as long as it may be, in the server's own way.
    fn fix_length(&self, max_tokens: u64, spec: &mut RequestSpec) {
        let wanted = |field: &str| !self.accepts.refuses(field);
        for (name, value) in self.accepts.constants {
            if wanted(name) {
                spec.extra.insert((*name).to_owned(), (*value).into());
            }
        }
        if !self.accepts.ignore_eos.is_possible() {
            return;
        }
        match self.accepts.fixed_length {
            FixedLength::IgnoreEos => spec.ignore_eos = wanted("ignore_eos"),
            FixedLength::LeastTokens(name) if wanted(name) => {
                spec.extra.insert(name.to_owned(), max_tokens.into());
            }
            FixedLength::DebugConfig if wanted("debug_config") => {
                let inside = serde_json::json!({ "ignore_eos": true });
                spec.extra.insert("debug_config".to_owned(), inside);
            }
            FixedLength::GenerationConfig if wanted("generation_config") => {
                let whole = ENDLESS_GENERATION.into();
                spec.extra.insert("generation_config".to_owned(), whole);
            }
            FixedLength::LeastTokens(_)
            | FixedLength::DebugConfig
            | FixedLength::GenerationConfig
            | FixedLength::Never => {}
        }
    }

    /// Pins a document to the slot or the rank that keeps its cache.
    fn pin(&self, document: &Document, spec: &mut RequestSpec) {
        if let (Some(name), Some(home)) = (self.accepts.rank_field, document.home)
            && self.ranks > 1
        {
            spec.extra
                .insert(name.to_owned(), (home % self.ranks).into());
        }
        let slots = self.slots.unwrap_or(0);
        if let Some(home) = document
            .home
            .filter(|home| self.accepts.slot_pinning && *home < slots)
        {
            spec.extra.insert("id_slot".to_owned(), home.into());
        }
    }
}
