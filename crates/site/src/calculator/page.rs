//! The page of a question about one machine, its answer alone, and its documents.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use tokmark_calculator::Family;
use tokmark_pages::{AnswerLinks, FIELDS, Section, calculator_answer, calculator_page};

use super::answered::Answered;
use super::around::Around;
use super::asked::{Asked, EXAMPLE, Place};
use super::cost::Prices;
use super::data::CalculatorData;
use super::form::Form;
use super::problem::{json, problem};
use crate::SiteState;
use crate::fault::Fault;
use crate::language::Language;
use crate::page::{html, language, options};

/// What the calculator knows now, with the runs of this site.
pub(super) fn data(site: &SiteState) -> Result<Arc<CalculatorData>, Fault> {
    let known = site.fits.now().ok_or(Fault::Internal)?;
    Ok(Arc::clone(&known.data))
}

/// Reads a question and answers it.
fn answered(data: &CalculatorData, form: &mut Form, language: Language) -> Option<Answered> {
    let address = language.calculator();
    let place = Place {
        address: &address,
        fields: &FIELDS,
    };
    let Some(asked) = Asked::read(&data.catalog, form, &place) else {
        // What is wrong with the prices is told at once, not only when all else is right.
        Prices::read(&data.catalog, form, None);
        return None;
    };
    let query = form.query(&FIELDS, &[]);
    let family = Family::of(&asked.question.setup);
    let is_fitted = data.calibrations.iter().any(|one| one.family == family);
    let links = AnswerLinks {
        path: if is_fitted {
            language.path(&family.slug())
        } else {
            String::new()
        },
        page: format!("{address}?{query}"),
        json: format!("/api/v1/calculator?{query}"),
        csv: format!("/decode-calculator.csv?{query}"),
    };
    Answered::of(data, asked, form, links)
}

/// The form with its answer.
pub(crate) async fn page(
    State(site): State<SiteState>,
    Path(word): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let data = data(&site)?;
    let mut form = Form::read_or(query.as_deref(), &FIELDS, &EXAMPLE);
    let answer = answered(&data, &mut form, language);
    let shown = answer.as_ref().map(Answered::shown);
    let options = options(language, Some(Section::Calculator));
    let around = Around::page(&data.catalog, language);
    let text = calculator_page(&around.form(&form), shown.as_ref(), &options);
    Ok((form.status(), html(text)).into_response())
}

/// The answer alone. Faults are a part of it, so its status says that it is one.
pub(crate) async fn fragment(
    State(site): State<SiteState>,
    Path(word): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let language = language(&word)?;
    let data = data(&site)?;
    let mut form = Form::read(query.as_deref(), &FIELDS);
    let answer = answered(&data, &mut form, language);
    let shown = answer.as_ref().map(Answered::shown);
    let around = Around::default();
    let text = calculator_answer(&around.form(&form), shown.as_ref());
    Ok(html(text))
}

/// The answer to a question whose every field has a meaning.
fn strict(data: &CalculatorData, query: Option<&str>) -> Result<Answered, Box<Form>> {
    let mut form = Form::read(query, &FIELDS);
    let answer = answered(data, &mut form, Language::default());
    match answer {
        Some(answer) if form.unknown.is_empty() => Ok(answer),
        _ => Err(Box::new(form)),
    }
}

/// The answer as a document.
pub(crate) async fn document(
    State(site): State<SiteState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let data = data(&site)?;
    Ok(match strict(&data, query.as_deref()) {
        Ok(answer) => json("application/json", &answer.document()),
        Err(form) => problem(&form),
    })
}

/// The answer as a table.
pub(crate) async fn csv(
    State(site): State<SiteState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let data = data(&site)?;
    Ok(match strict(&data, query.as_deref()) {
        Ok(answer) => {
            let headers = [
                (CONTENT_TYPE, "text/csv; charset=utf-8"),
                (
                    CONTENT_DISPOSITION,
                    "attachment; filename=\"calculator.csv\"",
                ),
                (CACHE_CONTROL, "no-cache"),
            ];
            (headers, answer.csv()).into_response()
        }
        Err(form) => problem(&form),
    })
}
