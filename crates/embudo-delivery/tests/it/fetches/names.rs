//! Names: resolved once, then pinned; if one of their addresses is refused, the name is refused.

use std::sync::Arc;
use std::time::Duration;

use embudo_delivery::FetchFailure;
use embudo_delivery::fetch::{Fetcher, Resolver};

use super::{LENGTH, Script, Server, rules};

const FOTO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfoto";

fn with(allowed: &[&str], script: &Arc<Script>) -> Fetcher {
    let resolver: Arc<dyn Resolver> = script.clone();
    Fetcher::with_resolver(rules(allowed), resolver).unwrap()
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_asked_once() {
    let good = Server::what_says(FOTO).await;
    // The same port on another address of this machine, which is the second answer of the resolver.
    let canary = Server::start(&format!("127.0.0.2:{}", good.port()), |_| async {}).await;
    let script = Script::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetches = with(&[&good.address.to_string()], &script);
    let url = format!("http://cambia.example:{}/", good.port());
    assert_eq!(fetches.fetch(&url, LENGTH).await.unwrap(), "foto");
    assert_eq!(script.questions(), ["cambia.example"]);
    // From the second fetch on the name leads to the canary, and is refused.
    for _ in 0..3 {
        assert_eq!(fetches.fetch(&url, LENGTH).await, Err(FetchFailure::NotPublic));
    }
    assert_eq!(script.questions().len(), 4);
    assert_eq!((good.how_many().await, canary.how_many().await), (1, 0));
}

#[tokio::test]
async fn one_private_answer_spoils_the_public_ones() {
    let canary = Server::start("127.0.0.1:0", |_| async {}).await;
    for answers in [
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
        let script = Script::new(&[answers]);
        // The port is open for another host, so that only the address decides.
        let port = canary.port();
        let fetches = with(&[&format!("otro.example:{port}")], &script);
        let failure = fetches.fetch(&format!("http://mixto.example:{port}/"), LENGTH).await;
        let expected = if answers[0].starts_with("8.") || answers[0].starts_with("2a") {
            FetchFailure::Port
        } else {
            FetchFailure::NotPublic
        };
        assert_eq!(failure, Err(expected), "{answers:?}");
        let failure = fetches.fetch("http://mixto.example/", LENGTH).await;
        assert_eq!(failure, Err(FetchFailure::NotPublic), "{answers:?}");
        assert_eq!(script.questions(), ["mixto.example", "mixto.example"], "{answers:?}");
    }
    assert_eq!(canary.how_many().await, 0);
}

#[tokio::test]
async fn a_permitted_name_leads_where_it_leads() {
    let server = Server::what_says(FOTO).await;
    let port = server.port();
    let script = Script::new(&[&["127.0.0.1"]]);
    let fetches = with(&[&format!("Fotos.Local:{port}")], &script);
    for nombre in ["fotos.local", "FOTOS.local", "fotos.local.", "ｆｏｔｏｓ.local"] {
        let url = format!("http://{nombre}:{port}/a/b.jpg");
        assert_eq!(fetches.fetch(&url, LENGTH).await.unwrap(), "foto", "{nombre}");
    }
    for nombre in ["otras.local", "fotos.local.example", "xfotos.local", "a.fotos.local", "127.0.0.1"] {
        let url = format!("http://{nombre}:{port}/a/b.jpg");
        assert_eq!(fetches.fetch(&url, LENGTH).await, Err(FetchFailure::NotPublic), "{nombre}");
    }
    assert_eq!(server.how_many().await, 4);
    assert!(script.questions().iter().all(|p| !p.contains("127")), "an address is not resolved");
}

#[tokio::test]
async fn a_permitted_network_is_open_under_any_name_and_port_by_port() {
    let server = Server::what_says(FOTO).await;
    let port = server.port();
    let script = Script::new(&[&["127.0.0.1"]]);
    let open = with(&[&format!("127.0.0.1:{port}")], &script);
    let url = format!("http://cualquiera.example:{port}/");
    assert_eq!(open.fetch(&url, LENGTH).await.unwrap(), "foto");
    // A network without a port is open on the two usual ports only.
    let network = with(&["127.0.0.0/8"], &script);
    assert_eq!(network.fetch(&url, LENGTH).await, Err(FetchFailure::Port));
    assert_eq!(server.how_many().await, 1);
}

#[tokio::test]
async fn a_name_without_addresses_is_nobody() {
    for script in [Script::new(&[]), Script::new(&[&[]])] {
        let failure = with(&[], &script).fetch("http://nadie.example/", LENGTH).await;
        assert_eq!(failure, Err(FetchFailure::NoServer));
        assert_eq!(script.questions(), ["nadie.example"]);
    }
}

#[tokio::test]
async fn resolving_counts_for_the_time() {
    struct Mute;
    #[async_trait::async_trait]
    impl Resolver for Mute {
        async fn resolve(&self, _: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
            std::future::pending().await
        }
    }
    let fetches = Fetcher::with_resolver(rules(&[]), Arc::new(Mute)).unwrap();
    let failure = fetches.fetch("http://lento.example/", Duration::from_millis(50)).await;
    assert_eq!(failure, Err(FetchFailure::Time));
}

#[tokio::test]
async fn without_time_no_name_is_looked_up() {
    let script = Script::new(&[&["192.0.2.1"]]);
    let fetches = with(&[], &script);
    for _ in 0..100 {
        let failure = fetches.fetch("http://lento.example/", Duration::ZERO).await;
        assert_eq!(failure, Err(FetchFailure::Time));
    }
    assert_eq!(script.questions(), Vec::<String>::new());
}
