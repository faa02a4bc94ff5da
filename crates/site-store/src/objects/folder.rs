//! Objects as files of a folder.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{ObjectKey, Objects};
use crate::StoreFuture;
use crate::error::StoreError;

/// A folder of objects.
#[derive(Debug, Clone)]
pub struct FolderObjects {
    folder: Arc<PathBuf>,
    durable: bool,
}

/// Tells apart the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl FolderObjects {
    /// Opens a folder, which is created where it does not exist.
    pub async fn open(folder: PathBuf) -> Result<Self, StoreError> {
        let objects = Self {
            folder: Arc::new(folder),
            durable: true,
        };
        let this = objects.clone();
        blocking(move || {
            fs::create_dir_all(this.folder.as_path()).map_err(|error| this.failed(error))
        })
        .await?;
        Ok(objects)
    }

    /// The same without waiting for the disk: for data that can be made again, since a power failure
    /// may leave files empty.
    #[must_use]
    pub fn without_waiting(self) -> Self {
        Self {
            durable: false,
            ..self
        }
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
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = folder.join(format!("{}.{number}.part", std::process::id()));
        let mut file = match fs::File::create(&part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder)?;
                if self.durable {
                    sync_folder(&self.folder)?;
                }
                fs::File::create(&part)?
            }
            created => created?,
        };
        file.write_all(bytes)?;
        if self.durable {
            file.sync_all()?;
        }
        fs::rename(&part, &place)?;
        if self.durable {
            sync_folder(folder)?;
        }
        Ok(())
    }

    fn read(&self, key: &ObjectKey) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(self.place(key)) {
            Ok(bytes) if ObjectKey::of(&bytes) == *key => Ok(Some(bytes)),
            Ok(_) => Err(StoreError::Damaged {
                what: format!("object `{}`", key.as_str()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn read_range(
        &self,
        key: &ObjectKey,
        range: &Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = fs::File::open(self.place(key))?;
            file.seek(SeekFrom::Start(range.start))?;
            let mut bytes = Vec::new();
            file.take(range.end.saturating_sub(range.start))
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Io {
            path: self.folder.display().to_string(),
            source,
        }
    }
}

impl Objects for FolderObjects {
    fn put(&self, contents: Vec<Vec<u8>>) -> StoreFuture<'_, Vec<ObjectKey>> {
        let this = self.clone();
        Box::pin(blocking(move || {
            let put = |bytes: Vec<u8>| {
                let key = ObjectKey::of(&bytes);
                this.write(&key, &bytes)
                    .map_err(|error| this.failed(error))?;
                Ok(key)
            };
            contents.into_iter().map(put).collect()
        }))
    }

    fn get<'a>(&'a self, key: &'a ObjectKey) -> StoreFuture<'a, Option<Vec<u8>>> {
        let (this, key) = (self.clone(), key.clone());
        Box::pin(blocking(move || this.read(&key)))
    }

    fn get_range<'a>(
        &'a self,
        key: &'a ObjectKey,
        range: Range<u64>,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        let (this, key) = (self.clone(), key.clone());
        Box::pin(blocking(move || this.read_range(&key, &range)))
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
