//! `tokmark run`.

use std::path::{Path, PathBuf};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokmark_bench::output::safe_name;
use tokmark_bench::{
    Declared, Facts, Journal, Keep, Outcome as Measured, OutputDir, Run, RunError, Session,
    Settings, Steering, Subject, assemble, tell_machine,
};
use tokmark_engines::CacheState;
use tokmark_run_format::evidence::Record;
use tokmark_run_format::plan::PrefillMode;
use tokmark_run_format::{DecodeCell, Note, RunDocument, write_document};
use tokmark_units::Timestamp;

use crate::args::RunArgs;
use crate::args::work::FactArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::load;
use crate::machine::{self, Machine};
use crate::reach::{Reached, reach};
use crate::resume::{Beginning, Found};
use crate::screen::{self, Looks, Title, View};
use crate::{agent, identity, resume, roofline, say, settings};

/// Measures a server.
pub(crate) async fn run(mut args: RunArgs, quiet: bool) -> Outcome {
    resume::untangle(&mut args);
    let settings = settings::settings(&args.plan)?;
    load::make_room(settings.requests.iter().copied().max().unwrap_or(0))?;
    let load = load::start().map_err(|e| Failure::new(Exit::Failed, e))?;
    let endpoint = settings::endpoint(&args.plan);
    let mut reached = reach(&args.server, endpoint, load, true).await?;
    let machine = Machine::of(&reached, &args.facts, &args.server.trust).await?;
    machine.teach(&mut reached);
    let model = roofline::model(&reached, &args.facts)?;
    reached.session.watch = machine::watch(&reached, &args.facts, &args.server.trust, &machine)?;
    let subject = Subject::of(&reached.session, &settings);
    let (beginning, mut output) = match begin(&args, subject, &reached.session, &machine)? {
        Start::Measure(beginning, output) => (beginning, output),
        Start::Finished(path) => return already_finished(&path, args.json, quiet),
    };
    if !quiet {
        introduce(&reached, &output, beginning.journal.as_deref());
    }
    if args.reset_cache {
        let note = reset_cache(&reached.session).await;
        if !quiet {
            say::progress(format!("note: {}", note.text));
        }
        reached.notes.push(note);
    }
    if let Some(said) = agent::said(&args.facts.agent) {
        say::progress(format!("warning: {said}"));
    }
    let stop = stop_on_interrupt();
    let looks = Looks {
        quiet,
        plain: args.plain,
        screen: Some(title(&reached.session, &settings, &machine)),
    };
    let goes_on = beginning.journal.is_some();
    let (id, started) = (beginning.id.clone(), beginning.started);
    let session = &reached.session;
    let outcome = match measure(session, &settings, beginning, &mut output, &stop, looks).await {
        Ok(outcome) => outcome,
        Err(error) => {
            // What an earlier call measured stays for the next one.
            if !goes_on {
                output.discard();
            }
            return Err(run_failure(error));
        }
    };
    let launch = machine.launch.clone();
    let facts = facts(id, started, machine, &args.facts);
    let mut document = assemble::document(&reached.session, &settings, &outcome, facts);
    document.launch = launch;
    let hardware = document.hardware.clone();
    roofline::add(&mut document, &hardware, model.as_ref());
    document.notes.extend(reached.notes);
    let path = save(&output, &mut document, &outcome)?;
    report(&document, &path, args.json, quiet)?;
    Ok(exit(&document, &stop))
}

/// Empties the prefix cache, and says whether that was done: documents of a run are its own, so that
/// a cache which stays as it is changes no number.
async fn reset_cache(session: &Session) -> Note {
    let text = match session.server.reset_cache(&session.control).await {
        Ok(CacheState::Emptied) => "the server's prefix cache was emptied before the run",
        Ok(CacheState::Busy) => "the server did not empty its prefix cache: requests run",
        Ok(CacheState::Unsupported) => {
            "the server's prefix cache was not emptied: it offers no way to do it"
        }
        Err(_) => "the server's prefix cache was not emptied: it did not answer",
    };
    Note {
        code: "reset_cache".to_owned(),
        text: text.to_owned(),
    }
}

