//! The evidence file: JSON Lines compressed with zstd, times delta-encoded.
//!
//! JSON Lines rather than a binary format: it stays readable for ever with common tools, and an event
//! of a paced cell takes under five bytes (tested).

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::evidence::{
    self, CellEvidence, Event, Header, PrefillEvidence, Record, RequestEvidence, Scrape,
};
use crate::telemetry::Telemetry;

/// Why an evidence file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The file or the compression is damaged.
    #[error("the evidence cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is not a record.
    #[error("line {line} of the evidence is damaged")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What the reader said.
        #[source]
        source: serde_json::Error,
    },
    /// The first line is not a header of a known version.
    #[error("this is not a tokmark evidence file of a known version")]
    Header,
    /// It unpacks to more than the caller allows.
    #[error("the evidence unpacks to more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// It is mostly empty records, which take far more memory than bytes.
    #[error("the evidence holds records without content that would take {bytes} bytes of memory")]
    Hollow {
        /// What the records so far take.
        bytes: u64,
    },
}

/// Bytes of memory that a byte of the file may come to. A real file stays under two: an event takes
/// ten bytes there and sixteen here.
const MOST_MEMORY: u64 = 8;

/// Memory that a record takes, its texts left out: they are as long here as there.
fn held(record: &Record) -> u64 {
    let of = |request: &RequestEvidence| {
        size_of::<RequestEvidence>() + request.events.len() * size_of::<Event>()
    };
    let telemetry = |telemetry: &Option<Telemetry>| telemetry.as_ref().map_or(0, Telemetry::held);
    let bytes = match record {
        Record::Header(_) => size_of::<Record>(),
        Record::Probes(probes) => size_of::<Record>() + telemetry(&probes.idle),
        Record::Prefill(sample) => {
            size_of::<PrefillEvidence>() + of(&sample.request) + telemetry(&sample.telemetry)
        }
        Record::Cell(cell) => {
            let streams: usize = cell.streams.iter().map(of).sum();
            let scrapes = cell.scrapes.len() * size_of::<Scrape>();
            size_of::<CellEvidence>() + streams + scrapes + telemetry(&cell.telemetry)
        }
    };
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Writes an evidence file record by record.
pub struct Writer<W: Write> {
    out: zstd::stream::write::Encoder<'static, W>,
}

impl<W: Write> Writer<W> {
    /// Starts a file with its header.
    pub fn start(out: W, run: &str, tool_version: &str) -> io::Result<Self> {
        let mut writer = Self {
            out: zstd::stream::write::Encoder::new(out, 3)?,
        };
        writer.append(&Record::Header(Header {
            format: evidence::FORMAT.to_owned(),
            run: run.to_owned(),
            tool_version: tool_version.to_owned(),
        }))?;
        Ok(writer)
    }

    /// Adds one record.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, record)?;
        self.out.write_all(b"\n")
    }

    /// Ends the file and gives its writer back.
    pub fn finish(self) -> io::Result<W> {
        self.out.finish()
    }
}

/// Reads a whole evidence file of at most `limit` unpacked bytes, in at most a small multiple of
/// them in memory.
pub fn read<R: Read>(input: R, limit: u64) -> Result<Vec<Record>, EvidenceError> {
    let unpacked = zstd::stream::read::Decoder::new(input)?;
    // One byte more than allowed, so that a file of exactly the limit passes.
    let mut lines = BufReader::new(unpacked.take(limit.saturating_add(1)));
    let (mut records, mut seen, mut line) = (Vec::new(), 0_u64, String::new());
    let mut memory = 0_u64;
    loop {
        line.clear();
        let got = lines.read_line(&mut line)?;
        if got == 0 {
            break;
        }
        seen = seen.saturating_add(u64::try_from(got).unwrap_or(u64::MAX));
        if seen > limit {
            return Err(EvidenceError::TooLarge { limit });
        }
        let record: Record = serde_json::from_str(&line).map_err(|source| EvidenceError::Line {
            line: records.len() + 1,
            source,
        })?;
        memory = memory.saturating_add(held(&record));
        if memory > limit.saturating_mul(MOST_MEMORY) {
            return Err(EvidenceError::Hollow { bytes: memory });
        }
        records.push(record);
    }
    match records.first() {
        Some(Record::Header(header)) if header.format == evidence::FORMAT => Ok(records),
        _ => Err(EvidenceError::Header),
    }
}

/// Events as two arrays: `dt`, each arrival less the one before (the first: since the run's
/// start), and `n`, the tokens of each, left out when no event has a count.
pub(crate) mod events {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::evidence::Event;

    #[derive(Serialize, Deserialize)]
    struct Packed {
        dt: Vec<u64>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        n: Vec<Option<u32>>,
    }

    pub(crate) fn serialize<S: Serializer>(events: &[Event], s: S) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        let dt = events
            .iter()
            .map(|event| {
                let delta = event.at_ns.saturating_sub(before);
                // A stamp that goes back (two sources of stamps) must not shift the later ones.
                before = before.max(event.at_ns);
                delta
            })
            .collect();
        let counted = events.iter().any(|event| event.tokens.is_some());
        let n = if counted {
            events.iter().map(|event| event.tokens).collect()
        } else {
            Vec::new()
        };
        Packed { dt, n }.serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Event>, D::Error> {
        let packed = Packed::deserialize(d)?;
        let mut at_ns = 0_u64;
        Ok(packed
            .dt
            .iter()
            .enumerate()
            .map(|(index, delta)| {
                at_ns = at_ns.saturating_add(*delta);
                Event {
                    at_ns,
                    tokens: packed.n.get(index).copied().flatten(),
                }
            })
            .collect())
    }
}

/// A list of a cell, which is refused when it has more entries than any cell: an empty entry takes
/// three bytes of the file and hundreds of memory.
pub(crate) mod bounded {
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

    /// Most entries. A thousand streams that restart thirty times a second for half a minute have
    /// as many requests.
    pub(super) const MOST: usize = 1 << 20;

    struct List<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST} entries")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = list.next_element()? {
                if entries.len() == MOST {
                    return Err(A::Error::invalid_length(MOST + 1, &self));
                }
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    pub(crate) fn deserialize<'de, D, T>(d: D) -> Result<Vec<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: Deserialize<'de>,
    {
        d.deserialize_seq(List(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_list_has_at_most_as_many_entries_as_a_cell() {
        let read = |count: usize| {
            let list = format!("[{}0]", "0,".repeat(count - 1));
            let mut text = serde_json::Deserializer::from_str(&list);
            bounded::deserialize::<_, u8>(&mut text).map(|entries| entries.len())
        };
        assert_eq!(read(3).unwrap(), 3);
        assert_eq!(read(bounded::MOST).unwrap(), bounded::MOST);
        let error = read(bounded::MOST + 1).unwrap_err().to_string();
        assert!(error.contains("at most 1048576 entries"), "{error}");
    }
}
