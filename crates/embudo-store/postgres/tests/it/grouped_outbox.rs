//! Jobs that are made together and attempts that end together: few transactions, and no command fails because of
//! another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{Base, KILL, fresh};
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::{JobId, LeadId};
use embudo_store::lead_writes::Ingest;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};
use embudo_store::prelude::*;
use embudo_store::{Done, Store, StoreError};
use embudo_store_conformance::data::outbox::{LENGTH, end, make, of, own, process};
use embudo_store_conformance::data::{self, t};
use tokio::task::JoinSet;

fn call(lead: LeadId, text: &str) -> (JobId, Ingest) {
    let new = of(JobKind::Perfil, process(), LENGTH);
    let id = new.id;
    let (notas, jobs) = (vec![data::nota(text, None)], vec![new]);
    (id, Ingest { notas, jobs, ..data::ingesta(lead, vec![], t(1)) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_and_ends_take_few_transactions() {
    let base = Base::new().await;
    let store = Arc::new(base.store().await);
    let dyn_store: Arc<dyn Store> = store.clone();
    let first = data::a_lead(&dyn_store).await;
    let who = process();
    let mut ended = Vec::new();
    for _ in 0..64 {
        let lead = data::other_lead(&dyn_store).await;
        ended.push(make(&dyn_store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await);
    }
    let mut callers = vec![first];
    for _ in 0..63 {
        callers.push(data::other_lead(&dyn_store).await);
    }
    let before = store.stats();
    // While the table is locked, the first group of the writer that makes jobs and of the one that ends attempts wait.
    // All later commands queue behind them, and are then written in a few large groups.
    let blocker = base.client().await;
    blocker.batch_execute("BEGIN; LOCK TABLE trabajo IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut tasks = JoinSet::new();
    for id in ended {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            assert!(store.finish(end(id, who, JobOutcome::Done, t(2))).await.expect("ended"));
        });
    }
    for lead in callers {
        let store = Arc::clone(&store);
        tasks.spawn(async move { drop(store.ingest(call(lead, "hola").1).await.expect("saved")) });
    }
    base.wait_for_locks(2).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    blocker.batch_execute("COMMIT").await.expect("unlocked");
    tasks.join_all().await;
    let after = store.stats();
    assert_eq!(after.commands - before.commands, 128);
    assert!(after.statements - before.statements <= 32, "{before:?} {after:?}");
}

/// Among many ends and calls, one in ten has a word that the database refuses: only this one fails, as a whole, and
/// gets the error.
async fn one_in_ten_fails_alone(setup: &str, word: &'static str, is_told: fn(&StoreError) -> bool) {
    let (store, base) = fresh().await;
    data::a_lead(&store).await;
    base.client().await.batch_execute(setup).await.expect("set up");
    let who = process();
    let mut tasks = JoinSet::new();
    for n in 0..60 {
        let lead = data::other_lead(&store).await;
        let id = make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let is_bad = n % 10 == 3;
            let text = if is_bad { word } else { "bueno" };
            let mut end = end(id, who, JobOutcome::Dead, t(2));
            end.delivery.error = Some(text.to_owned());
            let (made, call) = call(lead, text);
            let (ended, saved) = tokio::join!(store.finish(end), store.ingest(call));
            (is_bad, lead, id, made, ended, saved)
        });
    }
    for (is_bad, lead, id, made, ended, saved) in tasks.join_all().await {
        let notas = data::record(&store, lead).await.notas.len();
        let was_made = !store.jobs(vec![made]).await.expect("read").is_empty();
        let (job, log) = store.job(id).await.expect("it exists");
        if is_bad {
            assert!(ended.as_ref().is_err_and(is_told), "{ended:?}");
            assert!(saved.as_ref().is_err_and(is_told), "{saved:?}");
            assert_eq!((job.state, log.len(), notas, was_made), (JobState::Pending, 0, 0, false));
        } else {
            assert!(ended.expect("not punished for a neighbour"));
            assert_eq!(saved.expect("not punished for a neighbour"), Done::Now);
            assert_eq!((job.state, log.len(), notas, was_made), (JobState::Dead, 1, 1, true));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_one_harms_no_neighbour() {
    let checks =
        "ALTER TABLE entrega ADD CHECK (error <> 'veneno'); ALTER TABLE nota ADD CHECK (texto <> 'veneno')";
    one_in_ten_fails_alone(checks, "veneno", |e| matches!(e, StoreError::Internal(_))).await;
}

/// Triggers that are too slow for one value: the statement gets the error of its time-out.
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
    let held = data::a_lead(&store).await;
    let who = process();
    let of = async |lead| make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let ending =
        |id| JobAttemptEnd { watched_loop: Some(Default::default()), ..end(id, who, JobOutcome::Done, t(2)) };
    let slow = of(held).await;
    let mut others = Vec::new();
    for _ in 0..8 {
        others.push(of(data::other_lead(&store).await).await);
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
    let mut leads = vec![data::a_lead(&store).await];
    for _ in 0..11 {
        leads.push(data::other_lead(&store).await);
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
                let text = format!("nota {n}");
                let (id, call) = call(lead, &text);
                match store.ingest(call).await {
                    Ok(_) => good.push((id, text)),
                    Err(StoreError::Unavailable(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            (lead, good)
        });
    }
    let client = base.client().await;
    for _ in 0..20 {
        client.query_one(KILL, &[]).await.expect("ended");
        // Waits until something was written again.
        let sql = "SELECT coalesce(max(n), 0) FROM trabajo";
        let before: i64 = client.query_one(sql, &[]).await.expect("read").get(0);
        while client.query_one(sql, &[]).await.expect("read").get::<_, i64>(0) < before + 30 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    enough.store(true, Ordering::Relaxed);
    for (lead, good) in tasks.join_all().await {
        let notas: Vec<String> = data::record(&store, lead).await.notas.into_iter().map(|n| n.text).collect();
        let jobs = own(&store, lead).await;
        assert_eq!(notas.len(), jobs.len(), "a call was done in part");
        assert!(good.len() > 10);
        for (id, text) in good {
            assert_eq!(notas.iter().filter(|n| **n == text).count(), 1, "{text}");
            assert_eq!(jobs.iter().filter(|j| j.id == id).count(), 1, "{text}");
        }
    }
}
