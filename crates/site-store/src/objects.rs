//! Files named by the SHA-256 of their content.
//!
//! A folder today; the same four operations fit an S3-compatible service. An object never changes,
//! so writing one twice is harmless, and an object without a row is only waste.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::error::StoreError;

/// The name of an object: SHA-256, lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// The name of a content.
    pub fn of(bytes: &[u8]) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(bytes)))
    }

    /// A name that was stored before; `None` for a text that is none.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'a'..=b'f');
        (text.len() == 64 && text.bytes().all(plain)).then(|| Self(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A folder of objects.
#[derive(Debug, Clone)]
pub struct Objects {
    folder: Arc<PathBuf>,
}

/// Tells apart the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Objects {
    /// Opens a folder, which is created where it does not exist.
    pub async fn open(folder: PathBuf) -> Result<Self, StoreError> {
        let objects = Self {
            folder: Arc::new(folder),
        };
        let this = objects.clone();
        blocking(move || {
            fs::create_dir_all(this.folder.as_path()).map_err(|error| this.failed(error))
        })
        .await?;
        Ok(objects)
    }

    /// Writes an object; it is whole and on the disk when this returns.
    pub async fn put(&self, bytes: Vec<u8>) -> Result<ObjectKey, StoreError> {
        let this = self.clone();
        blocking(move || {
            let key = ObjectKey::of(&bytes);
            this.write(&key, &bytes)
                .map_err(|error| this.failed(error))?;
            Ok(key)
        })
        .await
    }

    /// Reads an object and checks it; `None` when there is none of this name.
    pub async fn get(&self, key: &ObjectKey) -> Result<Option<Vec<u8>>, StoreError> {
        let (this, key) = (self.clone(), key.clone());
        blocking(move || match fs::read(this.place(&key)) {
            Ok(bytes) if ObjectKey::of(&bytes) == key => Ok(Some(bytes)),
            Ok(_) => Err(StoreError::Damaged {
                what: format!("object `{}`", key.as_str()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(this.failed(error)),
        })
        .await
    }

    /// Folders of 256 keep a folder's list short.
    fn place(&self, key: &ObjectKey) -> PathBuf {
        let start = key.0.get(..2).unwrap_or_default();
        self.folder.join(start).join(&key.0)
    }

    /// Written under another name and renamed, so that a cut write is never taken for the object.
    fn write(&self, key: &ObjectKey, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(key);
        if place.exists() {
            return Ok(());
        }
        let folder = place.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = folder.join(format!("{}.{number}.part", std::process::id()));
        let mut file = fs::File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, &place)?;
        sync_folder(folder)
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Io {
            path: self.folder.display().to_string(),
            source,
        }
    }
}

/// The rename itself reaches the disk only with its folder.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Runs file work away from the threads that serve requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| StoreError::Closing)?
}
