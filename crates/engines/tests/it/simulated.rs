//! The adapters against the simulator, dialect by dialect, under paused time.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokmark_engines::{
    Address, Answer, CacheState, Control, ControlIo, CountError, DEFAULT_TIMEOUT, Dial,
    ENDLESS_GENERATION, Endpoint, FixedLength, Limits, Server, Target, Tri, identify,
};
use tokmark_openai_stream::reply::{BodyEnd, FailureClass, ReplyReader, TokenEvent};
use tokmark_openai_stream::request::Endpoint as Route;
use tokmark_run_format::Model;
use tokmark_sim::faults::{Fault, Faults, Hits};
use tokmark_sim::{Dialect, SimConfig, SimServer};
use tokmark_units::Nanos;

/// What holds of an adapter and its server's dialect.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a row of a table, each column of which is asked about alone"
)]
pub struct Behaves {
    pub dialect: Dialect,
    /// The longest request is told.
    length: bool,
    /// The size of the cache is told.
    budget: bool,
    /// The most requests at once are told.
    sequences: bool,
    /// Load is shown.
    gauges: bool,
    /// Chats and plain texts are counted.
    counts: (bool, bool),
    /// Answers can be made to have their full length.
    fixed: bool,
    /// Token ids may be a prompt.
    ids: bool,
    /// The cache can be emptied.
    resets: bool,
    /// What a prompt that is too long comes to; `None` when the server cuts it or takes it.
    too_long: Option<FailureClass>,
}

const NOTHING: Behaves = Behaves {
    dialect: Dialect::OpenAi,
    length: false,
    budget: false,
    sequences: false,
    gauges: false,
    counts: (false, false),
    fixed: false,
    ids: false,
    resets: false,
    too_long: Some(FailureClass::ContextTooLong),
};

/// A row for every dialect.
#[expect(clippy::too_many_lines, reason = "a table, one row after the other")]
pub fn all() -> Vec<Behaves> {
    vec![
        Behaves {
            dialect: Dialect::Vllm,
            length: true,
            budget: true,
            gauges: true,
            counts: (true, true),
            fixed: true,
            ids: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::SgLang,
            length: true,
            budget: true,
            sequences: true,
            gauges: true,
            counts: (true, true),
            fixed: true,
            ids: true,
            resets: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::LlamaCpp,
            length: true,
            budget: true,
            sequences: true,
            gauges: true,
            counts: (true, true),
            fixed: true,
            ids: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::Ollama,
            length: true,
            too_long: None,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::Tgi,
            length: true,
            budget: true,
            gauges: true,
            counts: (true, true),
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::TensorRtLlm,
            budget: true,
            sequences: true,
            gauges: true,
            fixed: true,
            ids: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::LmDeploy,
            gauges: true,
            counts: (true, true),
            fixed: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::TabbyApi,
            length: true,
            budget: true,
            sequences: true,
            counts: (true, true),
            fixed: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::MlxLm,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::Dynamo,
            length: true,
            budget: true,
            sequences: true,
            gauges: true,
            counts: (true, true),
            fixed: true,
            ids: true,
            resets: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::MistralRs,
            sequences: true,
            gauges: true,
            counts: (true, false),
            fixed: true,
            ..NOTHING
        },
        Behaves {
            dialect: Dialect::Transformers,
            fixed: true,
            ..NOTHING
        },
        NOTHING,
    ]
}

const LENGTH: u32 = 8_192;
const CACHE: u64 = 16_384;
const AT_ONCE: u32 = 3;
const PATIENCE: Limits = Limits {
    time: Duration::from_mins(30),
    bytes: 8 * 1024 * 1024,
};

/// A simulated server, reached in memory.
struct Sim(SimServer);

impl Dial for Sim {
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>> {
        Box::pin(async {
            let io: Box<dyn ControlIo> = Box::new(self.0.connect());
            Ok(io)
        })
    }
}

/// An identified server.
struct Met {
    sim: Arc<Sim>,
    control: Control,
    server: Server,
    model: Model,
}

impl Met {
    /// Small enough for limits to show: 3 sequences, 8K of length, 16K of cache. Answers that may
    /// end do so after a few tokens, unless `endless`.
    async fn new(row: &Behaves, endless: bool, faults: Faults) -> Self {
        let mut config = SimConfig {
            dialect: row.dialect,
            natural_output: (!endless).then_some(5),
            faults,
            ..SimConfig::default()
        };
        config.engine.max_model_len = LENGTH;
        config.engine.max_num_seqs = AT_ONCE;
        config.engine.num_blocks = 1 + u32::try_from(CACHE).unwrap() / config.engine.block_size;
        let sim = Arc::new(Sim(SimServer::start(config).unwrap()));
        let control = connect(&sim);
        let mut server = identify(&control, None).await.unwrap();
        // A server that lists nothing has to be told.
        let name = Some("small").filter(|_| server.models.is_empty());
        let model = server.choose_model(name).unwrap();
        server.read_capacity(&control).await.unwrap();
        Self {
            sim,
            control,
            server,
            model,
        }
    }

