//! What one kind of server has to say for itself: its signs, its routes, its habits.

use std::fmt::Debug;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokmark_run_format::LaunchSettings;

use crate::advice::Advice;
use crate::answer::Answer;
use crate::cache::CacheReset;
use crate::capability::{Abort, Capabilities};
use crate::control::Control;
use crate::error::IdentifyError;
use crate::gauges::{GaugeError, Gauges};
use crate::identify::FirstLook;
use crate::launch;
use crate::model::ModelCard;
use crate::server::Server;

/// A route that only one kind of server has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proof {
    /// Its path, to `GET`.
    pub(crate) path: &'static str,
    /// Whether a successful answer is that kind's.
    pub(crate) accepts: fn(&Answer) -> bool,
}

/// Habits that need no asking.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent habit of a server, named where it is set"
)]
pub(crate) struct Habits {
    /// What ends a request.
    pub(crate) abort: Abort,
    /// How the prefix cache is emptied, where there is a way.
    pub(crate) reset: Option<CacheReset>,
    /// Whether its counter of output tokens moves while requests run, rather than when they end.
    pub(crate) counts_output_live: bool,
    /// How old its gauges may be.
    pub(crate) gauge_age: Duration,
    /// Whether cache for the longest output is set aside when a request begins.
    pub(crate) reserves_output: bool,
    /// Whether the model is loaded by the first request, so that limits are known only then.
    pub(crate) loads_on_demand: bool,
    /// Whether it serves models that it does not list.
    pub(crate) lists_some: bool,
    /// Whether requests above its limit wait without any sign of it.
    pub(crate) queues_silently: bool,
    /// What a person can change.
    pub(crate) advice: Advice,
}

impl Habits {
    /// Of a server about which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        abort: Abort::CloseConnectionUnverified,
        reset: None,
        counts_output_live: false,
        gauge_age: Duration::ZERO,
        reserves_output: false,
        loads_on_demand: false,
        lists_some: false,
        queues_silently: false,
        advice: Advice::UNKNOWN,
    };
}

/// One kind of server.
pub(crate) trait Adapter: Debug + Sync {
    /// Whether the answers that every server is asked for are this kind's.
    fn recognises(&self, look: &FirstLook) -> bool;

    /// The route that only this kind has, for when a proxy has rewritten or hidden the rest.
    fn proof(&self) -> Option<Proof> {
        None
    }

    /// Whether [`Adapter::recognises`] alone does not settle it.
    fn needs_proof(&self) -> bool {
        false
    }

    /// What this kind is known to accept, before anything was tried.
    fn capabilities(&self) -> Capabilities;

    /// Its habits.
    fn habits(&self) -> Habits;

    /// The listed models without entries that are none.
    fn models(&self, cards: Vec<ModelCard>) -> Vec<ModelCard> {
        cards
    }

    /// Limits, KV budget and types, as far as the server tells them.
    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>>;

    /// Load and counters.
    fn gauges<'a>(
        &'a self,
        _server: &'a Server,
        _control: &'a Control,
    ) -> BoxFuture<'a, Result<Gauges, GaugeError>> {
        let none = Gauges::nothing("server metrics: none known for this server");
        futures_util::future::ready(Ok(none)).boxed()
    }

    /// What its own command line tells and HTTP does not.
    fn learn_from_launch(&self, _server: &mut Server, _arguments: &[String]) {}

    /// What its launch says in words that all servers share.
    fn learn_from_settings(&self, server: &mut Server, settings: &LaunchSettings) {
        launch::fill(&mut server.engine, settings);
    }

    /// What the `system_fingerprint` of an answer tells.
    fn learn_from_fingerprint(&self, _server: &mut Server, _fingerprint: &str) {}

    /// Follows from what the person said, when it is known by then.
    fn settle(&self, _server: &mut Server) {}
}
