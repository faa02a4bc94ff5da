//! `tokmark demo`: the whole road on this machine.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokmark_bench::{Declared, Facts, Keep, OutputDir, Session, Settings, Subject, assemble};
use tokmark_driver::LoadThreads;
use tokmark_run_format::hardware::{Accelerator, Hardware, MachineClass};
use tokmark_run_format::{RunDocument, write_document};
use tokmark_sim::Preset;
use tokmark_site_store::{NewRun, SqlStore, Store};
use tokmark_units::context::ContextEntry;
use tokmark_units::{Context, Timestamp};

use super::{run as run_command, serve, sim};
use crate::args::{DemoArgs, ServerArgs, StoreArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::load;
use crate::reach::reach;
use crate::resume::Beginning;
use crate::screen::Looks;
use crate::site_store::{self, Durability};
use crate::{identity, roofline, say};

/// An example page's machine: small enough a model for all of its prefills to take half a minute.
const PRESET: Preset = Preset::DeepseekR1Distill;
/// Where the site listens when that port is free.
const PORT: u16 = 7_878;

/// Measures a simulated server and serves the result.
pub(crate) async fn run(args: DemoArgs, quiet: bool) -> Outcome {
    let place = StoreArgs {
        data: args.data.clone(),
        database: None,
        objects: None,
    };
    let data = site_store::data_folder(&place)?;
    let store = site_store::open(&place, Durability::Durable).await?;
    let listener = site_listener(args.port).await?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let document = measure(&data, &store, quiet).await?;
    let page = format!("http://{address}/en/runs/{}", document.id);
    say::result(&page);
    if !quiet {
        say::progress("the site is served until Ctrl-C");
    }
    if !args.no_open
        && let Err(error) = open::that_detached(&page)
    {
        say::progress(format!(
            "no browser could be opened ({error}); the address is above"
        ));
    }
    serve::serve(listener, store, None).await
}

async fn measure(data: &Path, store: &Arc<SqlStore>, quiet: bool) -> Outcome<RunDocument> {
    let (stop, server) = simulated_server()?;
    let settings = settings();
    let load = load::start().map_err(|error| Failure::new(Exit::Failed, error))?;
    let session = session(server, &load).await?;
    if !quiet {
        say::progress("measuring a simulated RTX 3090 with a 14B model, about 80 seconds");
    }
    let looks = Looks {
        quiet,
        plain: false,
        screen: None,
    };
    let beginning = Beginning::afresh();
    let (id, started) = (beginning.id.clone(), beginning.started);
    let folder = data.join("runs").join(started.compact());
    let mut output = OutputDir::create(&folder, "demo")
        .map_err(|error| Failure::new(Exit::Usage, error).hint("choose a folder with --data"))?;
    output
        .begin(&beginning.header(Subject::of(&session, &settings)))
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let keep: &mut dyn Keep = &mut output;
    let outcome = run_command::measure(
        &session,
        &settings,
        beginning,
        keep,
        &CancellationToken::new(),
        looks,
    )
    .await
    .map_err(|error| Failure::new(Exit::Failed, error))?;
    let mut document = assemble::document(&session, &settings, &outcome, facts(id, started));
    roofline::add(&mut document, &stands_for(), None);
    let path = output
        .finish(&mut document, &outcome.records)
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    drop(stop);
    keep_in_store(store, &document, &path).await?;
    Ok(document)
}

/// A simulated server on a thread and a port of its own. It ends when the sender is dropped.
fn simulated_server() -> Outcome<(tokio::sync::oneshot::Sender<()>, SocketAddr)> {
    let failed = |error: std::io::Error| Failure::new(Exit::Failed, error);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    std::thread::Builder::new()
        .name("simulated server".to_owned())
        .spawn(move || runtime.block_on(serve_simulation(listener, stopped)))
        .map_err(failed)?;
    Ok((stop, address))
}

async fn serve_simulation(
    listener: std::net::TcpListener,
    stopped: tokio::sync::oneshot::Receiver<()>,
) {
    let mut config = PRESET.config();
    config.keep_truth = false;
    let Ok(server) = sim::start(config) else {
        return;
    };
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let ended = async {
        let _dropped = stopped.await;
    };
    if let Err(error) = server.serve(listener, ended).await {
        say::progress(format!("the simulated server ended: {error}"));
    }
}

async fn session(server: SocketAddr, load: &LoadThreads) -> Outcome<Session> {
    let args = ServerArgs::plain(server.to_string());
    let reached = reach(&args, settings().endpoint, load.clone(), true).await?;
    Ok(reached.session)
}

/// The small matrix of product.md section 4.
fn settings() -> Settings {
    let length = |k: u64| ContextEntry::Length(Context(k * 1_024));
    Settings {
        contexts: Some(vec![length(0), length(8), length(32)]),
        requests: vec![1, 4, 16],
        window: Duration::from_secs(3),
        settle: Duration::from_secs(1),
        prefill_samples: Some(1),
        ..Settings::default()
    }
}

/// The card whose speeds are simulated.
fn stands_for() -> Hardware {
    Hardware {
        class: MachineClass::DiscreteGpu,
        accelerators: vec![Accelerator {
            name: "RTX 3090".to_owned(),
            count: 1,
            memory_bytes: Some(24 << 30),
            ..Accelerator::default()
        }],
        ..Hardware::default()
    }
}

fn facts(id: String, started: Timestamp) -> Facts {
    Facts {
        id,
        tool: identity::tool(),
        started,
        finished: identity::now(),
        hardware: Hardware {
            class: MachineClass::Simulated,
            name: Some("simulated RTX 3090 24GB".to_owned()),
            accelerators: vec![Accelerator {
                name: "simulated RTX 3090".to_owned(),
                count: 1,
                memory_bytes: Some(24 << 30),
                memory_text: None,
                ..Accelerator::default()
            }],
            source: Some("simulated".to_owned()),
            ..Hardware::default()
        },
        launch_command: Some(format!("tokmark sim --preset {PRESET}")),
        flags: Vec::new(),
        note: Some(
            "A demonstration against tokmark's own simulated server: its speeds follow published \
             measurements of this card with its maker's limits taken off (gpu-unlock), but nothing \
             was measured on it."
                .to_owned(),
        ),
        declared: Declared {
            quantization: Some("AWQ".to_owned()),
            backend: Some("simulation".to_owned()),
            ..Declared::default()
        },
    }
}

async fn keep_in_store(store: &Arc<SqlStore>, document: &RunDocument, path: &Path) -> Outcome<()> {
    let text = write_document(document).map_err(|error| Failure::new(Exit::Failed, error))?;
    let evidence = document
        .evidence
        .as_ref()
        .map(|reference| std::fs::read(path.with_file_name(&reference.file)))
        .transpose()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let run = NewRun {
        document: text,
        evidence,
        received_at: identity::now(),
    };
    store
        .put_run(run)
        .await
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    Ok(())
}

/// The given port, or 7878, or a free one when that is taken.
async fn site_listener(port: Option<u16>) -> Outcome<TcpListener> {
    if let Some(port) = port {
        return sim::listen(port);
    }
    match TcpListener::bind(("127.0.0.1", PORT)).await {
        Ok(listener) => Ok(listener),
        Err(_) => sim::listen(0),
    }
}
