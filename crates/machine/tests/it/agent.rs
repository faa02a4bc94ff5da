use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokmark_machine::agent::{
    Agent, AgentAddress, AgentClient, AgentError, Dial, Dialing, Inventory, Io, RemoteSampler,
    Token, TokenError, serve,
};
use tokmark_machine::telemetry::{SamplerSettings, Sources};
use tokmark_machine::{LaunchPlaces, Look, Watch};
use tokmark_run_format::Telemetry;
use tokmark_units::Nanos;

use crate::telemetry::{Ramp, Stepped};
use crate::tree::Tree;

const TOKEN: &str = "0123456789abcdef0123";
const MS: u64 = 1_000_000;

fn token(text: &str) -> Token {
    Token::read(text).unwrap()
}

fn client(address: &str, secret: &str) -> AgentClient {
    AgentClient::plain(&AgentAddress::parse(address).unwrap(), token(secret))
}

/// An agent with three readings of the ramp at 0, 200 and 400 ms of its clock, which then says
/// 1,000 ms for ever.
struct Running {
    address: String,
    stepped: Stepped,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<io::Result<()>>,
    _tree: Tree,
}

/// What the files below a root tell.
fn inventory(root: &Path) -> Inventory {
    let root = root.to_owned();
    Arc::new(move |server| {
        let look = Look {
            server,
            ..Look::at(&root)
        };
        look.found()
    })
}

async fn running() -> Running {
    let sources = Sources::new(vec![Box::new(Ramp)]);
    let stepped = Stepped::start(sources, &SamplerSettings::default(), 0);
    for at in [200, 400] {
        stepped.wanted();
        stepped.step(at * MS);
    }
    stepped.wanted();
    let tree = Tree::new().file("proc/cpuinfo", "processor : 0\nmodel name : EPYC\n");
    let agent = Agent::new(
        token(TOKEN),
        inventory(tree.path()),
        &stepped.sampler,
        Arc::new(|| Nanos(1_000 * MS)),
        LaunchPlaces {
            proc_root: tree.path().to_owned(),
            engine_sockets: Vec::new(),
        },
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, told) = oneshot::channel();
    let ended = async {
        let _dropped = told.await;
    };
    let served = tokio::spawn(serve(listener, agent, ended));
    Running {
        address,
        stepped,
        stop,
        served,
        _tree: tree,
    }
}

/// The status and the body's beginning of a raw request.
async fn raw(address: &str, path: &str, authorization: Option<&str>) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let header = authorization.map(|value| format!("Authorization: {value}\r\n"));
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n{}\r\n",
        header.unwrap_or_default()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn nothing_is_told_without_the_token() {
    let agent = running().await;
    for path in [
        "/v1/inventory",
        "/v1/telemetry",
        "/v1/telemetry/stream",
        "/v1/launch?port=1",
        "/",
        "/x",
    ] {
        for given in [
            None,
            Some("Bearer "),
            Some("Bearer 0123456789abcdef012"),
            Some("Bearer 0123456789abcdef01234"),
            Some("Basic 0123456789abcdef0123"),
            Some(TOKEN),
        ] {
            let answer = raw(&agent.address, path, given).await;
            assert!(
                answer.starts_with("HTTP/1.1 401 "),
                "{path} {given:?}: {answer}"
            );
            assert!(
                !answer.contains("EPYC") && !answer.contains("dt"),
                "{answer}"
            );
        }
    }
    let right = raw(
        &agent.address,
        "/v1/inventory",
        Some(&format!("Bearer {TOKEN}")),
    )
    .await;
    assert!(
        right.starts_with("HTTP/1.1 200 ") && right.contains("EPYC"),
        "{right}"
    );
    let nothing = raw(&agent.address, "/x", Some(&format!("Bearer {TOKEN}"))).await;
    assert!(nothing.starts_with("HTTP/1.1 404 "), "{nothing}");
}

#[test]
fn tokens() {
    let check = |text: &str, expected: Option<TokenError>| {
        assert_eq!(Token::read(text).err(), expected, "{text}");
    };
    check("0123456789abcdef\n", None);
    check("0123456789abcde\n", Some(TokenError::Short));
    check("", Some(TokenError::Short));
    check("0123456789 abcdef", Some(TokenError::Characters));
    check("0123456789\u{e9}abcdef", Some(TokenError::Characters));
    assert_eq!(format!("{:?}", token(TOKEN)), "Token(***)");
}

fn times(telemetry: &Telemetry) -> Vec<u64> {
    let device = &telemetry.devices[0];
    device.samples().map(|sample| sample.at_ns / MS).collect()
}

