//! `tokmark verify`.

use serde_json::json;
use tokmark_measure::verify::{self, Difference};
use tokmark_run_format::Trust;

use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{runfile, say};

/// Differences shown at most; the count tells of the rest.
const SHOWN: usize = 20;

/// Recomputes every number of a run from its evidence.
pub(crate) fn run(args: &VerifyArgs) -> Outcome {
    let file = runfile::read(&args.file)?;
    let Some(records) = runfile::evidence(&file)? else {
        let why = match file.document.trust {
            Trust::Imported => "it was imported from another tool's file",
            _ => "the document names none",
        };
        return Err(Failure::saying(
            Exit::NotEnoughData,
            format!("`{}` has no evidence: {why}", file.path.display()),
        ));
    };
    let differences = verify::run(&file.document, &records);
    if args.json {
        let listed: Vec<_> = differences.iter().map(as_json).collect();
        say::result(json!({ "consistent": differences.is_empty(), "differences": listed }));
    } else {
        tell(&file, &differences);
    }
    Ok(if differences.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn tell(file: &runfile::RunFile, differences: &[Difference]) {
    let run = &file.document;
    if differences.is_empty() {
        say::result(format!(
            "{}: {} prefill rows and {} cells are what the evidence gives",
            file.path.display(),
            run.prefill.len(),
            run.decode.len()
        ));
        return;
    }
    let differ = match differences.len() {
        1 => "1 value differs".to_owned(),
        several => format!("{several} values differ"),
    };
    say::result(format!(
        "{}: {differ} from what the evidence gives",
        file.path.display()
    ));
    for difference in differences.iter().take(SHOWN) {
        say::result(format!("  {difference}"));
    }
    if differences.len() > SHOWN {
        say::result(format!("  and {} more", differences.len() - SHOWN));
    }
}

fn as_json(difference: &Difference) -> serde_json::Value {
    json!({
        "path": difference.path,
        "document": difference.document,
        "evidence": difference.evidence,
    })
}
