//! Stopping without dropping anything.

use super::*;

fn quick() -> Limits {
    Limits { grace: ms(150), drain: ms(5000), ..Limits::default() }
}

#[tokio::test]
async fn a_request_in_hand_is_answered_and_told_to_close() {
    let mut server = TestServer::open(quick()).await;
    let mut busy = server.client().await;
    busy.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    server.stop();
    tokio::time::sleep(ms(400)).await;
    server.fixture.release.add_permits(1);
    let answer = busy.answer().await;
    assert_eq!((answer.status, answer.body.as_str(), answer.says_close()), (200, "hecho", true));
    busy.closed().await;
    server.ended().await.unwrap();
}

#[tokio::test]
async fn idle_connections_are_closed_and_the_port_is_free() {
    let mut server = TestServer::open(quick()).await;
    let mut idle = server.client().await;
    assert_eq!(idle.get("/hola").await.status, 200);
    let addr = server.addr;
    server.stop();
    idle.closed().await;
    server.ended().await.unwrap();
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_request_that_crosses_the_stop_is_still_served() {
    let mut server = TestServer::open(Limits { grace: ms(2000), ..quick() }).await;
    let mut kept = server.client().await;
    assert_eq!(kept.get("/hola").await.status, 200);
    let mut fresh = server.client().await;
    server.stop();
    let answer = kept.get("/hola").await;
    assert_eq!((answer.status, answer.says_close()), (200, true));
    assert!(fresh.get("/hola").await.says_close());
    kept.closed().await;
    server.ended().await.unwrap();
}

#[tokio::test]
async fn connections_still_in_the_queue_are_served() {
    let mut server = TestServer::open(Limits { connections: 1, grace: ms(2000), ..quick() }).await;
    let mut first = server.client().await;
    first.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    let mut queued = Vec::new();
    for _ in 0..20 {
        let mut client = server.client().await;
        client.send("GET /hola HTTP/1.1\r\nhost: x\r\n\r\n").await;
        queued.push(client);
    }
    server.stop();
    for client in &mut queued {
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.says_close()), (200, true));
    }
    server.fixture.release.add_permits(1);
    assert_eq!(first.answer().await.body, "hecho");
    server.ended().await.unwrap();
}

#[tokio::test]
async fn a_drain_that_takes_too_long_is_cut_and_counted() {
    let mut server = TestServer::open(Limits { drain: ms(300), grace: ms(20), ..Limits::default() }).await;
    let mut busy = server.client().await;
    busy.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    server.stop();
    busy.closed().await;
    assert!(matches!(server.ended().await, Err(ServeError::CutOff(1))));
}

/// Clients that send as fast as they can, on kept connections, across a stop: no request that was
/// sent goes without an answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_no_request_is_lost() {
    let mut server = TestServer::open(quick()).await;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..32 {
        let mut client = server.client().await;
        clients.spawn(async move {
            let mut answered = 0_u32;
            loop {
                let answer = client.get("/hola").await;
                assert_eq!(answer.body, "hola");
                answered += 1;
                if answer.says_close() {
                    return answered;
                }
            }
        });
    }
    tokio::time::sleep(ms(300)).await;
    server.stop();
    let answered: u32 = timeout(PATIENCE, clients.join_all()).await.expect("all told to close").iter().sum();
    assert!(answered > 100, "there was load: {answered}");
    server.ended().await.unwrap();
}