#[tokio::test]
async fn inventory_telemetry_and_launch_over_the_wire() {
    let agent = running().await;
    let client = client(&format!("http://{}", agent.address), TOKEN);
    let hardware = client.inventory(None).await.unwrap();
    assert_eq!(hardware.source.as_deref(), Some("agent"));
    assert_eq!(hardware.cpu.as_deref(), Some("EPYC (1C)"));
    let all = client.telemetry(None).await.unwrap();
    assert_eq!(
        (all.now_ns, times(&all.telemetry)),
        (1_000 * MS, vec![0, 200, 400])
    );
    let some = client.telemetry(Some(200 * MS)).await.unwrap();
    assert_eq!(times(&some.telemetry), [400]);
    let launch = client.launch(8_000).await.unwrap();
    assert_eq!(launch.command, None);
    assert!(
        launch
            .unknown
            .unwrap()
            .contains("nothing listens on port 8000")
    );
    // A graceful end.
    agent.stop.send(()).unwrap();
    agent.served.await.unwrap().unwrap();
    assert_eq!(times(&agent.stepped.stop()), [0, 200, 400]);
}

#[tokio::test(start_paused = true)]
async fn the_stream_is_a_line_per_period() {
    let agent = running().await;
    let mut stream = TcpStream::connect(&agent.address).await.unwrap();
    let request = format!(
        "GET /v1/telemetry/stream?after=100000000 HTTP/1.1\r\nHost: agent\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut got = String::new();
    while got.matches("now_ns").count() < 2 {
        let mut bytes = [0; 4_096];
        let count = stream.read(&mut bytes).await.unwrap();
        assert!(count > 0, "{got}");
        got.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(got.contains("content-type: application/jsonl"), "{got}");
    let lines: Vec<&str> = got.lines().filter(|line| line.starts_with('{')).collect();
    assert!(lines[0].contains(r#""dt":[200000000,200000000]"#), "{got}");
    // What was told is not told again.
    assert!(lines[1].contains(r#""dt":[]"#), "{got}");
}

#[tokio::test]
async fn another_machines_readings_are_on_the_runs_clock() {
    let agent = running().await;
    let client = client(&agent.address, TOKEN);
    // The run's clock says 5,000 ms when the agent's says 1,000.
    let now = Arc::new(|| Nanos(5_000 * MS));
    let watch = Watch::remote(RemoteSampler::start(client, now));
    let found = watch.between(Nanos(4_100 * MS), Nanos(4_300 * MS)).await;
    assert_eq!(times(&found), [4_000, 4_200, 4_400]);
    let powers: Vec<_> = found.devices[0].samples().map(|s| s.power_mw).collect();
    assert_eq!(powers, [Some(0), Some(200), Some(400)]);
    assert_eq!(times(&watch.stop()), [4_000, 4_200, 4_400]);
}

#[tokio::test]
async fn what_an_agent_does_not_answer_is_a_reason() {
    let agent = running().await;
    let wrong = client(&agent.address, "another-token-0000");
    assert!(matches!(
        wrong.inventory(None).await,
        Err(AgentError::Token)
    ));
    let remote = RemoteSampler::start(wrong, Arc::new(|| Nanos(0)));
    let found = remote.between(Nanos(0), Nanos(1)).await;
    assert!(found.devices.is_empty());
    assert_eq!(
        found.unknown[0].reason,
        "the machine agent refused the token"
    );
    let error = AgentAddress::parse("ftp://box").unwrap_err();
    assert!(error.hint().contains("http://HOST:PORT"));
}

/// Something that answers, but is no agent.
struct Foreign(&'static str);

impl Dial for Foreign {
    fn dial(&self) -> Dialing<'_> {
        Box::pin(async {
            let (ours, mut theirs) = tokio::io::duplex(4_096);
            let answer = self.0;
            tokio::spawn(async move {
                let mut request = [0; 1_024];
                let _request = theirs.read(&mut request).await;
                let _written = theirs.write_all(answer.as_bytes()).await;
            });
            let ours: Box<dyn Io> = Box::new(ours);
            Ok(ours)
        })
    }
}

#[tokio::test]
async fn other_programs_are_told_from_agents() {
    let ask = |answer: &'static str| async move {
        let client =
            AgentClient::dialing(Arc::new(Foreign(answer)), "box".to_owned(), token(TOKEN));
        client.inventory(None).await.unwrap_err()
    };
    let page = ask("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>").await;
    assert!(matches!(page, AgentError::Foreign(_)), "{page:?}");
    let none = ask("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
    assert!(matches!(none, AgentError::Status(404)), "{none:?}");
    let cut = ask("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").await;
    assert!(matches!(cut, AgentError::Broken(_)), "{cut:?}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_nothing_is_slow() {
    struct Silent;
    impl Dial for Silent {
        fn dial(&self) -> Dialing<'_> {
            Box::pin(std::future::pending())
        }
    }
    let client = AgentClient::dialing(Arc::new(Silent), "box".to_owned(), token(TOKEN));
    let error = client.inventory(None).await.unwrap_err();
    assert!(matches!(error, AgentError::Slow), "{error:?}");
    assert!(error.to_string().contains("within 5 s"));
}
