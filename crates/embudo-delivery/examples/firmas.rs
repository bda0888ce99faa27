//! Sends signed calls to a receiver on the loopback and prints what arrived, as JSON: the input of
//! `scripts/test-signatures`, which lets the reference verifiers judge it.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use embudo_delivery::Secretos;
use embudo_delivery::cuerpo::{Corriente, Cuerpo, Piezas};
use embudo_delivery::webhook::{Envio, Opciones, Webhooks};
use embudo_domain::Timestamp;
use embudo_testkit::Receiver;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use url::Url;

const SECRETOS: [&str; 2] =
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="];

/// A body too long to be kept between its two passes.
struct Largo;

impl Piezas for Largo {
    fn abrir(self: Arc<Self>) -> Corriente {
        let medio = (0..300).map(|n| format!("foto número {n} «ñ» ").repeat(300));
        let piezas = [r#"{"fotos":""#.to_owned()].into_iter().chain(medio).chain([r#""}"#.to_owned()]);
        stream::iter(piezas.map(|p| Ok(Bytes::from(p)))).boxed()
    }
}

#[tokio::main]
async fn main() {
    let muestras = [
        muestra(&SECRETOS[..1], Cuerpo::from(r#"{"nombre":"Ana «la jefa» Peña"}"#.to_owned())).await,
        muestra(&SECRETOS, Cuerpo::from("{}".to_owned())).await,
        muestra(&SECRETOS, Cuerpo::Piezas(Arc::new(Largo))).await,
    ];
    let mut salida = std::io::stdout().lock();
    serde_json::to_writer(&mut salida, &muestras).unwrap();
    salida.flush().unwrap();
}

async fn muestra(secretos: &[&str], body: Cuerpo) -> Value {
    let receptor = Receiver::arrancar().await;
    let opciones = Opciones { secretos: Secretos::leer(&secretos.join(" ")).unwrap(), ..Opciones::default() };
    let envio = Envio { id: "msg_0190a1b2c3d4".into(), timestamp: Timestamp::now(), body };
    let url = Url::parse(&receptor.url()).unwrap();
    let intento = Webhooks::new(opciones).unwrap().send(&url, envio).await;
    assert!(intento.ok, "{intento:?}");
    let recibida = &receptor.received()[0];
    let cabecera = |nombre| (nombre, recibida.cabecera(nombre).unwrap());
    let cabeceras = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(cabecera);
    json!({
        "secretos": secretos,
        "cabeceras": cabeceras.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "cuerpo": String::from_utf8(recibida.cuerpo.clone()).unwrap(),
    })
}
