//! Adding runs and changing who may see them.

use std::collections::BTreeMap;

use tokmark_run_format::RunDocument;

use super::database::{Database, Kind, Row, Transaction, Value};
use super::key;
use crate::accept::trust_word;
use crate::derived::{self, Derived};
use crate::error::StoreError;
use crate::filter::{ChoiceField, Visibility};
use crate::objects::{ObjectKey, Objects};
use crate::prepared::PreparedRun;
use crate::run::PutOutcome;

const INSERT: &str = "INSERT INTO run (id, received_at, started_at, trust, model, hardware, engine, \
     engine_version, quantization, family, class, accelerators, memory_tier, submitter, organization, \
     single_rate, highest_rate, cells, document_sha256, document_object, evidence_sha256, derived) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
     $20, $21, $22) ON CONFLICT (id) DO NOTHING RETURNING number";

/// The columns that choices are counted from.
const COUNTED: &str = "SELECT model, hardware, class, CAST(memory_tier AS TEXT) AS memory, engine, quantization, trust \
     FROM run WHERE number = $1";

/// How many runs more or fewer have a value. Sorted, so that writers who meet take locks in the same
/// order.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<(ChoiceField, String), i64>);

/// What an identity that is taken means for a document.
pub(super) fn known(
    id: String,
    known: &ObjectKey,
    document: &ObjectKey,
) -> Result<PutOutcome, StoreError> {
    if known == document {
        Ok(PutOutcome::Existed(id))
    } else {
        Err(StoreError::Conflict { id })
    }
}

/// Writes the objects, then all rows in one transaction.
pub(super) async fn put(
    database: &Database,
    objects: &dyn Objects,
    mut runs: Vec<PreparedRun>,
) -> Result<Vec<PutOutcome>, StoreError> {
    let mut contents = Vec::new();
    for run in &mut runs {
        contents.push(std::mem::take(&mut run.packed));
        contents.extend(run.evidence.take());
    }
    let mut keys = objects.put(contents).await?.into_iter();
    let mut transaction = database.begin().await?;
    let mut counts = Counts::default();
    let mut outcomes = Vec::new();
    for run in &runs {
        // One object for the document, and one for evidence, which the document's check asked for.
        let object = keys.next().ok_or(StoreError::Closing)?;
        let evidence = run.has_evidence.then(|| keys.next()).flatten();
        let inserted = insert(&mut transaction, run, &object, evidence.as_ref()).await?;
        let id = run.accepted.document.id.clone();
        outcomes.push(match inserted {
            Some(number) => {
                add_words(&mut transaction, number, &run.derived.words).await?;
                counts.add_run(&mut transaction, number, 1).await?;
                PutOutcome::Created(id)
            }
            // Somebody put the same identity since the first look.
            None => taken(&mut transaction, id, &run.document).await?,
        });
    }
    counts.write(&mut transaction).await?;
    transaction.commit().await?;
    Ok(outcomes)
}

async fn taken(
    transaction: &mut Transaction,
    id: String,
    document: &ObjectKey,
) -> Result<PutOutcome, StoreError> {
    let sql = "SELECT document_sha256 FROM run WHERE id = $1";
    let row = transaction.row(sql, vec![Value::text(&id)]).await?;
    let Some(row) = row else {
        return Err(StoreError::Conflict { id });
    };
    known(id, &key(&row.some_text("document_sha256")?)?, document)
}

async fn insert(
    transaction: &mut Transaction,
    new: &PreparedRun,
    object: &ObjectKey,
    evidence: Option<&ObjectKey>,
) -> Result<Option<i64>, StoreError> {
    let (run, derived) = (&new.accepted.document, &new.derived);
    let mut values = vec![
        Value::text(&run.id),
        Value::whole(new.received_at.as_unix_millis()),
        Value::Text(run.started_at.clone()),
        Value::text(trust_word(new.accepted.trust)),
        Value::text(&run.model.name),
        Value::Text(run.hardware.name.clone()),
        Value::text(&run.engine.name),
        Value::Text(run.engine.version.clone()),
        Value::Text(run.engine.quantization.clone()),
    ];
    values.extend(columns(derived));
    values.extend([
        Value::Text(Some(cells(run)?)),
        Value::text(new.document.as_str()),
        Value::text(object.as_str()),
        Value::Text(evidence.map(|key| key.as_str().to_owned())),
        Value::whole(derived::VERSION),
    ]);
    let row = transaction.row(INSERT, values).await?;
    row.map(|row| row.whole("number")).transpose()
}

