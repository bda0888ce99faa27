//! Bytes in a folder.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use embudo_blobs::{BlobError, Blobs};
use embudo_domain::Digest;

use crate::common::{
    all, assert_unavailable, databases_keep_apart, deletes_nothing_too_late, folder, keep,
    keeps_lists_and_erases, lead, ours, soon, strange, takes_the_same_bytes_from_many, within,
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
    let blobs = folder(&root);
    keeps_lists_and_erases(&blobs).await;
    for info in all(&blobs).await {
        blobs.delete_lead(info.lead).await.unwrap();
    }
    assert_eq!(names(&root), [ours().to_string()]);
    assert_eq!(names(&within(&root)), ["leads", "staging"], "the probe is gone");
    assert_eq!(names(&within(&root).join("staging")), Vec::<String>::new());
    assert_eq!(names(&within(&root).join("leads")), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_puts_of_the_same_bytes_make_one_file() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    takes_the_same_bytes_from_many(&blobs).await;
    let info = &all(&blobs).await[0];
    let dir = within(temp.path()).join("leads").join(info.lead.to_string());
    assert_eq!(names(&dir), [info.digest.to_string()], "no staged file is left");
}

#[tokio::test]
async fn the_same_picture_twice_is_written_once() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    let ana = lead();
    let digest = keep(&blobs, ana, b"cocina").await;
    let file = within(temp.path()).join(format!("leads/{ana}/{digest}"));
    set_age(&file, 2 * HOUR);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    keep(&blobs, ana, b"cocina").await;
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);

    // A file of another length under this name is damaged; the next write repairs it.
    fs::write(&file, b"coc").unwrap();
    keep(&blobs, ana, b"cocina").await;
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), "cocina");
}

#[tokio::test]
async fn photos_are_for_their_owner_alone() {
    let temp = tempfile::tempdir().unwrap();
    let (blobs, ana) = (folder(temp.path()), lead());
    let digest = keep(&blobs, ana, b"cocina").await;
    let dir = within(temp.path()).join("leads").join(ana.to_string());
    let file = dir.join(digest.to_string());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&dir), mode(&file)), (0o700, 0o600));
}

#[tokio::test]
async fn what_was_kept_is_there_after_a_restart() {
    let temp = tempfile::tempdir().unwrap();
    let ana = lead();
    let digest = keep(&folder(temp.path()), ana, b"cocina").await;
    let again = folder(temp.path());
    assert_eq!(again.get(ana, &digest).await.unwrap(), "cocina");
}

#[tokio::test]
async fn leftovers_of_a_crash_go_after_an_hour_and_nothing_else_does() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    let ana = lead();
    let digest = keep(&blobs, ana, b"cocina").await;
    let dir = within(temp.path()).join("leads").join(ana.to_string());
    let old = [dir.join(format!("{digest}#1")), within(temp.path()).join("sonda-1")];
    let kept = [dir.join(format!("{digest}#2")), dir.join("nota#1"), dir.join(digest.to_string())];
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
    let blobs = folder(temp.path());
    let ana = lead();
    let digest = keep(&blobs, ana, b"cocina").await;
    let dir = within(temp.path()).join("leads").join(ana.to_string());
    fs::create_dir(dir.join("sub")).unwrap();
    for foreign in [
        within(temp.path()).join("LEEME"),
        within(temp.path()).join("leads/LEEME"),
        dir.join("LEEME"),
        dir.join("sub").join(digest.to_string()),
        dir.join(digest.to_string().to_uppercase()),
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
    let text = assert_unavailable(Blobs::folder(&file.join("fotos"), ours()));
    assert!(text.contains("check that the path is a folder"), "{text}");
    // Nobody, not even root, can create a folder here.
    assert_unavailable(Blobs::folder(Path::new("/proc/embudo"), ours()));
}

#[tokio::test]
async fn a_folder_that_stops_working_is_unavailable_and_heals() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("fotos");
    let blobs = folder(&root);
    let (ana, luis) = (lead(), lead());
    let digest = keep(&blobs, ana, b"cocina").await;

    // Simulates an unmounted disk: photos are unavailable, not missing.
    let elsewhere = temp.path().join("otro");
    fs::rename(&root, &elsewhere).unwrap();
    assert_unavailable(blobs.get(ana, &digest).await);
    assert_unavailable(blobs.exists(ana, &digest).await);
    assert_unavailable(blobs.put(luis, &digest, Bytes::from_static(b"cocina")).await);
    fs::rename(&elsewhere, &root).unwrap();
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), "cocina");

    // Simulates a disk that refuses the write: there is a file in the place of the lead's folder.
    let dir = within(&root).join("leads").join(luis.to_string());
    fs::write(&dir, b"").unwrap();
    assert_unavailable(blobs.put(luis, &digest, Bytes::from_static(b"cocina")).await);
    fs::remove_file(&dir).unwrap();
    keep(&blobs, luis, b"cocina").await;
}

#[tokio::test]
async fn unknown_bytes_are_missing() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    let digest = Digest::of(b"nada");
    assert_eq!(blobs.get(lead(), &digest).await, Err(BlobError::Missing));
    assert_eq!(blobs.exists(lead(), &digest).await, Ok(false));
    assert_eq!(blobs.delete(lead(), &digest, soon()).await, Ok(()));
}

#[cfg(unix)]
#[test]
fn the_folder_is_for_the_services_user_only() {
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("fotos");
    folder(&root);
    assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_that_share_a_folder_keep_apart() {
    let temp = tempfile::tempdir().unwrap();
    databases_keep_apart(&folder(temp.path()), &Blobs::folder(temp.path(), strange()).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_waited_too_long_does_nothing() {
    let temp = tempfile::tempdir().unwrap();
    deletes_nothing_too_late(&folder(temp.path())).await;
}

#[tokio::test]
async fn a_look_at_a_folder_leaves_it_as_it_was() {
    let temp = tempfile::tempdir().unwrap();
    Blobs::check_folder(temp.path()).await.unwrap();
    assert_eq!(names(temp.path()), Vec::<String>::new());
    assert_unavailable(Blobs::check_folder(&temp.path().join("nada")).await);
}
