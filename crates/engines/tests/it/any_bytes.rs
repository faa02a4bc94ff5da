//! What holds for any metrics text and for anything typed as an address.
//!
//! The fuzz targets `metrics` and `address` include this file and look for bytes that break it; the
//! tests of `corpus` take those that are kept.

use tokmark_engines::{Address, Exposition, Sample};

/// A metrics text is the sum of its lines, and every sample can be written and read again.
pub(crate) fn metrics(body: &[u8]) {
    let Ok(read) = Exposition::parse(body) else {
        return;
    };
    assert!(read.malformed.len() <= read.malformed_lines);
    assert_eq!(read.complaint().is_some(), read.malformed_lines > 0);
    let text = std::str::from_utf8(body).unwrap();
    let lines: Vec<Exposition> = text
        .split_inclusive('\n')
        .filter_map(|line| Exposition::parse(line.as_bytes()).ok())
        .collect();
    let samples: Vec<&Sample> = lines.iter().flat_map(|line| &line.samples).collect();
    assert_same(&read.samples.iter().collect::<Vec<_>>(), &samples);
    for sample in &read.samples {
        let again = Exposition::parse(written(sample).as_bytes()).unwrap();
        assert_same(&[sample], &again.samples.iter().collect::<Vec<_>>());
    }
}

/// Not a number is no number's equal, so the bits are compared.
#[track_caller]
fn assert_same(found: &[&Sample], expect: &[&Sample]) {
    let plain = |samples: &[&Sample]| -> Vec<_> {
        let plain = |s: &&Sample| (s.name.clone(), s.labels.clone(), s.value.to_string());
        samples.iter().map(plain).collect()
    };
    assert_eq!(plain(found), plain(expect));
}

/// A sample in the text format.
fn written(sample: &Sample) -> String {
    let labels: Vec<String> = sample
        .labels
        .iter()
        .map(|(name, value)| {
            let value = value.replace('\\', "\\\\");
            let value = value.replace('"', "\\\"").replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        })
        .collect();
    format!("{}{{{}}} {}\n", sample.name, labels.join(","), sample.value)
}

/// A secret that must not come back in any message.
const SECRET: &str = "s3same";

/// An address is understood or refused in words; what is understood is shown in a form that is
/// understood alike, and a secret in it is never repeated.
pub(crate) fn address(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    match Address::parse(&text) {
        Ok(address) => {
            assert!(!address.host.is_empty(), "{address:?}");
            assert_ne!(address.port, 0, "{address:?}");
            assert!(!address.path_prefix.ends_with('/'), "{address:?}");
            let shown = address.display();
            let again = Address::parse(&shown).unwrap();
            let place = |a: &Address| (a.scheme, a.host.clone(), a.port, a.path_prefix.clone());
            assert_eq!(place(&again), place(&address), "{shown}");
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
    }
    let with_secret = [
        format!("http://user:{SECRET}@{text}"),
        format!("{SECRET}@{text}"),
        format!("https://{SECRET}:@{text}"),
        format!("http://{SECRET}/{SECRET}@{text}"),
    ];
    for given in with_secret {
        // An `@` inside a path is part of a path, and the path is understood.
        let Err(error) = Address::parse(&given) else {
            continue;
        };
        let said = format!("{error} {}", error.hint());
        // What follows the last `@` may repeat the word by chance.
        assert!(
            text.contains(SECRET) || !said.contains(SECRET),
            "{given}: {said}"
        );
    }
}
