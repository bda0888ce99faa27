//! Several processes share one outbox: two stores on one database are two processes.

mod comun;

use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use comun::{Base, KILL};
use embudo_domain::LeadId;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_store::cola::{Arriendo, Resultado};
use embudo_store::{Store, StoreError};
use embudo_store_conformance::data::outbox::{
    LARGO, cupo, de, fin, hacer, proceso, solo_trabajos, suyos, tomar, tomar_cuando_venza, trabajo,
};
use embudo_store_conformance::data::{self, t};
use tokio::task::JoinSet;
use tokio_postgres::{AsyncMessage, NoTls};

async fn two_stores() -> (Arc<dyn Store>, Arc<dyn Store>, Base, LeadId) {
    let base = Base::new().await;
    let uno: Arc<dyn Store> = Arc::new(base.store().await);
    let otro: Arc<dyn Store> = Arc::new(base.store().await);
    let lead = data::un_lead(&uno).await;
    (uno, otro, base, lead)
}

/// Something that must happen soon.
async fn soon<T>(what: &str, happening: impl Future<Output = T>) -> T {
    let end = tokio::time::timeout(Duration::from_secs(20), happening).await;
    end.unwrap_or_else(|_| panic!("{what}: it does not happen"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_take_disjoint_sets_under_load() {
    const MANY: usize = 600;
    let (uno, otro, _base, lead) = two_stores().await;
    let taken = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for (n, store) in [&uno, &otro].into_iter().cycle().take(8).enumerate() {
        let (store, taken, quien) = (Arc::clone(store), Arc::clone(&taken), proceso());
        tasks.spawn(async move {
            // Half of them make the jobs that all of them take, so that makers and takers meet.
            for _ in 0..if n < 4 { MANY / 4 } else { 0 } {
                hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(1)).await;
            }
            let mut own = Vec::new();
            let arriendo = Arriendo { quien, dura: LARGO };
            while taken.load(Ordering::Relaxed) < MANY {
                let jobs = store.claim(cupo(TipoTrabajo::Mensajeria, 7), arriendo, t(2)).await;
                let jobs = jobs.expect("claimed");
                assert!(jobs.len() <= 7);
                taken.fetch_add(jobs.len(), Ordering::Relaxed);
                for job in jobs {
                    own.push(job.id);
                    assert!(store.finish(fin(job.id, quien, Resultado::Hecho, t(3))).await.expect("ended"));
                }
            }
            own
        });
    }
    let all = soon("every job is taken", tasks.join_all()).await.concat();
    assert_eq!(all.len(), MANY);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), MANY, "one was taken twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_goes_on_where_one_died() {
    let (uno, otro, _base, lead) = two_stores().await;
    let (dead, alive) = (proceso(), proceso());
    let id = hacer(&uno, lead, de(TipoTrabajo::Perfil, dead, Duration::from_millis(50)), t(1)).await;
    drop(uno);
    tomar_cuando_venza(&otro, id, Arriendo { quien: alive, dura: LARGO }, t(1)).await;
    assert!(!otro.finish(fin(id, dead, Resultado::Hecho, t(2))).await.expect("answered"));
    assert!(otro.finish(fin(id, alive, Resultado::Hecho, t(2))).await.expect("ended"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_for_others_wakes_them() {
    let (uno, otro, base, lead) = two_stores().await;
    soon("listening", otro.woken()).await;
    let id = hacer(&uno, lead, trabajo(TipoTrabajo::Mensajeria), t(1)).await;
    soon("a job without a lease", otro.woken()).await;

    let quien = proceso();
    assert_eq!(tomar(&uno, quien, t(1)).await.len(), 1);
    assert_eq!(uno.release(quien).await.expect("released"), 1);
    soon("a release", otro.woken()).await;

    uno.retry(id, t(2)).await.expect("due");
    soon("a retry", otro.woken()).await;

    // What somebody holds wakes nobody: the next notification is that of the job behind it.
    hacer(&uno, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(3)).await;
    hacer(&uno, lead, trabajo(TipoTrabajo::Mensajeria), t(4)).await;
    soon("another job", otro.woken()).await;

    base.client().await.query_one(KILL, &[]).await.expect("ended");
    soon("the listener is back", otro.woken()).await;
    hacer(&uno, lead, trabajo(TipoTrabajo::Mensajeria), t(5)).await;
    soon("a job after that", otro.woken()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_jobs_are_told_of_few_times() {
    let (uno, _otro, base, lead) = two_stores().await;
    let (listener, mut connection) = tokio_postgres::connect(&base.url, NoTls).await.expect("connected");
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let channel = listener.query_one(include_str!("../sql/trabajo/channel.sql"), &[]).await.expect("read");
    let channel: String = channel.get(0);
    listener.batch_execute(&format!("LISTEN {channel}")).await.expect("listening");
    let start = Instant::now();
    for n in 0..200 {
        hacer(&uno, lead, trabajo(TipoTrabajo::Mensajeria), t(n)).await;
    }
    while heard.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let most = 2 + start.elapsed().as_millis() as usize / 100;
    let heard = heard.load(Ordering::Relaxed);
    assert!(heard <= most, "{heard} notifications in {:?}", start.elapsed());

    let other = "CREATE SCHEMA otro; SET search_path = otro";
    listener.batch_execute(other).await.expect("another schema");
    let row = listener.query_one(include_str!("../sql/trabajo/channel.sql"), &[]).await.expect("read");
    assert_ne!(row.get::<_, String>(0), channel, "schemas do not hear each other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_profile_signals_at_most_one_waits() {
    let (uno, otro, _base, _) = two_stores().await;
    for _ in 0..40 {
        let lead = data::otro_lead(&uno).await;
        let quien = proceso();
        let old = hacer(&uno, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
        let again = fin(old, quien, Resultado::Reintentar(t(5)), t(2));
        let newer = |en| solo_trabajos(lead, vec![trabajo(TipoTrabajo::Perfil)], t(en));
        let (ended, a, b) =
            tokio::join!(uno.finish(again), otro.record_evento(newer(2)), uno.record_evento(newer(3)));
        assert!(ended.expect("ended"));
        a.and(b).expect("made");
        let waiting = suyos(&uno, lead).await;
        let waiting = waiting.iter().filter(|job| job.estado == EstadoTrabajo::Pendiente).count();
        assert_eq!(waiting, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_that_was_in_doubt_is_written_once() {
    let (uno, _otro, base, lead) = two_stores().await;
    let quien = proceso();
    let mut ids = Vec::new();
    for n in 0..150 {
        ids.push(hacer(&uno, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(n)).await);
    }
    let enough = Arc::new(AtomicBool::new(false));
    let killing = {
        let (client, enough) = (base.client().await, Arc::clone(&enough));
        tokio::spawn(async move {
            let ended = "SELECT count(*) FROM trabajo WHERE estado = 'hecho'";
            while !enough.load(Ordering::Relaxed) {
                client.query_one(KILL, &[]).await.expect("ended");
                // Until something was written again: a busy machine needs a while for a new connection.
                let before: i64 = client.query_one(ended, &[]).await.expect("read").get(0);
                while !enough.load(Ordering::Relaxed)
                    && client.query_one(ended, &[]).await.expect("read").get::<_, i64>(0) <= before
                {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
        })
    };
    let mut tasks = JoinSet::new();
    for part in ids.chunks(25) {
        let (store, part) = (Arc::clone(&uno), part.to_vec());
        tasks.spawn(async move {
            for id in part {
                loop {
                    match store.finish(fin(id, quien, Resultado::Hecho, t(500))).await {
                        Ok(_) => break,
                        Err(StoreError::Unavailable(_)) => {}
                        Err(otro) => panic!("{otro:?}"),
                    }
                }
            }
        });
    }
    soon("every job ends", tasks.join_all()).await;
    enough.store(true, Ordering::Relaxed);
    killing.await.expect("no panic");
    for id in ids {
        let (job, log) = uno.trabajo(id).await.expect("it exists");
        assert_eq!((job.estado, job.intentos, log.len()), (EstadoTrabajo::Hecho, 1, 1));
    }
}

/// A receiver that calls back before it answers, and our own calls about the same lead, meet no lock of a job in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_in_flight_holds_nobody_up() {
    let (uno, otro, _base, lead) = two_stores().await;
    let quien = proceso();
    let id = hacer(&uno, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let mut back = data::ingesta(lead, vec![data::foto()], t(2));
    back.finalizar = true;
    soon("the call back", otro.ingest(back)).await.expect("saved");
    soon("a turn", otro.append_turno(data::turno(lead, "hola", t(2)))).await.expect("appended");
    assert!(uno.finish(fin(id, quien, Resultado::Hecho, t(3))).await.expect("ended"));
}
