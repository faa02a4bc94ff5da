//! Where the files of settings are.

use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// Its name in a project, and in the folder of the user.
const NAME: &str = "tokmark.toml";

/// Whose settings a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Named by `--config` or `TOKMARK_CONFIG`; no other is read.
    Named,
    /// That of the nearest folder from here upward.
    Project,
    /// That of the person.
    User,
}

impl Kind {
    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A file that is read where it exists.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    pub(crate) is_there: bool,
}

/// The files, the strongest first. A named one has to exist; an empty name is none.
pub(crate) fn places(named: Option<&Path>) -> Outcome<Vec<Place>> {
    let home = home();
    if let Some(path) = named {
        if path.as_os_str().is_empty() {
            return Ok(Vec::new());
        }
        if !path.exists() {
            let text = format!("there is no file of settings `{}`", path.display());
            return Err(Failure::saying(Exit::Usage, text)
                .hint("`tokmark config path` says which files are read without --config"));
        }
        return Ok(vec![Place {
            kind: Kind::Named,
            path: path.to_owned(),
            is_there: true,
        }]);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let project = upward(&here, home.as_deref());
    let is_there = project
        .as_deref()
        .is_some_and(|path| ours(path, home.as_deref()));
    let project = Place {
        kind: Kind::Project,
        path: project.unwrap_or_else(|| here.join(NAME)),
        is_there,
    };
    let user = user_folder(home).map(|folder| folder.join("tokmark").join(NAME));
    let user = user.map(|path| Place {
        kind: Kind::User,
        is_there: path.exists(),
        path,
    });
    Ok([Some(project), user].into_iter().flatten().collect())
}

/// The nearest file from a folder upward; beyond the home folder nobody keeps projects.
fn upward(from: &Path, home: Option<&Path>) -> Option<PathBuf> {
    for folder in from.ancestors() {
        let path = folder.join(NAME);
        if path.exists() {
            return Some(path);
        }
        if Some(folder) == home {
            break;
        }
    }
    None
}

/// In a folder where everybody may write, somebody else could send our key elsewhere.
#[cfg(unix)]
fn ours(path: &Path, home: Option<&Path>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::metadata(path).map(|found| found.uid()).ok();
    let we = owner(Path::new("/proc/self")).or_else(|| owner(home?));
    let is_ours = match (owner(path), we) {
        (Some(0) | None, _) | (_, None) => true,
        (theirs, we) => theirs == we,
    };
    if !is_ours {
        say::progress(format!(
            "warning: `{}` belongs to another user and is left alone; to use it: --config {0}",
            path.display()
        ));
    }
    is_ours
}

#[cfg(not(unix))]
fn ours(_path: &Path, _home: Option<&Path>) -> bool {
    true
}

fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn home() -> Option<PathBuf> {
    set("HOME").or_else(|| set("USERPROFILE"))
}

fn user_folder(home: Option<PathBuf>) -> Option<PathBuf> {
    // What is not absolute is no folder by the rules of that variable.
    set("XDG_CONFIG_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("APPDATA"))
        .or_else(|| home.map(|home| home.join(".config")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_counts_and_none_above_the_home_folder() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let deep = home.join("project/part/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(root.path().join(NAME), "").unwrap();
        assert_eq!(upward(&deep, Some(&home)), None);
        assert_eq!(upward(&deep, None), Some(root.path().join(NAME)));
        let outer = home.join("project").join(NAME);
        std::fs::write(&outer, "").unwrap();
        assert_eq!(upward(&deep, Some(&home)), Some(outer));
        let inner = home.join("project/part").join(NAME);
        std::fs::write(&inner, "").unwrap();
        assert_eq!(upward(&deep, Some(&home)), Some(inner));
    }
}
