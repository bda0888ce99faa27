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
use crate::crashes::{Load, Promises, check, create_leads, wait};
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking:
    a_backup_made_under_load_is_restored_elsewhere_on_either_engine,
    a_backup_that_is_killed_is_none_and_the_next_one_is_whole,
    what_is_damaged_is_found_and_not_restored,
    a_restore_that_is_killed_goes_on_and_nothing_serves_it_before,
    a_server_makes_backups_by_itself_and_lets_old_ones_go,
    a_backup_does_not_go_where_the_photos_in_use_lie,
    installations_that_share_a_place_leave_each_other_alone,
    a_backup_of_the_future_stops_nothing_and_takes_nothing_along,
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

/// Compares every record of two places, and their blobs if both keep them in folders.
pub fn assert_equal(one: &Place, other: &Place) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let (mut a, mut b) = (one.database().read().await.unwrap(), other.database().read().await.unwrap());
        embudo_backup::compare(&mut *a, &mut *b, &()).await.unwrap()
    });
    let [ours, theirs] = [one, other].map(|place| blobs(&place.path("data/blobs")));
    let differ = |path: &&PathBuf| ours.get(*path) != theirs.get(*path);
    let different: Vec<_> = ours.keys().chain(theirs.keys()).filter(differ).collect();
    assert!(different.is_empty(), "every blob is the same, but for {different:?}");
    rows
}

/// The blobs of a folder, without half-written files of a killed write (`<digest>#1`), which a server's sweep removes.
fn blobs(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = files(folder);
    all.retain(|path, _| !path.to_string_lossy().contains('#'));
    all
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
    // A client sends its first photos after seven turns.
    wait("acknowledged photos", || !promises.lock().unwrap().ingestas.is_empty());
    let promised = promises.lock().unwrap().clone();
    place.ok(&["backup", &folder]);
    let acks = load.acks();
    load.await_acks(acks + 50);
    load.finish();

    // The backup contains everything that was acknowledged before it began.
    let under_load = Place::sqlite();
    under_load.ok(&["restore", &folder]);
    assert_is_what_the_backup_holds(&under_load, &folder);
    let (all, some) = (files(&place.path("data/blobs")), files(&under_load.path("data/blobs")));
    assert!(some.len() > 3, "{} photos: those of the load are missing", some.len());
    for (path, bytes) in &some {
        assert!(all.get(path) == Some(bytes), "{} is not what the server has", path.display());
    }
    let restored = under_load.serve();
    check(&restored, &leads, &promised);
    assert_eq!(restored.key, server.key, "the key that nobody had to choose comes along");
    let record = call(&restored, "GET", &format!("/api/leads/{before}"), "").json();
    for foto in record["fotos"].as_array().unwrap() {
        let href = foto["href"].as_str().unwrap();
        assert_eq!(call(&restored, "GET", href, "").body, call(&server, "GET", href, "").body);
    }
    assert_eq!(record["fotos"].as_array().unwrap().len(), 3);
    // Writes that came later may be missing, but everything in the backup equals what the server has.
    for lead in &leads {
        let record = |server| call(server, "GET", &format!("/api/leads/{lead}"), "").json();
        let (then, now) = (record(&restored), record(&server));
        for list in ["conversacion", "fotos", "notas"] {
            let now = now[list].as_array().unwrap();
            assert!(then[list].as_array().unwrap().iter().all(|one| now.contains(one)), "{list} of {lead}");
        }
        for foto in then["fotos"].as_array().unwrap() {
            let href = foto["href"].as_str().unwrap();
            let bytes = call(&restored, "GET", href, "");
            assert_eq!(bytes.status, 200);
            assert!(bytes.body == call(&server, "GET", href, "").body, "{href}");
        }
    }
    assert!(restored.stop().0.success());

    // Without writers the next backup, and everything restored from it, equals the source.
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

/// Compares the restored records and blobs with those of the only backup in a folder.
fn assert_is_what_the_backup_holds(restored: &Place, folder: &str) {
    let found = files(Path::new(folder));
    let [(database, _)] = found.iter().filter(|(p, _)| p.ends_with("embudo.db")).collect::<Vec<_>>()[..]
    else {
        panic!("one backup: {:?}", found.keys())
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let backup = embudo_backup::Database::Sqlite(Path::new(folder).join(database));
        let (mut a, mut b) = (backup.read().await.unwrap(), restored.database().read().await.unwrap());
        assert!(embudo_backup::compare(&mut *a, &mut *b, &()).await.unwrap() > 50);
    });
    let list = fs::read_to_string(Path::new(folder).join(database.with_file_name("blobs.txt"))).unwrap();
    let blobs = files(&restored.path("data/blobs"));
    assert_eq!(list.lines().count(), blobs.len(), "no blob too few and none too many");
    let id = database.components().next().unwrap().as_os_str().to_str().unwrap();
    for line in list.lines() {
        let (name, size) = line.split_once(' ').unwrap();
        let bytes = &blobs[&PathBuf::from(format!("{id}/leads/{name}"))];
        assert_eq!(bytes.len().to_string(), size, "{name}");
        let digest = embudo_domain::Digest::of(bytes).to_string();
        assert_eq!(name.split_once('/').unwrap().1, digest);
    }
}

