//! What a cell of the matrix says of its status: a word of eight columns where there is no number, a
//! letter behind it where there is one. Both are read without any colour.

use tokmark_run_format::CellStatus;

/// A word for a cell without a number.
pub(super) fn short(status: CellStatus) -> &'static str {
    match status {
        CellStatus::NotPlanned => "no time",
        CellStatus::Skipped => "skipped",
        CellStatus::OverLength => "too long",
        CellStatus::OverCapacity => "capacity",
        CellStatus::OverAdmission => "limit",
        CellStatus::BusyServer => "busy",
        CellStatus::NotReady => "no start",
        CellStatus::Interrupted => "stopped",
        CellStatus::Failed => "failed",
        CellStatus::Looped => "looped",
        CellStatus::ClientLimited => "client",
        CellStatus::Throttled => "throttle",
        CellStatus::Preempted => "cache",
        CellStatus::Queued => "queued",
        CellStatus::Restarts => "short",
        CellStatus::Buffered => "bursts",
        CellStatus::Valid => "valid",
    }
}

/// A letter behind a number; a valid one has none.
pub(super) fn mark(status: CellStatus) -> char {
    match status {
        CellStatus::Valid => ' ',
        CellStatus::ClientLimited => 'c',
        CellStatus::Throttled => 't',
        CellStatus::Preempted => 'p',
        CellStatus::Queued => 'q',
        CellStatus::Restarts => 's',
        CellStatus::Buffered => 'b',
        _ => '!',
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_statuses_look_the_same_without_colour() {
        let words: BTreeSet<&str> = CellStatus::ALL.into_iter().map(short).collect();
        assert_eq!(words.len(), CellStatus::ALL.len());
        assert!(words.iter().all(|word| word.len() <= 8), "{words:?}");
        let numbered = CellStatus::ALL.into_iter().map(mark);
        let marks: Vec<char> = numbered.filter(|mark| *mark != '!').collect();
        let different: BTreeSet<&char> = marks.iter().collect();
        assert_eq!((different.len(), marks.len()), (7, 7));
    }
}
