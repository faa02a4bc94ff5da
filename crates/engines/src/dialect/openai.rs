//! Any server with OpenAI's routes: nothing is known beyond what it lists.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::adapter::{Adapter, Habits};
use crate::capability::Capabilities;
use crate::control::Control;
use crate::error::IdentifyError;
use crate::identify::FirstLook;
use crate::server::Server;

/// Any server with OpenAI's routes.
#[derive(Debug)]
pub(crate) struct OpenAi;

impl Adapter for OpenAi {
    /// What nothing else claims is taken for it.
    fn recognises(&self, _look: &FirstLook) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn habits(&self) -> Habits {
        Habits {
            queues_silently: true,
            ..Habits::UNKNOWN
        }
    }

    fn read_capacity<'a>(
        &'a self,
        server: &'a mut Server,
        _control: &'a Control,
    ) -> BoxFuture<'a, Result<(), IdentifyError>> {
        if let Some(card) = &server.chosen {
            server.engine.max_length = card.max_model_len;
        }
        server.metrics = Some(false);
        server.note("the engine is not recognised: measured as any OpenAI-compatible server");
        server.budget_note =
            Some("KV budget: not known for this server; give it with `--kv-budget`".to_owned());
        futures_util::future::ready(Ok(())).boxed()
    }
}
