//! Calibrations that `calc` uses: a person's own, and those that come with the program.

use std::path::{Path, PathBuf};

use tokmark_calculator::fit::Calibration;
use tokmark_calculator::{Family, stored};

use crate::data;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

const FILE: &str = "calibrations.json";

/// All that are known; a person's own come before those of the program.
pub(crate) struct Known {
    pub(crate) all: Vec<Calibration>,
    own: usize,
}

impl Known {
    /// Reads both.
    pub(crate) fn read() -> Outcome<Self> {
        let mut all = match data::folder() {
            Some(folder) => own(&folder.join(FILE))?,
            None => Vec::new(),
        };
        let own = all.len();
        all.extend(stored::bundled().map_err(|error| Failure::new(Exit::Failed, error))?);
        Ok(Self { all, own })
    }

    /// Whether the family's calibration is a person's own.
    pub(crate) fn is_own(&self, family: &Family) -> bool {
        let place = self.all.iter().position(|one| one.family == *family);
        place.is_some_and(|place| place < self.own)
    }
}

fn own(path: &Path) -> Outcome<Vec<Calibration>> {
    let unusable = |error: anyhow::Error| {
        let context = format!("your calibrations in `{}` cannot be used", path.display());
        Failure::new(Exit::Usage, error.context(context))
            .hint("fit again with `tokmark calc fit RUN... --save`, or remove the file")
    };
    match std::fs::read_to_string(path) {
        Ok(text) => stored::read(&text).map_err(|error| unusable(error.into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unusable(error.into())),
    }
}

/// Keeps calibrations among a person's own; those of the same families are replaced.
pub(crate) fn save(new: &[Calibration]) -> Outcome<PathBuf> {
    let folder = data::folder().ok_or_else(|| {
        Failure::saying(Exit::Usage, "there is no home folder to keep data in")
            .hint("name a folder with TOKMARK_DATA")
    })?;
    let path = folder.join(FILE);
    let mut all = if path.exists() {
        own(&path)?
    } else {
        Vec::new()
    };
    all.retain(|old| new.iter().all(|one| one.family != old.family));
    all.extend(new.iter().cloned());
    std::fs::create_dir_all(&folder).map_err(|error| {
        let context = format!("cannot create the data folder `{}`", folder.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })?;
    write(&path, &all)?;
    Ok(path)
}

/// Writes calibrations to a file.
pub(crate) fn write(path: &Path, calibrations: &[Calibration]) -> Outcome<()> {
    let text = stored::write(calibrations).map_err(|error| Failure::new(Exit::Failed, error))?;
    tokmark_bench::output::write_whole(path, text.as_bytes())
        .map_err(|error| Failure::new(Exit::Usage, error))
}
