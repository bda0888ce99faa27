//! Jobs that are made together and attempts that end together: few transactions, and nobody is punished for a neighbour.

mod comun;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use comun::{Base, KILL, fresh};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_domain::{LeadId, TrabajoId};
use embudo_store::cola::{FinIntento, Resultado};
use embudo_store::command::Ingest;
use embudo_store::{Hecho, Store, StoreError};
use embudo_store_conformance::data::outbox::{LARGO, de, fin, hacer, proceso, suyos};
use embudo_store_conformance::data::{self, t};
use tokio::task::JoinSet;

fn call(lead: LeadId, texto: &str) -> (TrabajoId, Ingest) {
    let nuevo = de(TipoTrabajo::Perfil, proceso(), LARGO);
    let id = nuevo.id;
    let (notas, trabajos) = (vec![data::nota(texto, None)], vec![nuevo]);
    (id, Ingest { notas, trabajos, ..data::ingesta(lead, vec![], t(1)) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_and_ends_take_few_transactions() {
    let base = Base::new().await;
    let store = Arc::new(base.store().await);
    let dyn_store: Arc<dyn Store> = store.clone();
    let first = data::un_lead(&dyn_store).await;
    let quien = proceso();
    let mut ended = Vec::new();
    for _ in 0..64 {
        let lead = data::otro_lead(&dyn_store).await;
        ended.push(hacer(&dyn_store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await);
    }
    let before = store.estadisticas();
    // Both writers are held up by a lock, so that everything else gathers behind their first groups.
    let blocker = base.client().await;
    blocker.batch_execute("BEGIN; LOCK TABLE trabajo IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut tasks = JoinSet::new();
    for id in ended {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            use embudo_store::Cola;
            assert!(store.finish(fin(id, quien, Resultado::Hecho, t(2))).await.expect("ended"));
        });
    }
    for _ in 0..63 {
        let lead = data::otro_lead(&dyn_store).await;
        let store = Arc::clone(&store);
        tasks.spawn(async move { drop(store.ingest(call(lead, "hola").1).await.expect("saved")) });
    }
    let last = Arc::clone(&store);
    tasks.spawn(async move { drop(last.ingest(call(first, "hola").1).await.expect("saved")) });
    base.wait_for_locks(2).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    blocker.batch_execute("COMMIT").await.expect("unlocked");
    tasks.join_all().await;
    let after = store.estadisticas();
    assert_eq!(after.comandos - before.comandos, 128);
    assert!(after.sentencias - before.sentencias <= 32, "{before:?} {after:?}");
}

/// Of many ends and calls one in ten says a word that the database does not take: only that one fails, as a whole, and is told so.
async fn one_in_ten_fails_alone(setup: &str, word: &'static str, is_told: fn(&StoreError) -> bool) {
    let (store, base) = fresh().await;
    data::un_lead(&store).await;
    base.client().await.batch_execute(setup).await.expect("set up");
    let quien = proceso();
    let mut tasks = JoinSet::new();
    for n in 0..60 {
        let lead = data::otro_lead(&store).await;
        let id = hacer(&store, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(1)).await;
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let is_bad = n % 10 == 3;
            let text = if is_bad { word } else { "bueno" };
            let mut end = fin(id, quien, Resultado::Muerto, t(2));
            end.entrega.error = Some(text.to_owned());
            let (made, call) = call(lead, text);
            let (ended, saved) = tokio::join!(store.finish(end), store.ingest(call));
            (is_bad, lead, id, made, ended, saved)
        });
    }
    for (is_bad, lead, id, made, ended, saved) in tasks.join_all().await {
        let notas = data::ficha(&store, lead).await.notas.len();
        let was_made = !store.trabajos(vec![made]).await.expect("read").is_empty();
        let (job, log) = store.trabajo(id).await.expect("it exists");
        if is_bad {
            assert!(ended.as_ref().is_err_and(is_told), "{ended:?}");
            assert!(saved.as_ref().is_err_and(is_told), "{saved:?}");
            assert_eq!((job.estado, log.len(), notas, was_made), (EstadoTrabajo::Pendiente, 0, 0, false));
        } else {
            assert!(ended.expect("not punished for a neighbour"));
            assert_eq!(saved.expect("not punished for a neighbour"), Hecho::Ahora);
            assert_eq!((job.estado, log.len(), notas, was_made), (EstadoTrabajo::Muerto, 1, 1, true));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_one_harms_no_neighbour() {
    let checks =
        "ALTER TABLE entrega ADD CHECK (error <> 'veneno'); ALTER TABLE nota ADD CHECK (texto <> 'veneno')";
    one_in_ten_fails_alone(checks, "veneno", |e| matches!(e, StoreError::Internal(_))).await;
}

/// Triggers that take too long for one value: to a statement it ends as its time-out does.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$;
    CREATE TRIGGER slow BEFORE INSERT ON entrega FOR EACH ROW WHEN (NEW.error = 'lento') EXECUTE FUNCTION slow();
    CREATE TRIGGER slow BEFORE INSERT ON nota FOR EACH ROW WHEN (NEW.texto = 'lento') EXECUTE FUNCTION slow()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_one_harms_no_neighbour() {
    one_in_ten_fails_alone(SLOW, "lento", |e| matches!(e, StoreError::Unavailable(_))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lead_that_is_held_delays_only_its_own_end() {
    let (store, base) = fresh().await;
    let held = data::un_lead(&store).await;
    let quien = proceso();
    let of = async |lead| hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let ending =
        |id| FinIntento { bucle: Some(Default::default()), ..fin(id, quien, Resultado::Hecho, t(2)) };
    let slow = of(held).await;
    let mut others = Vec::new();
    for _ in 0..8 {
        others.push(of(data::otro_lead(&store).await).await);
    }
    let client = base.client().await;
    let sql = format!("BEGIN; SELECT FROM lead WHERE id = '{held}' FOR UPDATE");
    client.batch_execute(&sql).await.expect("locked");
    let waiting = {
        let (store, end) = (Arc::clone(&store), ending(slow));
        tokio::spawn(async move { store.finish(end).await })
    };
    base.wait_for_locks(1).await;
    let mut tasks = JoinSet::new();
    for id in others {
        let (store, end) = (Arc::clone(&store), ending(id));
        tasks.spawn(async move { assert!(store.finish(end).await.expect("ended")) });
    }
    tasks.join_all().await;
    assert!(!waiting.is_finished(), "it still waits for its lead");
    client.batch_execute("COMMIT").await.expect("unlocked");
    assert!(waiting.await.expect("no panic").expect("ended"), "its outcome is not lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_was_in_doubt_is_done_once() {
    let (store, base) = fresh().await;
    let mut leads = vec![data::un_lead(&store).await];
    for _ in 0..11 {
        leads.push(data::otro_lead(&store).await);
    }
    let enough = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for lead in leads {
        let (store, enough) = (Arc::clone(&store), Arc::clone(&enough));
        tasks.spawn(async move {
            let mut good = Vec::new();
            for n in 0.. {
                if enough.load(Ordering::Relaxed) {
                    break;
                }
                let texto = format!("nota {n}");
                let (id, call) = call(lead, &texto);
                match store.ingest(call).await {
                    Ok(_) => good.push((id, texto)),
                    Err(StoreError::Unavailable(_)) => {}
                    Err(otro) => panic!("{otro:?}"),
                }
            }
            (lead, good)
        });
    }
    let client = base.client().await;
    for _ in 0..20 {
        client.query_one(KILL, &[]).await.expect("ended");
        // Until something was written again.
        let sql = "SELECT coalesce(max(n), 0) FROM trabajo";
        let before: i64 = client.query_one(sql, &[]).await.expect("read").get(0);
        while client.query_one(sql, &[]).await.expect("read").get::<_, i64>(0) < before + 30 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    enough.store(true, Ordering::Relaxed);
    for (lead, good) in tasks.join_all().await {
        let notas: Vec<String> = data::ficha(&store, lead).await.notas.into_iter().map(|n| n.texto).collect();
        let jobs = suyos(&store, lead).await;
        assert_eq!(notas.len(), jobs.len(), "a call was done in part");
        assert!(good.len() > 10);
        for (id, texto) in good {
            assert_eq!(notas.iter().filter(|n| **n == texto).count(), 1, "{texto}");
            assert_eq!(jobs.iter().filter(|j| j.id == id).count(), 1, "{texto}");
        }
    }
}