/// Runs a command and kills it after a while; returns whether it was still running.
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

/// At how many different times a command is killed.
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
        let was_killed = killed_after(place, &["backup", &folder], time);
        let there = manifests(&folder);
        // A backup that is killed after its manifest was written is whole, which `--check` confirms below.
        let expected = if was_killed { made..=made + 1 } else { made + 1..=made + 1 };
        assert!(expected.contains(&there), "{there} of {expected:?}: what was killed is no backup");
        made = there;
    }
    // A killed backup leaves a lease of a minute and a half. The next backup on this machine does not wait for it.
    let start = Instant::now();
    place.ok(&["backup", &folder]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_private(Path::new(&folder));
    let checked = place.ok(&["backup", "--check", &folder]);
    assert_eq!(checked.matches(": whole ").count(), made + 1, "{checked}");
    let strange = files(Path::new(&folder));
    let strange: Vec<_> = strange.keys().filter(|path| path.to_string_lossy().contains("making")).collect();
    assert!(strange.is_empty(), "nothing of the killed ones is left: {strange:?}");
    let other = Place::sqlite();
    other.ok(&["restore", &folder]);
    assert_equal(place, &other);
}

/// Asserts that only the owner may read any of the files.
fn assert_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let found = fs::metadata(path).unwrap();
    let wanted = if found.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(found.permissions().mode() & 0o777, wanted, "{}", path.display());
    if found.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| assert_private(&entry.unwrap().path()));
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
        let refused = Place::sqlite().fails(&["restore", &folder, "--at", &name]);
        assert!(refused.contains(&format!("{file} of the backup is damaged")), "{refused}");
        if file == "blobs.txt" {
            // `--incomplete` restores without this list: the records are whole, and every photo has a hash of its own.
            Place::sqlite().ok(&["restore", &folder, "--at", &name, "--incomplete"]);
        }
        fs::write(&path, bytes).unwrap();
    }
    let lists = || {
        let found = files(Path::new(&folder)).into_iter();
        found
            .filter(|(path, _)| path.ends_with("blobs.txt"))
            .map(|(path, bytes)| (Path::new(&folder).join(path), bytes))
    };
    // If a backup's list of blobs cannot be read, nothing is removed.
    let (newest, bytes) = lists().next_back().unwrap();
    let before = manifests(&folder);
    fs::write(&newest, damaged(&bytes)).unwrap();
    let refused = place.fails(&["backup", &folder, "--keep", "2"]);
    assert!(refused.contains("so nothing is removed"), "{refused}");
    assert_eq!(manifests(&folder), before + 1);
    fs::write(&newest, bytes).unwrap();
    place.ok(&["backup", "--check", &folder]);

    // A manifest that does not name a file is a fault of that backup only.
    let (path, bytes) = find("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    manifest["files"].as_array_mut().unwrap().retain(|file| file["name"] != "blobs.txt");
    fs::write(&path, manifest.to_string()).unwrap();
    let (code, told) = check();
    assert!(code == Some(1) && told.contains("the manifest does not name blobs.txt"), "{told}");
    assert_eq!((told.matches("DAMAGED").count(), told.matches(": whole ").count()), (1, before), "{told}");

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

fn installations_that_share_a_place_leave_each_other_alone(place: &Place) {
    let (folder, other) = (folder(place), Place::sqlite());
    place.ok(&["lead", "list"]);
    place.ok(&["backup", &folder]);
    let dest = format!("BACKUP_DEST=file://{folder}");
    let doctor = |place: &Place| String::from_utf8(place.run(&["doctor", "--set", &dest]).stdout).unwrap();
    assert!(doctor(&other).contains("not looked at: the database has no name yet"), "{}", doctor(&other));
    other.ok(&["lead", "list"]);
    assert!(doctor(place).contains("the newest is of "), "{}", doctor(place));
    assert!(doctor(&other).contains("there is none yet"), "{}", doctor(&other));
    // A backup of one database must not remove unfinished files of another database.
    let found = files(Path::new(&folder));
    let id =
        found.keys().next().unwrap().components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
    let left = Path::new(&folder).join(format!("{id}.making.0.db"));
    fs::write(&left, "half").unwrap();
    other.ok(&["backup", &folder]);
    assert!(left.exists());
    place.ok(&["backup", &folder]);
    assert!(!left.exists());
    let checked = place.ok(&["backup", "--check", &folder]);
    assert_eq!(checked.matches(": whole ").count(), 3, "{checked}");
}

fn a_backup_of_the_future_stops_nothing_and_takes_nothing_along(place: &Place) {
    let folder = folder(place);
    place.ok(&["lead", "list"]);
    place.ok(&["backup", &folder]);
    let found = files(Path::new(&folder));
    let manifest = found.keys().find(|path| path.ends_with("manifest.json")).unwrap();
    let made = Path::new(&folder).join(manifest.parent().unwrap());
    fs::rename(&made, made.with_file_name("2999-01-01T000000.000000Z")).unwrap();

    let dest = format!("BACKUP_DEST=file://{folder}");
    let doctor = || String::from_utf8(place.run(&["doctor", "--set", &dest]).stdout).unwrap();
    assert!(doctor().contains("there is none but of the future"), "{}", doctor());
    let server = place.serve_with(&["--set", &dest]);
    server.log.wait_for("backup made");
    assert!(server.stop().0.success());
    assert_eq!(manifests(&folder), 2);
    assert!(doctor().contains("which is still to come"), "{}", doctor());

    let told = place.ok(&["backup", &folder, "--keep", "1"]);
    assert!(told.contains("1 older backups removed, 2 kept"), "{told}");
    let name = told.split_once(':').unwrap().0;
    let left = files(Path::new(&folder));
    assert!(
        left.keys().any(|path| path.to_string_lossy().contains(&format!("{name}/manifest.json"))),
        "{told}"
    );
    place.ok(&["backup", "--check", &folder]);
}

fn a_backup_does_not_go_where_the_photos_in_use_lie(place: &Place) {
    let server = place.serve();
    lead_with_photos(&server, 1, 2);
    assert!(server.stop().0.success());
    let photos = files(&place.path("data/blobs"));
    // `datos/blobs` is the same place by another path.
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

    // A mistake in the address is reported at once.
    let start = Instant::now();
    let refused = place.fails(&["backup", &dest, "--set", "S3_ENDPOINT=http://127.0.0.1:9"]);
    assert!(refused.contains("no connection") && start.elapsed() < Duration::from_secs(30), "{refused}");

    // The photos move to S3 and back, under their id.
    let moved = format!("s3://{bucket}/fotos");
    let told = place.ok(&["copy", "--blobs-to", &moved]);
    assert!(told.contains("photos and PDFs"), "{told}");
    let back = Place::sqlite();
    let folder = back.path("data/blobs").display().to_string();
    place.ok(&["copy", "--blobs-from", &moved, "--blobs-to", &folder]);
    assert!(files(&back.path("data/blobs")) == files(&place.path("data/blobs")));
}