    async fn probed(row: &Behaves, endless: bool) -> Self {
        let mut met = Self::new(row, endless, Faults::default()).await;
        let (control, model) = (&met.control, &met.model);
        met.server
            .probe_fields(control, model, Endpoint::Chat)
            .await
            .unwrap();
        met
    }

    /// A request as the adapter says that it is to be.
    fn body(&self, endpoint: Endpoint, prompt: impl Into<Value>, most: u64, stream: bool) -> Value {
        let accepts = self.server.capabilities();
        let prompt = prompt.into();
        let mut body = json!({ "model": self.model.served_name, "stream": stream });
        match endpoint {
            Endpoint::Chat => body["messages"] = json!([{ "role": "user", "content": prompt }]),
            Endpoint::Completions => body["prompt"] = prompt,
        }
        body[accepts.limit_field.name()] = most.into();
        if accepts.ignore_eos.is_possible() {
            match accepts.fixed_length {
                FixedLength::IgnoreEos => body["ignore_eos"] = true.into(),
                FixedLength::LeastTokens(name) => body[name] = most.into(),
                FixedLength::DebugConfig => body["debug_config"] = json!({"ignore_eos": true}),
                FixedLength::GenerationConfig => {
                    body["generation_config"] = ENDLESS_GENERATION.into();
                }
                FixedLength::Never => {}
            }
        }
        for (name, value) in accepts.constants {
            body[*name] = (*value).into();
        }
        body
    }

    async fn ask(&self, endpoint: Endpoint, body: &Value) -> Answer {
        let sent = self
            .control
            .post_json_within(endpoint.path(), body, PATIENCE);
        sent.await.unwrap()
    }

    async fn usage(&self, endpoint: Endpoint, prompt: impl Into<Value>, most: u64) -> Value {
        let body = self.body(endpoint, prompt, most, false);
        let answer = self.ask(endpoint, &body).await;
        let whole = answer.success_json();
        whole.unwrap_or_else(|| panic!("{:?}: {}", self.model, answer.shown()))["usage"].clone()
    }
}

fn connect(sim: &Arc<Sim>) -> Control {
    let target = Target::new(&Address::parse("sim").unwrap(), Vec::new());
    Control::new(Arc::<Sim>::clone(sim), target, DEFAULT_TIMEOUT)
}

/// What the wire says of a request that failed.
fn class(answer: &Answer) -> Option<FailureClass> {
    let mut reader = ReplyReader::new(Route::Chat);
    let kind = answer.content_type.as_deref();
    reader.head(answer.status.as_u16(), kind, None, None);
    let mut events = Vec::<TokenEvent>::new();
    reader.push(Nanos(1), &answer.body, &mut events);
    let reply = reader.finish(Nanos(2), BodyEnd::Complete, &mut events);
    reply.failure.map(|failure| failure.class)
}

pub async fn identity_and_limits(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, false).await;
    let engine = &met.server.engine;
    assert_eq!(engine.name, dialect.name());
    let length = u64::from(LENGTH);
    assert_eq!(engine.max_length, row.length.then_some(length), "{dialect}");
    let sequences = row.sequences.then_some(AT_ONCE);
    assert_eq!(engine.max_sequences, sequences, "{dialect}");
    let told = engine.kv_budget.as_ref().map(|budget| budget.tokens);
    match (row.budget, told) {
        (false, told) => assert_eq!(told, None, "{dialect}"),
        // Its slots may share one pool of a slot's length, and HTTP does not tell: the lower bound.
        (true, told) if dialect == Dialect::LlamaCpp => assert_eq!(told, Some(length)),
        // One block may be kept back.
        (true, told) => assert!(told.unwrap().abs_diff(CACHE) <= 16, "{dialect}: {told:?}"),
    }
    assert_eq!(engine.accepts.metrics, Some(row.gauges), "{dialect}");
    let dropped = &engine.accepts.dropped_fields;
    assert!(dropped.is_empty(), "{dialect}: {dropped:?}");
    let notes = &met.server.capabilities().notes;
    let is_fair = |note: &String| !row.fixed && note.contains("no effect");
    assert!(notes.iter().all(is_fair), "{dialect}: {notes:?}");
}

