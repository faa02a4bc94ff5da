//! What holds for any evidence file.
//!
//! The fuzz target `evidence` includes this file and looks for bytes that break it; the tests of
//! `corpus` take those that are kept. The first byte of an input chooses: even, and the rest is the
//! file; odd, and the rest is what the file unpacks to.

use tokmark_run_format::evidence::Record;
use tokmark_run_format::wire::{self, EvidenceError, Writer};

/// The most that a file may unpack to here.
const LIMIT: u64 = 1 << 16;

/// A file is read or refused, within its limit; what was read can be written and read again; and a
/// file that was cut is never taken for a whole one.
pub(crate) fn evidence(input: &[u8]) {
    let Some((choice, rest)) = input.split_first() else {
        return;
    };
    let file = if choice & 1 == 0 {
        rest.to_vec()
    } else {
        zstd::encode_all(rest, 1).unwrap()
    };
    match wire::read(file.as_slice(), LIMIT) {
        Ok(records) => read_again(&records),
        Err(EvidenceError::TooLarge { limit }) => assert_eq!(limit, LIMIT),
        Err(_) => return,
    }
    if choice & 1 == 1 {
        let end = usize::from(choice >> 1) * file.len() / 128;
        let cut = file.get(..end).unwrap();
        assert!(
            wire::read(cut, LIMIT).is_err(),
            "{end} of {} bytes",
            file.len()
        );
    }
}

fn read_again(records: &[Record]) {
    let Some((Record::Header(header), others)) = records.split_first() else {
        panic!("a file without a header was read");
    };
    let mut writer = Writer::start(Vec::new(), &header.run, &header.tool_version).unwrap();
    for record in others {
        writer.append(record).unwrap();
    }
    let file = writer.finish().unwrap();
    let again = wire::read(file.as_slice(), u64::MAX).unwrap();
    assert_eq!(again, records);
}
