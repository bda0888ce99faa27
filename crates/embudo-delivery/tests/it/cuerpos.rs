//! Bodies in pieces: the exact JSON of the signals, and what happens when a piece fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use embudo_delivery::cuerpo::{Corriente, Cuerpo, ErrorFuente, Piezas};
use embudo_delivery::senales::{self, FuenteFotos, ImagenTexto};
use embudo_delivery::webhook::{Clase, Envio, Opciones, Webhooks};
use embudo_delivery::{Intento, Secretos};
use embudo_domain::senal::{MensajeriaSenal, PdfSenal, PerfilSenal};
use embudo_domain::{FotoId, LeadId};
use embudo_testkit::receiver::{Received, Receiver};
use embudo_testkit::{data_uri, fake_jpeg};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use url::Url;

async fn juntar(cuerpo: Cuerpo) -> Result<String, ErrorFuente> {
    let piezas: Vec<Bytes> = match cuerpo {
        Cuerpo::Bytes(bytes) => vec![bytes],
        Cuerpo::Piezas(piezas) => piezas.abrir().try_collect().await?,
    };
    Ok(String::from_utf8(piezas.concat()).unwrap())
}

async fn send(cuerpo: Cuerpo) -> (Intento, Vec<Received>) {
    let receptor = Receiver::arrancar().await;
    let secretos = Secretos::leer("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let webhooks = Webhooks::new(Opciones { secretos, ..Opciones::default() }).unwrap();
    let timestamp = "2021-02-25T15:02:10Z".parse().unwrap();
    let url = Url::parse(&receptor.url()).unwrap();
    let intento = webhooks.send(&url, Envio { id: "msg_1".into(), timestamp, body: cuerpo }).await;
    (intento, receptor.received())
}

fn firma_de(cuerpo: &[u8]) -> String {
    let secretos = Secretos::leer("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut firmante = secretos.firmante("msg_1", 1_614_265_330);
    firmante.update(cuerpo);
    firmante.cabecera().unwrap()
}

/// Photo `n` (the last digits of its id) has the text at that place; an empty place has none any more.
struct Album(Vec<Option<ImagenTexto>>);

#[async_trait]
impl FuenteFotos for Album {
    async fn imagen(&self, _: LeadId, foto: FotoId) -> Result<Option<ImagenTexto>, ErrorFuente> {
        let n = usize::try_from(foto.0.as_u128()).unwrap();
        self.0.get(n).cloned().ok_or_else(|| ErrorFuente("S3 no contesta".into()))
    }
}

fn perfil(antes: &[u128], despues: &[u128]) -> PerfilSenal {
    let refs = |ids: &[u128]| {
        let uno = |n: &u128| serde_json::json!({ "fotoId": uuid::Uuid::from_u128(*n).to_string() });
        ids.iter().map(uno).collect::<Vec<_>>()
    };
    let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
    serde_json::from_value(serde_json::json!({
        "leadId": id,
        "cliente": { "nombre": "Ana \"la jefa\"\n", "telefono": "+34612345678", "email": "ana@ejemplo.es", "provincia": null },
        "reforma": { "tipo": "bano", "m2Suelo": 5.5, "calidad": null, "estructural": true, "urgencia": "alta", "presupuestoTarget": 650_000 },
        "empresa": { "tenantId": id, "nombre": "Reformas Peña" },
        "zonas": [
            { "zona": "cocina", "notas": ["azul \"cielo\""], "fotos": { "antes": refs(antes), "despues": [] } },
            { "zona": "bano", "notas": [], "fotos": { "antes": [], "despues": refs(despues) } },
        ],
    }))
    .unwrap()
}

const CABEZA: &str = concat!(
    r#"{"leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","#,
    r#""cliente":{"nombre":"Ana \"la jefa\"\n","telefono":"+34612345678","email":"ana@ejemplo.es","provincia":null},"#,
    r#""reforma":{"tipo":"bano","m2Suelo":5.5,"calidad":null,"estructural":true,"urgencia":"alta","presupuestoTarget":650000},"#,
    r#""empresa":{"tenantId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","nombre":"Reformas Peña"},"zonas":["#,
);

#[tokio::test]
async fn the_profile_with_its_pictures_as_received() {
    let album = Album(vec![
        Some(ImagenTexto::Texto(r#"https://ejemplo.es/a"b.jpg"#.into())),
        Some(ImagenTexto::Base64 {
            prefijo: "data:image/png;x=\"y\";base64,".into(),
            bytes: Bytes::from_static(b"hola"),
        }),
        None,
        Some(ImagenTexto::Crudo {
            prefijo: "data:image/png;base64,".into(),
            contenido: Bytes::from_static(b"aG9s\r\n\tYQ=="),
        }),
    ]);
    let cuerpo = juntar(senales::perfil(&perfil(&[2, 0, 1], &[3, 2]), Arc::new(album))).await.unwrap();
    let zonas = concat!(
        r#"{"zona":"cocina","notas":["azul \"cielo\""],"fotos":{"antes":["https://ejemplo.es/a\"b.jpg","data:image/png;x=\"y\";base64,aG9sYQ=="],"despues":[]}},"#,
        r#"{"zona":"bano","notas":[],"fotos":{"antes":[],"despues":["data:image/png;base64,aG9s\r\n\tYQ=="]}}]}"#,
    );
    assert_eq!(cuerpo, format!("{CABEZA}{zonas}"));
}

#[tokio::test]
async fn a_profile_without_zones_or_photos() {
    let mut senal = perfil(&[], &[]);
    let cuerpo = juntar(senales::perfil(&senal, Arc::new(Album(Vec::new())))).await.unwrap();
    // Without photos to replace, the text that is kept is the text that is sent.
    assert_eq!(cuerpo, serde_json::to_string(&senal).unwrap());
    senal.zonas.clear();
    let cuerpo = juntar(senales::perfil(&senal, Arc::new(Album(Vec::new())))).await.unwrap();
    assert_eq!(cuerpo, format!("{CABEZA}]}}"));
}

#[tokio::test]
async fn the_two_messaging_bodies() {
    let lead_id = LeadId::parse("0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b").unwrap();
    let (telefono, nombre, empresa) = ("+34612345678".to_owned(), "Ana \"A\"".to_owned(), "Peña".to_owned());
    let inicio = MensajeriaSenal { lead_id, telefono, nombre, empresa };
    let comunes = r#""leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","telefono":"+34612345678","nombre":"Ana \"A\"","empresa":"Peña""#;
    assert_eq!(juntar(senales::mensajeria(&inicio)).await.unwrap(), format!("{{{comunes}}}"));
    let MensajeriaSenal { lead_id, telefono, nombre, empresa } = inicio;
    let pdf = PdfSenal { lead_id, telefono, nombre, empresa, filename: "presupuesto-7.pdf".into() };
    let cuerpo = juntar(senales::pdf(&pdf, Bytes::from_static(b"%PDF-1.7"))).await.unwrap();
    assert_eq!(cuerpo, format!(r#"{{{comunes},"pdfBase64":"JVBERi0xLjc=","filename":"presupuesto-7.pdf"}}"#));
}

#[tokio::test]
async fn big_pictures_are_signed_and_sent_piece_by_piece() {
    let fotos: Vec<Vec<u8>> = (0..6).map(|n| fake_jpeg(n, 700_000 + usize::try_from(n).unwrap())).collect();
    let uno = |b: &Vec<u8>| {
        Some(ImagenTexto::Base64 { prefijo: "data:image/jpeg;base64,".into(), bytes: b.clone().into() })
    };
    let album = Album(fotos.iter().map(uno).collect());
    let (intento, recibidas) = send(senales::perfil(&perfil(&[0, 1, 2], &[3, 4, 5]), Arc::new(album))).await;
    assert!(intento.ok, "{intento:?}");
    let r = &recibidas[0];
    assert_eq!(r.cabecera("content-length"), Some(&*r.cuerpo.len().to_string()));
    assert_eq!(r.cabecera("transfer-encoding"), None);
    assert_eq!(r.cabecera("webhook-signature"), Some(&*firma_de(&r.cuerpo)));
    let json = r.json();
    assert_eq!(json["zonas"][0]["fotos"]["antes"][1], data_uri(&fotos[1]));
    assert_eq!(json["zonas"][1]["fotos"]["despues"][2], data_uri(&fotos[5]));
}

#[tokio::test]
async fn a_long_raw_payload_is_escaped_across_pieces() {
    let crudo = "aG9s\n".repeat(60_000);
    let imagen =
        ImagenTexto::Crudo { prefijo: "data:image/png;base64,".into(), contenido: crudo.clone().into() };
    let cuerpo =
        juntar(senales::perfil(&perfil(&[0], &[]), Arc::new(Album(vec![Some(imagen)])))).await.unwrap();
    let json: serde_json::Value = serde_json::from_str(&cuerpo).unwrap();
    assert_eq!(json["zonas"][0]["fotos"]["antes"][0], format!("data:image/png;base64,{crudo}"));
}

#[tokio::test]
async fn a_source_that_fails_is_told_as_such_and_nothing_is_sent() {
    let (intento, recibidas) = send(senales::perfil(&perfil(&[9], &[]), Arc::new(Album(Vec::new())))).await;
    assert_eq!((intento.ok, intento.clase), (false, Clase::Reintentar));
    assert_eq!(intento.error.unwrap(), "No se pudo preparar el contenido: S3 no contesta");
    assert_eq!(recibidas, []);
}

/// Its passes differ: the given lengths, one after the other; `None` fails in the middle.
struct Mudable(AtomicUsize, [Option<usize>; 2]);

impl Piezas for Mudable {
    fn abrir(self: Arc<Self>) -> Corriente {
        let largo = self.1[self.0.fetch_add(1, Ordering::SeqCst).min(1)];
        let entera = || Ok(Bytes::from(vec![b'x'; 1 << 20]));
        let ultima =
            largo.map(|n| Bytes::from(vec![b'x'; n])).ok_or_else(|| ErrorFuente("disco roto".into()));
        stream::iter([entera(), entera(), ultima]).boxed()
    }
}

#[tokio::test]
async fn a_second_pass_unlike_the_first_breaks_the_attempt_off() {
    let cambio = "No se pudo preparar el contenido: el contenido cambió mientras se enviaba";
    let roto = "No se pudo preparar el contenido: disco roto";
    for (segunda, error) in [(Some(9), cambio), (Some(11), cambio), (None, roto)] {
        let piezas = Mudable(AtomicUsize::new(0), [Some(10), segunda]);
        let (intento, recibidas) = send(Cuerpo::Piezas(Arc::new(piezas))).await;
        assert_eq!((intento.ok, intento.clase), (false, Clase::Reintentar));
        assert_eq!(intento.error.as_deref(), Some(error), "{segunda:?}");
        assert_eq!(recibidas, [], "no whole request arrived");
    }
    let (intento, _) = send(Cuerpo::Piezas(Arc::new(Mudable(AtomicUsize::new(0), [Some(10); 2])))).await;
    assert!(intento.ok);
}
