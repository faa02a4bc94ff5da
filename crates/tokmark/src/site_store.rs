//! The site's store, opened from what was typed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokmark_site_store::{FolderObjects, SqlStore, StoreError};

use crate::args::StoreArgs;
use crate::data;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// The SQLite file in the data folder.
const FILE: &str = "tokmark.sqlite";

/// Whether what is stored has to be on the disk before a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// It has.
    Durable,
    /// It can be made again.
    MadeAgain,
}

/// Opens the store.
pub(crate) async fn open(args: &StoreArgs, durability: Durability) -> Outcome<Arc<SqlStore>> {
    let objects = objects_folder(args)?;
    let folder = FolderObjects::open(objects.clone()).await;
    let mut folder = folder.map_err(|error| unusable("the folder of objects", &objects, error))?;
    if durability == Durability::MadeAgain {
        folder = folder.without_waiting();
    }
    let folder = Arc::new(folder);
    let store = if let Some(address) = &args.database {
        if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
            let message = "--database is not the address of a PostgreSQL database";
            return Err(Failure::saying(Exit::Usage, message)
                .hint("postgres://USER:PASSWORD@HOST/DATABASE; a SQLite file lies in --data"));
        }
        // Not the address in the message: it may hold a password.
        SqlStore::postgres(address, folder).await.map_err(|error| {
            let error = anyhow::Error::new(error).context("cannot use the PostgreSQL database");
            Failure::new(Exit::Failed, error).hint("check --database, and that the server runs")
        })?
    } else {
        let data = data_folder(args)?;
        std::fs::create_dir_all(&data).map_err(|error| {
            let context = format!("cannot create the data folder `{}`", data.display());
            Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
                .hint("choose another one with --data")
        })?;
        let path = data.join(FILE);
        let opened = SqlStore::sqlite(&path, folder).await;
        opened.map_err(|error| unusable("the database", &path, error))?
    };
    Ok(Arc::new(store))
}

/// The folder for everything that has no place of its own.
pub(crate) fn data_folder(args: &StoreArgs) -> Outcome<PathBuf> {
    args.data.clone().or_else(data::folder).ok_or_else(|| {
        Failure::saying(Exit::Usage, "there is no home folder to keep data in")
            .hint("name a folder with --data")
    })
}

fn objects_folder(args: &StoreArgs) -> Outcome<PathBuf> {
    let Some(named) = &args.objects else {
        return Ok(data_folder(args)?.join("objects"));
    };
    match named.split_once("://") {
        None => Ok(PathBuf::from(named)),
        Some(("file", path)) => Ok(PathBuf::from(path)),
        Some((scheme, _)) => {
            let message = format!("--objects: `{scheme}` storage cannot be used by this version");
            Err(Failure::saying(Exit::Usage, message).hint("name a folder"))
        }
    }
}

fn unusable(what: &str, path: &Path, error: StoreError) -> Failure {
    let context = format!("cannot open {what} `{}`", path.display());
    Failure::new(Exit::Failed, anyhow::Error::new(error).context(context))
        .hint("choose another folder with --data")
}
