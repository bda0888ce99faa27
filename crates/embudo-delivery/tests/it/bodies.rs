//! Bodies in pieces: the exact JSON of the signals, and what happens when a piece fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use embudo_delivery::body::{BodyStream, Pieces, SignedBody, SourceError};
use embudo_delivery::signals::{self, FotoSource, ImageText};
use embudo_delivery::webhook::{AttemptClass, Options, OutgoingSignal, Webhooks};
use embudo_delivery::{Secrets, WebhookAttempt};
use embudo_domain::signal::{MensajeriaSignal, PdfSignal, PerfilSignal};
use embudo_domain::{FotoId, LeadId};
use embudo_testkit::receiver::{Received, Receiver};
use embudo_testkit::{data_uri, fake_jpeg};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use url::Url;

async fn join(body: SignedBody) -> Result<String, SourceError> {
    let parts: Vec<Bytes> = match body {
        SignedBody::Bytes(bytes) => vec![bytes],
        SignedBody::Pieces(parts) => parts.open().try_collect().await?,
    };
    Ok(String::from_utf8(parts.concat()).unwrap())
}

async fn send(body: SignedBody) -> (WebhookAttempt, Vec<Received>) {
    let receiver = Receiver::start().await;
    let secrets = Secrets::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let webhooks = Webhooks::new(Options { secrets, ..Options::default() }).unwrap();
    let timestamp = "2021-02-25T15:02:10Z".parse().unwrap();
    let url = Url::parse(&receiver.url()).unwrap();
    let attempt = webhooks.send(&url, OutgoingSignal { id: "msg_1".into(), timestamp, body }).await;
    (attempt, receiver.received())
}

fn signature_of(body: &[u8]) -> String {
    let secrets = Secrets::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut signer = secrets.signer("msg_1", 1_614_265_330);
    signer.update(body);
    signer.header().unwrap()
}

/// Photo `n` (the last digits of its id) has the text at that place; `None` stands for a photo that was removed.
struct Album(Vec<Option<ImageText>>);

#[async_trait]
impl FotoSource for Album {
    async fn image(&self, _: LeadId, foto: FotoId) -> Result<Option<ImageText>, SourceError> {
        let n = usize::try_from(foto.0.as_u128()).unwrap();
        self.0.get(n).cloned().ok_or_else(|| SourceError("S3 no contesta".into()))
    }
}

fn perfil(before: &[u128], after: &[u128]) -> PerfilSignal {
    let refs = |ids: &[u128]| {
        let one = |n: &u128| serde_json::json!({ "fotoId": uuid::Uuid::from_u128(*n).to_string() });
        ids.iter().map(one).collect::<Vec<_>>()
    };
    let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
    serde_json::from_value(serde_json::json!({
        "leadId": id,
        "cliente": { "nombre": "Ana \"la jefa\"\n", "telefono": "+34612345678", "email": "ana@ejemplo.es", "provincia": null },
        "reforma": { "tipo": "bano", "m2Suelo": 5.5, "calidad": null, "estructural": true, "urgencia": "alta", "presupuestoTarget": 650_000 },
        "empresa": { "tenantId": id, "nombre": "Reformas Peña" },
        "zonas": [
            { "zona": "cocina", "notas": ["azul \"cielo\""], "fotos": { "antes": refs(before), "despues": [] } },
            { "zona": "bano", "notas": [], "fotos": { "antes": [], "despues": refs(after) } },
        ],
    }))
    .unwrap()
}

const HEAD: &str = concat!(
    r#"{"leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","#,
    r#""cliente":{"nombre":"Ana \"la jefa\"\n","telefono":"+34612345678","email":"ana@ejemplo.es","provincia":null},"#,
    r#""reforma":{"tipo":"bano","m2Suelo":5.5,"calidad":null,"estructural":true,"urgencia":"alta","presupuestoTarget":650000},"#,
    r#""empresa":{"tenantId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","nombre":"Reformas Peña"},"zonas":["#,
);