/// The columns from `family` to `highest_rate`.
pub(super) fn columns(derived: &Derived) -> [Value; 8] {
    [
        Value::Text(derived.family.clone()),
        Value::text(derived.class),
        Value::Whole(derived.accelerators),
        Value::Whole(derived.memory_tier),
        Value::Text(derived.submitter.clone()),
        Value::Text(derived.organization.clone()),
        Value::Whole(derived.single_rate),
        Value::Whole(derived.highest_rate),
    ]
}

/// The cells of a list's picture.
pub(super) fn cells(run: &RunDocument) -> Result<String, StoreError> {
    let mut cells: Vec<_> = run.decode.iter().collect();
    cells.sort_unstable_by_key(|cell| (cell.context, cell.requests));
    let cells = cells.iter().map(|cell| {
        let status = cell.status.as_str();
        (cell.context, cell.requests, status, cell.total_tokens_per_s)
    });
    Ok(serde_json::to_string(&cells.collect::<Vec<_>>())?)
}

/// Indexes the words of a run.
pub(super) async fn add_words(
    transaction: &mut Transaction,
    number: i64,
    words: &str,
) -> Result<(), StoreError> {
    let sql = match transaction.kind() {
        Kind::Sqlite => "INSERT INTO run_words (rowid, words) VALUES ($1, $2)",
        Kind::Postgres => {
            "INSERT INTO run_words (number, words) \
             VALUES ($1, array_to_tsvector(string_to_array($2, ' ')))"
        }
    };
    let values = vec![Value::whole(number), Value::text(words)];
    transaction.change(sql, values).await?;
    Ok(())
}

impl Counts {
    /// Counts what a row has.
    pub(super) async fn add_run(
        &mut self,
        transaction: &mut Transaction,
        number: i64,
        runs: i64,
    ) -> Result<(), StoreError> {
        let row = transaction.row(COUNTED, vec![Value::whole(number)]).await?;
        let Some(row) = row else {
            return Ok(());
        };
        self.add_row(&row, runs)
    }

    fn add_row(&mut self, row: &Row, runs: i64) -> Result<(), StoreError> {
        for field in ChoiceField::ALL {
            if let Some(value) = row.text(field.word())?.filter(|value| !value.is_empty()) {
                *self.0.entry((field, value)).or_default() += runs;
            }
        }
        Ok(())
    }

    /// Adds the counts to those that are stored.
    pub(super) async fn write(self, transaction: &mut Transaction) -> Result<(), StoreError> {
        for ((field, value), runs) in self.0 {
            let sql = "INSERT INTO choice (field, value, runs) VALUES ($1, $2, $3) \
                       ON CONFLICT (field, value) DO UPDATE SET runs = choice.runs + excluded.runs";
            let values = vec![
                Value::text(field.word()),
                Value::text(&value),
                Value::whole(runs),
            ];
            transaction.change(sql, values).await?;
        }
        Ok(())
    }
}

/// Sets who may see a run; `false` when there is none.
pub(super) async fn set_visibility(
    database: &Database,
    id: &str,
    to: Visibility,
) -> Result<bool, StoreError> {
    let mut transaction = database.begin().await?;
    let lock = match transaction.kind() {
        Kind::Sqlite => "",
        Kind::Postgres => " FOR UPDATE",
    };
    let sql = format!("SELECT number, visibility FROM run WHERE id = $1{lock}");
    let Some(row) = transaction.row(&sql, vec![Value::text(id)]).await? else {
        return Ok(false);
    };
    let number = row.whole("number")?;
    let was_public = row.some_text("visibility")? == Visibility::Public.word();
    let sql = "UPDATE run SET visibility = $2 WHERE number = $1";
    let values = vec![Value::whole(number), Value::text(to.word())];
    transaction.change(sql, values).await?;
    let change = i64::from(to == Visibility::Public) - i64::from(was_public);
    if change != 0 {
        let mut counts = Counts::default();
        counts.add_run(&mut transaction, number, change).await?;
        counts.write(&mut transaction).await?;
    }
    transaction.commit().await?;
    Ok(true)
}
