//! Cases of filters, orders, search, choices and visibility, for every store.

use tokmark_run_format::hardware::{Accelerator, MachineClass};
use tokmark_run_format::{CellStatus, DecodeCell, RunDocument, Trust};
use tokmark_site_store::{
    ChoiceField, PageRequest, RunFilter, RunOrder, RunPage, Store, Visibility,
};

use crate::conformance::{at, new_run, run};

/// A run of its own machine and speeds, sent in this second.
fn listed(id: &str, model: &str, cards: u32, rate: Option<f64>) -> RunDocument {
    let mut run = run(id);
    run.model.name = model.into();
    run.hardware.name = Some(format!("{cards}x Example 24GB"));
    run.hardware.class = MachineClass::DiscreteGpu;
    run.hardware.accelerators.push(Accelerator {
        name: "Example".into(),
        count: cards,
        memory_bytes: Some(24 << 30),
        ..Accelerator::default()
    });
    run.engine.name = "sglang".into();
    run.engine.quantization = Some("AWQ".into());
    run.submitted_by = Some("somebody".into());
    run.note = Some("Power limit 250W".into());
    for requests in [1, 8] {
        let mut cell = DecodeCell::without_numbers(0, requests, CellStatus::Valid, None);
        cell.total_tokens_per_s = rate.map(|rate| rate * f64::from(requests));
        run.decode.push(cell);
    }
    run
}

/// Every case, one after another on one store.
pub(crate) async fn all(store: &dyn Store) {
    for (second, run) in [
        (200, listed("l1", "acme/Kestrel-7B", 1, Some(50.0))),
        (201, listed("l2", "acme/Kestrel-7B", 2, Some(90.0))),
        (202, listed("l3", "Heron3-32B", 2, Some(70.0))),
        (203, listed("l4", "Heron3-32B", 4, None)),
    ] {
        store.put_run(new_run(&run, second)).await.unwrap();
    }
    filters_keep_what_fits_all_of_them(store).await;
    orders_go_from_page_to_page(store).await;
    words_are_found_by_their_beginning(store).await;
    what_is_not_public_is_nowhere(store).await;
    a_text_may_hold_any_character(store).await;
}

async fn page(store: &dyn Store, filter: RunFilter, order: RunOrder) -> RunPage {
    let request = PageRequest {
        filter,
        order,
        limit: 50,
        ..PageRequest::default()
    };
    store.list_runs(request).await.unwrap()
}

fn ids(page: &RunPage) -> Vec<&str> {
    page.runs.iter().map(|run| run.id.as_str()).collect()
}

/// What is asked, in what is set of a filter, and who answers.
type Case = (fn(&mut RunFilter), &'static [&'static str]);

const FILTERS: [Case; 15] = [
    (
        |f| f.engine = Some("sglang".into()),
        &["l4", "l3", "l2", "l1"],
    ),
    (|f| f.model = Some("acme/Kestrel-7B".into()), &["l2", "l1"]),
    (|f| f.model = Some("acme/kestrel-7b".into()), &[]),
    (|f| f.family = Some("heron3".into()), &["l4", "l3"]),
    (|f| f.organization = Some("acme".into()), &["l2", "l1"]),
    (
        |f| f.hardware = Some("2x Example 24GB".into()),
        &["l3", "l2"],
    ),
    (|f| f.accelerators = Some(4), &["l4"]),
    (|f| f.class = Some(MachineClass::Cpu), &[]),
    (|f| f.memory_tier = Some(48), &["l3", "l2"]),
    (
        |f| f.quantization = Some("AWQ".into()),
        &["l4", "l3", "l2", "l1"],
    ),
    (
        |f| f.submitter = Some("somebody".into()),
        &["l4", "l3", "l2", "l1"],
    ),
    (|f| f.trust = Some(Trust::Measured), &["proven"]),
    (|f| f.model = Some("' OR 1 = 1 --".into()), &[]),
    (
        |f| {
            f.class = Some(MachineClass::DiscreteGpu);
            f.since = Some(at(201));
            f.until = Some(at(203));
        },
        &["l3", "l2"],
    ),
    (
        |f| {
            f.accelerators = Some(2);
            f.family = Some("kestrel".into());
            f.engine = Some("sglang".into());
        },
        &["l2"],
    ),
];

async fn filters_keep_what_fits_all_of_them(store: &dyn Store) {
    for (set, expect) in FILTERS {
        let mut filter = RunFilter::default();
        set(&mut filter);
        let page = page(store, filter.clone(), RunOrder::Newest).await;
        assert_eq!(ids(&page), expect, "{filter:?}");
        assert_eq!(page.next, None);
    }
}