#[tokio::test]
async fn the_profile_with_its_pictures_as_received() {
    let album = Album(vec![
        Some(ImageText::Text(r#"https://ejemplo.es/a"b.jpg"#.into())),
        Some(ImageText::Base64 {
            prefix: "data:image/png;x=\"y\";base64,".into(),
            bytes: Bytes::from_static(b"hola"),
        }),
        None,
        Some(ImageText::Raw {
            prefix: "data:image/png;base64,".into(),
            content: Bytes::from_static(b"aG9s\r\n\tYQ=="),
        }),
    ]);
    let body = join(signals::perfil(&perfil(&[2, 0, 1], &[3, 2]), Arc::new(album))).await.unwrap();
    let zonas = concat!(
        r#"{"zona":"cocina","notas":["azul \"cielo\""],"fotos":{"antes":["https://ejemplo.es/a\"b.jpg","data:image/png;x=\"y\";base64,aG9sYQ=="],"despues":[]}},"#,
        r#"{"zona":"bano","notas":[],"fotos":{"antes":[],"despues":["data:image/png;base64,aG9s\r\n\tYQ=="]}}]}"#,
    );
    assert_eq!(body, format!("{HEAD}{zonas}"));
}

#[tokio::test]
async fn a_profile_without_zones_or_photos() {
    let mut signal = perfil(&[], &[]);
    let body = join(signals::perfil(&signal, Arc::new(Album(Vec::new())))).await.unwrap();
    // Without photos to replace, the text that is sent is the stored text.
    assert_eq!(body, serde_json::to_string(&signal).unwrap());
    signal.zonas.clear();
    let body = join(signals::perfil(&signal, Arc::new(Album(Vec::new())))).await.unwrap();
    assert_eq!(body, format!("{HEAD}]}}"));
}

#[tokio::test]
async fn the_two_messaging_bodies() {
    let lead_id = LeadId::parse("0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b").unwrap();
    let (telefono, nombre, empresa) = ("+34612345678".to_owned(), "Ana \"A\"".to_owned(), "Peña".to_owned());
    let start = MensajeriaSignal { lead_id, telefono, nombre, empresa };
    let common = r#""leadId":"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","telefono":"+34612345678","nombre":"Ana \"A\"","empresa":"Peña""#;
    assert_eq!(join(signals::mensajeria(&start)).await.unwrap(), format!("{{{common}}}"));
    let MensajeriaSignal { lead_id, telefono, nombre, empresa } = start;
    let pdf = PdfSignal { lead_id, telefono, nombre, empresa, filename: "presupuesto-7.pdf".into() };
    let body = join(signals::pdf(&pdf, Bytes::from_static(b"%PDF-1.7"))).await.unwrap();
    assert_eq!(body, format!(r#"{{{common},"pdfBase64":"JVBERi0xLjc=","filename":"presupuesto-7.pdf"}}"#));
}

#[tokio::test]
async fn big_pictures_are_signed_and_sent_piece_by_piece() {
    let fotos: Vec<Vec<u8>> = (0..6).map(|n| fake_jpeg(n, 700_000 + usize::try_from(n).unwrap())).collect();
    let one = |b: &Vec<u8>| {
        Some(ImageText::Base64 { prefix: "data:image/jpeg;base64,".into(), bytes: b.clone().into() })
    };
    let album = Album(fotos.iter().map(one).collect());
    let (attempt, received_ones) =
        send(signals::perfil(&perfil(&[0, 1, 2], &[3, 4, 5]), Arc::new(album))).await;
    assert!(attempt.ok, "{attempt:?}");
    let r = &received_ones[0];
    assert_eq!(r.header("content-length"), Some(&*r.body.len().to_string()));
    assert_eq!(r.header("transfer-encoding"), None);
    assert_eq!(r.header("webhook-signature"), Some(&*signature_of(&r.body)));
    let json = r.json();
    assert_eq!(json["zonas"][0]["fotos"]["antes"][1], data_uri(&fotos[1]));
    assert_eq!(json["zonas"][1]["fotos"]["despues"][2], data_uri(&fotos[5]));
}

#[tokio::test]
async fn a_long_raw_payload_is_escaped_across_pieces() {
    let raw = "aG9s\n".repeat(60_000);
    let image = ImageText::Raw { prefix: "data:image/png;base64,".into(), content: raw.clone().into() };
    let body = join(signals::perfil(&perfil(&[0], &[]), Arc::new(Album(vec![Some(image)])))).await.unwrap();
    let json: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(json["zonas"][0]["fotos"]["antes"][0], format!("data:image/png;base64,{raw}"));
}

#[tokio::test]
async fn a_source_that_fails_is_told_as_such_and_nothing_is_sent() {
    let (attempt, received_ones) =
        send(signals::perfil(&perfil(&[9], &[]), Arc::new(Album(Vec::new())))).await;
    assert_eq!((attempt.ok, attempt.class), (false, AttemptClass::Retry));
    assert_eq!(attempt.error.unwrap(), "No se pudo preparar el contenido: S3 no contesta");
    assert_eq!(received_ones, []);
}

/// Each pass yields 2 MiB and then a last piece, whose length is given for either pass; `None`: the last piece fails.
struct Changeable(AtomicUsize, [Option<usize>; 2]);

impl Pieces for Changeable {
    fn open(self: Arc<Self>) -> BodyStream {
        let length = self.1[self.0.fetch_add(1, Ordering::SeqCst).min(1)];
        let whole = || Ok(Bytes::from(vec![b'x'; 1 << 20]));
        let last = length.map(|n| Bytes::from(vec![b'x'; n])).ok_or_else(|| SourceError("disco roto".into()));
        stream::iter([whole(), whole(), last]).boxed()
    }
}

#[tokio::test]
async fn a_second_pass_unlike_the_first_breaks_the_attempt_off() {
    let change = "No se pudo preparar el contenido: el contenido cambió mientras se enviaba";
    let broken = "No se pudo preparar el contenido: disco roto";
    for (second, error) in [(Some(9), change), (Some(11), change), (None, broken)] {
        let parts = Changeable(AtomicUsize::new(0), [Some(10), second]);
        let (attempt, received_ones) = send(SignedBody::Pieces(Arc::new(parts))).await;
        assert_eq!((attempt.ok, attempt.class), (false, AttemptClass::Retry));
        assert_eq!(attempt.error.as_deref(), Some(error), "{second:?}");
        assert_eq!(received_ones, [], "no whole request arrived");
    }
    let (attempt, _) =
        send(SignedBody::Pieces(Arc::new(Changeable(AtomicUsize::new(0), [Some(10); 2])))).await;
    assert!(attempt.ok);
}
