//! The run page: structure, surroundings, what it says and what it leaves out.

use std::collections::BTreeSet;

use tokmark_pages::{
    NavigationEntry, PageOptions, RunLinks, Section, SiteChrome, assets, not_found_page, run_page,
};
use tokmark_run_format::{CapacityRule, DecodeCell, PrefillMode, RunDocument, Tool, UnknownFact};

use crate::html::{assert_balanced, elements, with_attribute};
use crate::kit::{CONTEXTS, REQUESTS, full_run};

fn site() -> PageOptions {
    let chrome = SiteChrome {
        home: "/en/".to_owned(),
        navigation: vec![NavigationEntry {
            section: Section::Runs,
            href: "/en/runs".to_owned(),
            current: true,
        }],
    };
    PageOptions::site("en", chrome).with_links(RunLinks {
        json: Some("/runs/1/run.json".to_owned()),
        csv: Some("/runs/1/run.csv".to_owned()),
        evidence: Some("/runs/1/evidence".to_owned()),
        html: Some("/runs/1/run.html".to_owned()),
        svg: Some("/runs/1/run.svg".to_owned()),
        card: Some("/runs/1/card.png".to_owned()),
        public_card: None,
    })
}

#[test]
fn a_self_contained_page_asks_for_nothing() {
    let page = run_page(&full_run(""), &PageOptions::self_contained());
    assert_balanced(&page);
    for part in page.split('<').skip(1) {
        for attribute in ["src=\"", "href=\"", "action=\""] {
            if let Some(at) = part.find(attribute) {
                let value = &part[at + attribute.len()..];
                let inside = value.starts_with('#') || value.starts_with("data:");
                assert!(inside, "{}", &value[..value.len().min(60)]);
            }
        }
    }
    let downloads = page.matches("href=\"data:").count();
    assert_eq!(downloads, 3, "document, table and picture");
    assert!(page.len() < 400 * 1_024, "{}", page.len());
}

#[test]
fn a_page_of_the_site_needs_no_inline_style_or_script() {
    let page = run_page(&full_run(""), &site());
    assert_balanced(&page);
    assert!(!page.contains(" style="), "no style attributes");
    assert!(!page.contains("<style"), "no style elements");
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(" onclick"), "no handlers");
    for name in ["page.css", "page.js", "icon.svg"] {
        let asset = assets().iter().find(|asset| asset.name == name).unwrap();
        assert!(page.contains(&asset.path), "{name}");
    }
    for href in [
        "/en/",
        "/en/runs",
        "/runs/1/run.json",
        "/runs/1/run.csv",
        "/runs/1/evidence",
    ] {
        assert!(page.contains(&format!("href=\"{href}\"")), "{href}");
    }
    assert!(!page.contains("href=\"data:"));
}

#[test]
fn the_document_is_in_order_for_assistive_technology() {
    let page = run_page(&full_run(""), &site());
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
    for landmark in ["<header", "<nav", "<main id=\"content\"", "<footer"] {
        assert!(page.contains(landmark), "{landmark}");
    }
    assert!(page.contains("<a class=\"skip\" href=\"#content\">"));
    assert_eq!(elements(&page, "h1").len(), 1);
    for table in elements(&page, "table") {
        assert!(table.html.contains("<caption>"), "{:?}", table.attributes);
    }
    for th in elements(&page, "th") {
        assert!(
            matches!(th.attribute("scope"), "col" | "row"),
            "{}",
            th.html
        );
    }
    let ids: Vec<&str> = page.split(" id=\"").skip(1).collect();
    let ids: Vec<&str> = ids
        .iter()
        .map(|part| part.split('"').next().unwrap())
        .collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    for part in page.split("labelledby=\"").skip(1) {
        let id = part.split('"').next().unwrap();
        assert!(distinct.contains(id), "{id}");
    }
    for scroll in page.split("class=\"scroll").skip(1) {
        let head = scroll.split('>').next().unwrap();
        for wanted in ["tabindex=\"0\"", "role=\"region\"", "aria-label"] {
            assert!(head.contains(wanted), "{head}");
        }
    }
}

