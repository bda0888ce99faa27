//! Bytes in S3, on the server that `scripts/test-s3` starts.

use std::time::{Duration, Instant};

use bytes::Bytes;
use embudo_blobs::{BlobError, Blobs, Depot, S3Config};
use embudo_domain::Digest;
use uuid::Uuid;

use crate::common::{
    all, assert_unavailable, databases_keep_apart, deletes_nothing_too_late, keep, keeps_lists_and_erases,
    lead, ours, soon, strange, takes_the_same_bytes_from_many,
};

const SECRET: &str = "secreto-de-pruebas";

fn config(endpoint: &str, bucket: &str, prefix: &str) -> S3Config {
    S3Config {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        endpoint: Some(endpoint.to_owned()),
        region: "us-east-1".to_owned(),
        access_key_id: Some("clave-de-pruebas".to_owned()),
        secret_access_key: Some(SECRET.to_owned()),
        allow_http: true,
    }
}

fn endpoint() -> String {
    std::env::var("EMBUDO_TEST_S3").expect(
        "EMBUDO_TEST_S3 (an S3 endpoint) is not set: run ./test, or eval \"$(scripts/test-s3 start)\" first",
    )
}

/// A prefix in a bucket of its own on the test server.
async fn bucket(prefix: &str) -> (Blobs, S3Config) {
    let config = config(&endpoint(), &format!("fotos-{}", Uuid::new_v4()), prefix);
    // Connecting also installs the TLS provider that the plain client below needs.
    let blobs = Blobs::s3(&config, ours()).unwrap();
    let url = format!("{}/{}", endpoint(), config.bucket);
    let made = reqwest::Client::new().put(url).send().await.unwrap();
    assert!(made.status().is_success(), "the test server makes buckets: {}", made.status());
    (blobs, config)
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_lists_and_erases_in_a_bucket() {
    let (blobs, _) = bucket("").await;
    keeps_lists_and_erases(&blobs).await;
    takes_the_same_bytes_from_many(&blobs).await;
    crate::staging::what_was_staged_is_put_and_put_again(&blobs).await;
    assert_eq!(blobs.remove_leftovers(Duration::ZERO).await, Ok(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_keeps_files() {
    let (_, config) = bucket("/casa/copias/").await;
    let elsewhere = tempfile::tempdir().unwrap();
    crate::depot::keeps_files(&Depot::s3(&config).unwrap(), elsewhere.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prefix_keeps_to_itself() {
    let (blobs, config) = bucket("/casa/fotos/").await;
    keeps_lists_and_erases(&blobs).await;
    let whole = Blobs::s3(&S3Config { prefix: String::new(), ..config }, ours()).unwrap();
    assert_eq!(all(&whole).await, [], "another prefix sees nothing of it");
    let ana = lead();
    let digest = keep(&whole, ana, b"cocina").await;
    assert!(!blobs.exists(ana, &digest).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn five_megabytes_come_back_as_they_went() {
    let (blobs, _) = bucket("").await;
    let bytes: Bytes = (0..5_000_000_u32).map(|i| (i % 251) as u8).collect::<Vec<_>>().into();
    let (ana, digest) = (lead(), Digest::of(&bytes));
    blobs.put(ana, &digest, bytes.clone()).await.unwrap();
    assert_eq!(blobs.get(ana, &digest).await.unwrap(), bytes);
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_unavailable() {
    let config = config(&endpoint(), &format!("nadie-{}", Uuid::new_v4()), "");
    let blobs = Blobs::s3(&config, ours()).unwrap();
    let digest = Digest::of(b"cocina");
    let text = assert_unavailable(blobs.put(lead(), &digest, Bytes::from_static(b"cocina")).await);
    assert!(text.contains("create the bucket or correct its name"), "{text}");
    assert_unavailable(blobs.get(lead(), &digest).await);
    assert_unavailable(blobs.check().await);
}

#[tokio::test]
async fn an_outage_is_told_within_seconds_and_without_secrets() {
    // The port was free a moment ago, and nothing listens on it.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let blobs = Blobs::s3(&config(&format!("http://127.0.0.1:{port}"), "fotos", ""), ours()).unwrap();
    let digest = Digest::of(b"cocina");
    let start = Instant::now();
    let (put, get, exists, delete, erase, check) = tokio::join!(
        blobs.put(lead(), &digest, Bytes::from_static(b"cocina")),
        blobs.get(lead(), &digest),
        blobs.exists(lead(), &digest),
        blobs.delete(lead(), &digest, soon()),
        blobs.delete_lead(lead()),
        blobs.check(),
    );
    for text in [
        assert_unavailable(put),
        assert_unavailable(get),
        assert_unavailable(exists),
        assert_unavailable(delete),
        assert_unavailable(erase),
        assert_unavailable(check),
    ] {
        assert!(text.starts_with("photo storage s3://fotos: no connection"), "{text}");
        assert!(!text.contains(SECRET) && !text.contains("clave-de-pruebas"), "{text}");
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// A server that starts after a while and claims that every object has five bytes.
fn a_late_server(after: Duration) -> u16 {
    use std::io::{Read as _, Write as _};
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    std::thread::spawn(move || {
        std::thread::sleep(after);
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
        for stream in listener.incoming() {
            let (mut stream, mut request) = (stream.unwrap(), Vec::new());
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\netag: \"x\"\r\nconnection: close\r\n";
            let moment = "last-modified: Tue, 17 Nov 2026 08:00:00 GMT\r\n\r\n";
            stream.write_all(format!("{head}{moment}").as_bytes()).unwrap();
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_waits_for_a_server_that_starts_anew() {
    let config = config(&format!("http://127.0.0.1:{}", a_late_server(Duration::from_secs(8))), "copias", "");
    let depot = Depot::s3(&config).unwrap();
    let (blobs, patient) = (Blobs::s3(&config, ours()).unwrap(), Blobs::s3_patient(&config, ours()).unwrap());
    let digest = Digest::of(b"cocina");
    let (given_up, size, depot_size) =
        tokio::join!(blobs.size(lead(), &digest), patient.size(lead(), &digest), depot.size("manifest.json"));
    assert_unavailable(given_up);
    assert_eq!(size, Ok(Some(5)));
    assert_eq!(depot_size, Ok(5));
}

#[test]
fn settings_that_cannot_work_say_which_and_hide_the_key() {
    let good = config("http://127.0.0.1:9", "fotos", "");
    let bad = [
        S3Config { bucket: String::new(), ..good.clone() },
        S3Config { allow_http: false, ..good.clone() },
        S3Config { secret_access_key: None, ..good.clone() },
        S3Config { endpoint: Some("ftp://x".to_owned()), ..good.clone() },
        S3Config { endpoint: Some("https://u:secreto@x".to_owned()), ..good.clone() },
        S3Config { prefix: "a//b".to_owned(), ..good.clone() },
    ];
    for config in &bad {
        let Err(BlobError::Settings(text)) = Blobs::s3(config, ours()) else {
            panic!("{config:?} was taken")
        };
        assert!(!text.contains("secreto"), "{text}");
    }
    let shown = format!("{good:?} {:?}", Blobs::s3(&good, ours()).unwrap());
    assert!(!shown.contains(SECRET) && !shown.contains("clave-de-pruebas"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_that_share_a_bucket_keep_apart() {
    let (blobs, config) = bucket("casa").await;
    databases_keep_apart(&blobs, &Blobs::s3(&config, strange()).unwrap()).await;
    deletes_nothing_too_late(&blobs).await;
    Blobs::check_s3(&config).await.unwrap();
}
