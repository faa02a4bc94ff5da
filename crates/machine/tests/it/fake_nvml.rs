//! Builds the makers' libraries of `fixtures/*.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tokmark_machine::{ComputeApi, ComputeLibrary, Look, NvmlLibrary};

/// The library of a source with switches in a folder of its own, or `None`, said aloud, where nothing
/// can compile it.
fn build(source: &str, file: &str, switches: &[&str]) -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(source);
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
            Some((folder, path))
        }
        Err(error) => {
            println!("skipped: no C compiler `{compiler}` for the library's double: {error}");
            None
        }
    }
}

/// A built management library. Its folder lives as long as it.
pub struct FakeNvml {
    _folder: TempDir,
    pub path: PathBuf,
}

impl FakeNvml {
    pub fn build(switches: &[&str]) -> Option<Self> {
        let (folder, path) = build("nvml.c", "libnvidia-ml.so.1", switches)?;
        Some(Self {
            _folder: folder,
            path,
        })
    }

    /// A look at a tree through this library.
    pub fn look<'a>(&self, root: &Path) -> Look<'a> {
        Look {
            nvml: NvmlLibrary::At(self.path.clone()),
            ..Look::at(root)
        }
    }
}

/// A built compute library.
pub struct FakeCompute {
    _folder: TempDir,
    pub library: ComputeLibrary,
}

impl FakeCompute {
    pub fn build(api: ComputeApi, switches: &[&str]) -> Option<Self> {
        let (file, own) = match api {
            ComputeApi::Cuda => ("libcuda.so.1", "CUDA"),
            ComputeApi::Hip => ("libamdhip64.so.6", "HIP"),
        };
        let switches: Vec<&str> = switches.iter().copied().chain([own]).collect();
        let (folder, path) = build("compute.c", file, &switches)?;
        Some(Self {
            _folder: folder,
            library: ComputeLibrary {
                api,
                files: vec![path],
            },
        })
    }
}
