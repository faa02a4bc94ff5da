//! Columns that an older version did not have, made from the documents.

use tokmark_run_format::read_document;

use super::database::Value;
use super::write::{Counts, add_words, columns};
use super::{SqlStore, key};
use crate::derived::{self, Derived};
use crate::error::StoreError;
use crate::prepared::unpack;

/// Runs of one transaction.
const BATCH: i64 = 200;

/// In place of a version: the document is not there or cannot be read, and its page will say so.
const UNREADABLE: i64 = -1;

impl SqlStore {
    /// Fills the columns of rows that have none yet.
    pub(super) async fn derive_missing(&self) -> Result<(), StoreError> {
        let sql =
            "SELECT number, document_object FROM run WHERE derived = 0 ORDER BY number LIMIT $1";
        loop {
            let rows = self.database.rows(sql, vec![Value::whole(BATCH)]).await?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut found = Vec::new();
            for row in rows {
                let object = key(&row.some_text("document_object")?)?;
                let bytes = match self.objects.get(&object).await {
                    Err(StoreError::Damaged { .. }) => None,
                    bytes => bytes?,
                };
                let run = bytes
                    .and_then(unpack)
                    .and_then(|text| read_document(&text).ok());
                found.push((row.whole("number")?, run.map(|run| Derived::of(&run))));
            }
            self.fill(found).await?;
        }
    }

    async fn fill(&self, found: Vec<(i64, Option<Derived>)>) -> Result<(), StoreError> {
        let mut transaction = self.database.begin().await?;
        let mut counts = Counts::default();
        for (number, derived) in found {
            let Some(derived) = derived else {
                let sql = "UPDATE run SET derived = $2 WHERE number = $1 AND derived = 0";
                let values = vec![Value::whole(number), Value::whole(UNREADABLE)];
                transaction.change(sql, values).await?;
                continue;
            };
            let sql = "UPDATE run SET family = $3, class = $4, accelerators = $5, memory_tier = $6, \
                       submitter = $7, organization = $8, single_rate = $9, highest_rate = $10, \
                       derived = $2 WHERE number = $1 AND derived = 0";
            let mut values = vec![Value::whole(number), Value::whole(derived::VERSION)];
            values.extend(columns(&derived));
            // Another process may have been faster.
            if transaction.change(sql, values).await? == 1 {
                add_words(&mut transaction, number, &derived.words).await?;
                counts.add_run(&mut transaction, number, 1).await?;
            }
        }
        counts.write(&mut transaction).await?;
        transaction.commit().await
    }
}
