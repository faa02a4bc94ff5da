//! Why a store could not do what was asked.

use std::io;

use tokmark_run_format::ReadError;

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The text is not a run document.
    #[error("the document cannot be stored")]
    Document(#[from] ReadError),
    /// An identity that cannot be part of an address.
    #[error("`{id}` is not a run's identity")]
    Id {
        /// The identity, unchanged.
        id: String,
    },
    /// More than a page can show.
    #[error("the document has {count} {what}; at most {most} are stored")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// Two cells for one place.
    #[error("the cell of context {context} and {requests} requests is there twice")]
    Twice {
        /// Context in tokens.
        context: u64,
        /// Requests.
        requests: u32,
    },
    /// The evidence is not the one that the document names.
    #[error("the evidence is not the file that the document names")]
    Evidence,
    /// Another document has this identity.
    #[error("another document is stored as `{id}`")]
    Conflict {
        /// The identity.
        id: String,
    },
    /// What is stored is not what was put.
    #[error("the stored {what} is damaged")]
    Damaged {
        /// What is damaged.
        what: String,
    },
    /// The folder of objects cannot be used.
    #[error("cannot use `{path}`")]
    Io {
        /// The file or folder.
        path: String,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// A document that cannot be written.
    #[error("the document cannot be written")]
    Written(#[from] serde_json::Error),
    /// The database cannot be used.
    #[error("the database cannot be used")]
    Database(#[from] sqlx::Error),
    /// The database is of another version.
    #[error("the database cannot be brought to this version")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The program is ending.
    #[error("the store is closing")]
    Closing,
}

impl StoreError {
    /// Whether the run that was put is at fault, rather than the store.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Document(_)
                | Self::Id { .. }
                | Self::TooMany { .. }
                | Self::Twice { .. }
                | Self::Evidence
                | Self::Conflict { .. }
        )
    }
}
