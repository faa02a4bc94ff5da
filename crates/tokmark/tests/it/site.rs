//! The site as a program: seeded, served, asked to end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::tokmark;

#[test]
fn a_seeded_site_is_served_and_ends_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let seed = ["-q", "site", "seed", "--runs", "40", "--data", data];
    for expect in [
        "40 simulated runs added, 0 were there already\n",
        "0 simulated runs added, 40 were there already\n",
    ] {
        let output = tokmark(&seed);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expect);
        assert!(output.status.success());
    }
    let mut site = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args(["-q", "serve", "--listen", "127.0.0.1:0", "--data", data])
        .env_remove("TOKMARK_DATABASE")
        .env_remove("TOKMARK_OBJECTS")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    let mut lines = BufReader::new(site.stdout.take().unwrap());
    lines.read_line(&mut address).unwrap();
    let host = address.trim().strip_prefix("http://").unwrap();
    let host = host.strip_suffix('/').unwrap().to_owned();

    let mut stream = TcpStream::connect(&host).unwrap();
    let ask = "GET /en/runs?q=simulated&class=simulated&order=single HTTP/1.1";
    write!(stream, "{ask}\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert_eq!(
        page.matches("<th scope=\"row\"><a href=\"/en/runs/")
            .count(),
        30
    );

    let id = nix::unistd::Pid::from_raw(i32::try_from(site.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(site.wait().unwrap().code(), Some(0));
}

#[test]
fn places_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for (option, value, expect) in [
        ("--objects", "s3://bucket", "`s3` storage cannot be used"),
        (
            "--database",
            "mysql://me:secret@host/x",
            "is not the address of a PostgreSQL database",
        ),
        ("--listen", "localhost", "invalid value 'localhost'"),
    ] {
        let output = tokmark(&["serve", "--data", data, option, value]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expect), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
