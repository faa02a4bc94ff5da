//! The calculator's pages, from questions of the library.

use tokmark_calculator::report::Report;
use tokmark_calculator::{Knowledge, Query, Question};
use tokmark_catalog::Catalog;
use tokmark_pages::{
    AnswerLinks, CalculatorAnswer, CalculatorForm, FieldFault, FormValues, PageOptions,
    calculator_answer, calculator_page,
};

use crate::html::{assert_balanced, elements, with_attribute};

/// A question with everything that its page needs.
struct Asked {
    question: Question,
    report: Report,
    chosen: Report,
    knowledge: Knowledge,
    most: (u32, u32),
    links: AnswerLinks,
}

impl Asked {
    fn of(model: &str, hardware: &str, context: u64, requests: u32) -> Self {
        let query = Query {
            model: model.to_owned(),
            hardware: hardware.to_owned(),
            ..Query::default()
        };
        let catalog = Catalog::bundled().unwrap();
        let question = query.resolve(&catalog, None).unwrap();
        let one = question.at(&[context], &[requests]);
        let mut chosen = one.answer(&[]);
        chosen.explained = one.explain(&[]);
        Self {
            report: question.answer(&[]),
            chosen,
            knowledge: Knowledge::of(&question.setup, &[]),
            most: question.most_requests(context),
            links: AnswerLinks::default(),
            question,
        }
    }

    fn html(&self) -> String {
        let answer = CalculatorAnswer {
            question: &self.question,
            report: &self.report,
            knowledge: &self.knowledge,
            chosen: &self.chosen,
            by_requests: &self.report,
            by_context: &self.report,
            most: self.most,
            cost: None,
            versus: None,
            links: &self.links,
        };
        let values = FormValues::from([("model", "x".to_owned())]);
        let html = calculator_answer(&form(&values, &[]), Some(&answer));
        assert_balanced(&html);
        html
    }
}

fn form<'a>(values: &'a FormValues, faults: &'a [FieldFault]) -> CalculatorForm<'a> {
    CalculatorForm {
        values,
        faults,
        models: &[],
        hardware: &[],
        calculator: "/en/decode-calculator",
        need: "/en/decode-calculator/need",
        paths: "/en/decode-calculator/paths",
    }
}

fn verdict(html: &str) -> (String, String) {
    let heading = elements(html, "h2").remove(0).text();
    (heading, with_attribute(html, "p", "data-verdict").text())
}

#[test]
fn what_fits_says_how_fast_and_how_many() {
    let (heading, text) = verdict(&Asked::of("Qwen/Qwen3-14B-AWQ", "RTX 3090", 8_192, 4).html());
    assert_eq!(heading, "Fits Qwen/Qwen3-14B on NVIDIA RTX 3090");
    for part in [
        "4 requests at 8K tokens of context decode",
        "Up to 7 fit at once at this context, perhaps 8.",
        "Most of a step goes to linear layers",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_most_that_fit_are_where_the_word_changes() {
    let asked = Asked::of("Qwen/Qwen3-14B-AWQ", "RTX 3090", 8_192, 4);
    let (surely, perhaps) = asked.most;
    let fit = |requests| asked.question.at(&[8_192], &[requests]).answer(&[]).cells[0].fit;
    assert_eq!(fit(surely), "fits");
    assert_eq!(fit(surely + 1), "borderline");
    assert_eq!(fit(perhaps), "borderline");
    assert_eq!(fit(perhaps + 1), "does_not_fit");
}

#[test]
fn what_does_not_fit_says_why() {
    let html = Asked::of("Qwen/Qwen3-32B", "RTX 3090", 8_192, 1).html();
    let (heading, text) = verdict(&html);
    assert!(heading.starts_with("Does not fit"), "{heading}");
    assert!(text.contains("65.5 GB (61.0 GiB) of weights"), "{text}");
    assert!(!html.contains("data-predicted"), "no matrix");
    assert!(html.contains("class=\"m-end\""), "where the memory ends");
    let (heading, text) = verdict(&Asked::of("Qwen/Qwen3-14B-AWQ", "RTX 3090", 8_192, 64).html());
    assert!(heading.starts_with("Does not fit"), "{heading}");
    assert!(text.contains("Up to 7 fit at once"), "{text}");
}

#[test]
fn the_parts_of_the_memory_are_the_whole() {
    let html = Asked::of("Qwen/Qwen3-14B-AWQ", "RTX 3090", 8_192, 4).html();
    let bar = &elements(&html, "svg")[0].html;
    let width = |rect: &str| {
        let value = rect.split("width=\"").nth(1).unwrap();
        value.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let all: f64 = bar.split("<rect").skip(1).map(width).sum();
    assert!((all - 1_000.0).abs() < 0.5, "{all}");
    assert_eq!(bar.matches("<rect").count(), 5);
}

#[test]
fn terms_of_a_step_and_bands_are_tables() {
    let asked = Asked::of("Qwen/Qwen3-14B-AWQ", "RTX 3090", 8_192, 4);
    let html = asked.html();
    let rows = |table: usize| elements(&html, "table")[table].html.matches("<tr>").count();
    assert_eq!(rows(0), 1 + 4, "the matrix");
    assert_eq!(
        rows(1),
        1 + asked.chosen.cells[0].step_ms.len() + 1,
        "terms"
    );
    assert_eq!(
        elements(&html, "table")
            .last()
            .unwrap()
            .html
            .matches("<tr>")
            .count(),
        1 + 32
    );
    assert_eq!(
        html.matches("class=\"band\"").count(),
        8,
        "two bands in four charts"
    );
    assert_eq!(html.matches(" chosen\"").count(), 1);
    assert!(html.contains("tokmark calc --model x --contexts 8K --requests 4 --explain"));
}

#[test]
fn a_form_keeps_what_was_typed_and_escapes_it() {
    let mark = "<b>\"'&";
    let values = FormValues::from([("model", mark.to_owned()), ("unlocked", "on".to_owned())]);
    let faults = [FieldFault {
        field: "model",
        message: mark.to_owned(),
        candidates: vec![(mark.to_owned(), "/en/decode-calculator?model=a".to_owned())],
    }];
    let options = PageOptions::self_contained();
    let html = calculator_page(&form(&values, &faults), None, &options);
    assert_balanced(&html);
    assert!(!html.contains("<b>"));
    assert!(html.contains("value=\"&#60;b&#62;&#34;&#39;&#38;\""));
    let open = html.split("<details class=\"part\" open>").nth(1).unwrap();
    assert!(
        open.contains("Machine in detail"),
        "the part of `unlocked` is open"
    );
    assert_eq!(html.matches("<details class=\"part\" open>").count(), 1);
}
