//! Pictures of a run: what is in them, that nothing in them is markup, and that they need nothing.

use roxmltree::{Document, Node};
use tokmark_pages::{CARD_HEIGHT, CARD_WIDTH, PictureKind, Theme, picture};
use tokmark_run_format::RunDocument;

use crate::kit::{CONTEXTS, REQUESTS, full_run};

const KINDS: [PictureKind; 4] = [
    PictureKind::MatrixAndCurves,
    PictureKind::Matrix,
    PictureKind::Curves,
    PictureKind::Card,
];

/// What XML has a meaning for, and what it forbids.
const MARK: &str = "<b>&\"'\u{0}\u{1b}]]>\u{ffff}";

fn texts(document: &Document<'_>) -> Vec<String> {
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    let words = |node: Node<'_, '_>| {
        let parts = node.descendants().filter(Node::is_text);
        parts.filter_map(|part| part.text()).collect()
    };
    texts.map(words).collect()
}

fn count(document: &Document<'_>, tag: &str, class: &str) -> usize {
    let nodes = document.descendants().filter(|node| node.has_tag_name(tag));
    nodes
        .filter(|node| node.attribute("class") == Some(class))
        .count()
}

#[test]
fn every_cell_has_its_number_or_its_words() {
    let run = full_run("");
    let svg = picture(&run, PictureKind::Matrix, Theme::Light);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    assert_eq!(texts[0], "Tiny-7B-AWQ on Rig 2x16GB");
    assert_eq!(texts[1], "vllm · 0.33.0 · AWQ 4-bit");
    for words in [
        "110.8",
        "30 ms TTFT",
        "Requests queued",
        "Looped",
        "Failed",
        "Over limit",
    ] {
        assert!(texts.iter().any(|text| text == words), "{words}: {texts:?}");
    }
    assert!(
        texts
            .iter()
            .any(|text| text.starts_with("Looped: the model fell"))
    );
    let grounds = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("rx") == Some("5"));
    assert_eq!(grounds.count(), CONTEXTS.len() * REQUESTS.len());
    // Queued and preempted cells have a number and an edge.
    assert_eq!(count(&document, "rect", "marked"), 2);
    assert_eq!(count(&document, "polyline", "line"), 0);
}

#[test]
fn curves_are_those_of_the_page() {
    let run = full_run("");
    let titles = |kind| {
        let svg = picture(&run, kind, Theme::Light);
        let document = Document::parse(&svg).unwrap();
        let all = [
            "Total rate by requests",
            "Rate of one request by context",
            "Prefill by context",
        ];
        let texts = texts(&document);
        all.map(|title| texts.iter().any(|text| text == title))
    };
    assert_eq!(titles(PictureKind::MatrixAndCurves), [true, true, false]);
    assert_eq!(titles(PictureKind::Curves), [true, true, true]);
    assert_eq!(titles(PictureKind::Matrix), [false, false, false]);
}

#[test]
fn a_card_has_its_size_and_three_figures() {
    let svg = picture(&full_run(""), PictureKind::Card, Theme::Light);
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!((CARD_WIDTH, CARD_HEIGHT), (1_200, 630));
    assert_eq!(root.attribute("width"), Some("1200"));
    assert_eq!(root.attribute("height"), Some("630"));
    assert_eq!(count(&document, "text", "accent bold"), 3);
    assert!(texts(&document).iter().any(|text| text == "110.8tok/s"));
}

#[test]
fn no_text_of_a_run_is_markup() {
    let mut run = full_run(MARK);
    run.decode[0].notes = vec![MARK.to_owned()];
    for kind in KINDS {
        let svg = picture(&run, kind, Theme::Auto);
        let document = Document::parse(&svg).unwrap();
        assert!(!document.descendants().any(|node| node.has_tag_name("b")));
        let title = document
            .descendants()
            .find(|node| node.has_tag_name("title"));
        let title = title.and_then(|title| title.text()).unwrap();
        assert!(
            title.starts_with("<b>&\"'  ]]> Tiny-7B-AWQ on <b>"),
            "{title}"
        );
        let described = document
            .descendants()
            .find(|node| node.has_tag_name("desc"));
        assert!(
            described
                .and_then(|node| node.text())
                .unwrap()
                .contains("vllm")
        );
    }
}

#[test]
fn a_picture_needs_nothing_else() {
    for kind in KINDS {
        for theme in [Theme::Auto, Theme::Light, Theme::Dark] {
            let svg = picture(&full_run(""), kind, theme);
            let own = svg.replace("http://www.w3.org/2000/svg", "");
            for word in [
                "http",
                "href",
                "url(",
                "@import",
                "@font-face",
                "<script",
                "<image",
            ] {
                assert!(!own.contains(word), "{kind:?}: {word}");
            }
            assert!(svg.len() < 64 * 1_024, "{kind:?}: {}", svg.len());
            let follows = svg.contains("prefers-color-scheme");
            assert_eq!(follows, theme == Theme::Auto, "{kind:?} {theme:?}");
        }
    }
}

#[test]
fn names_end_inside_of_the_picture() {
    let mut run = full_run("");
    run.model.name = "WWWW-Long-Name".repeat(60);
    run.hardware.name = Some("模型".repeat(200));
    for kind in KINDS {
        let svg = picture(&run, kind, Theme::Light);
        let document = Document::parse(&svg).unwrap();
        let longest = texts(&document)
            .iter()
            .map(|text| text.chars().count())
            .max();
        assert!(longest.unwrap() < 200, "{kind:?}: {longest:?}");
        assert!(texts(&document).iter().any(|text| text.ends_with('…')));
    }
}

#[test]
fn a_run_without_cells_has_a_picture_that_says_so() {
    let mut run: RunDocument = full_run("");
    run.decode.clear();
    for kind in [PictureKind::MatrixAndCurves, PictureKind::Card] {
        let svg = picture(&run, kind, Theme::Light);
        let document = Document::parse(&svg).unwrap();
        let said = texts(&document);
        assert!(
            said.iter()
                .any(|text| text.to_lowercase().contains("decode")),
            "{said:?}"
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
