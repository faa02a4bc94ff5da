//! Where the body of an HTTP/1.1 response ends (RFC 9112, section 6).

/// The most bytes of a chunk's size line or of the trailers: nobody sends more.
const LINE_LIMIT: usize = 16 * 1024;

/// Why a body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// A chunk's size is no hexadecimal number, or does not fit 64 bits.
    #[error("a chunk of the body has no readable size")]
    Size,
    /// A chunk does not end where its size says.
    #[error("a chunk of the body does not end where its size says")]
    Frame,
    /// A size line or the trailers are longer than any that makes sense.
    #[error("a chunk's size line or the trailers are too long")]
    TooLong,
}

/// Cuts the body out of the bytes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing more belongs to it.
    Done,
    /// So many bytes are left.
    Length(u64),
    /// It ends with the connection.
    UntilClose,
    /// It comes in chunks.
    Chunked(Chunk),
}

/// Where in the chunks the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// In the digits of a size.
    Size { value: u64, digits: u32 },
    /// Behind the digits, up to the end of the line.
    Extension { value: u64, length: usize },
    /// In the data.
    Data(u64),
    /// Behind the data, before the line's end.
    DataEnd,
    /// In the trailers; `line` bytes of the current line, `length` of all.
    Trailer { line: usize, length: usize },
}

impl Chunk {
    const NEXT: Self = Self::Size {
        value: 0,
        digits: 0,
    };
}

impl Body {
    /// The body of a response with this status and framing.
    pub(crate) fn of(status: u16, framing: Framing) -> Self {
        if matches!(status, 204 | 304) {
            return Self::Done;
        }
        match framing {
            Framing::Chunked => Self::Chunked(Chunk::NEXT),
            Framing::Length(0) => Self::Done,
            Framing::Length(length) => Self::Length(length),
            Framing::UntilClose => Self::UntilClose,
        }
    }

    /// Takes bytes in and hands the body's part of them to `data`; gives how many belong to the
    /// body and its framing. Fewer than all are taken only when the body is done.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        data: &mut dyn FnMut(&[u8]),
    ) -> Result<usize, BodyError> {
        let mut rest = bytes;
        while !rest.is_empty() && *self != Self::Done {
            rest = match self {
                Self::Done => rest,
                Self::UntilClose => {
                    data(rest);
                    &[]
                }
                Self::Length(left) => {
                    let (now, behind) = split(rest, *left);
                    data(now);
                    *left -= length(now);
                    if *left == 0 {
                        *self = Self::Done;
                    }
                    behind
                }
                Self::Chunked(chunk) => {
                    let (next, behind) = chunk.take(rest, data)?;
                    *self = next.map_or(Self::Done, Self::Chunked);
                    behind
                }
            };
        }
        Ok(bytes.len() - rest.len())
    }

    /// Whether a closed connection is the body's proper end.
    pub(crate) fn ends_with_connection(&self) -> bool {
        matches!(self, Self::Done | Self::UntilClose)
    }
}

impl Chunk {
    /// One step: the next state, `None` at the end of the body, and what follows.
    fn take<'a>(
        self,
        bytes: &'a [u8],
        data: &mut dyn FnMut(&[u8]),
    ) -> Result<(Option<Self>, &'a [u8]), BodyError> {
        if let Some(whole) = self.take_whole(bytes, data) {
            return Ok(whole);
        }
        if let Self::Data(left) = self {
            let (now, behind) = split(bytes, left);
            data(now);
            let left = left - length(now);
            let next = if left == 0 {
                Self::DataEnd
            } else {
                Self::Data(left)
            };
            return Ok((Some(next), behind));
        }
        let Some((byte, behind)) = bytes.split_first() else {
            return Ok((Some(self), bytes));
        };
        Ok((self.step(*byte)?, behind))
    }

    /// A whole chunk with its size line in front and its line end behind, in one read: how nearly
    /// all of them come.
    fn take_whole<'a>(
        self,
        bytes: &'a [u8],
        data: &mut dyn FnMut(&[u8]),
    ) -> Option<(Option<Self>, &'a [u8])> {
        if self != Self::NEXT {
            return None;
        }
        let digits = bytes.iter().take(7).position(|byte| *byte == b'\r')?;
        let (digits, rest) = bytes.split_at_checked(digits)?;
        let size = digits.iter().try_fold(0_usize, |size, byte| {
            let digit = char::from(*byte).to_digit(16)?;
            Some(size * 16 + usize::try_from(digit).ok()?)
        })?;
        let (now, behind) = rest.strip_prefix(b"\r\n")?.split_at_checked(size)?;
        let behind = behind
            .strip_prefix(b"\r\n")
            .filter(|_| size > 0 && !digits.is_empty())?;
        data(now);
        Some((Some(Self::NEXT), behind))
    }

    fn step(self, byte: u8) -> Result<Option<Self>, BodyError> {
        Ok(Some(match (self, byte) {
            (Self::Size { value, digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = char::from(byte).to_digit(16).ok_or(BodyError::Size)?;
                Self::Size {
                    value: value
                        .checked_mul(16)
                        .and_then(|value| value.checked_add(u64::from(digit)))
                        .ok_or(BodyError::Size)?,
                    digits: digits.saturating_add(1),
                }
            }
            (Self::Size { digits: 0, .. }, _) => return Err(BodyError::Size),
            (Self::Size { value, .. } | Self::Extension { value, .. }, b'\n') => match value {
                0 => Self::Trailer { line: 0, length: 0 },
                more => Self::Data(more),
            },
            (Self::Size { value, .. }, b'\r' | b';' | b' ' | b'\t') => {
                Self::Extension { value, length: 1 }
            }
            (Self::Size { .. }, _) => return Err(BodyError::Size),
            (Self::Extension { value, length }, _) => Self::Extension {
                value,
                length: within(length + 1)?,
            },
            (Self::DataEnd, b'\r') => Self::DataEnd,
            (Self::DataEnd, b'\n') => Self::NEXT,
            (Self::DataEnd, _) => return Err(BodyError::Frame),
            (Self::Trailer { line: 0, .. }, b'\n') => return Ok(None),
            (Self::Trailer { length, .. }, b'\n') => Self::Trailer {
                line: 0,
                length: within(length + 1)?,
            },
            (Self::Trailer { line, length }, b'\r') => Self::Trailer { line, length },
            (Self::Trailer { line, length }, _) => Self::Trailer {
                line: line + 1,
                length: within(length + 1)?,
            },
            (Self::Data(left), _) => Self::Data(left),
        }))
    }
}

