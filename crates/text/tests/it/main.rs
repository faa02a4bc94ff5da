//! Catalogues, languages and numbers from outside.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail loudly, also in its helpers"
)]

mod catalogues;
mod languages;
mod messages;
mod numbers;
