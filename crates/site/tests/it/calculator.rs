//! The calculator's pages and documents show what its library answers.

use http::StatusCode;
use serde_json::Value;
use tokmark_calculator::fit::Calibration;
use tokmark_calculator::need_report::NeedReport;
use tokmark_calculator::{Need, Query, Question, csv, stored};
use tokmark_catalog::{Catalog, Hardware};
use tokmark_site::{CalculatorData, SiteState, router};
use tokmark_units::format;

use crate::visitor::{Answer, Site, ask};

const QUESTION: &str = "model=Qwen%2FQwen3-14B-AWQ&hardware=RTX+3090";

fn known() -> (Catalog, Vec<Calibration>) {
    (Catalog::bundled().unwrap(), stored::bundled().unwrap())
}

fn question(catalog: &Catalog, model: &str, hardware: &str) -> Question {
    let query = Query {
        model: model.to_owned(),
        hardware: hardware.to_owned(),
        ..Query::default()
    };
    query.resolve(catalog, None).unwrap()
}

async fn get(path: &str) -> Answer {
    Site::empty().await.get(path).await
}

/// What stands in the cells of the matrix: context, requests, fit, rate.
fn cells(html: &str) -> Vec<(u64, u32, String, Option<String>)> {
    let table = html.split("data-predicted").nth(1).unwrap();
    let table = table.split("</table>").next().unwrap();
    let attribute = |cell: &str, name: &str| {
        let value = cell.split(&format!("{name}=\"")).nth(1).unwrap();
        value.split('"').next().unwrap().to_owned()
    };
    let cell = |cell: &str| {
        let rate = cell.split("class=\"rate\">").nth(1);
        (
            attribute(cell, "data-context").parse().unwrap(),
            attribute(cell, "data-requests").parse().unwrap(),
            attribute(cell, "data-fit"),
            rate.map(|rate| rate.split('<').next().unwrap().to_owned()),
        )
    };
    table.split("<td ").skip(1).map(cell).collect()
}