/// Runs the matrix with progress shown beside it.
pub(crate) async fn measure(
    session: &Session,
    settings: &Settings,
    beginning: Beginning,
    keep: &mut dyn Keep,
    stop: &CancellationToken,
    looks: Looks,
) -> Result<Measured, RunError> {
    let (listener, events) = mpsc::unbounded_channel();
    let steering = Steering::default();
    let view = View::start(looks, session, events, stop, &steering);
    let mut run = Run::new(session, settings, &beginning.id, keep, &listener, stop);
    if let Some(journal) = beginning.journal {
        run = run.go_on(*journal);
    }
    let outcome = tokio::select! {
        outcome = run.steered_by(&steering).measure() => outcome,
        never = tell_machine(session, &listener), if view.is_screen() => match never {},
    };
    drop(listener);
    // The view ends with its channel.
    view.ended().await;
    outcome
}

/// What a call of `run` comes to.
enum Start {
    /// Something is left to measure.
    Measure(Beginning, OutputDir),
    /// `--resume` found a run that has nothing left to measure.
    Finished(PathBuf),
}

/// A new run, or with `--resume` the one to go on with.
fn begin(args: &RunArgs, subject: Subject, session: &Session, machine: &Machine) -> Outcome<Start> {
    let named = args.resume.as_ref().and_then(Option::as_deref);
    if args.resume.is_some() {
        match resume::find(args, &subject)? {
            Found::Unfinished(beginning, output) => {
                return Ok(Start::Measure(beginning, output));
            }
            Found::Finished(path) => return Ok(Start::Finished(path)),
            Found::Nothing(reasons) => {
                for reason in reasons {
                    say::progress(format!("note: {reason}"));
                }
                say::progress(match named {
                    Some(place) => format!(
                        "note: there is no unfinished run in `{}` to go on with; a new one begins there",
                        place.display()
                    ),
                    None => "note: there is no unfinished run to go on with; a new one begins"
                        .to_owned(),
                });
            }
        }
    }
    let beginning = Beginning::afresh();
    let asked = resume::folder(args);
    let mut output = output_dir(asked, session, machine, beginning.started)?;
    output
        .begin(&beginning.header(subject))
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Start::Measure(beginning, output))
}

fn already_finished(path: &Path, json: bool, quiet: bool) -> Outcome {
    let document = crate::runfile::read(path)?.document;
    if !quiet {
        say::progress(format!("this run is finished: {}", path.display()));
    }
    report(&document, path, json, quiet)?;
    Ok(Exit::Done)
}

/// What stands at the top of the screen.
fn title(session: &Session, settings: &Settings, machine: &Machine) -> Title {
    let engine = &session.server.engine;
    let version = engine.version.as_deref().unwrap_or_default();
    Title {
        model: session.model.served_name.clone(),
        engine: format!("{} {version}", engine.name).trim_end().to_owned(),
        hardware: machine.name(),
        prefill_only: settings.prefill == PrefillMode::Standalone,
    }
}

fn output_dir(
    asked: Option<&Path>,
    session: &Session,
    machine: &Machine,
    started: Timestamp,
) -> Outcome<OutputDir> {
    let name = format!(
        "{}-{}-{}",
        session.model.name,
        machine.name(),
        started.compact()
    );
    let dir = asked.map_or_else(
        || PathBuf::from(resume::RUNS).join(safe_name(&name)),
        Path::to_owned,
    );
    OutputDir::create(&dir, &name).map_err(|error| {
        Failure::new(Exit::Usage, error).hint("choose a folder that can be written with --output")
    })
}

fn introduce(reached: &Reached, output: &OutputDir, journal: Option<&Journal>) {
    let engine = &reached.session.server.engine;
    say::progress(format!(
        "{}: {} {}, model {}",
        reached.address.display(),
        engine.name,
        engine.version.as_deref().unwrap_or("(version unknown)"),
        reached.session.model.served_name
    ));
    for hint in [&reached.address.hint, &reached.said].into_iter().flatten() {
        say::progress(format!("note: {hint}"));
    }
    for note in reached.session.server.notes() {
        say::progress(format!("note: {note}"));
    }
    say::progress(format!("result: {}", output.document_path().display()));
    if let Some(journal) = journal {
        let cells = journal.records.iter();
        let cells = cells.filter(|record| matches!(record, Record::Cell(_)));
        say::progress(format!(
            "going on with the run of {}; cells on record: {}",
            journal.header.started_at,
            cells.count()
        ));
    }
}

