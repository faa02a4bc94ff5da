//! What a person can change about the server when its limits left cells without a number.

use tokmark_engines::{Advice, Server};
use tokmark_run_format::{CellStatus, DecodeCell, Note};

/// Notes for the limits that show in these cells, one for each.
pub fn hints(server: &Server, cells: &[DecodeCell]) -> Vec<Note> {
    let statuses: Vec<CellStatus> = cells.iter().map(|cell| cell.status).collect();
    of_statuses(server.advice(), &statuses)
}

/// As [`hints`], by the statuses that cells have or would have.
pub fn of_statuses(advice: Advice, statuses: &[CellStatus]) -> Vec<Note> {
    use CellStatus::{OverAdmission, OverCapacity, OverLength, Preempted, Queued};
    let any = |of: &[CellStatus]| statuses.iter().any(|status| of.contains(status));
    let known = [
        (
            any(&[Queued, OverAdmission]),
            "hint_more_requests",
            "to run more requests at once",
            advice.more_requests,
        ),
        (
            any(&[OverLength]),
            "hint_longer_context",
            "to take longer prompts",
            advice.longer_context,
        ),
        (
            any(&[OverCapacity, Preempted]),
            "hint_more_cache",
            "to hold more tokens",
            advice.more_cache,
        ),
    ];
    known
        .into_iter()
        .filter(|(shows, _, _, how)| *shows && !how.is_empty())
        .map(|(_, code, what, how)| Note {
            code: code.to_owned(),
            text: format!("{what}: {how}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tokmark_engines::Dialect;

    use super::*;

    fn check(dialect: Dialect, statuses: &[CellStatus], expect: &[(&str, &str)]) {
        let notes = of_statuses(dialect.advice(), statuses);
        let codes: Vec<&str> = notes.iter().map(|note| note.code.as_str()).collect();
        let expected: Vec<&str> = expect.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, expected, "{dialect:?}");
        for (note, (_, word)) in notes.iter().zip(expect) {
            assert!(note.text.contains(word), "{word} in {}", note.text);
        }
    }

    #[test]
    fn each_limit_has_the_servers_own_word_for_it() {
        use CellStatus::{OverAdmission, OverCapacity, OverLength, Preempted, Queued, Valid};
        check(Dialect::LlamaCpp, &[Valid], &[]);
        check(
            Dialect::LlamaCpp,
            &[Valid, Queued, OverAdmission, OverLength],
            &[
                ("hint_more_requests", "`--parallel`"),
                ("hint_longer_context", "`-c`"),
            ],
        );
        check(
            Dialect::Ollama,
            &[OverAdmission],
            &[("hint_more_requests", "`OLLAMA_NUM_PARALLEL`")],
        );
        check(
            Dialect::MlxLm,
            &[Queued, OverLength],
            &[("hint_more_requests", "`--decode-concurrency`")],
        );
        check(
            Dialect::Vllm,
            &[Preempted, OverCapacity],
            &[("hint_more_cache", "`--gpu-memory-utilization`")],
        );
        check(Dialect::OpenAi, &[Queued, OverLength], &[]);
    }
}