#[tokio::test]
async fn page_document_and_table_have_the_figures_of_the_library() {
    let (catalog, known) = known();
    let report = question(&catalog, "Qwen/Qwen3-14B-AWQ", "RTX 3090").answer(&known);
    let expected: Vec<_> = report
        .cells
        .iter()
        .map(|cell| {
            let rate = format::rate(cell.total_tokens_per_s.median);
            let rate = cell.may_fit().then_some(rate);
            (cell.context, cell.requests, cell.fit.to_owned(), rate)
        })
        .collect();
    assert_eq!(expected.len(), 32);
    for path in ["/en/decode-calculator", "/en/decode-calculator/answer"] {
        let page = get(&format!("{path}?{QUESTION}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(cells(page.text()), expected, "{path}");
    }
    let document = get(&format!("/api/v1/calculator?{QUESTION}")).await;
    assert_eq!(document.header("content-type"), "application/json");
    let document: Value = serde_json::from_slice(&document.body).unwrap();
    assert_eq!(document, serde_json::to_value(&report).unwrap());
    let table = get(&format!("/decode-calculator.csv?{QUESTION}")).await;
    assert_eq!(table.text(), csv::text(&report, None));
    assert!(
        table
            .header("content-disposition")
            .starts_with("attachment")
    );
}

#[tokio::test]
async fn the_page_without_a_question_shows_an_example() {
    let page = get("/en/decode-calculator").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(cells(page.text()).len(), 32);
    assert!(page.text().contains("value=\"Qwen/Qwen3-14B-AWQ\""));
    assert!(
        page.header("content-security-policy")
            .contains("connect-src 'self'")
    );
    assert!(
        page.header("content-security-policy")
            .contains("form-action 'self'")
    );
    for path in ["/en/", "/en/runs", "/en/decode-calculator/need"] {
        let text = get(path).await;
        let entry = "<a href=\"/en/decode-calculator\"";
        assert!(text.text().contains(entry), "{path}");
    }
    assert_eq!(
        get("/decode-calculator").await.header("location"),
        "/en/decode-calculator"
    );
    assert_eq!(
        get("/xx/decode-calculator").await.status,
        StatusCode::NOT_FOUND
    );
}

/// Address, field, message.
const WRONG: [(&str, &str, &str); 14] = [
    ("model=&hardware=RTX+3090", "model", "say which"),
    (
        "model=Qwen3-99&hardware=RTX+3090",
        "model",
        "`Qwen3-99` is not in the catalog",
    ),
    (
        "model=Qwen3-14B&hardware=RTX+309",
        "hardware",
        "`RTX 309` is not in the catalog",
    ),
    (
        "model=Qwen3-14B&hardware=M3+Ultra&memory_gib=100",
        "memory_gib",
        "not 100 GiB",
    ),
    ("model=Qwen3-14B&hardware=RTX+3090&kv=q9", "kv", "q9"),
    ("model=Qwen3-14B&hardware=RTX+3090&engine=x", "engine", "x"),
    (
        "model=Qwen3-14B&hardware=RTX+3090&at_requests=0",
        "at_requests",
        "between 1 and 65536",
    ),
    (
        "model=Qwen3-14B&hardware=RTX+3090&contexts=8q",
        "contexts",
        "8q",
    ),
    (
        "model=Qwen3-14B&hardware=2+x+RTX+3090&tensor_parallel=4",
        "tensor_parallel",
        "two numbers",
    ),
    (
        "model=Qwen3-14B&hardware=RTX+3090&versus=RTX+309",
        "versus",
        "`RTX 309`",
    ),
    (
        "model=Qwen3-14B&hardware=RTX+3090&price=700",
        "lifetime_years",
        "a price needs a lifetime",
    ),
    (
        "model=Qwen3-14B&hardware=RTX+3090&rent_per_hour=1&utilization=2",
        "utilization",
        "up to 1",
    ),
    (
        "model=Qwen3-14B&hardware=2+x+RTX+3090&pipeline_parallel=2",
        "hardware",
        "4 in all",
    ),
    (
        "model=Qwen%2FQwen3-14B-AWQ&hardware=RTX+3090&quantization=magic",
        "quantization",
        "`magic` is no known weight format",
    ),
];

#[tokio::test]
async fn what_is_wrong_is_told_at_its_field_and_the_form_is_kept() {
    let site = Site::empty().await;
    for (query, field, message) in WRONG {
        let page = site.get(&format!("/en/decode-calculator?{query}")).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        let text = page.text();
        let place = format!("id=\"fault-{field}\">");
        let told = text
            .split(&place)
            .nth(1)
            .unwrap()
            .split('<')
            .next()
            .unwrap();
        assert!(told.contains(message), "{query}: {told}");
        let input = text.split(&format!("id=\"{field}\"")).nth(1).unwrap();
        let input = input.split('>').next().unwrap();
        assert!(input.contains("aria-invalid"), "{query}: {input}");
        assert!(
            text.contains("value=\"RTX 3090\"") || !query.contains("=RTX+3090"),
            "{query}"
        );
        assert!(!text.contains("data-predicted"), "{query}: no answer");
        let fragment = site
            .get(&format!("/en/decode-calculator/answer?{query}"))
            .await;
        assert_eq!(fragment.status, StatusCode::OK);
        assert!(fragment.text().contains(&format!("data-fault=\"{field}\"")));
        for path in ["/api/v1/calculator", "/decode-calculator.csv"] {
            let problem = site.get(&format!("{path}?{query}")).await;
            assert_eq!(problem.status, StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(problem.header("content-type"), "application/problem+json");
            let problem: Value = serde_json::from_slice(&problem.body).unwrap();
            assert_eq!(problem["status"], 422);
            assert_eq!(problem["errors"][0]["field"], field, "{query}");
            let detail = problem["errors"][0]["detail"].as_str().unwrap();
            assert!(detail.contains(message), "{query}: {detail}");
        }
    }
}

#[tokio::test]
async fn every_fault_is_told_at_once_and_names_lead_on() {
    let query = "model=Qwen3-99&hardware=RTX+309&price=x&elsewhere=1";
    let problem = get(&format!("/api/v1/calculator?{query}")).await;
    let problem: Value = serde_json::from_slice(&problem.body).unwrap();
    let errors = problem["errors"].as_array().unwrap();
    let fields: Vec<&str> = errors
        .iter()
        .map(|one| one["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["model", "hardware", "price", "elsewhere"]);
    let page = get(&format!("/en/decode-calculator?{query}")).await;
    let link =
        "/en/decode-calculator?model=Qwen3-99&#38;hardware=RTX+3090&#38;price=x\">RTX 3090</a>";
    assert!(page.text().contains(link));
}

#[tokio::test]
async fn no_value_becomes_markup() {
    let site = Site::empty().await;
    let mark = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%26";
    for field in tokmark_pages::FIELDS
        .iter()
        .chain(&tokmark_pages::NEED_FIELDS)
    {
        for path in [
            "/en/decode-calculator",
            "/en/decode-calculator/answer",
            "/en/decode-calculator/need",
        ] {
            let page = site.get(&format!("{path}?{}={mark}", field.name)).await;
            assert!(
                !page.text().contains("<script>alert"),
                "{path} {}",
                field.name
            );
        }
    }
}

#[tokio::test]
async fn costs_and_two_machines_are_in_the_document() {
    let cost = format!(
        "{QUESTION}&rent_per_hour=0.22&price=700&lifetime_years=3&electricity_per_kwh=0.17"
    );
    let document = get(&format!("/api/v1/calculator?{cost}")).await;
    let document: Value = serde_json::from_slice(&document.body).unwrap();
    let rented = document["cost"]["cells"][0]["rented"]["output_per_million"].as_f64();
    let rate = document["cells"][0]["total_tokens_per_s"]["median"].as_f64();
    assert!((rented.unwrap() - 1e6 * 0.22 / 3_600.0 / rate.unwrap()).abs() < 1e-9);
    let page = get(&format!("/en/decode-calculator?{cost}")).await;
    assert!(page.text().contains("rented at 0.22 USD an hour"));
    assert!(
        page.text()
            .contains("Buying has cost less than renting after")
    );
    let known_rent = get(&format!("/api/v1/calculator?{QUESTION}&rent=typical")).await;
    let known_rent: Value = serde_json::from_slice(&known_rent.body).unwrap();
    assert!(known_rent["cost"]["rent_source"].is_string());
    let versus = get(&format!(
        "/api/v1/calculator?{QUESTION}&versus=2+x+RTX+3090"
    ))
    .await;
    let versus: Value = serde_json::from_slice(&versus.body).unwrap();
    assert_eq!(versus["versus"]["hardware"]["count"], 2);
    let ratio = versus["ratio"][0]["total_tokens_per_s"].as_f64().unwrap();
    assert!(ratio > 1.0 && ratio < 2.0, "{ratio}");
    let page = get(&format!(
        "/en/decode-calculator?{QUESTION}&versus=2+x+RTX+3090"
    ))
    .await;
    let shown = format!("× {}", format::decimal(ratio, 2));
    assert!(page.text().contains(&shown), "{shown}");
    let explained = get(&format!("/api/v1/calculator?{QUESTION}&explain=on")).await;
    let explained: Value = serde_json::from_slice(&explained.body).unwrap();
    assert!(explained["explained"].as_array().unwrap().len() > 5);
}

/// The memory that was said is the first machine's.
#[tokio::test]
async fn another_machine_has_memory_of_its_own() {
    let query = "model=openai/gpt-oss-20b&hardware=Mac+Studio+M3+Ultra&memory_gib=96";
    let path = format!("/api/v1/calculator?{query}&versus=RTX+5090");
    let document = get(&path).await;
    let document: Value = serde_json::from_slice(&document.body).unwrap();
    let gib =
        |part: &str| document[part]["hardware"]["memory_bytes"].as_f64().unwrap() / 1_073_741_824.0;
    assert_eq!((gib("base"), gib("versus")), (96.0, 32.0));
}

#[tokio::test]
async fn the_longest_context_is_a_row() {
    let page = get(&format!(
        "/en/decode-calculator?{QUESTION}&contexts=0,max&requests=1"
    ))
    .await;
    let contexts: Vec<u64> = cells(page.text()).iter().map(|cell| cell.0).collect();
    assert_eq!(contexts, [0, 39 * 1_024]);
}

#[tokio::test]
async fn machines_for_a_need_are_those_of_the_library() {
    let (catalog, known) = known();
    let question = question(&catalog, "Qwen/Qwen3-14B-AWQ", "RTX 3090");
    let need = Need {
        people: 8,
        context_tokens: 16_384,
        output_tokens: question.output_tokens,
        tokens_per_s_each: 30.0,
        cold_ttft_s: Some(5.0),
    };
    let report = NeedReport::search(&catalog, &known, &question, &need);
    assert!(report.machines.len() > 5);
    let query = "model=Qwen%2FQwen3-14B-AWQ&people=8&context=16k&tokens_per_s=30&max_ttft=5s";
    let document = get(&format!("/api/v1/calculator/need?{query}")).await;
    let document: Value = serde_json::from_slice(&document.body).unwrap();
    assert_eq!(document, serde_json::to_value(&report).unwrap());
    let page = get(&format!("/en/decode-calculator/need?{query}")).await;
    let links: Vec<&str> = page
        .text()
        .split("<th scope=\"row\"><a href=\"")
        .skip(1)
        .collect();
    assert_eq!(links.len(), report.machines.len());
    // Each leads to an answer about the machine.
    for link in links.iter().take(3) {
        let address = link.split('"').next().unwrap().replace("&#38;", "&");
        let answer = get(&address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        assert!(answer.text().contains("verdict good"), "{address}");
    }
    let wrong = get("/en/decode-calculator/need?model=Qwen3-14B&people=0&context=x").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    for field in ["people", "context", "tokens_per_s"] {
        assert!(
            wrong.text().contains(&format!("data-fault=\"{field}\"")),
            "{field}"
        );
    }
}

/// How much memory must be said for it.
fn size(row: &Hardware) -> Option<f64> {
    let any = row.memory_options_gib.first().copied().unwrap_or(64.0);
    row.memory_gib.is_none().then_some(any)
}

/// A name that is offered must not be refused.
#[test]
fn every_name_of_the_lists_is_understood() {
    let (catalog, _) = known();
    for row in catalog.hardware() {
        let query = Query {
            model: "Qwen/Qwen3-14B".to_owned(),
            hardware: row.full_name(),
            memory_gib: size(row),
            ..Query::default()
        };
        let card = query.resolve(&catalog, None).map(|one| one.setup.card.id);
        assert_eq!(card.as_ref(), Ok(&row.id), "{}", row.full_name());
    }
    for row in catalog
        .models()
        .iter()
        .filter(|row| row.not_modelled.is_none())
    {
        let query = Query {
            model: row.id.clone(),
            hardware: "RTX 3090".to_owned(),
            ..Query::default()
        };
        let found = query.resolve(&catalog, None).map(|one| one.model);
        assert_eq!(found.as_ref(), Ok(&row.id));
    }
}

#[tokio::test]
async fn a_site_may_know_other_fits() {
    let (catalog, mut calibrations) = known();
    let query = format!("{QUESTION}&unlocked=on&contexts=0&requests=1");
    let with = get(&format!("/en/decode-calculator?{query}")).await;
    assert!(with.text().contains("Calibrated by"));
    calibrations.clear();
    let site = Site::empty().await;
    let state = SiteState::new(site.store.clone()).with_calculator(CalculatorData {
        catalog,
        calibrations,
    });
    let without = ask(router(state), &format!("/en/decode-calculator?{query}")).await;
    assert!(without.text().contains("An estimate from datasheets"));
}
