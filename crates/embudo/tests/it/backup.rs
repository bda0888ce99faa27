//! Backups made beside a running server, restored elsewhere, interrupted, damaged.
//!
//! The number of kills is small here; `EMBUDO_KILLS=20 ./test -p embudo --test it backup` is the long run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::{data_uri, fake_jpeg};
use serde_json::json;

use crate::client::call;
use crate::crashes::{Load, Promises, create_leads};
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking:
    a_backup_made_under_load_is_restored_elsewhere_on_either_engine,
    a_backup_that_is_killed_is_none_and_the_next_one_is_whole,
    what_is_damaged_is_found_and_not_restored,
    a_restore_that_is_killed_goes_on_and_nothing_serves_it_before,
    a_server_makes_backups_by_itself_and_lets_old_ones_go,
    a_backup_does_not_go_where_the_photos_in_use_lie,
);

/// A lead with a turn and some photos.
pub fn lead_with_photos(server: &Server<'_>, seed: u64, photos: u64) -> String {
    let lead = json!({ "nombre": "Ana", "telefono": format!("6{:08}", 10_000_000 + seed), "email": "ana@ejemplo.es" });
    let lead =
        call(server, "POST", "/api/leads", &lead.to_string()).json()["id"].as_str().unwrap().to_owned();
    let items: Vec<_> = (0..photos)
        .map(|n| json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(seed * 100 + n, 3_000)) }))
        .collect();
    let path = format!("/api/leads/{lead}/ingesta");
    assert_eq!(call(server, "POST", &path, &json!({ "items": items }).to_string()).status, 200);
    let turn = r#"{"rol":"user","mensaje":"¿Cuánto cuesta?"}"#;
    assert_eq!(call(server, "POST", &format!("/api/leads/{lead}/conversacion"), turn).status, 200);
    lead
}

/// Every file under a folder, by its path from it, with its bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(root, &path, found),
                false => {
                    drop(found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap()));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    if folder.exists() {
        walk(folder, folder, &mut found);
    }
    found
}

/// Compares every record of two places, and the blobs of two that keep them in folders.
pub fn assert_equal(one: &Place, other: &Place) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let (mut a, mut b) = (one.database().read().await.unwrap(), other.database().read().await.unwrap());
        embudo_backup::compare(&mut *a, &mut *b, &()).await.unwrap()
    });
    assert!(files(&one.path("data/blobs")) == files(&other.path("data/blobs")), "every blob is the same");
    rows
}

fn folder(place: &Place) -> String {
    place.path("copias").display().to_string()
}

fn manifests(folder: &str) -> usize {
    files(Path::new(folder)).keys().filter(|path| path.ends_with("manifest.json")).count()
}

