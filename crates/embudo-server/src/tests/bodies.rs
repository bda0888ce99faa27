//! Bodies: sizes, encodings, pace, budget, and refusals that the client gets to see.

use super::*;

const MIB: usize = 1024 * 1024;

fn post(path: &str, extra: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: x\r\n{extra}\r\n")
}

fn declared(path: &str, length: usize) -> String {
    post(path, &format!("content-length: {length}\r\n"))
}

async fn open(limit: usize) -> TestServer {
    TestServer::open_with(Limits::default(), BodySettings::default(), limit).await
}

#[tokio::test]
async fn a_body_within_its_limit_is_read_however_it_comes() {
    let server = open(2 * MIB).await;
    let mut client = server.client().await;
    client.send(declared("/cuerpo", 0)).await;
    assert_eq!(client.answer().await.body, "0");
    client.send(post("/cuerpo", "")).await;
    assert_eq!(client.answer().await.body, "0", "no body at all");
    client.send(declared("/cuerpo", 2 * MIB)).await;
    client.send(vec![b'a'; 2 * MIB]).await;
    assert_eq!(client.answer().await.body, "2097152", "exactly the limit");
    client.send(post("/cuerpo", "transfer-encoding: chunked\r\n")).await;
    for _ in 0..16 {
        client.send("10000\r\n").await;
        client.send(vec![b'a'; 0x10000]).await;
        client.send("\r\n").await;
    }
    client.send("0\r\nx-resumen: 1\r\n\r\n").await;
    assert_eq!(client.answer().await.body, "1048576", "chunked, with a trailer");
    assert_eq!(server.fixture.budget.held_bytes(), 0, "all was given back");
}

#[tokio::test]
async fn encoded_bodies_are_refused_and_identity_is_not() {
    let server = open(MIB).await;
    let mut client = server.client().await;
    for (coding, status) in [("gzip", 415), ("identity, br", 415), ("Identity", 200), ("", 200)] {
        client.send(post("/cuerpo", &format!("content-encoding: {coding}\r\ncontent-length: 2\r\n"))).await;
        client.send("{}").await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.says_close()), (status, false), "{coding}");
    }
}

#[tokio::test]
async fn a_client_that_sends_40_mb_declared_sees_the_413() {
    let server = open(8 * MIB).await;
    let mut client = server.client().await;
    client.send(declared("/cuerpo", 40_000_000)).await;
    // A naive client: the whole body first, and only then a look at the answer.
    for _ in 0..40 {
        client.send(vec![b'a'; 1_000_000]).await;
    }
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.says_close()), (413, true));
    assert_eq!(answer.body, (8 * MIB).to_string());
    client.closed().await;
}

#[tokio::test]
async fn the_413_comes_before_the_body() {
    let server = open(8 * MIB).await;
    let mut client = server.client().await;
    client.send(declared("/cuerpo", 40_000_000)).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.says_close()), (413, true));
}

#[tokio::test]
async fn any_refusal_before_reading_is_seen_by_the_client() {
    let server = open(MIB).await;
    let mut client = server.client().await;
    client.send(declared("/sin-leer", 20_000_000)).await;
    for _ in 0..20 {
        client.send(vec![b'a'; 1_000_000]).await;
    }
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.says_close()), (401, true));
    client.closed().await;

    let mut client = server.client().await;
    for _ in 0..3 {
        client.send(declared("/sin-leer", 20_000)).await;
        client.send(vec![b'a'; 20_000]).await;
        let answer = client.answer().await;
        assert_eq!(
            (answer.status, answer.says_close()),
            (401, false),
            "a small rest does not cost the connection"
        );
    }
}

#[tokio::test]
async fn the_rest_of_a_refused_body_is_not_awaited_for_long() {
    let limits = Limits { rest_time: ms(200), ..Limits::default() };
    let server = TestServer::open_with(limits, BodySettings::default(), 1024).await;
    let mut client = server.client().await;
    client.send(declared("/cuerpo", 40_000_000)).await;
    assert_eq!(client.answer().await.status, 413);
    let after = client.closed().await;
    assert!(after >= ms(150), "{after:?}");
}

