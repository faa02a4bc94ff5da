//! Objects: contents that never change, named by their SHA-256.
//!
//! [`Objects`] asks no more than a folder and an S3-compatible service both can do. Since an object
//! is its name's content, writing one twice is harmless, and an object without a row is only waste.

mod folder;

use std::ops::Range;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::StoreFuture;

pub use folder::FolderObjects;

/// The name of an object: SHA-256, lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// A place for objects.
pub trait Objects: std::fmt::Debug + Send + Sync {
    /// Writes the contents that are not there yet; each is whole and durable when this returns.
    fn put(&self, contents: Vec<Vec<u8>>) -> StoreFuture<'_, Vec<ObjectKey>>;

    /// Reads an object and checks it; `None` when there is none of this name.
    fn get<'a>(&'a self, key: &'a ObjectKey) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Reads a part of an object, without the check that only a whole one allows. A range that ends
    /// behind the object ends with it.
    fn get_range<'a>(
        &'a self,
        key: &'a ObjectKey,
        range: Range<u64>,
    ) -> StoreFuture<'a, Option<Vec<u8>>>;
}