fn a_backup_made_under_load_is_restored_elsewhere_on_either_engine(place: &Place) {
    let (server, folder) = (place.serve(), folder(place));
    let before = lead_with_photos(&server, 1, 3);
    let leads = create_leads(&server);
    let promises = Arc::new(Mutex::new(Promises::default()));
    let load = Load::begin(&server, &leads, &promises);
    load.await_acks(50);
    place.ok(&["backup", &folder]);
    let acks = load.acks();
    load.await_acks(acks + 50);
    load.finish();

    // What was acknowledged before it began is in it.
    let under_load = Place::sqlite();
    under_load.ok(&["restore", &folder]);
    let restored = under_load.serve();
    assert_eq!(restored.key, server.key, "the key that nobody had to choose comes along");
    let record = call(&restored, "GET", &format!("/api/leads/{before}"), "").json();
    for foto in record["fotos"].as_array().unwrap() {
        let href = foto["href"].as_str().unwrap();
        assert_eq!(call(&restored, "GET", href, "").body, call(&server, "GET", href, "").body);
    }
    assert_eq!(record["fotos"].as_array().unwrap().len(), 3);
    for lead in &leads {
        assert_eq!(call(&restored, "GET", &format!("/api/leads/{lead}"), "").status, 200);
    }
    assert!(restored.stop().0.success());

    // Without writers the next one, and whatever is restored from it, is equal to the source.
    assert!(server.stop().0.success());
    let told = place.ok(&["backup", &folder]);
    assert!(told.contains("records"), "{told}");
    let checked = place.ok(&["backup", "--check", &folder]);
    assert_eq!(checked.matches(": whole ").count(), 2, "{checked}");
    for other in [Place::sqlite(), Place::postgres()] {
        let told = other.ok(&["restore", &folder]);
        assert!(told.contains("all equal"), "{told}");
        assert!(assert_equal(place, &other) > 100);
        let again = other.fails(&["restore", &folder]);
        assert!(again.contains("not empty") && again.contains("nothing in it is overwritten"), "{again}");
    }
    for (path, _) in
        files(Path::new(&folder)).iter().filter(|(path, _)| path.to_string_lossy().contains("backups"))
    {
        let mode = fs::metadata(Path::new(&folder).join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
}

/// Runs a command and kills it after a while; whether it was still running.
pub fn killed_after(place: &Place, args: &[&str], time: Duration) -> bool {
    let mut command = place.command(args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let end = Instant::now() + time;
    while Instant::now() < end && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    let _ = child.wait();
    running
}

/// How many moments a command is killed at.
pub fn kills() -> u32 {
    std::env::var("EMBUDO_KILLS").map_or(4, |n| n.parse().unwrap())
}

fn a_backup_that_is_killed_is_none_and_the_next_one_is_whole(place: &Place) {
    let folder = folder(place);
    let server = place.serve();
    (0..8).for_each(|n| drop(lead_with_photos(&server, n, 6)));
    assert!(server.stop().0.success());
    let start = Instant::now();
    place.ok(&["backup", &place.path("medida").display().to_string()]);
    let whole = start.elapsed();
    let mut made = 0;
    for n in 0..kills() {
        let time = whole * (n + 1) / (kills() + 1);
        // The lease of one that was killed runs out after a while, which the next would wait for.
        forget_leases(place);
        made += usize::from(!killed_after(place, &["backup", &folder], time));
        assert_eq!(manifests(&folder), made, "what was killed is no backup");
    }
    forget_leases(place);
    place.ok(&["backup", &folder]);
    let checked = place.ok(&["backup", "--check", &folder]);
    assert_eq!(checked.matches(": whole ").count(), made + 1, "{checked}");
    let strange = files(Path::new(&folder));
    let strange: Vec<_> = strange.keys().filter(|path| path.to_string_lossy().contains("making")).collect();
    assert!(strange.is_empty(), "nothing of the killed ones is left: {strange:?}");
    let other = Place::sqlite();
    other.ok(&["restore", &folder]);
    assert_equal(place, &other);
}

/// Ends every lease, as the time would that no test waits for.
pub fn forget_leases(place: &Place) {
    match place.database() {
        embudo_backup::Database::Sqlite(path) => {
            let connection = rusqlite::Connection::open(path).unwrap();
            connection.busy_timeout(Duration::from_secs(10)).unwrap();
            connection.execute("DELETE FROM arriendo", ()).unwrap();
        }
        embudo_backup::Database::Postgres(url) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (client, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                client.execute("DELETE FROM arriendo", &[]).await.unwrap();
            });
        }
    }
}

fn what_is_damaged_is_found_and_not_restored(place: &Place) {
    let folder = folder(place);
    let server = place.serve();
    lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    place.ok(&["backup", &folder]);
    let find = |what: &str| {
        let found = files(Path::new(&folder));
        let (path, bytes) = found.iter().find(|(path, _)| path.to_string_lossy().contains(what)).unwrap();
        (Path::new(&folder).join(path), bytes.clone())
    };
    let check = || {
        let output = place.run(&["backup", "--check", &folder]);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let damaged = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };

    let (photo, bytes) = find("/leads/");
    fs::write(&photo, damaged(&bytes)).unwrap();
    let (code, told) = check();
    assert!(code == Some(1) && told.contains("DAMAGED") && told.contains("leads/"), "{told}");
    let refused = Place::sqlite().fails(&["restore", &folder]);
    assert!(refused.contains("1 photos or PDFs are missing from the backup or damaged"), "{refused}");
    let partly = Place::sqlite();
    let told = partly.ok(&["restore", &folder, "--incomplete"]);
    assert!(told.contains("1 photos or PDFs are missing"), "{told}");

    place.ok(&["backup", &folder]);
    assert_eq!(check().0, Some(1), "one of the same length is taken for whole");
    place.ok(&["backup", &folder, "--verify"]);
    assert_eq!(check().0, Some(0), "unless it is read");

    fs::remove_file(&photo).unwrap();
    let (code, told) = check();
    assert!(code == Some(1) && told.matches("DAMAGED").count() == 3, "{told}");
    place.ok(&["backup", &folder]);

    for file in ["embudo.db", "blobs.txt"] {
        let (path, bytes) = find(file);
        fs::write(&path, damaged(&bytes)).unwrap();
        let (code, told) = check();
        assert!(code == Some(1) && told.contains(&format!("{file} is not what was put there")), "{told}");
        let name = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        if file == "embudo.db" {
            let refused = Place::sqlite().fails(&["restore", &folder, "--at", &name]);
            assert!(refused.contains("embudo.db of the backup is damaged"), "{refused}");
        }
        fs::write(&path, bytes).unwrap();
    }
    let empty = Place::sqlite().fails(&["restore", &place.path("nada").display().to_string()]);
    assert!(empty.contains("there is no backup"), "{empty}");
}

fn a_restore_that_is_killed_goes_on_and_nothing_serves_it_before(place: &Place) {
    let folder = folder(place);
    let source = Place::sqlite();
    let server = source.serve();
    (0..6).for_each(|n| drop(lead_with_photos(&server, n, 4)));
    assert!(server.stop().0.success());
    source.ok(&["backup", &folder]);
    let start = Instant::now();
    Place::sqlite().ok(&["restore", &folder]);
    let whole = start.elapsed();
    for n in 0..kills() {
        if !killed_after(place, &["restore", &folder], whole * (n + 1) / (kills() + 1)) {
            break;
        }
        if is_begun(place) {
            let words = place.fails(&["lead", "list"]);
            assert!(words.contains("has not come to its end"), "{words}");
        }
    }
    let output = place.run(&["restore", &folder]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() || words.contains("not empty"), "{words}");
    assert_equal(&source, place);
    place.ok(&["lead", "list"]);
}

/// Whether the database is marked as one that is being filled.
fn is_begun(place: &Place) -> bool {
    let mark = "SELECT count(*) FROM migracion WHERE numero = 2147483647";
    match place.database() {
        embudo_backup::Database::Sqlite(path) => {
            let found = rusqlite::Connection::open(path)
                .ok()
                .and_then(|c| c.query_row(mark, (), |row| row.get(0)).ok());
            found == Some(1)
        }
        embudo_backup::Database::Postgres(url) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (client, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                client.query_one(mark, &[]).await.is_ok_and(|row| row.get::<_, i64>(0) == 1)
            })
        }
    }
}

