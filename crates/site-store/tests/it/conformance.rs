//! Cases that hold for every store: functions over [`Store`], run for each implementation.

use tokmark_run_format::{
    CellStatus, DecodeCell, EvidenceRef, ImportSource, RunDocument, Tool, Trust, write_document,
};
use tokmark_site_store::{NewRun, ObjectKey, PageRequest, PutOutcome, Store, StoreError};
use tokmark_units::Timestamp;

/// A moment, in seconds after a fixed start.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_millis(1_796_026_500_000 + second * 1_000).unwrap()
}

pub(crate) fn run(id: &str) -> RunDocument {
    let tool = Tool {
        name: "tokmark".into(),
        version: None,
    };
    let mut run = RunDocument::new(id.to_owned(), tool);
    run.model.name = "tiny".into();
    run.hardware.name = Some("Rig".into());
    run.engine.name = "vllm".into();
    run.started_at = Some("2026-11-30T08:15:00Z".into());
    let mut cell = DecodeCell::without_numbers(8_192, 2, CellStatus::Queued, None);
    cell.total_tokens_per_s = Some(123.456_789);
    run.decode.push(cell);
    let status = CellStatus::OverCapacity;
    run.decode
        .push(DecodeCell::without_numbers(8_192, 4, status, None));
    run
}

pub(crate) fn new_run(run: &RunDocument, second: i64) -> NewRun {
    NewRun {
        document: write_document(run).unwrap(),
        evidence: None,
        received_at: at(second),
    }
}

/// A run that names this evidence.
fn measured(id: &str, evidence: &[u8]) -> RunDocument {
    let mut run = run(id);
    run.trust = Trust::Measured;
    run.evidence = Some(EvidenceRef {
        file: "x.evidence.zst".into(),
        sha256: ObjectKey::of(evidence).as_str().to_owned(),
        bytes: 3,
    });
    run
}

/// Every case, one after another on one store.
pub(crate) async fn all(store: &dyn Store) {
    a_run_comes_back_as_it_was_put(store).await;
    the_same_document_again_changes_nothing(store).await;
    another_document_under_an_identity_is_refused(store).await;
    nothing_is_nothing(store).await;
    evidence_comes_back_and_carries_the_trust(store).await;
    an_import_is_never_more_than_imported(store).await;
    faulty_documents_are_refused(store).await;
    pages_follow_each_other_while_runs_are_added(store).await;
    crate::lists::all(store).await;
}

async fn a_run_comes_back_as_it_was_put(store: &dyn Store) {
    let new = new_run(&run("first"), 0);
    let outcome = store.put_run(new.clone()).await.unwrap();
    assert_eq!(outcome, PutOutcome::Created("first".into()));
    let stored = store.get_run("first").await.unwrap().unwrap();
    assert_eq!(stored.document, new.document);
    assert_eq!(
        stored.document_sha256,
        ObjectKey::of(new.document.as_bytes()).as_str()
    );
    let summary = stored.summary;
    assert_eq!(summary.id, "first");
    assert_eq!(summary.received_at, at(0));
    assert_eq!(summary.started_at.as_deref(), Some("2026-11-30T08:15:00Z"));
    assert_eq!(summary.model, "tiny");
    assert_eq!(summary.hardware.as_deref(), Some("Rig"));
    assert_eq!(summary.engine, "vllm");
    assert_eq!(summary.engine_version, None);
    assert_eq!(summary.trust, Trust::SelfReported);
    assert!(!summary.has_evidence);
    let cells: Vec<_> = summary
        .cells
        .iter()
        .map(|cell| {
            (
                cell.context,
                cell.requests,
                cell.status,
                cell.total_tokens_per_s,
            )
        })
        .collect();
    assert_eq!(
        cells,
        [
            (8_192, 2, CellStatus::Queued, Some(123.456_789)),
            (8_192, 4, CellStatus::OverCapacity, None)
        ]
    );
}

async fn the_same_document_again_changes_nothing(store: &dyn Store) {
    let again = new_run(&run("first"), 999);
    let outcome = store.put_run(again).await.unwrap();
    assert_eq!(outcome, PutOutcome::Existed("first".into()));
    let stored = store.get_run("first").await.unwrap().unwrap();
    assert_eq!(stored.summary.received_at, at(0));
    assert_eq!(stored.summary.cells.len(), 2);
}

async fn another_document_under_an_identity_is_refused(store: &dyn Store) {
    let mut other = run("first");
    other.model.name = "something else".into();
    let refused = store.put_run(new_run(&other, 1)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Conflict { .. }), "{refused}");
    assert!(refused.is_refusal());
    let stored = store.get_run("first").await.unwrap().unwrap();
    assert_eq!(stored.summary.model, "tiny");
}

async fn nothing_is_nothing(store: &dyn Store) {
    assert_eq!(store.get_run("nobody").await.unwrap(), None);
    assert_eq!(store.evidence("nobody").await.unwrap(), None);
    assert_eq!(store.evidence("first").await.unwrap(), None);
}

