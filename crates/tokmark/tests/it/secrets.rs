//! Keys, headers and proxy passwords are nowhere: not on the screen, in logs, or in any file
//! (case B095).

use std::path::Path;

use tokmark_test_kit::Front;

use crate::gateway::{plain, proxy};
use crate::tokmark_with;

const KEY: &str = "tk-distinct-key-77";
const TENANT: &str = "tenant-distinct-42";
const PASSWORD: &str = "pw-distinct-99";
/// `me:pw-distinct-99`, as a proxy gets it.
const BASIC: &str = "bWU6cHctZGlzdGluY3QtOTk=";

/// Every byte of every file below a folder, evidence unpacked.
fn everything(dir: &Path, all: &mut Vec<u8>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            everything(&path, all);
            continue;
        }
        all.extend_from_slice(path.as_os_str().as_encoded_bytes());
        let bytes = std::fs::read(&path).unwrap();
        if path.to_string_lossy().ends_with(".zst") {
            let records = tokmark_run_format::wire::read(bytes.as_slice(), 1 << 30).unwrap();
            all.extend_from_slice(format!("{records:?}").as_bytes());
        }
        all.extend_from_slice(&bytes);
    }
}

#[test]
fn b095_nothing_that_a_run_says_or_writes_holds_a_key() {
    let server = plain(Front {
        echo: true,
        ..Front::default()
    });
    let (port, asked) = proxy(server);
    let dir = tempfile::tempdir().unwrap();
    let key_file = dir.path().join("key");
    std::fs::write(&key_file, format!("{KEY}\n")).unwrap();
    let results = dir.path().join("results");
    let url = "http://llm.invalid:8000";
    let through = format!("http://me:{PASSWORD}@127.0.0.1:{port}");
    let tenant = format!("X-Tenant: {TENANT}");
    let output = tokmark_with(
        &[("http_proxy", &through), ("TOKMARK_LOG", "trace")],
        &[
            "run",
            url,
            "-vv",
            "--api-key-file",
            key_file.to_str().unwrap(),
            "--header",
            &tenant,
            "--contexts",
            "0",
            "--requests",
            "1",
            "--duration",
            "1s",
            "--prefill",
            "off",
            "--json",
            "--output",
            results.to_str().unwrap(),
        ],
    );
    let sent = asked.lock().unwrap().concat();
    for part in [KEY, TENANT, BASIC] {
        assert!(sent.contains(part), "`{part}` was not even sent");
    }
    let mut all = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&all).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    let from = all.len();
    everything(&results, &mut all);
    let kept = String::from_utf8_lossy(&all[from..]);
    assert!(kept.contains("bad request"), "{said}");
    assert!(!kept.contains("llm.invalid"), "the server's name is kept");
    assert!(
        !kept.contains(&port.to_string()),
        "the proxy's address is kept"
    );
    let all = String::from_utf8_lossy(&all);
    // The server's words are there, and so is the place where they held the key.
    assert!(all.contains("bad request"), "{said}");
    assert!(all.contains("[redacted]"), "{said}");
    assert!(said.contains("DEBUG"), "{said}");
    for part in ["distinct", BASIC] {
        let place = all.find(part).map(|at| {
            all[at.saturating_sub(300)..]
                .chars()
                .take(500)
                .collect::<String>()
        });
        assert_eq!(place, None, "`{part}` is told");
    }
}
