//! Every manner of a receiver, and what an attempt says about it.

use std::time::Duration;

use embudo_delivery::webhook::{Clase, Envio, Intento, Opciones, Webhooks};
use embudo_delivery::{Cuerpo, Secretos};
use embudo_testkit::Certificate;
use embudo_testkit::receiver::{Manner, Receiver};
use url::Url;

const SECRETO: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// Long enough for a loaded machine where a test waits for the clock to run out, and the only wait there is.
const CORTO: Duration = Duration::from_millis(400);

fn envio(cuerpo: impl Into<Cuerpo>) -> Envio {
    let timestamp = "2021-02-25T15:02:10Z".parse().unwrap();
    Envio { id: "msg_p5jXN8AQM9LWM0D4loKWxJek".into(), timestamp, body: cuerpo.into() }
}

async fn send_with(receptor: &Receiver, opciones: Opciones) -> Intento {
    let url = Url::parse(&receptor.url()).unwrap();
    Webhooks::new(opciones).unwrap().send(&url, envio(r#"{"test": 2432232314}"#.to_owned())).await
}

async fn send_to(manera: Manner) -> Intento {
    let receptor = Receiver::arrancar().await;
    receptor.manners([manera]);
    send_with(&receptor, Opciones::default()).await
}

async fn send_impatiently(manera: Manner) -> (Intento, Receiver) {
    let receptor = Receiver::arrancar().await;
    receptor.manners([manera]);
    let opciones = Opciones { total_timeout: CORTO, answer_timeout: CORTO, ..Opciones::default() };
    (send_with(&receptor, opciones).await, receptor)
}

/// It failed without an answer and may be tried again; returns why.
#[track_caller]
fn sin_respuesta(intento: &Intento) -> &str {
    assert_eq!((intento.ok, intento.status, intento.clase), (false, None, Clase::Reintentar), "{intento:?}");
    assert_eq!((&*intento.respuesta, intento.retry_after), ("", None));
    let error = intento.error.as_deref().unwrap();
    assert!(!error.contains("127.0.0.1") && !error.contains("gancho"), "the URL is not told: {error}");
    error
}

#[tokio::test]
async fn a_signed_call_as_the_standard_wants_it() {
    let receptor = Receiver::arrancar().await;
    let otro = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let secretos = Secretos::leer(&format!("{SECRETO} {otro}")).unwrap();
    let intento = send_with(&receptor, Opciones { secretos, ..Opciones::default() }).await;
    assert_eq!((intento.ok, intento.status, intento.clase), (true, Some(200), Clase::Ok), "{intento:?}");
    assert_eq!((&*intento.respuesta, intento.error), (r#"{"ok":true}"#, None));
    let recibidas = receptor.await_requests(1).await;
    let r = &recibidas[0];
    assert_eq!((&*r.metodo, &*r.ruta), ("POST", "/gancho"));
    assert_eq!(r.cuerpo, br#"{"test": 2432232314}"#);
    assert_eq!(r.cabecera("webhook-id"), Some("msg_p5jXN8AQM9LWM0D4loKWxJek"));
    assert_eq!(r.cabecera("webhook-timestamp"), Some("1614265330"));
    let (una, otra) = r.cabecera("webhook-signature").unwrap().split_once(' ').unwrap();
    assert_eq!(una, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assert!(otra.starts_with("v1,"));
    assert_eq!(r.cabecera("content-type"), Some("application/json"));
    assert_eq!(r.cabecera("content-length"), Some("20"));
    assert_eq!(r.cabecera("user-agent"), Some(concat!("embudo/", env!("CARGO_PKG_VERSION"))));
}

#[tokio::test]
async fn without_a_secret_there_is_no_signature_header() {
    let receptor = Receiver::arrancar().await;
    assert!(send_with(&receptor, Opciones::default()).await.ok);
    assert_eq!(receptor.received()[0].cabecera("webhook-signature"), None);
}

#[tokio::test]
async fn every_2xx_is_ok_and_every_other_status_is_not() {
    for status in [200, 201, 202, 204, 299] {
        let intento = send_to(Manner::estado(status)).await;
        assert_eq!((intento.ok, intento.status, intento.clase), (true, Some(status), Clase::Ok), "{status}");
    }
    for status in [304, 400, 401, 404, 409, 422, 429, 500, 502, 503, 599] {
        let intento = send_to(Manner::estado(status)).await;
        assert_eq!((intento.ok, intento.status), (false, Some(status)), "{status}");
        assert_eq!(intento.clase, Clase::Reintentar, "{status}");
        assert!(intento.error.unwrap().contains(&status.to_string()));
    }
}

#[tokio::test]
async fn gone_ends_it() {
    let intento = send_to(Manner::estado(410)).await;
    assert_eq!((intento.ok, intento.status, intento.clase), (false, Some(410), Clase::Fin));
}

#[tokio::test]
async fn retry_after_is_read_and_bounded() {
    let espera = |i: Intento| i.retry_after.map(|d| d.as_secs());
    assert_eq!(espera(send_to(Manner::reintenta(429, "120")).await), Some(120));
    assert_eq!(espera(send_to(Manner::reintenta(503, "999999999")).await), Some(86_400));
    assert_eq!(espera(send_to(Manner::reintenta(429, "pronto")).await), None);
    assert_eq!(espera(send_to(Manner::reintenta(200, "120")).await), None);
    // The attempt's own time is the "now" of a date, so nothing here depends on the wall clock.
    let fecha = espera(send_to(Manner::reintenta(503, "Thu, 25 Feb 2021 15:04:10 GMT")).await).unwrap();
    assert!((110..=120).contains(&fecha), "{fecha}");
}

#[tokio::test]
async fn a_redirection_is_a_failure_and_not_followed() {
    let destino = Receiver::arrancar().await;
    for status in [301, 302, 303, 307, 308] {
        let intento = send_to(Manner::redirige(status, &destino.url())).await;
        assert_eq!((intento.ok, intento.status, intento.clase), (false, Some(status), Clase::Reintentar));
    }
    assert_eq!(destino.received(), []);
}

#[tokio::test]
async fn resets_and_half_closes_are_failures_without_an_answer() {
    for manera in
        [Manner::RstAlConectar, Manner::RstTrasCabeceras, Manner::RstTrasCuerpo, Manner::MedioCierre]
    {
        let intento = send_to(manera.clone()).await;
        assert!(
            sin_respuesta(&intento).starts_with("La conexión con el receptor se cortó"),
            "{manera:?}: {intento:?}"
        );
    }
}

#[tokio::test]
async fn nobody_listens() {
    let receptor = Receiver::arrancar().await;
    let url = format!("http://ana:clave-secreta@{}/gancho", receptor.direccion);
    // Binding the same address without listening keeps it from being taken by somebody else.
    drop(receptor);
    let ocupado = tokio::net::TcpSocket::new_v4().unwrap();
    ocupado.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut url = Url::parse(&url).unwrap();
    url.set_port(Some(ocupado.local_addr().unwrap().port())).unwrap();
    let intento = Webhooks::new(Opciones::default()).unwrap().send(&url, envio("{}".to_owned())).await;
    let error = sin_respuesta(&intento);
    assert!(error.starts_with("No se pudo conectar con el receptor: "), "{error}");
    assert!(!error.contains("clave-secreta"), "{error}");
}

#[tokio::test]
async fn a_receiver_that_does_not_take_the_connection() {
    let sordo = crate::sordo().await;
    let url = Url::parse(&format!("http://{}/gancho", sordo.direccion)).unwrap();
    let webhooks = Webhooks::new(Opciones { connect_timeout: CORTO, ..Opciones::default() }).unwrap();
    let intento = webhooks.send(&url, envio("{}".to_owned())).await;
    assert_eq!(sin_respuesta(&intento), "El receptor no aceptó la conexión a tiempo.");
}

#[tokio::test]
async fn an_answer_after_our_time_is_none() {
    for manera in [Manner::Tarde, Manner::CabecerasLentas] {
        let (intento, receptor) = send_impatiently(manera).await;
        assert_eq!(sin_respuesta(&intento), "El receptor no contestó en 0.4 s.");
        assert!(intento.duracion >= CORTO);
        receptor.soltar();
        assert_eq!(receptor.await_requests(1).await.len(), 1, "it was not sent twice");
    }
}

#[tokio::test]
async fn a_2xx_counts_even_when_its_body_is_slow_cut_or_huge() {
    let (intento, _receptor) = send_impatiently(Manner::CuerpoLento).await;
    assert_eq!((intento.ok, &*intento.respuesta), (true, "medio"));
    let intento = send_to(Manner::CierraEnCuerpo).await;
    assert_eq!((intento.ok, &*intento.respuesta), (true, "media resp"));
    let intento = send_to(Manner::cuerpo(vec![b'x'; 1 << 20])).await;
    assert_eq!((intento.ok, intento.respuesta.len()), (true, 64 * 1024));
    let intento = send_to(Manner::cuerpo(b"a\0\xFFb".to_vec())).await;
    assert_eq!(intento.respuesta, "a\u{FFFD}\u{FFFD}b");
}

#[tokio::test]
async fn connections_are_kept_for_the_next_call() {
    let receptor = Receiver::arrancar().await;
    let url = Url::parse(&receptor.url()).unwrap();
    let webhooks = Webhooks::new(Opciones::default()).unwrap();
    for _ in 0..3 {
        assert!(webhooks.send(&url, envio("{}".to_owned())).await.ok);
    }
    assert!(receptor.received().iter().all(|r| r.conexion == 0));
}

#[tokio::test]
async fn tls_with_an_authority_of_our_own_and_never_without() {
    let certificado = Certificate::para("127.0.0.1");
    let ca = certificado.ca_pem.clone().into_bytes();
    let receptor = Receiver::con_tls(certificado).await;
    let intento = send_with(&receptor, Opciones { ca_pem: Some(ca), ..Opciones::default() }).await;
    assert!(intento.ok, "{intento:?}");
    let intento = send_with(&receptor, Opciones::default()).await;
    assert!(sin_respuesta(&intento).contains("certificate"), "{intento:?}");
    assert_eq!(receptor.received().len(), 1);
}

#[tokio::test]
async fn a_ca_file_that_is_none_is_a_settings_error() {
    let opciones = Opciones { ca_pem: Some(b"hola".to_vec()), ..Opciones::default() };
    let error = Webhooks::new(opciones).unwrap_err();
    assert!(error.to_string().contains("PEM"), "{error}");
}

#[tokio::test]
async fn an_id_that_would_break_the_headers_is_not_sent() {
    let receptor = Receiver::arrancar().await;
    let url = Url::parse(&receptor.url()).unwrap();
    let malo = Envio { id: "a\r\nx: y".into(), ..envio("{}".to_owned()) };
    let intento = Webhooks::new(Opciones::default()).unwrap().send(&url, malo).await;
    assert!(!intento.ok);
    assert_eq!(receptor.received(), []);
}
