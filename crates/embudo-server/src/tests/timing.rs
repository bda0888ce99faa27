//! Clients that are slow or silent, and too many clients.

use super::*;

/// Limits that no test reaches. Each test shortens only the limit that it is about, so that on a slow machine no other
/// limit can come first.
fn long() -> Limits {
    let hour = Duration::from_secs(3600);
    Limits { first_head: hour, head: hour, idle: hour, ..Limits::default() }
}

#[tokio::test]
async fn a_connection_without_a_first_byte_is_closed() {
    let server = TestServer::open(Limits { first_head: ms(200), ..long() }).await;
    let after = server.client().await.closed().await;
    assert!(after >= ms(150), "{after:?}");
}

#[tokio::test]
async fn a_head_that_drips_is_closed_however_steady_the_drops() {
    let server = TestServer::open(Limits { first_head: ms(300), ..long() }).await;
    // On HTTP/2: endless SETTINGS frames, and never a request.
    let settings: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    for (start, drops) in [
        ("GET /hola HTTP/1.1\r\nx-lento: ", b"a".as_slice()),
        ("G", b"a"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", settings),
    ] {
        let mut client = server.client().await;
        client.send(start).await;
        let begun = Instant::now();
        let (mut read, mut write) = client.0.split();
        let dripping = async {
            for drop in drops.iter().cycle() {
                tokio::time::sleep(ms(40)).await;
                if write.write_all(&[*drop]).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        let ending = async {
            let mut rest = Vec::new();
            let _reset = read.read_to_end(&mut rest).await;
        };
        tokio::select! {
            () = dripping => unreachable!("drips for ever"),
            ended = timeout(PATIENCE, ending) => ended.expect("closed in time"),
        }
        assert!(begun.elapsed() >= ms(250), "{start:?} {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn an_idle_connection_is_kept_and_then_closed() {
    let limits = Limits { first_head: ms(200), head: ms(200), idle: ms(1500), ..long() };
    let server = TestServer::open(limits).await;
    let mut client = server.client().await;
    assert_eq!(client.get("/hola").await.body, "hola");
    // Longer than the first-byte and head limits together, shorter than the idle one.
    tokio::time::sleep(ms(600)).await;
    assert_eq!(client.get("/hola").await.body, "hola");
    let after = client.closed().await;
    assert!(after >= ms(1400), "{after:?}");
}

#[tokio::test]
async fn a_slow_head_on_a_kept_connection_is_closed() {
    let server = TestServer::open(Limits { head: ms(300), ..long() }).await;
    let mut client = server.client().await;
    assert_eq!(client.get("/hola").await.status, 200);
    client.send("GET /hola HTT").await;
    let after = client.closed().await;
    assert!(after >= ms(250), "{after:?}");
}

#[tokio::test]
async fn no_timer_runs_while_a_request_is_handled() {
    let server = TestServer::open(Limits { idle: ms(400), head: ms(100), ..long() }).await;
    let mut client = server.client().await;
    client.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    tokio::time::sleep(ms(1300)).await;
    server.fixture.release.add_permits(1);
    assert_eq!(client.answer().await.body, "hecho");
    assert!(client.closed().await >= ms(350), "idle time starts with the answer");
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up() {
    let limits = Limits { stalled: ms(300), grace: ms(10), drain: Duration::from_secs(3600), ..long() };
    let mut server = TestServer::open(limits).await;
    let mut client = server.client().await;
    client.send("GET /grande HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let mut first = [0; 15];
    client.0.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    server.stop();
    server.ended().await.expect("the stalled connection does not hold the server");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::open(long()).await;
    let mut client = server.client().await;
    let post = "POST /cuerpo HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc";
    let get = "GET /hola HTTP/1.1\r\nhost: x\r\n\r\n";
    client.send(format!("{get}{post}{get}")).await;
    for expected in ["hola", "3", "hola"] {
        assert_eq!(client.answer().await.body, expected);
    }
    // Half of a second request already came with the first.
    client.send(format!("{get}GET /ho")).await;
    assert_eq!(client.answer().await.body, "hola");
    client.send("la HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(client.answer().await.body, "hola");
}

#[tokio::test]
async fn beyond_the_cap_connections_wait_for_room() {
    let server = TestServer::open(Limits { connections: 2, ..long() }).await;
    let (mut one, mut two) = (server.client().await, server.client().await);
    assert_eq!(one.get("/hola").await.status, 200);
    assert_eq!(two.get("/hola").await.status, 200);
    let mut three = server.client().await;
    three.send("GET /hola HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(timeout(ms(200), three.0.readable()).await.is_err(), "not served yet");
    drop(one);
    assert_eq!(three.answer().await.status, 200);
    assert_eq!(two.get("/hola").await.status, 200);
}

#[tokio::test]
async fn for_a_newcomer_the_connection_that_is_idle_longest_is_closed() {
    let server = TestServer::open(Limits { connections: 3, eviction: ms(50), ..long() }).await;
    let (mut silent, mut one, mut two) =
        (server.client().await, server.client().await, server.client().await);
    assert_eq!(one.get("/hola").await.status, 200);
    assert_eq!(two.get("/hola").await.status, 200);
    // The first never sent anything, the second has been idle longer than the third.
    let mut newcomer = server.client().await;
    assert_eq!(newcomer.get("/hola").await.status, 200);
    silent.closed().await;
    let mut another = server.client().await;
    assert_eq!(another.get("/hola").await.status, 200);
    one.closed().await;
    assert_eq!(two.get("/hola").await.status, 200);
    assert_eq!(newcomer.get("/hola").await.status, 200);
}

#[tokio::test]
async fn no_connection_is_closed_for_a_newcomer_while_it_is_busy() {
    let server = TestServer::open(Limits { connections: 2, eviction: ms(1), ..long() }).await;
    let (mut working, mut reading) = (server.client().await, server.client().await);
    working.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    reading.send("GET /grande HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let mut head = [0; 15];
    reading.0.read_exact(&mut head).await.unwrap();
    let mut newcomer = server.client().await;
    newcomer.send("GET /hola HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(timeout(ms(400), newcomer.0.readable()).await.is_err(), "not served yet");
    server.fixture.release.add_permits(1);
    assert_eq!(working.answer().await.body, "hecho");
    assert_eq!(newcomer.answer().await.status, 200);
    working.closed().await;
    let mut rest = 0;
    while rest < 32 * 1024 * 1024 {
        rest += timeout(PATIENCE, reading.0.read(&mut [0; 65536])).await.expect("in time").unwrap();
    }
}

#[tokio::test]
async fn handlers_see_the_peer() {
    let server = TestServer::open(long()).await;
    let mut client = server.client().await;
    let own = client.0.local_addr().unwrap().to_string();
    assert_eq!(client.get("/peer").await.body, own);
}

#[tokio::test]
async fn a_head_beyond_its_size_is_refused() {
    let server = TestServer::open(Limits::default()).await;
    let mut client = server.client().await;
    client.send(format!("GET /hola HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(70 * 1024))).await;
    assert_eq!(client.answer().await.status, 431);
}

#[tokio::test]
async fn slow_clients_starve_nobody_and_are_all_closed() {
    let server = TestServer::open(Limits { first_head: ms(1500), head: ms(1500), ..long() }).await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut client = server.client().await;
        if n % 2 == 0 {
            client.send("POST /cuerpo HTTP/1.1\r\ncontent-le").await;
        }
        slow.push(client);
    }
    let mut good = server.client().await;
    for _ in 0..50 {
        assert_eq!(good.get("/hola").await.status, 200);
    }
    for client in &mut slow {
        client.closed().await;
    }
    assert_eq!(good.get("/hola").await.status, 200);
}
