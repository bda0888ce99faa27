//! What machines ask the server about itself (contract §3).

use std::sync::Arc;

use embudo_door::ApiKeys;
use embudo_supervisor::Pauses;
use embudo_testkit::{Engine, KEY, Server, Setup, both_engines};

both_engines!(
    health_and_readiness_need_no_key,
    readiness_tells_of_a_task_that_is_down,
    many_may_ask_for_readiness_at_once,
);

async fn health_and_readiness_need_no_key(s: Server) {
    for ruta in ["/healthz", "/readyz"] {
        assert_eq!(s.enviar(s.cliente.get(s.url(ruta))).await.status.as_u16(), 200);
    }
}

async fn readiness_tells_of_a_task_that_is_down(s: Server) {
    let readyz = async || s.enviar(s.cliente.get(s.url("/readyz"))).await;
    let tarea = s.app.supervisor.watch("a chore");
    let pausa = Pauses::default().after_panic(&tarea);
    assert!(!pausa.is_zero());
    let r = readyz().await;
    assert!(r.cabecera("retry-after").is_some());
    r.problema(503);
    tarea.up();
    assert_eq!(readyz().await.status.as_u16(), 200);
}

async fn many_may_ask_for_readiness_at_once(s: Server) {
    let preguntas = (0..200).map(|_| s.enviar(s.cliente.get(s.url("/readyz"))));
    for r in futures_util::future::join_all(preguntas).await {
        assert_eq!(r.status.as_u16(), 200);
    }
}

#[tokio::test]
async fn metrics_want_the_api_key_or_their_token() {
    let mut montaje = Setup::en(Engine::Sqlite);
    montaje.ajustes.metricas = Some(Arc::new(|| "embudo_up 1\n".to_owned()));
    montaje.ajustes.token_metricas = Some(ApiKeys::new("ficha", None).unwrap());
    let s = montaje.arrancar().await;
    for (clave, status) in [("ficha", 200), (KEY, 200), ("otra", 401)] {
        let r = s.enviar(s.cliente.get(s.url("/metrics")).bearer_auth(clave)).await;
        assert_eq!(r.status.as_u16(), status, "{clave}");
    }
    s.enviar(s.cliente.get(s.url("/metrics"))).await.problema(401);
}
