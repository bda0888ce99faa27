//! The photos' bytes belong to one database, even if several databases share a folder or bucket.

use crate::client::call;
use crate::place::{Place, Server};
use embudo_testkit::{data_uri, fake_jpeg};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

embudo_testkit::both_engines!(blocking: a_strange_database_empties_nothing,
    a_copy_of_the_database_finds_its_photos,
);

/// A lead with a photo; returns the photo's path in the API, and what was sent.
fn with_photo(server: &Server<'_>) -> (String, String) {
    let lead = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
    let lead = call(server, "POST", "/api/leads", lead).json()["id"].as_str().unwrap().to_owned();
    let photo = data_uri(&fake_jpeg(1, 3_000));
    let body = serde_json::json!({ "items": [{ "tipo": "foto", "imagen": photo }] }).to_string();
    assert_eq!(call(server, "POST", &format!("/api/leads/{lead}/ingesta"), &body).status, 200);
    let record = call(server, "GET", &format!("/api/leads/{lead}"), "").json();
    (record["fotos"][0]["href"].as_str().unwrap().to_owned(), photo)
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Sets the time of all files back, so that they are old enough to be swept.
fn age(folder: &Path) {
    date(folder, SystemTime::now() - Duration::from_secs(2 * 60 * 60));
}

fn date(folder: &Path, at: SystemTime) {
    for file in files(folder) {
        File::options().write(true).open(file).unwrap().set_modified(at).unwrap();
    }
}

/// A new database on the same folder of blobs.
fn strange(place: &Place) -> Place {
    place.sibling().env("BLOB_URL", &blob_url(place)).env("DATABASE_URL", "sqlite://otra.db")
}

fn blob_url(place: &Place) -> String {
    format!("file://{}", place.path("data/blobs").display())
}

fn a_strange_database_empties_nothing(place: &Place) {
    let server = place.serve();
    let (href, photo) = with_photo(&server);
    assert!(server.stop().0.success());
    let folder = place.path("data/blobs");
    age(&folder);
    let before = files(&folder);

    let other = strange(place);
    assert_eq!(
        other.ok(&["blobs", "sweep"]),
        "0 of 0 blobs, 0 bytes, are named by nothing in this database\n"
    );
    assert_eq!(other.ok(&["blobs", "sweep", "--yes"]), "0 of 0 blobs deleted\n");
    let stranger = other.serve();
    let (its_href, _) = with_photo(&stranger);
    assert_eq!(call(&stranger, "GET", &its_href, "").status, 200);
    assert!(stranger.stop().0.success());
    assert!(before.iter().all(|file| file.exists()), "nothing of ours is gone");

    // The files get the current time again, or the sweep at the server's start might delete the blob before `blobs
    // sweep` does.
    date(&folder, SystemTime::now());
    let server = place.serve();
    assert_eq!(call(&server, "GET", &href, "").json()["imagen"], photo);
    let deleted = call(&server, "DELETE", &href, "").status;
    assert_eq!(deleted, 204);
    // The server's sweep at its start may come this late, and would delete aged blobs: so the server is stopped before.
    assert!(server.stop().0.success());
    age(&folder);
    let shown = place.ok(&["blobs", "sweep"]);
    assert!(shown.contains("1 of 1 blobs, 3000 bytes, are named by nothing"), "{shown}");
    assert_eq!(place.ok(&["blobs", "sweep", "--yes"]), "1 of 1 blobs deleted\n");
    assert_eq!(files(&folder).len(), 1, "the stranger's is still there");
}

fn a_copy_of_the_database_finds_its_photos(place: &Place) {
    let server = place.serve();
    let (href, photo) = with_photo(&server);
    assert!(server.stop().0.success());
    // On PostgreSQL a second process on the same database, on SQLite a copy of the database's file.
    let copy = place.sibling().env("BLOB_URL", &blob_url(place));
    let copy = match place.path("data/embudo.db") {
        file if file.exists() => {
            fs::copy(file, copy.path("copia.db")).unwrap();
            copy.env("DATABASE_URL", "sqlite://copia.db")
        }
        _ => copy,
    };
    let server = copy.serve();
    assert_eq!(call(&server, "GET", &href, "").json()["imagen"], photo);
}
