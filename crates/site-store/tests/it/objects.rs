//! Objects in a folder.

use tokmark_site_store::{ObjectKey, Objects};

#[tokio::test]
async fn an_object_is_found_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::open(folder.path().join("objects")).await.unwrap();
    let key = objects.put(b"abc".to_vec()).await.unwrap();
    assert_eq!(
        key.as_str(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(objects.put(b"abc".to_vec()).await.unwrap(), key);
    assert_eq!(objects.get(&key).await.unwrap(), Some(b"abc".to_vec()));
    assert_eq!(objects.get(&ObjectKey::of(b"other")).await.unwrap(), None);
}

#[tokio::test]
async fn no_half_written_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::open(folder.path().to_owned()).await.unwrap();
    for number in 0..20_u8 {
        objects.put(vec![number; 10_000]).await.unwrap();
    }
    for place in std::fs::read_dir(folder.path()).unwrap() {
        for file in std::fs::read_dir(place.unwrap().path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(ObjectKey::parse(&name).is_some(), "{name}");
        }
    }
}

#[test]
fn only_hashes_are_names() {
    for bad in [
        "",
        "abc",
        "../../etc/passwd",
        &"g".repeat(64),
        &"A".repeat(64),
    ] {
        assert_eq!(ObjectKey::parse(bad), None, "{bad}");
    }
}