pub async fn counts_agree_with_usage(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, false).await;
    let text = "The quick brown fox jumps over the lazy dog, again and again.";
    let both = [
        (Endpoint::Chat, row.counts.0),
        (Endpoint::Completions, row.counts.1),
    ];
    for (endpoint, counts) in both {
        let counted = met
            .server
            .count_tokens(&met.control, &met.model, endpoint, text)
            .await;
        if counts {
            let used = met.usage(endpoint, text, 4).await["prompt_tokens"].clone();
            assert_eq!(json!(counted.unwrap()), used, "{dialect} {endpoint:?}");
        } else {
            assert!(
                matches!(counted, Err(CountError::Unsupported)),
                "{dialect} {endpoint:?}: {counted:?}"
            );
        }
    }
    let takes_ids = met.server.capabilities().token_prompts;
    if row.ids {
        assert_ne!(takes_ids, Tri::No, "{dialect}");
        let usage = met.usage(Endpoint::Completions, vec![5, 6, 7, 8], 4).await;
        assert_eq!(usage["prompt_tokens"], 4, "{dialect}");
    } else {
        assert_ne!(takes_ids, Tri::Yes, "{dialect}");
    }
}

pub async fn lengths_are_fixed(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, false).await;
    let usage = met.usage(Endpoint::Chat, "Tell a long story.", 200).await;
    let written = usage["completion_tokens"].as_u64().unwrap();
    if row.fixed {
        assert_eq!(written, 200, "{dialect}");
        assert_eq!(met.server.capabilities().ignore_eos, Tri::Yes, "{dialect}");
    } else {
        assert!(written < 200, "{dialect}: {written}");
        assert_ne!(met.server.capabilities().ignore_eos, Tri::Yes, "{dialect}");
    }
}

pub async fn load_is_seen_and_leaving_frees_the_slots(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, true).await;
    let expect = |running: f64, waiting: f64| {
        let load = (Some(running), Some(waiting));
        if row.gauges { load } else { (None, None) }
    };
    let seen = async || {
        let gauges = met.server.gauges(&met.control).await.unwrap();
        (gauges.running, gauges.waiting)
    };
    let requests: Vec<_> = (0..5)
        .map(|n| {
            let prompt = format!("Story {n}.");
            let body = met.body(Endpoint::Chat, prompt, 6_000, true);
            let control = connect(&met.sim);
            tokio::spawn(async move {
                let path = Endpoint::Chat.path();
                control.post_json_within(path, &body, PATIENCE).await
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(seen().await, expect(3.0, 2.0), "{dialect}");
    for request in requests {
        assert!(!request.is_finished(), "{dialect}: it would last a minute");
        request.abort();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(seen().await, expect(0.0, 0.0), "{dialect}");
    // Without gauges, too: with all slots taken it would wait for a minute.
    let body = met.body(Endpoint::Chat, "Quick.", 4, false);
    let quick = met.ask(Endpoint::Chat, &body);
    let answer = tokio::time::timeout(Duration::from_secs(1), quick).await;
    assert!(answer.unwrap().status.is_success(), "{dialect}");
}

pub async fn the_cache_is_emptied(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, false).await;
    if !row.resets {
        let state = met.server.reset_cache(&met.control).await.unwrap();
        assert_eq!(state, CacheState::Unsupported, "{dialect}");
        return;
    }
    let prompt = "one two three four five six seven eight ".repeat(50);
    let cached = async || {
        let usage = met.usage(Endpoint::Chat, prompt.as_str(), 4).await;
        usage["prompt_tokens_details"]["cached_tokens"].as_u64()
    };
    assert_eq!(cached().await, Some(0), "{dialect}");
    assert!(cached().await.unwrap() > 300, "{dialect}");
    let state = met.server.reset_cache(&met.control).await.unwrap();
    assert_eq!(state, CacheState::Emptied, "{dialect}");
    assert_eq!(cached().await, Some(0), "{dialect}: cold again");
}

pub async fn errors_have_their_class(row: &Behaves) {
    let dialect = row.dialect;
    let met = Met::probed(row, false).await;
    let long = "word ".repeat(9_000);
    let body = met.body(Endpoint::Chat, long, 4, true);
    let answer = met.ask(Endpoint::Chat, &body).await;
    assert_eq!(
        class(&answer),
        row.too_long,
        "{dialect}: {}",
        answer.shown()
    );
    let mut limits = Faults::default();
    limits.add_to(
        Fault::TooManyRequests { retry_after_s: 7 },
        Hits::Numbers(0..1),
    );
    let met = Met::new(row, false, limits).await;
    let body = met.body(Endpoint::Chat, "Hello.", 4, true);
    let answer = met.ask(Endpoint::Chat, &body).await;
    let limited = Some(FailureClass::RateLimited);
    assert_eq!(class(&answer), limited, "{dialect}: {}", answer.shown());
}
