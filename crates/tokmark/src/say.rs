//! The only place that prints: results to stdout, everything else to stderr, or to the screen while
//! one is shown.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes lines in place of stderr; `false` when it does not any more.
type Elsewhere = Box<dyn Fn(String) -> bool + Send>;

static ELSEWHERE: Mutex<Option<Elsewhere>> = Mutex::new(None);

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

/// A result that is no text, byte for byte.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _closed = out.write_all(bytes).and_then(|()| out.flush());
}

/// A line about the work.
pub(crate) fn progress(text: impl Display) {
    let text = text.to_string();
    let is_taken = elsewhere().as_ref().is_some_and(|take| take(text.clone()));
    if !is_taken {
        let _closed = writeln!(anstream::stderr().lock(), "{text}");
    }
}

/// Gives every further line about the work to `take`.
pub(crate) fn divert(take: impl Fn(String) -> bool + Send + 'static) {
    *elsewhere() = Some(Box::new(take));
}

/// Lines go to stderr again.
pub(crate) fn back() {
    *elsewhere() = None;
}

/// A panic while the lock was held leaves a whole value.
fn elsewhere() -> MutexGuard<'static, Option<Elsewhere>> {
    ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the log writes: whole lines, so that they can go elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Log(Vec<u8>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.0);
        if !bytes.is_empty() {
            progress(String::from_utf8_lossy(&bytes).trim_end());
        }
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Nothing that it does can fail.
        let _written = self.flush();
    }
}
