//! What each language-model server says about itself: identity, capacity, gauges, what it accepts.
//!
//! One file per server lies in `dialect/`, each an `Adapter`, all over one small [`Control`] client
//! that never shares a connection with the measurement. To add a server: a file there, a variant of
//! [`Dialect`], the arms that the compiler then asks for, and a row in the conformance suite.

mod adapter;
mod address;
mod advice;
mod answer;
mod cache;
mod capability;
mod control;
mod dialect;
mod error;
mod families;
mod fields;
mod gauges;
mod identify;
mod launch;
mod link;
mod model;
mod process;
mod prometheus;
mod refusal;
mod reply;
mod scrape;
mod server;
mod target;
mod tokens;

pub use address::{Address, AddressError, Scheme};
pub use advice::Advice;
pub use answer::Answer;
pub use cache::CacheState;
pub use capability::{
    Abort, Capabilities, ENDLESS_GENERATION, Endpoint, FixedLength, LimitField, TokenizeKind, Tri,
};
pub use control::{
    Control, ControlError, ControlIo, DEFAULT_TIMEOUT, Dial, Limits, MAX_ANSWER_BYTES,
};
pub use dialect::Dialect;
pub use error::IdentifyError;
pub use fields::FieldsError;
pub use gauges::{Continuity, CounterWatch, GaugeError, Gauges};
pub use identify::{FirstLook, identify};
pub use model::ModelCard;
pub use prometheus::{Exposition, ExpositionError, Malformed, Sample};
pub use server::{Declared, Server};
pub use target::{Form, Target};
pub use tokens::CountError;
