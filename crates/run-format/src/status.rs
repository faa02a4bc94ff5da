//! What became of a cell: methodology section 5.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The one status of a decode cell, in the order in which the first that applies is chosen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CellStatus {
    /// No room in `--max-time`.
    NotPlanned,
    /// Skipped by the user.
    Skipped,
    /// Context plus 256 output tokens exceed the maximum.
    OverLength,
    /// Not run: the capacity rule says that it does not fit.
    OverCapacity,
    /// Not run: above the measured admission limit.
    OverAdmission,
    /// Other people's load kept the server busy.
    BusyServer,
    /// No stream got a first event in time.
    NotReady,
    /// Stopped inside.
    Interrupted,
    /// A request failed.
    Failed,
    /// The model repeated itself.
    Looped,
    /// The client was the limit.
    ClientLimited,
    /// The accelerator throttled.
    Throttled,
    /// Requests were preempted.
    Preempted,
    /// The server could not run all requests at once.
    Queued,
    /// Answers were so short that restarts took a share of the window.
    Restarts,
    /// Something between model and client collects tokens into bursts.
    Buffered,
    /// None of the rest.
    Valid,
}

impl CellStatus {
    /// Every status, in the order of precedence.
    pub const ALL: [Self; 17] = [
        Self::NotPlanned,
        Self::Skipped,
        Self::OverLength,
        Self::OverCapacity,
        Self::OverAdmission,
        Self::BusyServer,
        Self::NotReady,
        Self::Interrupted,
        Self::Failed,
        Self::Looped,
        Self::ClientLimited,
        Self::Throttled,
        Self::Preempted,
        Self::Queued,
        Self::Restarts,
        Self::Buffered,
        Self::Valid,
    ];

    /// The word that the document uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotPlanned => "not_planned",
            Self::Skipped => "skipped",
            Self::OverLength => "over_length",
            Self::OverCapacity => "over_capacity",
            Self::OverAdmission => "over_admission",
            Self::BusyServer => "busy_server",
            Self::NotReady => "not_ready",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Looped => "looped",
            Self::ClientLimited => "client_limited",
            Self::Throttled => "throttled",
            Self::Preempted => "preempted",
            Self::Queued => "queued",
            Self::Restarts => "restarts",
            Self::Buffered => "buffered",
            Self::Valid => "valid",
        }
    }

    /// The words that a table or page shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotPlanned => "Not planned",
            Self::Skipped => "Skipped",
            Self::OverLength => "Too long",
            Self::OverCapacity => "Over capacity",
            Self::OverAdmission => "Over limit",
            Self::BusyServer => "Server busy",
            Self::NotReady => "Did not start",
            Self::Interrupted => "Interrupted",
            Self::Failed => "Failed",
            Self::Looped => "Looped",
            Self::ClientLimited => "Client limited",
            Self::Throttled => "Throttled",
            Self::Preempted => "Ran out of cache",
            Self::Queued => "Requests queued",
            Self::Restarts => "Short answers",
            Self::Buffered => "Buffered",
            Self::Valid => "Valid",
        }
    }

    /// Whether the run is only partly measured because of this cell (exit code 5).
    pub fn is_incomplete(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::NotReady | Self::BusyServer | Self::Interrupted
        )
    }

    /// Whether the cell was left out by a rule before any request was sent.
    pub fn is_not_run(self) -> bool {
        matches!(
            self,
            Self::NotPlanned
                | Self::Skipped
                | Self::OverLength
                | Self::OverCapacity
                | Self::OverAdmission
        )
    }
}

impl fmt::Display for CellStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What became of a prefill row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrefillStatus {
    /// At least one cold sample.
    Valid,
    /// Even after a repeat, part of the prompt came from the server's cache.
    PartlyCached,
    /// Every sample failed.
    Failed,
    /// The context exceeds the server's maximum.
    OverLength,
    /// The context exceeds the KV budget.
    OverCapacity,
    /// Stopped before the first sample.
    Interrupted,
}

impl PrefillStatus {
    /// The word that the document uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::PartlyCached => "partly_cached",
            Self::Failed => "failed",
            Self::OverLength => "over_length",
            Self::OverCapacity => "over_capacity",
            Self::Interrupted => "interrupted",
        }
    }

    /// The words that a table or page shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::Valid => "Valid",
            Self::PartlyCached => "Partly cached",
            Self::Failed => "Failed",
            Self::OverLength => "Too long",
            Self::OverCapacity => "Over capacity",
            Self::Interrupted => "Interrupted",
        }
    }
}
