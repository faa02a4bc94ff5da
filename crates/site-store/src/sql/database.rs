//! What the two databases have in common: text with `$1` placeholders in, rows out.
//!
//! The statements are plain text, and the conformance cases run every one of them on both databases.
//! Statements that are checked while the program is built would have to be written, and their
//! description kept, once for each database.

use sqlx::postgres::{PgPool, PgRow};
use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Postgres, Row as _, Sqlite};

use crate::error::StoreError;

/// A value of a placeholder.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(Option<String>),
    Whole(Option<i64>),
}

impl Value {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }

    pub(super) fn whole(number: i64) -> Self {
        Self::Whole(Some(number))
    }
}

/// A database.
#[derive(Debug, Clone)]
pub(super) enum Database {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// Changes that are made together or not at all.
pub(super) enum Transaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

/// A row of a result.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// Which database it is, where their languages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
}

/// Every statement is made of constants of this crate; what people sent is only ever a value.
macro_rules! bound {
    ($sql:expr, $values:expr) => {{
        let mut query = sqlx::query(AssertSqlSafe($sql.to_owned()));
        for value in $values {
            query = match value {
                Value::Text(text) => query.bind(text.map(without_nul)),
                Value::Whole(number) => query.bind(number),
            };
        }
        query
    }};
}

/// PostgreSQL keeps no NUL in a text; no database gets one, so that all of them answer alike.
fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}

impl Database {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Sqlite(_) => Kind::Sqlite,
            Self::Postgres(_) => Kind::Postgres,
        }
    }

    /// All rows of a question.
    pub(super) async fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        Ok(match self {
            Self::Sqlite(pool) => {
                let rows = bound!(sql, values).fetch_all(pool).await?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(pool) => {
                let rows = bound!(sql, values).fetch_all(pool).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    /// Its first row.
    pub(super) async fn row(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    pub(super) async fn begin(&self) -> Result<Transaction, StoreError> {
        Ok(match self {
            // Begun as a writer: a reader that becomes one may be refused at once.
            Self::Sqlite(pool) => Transaction::Sqlite(pool.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres(pool) => Transaction::Postgres(pool.begin().await?),
        })
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

impl Transaction {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Sqlite(_) => Kind::Sqlite,
            Self::Postgres(_) => Kind::Postgres,
        }
    }

    /// Changes rows; how many.
    pub(super) async fn change(
        &mut self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<u64, StoreError> {
        Ok(match self {
            Self::Sqlite(one) => {
                let done = bound!(sql, values).execute(&mut **one).await?;
                done.rows_affected()
            }
            Self::Postgres(one) => {
                let done = bound!(sql, values).execute(&mut **one).await?;
                done.rows_affected()
            }
        })
    }

    /// The first row of a question or of a change that returns one.
    pub(super) async fn row(
        &mut self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(match self {
            Self::Sqlite(one) => {
                let row = bound!(sql, values).fetch_optional(&mut **one).await?;
                row.map(Row::Sqlite)
            }
            Self::Postgres(one) => {
                let row = bound!(sql, values).fetch_optional(&mut **one).await?;
                row.map(Row::Postgres)
            }
        })
    }

    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(one) => one.commit().await?,
            Self::Postgres(one) => one.commit().await?,
        }
        Ok(())
    }
}

impl Row {
    /// A text that may be absent.
    pub(super) fn text(&self, column: &str) -> Result<Option<String>, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// A text that is always there.
    pub(super) fn some_text(&self, column: &str) -> Result<String, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// A whole number that is always there.
    pub(super) fn whole(&self, column: &str) -> Result<i64, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }
}
