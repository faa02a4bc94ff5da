//! What a run measures, as its document says it.

use tokmark_run_format::plan::{Plan, Sampling};

use crate::matrix::Matrix;
use crate::session::Session;
use crate::settings::Settings;

/// The plan of a run whose matrix is resolved.
pub(crate) fn plan(session: &Session, settings: &Settings, matrix: &Matrix) -> Plan {
    let prompts = if settings.shared_context {
        "generated prose, one document for all streams"
    } else {
        "generated prose, one document per stream"
    };
    Plan {
        contexts: matrix.contexts.clone(),
        prefill_contexts: matrix.prefill_contexts.clone(),
        requests: matrix.levels.clone(),
        window_s: settings.window.as_secs_f64(),
        max_output_tokens: settings.max_output,
        profile: settings.profile,
        capacity: settings.capacity,
        prefill: settings.prefill,
        endpoint: settings.endpoint.to_string(),
        prompts: prompts.to_owned(),
        shared_context: settings.shared_context,
        seed: settings.seed,
        sampling: Sampling {
            seed_per_stream: false,
            ignore_eos: session.capabilities.ignore_eos.is_possible(),
            ..Sampling::default()
        },
        decode_test: "fixed_duration".to_owned(),
        stall_timeout_s: settings.stall_timeout.as_secs_f64(),
    }
}

/// A served name that is a path of the server's machine, without its folders: they may carry a
/// person's name (methodology section 8). A repository such as `owner/name` stays.
pub(crate) fn public_name(served: &str) -> String {
    let is_path = served.starts_with(['/', '~', '.']) || served.contains('\\');
    let name = served.rsplit(['/', '\\']).find(|part| !part.is_empty());
    match name {
        Some(name) if is_path => name.to_owned(),
        _ => served.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::public_name;

    #[test]
    fn b113_a_served_path_shows_no_folders() {
        let check = |served: &str, shown: &str| assert_eq!(public_name(served), shown, "{served}");
        check("/home/someone/models/tiny.gguf", "tiny.gguf");
        check("~/models/tiny/", "tiny");
        check("C:\\Users\\someone\\tiny.gguf", "tiny.gguf");
        check("owner/name", "owner/name");
        check("qwen3:4b", "qwen3:4b");
    }
}
