//! Pages of the list, and the values of its filters.

use super::database::{Database, Kind, Value};
use super::rows::{COLUMNS, summary};
use crate::accept::trust_word;
use crate::cursor::Cursor;
use crate::derived::{class_word, words};
use crate::error::StoreError;
use crate::filter::{Choice, ChoiceField, RunFilter, RunOrder};
use crate::run::{PageRequest, RunPage};

/// Most runs of one page of the list.
const LARGEST_PAGE: u32 = 200;

/// Most words of one search.
const MOST_WORDS: usize = 12;

/// Most values of all filters together.
const MOST_CHOICES: i64 = 2_000;

/// Conditions and the values of their placeholders.
struct Conditions {
    text: String,
    values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition, in which `?` stands for the value.
    fn add(&mut self, condition: &str, value: Value) {
        self.values.push(value);
        let place = format!("${}", self.values.len());
        self.text.push_str(" AND ");
        self.text.push_str(&condition.replace('?', &place));
    }

    fn add_text(&mut self, condition: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add(condition, Value::text(text));
        }
    }

    fn add_whole(&mut self, condition: &str, number: Option<i64>) {
        if let Some(number) = number {
            self.add(condition, Value::whole(number));
        }
    }

    fn of(filter: &RunFilter, kind: Kind) -> Self {
        let mut all = Self {
            text: "visibility = 'public'".to_owned(),
            values: Vec::new(),
        };
        all.add_text("model = ?", filter.model.as_deref());
        all.add_text("family = ?", filter.family.as_deref());
        all.add_text("hardware = ?", filter.hardware.as_deref());
        all.add_text("class = ?", filter.class.map(class_word));
        all.add_text("engine = ?", filter.engine.as_deref());
        all.add_text("quantization = ?", filter.quantization.as_deref());
        all.add_text("submitter = ?", filter.submitter.as_deref());
        all.add_text("organization = ?", filter.organization.as_deref());
        all.add_text("trust = ?", filter.trust.map(trust_word));
        all.add_whole("accelerators = ?", filter.accelerators.map(i64::from));
        all.add_whole("memory_tier = ?", filter.memory_tier.map(i64::from));
        let millis = |moment: tokmark_units::Timestamp| moment.as_unix_millis();
        all.add_whole("received_at >= ?", filter.since.map(millis));
        all.add_whole("received_at < ?", filter.until.map(millis));
        if let Some(text) = &filter.words {
            all.add_words(text, kind);
        }
        all
    }

    /// Each word may be the beginning of a longer one. Words hold only letters and digits, so that
    /// they cannot be taken for operators of the search.
    fn add_words(&mut self, text: &str, kind: Kind) {
        let words: Vec<String> = words(text).take(MOST_WORDS).collect();
        if words.is_empty() {
            return;
        }
        let (condition, (open, close), between) = match kind {
            Kind::Sqlite => (
                "number IN (SELECT rowid FROM run_words WHERE run_words MATCH ?)",
                ("\"", "\" *"),
                " AND ",
            ),
            Kind::Postgres => (
                "number IN (SELECT number FROM run_words WHERE words @@ ?::tsquery)",
                ("'", "':*"),
                " & ",
            ),
        };
        let asked = words.iter().map(|word| format!("{open}{word}{close}"));
        let asked: Vec<String> = asked.collect();
        self.add(condition, Value::Text(Some(asked.join(between))));
    }
}

fn column(order: RunOrder) -> &'static str {
    match order {
        RunOrder::Newest => "received_at",
        RunOrder::SingleRequest => "single_rate",
        RunOrder::HighestTotal => "highest_rate",
    }
}

/// A page of public runs.
pub(super) async fn page(database: &Database, page: PageRequest) -> Result<RunPage, StoreError> {
    let limit = page.limit.clamp(1, LARGEST_PAGE);
    let column = column(page.order);
    let mut conditions = Conditions::of(&page.filter, database.kind());
    if page.order != RunOrder::Newest {
        conditions
            .text
            .push_str(&format!(" AND {column} IS NOT NULL"));
    }
    if let Some(after) = page.after {
        conditions.values.push(Value::whole(after.value));
        conditions.values.push(Value::Text(Some(after.id)));
        let last = conditions.values.len();
        let place = format!(" AND ({column}, id) < (${}, ${last})", last - 1);
        conditions.text.push_str(&place);
    }
    // One more than wanted tells whether another page follows.
    let sql = format!(
        "SELECT {COLUMNS}, {column} AS place FROM run WHERE {} \
         ORDER BY {column} DESC, id DESC LIMIT {}",
        conditions.text,
        limit + 1
    );
    let mut rows = database.rows(&sql, conditions.values).await?;
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > wanted;
    rows.truncate(wanted);
    let next = match rows.last().filter(|_| more) {
        Some(row) => Some(Cursor {
            value: row.whole("place")?,
            id: row.some_text("id")?,
        }),
        None => None,
    };
    let runs = rows.iter().map(summary).collect::<Result<Vec<_>, _>>()?;
    Ok(RunPage { runs, next })
}

/// The values of filters.
pub(super) async fn choices(database: &Database) -> Result<Vec<Choice>, StoreError> {
    let sql = "SELECT field, value, runs FROM choice WHERE runs > 0 ORDER BY field, value LIMIT $1";
    let rows = database.rows(sql, vec![Value::whole(MOST_CHOICES)]).await?;
    let mut choices = Vec::new();
    for row in rows {
        let word = row.some_text("field")?;
        if let Some(field) = ChoiceField::ALL.into_iter().find(|one| one.word() == word) {
            choices.push(Choice {
                field,
                value: row.some_text("value")?,
                runs: u64::try_from(row.whole("runs")?).unwrap_or(0),
            });
        }
    }
    Ok(choices)
}
