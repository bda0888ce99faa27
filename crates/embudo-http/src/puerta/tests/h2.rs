//! HTTP/2 with prior knowledge.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::*;

type Conexion = JoinHandle<Result<(), hyper::Error>>;

async fn connect(casa: &Casa) -> (SendRequest<Full<Bytes>>, Conexion) {
    let io = TokioIo::new(TcpStream::connect(casa.addr).await.unwrap());
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
    let casa = Casa::open_with(Limites::default(), AjustesCuerpo::default(), 4 * 1024 * 1024).await;
    let (mut sender, _connection) = connect(&casa).await;
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await, (200, "hola".into()));
    assert_eq!(call(&mut sender, "POST", "/cuerpo", vec![1; 3_000_000]).await, (200, "3000000".into()));
    assert_eq!(call(&mut sender, "POST", "/cuerpo", vec![1; 5_000_000]).await.0, 413);
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await.0, 200, "the connection goes on after a 413");
}

#[tokio::test]
async fn without_a_first_request_it_is_closed() {
    let casa = Casa::open(Limites { primera: ms(200), ..Limites::default() }).await;
    let (_sender, connection) = connect(&casa).await;
    let begun = Instant::now();
    let _ended = timeout(PATIENCE, connection).await.expect("closed in time");
    assert!(begun.elapsed() >= ms(150));
}

#[tokio::test]
async fn it_is_closed_when_idle_but_never_with_a_request_in_hand() {
    let limites = Limites { cabecera: ms(100), inactividad: ms(400), ..Limites::default() };
    let casa = Casa::open(limites).await;
    let (mut sender, connection) = connect(&casa).await;
    assert_eq!(call(&mut sender, "GET", "/hola", vec![]).await.0, 200);
    let prueba = casa.prueba.clone();
    let releasing = async {
        prueba.one_entered().await;
        tokio::time::sleep(ms(1200)).await;
        prueba.release.add_permits(1);
    };
    let (answer, ()) = tokio::join!(call(&mut sender, "GET", "/espera", vec![]), releasing);
    assert_eq!(answer, (200, "hecho".into()));
    let begun = Instant::now();
    timeout(PATIENCE, connection)
        .await
        .expect("closed in time")
        .unwrap()
        .expect("by GOAWAY, without an error");
    assert!(begun.elapsed() >= ms(350), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_stop_lets_its_requests_finish() {
    let mut casa = Casa::open(Limites::default()).await;
    let (mut sender, connection) = connect(&casa).await;
    let prueba = casa.prueba.clone();
    let stopping = async {
        prueba.one_entered().await;
        casa.stop();
        tokio::time::sleep(ms(100)).await;
        prueba.release.add_permits(1);
    };
    let (answer, ()) = tokio::join!(call(&mut sender, "GET", "/espera", vec![]), stopping);
    assert_eq!(answer, (200, "hecho".into()));
    timeout(PATIENCE, connection).await.expect("closed in time").unwrap().unwrap();
    casa.ended().await.unwrap();
}
