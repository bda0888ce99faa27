//! Stopping without dropping anything.

use super::*;

fn quick() -> Limites {
    Limites { gracia: ms(150), drenaje: ms(5000), ..Limites::default() }
}

#[tokio::test]
async fn a_request_in_hand_is_answered_and_told_to_close() {
    let mut casa = Casa::open(quick()).await;
    let mut busy = casa.client().await;
    busy.send("GET /espera HTTP/1.1\r\nhost: x\r\n\r\n").await;
    casa.prueba.one_entered().await;
    casa.stop();
    tokio::time::sleep(ms(400)).await;
    casa.prueba.release.add_permits(1);
    let answer = busy.answer().await;
    assert_eq!((answer.status, answer.body.as_str(), answer.says_close()), (200, "hecho", true));
    busy.closed().await;
    casa.ended().await.unwrap();
}

#[tokio::test]
async fn idle_connections_are_closed_and_the_port_is_free() {
    let mut casa = Casa::open(quick()).await;
    let mut idle = casa.client().await;
    assert_eq!(idle.get("/hola").await.status, 200);
    let addr = casa.addr;
    casa.stop();
    idle.closed().await;
    casa.ended().await.unwrap();
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_request_that_crosses_the_stop_is_still_served() {
    let mut casa = Casa::open(Limites { gracia: ms(2000), ..quick() }).await;
    let mut kept = casa.client().await;
    assert_eq!(kept.get("/hola").await.status, 200);
    let mut fresh = casa.client().await;
    casa.stop();
    let answer = kept.get("/hola").await;
    assert_eq!((answer.status, answer.says_close()), (200, true));
    assert!(fresh.get("/hola").await.says_close());
    kept.closed().await;
    casa.ended().await.unwrap();
}

#[tokio::test]
async fn connections_still_in_the_queue_are_served() {
    let mut casa = Casa::open(Limites { conexiones: 1, gracia: ms(2000), ..quick() }).await;
    let mut first = casa.client().await;
    first.send("GET /espera HTTP/1.1\r\nhost: x\r\n\r\n").await;
    casa.prueba.one_entered().await;
    let mut queued = Vec::new();
    for _ in 0..20 {
        let mut client = casa.client().await;
        client.send("GET /hola HTTP/1.1\r\nhost: x\r\n\r\n").await;
        queued.push(client);
    }
    casa.stop();
    for client in &mut queued {
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.says_close()), (200, true));
    }
    casa.prueba.release.add_permits(1);
    assert_eq!(first.answer().await.body, "hecho");
    casa.ended().await.unwrap();
}

#[tokio::test]
async fn a_drain_that_takes_too_long_is_cut_and_counted() {
    let mut casa = Casa::open(Limites { drenaje: ms(300), gracia: ms(20), ..Limites::default() }).await;
    let mut busy = casa.client().await;
    busy.send("GET /espera HTTP/1.1\r\nhost: x\r\n\r\n").await;
    casa.prueba.one_entered().await;
    casa.stop();
    busy.closed().await;
    assert!(matches!(casa.ended().await, Err(ServirError::Cortadas(1))));
}

/// Clients that send as fast as they can, on kept connections, across a stop: no request that was
/// sent goes without an answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_no_request_is_lost() {
    let mut casa = Casa::open(quick()).await;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..32 {
        let mut client = casa.client().await;
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
    casa.stop();
    let answered: u32 = timeout(PATIENCE, clients.join_all()).await.expect("all told to close").iter().sum();
    assert!(answered > 100, "there was load: {answered}");
    casa.ended().await.unwrap();
}
