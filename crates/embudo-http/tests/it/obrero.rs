//! The worker outlives its own panics: it starts again, and so does what waited. It never tries a job twice at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use embudo_app::Reloj;
use embudo_domain::Timestamp;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_store::cola::Arriendo;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, ManualClock, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;
use tokio::sync::oneshot;

both_engines!(a_job_that_is_being_tried_is_not_taken_again);

/// A clock that panics while it is broken: the worker asks it before it claims.
#[derive(Default)]
struct RelojRoto {
    bueno: ManualClock,
    roto: AtomicBool,
    panicos: AtomicUsize,
}

impl Reloj for RelojRoto {
    fn ahora(&self) -> Timestamp {
        if self.roto.load(Ordering::SeqCst) {
            self.panicos.fetch_add(1, Ordering::SeqCst);
            panic!("the clock is broken, as this test wants it");
        }
        self.bueno.ahora()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_starts_again() {
    let reloj = Arc::new(RelojRoto::default());
    let e = Scene::con(Engine::Sqlite, |m| m.reloj = reloj.clone()).await;
    e.receiver.manners([Manner::estado(500)]);
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let r = e.s.post(&ruta, &json!({ "perfilCompleto": true })).await.con(200);
    assert_eq!(r["perfilSenalado"], false);
    reloj.bueno.advance(SignedDuration::from_mins(5));

    reloj.roto.store(true, Ordering::SeqCst);
    let (parar, parado) = oneshot::channel::<()>();
    let app = e.s.app.clone();
    let obrero =
        tokio::spawn(async move { app.worker().work(async { drop(parado.await) }, Duration::ZERO).await });
    while reloj.panicos.load(Ordering::SeqCst) < 2 {
        assert!(!obrero.is_finished(), "it never came back");
        tokio::task::yield_now().await;
    }
    assert_eq!(e.receiver.received().len(), 1, "nothing was claimed meanwhile");
    reloj.roto.store(false, Ordering::SeqCst);
    e.receiver.await_requests(2).await;
    drop(parar);
    obrero.await.expect("it ends when it is asked to");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_stops_when_it_is_asked() {
    let reloj = Arc::new(RelojRoto::default());
    let e = Scene::con(Engine::Sqlite, |m| m.reloj = reloj.clone()).await;
    reloj.roto.store(true, Ordering::SeqCst);
    let parar = async {
        while reloj.panicos.load(Ordering::SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
    };
    e.s.app.worker().work(parar, Duration::ZERO).await;
}

/// A process that stalls longer than its leases last comes back to find its own jobs free for all.
async fn a_job_that_is_being_tried_is_not_taken_again(motor: Engine) {
    let e = Scene::con(motor, |m| m.outbound.espera = Duration::from_millis(1)).await;
    e.receiver.manners([Manner::Tarde]);
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let r = e.s.post(&ruta, &json!({ "perfilCompleto": true })).await.con(200);
    assert_eq!(r["perfilSenalado"], false, "it goes on by itself");
    e.receiver.await_requests(1).await;

    let app = &e.s.app;
    let todos = app.store.list_trabajos(Default::default(), None, 10).await.unwrap();
    let ids: Vec<_> = todos.iter().map(|t| t.id).collect();
    let vencido = Arriendo { quien: app.outbound.proceso, dura: Duration::ZERO };
    assert_eq!(app.store.renew(ids.clone(), vencido).await.unwrap(), ids, "the lease has run out");

    let libre = app.store.next_due(vec![TipoTrabajo::Perfil]).await.unwrap();
    let otra_vuelta = app.clone();
    let otra_vuelta = tokio::spawn(async move { otra_vuelta.worker().run_jobs().await });
    while app.store.next_due(vec![TipoTrabajo::Perfil]).await.unwrap() == libre {
        assert!(!otra_vuelta.is_finished(), "it was not claimed");
        tokio::task::yield_now().await;
    }
    e.receiver.soltar();
    assert_eq!(otra_vuelta.await.unwrap().unwrap(), 0, "nothing was begun");
    assert_eq!(e.receiver.received().len(), 1);
    let (trabajo, entregas) = app.store.trabajo(ids[0]).await.unwrap();
    assert_eq!((trabajo.estado, entregas.len()), (EstadoTrabajo::Hecho, 1), "its outcome is not lost");
}
