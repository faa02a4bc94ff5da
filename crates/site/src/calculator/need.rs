//! Machines that are enough for so many people.

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use tokmark_calculator::Need;
use tokmark_calculator::need_report::{Machine, NeedReport};
use tokmark_pages::{
    FIELDS, NEED_FIELDS, NeedAnswer, Section, need_answer, need_page as page_of_need,
};

use super::around::Around;
use super::asked::{Place, query};
use super::data::CalculatorData;
use super::form::Form;
use super::page::data;
use super::problem::{json, problem};
use crate::SiteState;
use crate::fault::Fault;
use crate::language::Language;
use crate::page::{html, language, options};

/// Shown to whoever comes without a question.
const EXAMPLE: [(&str, &str); 4] = [
    ("model", "Qwen/Qwen3-14B-AWQ"),
    ("people", "8"),
    ("context", "32k"),
    ("tokens_per_s", "20"),
];

/// The machines, with the address of the answer about each.
struct Found {
    report: NeedReport,
    machines: Vec<String>,
    json: String,
}

impl Found {
    fn read(data: &CalculatorData, form: &mut Form, language: Language) -> Option<Self> {
        let address = language.need();
        let place = Place {
            address: &address,
            fields: &NEED_FIELDS,
        };
        let people = form.count("people");
        let context = form.tokens("context");
        let rate = form.positive("tokens_per_s");
        let ttft = form.duration("max_ttft");
        for (field, given) in [
            ("people", people.is_some()),
            ("context", context.is_some()),
            ("tokens_per_s", rate.is_some()),
        ] {
            if !given {
                form.wrong(field, "say how many");
            }
        }
        if people.is_some_and(|people| people == 0 || people > 65_536) {
            form.wrong("people", "people are between 1 and 65536");
        }
        // Which machine does not matter: every one of the catalogue is tried.
        let any = data.catalog.hardware().iter();
        let any = any.clone().find(|row| row.memory_gib.is_some())?;
        let query = query(form, &any.id, false);
        let question = super::asked::question(&data.catalog, form, &query, &[], &place)?;
        let need = Need {
            people: people?,
            context_tokens: context?,
            output_tokens: question.output_tokens,
            tokens_per_s_each: rate?,
            cold_ttft_s: ttft.map(|time| time.as_secs_f64()),
        };
        let report = NeedReport::search(&data.catalog, &data.calibrations, &question, &need);
        let calculator = language.calculator();
        let link = |machine: &Machine| format!("{calculator}?{}", about(form, machine));
        Some(Self {
            machines: report.machines.iter().map(link).collect(),
            json: format!("/api/v1/calculator/need?{}", form.query(&NEED_FIELDS, &[])),
            report,
        })
    }

    fn shown(&self) -> NeedAnswer<'_> {
        NeedAnswer {
            report: &self.report,
            machines: &self.machines,
            json: &self.json,
        }
    }
}

/// The question about one of the machines.
fn about(form: &Form, machine: &Machine) -> String {
    let value = |name| form.text(name).unwrap_or_default();
    let (people, context) = (value("people"), value("context"));
    let count = match machine.count {
        1 => String::new(),
        count => count.to_string(),
    };
    form.query(
        &FIELDS,
        &[
            ("hardware", &machine.name),
            ("tensor_parallel", &count),
            ("at_requests", &people),
            ("at_context", &context),
        ],
    )
}

/// The form with its machines.
pub(crate) async fn page(
    State(site): State<SiteState>,
    Path(word): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let data = data(&site)?;
    let mut form = Form::read_or(query.as_deref(), &NEED_FIELDS, &EXAMPLE);
    let found = Found::read(&data, &mut form, language);
    let options = options(language, Some(Section::Calculator));
    let around = Around::page(&data.catalog, language);
    let shown = found.as_ref().map(Found::shown);
    let text = page_of_need(&around.form(&form), shown.as_ref(), &options);
    Ok((form.status(), html(text)).into_response())
}

/// The machines alone. Faults are a part of the answer, so its status says that it is one.
pub(crate) async fn fragment(
    State(site): State<SiteState>,
    Path(word): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let data = data(&site)?;
    let mut form = Form::read(query.as_deref(), &NEED_FIELDS);
    let found = Found::read(&data, &mut form, language);
    let around = Around::default();
    let shown = found.as_ref().map(Found::shown);
    let text = need_answer(&around.form(&form), shown.as_ref());
    Ok(html(text))
}

/// The machines as a document.
pub(crate) async fn document(
    State(site): State<SiteState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let data = data(&site)?;
    let mut form = Form::read(query.as_deref(), &NEED_FIELDS);
    let found = Found::read(&data, &mut form, Language::default());
    Ok(match found {
        Some(found) if form.unknown.is_empty() => json("application/json", &found.report),
        _ => problem(&form),
    })
}