/// How a head says that its body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// In chunks.
    Chunked,
    /// After so many bytes.
    Length(u64),
    /// With the connection.
    UntilClose,
}

fn within(length: usize) -> Result<usize, BodyError> {
    if length > LINE_LIMIT {
        return Err(BodyError::TooLong);
    }
    Ok(length)
}

fn split(bytes: &[u8], most: u64) -> (&[u8], &[u8]) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    bytes.split_at(bytes.len().min(most))
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunked() -> Body {
        Body::Chunked(Chunk::NEXT)
    }

    /// Feeds the bytes in pieces of `step` and gives the body and what was left over.
    fn read(
        mut body: Body,
        bytes: &[u8],
        step: usize,
    ) -> Result<(Vec<u8>, Vec<u8>, Body), BodyError> {
        let mut got = Vec::new();
        let mut over = Vec::new();
        for piece in bytes.chunks(step.max(1)) {
            let taken = body.take(piece, &mut |data| got.extend_from_slice(data))?;
            over.extend_from_slice(&piece[taken..]);
        }
        Ok((got, over, body))
    }

    #[test]
    fn bodies_end_where_their_framing_says() {
        let check = |body: Body, bytes: &str, expect: &str, over: &str, end: Body| {
            for step in 1..=bytes.len() {
                let (got, left, state) = read(body, bytes.as_bytes(), step).unwrap();
                assert_eq!(String::from_utf8_lossy(&got), expect, "step {step}");
                assert_eq!(String::from_utf8_lossy(&left), over, "step {step}");
                assert_eq!(state, end, "step {step}");
            }
        };
        check(
            chunked(),
            "3\r\nabc\r\n0\r\n\r\nHTTP",
            "abc",
            "HTTP",
            Body::Done,
        );
        check(
            chunked(),
            "2;x=\"y\"\r\nab\r\n1 \r\nc\r\n0\r\n\r\n",
            "abc",
            "",
            Body::Done,
        );
        check(
            chunked(),
            "A\r\n0123456789\r\n0\r\nx-a: 1\r\nx-b: 2\r\n\r\n",
            "0123456789",
            "",
            Body::Done,
        );
        check(chunked(), "2\nab\n0\n\n", "ab", "", Body::Done);
        check(
            chunked(),
            "4\r\nab",
            "ab",
            "",
            Body::Chunked(Chunk::Data(2)),
        );
        check(Body::Length(3), "abcd", "abc", "d", Body::Done);
        check(Body::UntilClose, "abcd", "abcd", "", Body::UntilClose);
    }

    #[test]
    fn broken_framing_is_an_error() {
        let check = |bytes: &str, expect: BodyError| {
            for step in [1, bytes.len()] {
                assert_eq!(
                    read(chunked(), bytes.as_bytes(), step),
                    Err(expect),
                    "{bytes:?}"
                );
            }
        };
        check("\r\n", BodyError::Size);
        check("xyz\r\n", BodyError::Size);
        check("-1\r\n", BodyError::Size);
        check("11111111111111111\r\n", BodyError::Size);
        check("2\r\nabc\r\n", BodyError::Frame);
        check(&format!("2;{}", "x".repeat(20_000)), BodyError::TooLong);
        check(
            &format!("0\r\n{}", "a: b\r\n".repeat(5_000)),
            BodyError::TooLong,
        );
    }

    proptest! {
        #[test]
        fn any_split_of_chunks_gives_the_same_body(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..12),
            step in 1_usize..50,
        ) {
            let mut bytes = Vec::new();
            for part in &parts {
                bytes.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                bytes.extend_from_slice(part);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
            let (got, over, state) = read(chunked(), &bytes, step).unwrap();
            prop_assert_eq!(got, parts.concat());
            prop_assert_eq!(over, Vec::<u8>::new());
            prop_assert_eq!(state, Body::Done);
        }
    }
}
