//! Servers that behave in all kinds of ways: what a fetch reports about them, within a bounded time.

use std::time::{Duration, Instant};

use embudo_delivery::FetchFailure;
use embudo_delivery::fetch::{BYTES_MAX, Fetcher, Rules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::{LENGTH, Server, read_head, rules};

/// The time-out in tests that wait for one; these tests have no other waits.
const SHORT: Duration = Duration::from_millis(300);
/// The time that a loaded machine may add to `SHORT`.
const SLACK: Duration = Duration::from_secs(30);

async fn with(answer: impl Into<Vec<u8>>) -> Result<bytes::Bytes, FetchFailure> {
    let server = Server::what_says(answer).await;
    let done = server.fetches().fetch(&server.url(), LENGTH).await;
    assert_eq!(server.how_many().await, 1, "one attempt");
    done
}

async fn impatient(server: &Server) -> FetchFailure {
    let start = Instant::now();
    let failure = server.fetches().fetch(&server.url(), SHORT).await.unwrap_err();
    assert!(start.elapsed() < SHORT + SLACK, "{:?}", start.elapsed());
    failure
}

#[tokio::test]
async fn a_photo_is_asked_for_plainly() {
    let (says, mut hears) = mpsc::unbounded_channel();
    let server = Server::start("127.0.0.1:0", move |mut socket| {
        let says = says.clone();
        async move {
            let _ = says.send(read_head(&mut socket).await);
            let _ = socket
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nset-cookie: a=b\r\n\r\n")
                .await;
            let _ = socket.write_all(b"2\r\nfo\r\n2\r\nto\r\n0\r\n\r\n").await;
        }
    })
    .await;
    let fetches = server.fetches();
    for _ in 0..2 {
        assert_eq!(fetches.fetch(&server.url(), LENGTH).await.unwrap(), "foto");
        let head = hears.recv().await.unwrap().to_ascii_lowercase();
        assert!(head.starts_with("get /foto.jpg?firma=secreto http/1.1\r\n"), "{head}");
        assert!(head.contains("accept-encoding: identity\r\n") && head.contains("accept: image/*\r\n"));
        assert!(head.contains("user-agent: embudo/"));
        for never in ["cookie", "referer", "authorization", "gzip", "proxy"] {
            assert!(!head.contains(never), "{never}: {head}");
        }
    }
    assert_eq!(server.how_many().await, 2, "a connection for each");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let canary = Server::start("127.0.0.1:0", |_| async {}).await;
    for status in [300, 301, 302, 303, 304, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {status} x\r\nlocation: {}\r\nrefresh: 0\r\ncontent-length: 0\r\n\r\n",
            canary.url()
        );
        assert_eq!(with(answer).await, Err(FetchFailure::Redirects), "{status}");
    }
    assert_eq!(canary.how_many().await, 0);
}

#[tokio::test]
async fn only_200_is_a_photo() {
    for status in [201, 203, 204, 206, 400, 401, 404, 407, 410, 429, 500, 503, 599] {
        let failure = with(format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n")).await.unwrap_err();
        assert_eq!(failure, FetchFailure::State(status));
        assert_eq!(failure.is_passing(), status >= 500 || status == 429, "{status}");
    }
}

#[tokio::test]
async fn what_is_not_http_is_cut() {
    for nothing in [
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\ncorto",
        "HTTP/9.9 x\r\n\r\n",
    ] {
        assert_eq!(with(nothing).await, Err(FetchFailure::Cut), "{nothing}");
    }
    let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: ".to_vec(), vec![b'a'; 2_000_000]].concat();
    assert_eq!(with(endless).await, Err(FetchFailure::Cut));
}

#[tokio::test]
async fn what_is_packed_is_not_unpacked() {
    for manner in ["gzip", "br", "deflate", "zstd", "gzip, gzip"] {
        let answer =
            format!("HTTP/1.1 200 OK\r\ncontent-encoding: {manner}\r\ncontent-length: 4\r\n\r\nfoto");
        assert_eq!(with(answer).await, Err(FetchFailure::Compressed), "{manner}");
    }
    let flat = "HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 4\r\n\r\nfoto";
    assert_eq!(with(flat).await.unwrap(), "foto");
}

#[tokio::test]
async fn a_declared_excess_is_refused_at_once() {
    // Nothing follows the head, and the server waits: the declared length alone decides.
    let server = Server::start("127.0.0.1:0", |mut socket| async move {
        read_head(&mut socket).await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", BYTES_MAX + 1);
        let _ = socket.write_all(head.as_bytes()).await;
        let _ = socket.read_u8().await;
    })
    .await;
    assert_eq!(server.fetches().fetch(&server.url(), LENGTH).await, Err(FetchFailure::Big));
}

#[tokio::test]
async fn the_last_byte_that_fits_and_the_first_that_does_not() {
    let exact = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![7; BYTES_MAX]].concat();
    assert_eq!(with(exact.clone()).await.unwrap().len(), BYTES_MAX);
    assert_eq!(with([exact, vec![7]].concat()).await, Err(FetchFailure::Big));
}

