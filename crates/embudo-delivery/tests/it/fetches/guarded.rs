//! Signals to addresses that somebody typed: the same guard, at every attempt.

use std::sync::Arc;

use embudo_delivery::fetch::{Fetcher, Resolver};
use embudo_delivery::webhook::{Options, OutgoingSignal, WebhookAttempt, Webhooks};
use embudo_delivery::{FetchFailure, Secrets};

use super::{Script, Server, rules};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const SERVERS: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn with(allowed: &[&str], script: &Arc<Script>) -> Fetcher {
    let resolver: Arc<dyn Resolver> = script.clone();
    Fetcher::with_resolver(rules(allowed), resolver).unwrap()
}

async fn send(guard: &Fetcher, url: &str) -> WebhookAttempt {
    let options = Options { secrets: Secrets::read(SERVERS).unwrap(), ..Options::default() };
    let timestamp = "2021-02-25T15:02:10Z".parse().unwrap();
    let sending = OutgoingSignal { id: "a".into(), timestamp, body: "{}".to_owned().into() };
    Webhooks::new(options).unwrap().send_guarded(guard, url, &Secrets::none(), sending).await
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_refused_the_next_time() {
    let good = Server::what_says(OK).await;
    let canary = Server::start(&format!("127.0.0.2:{}", good.port()), |_| async {}).await;
    let script = Script::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let guard = with(&[&good.address.to_string()], &script);
    let url = format!("http://cambia.example:{}/gancho?secreto=geheim", good.port());
    let first = send(&guard, &url).await;
    assert!(first.ok && first.answer == "ok", "{first:?}");
    let second = send(&guard, &url).await;
    let error = second.error.unwrap();
    assert!(error.contains("no es pública") && !error.contains("geheim"), "{error}");
    assert_eq!(script.questions().len(), 2, "asked once for each attempt");
    assert_eq!((good.how_many().await, canary.how_many().await), (1, 0));
}

#[tokio::test]
async fn what_leaves_the_house_goes_by_https() {
    let script = Script::new(&[&["8.8.8.8"]]);
    let guard = with(&["dentro.example", "10.0.0.0/8"], &script);
    for (url, expected) in [
        ("https://fuera.example/x", Ok(())),
        ("http://fuera.example/x", Err(FetchFailure::Plain)),
        ("http://8.8.8.8/x", Err(FetchFailure::Plain)),
        ("http://dentro.example/x", Ok(())),
        ("http://10.1.2.3/x", Ok(())),
        ("https://192.168.1.1/x", Err(FetchFailure::NotPublic)),
        ("https://fuera.example:8443/x", Err(FetchFailure::Port)),
        ("ftp://fuera.example/x", Err(FetchFailure::Schema)),
    ] {
        assert_eq!(guard.check_receiver(url).await, expected, "{url}");
    }
}

#[tokio::test]
async fn the_servers_secret_signs_nothing_that_goes_elsewhere() {
    let receiver = embudo_testkit::Receiver::start().await;
    let guard = Fetcher::new(rules(&[&receiver.address.to_string()])).unwrap();
    assert!(send(&guard, &receiver.url()).await.ok);
    assert_eq!(receiver.received()[0].header("webhook-signature"), None);
}
