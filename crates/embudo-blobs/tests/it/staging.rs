//! Bytes that arrive before their lead and their content are known.

use std::fs;
use std::time::{Duration, SystemTime};

use embudo_blobs::{Blobs, Put, Staged};
use embudo_domain::Digest;

use crate::common::{assert_unavailable, folder, lead, soon, within};

/// Stages bytes in these pieces.
async fn stage(blobs: &Blobs, pieces: &[&[u8]]) -> (Digest, Staged) {
    let mut staging = blobs.stage();
    for piece in pieces {
        let mut buffer = piece.to_vec();
        buffer.extend_from_slice(b"beyond what is filled");
        staging.write(buffer, piece.len()).await.unwrap();
    }
    let all = pieces.concat();
    assert_eq!(staging.size(), all.len() as u64);
    assert_eq!(staging.read(2, 3).await.unwrap(), all[2..5]);
    staging.finish()
}

/// A check that must hold for every storage.
pub async fn what_was_staged_is_put_and_put_again(blobs: &Blobs) {
    let ana = lead();
    let (digest, staged) = stage(blobs, &[b"coc", b"ina"]).await;
    assert_eq!(digest, Digest::of(b"cocina"));
    assert_eq!(blobs.put(ana, &digest, staged.clone()).await, Ok(Put::Written));
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), "cocina");
    assert_eq!(blobs.put(ana, &digest, staged.clone()).await, Ok(Put::Kept));
    // Simulates a sweep that deletes the bytes during the call.
    blobs.delete(ana, &digest, soon()).await.unwrap();
    assert_eq!(blobs.put(ana, &digest, staged.clone()).await, Ok(Put::Written));
    blobs.delete_lead(ana).await.unwrap();
    assert_eq!(blobs.put(ana, &digest, staged).await, Ok(Put::Written));
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), "cocina");
}

#[tokio::test]
async fn staged_bytes_in_memory() {
    let blobs = Blobs::memory();
    what_was_staged_is_put_and_put_again(&blobs).await;
    assert_eq!(stage(&blobs, &[b"cocina"]).await.1.held_bytes(), 6);
}

#[tokio::test]
async fn staged_bytes_in_a_folder() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    what_was_staged_is_put_and_put_again(&blobs).await;
    assert_eq!(stage(&blobs, &[b"cocina"]).await.1.held_bytes(), 0);
}

#[tokio::test]
async fn a_file_that_nobody_took_is_gone() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    let files = || fs::read_dir(within(temp.path()).join("staging")).unwrap().count();
    let ana = lead();
    let (digest, staged) = stage(&blobs, &[b"cocina"]).await;
    let (_, double) = stage(&blobs, &[b"cocina"]).await;
    assert_eq!(files(), 2);
    assert_eq!(blobs.put(ana, &digest, staged).await, Ok(Put::Written));
    assert_eq!(blobs.put(ana, &digest, double.clone()).await, Ok(Put::Kept));
    assert_eq!(files(), 1);
    drop(double);
    while files() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), "cocina");
}

#[tokio::test]
async fn what_a_crash_left_goes_once_it_is_idle() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    let staging = within(temp.path()).join("staging");
    let (old, young) = (staging.join("a#1"), staging.join("b#1"));
    for path in [&old, &young] {
        fs::write(path, b"co").unwrap();
    }
    let past = SystemTime::now() - Duration::from_secs(11 * 60);
    fs::File::options().write(true).open(&old).unwrap().set_modified(past).unwrap();
    assert_eq!(blobs.clear_staging().await, Ok(1));
    assert!(!old.exists() && young.exists());
}

#[tokio::test]
async fn a_disk_that_is_gone_is_no_place_to_stage() {
    let temp = tempfile::tempdir().unwrap();
    let blobs = folder(temp.path());
    fs::remove_dir(within(temp.path()).join("staging")).unwrap();
    stage(&blobs, &[b"cocina"]).await;
    fs::remove_dir_all(within(temp.path())).unwrap();
    assert_unavailable(blobs.stage().write(b"cocina".to_vec(), 6).await);
}
