//! `Content-Encoding`: compressed answers, unpacked piece by piece (case B034).

use std::fmt;
use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::zstd_safe::DParameter;

/// Compressed bytes that are unpacked at a time: what they grow to is handed on before the next.
const STEP: usize = 1024;

/// The largest window that a compressed answer may ask for, as a power of two: 8 MiB, the limit of
/// RFC 9659 section 3.
const WINDOW_LOG_MAX: u32 = 23;

/// Unpacks an answer. An answer whose header says that it is compressed and whose bytes are not
/// goes through as it is: somebody on the way unpacked it already.
pub struct Decoder {
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Encoding {
    Gzip,
    Deflate,
    Zstd,
}

enum Kind {
    /// Nothing has come yet.
    Unseen(Encoding),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    Deflate(Box<DeflateDecoder<Vec<u8>>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Vec<u8>>>),
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").finish_non_exhaustive()
    }
}

/// A `Content-Encoding` other than `identity`, in lower case.
pub fn named(header: Option<&str>) -> Option<String> {
    header
        .map(str::trim)
        .filter(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
        .map(str::to_ascii_lowercase)
}

impl Decoder {
    /// For an encoding by its lower-case name; `None` for one that cannot be unpacked.
    pub fn of(encoding: &str) -> Option<Self> {
        let encoding = match encoding {
            "gzip" | "x-gzip" => Encoding::Gzip,
            "deflate" => Encoding::Deflate,
            "zstd" => Encoding::Zstd,
            _ => return None,
        };
        Some(Self {
            kind: Kind::Unseen(encoding),
        })
    }

    /// Unpacks the next bytes and hands what they hold to `out`, in pieces.
    ///
    /// # Errors
    /// What the bytes have wrong; nothing more can be unpacked after that.
    pub fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) -> io::Result<()> {
        if let (Kind::Unseen(encoding), Some(first)) = (&self.kind, bytes.first()) {
            self.kind = Kind::of(*encoding, *first)?;
        }
        for step in bytes.chunks(STEP) {
            match &mut self.kind {
                Kind::Unseen(_) => {}
                Kind::Plain => out(step),
                Kind::Gzip(gzip) => {
                    let unpacked = unpack(gzip.as_mut(), step);
                    drain(gzip.get_mut(), out);
                    unpacked?;
                }
                Kind::Zlib(zlib) => {
                    let unpacked = unpack(zlib.as_mut(), step);
                    drain(zlib.get_mut(), out);
                    unpacked?;
                }
                Kind::Deflate(deflate) => {
                    let unpacked = unpack(deflate.as_mut(), step);
                    drain(deflate.get_mut(), out);
                    unpacked?;
                }
                Kind::Zstd(zstd) => {
                    let unpacked = unpack(zstd.as_mut(), step);
                    drain(zstd.get_mut(), out);
                    unpacked?;
                }
            }
        }
        Ok(())
    }
}

impl Kind {
    /// The first byte tells whether the answer is what its header says.
    fn of(encoding: Encoding, first: u8) -> io::Result<Self> {
        Ok(match (encoding, first) {
            (Encoding::Gzip, 0x1f) => Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            // zstd's magic number, or the one of a skippable frame.
            (Encoding::Zstd, 0x28 | 0x50..=0x5f) => {
                let mut decoder = zstd::stream::write::Decoder::new(Vec::new())?;
                decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
                Self::Zstd(Box::new(decoder))
            }
            // "deflate" means zlib's format, and some servers send the bare one.
            (Encoding::Deflate, first) if first & 0x0f == 8 => {
                Self::Zlib(Box::new(ZlibDecoder::new(Vec::new())))
            }
            (Encoding::Deflate, first) if !begins_text(first) => {
                Self::Deflate(Box::new(DeflateDecoder::new(Vec::new())))
            }
            _ => Self::Plain,
        })
    }
}

/// Whether events or JSON may begin so: blanks, a mark of byte order, `{`, `[`, `:`, field names.
fn begins_text(first: u8) -> bool {
    first.is_ascii_whitespace()
        || matches!(first, 0xef | b'{' | b'[' | b':' | b'd' | b'e' | b'i' | b'r')
}

fn unpack(decoder: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    decoder.write_all(bytes)?;
    decoder.flush()
}

