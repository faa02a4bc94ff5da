use axum::body::Body;
use http::{Request, StatusCode};
use tokmark_run_format::{Trust, read_document, write_document};

use crate::visitor::{EVIDENCE, Site, measured};

#[tokio::test]
async fn addresses_without_a_language_lead_to_one() {
    let site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    for (from, to) in [
        ("/", "/en/"),
        ("/en", "/en/"),
        ("/runs", "/en/runs"),
        ("/runs/one", "/en/runs/one"),
    ] {
        let answer = site.get(from).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{from}");
        assert_eq!(answer.header("location"), to, "{from}");
        assert_eq!(site.get(to).await.status, StatusCode::OK, "{to}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_page_that_says_so() {
    let site = Site::empty().await;
    for path in [
        "/xx/",
        "/xx",
        "/xx/runs",
        "/en/nothing",
        "/en/runs/nobody",
        "/runs/nobody",
        "/runs/nobody/run.json",
        "/runs/nobody/run.csv",
        "/runs/nobody/run.html",
        "/runs/nobody/evidence",
        "/runs/nobody/run.svg",
        "/runs/nobody/card.png",
        "/en/runs/..%2f..%2fetc%2fpasswd",
        "/en/runs?after=rubbish",
        "/assets/page.css",
        "/assets/0000000000000000-page.css",
        "/favicon.ico",
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.text().contains("Nothing is here"), "{path}");
        assert!(
            !answer.header("content-security-policy").is_empty(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_start_page_and_the_list_show_the_newest_first() {
    let site = Site::empty().await;
    let empty = site.get("/en/").await;
    assert!(empty.text().contains("No runs yet."));
    let mut older = measured("older");
    older.model.name = "Older-Model".to_owned();
    site.put(&older, Some(EVIDENCE), 1).await;
    site.put(&measured("newer"), Some(EVIDENCE), 2).await;
    for path in ["/en/", "/en/runs"] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        let text = answer.text();
        let newer = text.find("href=\"/en/runs/newer\"").unwrap();
        let older = text.find("href=\"/en/runs/older\"").unwrap();
        assert!(newer < older, "{path}");
        assert!(text.contains("Older-Model"));
        assert!(
            text.contains("<rect class=\"good q"),
            "a picture of the matrix"
        );
    }
}

#[tokio::test]
async fn the_list_goes_on_over_pages() {
    let site = Site::empty().await;
    for number in 0..31 {
        site.put(&measured(&format!("run{number}")), Some(EVIDENCE), number)
            .await;
    }
    let first = site.get("/en/runs").await;
    let text = first.text();
    assert_eq!(text.matches("<a href=\"/en/runs/run").count(), 30);
    let next = text.split("href=\"/en/runs?after=").nth(1).unwrap();
    let place = next.split('"').next().unwrap();
    let second = site.get(&format!("/en/runs?after={place}")).await;
    assert!(second.text().contains("href=\"/en/runs/run0\""));
    assert_eq!(second.text().matches("<a href=\"/en/runs/run").count(), 1);
    assert!(!second.text().contains("?after="), "the last page");
}

#[tokio::test]
async fn a_run_page_has_its_figures_and_its_files() {
    let site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    let answer = site.get("/en/runs/one").await;
    let text = answer.text();
    for part in [
        "<html lang=\"en\">",
        "data-context=\"0\" data-requests=\"2\" data-status=\"queued\"",
        "1,153.7",
        ">Measured<",
        "href=\"/runs/one/run.json\"",
        "href=\"/runs/one/run.csv\"",
        "href=\"/runs/one/run.html\"",
        "href=\"/runs/one/evidence\"",
        "<a href=\"/en/runs\" aria-current=\"page\">",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[tokio::test]
async fn files_are_what_was_stored() {
    let site = Site::empty().await;
    let run = measured("one");
    site.put(&run, Some(EVIDENCE), 0).await;
    let json = site.get("/runs/one/run.json").await;
    assert_eq!(json.text(), write_document(&run).unwrap());
    assert_eq!(read_document(json.text()).unwrap(), run);
    let csv = site.get("/runs/one/run.csv").await;
    assert!(csv.text().starts_with("phase,context,requests,status,"));
    let html = site.get("/runs/one/run.html").await;
    assert!(html.text().contains("<style>"));
    let evidence = site.get("/runs/one/evidence").await;
    assert_eq!(evidence.body, EVIDENCE);
    for (answer, content_type, name) in [
        (json, "application/json", "one.json"),
        (csv, "text/csv; charset=utf-8", "one.csv"),
        (html, "text/html; charset=utf-8", "one.html"),
        (evidence, "application/zstd", "one.evidence.zst"),
    ] {
        assert_eq!(answer.header("content-type"), content_type);
        let expected = format!("attachment; filename=\"{name}\"");
        assert_eq!(answer.header("content-disposition"), expected);
    }
}

#[tokio::test]
async fn pictures_of_a_run_may_be_shown_elsewhere() {
    let site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    for (path, content_type, begins) in [
        ("/runs/one/run.svg", "image/svg+xml", &b"<svg "[..]),
        ("/runs/one/card.png", "image/png", &b"\x89PNG"[..]),
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.header("content-type"), content_type);
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "cross-origin"
        );
        assert!(answer.body.starts_with(begins), "{path}");
        let again = site.get(path).await;
        assert_eq!(again.body, answer.body, "{path}");
        let known = Request::get(path).header("if-none-match", answer.header("etag"));
        let known = site.ask(known.body(Body::empty()).unwrap()).await;
        assert_eq!(known.status, StatusCode::NOT_MODIFIED, "{path}");
        assert!(known.body.is_empty());
    }
    // Width and height stand in the first chunk.
    let card = site.get("/runs/one/card.png").await.body;
    assert_eq!(card[16..24], [0, 0, 0x04, 0xb0, 0, 0, 0x02, 0x76]);
    let page = site.get("/en/runs/one").await;
    assert_eq!(page.header("cross-origin-resource-policy"), "same-origin");
    assert!(page.text().contains("href=\"/runs/one/run.svg\""));
    assert!(page.text().contains("href=\"/runs/one/card.png\""));
    assert!(
        !page.text().contains("og:image"),
        "no public address is known"
    );
}

#[tokio::test]
async fn a_page_names_its_card_where_the_public_address_is_known() {
    let mut site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    site.state = site.state.with_public_address("https://runs.example.org/");
    let page = site.get("/en/runs/one").await;
    let card = "property=\"og:image\" content=\"https://runs.example.org/runs/one/card.png\"";
    assert!(page.text().contains(card), "{}", page.text());
}

#[tokio::test]
async fn trust_is_the_sites_own_word() {
    let site = Site::empty().await;
    let claimed = measured("claimed");
    assert_eq!(claimed.trust, Trust::Measured);
    site.put(&claimed, None, 0).await;
    let text = site.get("/en/runs/claimed").await;
    assert!(text.text().contains(">Self-reported<"));
    assert!(!text.text().contains(">Measured<"));
    assert!(!text.text().contains("/runs/claimed/evidence"));
    let evidence = site.get("/runs/claimed/evidence").await;
    assert_eq!(evidence.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn assets_are_kept_for_ever_and_pages_are_not() {
    let site = Site::empty().await;
    for asset in tokmark_pages::assets() {
        let answer = site.get(&asset.path).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", asset.path);
        assert_eq!(answer.header("content-type"), asset.content_type);
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        assert_eq!(answer.body, asset.bytes);
    }
    let page = site.get("/en/").await;
    assert_eq!(page.header("cache-control"), "no-cache");
    for asset in ["page.css", "page.js", "icon.svg"] {
        let path = tokmark_pages::assets()
            .iter()
            .find(|a| a.name == asset)
            .unwrap();
        assert!(page.text().contains(&path.path), "{asset}");
    }
}

#[tokio::test]
async fn browsers_are_told_to_be_strict() {
    let site = Site::empty().await;
    let post = Request::post("/en/").body(Body::empty()).unwrap();
    let answers = [
        site.get("/").await,
        site.get("/en/").await,
        site.get("/healthz").await,
        site.get("/nothing/is/here").await,
        site.ask(post).await,
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"));
        assert!(policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "same-origin");
    }
}

#[tokio::test]
async fn a_failing_store_tells_visitors_nothing() {
    let site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    std::fs::remove_dir_all(site.folder.path().join("objects")).unwrap();
    let answer = site.get("/en/runs/one").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!answer.text().contains("objects"), "{}", answer.text());
    assert!(!answer.header("content-security-policy").is_empty());
}

#[tokio::test]
async fn the_list_is_filtered_and_goes_on_with_its_filters() {
    let site = Site::empty().await;
    for number in 0..40 {
        let mut run = measured(&format!("run{number}"));
        run.model.name = if number % 5 == 0 {
            "Heron 7B & co"
        } else {
            "Kestrel-7B"
        }
        .to_owned();
        site.put(&run, Some(EVIDENCE), number).await;
    }
    let address = "/en/runs?q=kes&model=Kestrel-7B&engine=&order=newest&since=2026-11-30";
    let first = site.get(address).await;
    assert_eq!(first.text().matches("<a href=\"/en/runs/run").count(), 30);
    assert!(
        first
            .text()
            .contains("<option value=\"Kestrel-7B\" selected>")
    );
    assert!(first.text().contains("value=\"kes\""));
    let next = first.text().split("href=\"/en/runs?q=kes").nth(1).unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    let second = site.get(&format!("/en/runs?q=kes{next}")).await;
    assert_eq!(second.text().matches("<a href=\"/en/runs/run").count(), 2);
    assert!(!second.text().contains("after="), "the last page");

    let other = site
        .get("/en/runs?model=Heron+7B+%26+co&family=heron")
        .await;
    assert_eq!(other.text().matches("<a href=\"/en/runs/run").count(), 8);
    assert!(
        other
            .text()
            .contains("<input type=\"hidden\" name=\"family\" value=\"heron\">")
    );
    let nothing = site.get("/en/runs?engine=nothing&trust=measured").await;
    assert!(nothing.text().contains("No run fits all of these filters."));
    assert!(
        nothing
            .text()
            .contains("<option value=\"nothing\" selected>")
    );
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_is_no_list() {
    let site = Site::empty().await;
    let long = format!("/en/runs?model={}", "a".repeat(301));
    for path in [
        "/en/runs?trust=certain",
        "/en/runs?class=toaster",
        "/en/runs?memory=much",
        "/en/runs?count=-1",
        "/en/runs?order=best",
        "/en/runs?since=yesterday",
        "/en/runs?after=1",
        &long,
    ] {
        assert_eq!(site.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in [
        "/en/runs?q=%00%22%27*&model=%27",
        "/en/runs?unknown=1",
        "/en/runs?trust=",
    ] {
        assert_eq!(site.get(path).await.status, StatusCode::OK, "{path}");
    }
}
