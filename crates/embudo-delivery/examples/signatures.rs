//! Sends signed calls to a receiver on the loopback and prints what arrived, as JSON: the input of
//! `scripts/test-signatures`, which lets the reference verifiers judge it.

#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use embudo_delivery::Secrets;
use embudo_delivery::body::{BodyStream, Pieces, SignedBody};
use embudo_delivery::webhook::{Options, OutgoingSignal, Webhooks};
use embudo_domain::Timestamp;
use embudo_testkit::Receiver;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use url::Url;

const SECRETS: [&str; 2] =
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="];

/// A body too long to be kept between its two passes.
struct Length;

impl Pieces for Length {
    fn open(self: Arc<Self>) -> BodyStream {
        let half = (0..300).map(|n| format!("foto número {n} «ñ» ").repeat(300));
        let parts = [r#"{"fotos":""#.to_owned()].into_iter().chain(half).chain([r#""}"#.to_owned()]);
        stream::iter(parts.map(|p| Ok(Bytes::from(p)))).boxed()
    }
}

#[tokio::main]
async fn main() {
    let samples = [
        sample(&SECRETS[..1], SignedBody::from(r#"{"nombre":"Ana «la jefa» Peña"}"#.to_owned())).await,
        sample(&SECRETS, SignedBody::from("{}".to_owned())).await,
        sample(&SECRETS, SignedBody::Pieces(Arc::new(Length))).await,
    ];
    let mut output = std::io::stdout().lock();
    serde_json::to_writer(&mut output, &samples).unwrap();
    output.flush().unwrap();
}

async fn sample(secrets: &[&str], body: SignedBody) -> Value {
    let receiver = Receiver::start().await;
    let options = Options { secrets: Secrets::read(&secrets.join(" ")).unwrap(), ..Options::default() };
    let sending = OutgoingSignal { id: "msg_0190a1b2c3d4".into(), timestamp: Timestamp::now(), body };
    let url = Url::parse(&receiver.url()).unwrap();
    let attempt = Webhooks::new(options).unwrap().send(&url, sending).await;
    assert!(attempt.ok, "{attempt:?}");
    let received = &receiver.received()[0];
    let header = |nombre| (nombre, received.header(nombre).unwrap());
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
    json!({
        "secretos": secrets,
        "cabeceras": headers.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "cuerpo": String::from_utf8(received.body.clone()).unwrap(),
    })
}