fn drain(unpacked: &mut Vec<u8>, out: &mut impl FnMut(&[u8])) {
    if !unpacked.is_empty() {
        out(unpacked);
        unpacked.clear();
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    /// Texts, each flushed by the compressor: the bytes of each.
    fn flushed<W: Write>(
        texts: &[&str],
        mut encoder: W,
        taken: impl Fn(&mut W) -> Vec<u8>,
    ) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        for text in texts {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            pieces.push(taken(&mut encoder));
        }
        pieces
    }

    fn compressed(encoding: &str, texts: &[&str]) -> Vec<Vec<u8>> {
        let level = Compression::fast();
        match encoding {
            "gzip" => flushed(texts, GzEncoder::new(Vec::new(), level), |e| {
                std::mem::take(e.get_mut())
            }),
            "zlib" => flushed(texts, ZlibEncoder::new(Vec::new(), level), |e| {
                std::mem::take(e.get_mut())
            }),
            "bare" => flushed(texts, DeflateEncoder::new(Vec::new(), level), |e| {
                std::mem::take(e.get_mut())
            }),
            _ => flushed(
                texts,
                zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap(),
                |e| std::mem::take(e.get_mut()),
            ),
        }
    }

    const FORMS: [(&str, &str); 5] = [
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        ("deflate", "zlib"),
        ("deflate", "bare"),
        ("zstd", "zstd"),
    ];

    #[test]
    fn b034_each_flushed_piece_comes_out_when_it_went_in() {
        let long = "data: {\"a\":1}\n\n".repeat(5_000);
        let texts = [
            "data: one\n\n",
            "data: two\n\n",
            long.as_str(),
            "data: [DONE]\n\n",
        ];
        for (encoding, form) in FORMS {
            let mut decoder = Decoder::of(encoding).unwrap();
            for (text, bytes) in texts.iter().zip(compressed(form, &texts)) {
                let mut got = Vec::new();
                decoder
                    .push(&bytes, &mut |piece| got.extend_from_slice(piece))
                    .unwrap();
                assert_eq!(String::from_utf8(got).unwrap(), *text, "{form}");
            }
        }
    }

    #[test]
    fn any_split_of_the_bytes_gives_the_same_text() {
        let texts = ["data: one\n\n", "data: tw\u{f6}\n\n"];
        for (encoding, form) in FORMS {
            let bytes = compressed(form, &texts).concat();
            for size in 1..bytes.len() {
                let mut decoder = Decoder::of(encoding).unwrap();
                let mut got = Vec::new();
                for part in bytes.chunks(size) {
                    decoder
                        .push(part, &mut |piece| got.extend_from_slice(piece))
                        .unwrap();
                }
                assert_eq!(got, texts.concat().as_bytes(), "{form} by {size}");
            }
        }
    }

    #[test]
    fn what_is_not_compressed_goes_through() {
        for (encoding, _) in FORMS {
            for text in [
                "data: x\n\n",
                ": hi\n",
                "{\"a\":1}",
                "event: e\n",
                "\u{feff}data: x",
            ] {
                let mut decoder = Decoder::of(encoding).unwrap();
                let mut got = Vec::new();
                let all = &mut |piece: &[u8]| got.extend_from_slice(piece);
                decoder.push(text.as_bytes(), all).unwrap();
                assert_eq!(got, text.as_bytes(), "{encoding}");
            }
        }
    }

    #[test]
    fn a_bomb_comes_in_pieces_and_broken_bytes_are_an_error() {
        let bomb = compressed("gzip", &[&"\0".repeat(16 << 20)]).concat();
        let (mut most, mut all) = (0, 0);
        Decoder::of("gzip")
            .unwrap()
            .push(&bomb, &mut |piece| {
                most = most.max(piece.len());
                all += piece.len();
            })
            .unwrap();
        assert_eq!(all, 16 << 20);
        // Deflate grows by a factor of 1,032 at most.
        assert!(most <= 1_032 * STEP, "{most}");
        let mut broken = compressed("gzip", &["data: one\n\n"]).concat();
        broken.truncate(10);
        broken.extend_from_slice(&[0xff; 32]);
        let mut decoder = Decoder::of("gzip").unwrap();
        assert!(decoder.push(&broken, &mut |_| {}).is_err());
    }

    #[test]
    fn names_of_encodings() {
        let check = |header: Option<&str>, name: Option<&str>| {
            assert_eq!(named(header).as_deref(), name, "{header:?}");
        };
        check(None, None);
        check(Some(" "), None);
        check(Some("Identity"), None);
        check(Some(" GZIP "), Some("gzip"));
        assert!(Decoder::of("br").is_none());
        assert!(Decoder::of("gzip, gzip").is_none());
    }
}
