//! Names: resolved once, pinned, and never trusted by halves.

use std::sync::Arc;
use std::time::Duration;

use embudo_delivery::FalloDescarga;
use embudo_delivery::descarga::{Descargas, Resolver};

use super::{Guion, LARGO, Servidor, reglas};

const FOTO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfoto";

fn con(permitidos: &[&str], guion: &Arc<Guion>) -> Descargas {
    let resolver: Arc<dyn Resolver> = guion.clone();
    Descargas::with_resolver(reglas(permitidos), resolver).unwrap()
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_asked_once() {
    let buena = Servidor::que_dice(FOTO).await;
    // The same port on another address of this machine: where the second answer would lead.
    let canario = Servidor::arrancar(&format!("127.0.0.2:{}", buena.puerto()), |_| async {}).await;
    let guion = Guion::nuevo(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let descargas = con(&[&buena.direccion.to_string()], &guion);
    let url = format!("http://cambia.example:{}/", buena.puerto());
    assert_eq!(descargas.fetch(&url, LARGO).await.unwrap(), "foto");
    assert_eq!(guion.preguntas(), ["cambia.example"]);
    // From the second time on it leads to the canary, and is refused.
    for _ in 0..3 {
        assert_eq!(descargas.fetch(&url, LARGO).await, Err(FalloDescarga::NoPublica));
    }
    assert_eq!(guion.preguntas().len(), 4);
    assert_eq!((buena.cuantas().await, canario.cuantas().await), (1, 0));
}

#[tokio::test]
async fn one_private_answer_spoils_the_public_ones() {
    let canario = Servidor::arrancar("127.0.0.1:0", |_| async {}).await;
    for respuestas in [
        &["127.0.0.1"][..],
        &["8.8.8.8", "127.0.0.1"],
        &["127.0.0.1", "8.8.8.8"],
        &["8.8.8.8", "::1"],
        &["8.8.8.8", "::ffff:127.0.0.1"],
        &["2a00:1450::1", "64:ff9b::7f00:1"],
        &["8.8.8.8", "8.8.4.4", "1.1.1.1", "169.254.169.254"],
        &["0.0.0.0"],
        &["::"],
    ] {
        let guion = Guion::nuevo(&[respuestas]);
        // The port is open to somebody, so that the address alone decides.
        let puerto = canario.puerto();
        let descargas = con(&[&format!("otro.example:{puerto}")], &guion);
        let fallo = descargas.fetch(&format!("http://mixto.example:{puerto}/"), LARGO).await;
        let esperado = if respuestas[0].starts_with("8.") || respuestas[0].starts_with("2a") {
            FalloDescarga::Puerto
        } else {
            FalloDescarga::NoPublica
        };
        assert_eq!(fallo, Err(esperado), "{respuestas:?}");
        let fallo = descargas.fetch("http://mixto.example/", LARGO).await;
        assert_eq!(fallo, Err(FalloDescarga::NoPublica), "{respuestas:?}");
        assert_eq!(guion.preguntas(), ["mixto.example", "mixto.example"], "{respuestas:?}");
    }
    assert_eq!(canario.cuantas().await, 0);
}

#[tokio::test]
async fn a_permitted_name_leads_where_it_leads() {
    let servidor = Servidor::que_dice(FOTO).await;
    let puerto = servidor.puerto();
    let guion = Guion::nuevo(&[&["127.0.0.1"]]);
    let descargas = con(&[&format!("Fotos.Local:{puerto}")], &guion);
    for nombre in ["fotos.local", "FOTOS.local", "fotos.local.", "ｆｏｔｏｓ.local"] {
        let url = format!("http://{nombre}:{puerto}/a/b.jpg");
        assert_eq!(descargas.fetch(&url, LARGO).await.unwrap(), "foto", "{nombre}");
    }
    for nombre in ["otras.local", "fotos.local.example", "xfotos.local", "a.fotos.local", "127.0.0.1"] {
        let url = format!("http://{nombre}:{puerto}/a/b.jpg");
        assert_eq!(descargas.fetch(&url, LARGO).await, Err(FalloDescarga::NoPublica), "{nombre}");
    }
    assert_eq!(servidor.cuantas().await, 4);
    assert!(guion.preguntas().iter().all(|p| !p.contains("127")), "an address is not resolved");
}

#[tokio::test]
async fn a_permitted_network_is_open_under_any_name_and_port_by_port() {
    let servidor = Servidor::que_dice(FOTO).await;
    let puerto = servidor.puerto();
    let guion = Guion::nuevo(&[&["127.0.0.1"]]);
    let abierta = con(&[&format!("127.0.0.1:{puerto}")], &guion);
    let url = format!("http://cualquiera.example:{puerto}/");
    assert_eq!(abierta.fetch(&url, LARGO).await.unwrap(), "foto");
    // A network without a port is open on the usual two only.
    let red = con(&["127.0.0.0/8"], &guion);
    assert_eq!(red.fetch(&url, LARGO).await, Err(FalloDescarga::Puerto));
    assert_eq!(servidor.cuantas().await, 1);
}

#[tokio::test]
async fn a_name_without_addresses_is_nobody() {
    for guion in [Guion::nuevo(&[]), Guion::nuevo(&[&[]])] {
        let fallo = con(&[], &guion).fetch("http://nadie.example/", LARGO).await;
        assert_eq!(fallo, Err(FalloDescarga::SinServidor));
        assert_eq!(guion.preguntas(), ["nadie.example"]);
    }
}

#[tokio::test]
async fn resolving_counts_for_the_time() {
    struct Mudo;
    #[async_trait::async_trait]
    impl Resolver for Mudo {
        async fn resolve(&self, _: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
            std::future::pending().await
        }
    }
    let descargas = Descargas::with_resolver(reglas(&[]), Arc::new(Mudo)).unwrap();
    let fallo = descargas.fetch("http://lento.example/", Duration::from_millis(50)).await;
    assert_eq!(fallo, Err(FalloDescarga::Tiempo));
}

#[tokio::test]
async fn without_time_no_name_is_looked_up() {
    let guion = Guion::nuevo(&[&["192.0.2.1"]]);
    let descargas = con(&[], &guion);
    for _ in 0..100 {
        let fallo = descargas.fetch("http://lento.example/", Duration::ZERO).await;
        assert_eq!(fallo, Err(FalloDescarga::Tiempo));
    }
    assert_eq!(guion.preguntas(), Vec::<String>::new());
}
