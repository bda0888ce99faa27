//! Copies from one engine to the other and back: every record is the same, even after interruptions.

use std::time::Instant;

use crate::backup::{assert_equal, files, killed_after, kills, lead_with_photos};
use crate::client::call;
use crate::place::Place;

embudo_testkit::both_engines!(blocking:
    a_copy_to_either_engine_is_equal_and_can_be_served,
    a_copy_that_is_killed_is_gone_on_with,
    a_copy_without_a_photo_is_told_and_fails,
);

fn a_copy_to_either_engine_is_equal_and_can_be_served(place: &Place) {
    let server = place.serve();
    let lead = lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    for other in [Place::sqlite(), Place::postgres()] {
        std::fs::create_dir_all(other.path("data")).unwrap();
        let blobs = other.path("data/blobs").display().to_string();
        let told = place.ok(&["copy", "--to", &other.database_url(), "--blobs-to", &blobs]);
        assert!(told.contains("records, all equal\n") && told.contains("photos and PDFs"), "{told}");
        assert_equal(place, &other);
        let refused = place.fails(&["copy", "--to", &other.database_url()]);
        assert!(refused.contains("not empty"), "{refused}");

        let served = other.serve();
        let record = call(&served, "GET", &format!("/api/leads/{lead}"), "").json();
        let photo = call(&served, "GET", record["fotos"][0]["href"].as_str().unwrap(), "");
        assert_eq!(photo.status, 200, "the copy finds its photos under the same name");
        // Automatic numbers continue after the copied ones.
        lead_with_photos(&served, 2, 1);
        let told = call(&served, "GET", &format!("/api/leads/{lead}"), "").json();
        assert_eq!(told["conversacion"], record["conversacion"]);
    }
    let to = Place::sqlite();
    let to = format!("sqlite://{}", to.path("x.db").display());
    let mistyped = place.fails(&["copy", "--from", "sqlite://data/embud.db", "--to", &to]);
    assert!(mistyped.contains("there is no database of Embudo to copy from"), "{mistyped}");
    assert!(!place.path("data/embud.db").exists(), "none is made");
    let unused = Place::postgres().fails(&["copy", "--to", &to]);
    assert!(unused.contains("there is no database of Embudo to copy from"), "{unused}");
    let same = place.fails(&["copy", "--to", &place.database_url()]);
    assert!(same.contains("the same database") || same.contains("not empty"), "{same}");
}

fn a_copy_without_a_photo_is_told_and_fails(place: &Place) {
    let server = place.serve();
    lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    let found = files(&place.path("data/blobs"));
    std::fs::remove_file(place.path("data/blobs").join(found.keys().next().unwrap())).unwrap();
    let output = place.run(&["copy", "--blobs-to", &place.path("otras").display().to_string()]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("1 photos or PDFs are missing or damaged where they come from"), "{told}");
    assert_eq!(files(&place.path("otras")).len(), found.len() - 1, "the others are there");
}

fn a_copy_that_is_killed_is_gone_on_with(place: &Place) {
    let server = place.serve();
    (0..12).for_each(|n| drop(lead_with_photos(&server, n, 1)));
    assert!(server.stop().0.success());
    let to = if matches!(place.database(), embudo_backup::Database::Sqlite(_)) {
        Place::postgres()
    } else {
        Place::sqlite()
    };
    std::fs::create_dir_all(to.path("data")).unwrap();
    let measured = place.path("medida.db").display().to_string();
    let start = Instant::now();
    place.ok(&["copy", "--to", &format!("sqlite://{measured}")]);
    let whole = start.elapsed();
    let url = to.database_url();
    for n in 0..kills() {
        if !killed_after(place, &["copy", "--to", &url], whole * (n + 1) / (kills() + 1)) {
            break;
        }
    }
    let output = place.run(&["copy", "--to", &url]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() || words.contains("not empty"), "{words}");
    assert_equal_records(place, &to);
}

fn assert_equal_records(one: &Place, other: &Place) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut a, mut b) = (one.database().read().await.unwrap(), other.database().read().await.unwrap());
        assert!(embudo_backup::compare(&mut *a, &mut *b, &()).await.unwrap() > 50);
    });
}
