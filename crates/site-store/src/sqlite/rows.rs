//! The queries, and rows as types.

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};
use tokmark_run_format::{CellStatus, RunDocument};
use tokmark_units::Timestamp;

use crate::accept::{Accepted, trust_of, trust_word};
use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::objects::ObjectKey;
use crate::run::{CellSummary, RunSummary};

/// A run's row.
pub(super) struct RunRow {
    pub(super) summary: RunSummary,
    pub(super) document: ObjectKey,
}

/// The name of a run's document.
pub(super) async fn document_key(
    pool: &SqlitePool,
    id: &str,
) -> Result<Option<ObjectKey>, StoreError> {
    let row = sqlx::query("SELECT document_sha256 FROM run WHERE id = ?1")
        .bind(id)
        .fetch_optional(pool)
        .await?;
    row.map(|row| key(&row, "document_sha256")).transpose()
}

/// The name of a run's evidence.
pub(super) async fn evidence_key(
    pool: &SqlitePool,
    id: &str,
) -> Result<Option<ObjectKey>, StoreError> {
    let row = sqlx::query(
        "SELECT evidence_sha256 FROM run WHERE id = ?1 AND evidence_sha256 IS NOT NULL",
    )
    .bind(id)
    .fetch_optional(pool)
    .await?;
    row.map(|row| key(&row, "evidence_sha256")).transpose()
}

/// A run by its identity.
pub(super) async fn run(pool: &SqlitePool, id: &str) -> Result<Option<RunRow>, StoreError> {
    let row = sqlx::query("SELECT * FROM run WHERE id = ?1")
        .bind(id)
        .fetch_optional(pool)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let mut summaries = vec![summary(&row)?];
    add_cells(pool, &mut summaries).await?;
    let document = key(&row, "document_sha256")?;
    Ok(summaries.pop().map(|summary| RunRow { summary, document }))
}

/// The newest runs behind a place.
pub(super) async fn newest(
    pool: &SqlitePool,
    after: Option<&Cursor>,
    limit: u32,
) -> Result<Vec<RunSummary>, StoreError> {
    let query = match after {
        None => {
            sqlx::query("SELECT * FROM run ORDER BY received_at DESC, id DESC LIMIT ?1").bind(limit)
        }
        Some(cursor) => sqlx::query(
            "SELECT * FROM run WHERE (received_at, id) < (?2, ?3) \
             ORDER BY received_at DESC, id DESC LIMIT ?1",
        )
        .bind(limit)
        .bind(cursor.received_at_ms)
        .bind(cursor.id.clone()),
    };
    let rows = query.fetch_all(pool).await?;
    let mut summaries = rows.iter().map(summary).collect::<Result<Vec<_>, _>>()?;
    add_cells(pool, &mut summaries).await?;
    Ok(summaries)
}

/// Adds a run; `false` when its identity is taken.
pub(super) async fn insert_run(
    connection: &mut SqliteConnection,
    accepted: &Accepted,
    received_at: Timestamp,
    document: &ObjectKey,
    evidence: Option<&ObjectKey>,
) -> Result<bool, StoreError> {
    let run = &accepted.document;
    let done = sqlx::query(
        "INSERT INTO run (id, received_at, started_at, trust, model, hardware, engine, \
         engine_version, quantization, document_sha256, evidence_sha256) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (id) DO NOTHING",
    )
    .bind(&run.id)
    .bind(received_at.as_unix_millis())
    .bind(&run.started_at)
    .bind(trust_word(accepted.trust))
    .bind(&run.model.name)
    .bind(&run.hardware.name)
    .bind(&run.engine.name)
    .bind(&run.engine.version)
    .bind(&run.engine.quantization)
    .bind(document.as_str())
    .bind(evidence.map(ObjectKey::as_str))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds the cells of a run.
pub(super) async fn insert_cells(
    connection: &mut SqliteConnection,
    run: &RunDocument,
) -> Result<(), StoreError> {
    for cell in &run.decode {
        // SQLite's whole numbers are signed; no context comes near their end.
        let context = i64::try_from(cell.context).unwrap_or(i64::MAX);
        sqlx::query(
            "INSERT INTO cell (run_id, context, requests, status, total_tokens_per_s) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .bind(&run.id)
        .bind(context)
        .bind(i64::from(cell.requests))
        .bind(cell.status.as_str())
        .bind(cell.total_tokens_per_s)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The cells of several runs in one query.
async fn add_cells(pool: &SqlitePool, runs: &mut [RunSummary]) -> Result<(), StoreError> {
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    let ids = serde_json::Value::from(ids).to_string();
    let rows = sqlx::query(
        "SELECT run_id, context, requests, status, total_tokens_per_s FROM cell \
         WHERE run_id IN (SELECT value FROM json_each(?1)) ORDER BY run_id, context, requests",
    )
    .bind(ids)
    .fetch_all(pool)
    .await?;
    for row in &rows {
        let id: &str = row.try_get("run_id")?;
        if let Some(run) = runs.iter_mut().find(|run| run.id == id) {
            run.cells.push(cell(row)?);
        }
    }
    Ok(())
}

fn summary(row: &SqliteRow) -> Result<RunSummary, StoreError> {
    let id: String = row.try_get("id")?;
    let received_at = Timestamp::from_unix_millis(row.try_get("received_at")?);
    let trust = trust_of(row.try_get("trust")?);
    let damaged = || StoreError::Damaged {
        what: format!("row of run `{id}`"),
    };
    Ok(RunSummary {
        received_at: received_at.ok_or_else(damaged)?,
        started_at: row.try_get("started_at")?,
        trust: trust.ok_or_else(damaged)?,
        model: row.try_get("model")?,
        hardware: row.try_get("hardware")?,
        engine: row.try_get("engine")?,
        engine_version: row.try_get("engine_version")?,
        quantization: row.try_get("quantization")?,
        has_evidence: row.try_get::<Option<&str>, _>("evidence_sha256")?.is_some(),
        cells: Vec::new(),
        id,
    })
}

fn cell(row: &SqliteRow) -> Result<CellSummary, StoreError> {
    let word: &str = row.try_get("status")?;
    let status = CellStatus::ALL
        .into_iter()
        .find(|status| status.as_str() == word);
    let context: i64 = row.try_get("context")?;
    let damaged = || StoreError::Damaged {
        what: "row of a cell".to_owned(),
    };
    Ok(CellSummary {
        context: u64::try_from(context).map_err(|_| damaged())?,
        requests: row.try_get("requests")?,
        status: status.ok_or_else(damaged)?,
        total_tokens_per_s: row.try_get("total_tokens_per_s")?,
    })
}

fn key(row: &SqliteRow, column: &str) -> Result<ObjectKey, StoreError> {
    ObjectKey::parse(row.try_get(column)?).ok_or_else(|| StoreError::Damaged {
        what: "name of an object".to_owned(),
    })
}
