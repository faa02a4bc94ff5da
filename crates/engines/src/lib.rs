//! What each language-model server says about itself: identity, capacity, gauges, what it accepts.
//!
//! One file per server lies in `dialect/`, all over one small [`Control`] client that never shares a
//! connection with the measurement. To add a server: a file there, a variant of [`Dialect`], and the
//! arms that the compiler then asks for.

mod address;
mod answer;
mod capability;
mod control;
mod dialect;
mod error;
mod fields;
mod gauges;
mod identify;
mod launch;
mod link;
mod model;
mod prometheus;
mod refusal;
mod reply;
mod scrape;
mod server;
mod target;
mod tokens;

pub use address::{Address, AddressError, Scheme};
pub use answer::Answer;
pub use capability::{Abort, Capabilities, Endpoint, LimitField, TokenizeKind, Tri};
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
pub use server::Server;
pub use target::{Form, Target};
pub use tokens::CountError;