#[test]
fn cells_have_number_interval_word_and_reason() {
    let run = full_run("");
    let page = run_page(&run, &PageOptions::self_contained());
    let matrix = with_attribute(&page, "table", "data-matrix");
    let cells = elements(&matrix.html, "td");
    assert_eq!(cells.len(), CONTEXTS.len() * REQUESTS.len());
    let cell = |context: u64, requests: u32| {
        let at = (context.to_string(), requests.to_string());
        let found = cells.iter().find(|td| {
            (td.attribute("data-context"), td.attribute("data-requests")) == (&at.0, &at.1)
        });
        found.unwrap()
    };
    let check = |context, requests, text: &str, title: &str| {
        let cell = cell(context, requests);
        assert_eq!(cell.text(), text);
        assert_eq!(cell.attribute("title"), title);
    };
    check(
        0,
        1,
        "110.8 ±1.7 30 ms TTFT",
        "110.8 tok/s, 95 % interval 109.1–112.4\n50.0 % of the measured 500 GB/s memory roofline, \
         221.5 tok/s",
    );
    check(
        32_768,
        1,
        "63.1 ±0.9 Requests queued 30 ms TTFT",
        "63.1 tok/s, 95 % interval 62.1–64.0\n50.0 % of the measured 500 GB/s memory roofline, 126.1 \
         tok/s\nRequests queued: reason for queued",
    );
    check(32_768, 2, "Looped", "Looped: reason for looped");
    check(
        32_768,
        8,
        "386.2 ±5.8 Ran out of cache ≥ 12,345 ms TTFT",
        "386.2 tok/s, 95 % interval 380.4–392.0\n50.0 % of the measured 500 GB/s memory roofline, 772.4 \
         tok/s\nRan out of cache: reason for preempted",
    );
    let table = with_attribute(&page, "table", "data-measurements");
    let row = |status: &str| {
        let rows = elements(&table.html, "tr");
        let found = rows
            .into_iter()
            .find(|tr| tr.attribute("data-status") == status);
        found.unwrap().text()
    };
    assert!(row("failed").contains("Failed reason for failed"));
    assert!(row("over_capacity").contains("Over capacity reason for over_capacity"));
}

#[test]
fn a_cell_says_which_share_of_the_machine_it_is() {
    let mut run = full_run("");
    let page = |run: &RunDocument| run_page(run, &PageOptions::self_contained());
    let line = |run: &RunDocument| {
        let page = page(run);
        let found = elements(&page, "p")
            .into_iter()
            .find(|p| p.attributes.contains_key("data-roofline"));
        found.map(|p| p.text())
    };
    let told = line(&run).unwrap();
    assert!(
        told.starts_with("Share of the roofline: 50.0 % of what the measured 500 GB/s"),
        "{told}"
    );
    let details = with_attribute(&page(&run), "table", "data-details");
    let text = details.text();
    for words in [
        "Share of the roofline",
        "Roofline, tok/s",
        "Limited by",
        "221.5",
        "memory",
    ] {
        assert!(text.contains(words), "{words}");
    }
    let cards: Vec<String> = elements(&page(&run), "li")
        .iter()
        .map(|li| li.attribute("title").to_owned())
        .collect();
    let prompt = "25.0 % of the catalogue's compute roofline, 12,000 tok/s";
    assert!(
        cards.iter().any(|title| title.contains(prompt)),
        "{cards:?}"
    );
    // Above 1: as it is, with the reasons.
    run.decode[0].roofline_share = Some(1.25);
    let above = page(&run);
    assert!(above.contains("125.0 % of the measured 500 GB/s memory roofline"));
    assert!(
        above.contains("Requests that share a prompt are served from the chip"),
        "{above}"
    );
    assert!(line(&run).unwrap().contains("50.0 % to 125.0 %"));
    // Without shares: the reason; without the block: nothing.
    for cell in &mut run.decode {
        cell.roofline_share = None;
    }
    let roofline = run.roofline.as_mut().unwrap();
    roofline.machine = None;
    roofline.unknown = vec![UnknownFact::new("machine", "nobody told")];
    assert_eq!(
        line(&run).as_deref(),
        Some("Share of the roofline: not known. The machine: nobody told.")
    );
    run.roofline = None;
    assert_eq!(line(&run), None);
}

