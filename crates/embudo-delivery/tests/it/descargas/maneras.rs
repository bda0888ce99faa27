//! Servers of every manner: what a fetch says about them, in a bounded time.

use std::time::{Duration, Instant};

use embudo_delivery::FalloDescarga;
use embudo_delivery::descarga::{BYTES_MAX, Descargas, Reglas};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::{LARGO, Servidor, leer_cabeza, reglas};

/// The only waits of these tests: those for a clock to run out.
const CORTO: Duration = Duration::from_millis(300);
/// What a loaded machine may add to it.
const HOLGURA: Duration = Duration::from_secs(4);

async fn con(respuesta: impl Into<Vec<u8>>) -> Result<bytes::Bytes, FalloDescarga> {
    let servidor = Servidor::que_dice(respuesta).await;
    let hecho = servidor.descargas().fetch(&servidor.url(), LARGO).await;
    assert_eq!(servidor.cuantas().await, 1, "one attempt");
    hecho
}

async fn impaciente(servidor: &Servidor) -> FalloDescarga {
    let inicio = Instant::now();
    let fallo = servidor.descargas().fetch(&servidor.url(), CORTO).await.unwrap_err();
    assert!(inicio.elapsed() < CORTO + HOLGURA, "{:?}", inicio.elapsed());
    fallo
}

#[tokio::test]
async fn a_photo_is_asked_for_plainly() {
    let (dice, mut oye) = mpsc::unbounded_channel();
    let servidor = Servidor::arrancar("127.0.0.1:0", move |mut socket| {
        let dice = dice.clone();
        async move {
            let _ = dice.send(leer_cabeza(&mut socket).await);
            let _ = socket
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nset-cookie: a=b\r\n\r\n")
                .await;
            let _ = socket.write_all(b"2\r\nfo\r\n2\r\nto\r\n0\r\n\r\n").await;
        }
    })
    .await;
    let descargas = servidor.descargas();
    for _ in 0..2 {
        assert_eq!(descargas.fetch(&servidor.url(), LARGO).await.unwrap(), "foto");
        let cabeza = oye.recv().await.unwrap().to_ascii_lowercase();
        assert!(cabeza.starts_with("get /foto.jpg?firma=secreto http/1.1\r\n"), "{cabeza}");
        assert!(cabeza.contains("accept-encoding: identity\r\n") && cabeza.contains("accept: image/*\r\n"));
        assert!(cabeza.contains("user-agent: embudo/"));
        for nunca in ["cookie", "referer", "authorization", "gzip", "proxy"] {
            assert!(!cabeza.contains(nunca), "{nunca}: {cabeza}");
        }
    }
    assert_eq!(servidor.cuantas().await, 2, "a connection for each");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let canario = Servidor::arrancar("127.0.0.1:0", |_| async {}).await;
    for status in [300, 301, 302, 303, 304, 307, 308] {
        let respuesta = format!(
            "HTTP/1.1 {status} x\r\nlocation: {}\r\nrefresh: 0\r\ncontent-length: 0\r\n\r\n",
            canario.url()
        );
        assert_eq!(con(respuesta).await, Err(FalloDescarga::Redirige), "{status}");
    }
    assert_eq!(canario.cuantas().await, 0);
}

#[tokio::test]
async fn only_200_is_a_photo() {
    for status in [201, 203, 204, 206, 400, 401, 404, 407, 410, 429, 500, 503, 599] {
        let fallo = con(format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n")).await.unwrap_err();
        assert_eq!(fallo, FalloDescarga::Estado(status));
        assert_eq!(fallo.pasajero(), status >= 500 || status == 429, "{status}");
    }
}

#[tokio::test]
async fn what_is_not_http_is_cut() {
    for nada in [
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\ncorto",
        "HTTP/9.9 x\r\n\r\n",
    ] {
        assert_eq!(con(nada).await, Err(FalloDescarga::Cortada), "{nada}");
    }
    let eterna = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: ".to_vec(), vec![b'a'; 2_000_000]].concat();
    assert_eq!(con(eterna).await, Err(FalloDescarga::Cortada));
}

#[tokio::test]
async fn what_is_packed_is_not_unpacked() {
    for manera in ["gzip", "br", "deflate", "zstd", "gzip, gzip"] {
        let respuesta =
            format!("HTTP/1.1 200 OK\r\ncontent-encoding: {manera}\r\ncontent-length: 4\r\n\r\nfoto");
        assert_eq!(con(respuesta).await, Err(FalloDescarga::Comprimida), "{manera}");
    }
    let plana = "HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 4\r\n\r\nfoto";
    assert_eq!(con(plana).await.unwrap(), "foto");
}

#[tokio::test]
async fn a_declared_excess_is_refused_at_once() {
    // Nothing follows the head, and the server waits: the figure alone decides.
    let servidor = Servidor::arrancar("127.0.0.1:0", |mut socket| async move {
        leer_cabeza(&mut socket).await;
        let cabeza = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", BYTES_MAX + 1);
        let _ = socket.write_all(cabeza.as_bytes()).await;
        let _ = socket.read_u8().await;
    })
    .await;
    assert_eq!(servidor.descargas().fetch(&servidor.url(), LARGO).await, Err(FalloDescarga::Grande));
}

#[tokio::test]
async fn the_last_byte_that_fits_and_the_first_that_does_not() {
    let justa = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![7; BYTES_MAX]].concat();
    assert_eq!(con(justa.clone()).await.unwrap().len(), BYTES_MAX);
    assert_eq!(con([justa, vec![7]].concat()).await, Err(FalloDescarga::Grande));
}

