//! Reading with bounds: no length that a file states is believed before it is held against the rest
//! of the file.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::ReadError;

/// A file that is read from its start, and knows how much of it is left.
pub(super) struct Source<R> {
    inner: BufReader<R>,
    left: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Starts at the beginning, whatever was read before.
    pub(super) fn new(mut inner: R) -> Result<Self, ReadError> {
        let left = inner.seek(SeekFrom::End(0)).map_err(ReadError::Io)?;
        inner.seek(SeekFrom::Start(0)).map_err(ReadError::Io)?;
        Ok(Self {
            inner: BufReader::new(inner),
            left,
        })
    }

    /// Bytes that were not read yet.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    fn take(&mut self, what: &'static str, wanted: u64) -> Result<(), ReadError> {
        let left = self.left;
        self.left = left
            .checked_sub(wanted)
            .ok_or(ReadError::Truncated { what, wanted, left })?;
        Ok(())
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; N], ReadError> {
        self.take(what, tokmark_units::float::len_u64(N))?;
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes).map_err(ReadError::Io)?;
        Ok(bytes)
    }

    /// A little-endian number.
    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, ReadError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// A little-endian number.
    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, ReadError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// So many bytes, at most `most`, which bounds what is allocated.
    pub(super) fn bytes(
        &mut self,
        what: &'static str,
        length: u64,
        most: u64,
    ) -> Result<Vec<u8>, ReadError> {
        at_most(what, length, most)?;
        self.take(what, length)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length];
        self.inner.read_exact(&mut bytes).map_err(ReadError::Io)?;
        Ok(bytes)
    }

    /// Goes past so many bytes.
    pub(super) fn skip(&mut self, what: &'static str, length: u64) -> Result<(), ReadError> {
        self.take(what, length)?;
        let length = i64::try_from(length).map_err(|_| ReadError::TooLarge {
            what: what.to_owned(),
            given: length,
            most: i64::MAX.unsigned_abs(),
        })?;
        self.inner.seek_relative(length).map_err(ReadError::Io)
    }
}

/// An error where a stated number is above its bound.
pub(super) fn at_most(what: &str, given: u64, most: u64) -> Result<(), ReadError> {
    if given > most {
        return Err(ReadError::TooLarge {
            what: what.to_owned(),
            given,
            most,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn nothing_is_read_past_the_end() {
        let mut source = Source::new(Cursor::new(vec![1, 0, 0, 0, 9])).unwrap();
        assert_eq!(source.u32("number").unwrap(), 1);
        let error = source.u32("number").unwrap_err();
        assert_eq!(
            error.to_string(),
            "number needs 4 bytes, the file has 1 left"
        );
        let error = source.skip("data", u64::MAX).unwrap_err();
        assert!(matches!(error, ReadError::Truncated { left: 1, .. }));
        let error = source.bytes("text", 1 << 40, 1 << 16).unwrap_err();
        assert_eq!(error.to_string(), "text is 1099511627776, more than 65536");
        assert_eq!(source.bytes("text", 1, 1).unwrap(), [9]);
        assert_eq!(source.left(), 0);
    }
}
