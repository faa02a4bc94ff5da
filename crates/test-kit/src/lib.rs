//! What tests share: a simulated server in this process with an identified session on it.
//!
//! Under tokio's paused time a whole matrix takes milliseconds, and the clocks of server and
//! client have the same origin, so that their times can be compared to the nanosecond.

mod front;

pub use front::Front;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokmark_bench::{
    ConnectDial, Endpoint, InMemory, Outcome, Progress, Route, Run, RunError, Session, Settings,
    control_endpoint,
};
use tokmark_driver::{Clock, Connect, Io, LoadThreads, MemoryConnect};
use tokmark_engines::{Control, DEFAULT_TIMEOUT, Form, IdentifyError, Scheme, Target};
use tokmark_sim::{SimConfig, SimServer};

/// A simulated server and a session on it.
pub struct SimBench {
    /// The server, which knows the truth.
    pub server: Arc<SimServer>,
    /// The session.
    pub session: Session,
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum SimBenchError {
    /// The simulated engine refuses its configuration.
    #[error(transparent)]
    Config(#[from] tokmark_sim::model::ConfigError),
    /// The server was not identified.
    #[error(transparent)]
    Identify(#[from] IdentifyError),
    /// The probe of its fields failed.
    #[error(transparent)]
    Fields(#[from] tokmark_engines::FieldsError),
}

impl SimBench {
    /// Starts a server and identifies it, as `tokmark run` does over TCP.
    pub async fn start(config: SimConfig, endpoint: Endpoint) -> Result<Self, SimBenchError> {
        let served_name = config.model.served_name.clone();
        let server = Arc::new(SimServer::start(config)?);
        let clock = Clock::start();
        let opener = Arc::clone(&server);
        let connector: Arc<dyn Connect> = Arc::new(MemoryConnect::new(move || {
            let io: Box<dyn Io> = Box::new(opener.connect());
            io
        }));
        let dial = Arc::new(ConnectDial::new(Arc::clone(&connector), clock));
        let target = Target {
            scheme: Scheme::Http,
            authority: "sim".to_owned(),
            path_prefix: String::new(),
            headers: Vec::new(),
            form: Form::Origin,
        };
        let control = Control::new(dial, target, DEFAULT_TIMEOUT);
        let mut identified = tokmark_engines::identify(&control, None).await?;
        // A server that lists nothing has to be told.
        let name = Some(served_name.as_str()).filter(|_| identified.models.is_empty());
        let model = identified.choose_model(name)?;
        identified.read_capacity(&control).await?;
        identified
            .probe_fields(&control, &model, control_endpoint(endpoint))
            .await?;
        let capabilities = identified.capabilities().clone();
        Ok(Self {
            server,
            session: Session {
                clock,
                connector,
                control: Arc::new(control),
                server: identified,
                capabilities,
                model,
                route: Route::new(endpoint, "sim", "", &[]),
                load: LoadThreads::on(tokio::runtime::Handle::current()),
                watch: None,
            },
        })
    }

    /// Measures with these settings; gives the outcome and everything that was told meanwhile.
    pub async fn measure(&self, settings: &Settings) -> Result<(Outcome, Vec<Progress>), RunError> {
        self.measure_until(settings, &CancellationToken::new())
            .await
    }

    /// As [`Self::measure`], until `stop` is cancelled.
    pub async fn measure_until(
        &self,
        settings: &Settings,
        stop: &CancellationToken,
    ) -> Result<(Outcome, Vec<Progress>), RunError> {
        let (listener, mut events) = mpsc::unbounded_channel();
        let mut keep = InMemory::default();
        let run = Run::new(&self.session, settings, "test", &mut keep, &listener, stop);
        let outcome = run.measure().await?;
        let mut told = Vec::new();
        while let Ok(event) = events.try_recv() {
            told.push(event);
        }
        Ok((outcome, told))
    }
}
