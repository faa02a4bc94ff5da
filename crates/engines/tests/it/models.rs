use tokmark_engines::{IdentifyError, ModelCard, Server, identify};

use crate::fake::{Fake, Reply};

async fn server(data: &str) -> Server {
    let list = Reply::json(format!(r#"{{"object":"list","data":[{data}]}}"#));
    let (control, _) = Fake::new().get("/v1/models", list).start();
    identify(&control, None).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn b091_several_models_are_never_chosen_silently() {
    let mut server = server(r#"{"id":"qwen3:4b"},{"id":"llama3.2:1b"}"#).await;
    let error = server.choose_model(None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server serves several models: `qwen3:4b`, `llama3.2:1b`"
    );
    assert_eq!(error.hint(), "`--model qwen3:4b`");
    let model = server.choose_model(Some("qwen3:4b")).unwrap();
    assert_eq!((model.name.as_str(), model.repository), ("qwen3:4b", None));
}

#[tokio::test(start_paused = true)]
async fn b091_an_unknown_model_gets_the_nearest_name() {
    let mut server = server(r#"{"id":"Qwen/Qwen3-4B"},{"id":"meta/Llama-3.2-1B"}"#).await;
    let error = server.choose_model(Some("qwen3-4b")).unwrap_err();
    let IdentifyError::UnknownModel { nearest, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(nearest.as_deref(), Some("Qwen/Qwen3-4B"));
    assert_eq!(error.hint(), "`--model Qwen/Qwen3-4B`");
    let error = server.choose_model(Some("zzzz")).unwrap_err();
    assert!(matches!(
        error,
        IdentifyError::UnknownModel { nearest: None, .. }
    ));
    assert!(error.to_string().contains("`meta/Llama-3.2-1B`"));
}

#[tokio::test(start_paused = true)]
async fn b091_served_name_and_repository_are_separate() {
    let card = r#"{"id":"bench","root":"Qwen/Qwen3-4B-AWQ","max_model_len":4096}"#;
    let mut server = server(card).await;
    for wanted in [None, Some("bench"), Some("Qwen/Qwen3-4B-AWQ")] {
        let model = server.choose_model(wanted).unwrap();
        assert_eq!(model.served_name, "bench");
        assert_eq!(model.name, "Qwen3-4B-AWQ");
        assert_eq!(model.repository.as_deref(), Some("Qwen/Qwen3-4B-AWQ"));
    }
    assert_eq!(server.engine.max_length, Some(4_096));
}

#[tokio::test(start_paused = true)]
async fn several_names_of_one_model_are_one_model() {
    let cards = r#"{"id":"a","root":"o/m"},{"id":"b","root":"o/m"}"#;
    let mut one = server(cards).await;
    assert_eq!(one.choose_model(None).unwrap().served_name, "a");
    let adapter = r#"{"id":"a","root":"o/m","max_model_len":4096},{"id":"b","root":"o/m","parent":"a","max_model_len":null}"#;
    let mut two = server(adapter).await;
    assert!(matches!(
        two.choose_model(None),
        Err(IdentifyError::SeveralModels { .. })
    ));
    two.choose_model(Some("b")).unwrap();
    assert_eq!(
        two.engine.max_length,
        Some(4_096),
        "an adapter's length is its parent's"
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_needs_a_name() {
    let mut server = server("").await;
    let error = server.choose_model(None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server does not say which model it serves"
    );
    assert!(error.hint().contains("--model"));
    assert_eq!(server.choose_model(Some("m")).unwrap().served_name, "m");
}

#[tokio::test(start_paused = true)]
async fn fields_of_a_strange_type_are_as_good_as_absent() {
    let cards = r#"{"id":"m","root":7,"max_model_len":"big","meta":"","aliases":"x"},{"no":"id"}"#;
    let mut server = server(cards).await;
    let model = server.choose_model(None).unwrap();
    assert_eq!(model.name, "m");
    assert_eq!(server.engine.max_length, None);
    let other = r#"{"id":"m","context_length":131072}"#;
    let mut server = super::models::server(other).await;
    server.choose_model(None).unwrap();
    assert_eq!(server.engine.max_length, Some(131_072));
}

fn check(root: &str, name: &str, repository: Option<&str>, file: Option<&str>) {
    let card = ModelCard {
        id: "served".to_owned(),
        root: Some(root.to_owned()),
        ..ModelCard::default()
    };
    let model = card.describe();
    assert_eq!(model.name, name, "{root}");
    assert_eq!(model.repository.as_deref(), repository, "{root}");
    assert_eq!(model.file.as_deref(), file, "{root}");
    for text in [model.repository, model.file].into_iter().flatten() {
        assert!(!text.contains("someone"), "{root} leaks into {text}");
    }
}

#[test]
fn a_path_never_becomes_a_repository() {
    check("owner/name", "name", Some("owner/name"), None);
    check("/home/someone/m", "served", None, None);
    check("/models/name", "served", None, None);
    check("models/name", "served", None, None);
    check("./owner/name", "served", None, None);
    check("~/m", "served", None, None);
    check(r"C:\someone\m.gguf", "served", None, Some("m.gguf"));
    check(
        "/home/someone/x-Q4_K_M.gguf",
        "served",
        None,
        Some("x-Q4_K_M.gguf"),
    );
    check("a/b/c", "served", None, None);
    let cache = "/home/someone/.cache/huggingface/hub/models--owner--a--b/snapshots/abc123";
    check(cache, "a--b", Some("owner/a--b"), None);
    let card = ModelCard {
        id: "/home/someone/Tiny-Q8_0.gguf".to_owned(),
        root: Some(format!("{cache}/Tiny-Q8_0.gguf")),
        ..ModelCard::default()
    };
    let model = card.describe();
    assert_eq!(model.revision.as_deref(), Some("abc123"));
    assert_eq!(model.file.as_deref(), Some("Tiny-Q8_0.gguf"));
}
