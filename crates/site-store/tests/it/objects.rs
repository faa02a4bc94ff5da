//! Objects in a folder.

use tokmark_site_store::{FolderObjects, ObjectKey, Objects};

async fn put(objects: &dyn Objects, content: &[u8]) -> ObjectKey {
    let mut keys = objects.put(vec![content.to_vec()]).await.unwrap();
    assert_eq!(keys.len(), 1);
    keys.remove(0)
}

#[tokio::test]
async fn an_object_is_found_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let objects = FolderObjects::open(folder.path().join("objects"))
        .await
        .unwrap();
    let key = put(&objects, b"abc").await;
    assert_eq!(
        key.as_str(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(put(&objects, b"abc").await, key);
    assert_eq!(objects.get(&key).await.unwrap(), Some(b"abc".to_vec()));
    assert_eq!(objects.get(&ObjectKey::of(b"other")).await.unwrap(), None);
}

#[tokio::test]
async fn a_part_of_an_object_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let objects = FolderObjects::open(folder.path().to_owned()).await.unwrap();
    let key = put(&objects, b"0123456789").await;
    for (range, expect) in [
        (0..4, "0123"),
        (4..6, "45"),
        (8..100, "89"),
        (10..12, ""),
        (50..60, ""),
        (5..5, ""),
    ] {
        let part = objects.get_range(&key, range.clone()).await.unwrap();
        assert_eq!(part.as_deref(), Some(expect.as_bytes()), "{range:?}");
    }
    let other = ObjectKey::of(b"other");
    assert_eq!(objects.get_range(&other, 0..1).await.unwrap(), None);
}

#[tokio::test]
async fn no_half_written_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let objects = FolderObjects::open(folder.path().to_owned()).await.unwrap();
    for number in 0..20_u8 {
        put(&objects, &[number; 10_000]).await;
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
