//! A lead is locked by somebody: its calls wait their turn and are all done, and calls about other leads do not wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Base, KILL, fresh, waiting};
use embudo_domain::job::JobKind;
use embudo_domain::visita::{Visita, VisitaState};
use embudo_domain::{Digest, LeadId, VisitaId};
use embudo_store::leads::LeadFilter;
use embudo_store::outbox::Lease;
use embudo_store::touches::Touch;
use embudo_store::visits::{Claim, SaveVisita, VisitaChange};
use embudo_store_conformance::data::outbox::{LENGTH, make, of, process};
use embudo_store_conformance::data::{self, t};
use tokio::task::JoinSet;

/// A call that must not wait for the lock.
async fn soon<T>(what: &str, call: impl Future<Output = embudo_store::Result<T>>) -> T {
    let end = tokio::time::timeout(Duration::from_secs(5), call).await;
    end.unwrap_or_else(|_| panic!("{what} waits")).unwrap_or_else(|e| panic!("{what}: {e}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_lead_takes_no_connection_from_others_and_its_calls_are_all_done() {
    let (store, base) = fresh().await;
    let held = data::a_lead(&store).await;
    let other = data::other_lead(&store).await;
    let who = process();
    let job = make(&store, other, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let outside = base.client().await;
    let sql = format!("BEGIN; SELECT FROM lead WHERE id = '{held}' FOR UPDATE");
    outside.batch_execute(&sql).await.expect("held");

    let mut calls = JoinSet::new();
    for n in 0..40 {
        let store = Arc::clone(&store);
        calls.spawn(async move { store.ingest(data::ingesta(held, vec![data::foto()], t(n))).await });
    }
    let watching = base.client().await;
    base.wait_for_locks(1).await;
    // Longer than the lock time-out.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        soon("a read", store.record(other)).await;
        soon("a read of the held one", store.record(held)).await;
        soon("readiness", store.ping()).await;
        let kept = soon("a renewal", store.renew(vec![job], Lease { who, lasts: LENGTH })).await;
        assert_eq!(kept, [job]);
        soon("a turn", store.append_turno(data::turno(other, "hola", t(1)))).await;
        soon("a photo", store.ingest(data::ingesta(other, vec![data::foto()], t(1)))).await;
        assert!(waiting(&watching).await <= 2, "a few calls of one lead at once");
    }
    assert!(calls.try_join_next().is_none(), "none was refused");
    outside.batch_execute("COMMIT").await.expect("let go");
    while let Some(end) = calls.join_next().await {
        end.expect("no panic").expect("saved");
    }
    let orders: Vec<f64> = data::record(&store, held).await.fotos.iter().map(|f| f.orden).collect();
    assert_eq!(orders, (1..=40).map(f64::from).collect::<Vec<_>>());
}

/// A command that saves a visit at an hour without checking that the hour is free still waits for the calendar's lock,
/// so that a command that checks the hour sees the visit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visit_waits_for_its_peoples_calendars_whatever_it_claims() {
    let (store, base) = fresh().await;
    let (lead, person) = (data::a_lead(&store).await, data::access::a_user(&store).await);
    let feed = Digest::of(b"un secreto");
    store.set_feed(person, Some(feed), t(1), data::access::entry(Some(person), 1)).await.expect("a calendar");
    let id = VisitaId(uuid::Uuid::new_v4());
    let visita = Visita {
        id,
        lead,
        empresa: data::record(&store, lead).await.lead.empresa.id,
        state: VisitaState::Confirmada,
        revision: 0,
        sequence: 0,
        slots: Vec::new(),
        start: Some(t(36_000)),
        minutes: 60,
        address: String::new(),
        people: vec![person],
        notes: String::new(),
        cancelled: None,
        measurements: String::new(),
        creada_en: t(1),
        cambiada_en: t(1),
    };
    let outside = base.client().await;
    let sql = format!("BEGIN; SELECT FROM agenda WHERE usuario_id = '{person}' FOR UPDATE");
    outside.batch_execute(&sql).await.expect("held");
    let (event, jobs, audit) = (None, Vec::new(), None);
    let command = SaveVisita { visita, seen: None, claim: Claim::Anyway, event, jobs, audit, at: t(1) };
    let saving = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.save_visita(command).await }
    });
    tokio::time::timeout(Duration::from_mins(2), base.wait_for_locks(1)).await.expect("it waits");
    assert!(!saving.is_finished() && store.visita(id).await.expect("read").is_none());
    outside.batch_execute("COMMIT").await.expect("let go");
    assert!(matches!(saving.await.expect("no panic"), Ok(VisitaChange::Saved(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_somebody_holds_costs_no_other_its_lease() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    let who = process();
    let held = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let other = make(&store, data::other_lead(&store).await, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let outside = base.client().await;
    let sql = format!("BEGIN; SELECT FROM trabajo WHERE id = '{held}' FOR UPDATE");
    outside.batch_execute(&sql).await.expect("held");
    let kept = soon("a renewal", store.renew(vec![held, other], Lease { who, lasts: LENGTH })).await;
    assert_eq!(kept, [other]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_wait_for_each_other_and_nobody_for_them() {
    let (store, base) = fresh().await;
    let lead = data::a_lead(&store).await;
    // A search waits as long as the table of qualifications is locked; the other reads here do not need the table.
    let outside = base.client().await;
    outside.batch_execute("BEGIN; LOCK TABLE calificacion IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut searches = JoinSet::new();
    for _ in 0..40 {
        let store = Arc::clone(&store);
        let filter = LeadFilter { text: Some("ana".into()), ..LeadFilter::default() };
        searches.spawn(async move { store.list_leads(filter, None, 10).await });
    }
    let watching = base.client().await;
    base.wait_for_locks(1).await;
    for _ in 0..20 {
        soon("a read", store.history(lead)).await;
        soon("a list", store.list_empresas()).await;
        // Two searches run at a time. If the machine stalls for seconds, connections are left, and a search on such a
        // connection still waits at the server.
        assert!(waiting(&watching).await <= 6, "a few searches at once");
    }
    outside.batch_execute("COMMIT").await.expect("unlocked");
    while let Some(end) = searches.join_next().await {
        assert!(!end.expect("no panic").expect("found").is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_on_a_held_lead_is_done_when_it_is_let_go() {
    let (store, base) = fresh().await;
    let held = data::a_lead(&store).await;
    let outside = base.client().await;
    let sql = format!("BEGIN; SELECT FROM lead WHERE id = '{held}' FOR UPDATE");
    outside.batch_execute(&sql).await.expect("held");
    let mut calls = JoinSet::new();
    for n in 0..10 {
        let store = Arc::clone(&store);
        calls.spawn(async move {
            let mut turno = data::turno(held, &n.to_string(), t(n));
            turno.turno.bot_step = Some("paso".into());
            store.append_turno(turno).await
        });
    }
    // Longer than the lock time-outs of the writer and of a call that runs alone.
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(calls.try_join_next().is_none(), "none was refused");
    outside.batch_execute("COMMIT").await.expect("let go");
    for end in calls.join_all().await {
        end.expect("appended");
    }
    assert_eq!(data::record(&store, held).await.conversacion.len(), 10);
    assert_eq!(store.history(held).await.expect("a history").len(), 10);
    drop::<Base>(base);
}

/// A transaction outside the store.
struct Outside(tokio_postgres::Client, i32);

impl Outside {
    async fn begin(base: &Base) -> Self {
        let client = base.client().await;
        client.batch_execute("BEGIN").await.expect("begun");
        let pid = client.query_one("SELECT pg_backend_pid()", &[]).await.expect("answered").get(0);
        Self(client, pid)
    }

    /// Counts a lead, as the beginning of a projection does.
    async fn hold(&self, lead: LeadId) {
        let sql = "INSERT INTO lead_cifra SELECT id, empresa_id, '[]' FROM lead WHERE id = $1";
        self.0.execute(sql, &[&lead.0]).await.expect("held");
    }

    async fn is_waited_for(&self) {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
        while self.0.query_one(sql, &[&self.1]).await.expect("answered").get::<_, i64>(0) == 0 {
            tokio::task::yield_now().await;
        }
    }

    async fn end(&self, how: &str) {
        self.0.batch_execute(how).await.expect("ended");
    }
}

/// A projection that began when a lead had no row, and one that began when it had: the first waits for a third
/// projection meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projections_of_new_leads_never_wait_in_a_circle() {
    let (store, base) = fresh().await;
    let known = data::a_lead(&store).await;
    data::inbox::project(&store).await;
    let mut leads = Vec::new();
    for _ in 0..3 {
        leads.push(data::other_lead(&store).await);
    }
    store.touches().take();
    leads.sort_unstable();
    let (first, last) = (Outside::begin(&base).await, Outside::begin(&base).await);
    first.hold(leads[0]).await;
    last.hold(leads[2]).await;
    let projecting = |leads: &[LeadId]| {
        let touches = leads.iter().map(|lead| (*lead, Touch::anew())).collect();
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.project(touches).await })
    };
    let earlier = projecting(&leads);
    first.is_waited_for().await;
    let row = "INSERT INTO lead_actividad SELECT (jsonb_populate_record(a, jsonb_build_object('lead_id', $1::uuid))).* \
               FROM lead_actividad a WHERE lead_id = $2";
    first.0.execute(row, &[&leads[0].0, &known.0]).await.expect("projected");
    first.end("COMMIT").await;
    last.is_waited_for().await;
    let later = projecting(&leads[..2]);
    base.wait_for_locks(2).await;
    last.end("ROLLBACK").await;
    for projection in [earlier, later] {
        projection.await.expect("no panic").expect("projected");
    }
    // The results above do not show a deadlock, because the store tries again what the deadlock ended. The server
    // counts deadlocks; a connection's count is complete when the connection ends.
    drop((store, first, last));
    let client = base.client().await;
    while client.query_one(KILL, &[]).await.expect("answered").get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
    let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(client.query_one(sql, &[]).await.expect("answered").get::<_, i64>(0), 0);
}
