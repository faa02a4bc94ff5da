//! Identities and wall-clock moments: read here and nowhere else.

use std::time::SystemTime;

use tokmark_run_format::Tool;
use tokmark_units::Timestamp;

/// A new run's identity: a UUID version 7 in lower-case base32hex, whose order is the order of
/// time.
pub(crate) fn new_id() -> String {
    data_encoding::BASE32_DNSSEC.encode(uuid::Uuid::now_v7().as_bytes())
}

/// This program.
pub(crate) fn tool() -> Tool {
    Tool {
        name: "tokmark".to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    }
}

/// Now, for people.
#[expect(
    clippy::disallowed_methods,
    reason = "the binary is where wall-clock time enters, for people only"
)]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis())
        .ok()
        .and_then(Timestamp::from_unix_millis)
        .unwrap_or_else(epoch)
}

fn epoch() -> Timestamp {
    Timestamp::from_unix_millis(0).unwrap_or_else(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_short_distinct_and_sort_by_time() {
        let ids: Vec<String> = (0..100).map(|_| new_id()).collect();
        assert!(ids.iter().all(|id| id.len() == 26), "{ids:?}");
        assert!(ids.is_sorted());
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
