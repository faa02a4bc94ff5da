//! Chunks framed in ways that a parser must bear.

use super::shape::{Chunk, Framing};
use crate::faults;

/// The bytes of a chunk in the body.
pub(super) fn frame(framing: Framing, chunk: &Chunk, faults: faults::Framing) -> Vec<u8> {
    let mut bytes = framing.frame(chunk);
    if faults.crlf && framing != Framing::EventsCrlf {
        // A chunk itself has no line feed.
        let chunk = bytes.trim_ascii_end().len();
        let ends = bytes.len() - chunk;
        bytes.truncate(chunk);
        bytes.extend_from_slice("\r\n".repeat(ends).as_bytes());
    }
    if faults.no_space && bytes.starts_with(b"data: ") {
        bytes.drain(5..6);
    }
    bytes
}

/// Where to part the bytes: within the first character that has several.
pub(super) fn cut(bytes: &[u8], faults: faults::Framing) -> Option<usize> {
    let inside = bytes.iter().position(|byte| !byte.is_ascii());
    inside.filter(|_| faults.split_utf8).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::shape::ChunkKind;
    use super::*;

    #[test]
    fn lines_end_and_begin_as_asked() {
        let check =
            |framing: Framing, kind: ChunkKind, [crlf, no_space]: [bool; 2], expect: &str| {
                let bytes = b"{}".to_vec();
                let faults = faults::Framing {
                    crlf,
                    no_space,
                    split_utf8: false,
                };
                let framed = frame(framing, &Chunk { bytes, kind }, faults);
                assert_eq!(String::from_utf8(framed).unwrap(), expect);
            };
        let aside = ChunkKind::Aside;
        check(Framing::Events, aside, [false, false], "data: {}\n\n");
        check(Framing::Events, aside, [true, true], "data:{}\r\n\r\n");
        check(
            Framing::EventsCrlf,
            aside,
            [true, false],
            "data: {}\r\n\r\n",
        );
        check(Framing::Lines, aside, [true, true], "{}\r\n");
        let comment = ChunkKind::Comment;
        check(Framing::Events, comment, [true, true], ": {}\r\n\r\n");
    }

    #[test]
    fn the_first_long_character_is_parted() {
        let check = |text: &str, split_utf8: bool, expect: Option<usize>| {
            let faults = faults::Framing {
                split_utf8,
                ..faults::Framing::default()
            };
            assert_eq!(cut(text.as_bytes(), faults), expect);
        };
        check("abé", true, Some(3));
        check("abé", false, None);
        check("abc", true, None);
    }
}