fn a_server_makes_backups_by_itself_and_lets_old_ones_go(place: &Place) {
    let folder = folder(place);
    let server =
        place.serve_with(&["--set", &format!("BACKUP_DEST=file://{folder}"), "--set", "BACKUP_KEEP=2"]);
    lead_with_photos(&server, 1, 1);
    server.log.wait_for("backup made");
    assert_eq!(manifests(&folder), 1);
    let doctor = place.run(&["doctor", "--set", &format!("BACKUP_DEST=file://{folder}")]);
    assert!(String::from_utf8(doctor.stdout).unwrap().contains("the newest is of "));
    for _ in 0..2 {
        place.ok(&["backup", &folder]);
    }
    let lead = lead_with_photos(&server, 2, 1);
    let record = call(&server, "GET", &format!("/api/leads/{lead}"), "").json();
    place.ok(&["backup", &folder]);
    let blobs =
        || files(Path::new(&folder)).keys().filter(|path| path.to_string_lossy().contains("/leads/")).count();
    let all = blobs();
    assert!(all >= 2);
    assert_eq!(call(&server, "DELETE", record["fotos"][0]["href"].as_str().unwrap(), "").status, 204);
    let told = place.ok(&["backup", &folder, "--keep", "1"]);
    assert!(told.contains("older backups removed, 1 kept"), "{told}");
    assert_eq!(manifests(&folder), 1);
    assert!(blobs() < all, "what no backup names any more is gone");
    place.ok(&["backup", "--check", &folder]);
    let other = Place::sqlite();
    other.ok(&["restore", &folder]);
    assert_eq!(call(&other.serve(), "GET", &format!("/api/leads/{lead}"), "").status, 200);
}

