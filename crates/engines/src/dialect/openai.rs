//! Any server with OpenAI's routes: nothing is known beyond what it lists.

use crate::server::Server;

pub(crate) fn read_capacity(server: &mut Server) {
    if let Some(card) = &server.chosen {
        server.engine.max_length = card.max_model_len;
    }
    server.metrics = Some(false);
    server.note("the engine is not recognised: measured as any OpenAI-compatible server");
    server.budget_note =
        Some("KV budget: not known for this server; give it with `--kv-budget`".to_owned());
}
