//! The only place that prints: results to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::Write;

/// A line of the result.
pub(crate) fn result(text: impl Display) {
    // A closed pipe (`| head`) is no reason to fail: what was asked for was shown.
    let _closed = writeln!(anstream::stdout().lock(), "{text}");
}

/// A result that already ends with a line feed.
pub(crate) fn raw(text: &str) {
    let mut out = anstream::stdout().lock();
    let _closed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line about the work.
pub(crate) fn progress(text: impl Display) {
    let _closed = writeln!(anstream::stderr().lock(), "{text}");
}