#[tokio::test]
async fn with_expect_nothing_is_asked_for_when_it_is_refused() {
    let server = open(MIB).await;
    let mut client = server.client().await;
    client.send(post("/cuerpo", "content-length: 40000000\r\nexpect: 100-continue\r\n")).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.says_close()), (413, true), "no stray 100");
    client.closed().await;

    let mut client = server.client().await;
    client.send(post("/cuerpo", "content-length: 3\r\nexpect: 100-continue\r\n")).await;
    assert_eq!(client.answer().await.status, 100);
    client.send("abc").await;
    assert_eq!(client.answer().await.body, "3");
    assert_eq!(client.get("/hola").await.status, 200);
}

#[tokio::test]
async fn a_chunked_body_is_cut_at_the_limit() {
    let server = open(MIB).await;
    let mut client = server.client().await;
    client.send(post("/cuerpo", "transfer-encoding: chunked\r\n")).await;
    for _ in 0..8 {
        client.send("100000\r\n").await;
        client.send(vec![b'a'; MIB]).await;
        client.send("\r\n").await;
    }
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.says_close()), (413, true));
    assert_eq!(server.fixture.budget.held_bytes(), 0);
}

#[tokio::test]
async fn a_body_without_progress_is_refused() {
    let settings = BodySettings { window: ms(700), window_least_bytes: 2000, ..BodySettings::default() };
    let limits = Limits { rest_time: ms(100), ..Limits::default() };
    let server = TestServer::open_with(limits, settings, MIB).await;

    let mut slow = server.client().await;
    slow.send(declared("/cuerpo", 5000)).await;
    slow.send("a").await;
    let answer = slow.answer().await;
    assert_eq!((answer.status, answer.says_close()), (408, true));
    slow.closed().await;

    let mut steady = server.client().await;
    steady.send(declared("/cuerpo", 150_000)).await;
    for _ in 0..30 {
        steady.send(vec![b'a'; 5000]).await;
        tokio::time::sleep(ms(50)).await;
    }
    assert_eq!(steady.answer().await.body, "150000", "longer than a window, each with enough");
}

#[tokio::test]
async fn a_client_that_hangs_up_in_its_body_leaves_nothing_behind() {
    let mut server = open(MIB).await;
    let mut client = server.client().await;
    client.send(declared("/cuerpo", 500_000)).await;
    client.send(vec![b'a'; 200_000]).await;
    drop(client);
    server.stop();
    let budget = server.fixture.budget.clone();
    server.ended().await.unwrap();
    assert_eq!(budget.held_bytes(), 0);
}

#[tokio::test]
async fn a_body_that_finds_no_room_is_refused_after_its_wait() {
    let settings = BodySettings { patience: ms(400), ..BodySettings::of(MIB as u64) };
    let server = TestServer::open_with(Limits::default(), settings, 8 * MIB).await;
    let big = 800 * 1024;

    let mut first = server.client().await;
    first.send(declared("/retiene", big)).await;
    first.send(vec![b'a'; big]).await;
    server.fixture.one_entered().await;

    let mut refused = server.client().await;
    refused.send(declared("/cuerpo", big)).await;
    let begun = Instant::now();
    refused.send(vec![b'a'; big]).await;
    let answer = refused.answer().await;
    assert_eq!(answer.status, 503);
    assert!(answer.head.contains("retry-after: 5"));
    assert!(begun.elapsed() >= ms(380));

    let mut small = server.client().await;
    small.send(declared("/cuerpo", 60_000)).await;
    small.send(vec![b'a'; 60_000]).await;
    assert_eq!(small.answer().await.status, 200, "small bodies do not wait behind large ones");

    server.fixture.release.add_permits(1);
    assert_eq!(first.answer().await.body, big.to_string());
    let mut whole = server.client().await;
    whole.send(declared("/cuerpo", 4 * MIB)).await;
    whole.send(vec![b'a'; 4 * MIB]).await;
    assert_eq!(
        whole.answer().await.body,
        (4 * MIB).to_string(),
        "larger than the budget waits for all of it"
    );
    let mut chunked = server.client().await;
    chunked.send(post("/cuerpo", "transfer-encoding: chunked\r\n")).await;
    chunked.send(format!("{:x}\r\n", 3 * MIB)).await;
    chunked.send(vec![b'a'; 3 * MIB]).await;
    chunked.send("\r\n0\r\n\r\n").await;
    assert_eq!(chunked.answer().await.body, (3 * MIB).to_string());
    assert_eq!(server.fixture.budget.held_bytes(), 0);
}

