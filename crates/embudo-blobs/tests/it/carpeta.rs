//! Bytes in a folder.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use embudo_blobs::{BlobError, Blobs};
use embudo_domain::Huella;

use crate::comun::{
    all, assert_unavailable, keep, keeps_lists_and_erases, lead, takes_the_same_bytes_from_many,
};

const HOUR: Duration = Duration::from_secs(3600);

fn set_age(path: &Path, age: Duration) {
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_lists_and_erases_and_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("datos/fotos");
    let blobs = Blobs::carpeta(&root).unwrap();
    keeps_lists_and_erases(&blobs).await;
    for info in all(&blobs).await {
        blobs.delete_lead(info.lead).await.unwrap();
    }
    assert_eq!(names(&root), ["leads"], "the probe is gone");
    assert_eq!(names(&root.join("leads")), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_puts_of_the_same_bytes_make_one_file() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = Blobs::carpeta(temp.path()).unwrap();
    takes_the_same_bytes_from_many(&blobs).await;
    let info = &all(&blobs).await[0];
    let dir = temp.path().join("leads").join(info.lead.to_string());
    assert_eq!(names(&dir), [info.huella.to_string()], "no staged file is left");
}

#[tokio::test]
async fn the_same_picture_twice_is_written_once() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = Blobs::carpeta(temp.path()).unwrap();
    let ana = lead();
    let huella = keep(&blobs, ana, b"cocina").await;
    let file = temp.path().join(format!("leads/{ana}/{huella}"));
    set_age(&file, 2 * HOUR);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    keep(&blobs, ana, b"cocina").await;
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);

    // A file of another length under this name is damage; the next write mends it.
    fs::write(&file, b"coc").unwrap();
    keep(&blobs, ana, b"cocina").await;
    assert_eq!(blobs.get(ana, &huella).await.unwrap(), "cocina");
}

#[tokio::test]
async fn what_was_kept_is_there_after_a_restart() {
    let temp = tempfile::tempdir().unwrap();
    let ana = lead();
    let huella = keep(&Blobs::carpeta(temp.path()).unwrap(), ana, b"cocina").await;
    let again = Blobs::carpeta(temp.path()).unwrap();
    assert_eq!(again.get(ana, &huella).await.unwrap(), "cocina");
}

#[tokio::test]
async fn leftovers_of_a_crash_go_after_an_hour_and_nothing_else_does() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = Blobs::carpeta(temp.path()).unwrap();
    let ana = lead();
    let huella = keep(&blobs, ana, b"cocina").await;
    let dir = temp.path().join("leads").join(ana.to_string());
    let old = [dir.join(format!("{huella}#1")), temp.path().join("sonda-1")];
    let kept = [dir.join(format!("{huella}#2")), dir.join("nota#1"), dir.join(huella.to_string())];
    for path in old.iter().chain(&kept[..2]) {
        fs::write(path, b"co").unwrap();
    }
    for path in old.iter().chain(&kept[1..]) {
        set_age(path, 2 * HOUR);
    }

    assert_eq!(all(&blobs).await.len(), 1, "a staged file is no photo");
    assert_eq!(blobs.remove_leftovers(HOUR).await, Ok(2));
    assert!(old.iter().all(|path| !path.exists()));
    assert!(kept.iter().all(|path| path.exists()));

    blobs.delete_lead(ana).await.unwrap();
    assert!(!dir.exists(), "an erasure takes half-written bytes along");
}

#[tokio::test]
async fn foreign_files_are_not_listed() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = Blobs::carpeta(temp.path()).unwrap();
    let ana = lead();
    let huella = keep(&blobs, ana, b"cocina").await;
    let dir = temp.path().join("leads").join(ana.to_string());
    fs::create_dir(dir.join("sub")).unwrap();
    for foreign in [
        temp.path().join("LEEME"),
        temp.path().join("leads/LEEME"),
        dir.join("LEEME"),
        dir.join("sub").join(huella.to_string()),
        dir.join(huella.to_string().to_uppercase()),
    ] {
        fs::write(foreign, b"x").unwrap();
    }
    assert_eq!(all(&blobs).await.len(), 1);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_unavailable() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("fichero");
    fs::write(&file, b"").unwrap();
    let text = assert_unavailable(Blobs::carpeta(&file.join("fotos")));
    assert!(text.contains("check that the path is a folder"), "{text}");
    // Nobody, not even root, can make a folder here.
    assert_unavailable(Blobs::carpeta(Path::new("/proc/embudo")));
}

#[tokio::test]
async fn a_folder_that_stops_working_is_unavailable_and_heals() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("fotos");
    let blobs = Blobs::carpeta(&root).unwrap();
    let (ana, luis) = (lead(), lead());
    let huella = keep(&blobs, ana, b"cocina").await;

    // As if the disk had been unmounted: photos are out of reach, not gone.
    let elsewhere = temp.path().join("otro");
    fs::rename(&root, &elsewhere).unwrap();
    assert_unavailable(blobs.get(ana, &huella).await);
    assert_unavailable(blobs.exists(ana, &huella).await);
    assert_unavailable(blobs.put(luis, &huella, Bytes::from_static(b"cocina")).await);
    fs::rename(&elsewhere, &root).unwrap();
    assert_eq!(blobs.get(ana, &huella).await.unwrap(), "cocina");

    // As if the disk refused the write: a file stands where the lead's folder belongs.
    let dir = root.join("leads").join(luis.to_string());
    fs::write(&dir, b"").unwrap();
    assert_unavailable(blobs.put(luis, &huella, Bytes::from_static(b"cocina")).await);
    fs::remove_file(&dir).unwrap();
    keep(&blobs, luis, b"cocina").await;
}

#[tokio::test]
async fn unknown_bytes_are_missing() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = Blobs::carpeta(temp.path()).unwrap();
    let huella = Huella::de(b"nada");
    assert_eq!(blobs.get(lead(), &huella).await, Err(BlobError::Missing));
    assert_eq!(blobs.exists(lead(), &huella).await, Ok(false));
    assert_eq!(blobs.delete(lead(), &huella).await, Ok(()));
}

#[cfg(unix)]
#[test]
fn the_folder_is_for_the_services_user_only() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("fotos");
    Blobs::carpeta(&root).unwrap();
    assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
}