async fn orders_go_from_page_to_page(store: &dyn Store) {
    for (order, expect) in [
        (RunOrder::Newest, vec!["l4", "l3", "l2", "l1"]),
        (RunOrder::SingleRequest, vec!["l2", "l3", "l1"]),
        (RunOrder::HighestTotal, vec!["l2", "l3", "l1"]),
    ] {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let request = PageRequest {
                filter: RunFilter {
                    engine: Some("sglang".to_owned()),
                    ..RunFilter::default()
                },
                order,
                after,
                limit: 1,
            };
            let page = store.list_runs(request).await.unwrap();
            seen.extend(page.runs.iter().map(|run| run.id.clone()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, expect, "{order:?}");
    }
}

async fn words_are_found_by_their_beginning(store: &dyn Store) {
    for (words, expect) in [
        ("kestrel", vec!["l2", "l1"]),
        ("KESTREL-7b", vec!["l2", "l1"]),
        ("kes 2x", vec!["l2"]),
        ("heron3 example", vec!["l4", "l3"]),
        ("250w limit", vec!["l4", "l3", "l2", "l1"]),
        ("estrel", vec![]),
        ("kestrel heron3", vec![]),
        ("kestrel OR heron3", vec![]),
        ("\"heron3\" & ':* (NEAR", vec![]),
    ] {
        let filter = RunFilter {
            words: Some(words.to_owned()),
            ..RunFilter::default()
        };
        let page = page(store, filter, RunOrder::Newest).await;
        assert_eq!(ids(&page), expect, "{words}");
    }
    let nothing = RunFilter {
        words: Some("  --  ".to_owned()),
        engine: Some("sglang".to_owned()),
        ..RunFilter::default()
    };
    let page = page(store, nothing, RunOrder::Newest).await;
    assert_eq!(page.runs.len(), 4, "no words are no condition");
}

async fn runs_with(store: &dyn Store, field: ChoiceField, value: &str) -> Option<u64> {
    let choices = store.choices().await.unwrap();
    let mut known = choices.iter();
    let found = known.find(|one| one.field == field && one.value == value);
    found.map(|one| one.runs)
}

async fn what_is_not_public_is_nowhere(store: &dyn Store) {
    let four = || RunFilter {
        accelerators: Some(4),
        ..RunFilter::default()
    };
    let hardware = "4x Example 24GB";
    let count = async || runs_with(store, ChoiceField::Hardware, hardware).await;
    assert_eq!(count().await, Some(1));
    assert_eq!(runs_with(store, ChoiceField::Memory, "48").await, Some(2));
    assert_eq!(
        runs_with(store, ChoiceField::Trust, "measured").await,
        Some(1)
    );
    for hidden in [
        Visibility::Private,
        Visibility::Deleted,
        Visibility::Deleted,
    ] {
        assert!(store.set_visibility("l4", hidden).await.unwrap());
        assert_eq!(page(store, four(), RunOrder::Newest).await.runs, []);
        assert_eq!(store.get_run("l4").await.unwrap(), None);
        assert_eq!(count().await, None);
    }
    // The identity stays taken.
    let again = listed("l4", "Heron3-32B", 4, None);
    store.put_run(new_run(&again, 900)).await.unwrap();
    assert_eq!(store.get_run("l4").await.unwrap(), None);
    assert!(
        store
            .set_visibility("l4", Visibility::Public)
            .await
            .unwrap()
    );
    assert_eq!(ids(&page(store, four(), RunOrder::Newest).await), ["l4"]);
    assert_eq!(count().await, Some(1));
    assert!(
        !store
            .set_visibility("nobody", Visibility::Private)
            .await
            .unwrap()
    );
    assert!(
        store
            .set_visibility("proven", Visibility::Private)
            .await
            .unwrap()
    );
    assert_eq!(store.evidence("proven").await.unwrap(), None);
    assert!(
        store
            .set_visibility("proven", Visibility::Public)
            .await
            .unwrap()
    );
}

async fn a_text_may_hold_any_character(store: &dyn Store) {
    let mut odd = listed("odd", "null\0 and 'quote' \u{202e}\u{1f600}", 9, None);
    odd.note = Some("\u{fdfa} \u{130}stanbul '; DROP TABLE run; --".into());
    store.put_run(new_run(&odd, 1_000)).await.unwrap();
    let stored = store.get_run("odd").await.unwrap().unwrap();
    let kept = "null\u{fffd} and 'quote' \u{202e}\u{1f600}";
    assert_eq!(stored.summary.model, kept);
    assert!(
        stored.document.contains("null\\u0000"),
        "the document is as it was"
    );
    let same = RunFilter {
        model: Some(odd.model.name.clone()),
        words: Some("null \u{130}stanbul drop".to_owned()),
        ..RunFilter::default()
    };
    assert_eq!(ids(&page(store, same, RunOrder::Newest).await), ["odd"]);
}