#[tokio::test]
async fn chunks_without_end_are_cut_at_the_limit() {
    let (says, mut hears) = mpsc::unbounded_channel();
    let server = Server::start("127.0.0.1:0", move |mut socket| {
        let says = says.clone();
        async move {
            read_head(&mut socket).await;
            let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
            let chunk = [b"10000\r\n".to_vec(), vec![1; 0x10000], b"\r\n".to_vec()].concat();
            let mut sent = 0_usize;
            while socket.write_all(&chunk).await.is_ok() {
                sent += 0x10000;
            }
            let _ = says.send(sent);
        }
    })
    .await;
    assert_eq!(server.fetches().fetch(&server.url(), LENGTH).await, Err(FetchFailure::Big));
    // We hung up: beyond the limit the server could only fill the system's buffers.
    assert!(hears.recv().await.unwrap() < BYTES_MAX + 16 * 1024 * 1024);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left() {
    let mute =
        Server::start("127.0.0.1:0", |mut socket| async move { while socket.read_u8().await.is_ok() {} })
            .await;
    assert_eq!(impatient(&mute).await, FetchFailure::Time);
}

#[tokio::test]
async fn a_body_by_drops_and_a_head_by_drops_are_left() {
    for start in ["HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "HTTP/1.1 200 OK\r\nx: "] {
        let drops = Server::start("127.0.0.1:0", move |mut socket| async move {
            read_head(&mut socket).await;
            let _ = socket.write_all(start.as_bytes()).await;
            let mut clock = tokio::time::interval(Duration::from_millis(20));
            while socket.write_all(b"a").await.is_ok() {
                clock.tick().await;
            }
        })
        .await;
        assert_eq!(impatient(&drops).await, FetchFailure::Time);
    }
}

#[tokio::test]
async fn informational_answers_without_end_are_left() {
    let endless = Server::start("127.0.0.1:0", |mut socket| async move {
        read_head(&mut socket).await;
        while socket.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").await.is_ok() {}
    })
    .await;
    let failure = impatient(&endless).await;
    assert!(matches!(failure, FetchFailure::Time | FetchFailure::Cut), "{failure:?}");
}

#[tokio::test]
async fn a_reset_is_a_cut() {
    let server = Server::start("127.0.0.1:0", |mut socket| async move {
        read_head(&mut socket).await;
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nalgo").await;
        socket.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(server.fetches().fetch(&server.url(), LENGTH).await, Err(FetchFailure::Cut));
}

#[tokio::test]
async fn nobody_there_and_nobody_answering() {
    let gone = Server::what_says("").await;
    let (url, fetches) = (gone.url(), gone.fetches());
    gone.task.abort();
    while !gone.task.is_finished() {
        tokio::task::yield_now().await;
    }
    assert_eq!(fetches.fetch(&url, LENGTH).await, Err(FetchFailure::NoConnection));
    let deaf = crate::deaf().await;
    let open = Fetcher::new(rules(&[&deaf.address.to_string()])).unwrap();
    let url = format!("http://{}/", deaf.address);
    assert_eq!(open.fetch(&url, SHORT).await, Err(FetchFailure::Time));
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    use embudo_testkit::Certificate;
    use embudo_testkit::receiver::Receiver;
    let certificate = Certificate::for_("127.0.0.1");
    let ca_pem = Some(certificate.ca_pem.clone().into_bytes());
    let receiver = Receiver::with_tls(certificate).await;
    let address = url::Url::parse(&receiver.url()).unwrap();
    let rule = format!("{}:{}", address.host_str().unwrap(), address.port().unwrap());
    let distrusts = Fetcher::new(rules(&[&rule])).unwrap();
    assert_eq!(distrusts.fetch(address.as_str(), LENGTH).await, Err(FetchFailure::Tls));
    let trusts = Rules { ca_pem, ..rules(&[&rule]) };
    let trusts = Fetcher::new(trusts).unwrap();
    assert!(trusts.fetch(address.as_str(), LENGTH).await.is_ok());
    let flat = Server::start("127.0.0.1:0", |mut socket| async move {
        let _ = socket.write_all(b"HTTP/1.1 400 x\r\n\r\n").await;
        while socket.read_u8().await.is_ok() {}
    })
    .await;
    let url = flat.url().replace("http:", "https:");
    assert_eq!(flat.fetches().fetch(&url, LENGTH).await, Err(FetchFailure::Tls));
    let broken = Rules { ca_pem: Some(b"nada".to_vec()), ..Rules::default() };
    assert!(Fetcher::new(broken).is_err());
}
