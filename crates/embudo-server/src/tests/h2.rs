//! HTTP/2 with prior knowledge.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::*;

type Connection = JoinHandle<Result<(), hyper::Error>>;

async fn connect(server: &TestServer) -> (SendRequest<Full<Bytes>>, Connection) {
    let io = TokioIo::new(TcpStream::connect(server.addr).await.unwrap());
    let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    (sender, tokio::spawn(connection))
}

async fn call(
    sender: &mut SendRequest<Full<Bytes>>,
    method: &str,
    path: &str,
    body: Vec<u8>,
) -> (u16, Bytes) {
    let uri = format!("http://localhost{path}");
    let request = http::Request::builder().method(method).uri(uri).body(Full::from(body)).unwrap();
    let response = timeout(PATIENCE, sender.send_request(request)).await.expect("in time").unwrap();
    let status = response.status().as_u16();
    (status, timeout(PATIENCE, response.collect()).await.expect("in time").unwrap().to_bytes())
}

#[tokio::test]
async fn requests_and_bodies_pass() {
    let server = TestServer::open_with(Limits::default(), BodySettings::default(), 4 * 1024 * 1024).await;
    let (mut sender, _connection) = connect(&server).await;
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await, (200, "hola".into()));
    assert_eq!(call(&mut sender, "POST", "/cuerpo", vec![1; 3_000_000]).await, (200, "3000000".into()));
    assert_eq!(call(&mut sender, "POST", "/cuerpo", vec![1; 5_000_000]).await.0, 413);
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await.0, 200, "the connection goes on after a 413");
}

#[tokio::test]
async fn without_a_first_request_it_is_closed() {
    let server = TestServer::open(Limits { first_head: ms(200), ..Limits::default() }).await;
    let (_sender, connection) = connect(&server).await;
    let begun = Instant::now();
    let _ended = timeout(PATIENCE, connection).await.expect("closed in time");
    assert!(begun.elapsed() >= ms(150));
}

#[tokio::test]
async fn it_is_closed_when_idle_but_never_with_a_request_in_hand() {
    let limits = Limits { head: ms(100), idle: ms(400), ..Limits::default() };
    let server = TestServer::open(limits).await;
    let (mut sender, connection) = connect(&server).await;
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await.0, 200);
    let fixture = server.fixture.clone();
    let releasing = async {
        fixture.one_entered().await;
        tokio::time::sleep(ms(1200)).await;
        fixture.release.add_permits(1);
    };
    let (answer, ()) = tokio::join!(call(&mut sender, "GET", "/wait", vec![]), releasing);
    assert_eq!(answer, (200, "hecho".into()));
    let begun = Instant::now();
    timeout(PATIENCE, connection)
        .await
        .expect("closed in time")
        .unwrap()
        .expect("by GOAWAY, without an error");
    assert!(begun.elapsed() >= ms(350), "{:?}", begun.elapsed());
}

/// Requests this path this many times at once and reads no answer.
async fn ask_without_reading(server: &TestServer, path: &str, times: usize) -> (Vec<u16>, Connection) {
    let io = TokioIo::new(TcpStream::connect(server.addr).await.unwrap());
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(1024);
    let (sender, connection) = builder.handshake(io).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut statuses = Vec::new();
    for _ in 0..times {
        let uri = format!("http://localhost{path}");
        let request = http::Request::builder().uri(uri).body(Full::default()).unwrap();
        let mut sender: SendRequest<Full<Bytes>> = sender.clone();
        let response = timeout(PATIENCE, sender.send_request(request)).await.expect("in time").unwrap();
        statuses.push(response.status().as_u16());
        // Forgotten, not dropped: a drop would tell the server to stop sending.
        std::mem::forget(response);
    }
    std::mem::forget(sender);
    (statuses, connection)
}

#[tokio::test]
async fn answers_that_nobody_reads_are_made_no_further() {
    let server = TestServer::open(Limits::default()).await;
    let (statuses, _connection) = ask_without_reading(&server, "/a-trozos", 20).await;
    assert_eq!(statuses, [200; 20]);
    tokio::time::sleep(ms(300)).await;
    let made = server.fixture.made.load(Ordering::Relaxed);
    assert!(made <= 20 * 64 * 1024, "one piece each, not {made} bytes");
}

#[tokio::test]
async fn an_answer_that_nobody_reads_ends_its_connection() {
    let server = TestServer::open(Limits { stalled: ms(400), ..Limits::default() }).await;
    for path in ["/a-trozos", "/grande", "/dos-trozos"] {
        let begun = Instant::now();
        let (statuses, connection) = ask_without_reading(&server, path, 1).await;
        assert_eq!(statuses, [200]);
        let _ended = timeout(PATIENCE, connection).await.expect("closed in time");
        assert!(begun.elapsed() >= ms(350), "{path} {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn each_connection_has_a_request_and_further_ones_share_what_there_is() {
    let server = TestServer::open(Limits { total_streams: 4, ..Limits::default() }).await;
    let (sender, _connection) = connect(&server).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let mut sender = sender.clone();
        calls.spawn(async move { call(&mut sender, "GET", "/wait", vec![]).await.0 });
        server.fixture.one_entered().await;
    }
    let mut more = sender.clone();
    assert_eq!(call(&mut more, "GET", "/hola", vec![]).await.0, 503, "half of four for one address");
    let (mut other, _connection) = connect(&server).await;
    assert_eq!(call(&mut other, "GET", "/hola", vec![]).await.0, 200, "the first of a connection is its own");
    server.fixture.release.add_permits(3);
    assert_eq!(calls.join_all().await, [200; 3]);
    assert_eq!(call(&mut more, "GET", "/hola", vec![]).await.0, 200);
}

#[tokio::test]
async fn a_stop_lets_its_requests_finish() {
    let mut server = TestServer::open(Limits::default()).await;
    let (mut sender, connection) = connect(&server).await;
    let fixture = server.fixture.clone();
    let stopping = async {
        fixture.one_entered().await;
        server.stop();
        tokio::time::sleep(ms(100)).await;
        fixture.release.add_permits(1);
    };
    let (answer, ()) = tokio::join!(call(&mut sender, "GET", "/wait", vec![]), stopping);
    assert_eq!(answer, (200, "hecho".into()));
    timeout(PATIENCE, connection).await.expect("closed in time").unwrap().unwrap();
    server.ended().await.unwrap();
}
