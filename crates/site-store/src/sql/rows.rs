//! Rows as types.

use tokmark_run_format::CellStatus;
use tokmark_units::Timestamp;

use super::database::{Database, Row, Value};
use super::key;
use crate::accept::trust_of;
use crate::derived::class_of;
use crate::error::StoreError;
use crate::objects::ObjectKey;
use crate::run::{CellSummary, RunSummary};

/// The columns that [`summary`] reads.
pub(super) const COLUMNS: &str = "id, received_at, started_at, trust, model, hardware, class, engine, \
     engine_version, quantization, evidence_sha256, cells";

/// A run's row.
pub(super) struct RunRow {
    pub(super) summary: RunSummary,
    pub(super) document: ObjectKey,
    pub(super) object: ObjectKey,
}

/// The name of the document of a run, whoever may see it.
pub(super) async fn document(
    database: &Database,
    id: &str,
) -> Result<Option<ObjectKey>, StoreError> {
    let sql = "SELECT document_sha256 FROM run WHERE id = $1";
    let row = database.row(sql, vec![Value::text(id)]).await?;
    row.map(|row| key(&row.some_text("document_sha256")?))
        .transpose()
}

/// The name of a public run's evidence.
pub(super) async fn evidence(
    database: &Database,
    id: &str,
) -> Result<Option<ObjectKey>, StoreError> {
    let sql = "SELECT evidence_sha256 FROM run WHERE id = $1 AND visibility = 'public'";
    let Some(row) = database.row(sql, vec![Value::text(id)]).await? else {
        return Ok(None);
    };
    let name = row.text("evidence_sha256")?;
    name.map(|name| key(&name)).transpose()
}

/// A public run by its identity.
pub(super) async fn run(database: &Database, id: &str) -> Result<Option<RunRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, document_sha256, document_object FROM run \
         WHERE id = $1 AND visibility = 'public'"
    );
    let Some(row) = database.row(&sql, vec![Value::text(id)]).await? else {
        return Ok(None);
    };
    Ok(Some(RunRow {
        summary: summary(&row)?,
        document: key(&row.some_text("document_sha256")?)?,
        object: key(&row.some_text("document_object")?)?,
    }))
}

/// What a list shows of a run.
pub(super) fn summary(row: &Row) -> Result<RunSummary, StoreError> {
    let id = row.some_text("id")?;
    let received_at = Timestamp::from_unix_millis(row.whole("received_at")?);
    let trust = trust_of(&row.some_text("trust")?);
    let class = class_of(&row.some_text("class")?);
    let cells = cells(&row.some_text("cells")?);
    let damaged = || StoreError::Damaged {
        what: format!("row of run `{id}`"),
    };
    Ok(RunSummary {
        received_at: received_at.ok_or_else(damaged)?,
        started_at: row.text("started_at")?,
        trust: trust.ok_or_else(damaged)?,
        model: row.some_text("model")?,
        hardware: row.text("hardware")?,
        class: class.ok_or_else(damaged)?,
        engine: row.some_text("engine")?,
        engine_version: row.text("engine_version")?,
        quantization: row.text("quantization")?,
        has_evidence: row.text("evidence_sha256")?.is_some(),
        cells: cells.ok_or_else(damaged)?,
        id,
    })
}

fn cells(text: &str) -> Option<Vec<CellSummary>> {
    let cells: Vec<(u64, u32, String, Option<f64>)> = serde_json::from_str(text).ok()?;
    let cell = |(context, requests, word, total_tokens_per_s): (u64, u32, String, Option<f64>)| {
        let mut known = CellStatus::ALL.into_iter();
        Some(CellSummary {
            context,
            requests,
            status: known.find(|status| status.as_str() == word)?,
            total_tokens_per_s,
        })
    };
    cells.into_iter().map(cell).collect()
}