/// The first Ctrl-C, or what asks a program to end, ends the run gracefully, the second one at once;
/// both keep what is measured.
fn stop_on_interrupt() -> CancellationToken {
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        if asked_to_end().await.is_err() {
            return;
        }
        say::progress("stopping; what is measured is kept (Ctrl-C again ends at once)");
        told.cancel();
        if asked_to_end().await.is_ok() {
            leave_now();
        }
    });
    stop
}

/// Ctrl-C, a signal to end, or a terminal that was closed.
async fn asked_to_end() -> std::io::Result<()> {
    let mut end = signal(SignalKind::terminate())?;
    let mut closed = signal(SignalKind::hangup())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = end.recv() => Ok(()),
        _ = closed.recv() => Ok(()),
    }
}

/// Ends the program with the terminal as it was.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "a second Ctrl-C asks for just this; the journal on disk has every finished cell"
)]
pub(crate) fn leave_now() {
    screen::restore();
    std::process::exit(130);
}

fn facts(id: String, started: Timestamp, machine: Machine, args: &FactArgs) -> Facts {
    Facts {
        id,
        tool: identity::tool(),
        started,
        finished: identity::now(),
        hardware: machine.hardware,
        launch_command: machine.launch_command,
        flags: machine.flags,
        note: args.note.clone(),
        declared: Declared {
            repository: args.repository.clone(),
            revision: args.revision.clone(),
            quantization: args.quantization.clone(),
            kv_type: args.kv_type.clone(),
            backend: args.backend.clone(),
            build: args.build.clone(),
        },
    }
}

/// Writes the result where it was asked for, or, when that fails, into the system's temporary
/// folder: a measurement of an hour is not lost to a full disk.
fn save(output: &OutputDir, document: &mut RunDocument, outcome: &Measured) -> Outcome<PathBuf> {
    let error = match output.finish(document, &outcome.records) {
        Ok(path) => return Ok(path),
        Err(error) => error,
    };
    let elsewhere = std::env::temp_dir().join(format!("tokmark-{}", document.id));
    let saved = OutputDir::create(&elsewhere, "run")
        .and_then(|other| other.finish(document, &outcome.records));
    if let Ok(path) = saved {
        Err(Failure::new(Exit::Failed, error).hint(format!(
            "the result was saved as {} instead",
            path.display()
        )))
    } else {
        // The last resort: the document itself, on stdout.
        if let Ok(text) = write_document(document) {
            say::raw(&text);
        }
        Err(Failure::new(Exit::Failed, error)
            .hint("the run document was printed to stdout; its evidence is lost"))
    }
}

fn report(document: &RunDocument, path: &Path, json: bool, quiet: bool) -> Outcome<()> {
    if json {
        let text = write_document(document).map_err(|e| Failure::new(Exit::Failed, e))?;
        say::raw(&text);
    } else if !quiet {
        let options = super::show::table(super::show::colours(), false);
        let table = tokmark_pages::text_table(document, options);
        say::raw(&table);
        say::progress(format!(
            "\nsaved {}\npage:  tokmark show {} --format html --output run.html",
            path.display(),
            tokmark_machine::quoted(&path.to_string_lossy())
        ));
    }
    Ok(())
}

fn exit(document: &RunDocument, stop: &CancellationToken) -> Exit {
    let incomplete = |cell: &DecodeCell| cell.status.is_incomplete();
    if stop.is_cancelled() {
        Exit::Interrupted
    } else if document.decode.iter().any(incomplete) {
        Exit::Partly
    } else {
        Exit::Done
    }
}

fn run_failure(error: RunError) -> Failure {
    let (exit, hint) = match &error {
        RunError::Stopped => (Exit::Interrupted, ""),
        RunError::Busy(_) => (
            Exit::Server,
            "measure when nobody else uses the server; numbers beside other people's load mean nothing",
        ),
        RunError::FirstRequest { http_status, .. } => (
            Exit::Server,
            match http_status {
                Some(401 | 403) => {
                    "give a key with --api-key-file FILE, --api-key or TOKMARK_API_KEY"
                }
                _ => "look at the server's log; `tokmark probe` shows what it says about itself",
            },
        ),
        RunError::Prompt(_) => (
            Exit::Server,
            "the server's token counts contradict each other; --endpoint completions may work",
        ),
    };
    Failure::new(exit, error).hint(hint)
}
