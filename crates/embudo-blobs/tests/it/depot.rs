//! Whole files by name, in a folder and in S3.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bytes::Bytes;
use embudo_blobs::{BlobError, Depot};

/// Files are put, read in parts, listed and removed: `depot` must be empty.
pub async fn keeps_files(depot: &Depot, elsewhere: &Path) {
    assert_eq!(depot.list("").await.unwrap(), Vec::<String>::new());
    assert_eq!(depot.folders("").await.unwrap(), Vec::<String>::new());
    depot.put("a/b/uno", Bytes::from_static(b"uno")).await.unwrap();
    depot.put("a/b/uno", Bytes::from_static(b"uno otra vez")).await.unwrap();
    // More than one piece, and a file that ends exactly with a piece.
    for (name, size) in [("a/grande", (16 << 20) + 5), ("a/justo", 8 << 20), ("c/vacio", 0)] {
        let file = elsewhere.join("fuera");
        let bytes: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
        std::fs::write(&file, &bytes).unwrap();
        depot.put_file(name, &file, &|_| ()).await.unwrap();
        assert_eq!(depot.size(name).await.unwrap(), size);
        assert_eq!(depot.part(name, size, 5).await.unwrap(), "", "nothing is left after the end");
        if size > 0 {
            assert!(depot.part(name, size - 5, 5).await.unwrap() == bytes[size as usize - 5..]);
        }
    }
    assert_eq!(depot.part("a/b/uno", 0, 100).await.unwrap(), "uno otra vez");
    let mut all = depot.list("").await.unwrap();
    all.sort();
    assert_eq!(all, ["a/b/uno", "a/grande", "a/justo", "c/vacio"]);
    assert_eq!(depot.list("a/b").await.unwrap(), ["a/b/uno"]);
    let mut folders = depot.folders("").await.unwrap();
    folders.sort();
    assert_eq!(folders, ["a", "c"]);
    assert_eq!(depot.size("a/nada").await, Err(BlobError::Missing));
    assert_eq!(depot.part("a/nada", 0, 1).await, Err(BlobError::Missing));
    for _ in 0..2 {
        depot.remove("a/b/uno").await.unwrap();
    }
    assert_eq!(depot.list("a/b").await.unwrap(), Vec::<String>::new());
    assert_eq!(depot.folders("a").await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_folder_keeps_files_for_its_owner_alone() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("copias");
    let depot = Depot::folder(&root);
    keeps_files(&depot, place.path()).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&root), mode(&root.join("a")), mode(&root.join("a/grande"))), (0o700, 0o700, 0o600));
    // A file from the workshop is moved.
    let made = depot.workshop().unwrap().unwrap().join("haciendo");
    std::fs::write(&made, b"hecho").unwrap();
    depot.put_file("d/hecho", &made, &|_| ()).await.unwrap();
    assert!(!made.exists());
    assert_eq!(depot.part("d/hecho", 0, 9).await.unwrap(), "hecho");
}