#[test]
fn the_legend_names_the_statuses_that_occur_and_the_rule() {
    let mut run = full_run("");
    let legend = |run: &RunDocument| {
        let page = run_page(run, &PageOptions::self_contained());
        let legend = elements(&page, "section")
            .into_iter()
            .find(|section| section.attribute("class") == "legend");
        legend.unwrap().text()
    };
    let text = legend(&run);
    for word in [
        "Over capacity × 1",
        "Over limit",
        "Failed",
        "Looped",
        "Ran out of cache",
        "Requests queued",
    ] {
        let word = word.replace(" × ", " ");
        assert!(text.contains(&word), "{word} in {text}");
    }
    assert!(
        !text.contains("Too long") && !text.contains("Valid"),
        "{text}"
    );
    assert!(text.contains("capacity rule: expected"), "{text}");
    assert!(text.contains("at most 8 requests at once"), "{text}");
    run.plan.capacity = CapacityRule::Reserve;
    assert!(legend(&run).contains("context + 8,192 output tokens"));
}

#[test]
fn the_command_measures_the_same_matrix() {
    let command = |run: &RunDocument| {
        let page = run_page(run, &PageOptions::self_contained());
        let codes = elements(&page, "code");
        let found = codes
            .iter()
            .find(|code| code.attribute("id") == "repeat-command");
        found.unwrap().text()
    };
    let mut run = full_run("");
    let plain = "tokmark run http://HOST:PORT --contexts 0,8K,16K,32K --requests 1,2,4,8,16 \
                 --prefill-contexts 8K,16K,32K";
    assert_eq!(command(&run), plain);
    run.plan.window_s = 2.5;
    run.plan.max_output_tokens = 512;
    run.plan.capacity = CapacityRule::Try;
    run.plan.shared_context = true;
    run.plan.prefill = PrefillMode::Off;
    run.plan.endpoint = "completions".to_owned();
    run.prefill.clear();
    assert_eq!(
        command(&run),
        "tokmark run http://HOST:PORT --contexts 0,8K,16K,32K --requests 1,2,4,8,16 \
         --prefill off --duration 2.5s --max-output 512 --capacity try --shared-context \
         --endpoint completions"
    );
}

#[test]
fn an_empty_run_is_still_a_page() {
    let run = RunDocument::new("x".to_owned(), Tool::default());
    let page = run_page(&run, &PageOptions::self_contained());
    assert_balanced(&page);
    for words in [
        "Prefill was not measured",
        "Sustained decode was not measured",
        "unknown hardware",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<table"));
    assert!(!page.contains("NaN"));
}

#[test]
fn odd_figures_draw_no_broken_chart() {
    let mut run = full_run("");
    for (at, value) in [f64::MAX, f64::MIN_POSITIVE, 0.0, -1.0]
        .into_iter()
        .enumerate()
    {
        run.decode[at].total_tokens_per_s = Some(value);
        run.decode[at].per_request_tokens_per_s = Some(value);
    }
    let mut odd: DecodeCell = run.decode[0].clone();
    odd.requests = 0;
    odd.context = u64::MAX;
    run.decode.push(odd);
    let page = run_page(&run, &PageOptions::self_contained());
    assert_balanced(&page);
    assert!(
        !page.contains("NaN") && !page.contains("inf\""),
        "coordinates are numbers"
    );
}

#[test]
fn what_does_not_exist_has_a_page() {
    let page = not_found_page(&site());
    assert_balanced(&page);
    assert!(page.contains("Nothing is here"));
    assert!(page.contains("href=\"/en/\""));
}