fn a_backup_does_not_go_where_the_photos_in_use_lie(place: &Place) {
    let server = place.serve();
    lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    let photos = files(&place.path("data/blobs"));
    // Also by another way there.
    std::os::unix::fs::symlink(place.path("data"), place.path("datos")).unwrap();
    for dest in ["data/blobs", "datos/blobs"] {
        let refused = place.fails(&["backup", dest, "--keep", "1"]);
        assert!(refused.contains("a backup needs a place of its own"), "{refused}");
        let refused = place.fails(&["doctor", "--set", &format!("BACKUP_DEST=file://{dest}")]);
        assert_eq!(refused, "", "it is said among the checks");
    }
    assert!(files(&place.path("data/blobs")) == photos, "nothing was touched");
    let refused = place.fails(&["copy", "--blobs-to", "datos/blobs"]);
    assert!(refused.contains("are the same place"), "{refused}");

    let folder = folder(place);
    place.ok(&["backup", &folder]);
    let refused = Place::sqlite().env("BLOB_URL", &format!("file://{folder}")).fails(&["restore", &folder]);
    assert!(refused.contains("set BLOB_URL to another place"), "{refused}");
}

#[test]
fn backups_lie_in_s3_too() {
    let Ok(endpoint) = std::env::var("EMBUDO_TEST_S3") else {
        panic!("EMBUDO_TEST_S3 is not set: run the tests with ./test, which starts an S3 server for them")
    };
    let bucket = format!("copias-{}", uuid::Uuid::new_v4());
    let address = endpoint.strip_prefix("http://").unwrap();
    assert_eq!(
        crate::client::call_at(address, "PUT", &format!("/{bucket}"), "connection: close\r\n", "").status,
        200
    );
    let s3 = |place: Place| {
        let place = place.env("S3_ENDPOINT", &endpoint).env("S3_ALLOW_HTTP", "true");
        place.env("S3_ACCESS_KEY_ID", "clave-de-pruebas").env("S3_SECRET_ACCESS_KEY", "secreto-de-pruebas")
    };
    let (place, dest) = (s3(Place::postgres()), format!("s3://{bucket}/casa"));
    let server = place.serve();
    lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    place.ok(&["backup", &dest]);
    let told = place.ok(&["backup", &dest]);
    assert!(told.contains("(0 of them new)"), "{told}");
    let refused = place.fails(&["backup", &dest, "--set", &format!("BLOB_URL={dest}/")]);
    assert!(refused.contains("a backup needs a place of its own"), "{refused}");
    let checked = place.ok(&["backup", "--check", &dest]);
    assert_eq!(checked.matches(": whole ").count(), 2, "{checked}");
    let other = s3(Place::sqlite());
    other.ok(&["restore", &dest]);
    assert_equal(&place, &other);
    let told = place.ok(&["backup", &dest, "--keep", "1"]);
    assert!(told.contains("2 older backups removed, 1 kept"), "{told}");
    place.ok(&["backup", "--check", &dest]);

    // The photos move to S3 and back, under the name that they have.
    let moved = format!("s3://{bucket}/fotos");
    let told = place.ok(&["copy", "--blobs-to", &moved]);
    assert!(told.contains("photos and PDFs"), "{told}");
    let back = Place::sqlite();
    let folder = back.path("data/blobs").display().to_string();
    place.ok(&["copy", "--blobs-from", &moved, "--blobs-to", &folder]);
    assert!(files(&back.path("data/blobs")) == files(&place.path("data/blobs")));
}