#[tokio::test]
async fn chunks_without_end_are_cut_at_the_limit() {
    let (dice, mut oye) = mpsc::unbounded_channel();
    let servidor = Servidor::arrancar("127.0.0.1:0", move |mut socket| {
        let dice = dice.clone();
        async move {
            leer_cabeza(&mut socket).await;
            let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
            let trozo = [b"10000\r\n".to_vec(), vec![1; 0x10000], b"\r\n".to_vec()].concat();
            let mut enviados = 0_usize;
            while socket.write_all(&trozo).await.is_ok() {
                enviados += 0x10000;
            }
            let _ = dice.send(enviados);
        }
    })
    .await;
    assert_eq!(servidor.descargas().fetch(&servidor.url(), LARGO).await, Err(FalloDescarga::Grande));
    // We hung up: beyond the limit there is only what the system's buffers took.
    assert!(oye.recv().await.unwrap() < BYTES_MAX + 16 * 1024 * 1024);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left() {
    let mudo =
        Servidor::arrancar(
            "127.0.0.1:0",
            |mut socket| async move { while socket.read_u8().await.is_ok() {} },
        )
        .await;
    assert_eq!(impaciente(&mudo).await, FalloDescarga::Tiempo);
}

#[tokio::test]
async fn a_body_by_drops_and_a_head_by_drops_are_left() {
    for inicio in ["HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "HTTP/1.1 200 OK\r\nx: "] {
        let gotas = Servidor::arrancar("127.0.0.1:0", move |mut socket| async move {
            leer_cabeza(&mut socket).await;
            let _ = socket.write_all(inicio.as_bytes()).await;
            let mut reloj = tokio::time::interval(Duration::from_millis(20));
            while socket.write_all(b"a").await.is_ok() {
                reloj.tick().await;
            }
        })
        .await;
        assert_eq!(impaciente(&gotas).await, FalloDescarga::Tiempo);
    }
}

#[tokio::test]
async fn informational_answers_without_end_are_left() {
    let eterno = Servidor::arrancar("127.0.0.1:0", |mut socket| async move {
        leer_cabeza(&mut socket).await;
        while socket.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").await.is_ok() {}
    })
    .await;
    let fallo = impaciente(&eterno).await;
    assert!(matches!(fallo, FalloDescarga::Tiempo | FalloDescarga::Cortada), "{fallo:?}");
}

#[tokio::test]
async fn a_reset_is_a_cut() {
    let servidor = Servidor::arrancar("127.0.0.1:0", |mut socket| async move {
        leer_cabeza(&mut socket).await;
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nalgo").await;
        socket.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(servidor.descargas().fetch(&servidor.url(), LARGO).await, Err(FalloDescarga::Cortada));
}

#[tokio::test]
async fn nobody_there_and_nobody_answering() {
    let ido = Servidor::que_dice("").await;
    let (url, descargas) = (ido.url(), ido.descargas());
    ido.tarea.abort();
    while !ido.tarea.is_finished() {
        tokio::task::yield_now().await;
    }
    assert_eq!(descargas.fetch(&url, LARGO).await, Err(FalloDescarga::SinConexion));
    let sordo = crate::sordo().await;
    let abierto = Descargas::new(reglas(&[&sordo.direccion.to_string()])).unwrap();
    let url = format!("http://{}/", sordo.direccion);
    assert_eq!(abierto.fetch(&url, CORTO).await, Err(FalloDescarga::Tiempo));
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    use embudo_testkit::Certificate;
    use embudo_testkit::receiver::Receiver;
    let certificado = Certificate::para("127.0.0.1");
    let ca_pem = Some(certificado.ca_pem.clone().into_bytes());
    let receptor = Receiver::con_tls(certificado).await;
    let direccion = url::Url::parse(&receptor.url()).unwrap();
    let regla = format!("{}:{}", direccion.host_str().unwrap(), direccion.port().unwrap());
    let desconfia = Descargas::new(reglas(&[&regla])).unwrap();
    assert_eq!(desconfia.fetch(direccion.as_str(), LARGO).await, Err(FalloDescarga::Tls));
    let confia = Reglas { ca_pem, ..reglas(&[&regla]) };
    let confia = Descargas::new(confia).unwrap();
    assert!(confia.fetch(direccion.as_str(), LARGO).await.is_ok());
    let plano = Servidor::arrancar("127.0.0.1:0", |mut socket| async move {
        let _ = socket.write_all(b"HTTP/1.1 400 x\r\n\r\n").await;
        while socket.read_u8().await.is_ok() {}
    })
    .await;
    let url = plano.url().replace("http:", "https:");
    assert_eq!(plano.descargas().fetch(&url, LARGO).await, Err(FalloDescarga::Tls));
    let rota = Reglas { ca_pem: Some(b"nada".to_vec()), ..Reglas::default() };
    assert!(Descargas::new(rota).is_err());
}
