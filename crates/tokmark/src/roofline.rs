//! The roofline's inputs of a run: its machine and its model, from what this program can find out.

use tokmark_catalog::Catalog;
use tokmark_machine::{LaunchPlaces, model_path};
use tokmark_measure::roofline::{self, FileModel, Subject};
use tokmark_run_format::{Hardware, RunDocument};

use crate::args::work::FactArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::model_files;
use crate::reach::Reached;

/// The model's files: those that were named, else those that the launch of a server on this machine
/// names. Named ones must be readable, so that nobody measures for an hour first; of the others a
/// reason is kept.
pub(crate) fn model(
    reached: &Reached,
    args: &FactArgs,
) -> Outcome<Option<Result<FileModel, String>>> {
    if let Some(path) = &args.model_files {
        return match model_files::read(path) {
            Ok(model) => Ok(Some(Ok(model))),
            Err(reason) => {
                let message = format!(
                    "`{}` is no model that can be read: {reason}",
                    path.display()
                );
                Err(Failure::saying(Exit::Usage, message).hint(
                    "--model-files takes a folder with `config.json`, or a GGUF file; without it \
                     the run has what the catalogue knows",
                ))
            }
        };
    }
    let launch = reached.launch.as_ref().filter(|_| reached.is_local);
    let path = launch.and_then(|launch| model_path(launch, &LaunchPlaces::default()));
    Ok(path.map(|path| model_files::read(&path)))
}

/// Puts the inputs and every share into a document. `hardware` is the machine that carries the model.
pub(crate) fn add(
    document: &mut RunDocument,
    hardware: &Hardware,
    files: Option<&Result<FileModel, String>>,
) {
    // Its tests rule out that the bundled catalogue cannot be read; a run is not lost over it.
    let Ok(catalog) = Catalog::bundled() else {
        return;
    };
    let subject = Subject {
        hardware,
        engine: &document.engine,
        model: &document.model,
        launch: document.launch.as_ref(),
        files,
    };
    document.roofline = Some(roofline::inputs(&subject, &catalog));
    roofline::fill(document);
}