/// Clients that together declare the whole budget, send a first piece and then next to nothing.
async fn dawdlers(server: &TestServer, count: usize) -> Vec<RawClient> {
    let mut all = Vec::new();
    for _ in 0..count {
        let mut client = server.client().await;
        client.send(declared("/cuerpo", MIB)).await;
        client.send(vec![b'a'; 100 * 1024]).await;
        all.push(client);
    }
    all
}

#[tokio::test]
async fn a_declared_length_alone_takes_nothing() {
    let server = TestServer::open_with(Limits::default(), BodySettings::of(MIB as u64), MIB).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        let mut client = server.client().await;
        client.send(declared("/cuerpo", MIB)).await;
        client.send(vec![b'a'; 1000]).await;
        silent.push(client);
    }
    let mut good = server.client().await;
    good.send(declared("/cuerpo", MIB)).await;
    good.send(vec![b'a'; MIB]).await;
    assert_eq!(good.answer().await.body, MIB.to_string());
}

#[tokio::test]
async fn whoever_dawdles_keeps_only_what_has_come() {
    let settings =
        BodySettings { window: ms(300), window_least_bytes: 1, ..BodySettings::of(2 * MIB as u64) };
    let server = TestServer::open_with(Limits::default(), settings, MIB).await;
    let mut slow = dawdlers(&server, 2).await;
    let drip = async {
        loop {
            tokio::time::sleep(ms(100)).await;
            for client in &mut slow {
                client.send("a").await;
            }
        }
    };
    let mut good = server.client().await;
    let upload = async {
        good.send(declared("/cuerpo", MIB)).await;
        good.send(vec![b'a'; MIB]).await;
        good.answer().await
    };
    tokio::select! {
        answer = upload => assert_eq!(answer.body, MIB.to_string()),
        () = drip => unreachable!("it drips for ever"),
    }
    let held = server.fixture.budget.held_bytes();
    assert!(held < 2 * 400 * 1024, "{held}");
}

#[tokio::test]
async fn a_body_must_keep_its_pace_as_a_whole() {
    let settings = BodySettings {
        window: ms(100),
        window_least_bytes: 100,
        pace_bytes: 100_000,
        pace_grace: ms(300),
        ..BodySettings::default()
    };
    let limits = Limits { rest_time: ms(100), ..Limits::default() };
    let server = TestServer::open_with(limits, settings, MIB).await;
    let mut slow = server.client().await;
    slow.send(declared("/cuerpo", MIB)).await;
    // Enough for every window, but far too little for the minimum rate of the whole body.
    let drip = async {
        loop {
            slow.0.write_all(&[b'a'; 500]).await.ok();
            tokio::time::sleep(ms(20)).await;
            if timeout(ms(1), slow.0.readable()).await.is_ok() {
                return slow.answer().await.status;
            }
        }
    };
    assert_eq!(timeout(PATIENCE, drip).await.expect("refused in time"), 408);
}

#[tokio::test]
async fn small_bodies_are_counted_too() {
    let settings = BodySettings { small_total_bytes: 100_000, patience: ms(200), ..BodySettings::default() };
    let server = TestServer::open_with(Limits::default(), settings, MIB).await;
    let (mut one, mut two) = (server.client().await, server.client().await);
    one.send(declared("/retiene", 60_000)).await;
    one.send(vec![b'a'; 60_000]).await;
    server.fixture.one_entered().await;
    two.send(declared("/cuerpo", 60_000)).await;
    two.send(vec![b'a'; 60_000]).await;
    assert_eq!(two.answer().await.status, 503);
    server.fixture.release.add_permits(1);
    assert_eq!(one.answer().await.status, 200);
    assert_eq!(server.fixture.budget.held_bytes(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_uploads_at_once_queue_and_none_is_lost() {
    let settings = BodySettings::of(2 * MIB as u64);
    let server = TestServer::open_with(Limits::default(), settings, MIB).await;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let mut client = server.client().await;
        clients.spawn(async move {
            client.send(declared("/cuerpo", 900_000)).await;
            client.send(vec![b'a'; 900_000]).await;
            client.answer().await.status
        });
    }
    let statuses = timeout(PATIENCE, clients.join_all()).await.expect("all answered");
    assert_eq!(statuses, vec![200; 40]);
}
