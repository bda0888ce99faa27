//! What machines ask the server about itself (contract §3).

use std::sync::Arc;

use embudo_server::ApiKeys;
use embudo_supervisor::Pauses;
use embudo_testkit::{Engine, KEY, Server, Setup, both_engines};

both_engines!(
    health_and_readiness_need_no_key,
    readiness_tells_of_a_task_that_is_down,
    many_may_ask_for_readiness_at_once,
);

async fn health_and_readiness_need_no_key(s: Server) {
    for path in ["/healthz", "/readyz"] {
        assert_eq!(s.send(s.cliente.get(s.url(path))).await.status.as_u16(), 200);
    }
}

async fn readiness_tells_of_a_task_that_is_down(s: Server) {
    let readyz = async || s.send(s.cliente.get(s.url("/readyz"))).await;
    let task = s.app.supervisor.watch("a chore");
    let pause = Pauses::default().after_panic(&task);
    assert!(!pause.is_zero());
    let r = readyz().await;
    assert!(r.header("retry-after").is_some());
    r.problem(503);
    task.up();
    assert_eq!(readyz().await.status.as_u16(), 200);
}

async fn many_may_ask_for_readiness_at_once(s: Server) {
    let questions = (0..200).map(|_| s.send(s.cliente.get(s.url("/readyz"))));
    for r in futures_util::future::join_all(questions).await {
        assert_eq!(r.status.as_u16(), 200);
    }
}

#[tokio::test]
async fn metrics_want_the_api_key_or_their_token() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.metrics = Some(Arc::new(|| "embudo_up 1\n".to_owned()));
    setup.settings.metrics_token = Some(ApiKeys::new("ficha", None).unwrap());
    let s = setup.start().await;
    for (key, status) in [("ficha", 200), (KEY, 200), ("otra", 401)] {
        let r = s.send(s.cliente.get(s.url("/metrics")).bearer_auth(key)).await;
        assert_eq!(r.status.as_u16(), status, "{key}");
    }
    s.send(s.cliente.get(s.url("/metrics"))).await.problem(401);
}
