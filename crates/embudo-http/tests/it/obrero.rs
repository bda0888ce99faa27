//! The worker outlives its own panics: it starts again, and so does what waited.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use embudo_app::Reloj;
use embudo_domain::Timestamp;
use embudo_testkit::receptor::Manera;
use embudo_testkit::{Motor, RelojManual};
use jiff::SignedDuration;
use serde_json::json;
use tokio::sync::oneshot;

use crate::senales::Escena;

/// A clock that panics while it is broken: the worker asks it before it claims.
#[derive(Default)]
struct RelojRoto {
    bueno: RelojManual,
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
    let e = Escena::con(Motor::Sqlite, |m| m.reloj = reloj.clone()).await;
    e.receptor.maneras([Manera::estado(500)]);
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let r = e.s.post(&ruta, &json!({ "perfilCompleto": true })).await.con(200);
    assert_eq!(r["perfilSenalado"], false);
    reloj.bueno.adelantar(SignedDuration::from_mins(5));

    reloj.roto.store(true, Ordering::SeqCst);
    let (parar, parado) = oneshot::channel::<()>();
    let app = e.s.app.clone();
    let obrero = tokio::spawn(async move { app.work(async { drop(parado.await) }, Duration::ZERO).await });
    while reloj.panicos.load(Ordering::SeqCst) < 2 {
        assert!(!obrero.is_finished(), "it never came back");
        tokio::task::yield_now().await;
    }
    assert_eq!(e.receptor.recibidas().len(), 1, "nothing was claimed meanwhile");
    reloj.roto.store(false, Ordering::SeqCst);
    e.receptor.await_requests(2).await;
    drop(parar);
    obrero.await.expect("it ends when it is asked to");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_stops_when_it_is_asked() {
    let reloj = Arc::new(RelojRoto::default());
    let e = Escena::con(Motor::Sqlite, |m| m.reloj = reloj.clone()).await;
    reloj.roto.store(true, Ordering::SeqCst);
    let parar = async {
        while reloj.panicos.load(Ordering::SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
    };
    e.s.app.work(parar, Duration::ZERO).await;
}
