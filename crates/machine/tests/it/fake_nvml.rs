//! Builds the library of `fixtures/nvml.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tokmark_machine::{Look, NvmlLibrary};

/// A built library. Its folder lives as long as it.
pub struct FakeNvml {
    _folder: TempDir,
    pub path: PathBuf,
}

impl FakeNvml {
    /// The library with switches, or `None`, said aloud, where nothing can compile it.
    pub fn build(switches: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libnvidia-ml.so.1");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nvml.c");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let built = Command::new(&compiler)
            .args(["-shared", "-fPIC", "-w", "-o"])
            .arg(&path)
            .args(switches.iter().map(|switch| format!("-D{switch}")))
            .arg(source)
            .output();
        match built {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{said}");
                Some(Self {
                    _folder: folder,
                    path,
                })
            }
            Err(error) => {
                println!("skipped: no C compiler `{compiler}` for the library's double: {error}");
                None
            }
        }
    }

    /// A look at a tree through this library.
    pub fn look<'a>(&self, root: &Path) -> Look<'a> {
        Look {
            nvml: NvmlLibrary::At(self.path.clone()),
            ..Look::at(root)
        }
    }
}
