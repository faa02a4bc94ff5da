//! The list of runs with its filters. The form is sent with GET, so that every list has an address.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use form_urlencoded::Serializer;
use serde::Deserialize;
use tokmark_pages::{FilterField, FilterOption, ListForm, Section, run_list_page};
use tokmark_site_store::{
    Choice, ChoiceField, Cursor, PageRequest, RunFilter, RunOrder, class_by_word, trust_by_word,
};
use tokmark_units::Timestamp;

use crate::SiteState;
use crate::fault::Fault;
use crate::language::Language;
use crate::page::{self, html};

/// Runs on one page of the list.
const PER_PAGE: u32 = 30;

/// Longest value of a filter in an address.
const LONGEST: usize = 300;

/// What the address asks for. An empty field of the form is one that was not filled in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    q: String,
    model: String,
    family: String,
    hardware: String,
    count: String,
    class: String,
    memory: String,
    engine: String,
    quantization: String,
    user: String,
    organization: String,
    trust: String,
    since: String,
    until: String,
    order: String,
    after: String,
}

impl ListQuery {
    /// Every filter by its name in the address.
    fn filters(&self) -> [(&'static str, &str); 15] {
        [
            ("q", &self.q),
            ("model", &self.model),
            ("family", &self.family),
            ("hardware", &self.hardware),
            ("count", &self.count),
            ("class", &self.class),
            ("memory", &self.memory),
            ("engine", &self.engine),
            ("quantization", &self.quantization),
            ("user", &self.user),
            ("organization", &self.organization),
            ("trust", &self.trust),
            ("since", &self.since),
            ("until", &self.until),
            ("order", &self.order),
        ]
    }

    /// What the store is asked.
    fn request(&self) -> Result<PageRequest, Unreadable> {
        let filters = self.filters();
        if filters.iter().any(|(_, value)| value.len() > LONGEST) {
            return Err(Unreadable);
        }
        let filter = RunFilter {
            model: text(&self.model),
            family: text(&self.family),
            hardware: text(&self.hardware),
            accelerators: given(&self.count, |text| text.parse().ok())?,
            class: given(&self.class, class_by_word)?,
            memory_tier: given(&self.memory, |text| text.parse().ok())?,
            engine: text(&self.engine),
            quantization: text(&self.quantization),
            submitter: text(&self.user),
            organization: text(&self.organization),
            trust: given(&self.trust, trust_by_word)?,
            since: given(&self.since, Timestamp::start_of_day)?,
            until: given(&self.until, Timestamp::start_of_day)?,
            words: text(&self.q),
        };
        Ok(PageRequest {
            filter,
            order: given(&self.order, RunOrder::of)?.unwrap_or_default(),
            after: given(&self.after, |text| text.parse::<Cursor>().ok())?,
            limit: PER_PAGE,
        })
    }

    /// The address of the next page.
    fn more(&self, language: Language, next: &Cursor) -> String {
        let mut query = Serializer::new(String::new());
        let filters = self.filters().into_iter();
        query.extend_pairs(filters.filter(|(_, value)| !value.is_empty()));
        query.append_pair("after", &next.to_string());
        format!("{}?{}", language.runs(), query.finish())
    }

    fn form(&self, language: Language, choices: &[Choice]) -> ListForm {
        let hidden = [
            ("family", &self.family),
            ("count", &self.count),
            ("user", &self.user),
            ("organization", &self.organization),
        ];
        let kept = hidden.into_iter().filter(|(_, value)| !value.is_empty());
        let mut filters = self.filters().into_iter();
        let kept = kept.map(|(name, value)| (name, value.clone())).collect();
        let filtered = filters.any(|(name, value)| name != "order" && !value.is_empty());
        let mut form = ListForm::new(language.runs(), kept, filtered);
        let of = |field| options(choices, field);
        form.add(FilterField::Search, &self.q, &[]);
        form.add(FilterField::Model, &self.model, &of(ChoiceField::Model));
        form.add(
            FilterField::Hardware,
            &self.hardware,
            &of(ChoiceField::Hardware),
        );
        form.add(FilterField::Class, &self.class, &of(ChoiceField::Class));
        form.add(FilterField::Memory, &self.memory, &of(ChoiceField::Memory));
        form.add(FilterField::Engine, &self.engine, &of(ChoiceField::Engine));
        let quantizations = of(ChoiceField::Quantization);
        form.add(
            FilterField::Quantization,
            &self.quantization,
            &quantizations,
        );
        form.add(FilterField::Trust, &self.trust, &of(ChoiceField::Trust));
        form.add(FilterField::Since, &self.since, &[]);
        form.add(FilterField::Until, &self.until, &[]);
        let orders = FilterOption::orders(RunOrder::ALL.map(RunOrder::word));
        let order = RunOrder::of(&self.order).unwrap_or_default();
        form.add(FilterField::Order, order.word(), &orders);
        form
    }
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

/// A filter whose word is none of its values.
struct Unreadable;

/// The value of a filter; `None` where it is not given.
fn given<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Unreadable> {
    if value.is_empty() {
        return Ok(None);
    }
    read(value).map(Some).ok_or(Unreadable)
}

/// What runs have of a filter.
fn options(choices: &[Choice], field: ChoiceField) -> Vec<FilterOption> {
    let option = |choice: &Choice| {
        let value = choice.value.clone();
        match field {
            ChoiceField::Class => class_by_word(&value).map(|one| FilterOption::class(value, one)),
            ChoiceField::Trust => trust_by_word(&value).map(|one| FilterOption::trust(value, one)),
            _ => Some(FilterOption::plain(value)),
        }
    };
    let own = choices.iter().filter(|choice| choice.field == field);
    let mut options: Vec<FilterOption> = own.filter_map(option).collect();
    if field == ChoiceField::Memory {
        options.sort_by_key(|option| option.value.parse::<u32>().unwrap_or(u32::MAX));
    }
    options
}

/// The list of runs.
pub(crate) async fn runs(
    State(site): State<SiteState>,
    Path(word): Path<String>,
    Query(query): Query<ListQuery>,
) -> Result<Response, Fault> {
    let language = page::language(&word)?;
    let request = query.request().map_err(|_| Fault::NotFound(language))?;
    let found = site.store.list_runs(request).await?;
    let choices = site.store.choices().await?;
    let rows = page::rows(&found.runs, language);
    let more = found.next.map(|next| query.more(language, &next));
    let form = query.form(language, &choices);
    let options = page::options(language, Some(Section::Runs));
    Ok(html(run_list_page(&rows, &form, more.as_deref(), &options)))
}
