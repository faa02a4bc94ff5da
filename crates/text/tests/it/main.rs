//! Catalogues, languages and numbers from outside.

mod catalogues;
mod languages;
mod messages;
mod numbers;
