//! Waiting commands are grouped, and no command fails because of another one.

use std::sync::Arc;

use crate::common::{Base, fresh};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;
use embudo_store::prelude::*;
use embudo_store::{Done, Store, StoreError};
use embudo_store_conformance::data;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_turns_take_few_statements() {
    let base = Base::new().await;
    let store = Arc::new(base.store().await);
    let dyn_store: Arc<dyn Store> = store.clone();
    let lead = data::a_lead(&dyn_store).await;
    // A lock holds up the writer, so that all further commands collect behind its first statement.
    let blocker = base.client().await;
    blocker.batch_execute("BEGIN; LOCK TABLE turno IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut tasks = JoinSet::new();
    for n in 0..64 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.append_turno(data::turno(lead, &n.to_string(), data::t(n))).await });
    }
    base.wait_for_locks(1).await;
    // Callers that have not sent their command yet are at most one poll away.
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    blocker.batch_execute("COMMIT").await.expect("unlocked");
    while let Some(end) = tasks.join_next().await {
        assert_eq!(end.expect("no panic").expect("appended"), Done::Now);
    }
    let facts = store.stats();
    assert_eq!(facts.commands, 64);
    assert!(facts.statements <= 16, "{facts:?}");
    assert_eq!(data::record(&dyn_store, lead).await.conversacion.len(), 64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_command_harms_no_neighbour() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    let client = base.client().await;
    client.batch_execute("ALTER TABLE turno ADD CHECK (mensaje <> 'veneno')").await.expect("a check");
    client.batch_execute("ALTER TABLE lead ADD CHECK (estilo <> 'veneno')").await.expect("a check");
    let mut tasks = JoinSet::new();
    for n in 0..60 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let is_bad = n % 10 == 3;
            let text = if is_bad { "veneno".to_owned() } else { n.to_string() };
            // Updates of one lead are merged, and a refused value that is overwritten by a good one would never be
            // written: so each has its own lead.
            let own = data::other_lead(&store).await;
            let mut turno = data::turno(lead, &text, data::t(n));
            turno.turno.bot_step = Some(format!("paso {n}"));
            let perfil = Perfil { estilo: Some(text), ..Perfil::default() };
            let ends = tokio::join!(
                store.append_turno(turno),
                store.update_perfil(data::perfil(own, perfil, data::t(n)))
            );
            (is_bad, ends)
        });
    }
    while let Some(end) = tasks.join_next().await {
        let (is_bad, (turno, perfil)) = end.expect("no panic");
        for end in [turno, perfil] {
            match end {
                Ok(_) => assert!(!is_bad),
                Err(StoreError::Internal(_)) => assert!(is_bad),
                Err(other) => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(data::record(&store, lead).await.conversacion.len(), 54);
    assert_eq!(store.history(lead).await.expect("a history").len(), 54);
}

/// A trigger on a table that is too slow for one value of a column: the statement gets the error of its time-out.
const SLOW: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$;
    CREATE TRIGGER slow BEFORE INSERT ON turno FOR EACH ROW WHEN (NEW.mensaje = 'lento') EXECUTE FUNCTION slow()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_command_harms_no_neighbour() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    base.client().await.batch_execute(SLOW).await.expect("a trigger");
    let mut tasks = JoinSet::new();
    for n in 0..60 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let is_slow = n % 10 == 3;
            let text = if is_slow { "lento".to_owned() } else { n.to_string() };
            (is_slow, store.append_turno(data::turno(lead, &text, data::t(n))).await)
        });
    }
    while let Some(end) = tasks.join_next().await {
        match end.expect("no panic") {
            (is_slow, Ok(_)) => assert!(!is_slow),
            (is_slow, Err(StoreError::Unavailable(_))) => assert!(is_slow, "punished for a neighbour"),
            (_, Err(other)) => panic!("{other:?}"),
        }
    }
    assert_eq!(data::record(&store, lead).await.conversacion.len(), 54);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_turn_again_is_done_once() {
    let (store, _base) = fresh().await;
    let lead = data::a_lead(&store).await;
    let mut turno = data::turno(lead, "hola", data::t(1));
    turno.turno.estado_wa = Some(EstadoWa::Leido);
    turno.turno.bot_step = Some("saludo".into());
    for _ in 0..3 {
        assert_eq!(store.append_turno(turno.clone()).await.expect("appended"), Done::Now);
        let other = Perfil { estado_wa: Some(EstadoWa::Fallido), ..Perfil::default() };
        store.update_perfil(data::perfil(lead, other, data::t(2))).await.expect("updated");
    }
    let record = data::record(&store, lead).await;
    assert_eq!(record.conversacion.len(), 1);
    assert_eq!(record.lead.perfil.estado_wa, Some(EstadoWa::Fallido));
    assert_eq!(store.history(lead).await.expect("a history").len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_without_states_again_is_done_once_and_harms_no_neighbour() {
    let (store, _base) = fresh().await;
    let lead = data::a_lead(&store).await;
    store.append_turno(data::turno(lead, "primero", data::t(0))).await.expect("appended");
    let again = data::turno(lead, "hola", data::t(1));
    let mut tasks = JoinSet::new();
    for n in 0..20 {
        let (store, again) = (Arc::clone(&store), again.clone());
        tasks.spawn(async move {
            let other = data::turno(lead, &n.to_string(), data::t(n));
            tokio::join!(store.append_turno(again), store.append_turno(other))
        });
    }
    while let Some(ends) = tasks.join_next().await {
        let (again, other) = ends.expect("no panic");
        assert_eq!((again.expect("appended"), other.expect("appended")), (Done::Now, Done::Now));
    }
    assert_eq!(data::record(&store, lead).await.conversacion.len(), 22);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leads_that_are_new_known_or_missing_go_in_one_group() {
    let (store, base) = fresh().await;
    let (known, missing) = (data::a_lead(&store).await, data::nobody());
    store.append_turno(data::turno(known, "primero", data::t(0))).await.expect("appended");
    let mut new = Vec::new();
    for _ in 0..10 {
        new.push(data::other_lead(&store).await);
    }
    // A lock holds up the writers, so that all further commands collect behind their first statements.
    let client = base.client().await;
    client.batch_execute("BEGIN; LOCK TABLE turno IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut tasks = JoinSet::new();
    for lead in new.iter().flat_map(|lead| [known, *lead, missing]) {
        let store = Arc::clone(&store);
        tasks.spawn(async move { (lead, store.append_turno(data::turno(lead, "hola", data::t(1))).await) });
    }
    base.wait_for_locks(1).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    client.batch_execute("COMMIT").await.expect("unlocked");
    while let Some(end) = tasks.join_next().await {
        match end.expect("no panic") {
            (lead, Err(StoreError::LeadNotFound)) => assert_eq!(lead, missing),
            (lead, end) => assert!(end.is_ok() && lead != missing, "{end:?}"),
        }
    }
    assert_eq!(data::record(&store, known).await.conversacion.len(), 11);
    for lead in new {
        assert_eq!(data::record(&store, lead).await.conversacion.len(), 1);
        let begun = format!("SELECT FROM lead_etapa WHERE lead_id = '{lead}' AND etapa = 'en_conversacion'");
        assert_eq!(client.query(&begun, &[]).await.expect("answered").len(), 1, "its conversation has begun");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_waits_for_a_lead_that_another_changes() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    let other = data::other_lead(&store).await;
    let client = base.client().await;
    let sql = format!("BEGIN; UPDATE lead SET estilo = 'moderno', bot_step = 'suyo' WHERE id = '{lead}'");
    client.batch_execute(&sql).await.expect("updated, not committed");
    let mut tasks = JoinSet::new();
    for n in 0..10 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut turno = data::turno(if n % 2 == 0 { lead } else { other }, "hola", data::t(n));
            turno.turno.bot_step = Some("nuestro".into());
            let perfil = Perfil { espacio: Some("cocina".into()), ..Perfil::default() };
            store.append_turno(turno).await?;
            store.update_perfil(data::perfil(lead, perfil, data::t(n))).await
        });
    }
    base.wait_for_locks(1).await;
    client.batch_execute("COMMIT").await.expect("committed");
    while let Some(end) = tasks.join_next().await {
        end.expect("no panic").expect("done");
    }
    let perfil = data::record(&store, lead).await.lead.perfil;
    assert_eq!(perfil.estilo.as_deref(), Some("moderno"));
    assert_eq!(perfil.espacio.as_deref(), Some("cocina"));
    assert_eq!(perfil.bot_step.as_deref(), Some("nuestro"));
    assert_eq!(store.history(lead).await.expect("a history").len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_gives_up_leaves_all_or_nothing_and_a_usable_pool() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    for n in 0..100_u64 {
        let fotos = (0..3).map(|_| data::foto()).collect();
        let mut ingesta = data::ingesta(lead, fotos, data::t(0));
        ingesta.notas = vec![data::nota("a", None)];
        let patience = std::time::Duration::from_micros(n * 60);
        let _ = tokio::time::timeout(patience, store.ingest(ingesta)).await;
    }
    let record = data::record(&store, lead).await;
    assert_eq!(record.fotos.len(), 3 * record.notas.len());
    let orders: Vec<f64> = record.fotos.iter().map(|f| f.orden).collect();
    let expected_ones: Vec<f64> = (1..=orders.len()).map(|n| n as f64).collect();
    assert_eq!(orders, expected_ones);
    let client = base.client().await;
    let sql =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'";
    // The last roll-back may still be running; if it never ends, the test does not end either.
    while client.query_one(sql, &[]).await.expect("answered").get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_ingestions_of_three_photos_get_192_numbers() {
    let (store, _base) = fresh().await;
    let lead = data::a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let store = Arc::clone(&store);
        let fotos = (0..3).map(|_| data::foto()).collect();
        tasks.spawn(async move { store.ingest(data::ingesta(lead, fotos, data::t(0))).await });
    }
    while let Some(end) = tasks.join_next().await {
        end.expect("no panic").expect("saved");
    }
    let orders: Vec<f64> = data::record(&store, lead).await.fotos.iter().map(|f| f.orden).collect();
    assert_eq!(orders, (1..=192).map(f64::from).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lead_that_is_held_for_long_fails_alone() {
    let (store, base) = fresh().await;
    let held = data::a_lead(&store).await;
    let client = base.client().await;
    let sql = format!("BEGIN; SELECT FROM lead WHERE id = '{held}' FOR UPDATE");
    client.batch_execute(&sql).await.expect("locked");
    let mut tasks = JoinSet::new();
    for n in 0..10 {
        let lead = if n == 0 { held } else { data::other_lead(&store).await };
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let perfil = Perfil { bot_step: Some("a".into()), ..Perfil::default() };
            (lead, store.update_perfil(data::perfil(lead, perfil, data::t(n))).await)
        });
    }
    while let Some(end) = tasks.join_next().await {
        let (lead, end) = end.expect("no panic");
        match end {
            Ok(_) => assert_ne!(lead, held),
            Err(StoreError::Unavailable(_)) => assert_eq!(lead, held),
            Err(other) => panic!("{other:?}"),
        }
    }
}