async fn evidence_comes_back_and_carries_the_trust(store: &dyn Store) {
    let evidence = b"abc".to_vec();
    let with = |evidence: Option<Vec<u8>>, id: &str| NewRun {
        evidence,
        ..new_run(&measured(id, b"abc"), 2)
    };
    store
        .put_run(with(Some(evidence.clone()), "proven"))
        .await
        .unwrap();
    let stored = store.get_run("proven").await.unwrap().unwrap();
    assert_eq!(stored.summary.trust, Trust::Measured);
    assert!(stored.summary.has_evidence);
    assert_eq!(store.evidence("proven").await.unwrap(), Some(evidence));

    store.put_run(with(None, "claimed")).await.unwrap();
    let stored = store.get_run("claimed").await.unwrap().unwrap();
    assert_eq!(stored.summary.trust, Trust::SelfReported);

    let refused = store.put_run(with(Some(b"abd".to_vec()), "forged")).await;
    assert!(matches!(refused, Err(StoreError::Evidence)));
    assert_eq!(store.get_run("forged").await.unwrap(), None);
    let unnamed = NewRun {
        evidence: Some(b"abc".to_vec()),
        ..new_run(&run("unnamed"), 2)
    };
    assert!(matches!(
        store.put_run(unnamed).await,
        Err(StoreError::Evidence)
    ));
}

async fn an_import_is_never_more_than_imported(store: &dyn Store) {
    let mut import = run("import");
    import.trust = Trust::Measured;
    import.source = Some(ImportSource {
        format: "x".into(),
        sha256: "y".into(),
        original: "z".into(),
    });
    store.put_run(new_run(&import, 3)).await.unwrap();
    let stored = store.get_run("import").await.unwrap().unwrap();
    assert_eq!(stored.summary.trust, Trust::Imported);
}

async fn faulty_documents_are_refused(store: &dyn Store) {
    let mut twice = run("twice");
    twice.decode.push(twice.decode[0].clone());
    let mut vast = run("vast");
    for n in 0..200 {
        let cell =
            DecodeCell::without_numbers(n, u32::try_from(n).unwrap(), CellStatus::Valid, None);
        vast.decode.push(cell);
    }
    let mut faulty = vec![
        ("not JSON".to_owned(), "the document cannot be stored"),
        (
            write_document(&twice).unwrap(),
            "the cell of context 8192 and 2 requests is there twice",
        ),
        (
            write_document(&vast).unwrap(),
            "the document has 40200 places in its matrix; at most 10000 are stored",
        ),
    ];
    for id in ["", "a/b", "../x", "A", "a b", &"a".repeat(65)] {
        faulty.push((
            write_document(&run(id)).unwrap(),
            "` is not a run's identity",
        ));
    }
    for (document, expect) in faulty {
        let new = NewRun {
            document,
            evidence: None,
            received_at: at(4),
        };
        let refused = store.put_run(new).await.unwrap_err();
        assert!(refused.is_refusal(), "{refused}");
        assert!(refused.to_string().contains(expect), "{refused}");
    }
    assert_eq!(store.get_run("twice").await.unwrap(), None);
}

async fn pages_follow_each_other_while_runs_are_added(store: &dyn Store) {
    // Two runs share a moment, so the identity must decide between them.
    for (id, second) in [
        ("p1", 101),
        ("p2", 102),
        ("p3", 102),
        ("p4", 103),
        ("p5", 104),
    ] {
        store.put_run(new_run(&run(id), second)).await.unwrap();
    }
    let first = store
        .list_runs(PageRequest {
            limit: 2,
            ..PageRequest::default()
        })
        .await
        .unwrap();
    let ids = |page: &tokmark_site_store::RunPage| -> Vec<String> {
        page.runs.iter().map(|run| run.id.clone()).collect()
    };
    assert_eq!(ids(&first), ["p5", "p4"]);
    assert_eq!(first.runs[0].cells.len(), 2);
    store.put_run(new_run(&run("p6"), 105)).await.unwrap();
    let after = first.next.clone();
    let second = store
        .list_runs(PageRequest {
            after,
            limit: 2,
            ..PageRequest::default()
        })
        .await
        .unwrap();
    assert_eq!(ids(&second), ["p3", "p2"]);
    let mut seen = ids(&second);
    let mut after = second.next;
    while let Some(place) = after {
        let request = PageRequest {
            after: Some(place),
            limit: 3,
            ..PageRequest::default()
        };
        let page = store.list_runs(request).await.unwrap();
        assert!(!page.runs.is_empty());
        seen.extend(ids(&page));
        after = page.next;
    }
    assert_eq!(
        seen,
        ["p3", "p2", "p1", "import", "proven", "claimed", "first"]
    );
    let zero = store
        .list_runs(PageRequest {
            limit: 0,
            ..PageRequest::default()
        })
        .await
        .unwrap();
    assert_eq!(ids(&zero), ["p6"], "a page has at least one run");
}
