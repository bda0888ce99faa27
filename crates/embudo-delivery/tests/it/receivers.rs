//! Receivers that behave in all kinds of ways, and what an attempt reports about them.

use std::time::Duration;

use embudo_delivery::webhook::{AttemptClass, Options, OutgoingSignal, WebhookAttempt, Webhooks};
use embudo_delivery::{Secrets, SignedBody};
use embudo_testkit::Certificate;
use embudo_testkit::receiver::{Manner, Receiver};
use url::Url;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The time-out in tests that wait for one, long enough for a loaded machine; these tests have no other waits.
const SHORT: Duration = Duration::from_millis(400);

fn sending(body: impl Into<SignedBody>) -> OutgoingSignal {
    let timestamp = "2021-02-25T15:02:10Z".parse().unwrap();
    OutgoingSignal { id: "msg_p5jXN8AQM9LWM0D4loKWxJek".into(), timestamp, body: body.into() }
}

async fn send_with(receiver: &Receiver, options: Options) -> WebhookAttempt {
    let url = Url::parse(&receiver.url()).unwrap();
    Webhooks::new(options).unwrap().send(&url, sending(r#"{"test": 2432232314}"#.to_owned())).await
}

async fn send_to(manner: Manner) -> WebhookAttempt {
    let receiver = Receiver::start().await;
    receiver.manners([manner]);
    send_with(&receiver, Options::default()).await
}

async fn send_impatiently(manner: Manner) -> (WebhookAttempt, Receiver) {
    let receiver = Receiver::start().await;
    receiver.manners([manner]);
    let options = Options { total_timeout: SHORT, answer_timeout: SHORT, ..Options::default() };
    (send_with(&receiver, options).await, receiver)
}

/// Asserts that the attempt failed without an answer and may be tried again; returns the error.
#[track_caller]
fn without_response(attempt: &WebhookAttempt) -> &str {
    assert_eq!(
        (attempt.ok, attempt.status, attempt.class),
        (false, None, AttemptClass::Retry),
        "{attempt:?}"
    );
    assert_eq!((&*attempt.answer, attempt.retry_after), ("", None));
    let error = attempt.error.as_deref().unwrap();
    assert!(!error.contains("127.0.0.1") && !error.contains("gancho"), "the URL is not told: {error}");
    error
}

#[tokio::test]
async fn a_signed_call_as_the_standard_wants_it() {
    let receiver = Receiver::start().await;
    let other = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let secrets = Secrets::read(&format!("{SECRET} {other}")).unwrap();
    let attempt = send_with(&receiver, Options { secrets, ..Options::default() }).await;
    assert_eq!(
        (attempt.ok, attempt.status, attempt.class),
        (true, Some(200), AttemptClass::Ok),
        "{attempt:?}"
    );
    assert_eq!((&*attempt.answer, attempt.error), (r#"{"ok":true}"#, None));
    let received_ones = receiver.await_requests(1).await;
    let r = &received_ones[0];
    assert_eq!((&*r.method, &*r.path), ("POST", "/gancho"));
    assert_eq!(r.body, br#"{"test": 2432232314}"#);
    assert_eq!(r.header("webhook-id"), Some("msg_p5jXN8AQM9LWM0D4loKWxJek"));
    assert_eq!(r.header("webhook-timestamp"), Some("1614265330"));
    let (a, another) = r.header("webhook-signature").unwrap().split_once(' ').unwrap();
    assert_eq!(a, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assert!(another.starts_with("v1,"));
    assert_eq!(r.header("content-type"), Some("application/json"));
    assert_eq!(r.header("content-length"), Some("20"));
    assert_eq!(r.header("user-agent"), Some(concat!("embudo/", env!("CARGO_PKG_VERSION"))));
}

#[tokio::test]
async fn without_a_secret_there_is_no_signature_header() {
    let receiver = Receiver::start().await;
    assert!(send_with(&receiver, Options::default()).await.ok);
    assert_eq!(receiver.received()[0].header("webhook-signature"), None);
}

#[tokio::test]
async fn every_2xx_is_ok_and_every_other_status_is_not() {
    for status in [200, 201, 202, 204, 299] {
        let attempt = send_to(Manner::state(status)).await;
        assert_eq!(
            (attempt.ok, attempt.status, attempt.class),
            (true, Some(status), AttemptClass::Ok),
            "{status}"
        );
    }
    for status in [304, 400, 401, 404, 409, 422, 429, 500, 502, 503, 599] {
        let attempt = send_to(Manner::state(status)).await;
        assert_eq!((attempt.ok, attempt.status), (false, Some(status)), "{status}");
        assert_eq!(attempt.class, AttemptClass::Retry, "{status}");
        assert!(attempt.error.unwrap().contains(&status.to_string()));
    }
}

#[tokio::test]
async fn gone_ends_it() {
    let attempt = send_to(Manner::state(410)).await;
    assert_eq!((attempt.ok, attempt.status, attempt.class), (false, Some(410), AttemptClass::End));
}

#[tokio::test]
async fn retry_after_is_read_and_bounded() {
    let wait = |i: WebhookAttempt| i.retry_after.map(|d| d.as_secs());
    assert_eq!(wait(send_to(Manner::retries(429, "120")).await), Some(120));
    assert_eq!(wait(send_to(Manner::retries(503, "999999999")).await), Some(86_400));
    assert_eq!(wait(send_to(Manner::retries(429, "pronto")).await), None);
    assert_eq!(wait(send_to(Manner::retries(200, "120")).await), None);
    // The attempt's own time counts as "now" for a date, so nothing here depends on the wall clock.
    let date = wait(send_to(Manner::retries(503, "Thu, 25 Feb 2021 15:04:10 GMT")).await).unwrap();
    assert!((110..=120).contains(&date), "{date}");
}

#[tokio::test]
async fn a_redirection_is_a_failure_and_not_followed() {
    let destination = Receiver::start().await;
    for status in [301, 302, 303, 307, 308] {
        let attempt = send_to(Manner::redirects(status, &destination.url())).await;
        assert_eq!((attempt.ok, attempt.status, attempt.class), (false, Some(status), AttemptClass::Retry));
    }
    assert_eq!(destination.received(), []);
}

#[tokio::test]
async fn resets_and_half_closes_are_failures_without_an_answer() {
    for manner in [Manner::RstOnConnect, Manner::RstAfterHeaders, Manner::RstAfterBody, Manner::HalfClose] {
        let attempt = send_to(manner.clone()).await;
        assert!(
            without_response(&attempt).starts_with("La conexión con el receptor se cortó"),
            "{manner:?}: {attempt:?}"
        );
    }
}

#[tokio::test]
async fn nobody_listens() {
    let receiver = Receiver::start().await;
    let url = format!("http://ana:clave-secreta@{}/gancho", receiver.address);
    // A socket bound to the address without listening keeps the address from being taken by another program.
    drop(receiver);
    let busy = tokio::net::TcpSocket::new_v4().unwrap();
    busy.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut url = Url::parse(&url).unwrap();
    url.set_port(Some(busy.local_addr().unwrap().port())).unwrap();
    let attempt = Webhooks::new(Options::default()).unwrap().send(&url, sending("{}".to_owned())).await;
    let error = without_response(&attempt);
    assert!(error.starts_with("No se pudo conectar con el receptor: "), "{error}");
    assert!(!error.contains("clave-secreta"), "{error}");
}

#[tokio::test]
async fn a_receiver_that_does_not_take_the_connection() {
    let deaf = crate::deaf().await;
    let url = Url::parse(&format!("http://{}/gancho", deaf.address)).unwrap();
    let webhooks = Webhooks::new(Options { connect_timeout: SHORT, ..Options::default() }).unwrap();
    let attempt = webhooks.send(&url, sending("{}".to_owned())).await;
    assert_eq!(without_response(&attempt), "El receptor no aceptó la conexión a tiempo.");
}

#[tokio::test]
async fn an_answer_after_our_time_is_none() {
    for manner in [Manner::Late, Manner::SlowHeaders] {
        let (attempt, receiver) = send_impatiently(manner).await;
        assert_eq!(without_response(&attempt), "El receptor no contestó en 0.4 s.");
        assert!(attempt.duration >= SHORT);
        receiver.release();
        assert_eq!(receiver.await_requests(1).await.len(), 1, "it was not sent twice");
    }
}

#[tokio::test]
async fn a_2xx_counts_even_when_its_body_is_slow_cut_or_huge() {
    let (attempt, _receiver) = send_impatiently(Manner::SlowBody).await;
    assert_eq!((attempt.ok, &*attempt.answer), (true, "medio"));
    let attempt = send_to(Manner::ClosesInBody).await;
    assert_eq!((attempt.ok, &*attempt.answer), (true, "media resp"));
    let attempt = send_to(Manner::body(vec![b'x'; 1 << 20])).await;
    assert_eq!((attempt.ok, attempt.answer.len()), (true, 64 * 1024));
    let attempt = send_to(Manner::body(b"a\0\xFFb".to_vec())).await;
    assert_eq!(attempt.answer, "a\u{FFFD}\u{FFFD}b");
}

#[tokio::test]
async fn connections_are_kept_for_the_next_call() {
    let receiver = Receiver::start().await;
    let url = Url::parse(&receiver.url()).unwrap();
    let webhooks = Webhooks::new(Options::default()).unwrap();
    for _ in 0..3 {
        assert!(webhooks.send(&url, sending("{}".to_owned())).await.ok);
    }
    assert!(receiver.received().iter().all(|r| r.connection == 0));
}

#[tokio::test]
async fn tls_with_an_authority_of_our_own_and_never_without() {
    let certificate = Certificate::for_("127.0.0.1");
    let ca = certificate.ca_pem.clone().into_bytes();
    let receiver = Receiver::with_tls(certificate).await;
    let attempt = send_with(&receiver, Options { ca_pem: Some(ca), ..Options::default() }).await;
    assert!(attempt.ok, "{attempt:?}");
    let attempt = send_with(&receiver, Options::default()).await;
    assert!(without_response(&attempt).contains("certificate"), "{attempt:?}");
    assert_eq!(receiver.received().len(), 1);
}

#[tokio::test]
async fn a_ca_file_that_is_none_is_a_settings_error() {
    let options = Options { ca_pem: Some(b"hola".to_vec()), ..Options::default() };
    let error = Webhooks::new(options).unwrap_err();
    assert!(error.to_string().contains("PEM"), "{error}");
}

#[tokio::test]
async fn an_id_that_would_break_the_headers_is_not_sent() {
    let receiver = Receiver::start().await;
    let url = Url::parse(&receiver.url()).unwrap();
    let bad = OutgoingSignal { id: "a\r\nx: y".into(), ..sending("{}".to_owned()) };
    let attempt = Webhooks::new(Options::default()).unwrap().send(&url, bad).await;
    assert!(!attempt.ok);
    assert_eq!(receiver.received(), []);
}
