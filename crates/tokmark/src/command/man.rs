//! `tokmark man`: manual pages of the definition that clap reads.

use clap::CommandFactory;

use crate::args::Cli;
use crate::args::config::ManArgs;
use crate::args::variables::with_variables;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

pub(crate) fn run(args: &ManArgs) -> Outcome {
    let command = with_variables(Cli::command());
    let Some(folder) = &args.output else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| Failure::new(Exit::Failed, error))?;
        say::raw(&String::from_utf8_lossy(&page));
        return Ok(Exit::Done);
    };
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Usage, error)
            .context(format!(
                "cannot write man pages into `{}`",
                folder.display()
            ))
            .hint("name a folder in which you may write: --output DIR")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    say::progress(format!("man pages are in `{}`", folder.display()));
    Ok(Exit::Done)
}
