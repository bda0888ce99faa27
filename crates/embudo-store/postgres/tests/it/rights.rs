//! What only this engine does for people's rights; what both engines do is in the conformance suite.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{Base, waiting};
use embudo_domain::LeadId;
use embudo_domain::job::JobKind;
use embudo_domain::perfil::Perfil;
use embudo_store::Store;
use embudo_store::lead_writes::RecordIntento;
use embudo_store::rights::{KEPT, NOT_WRITTEN, OF_LEAD, WRITTEN};
use embudo_store_conformance::data::outbox::{LENGTH, make, of, process};
use embudo_store_conformance::data::{a_lead, intento, other_lead, perfil, t, turno};
use embudo_store_conformance::rights::erasure;
use embudo_store_postgres::PgStore;

#[tokio::test]
async fn every_table_that_names_a_lead_is_erased_or_kept_on_purpose() {
    let base = Base::new().await;
    let sql = "SELECT table_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'lead_id'";
    let rows = base.client().await.query(sql, &[]).await.expect("read");
    assert!(rows.len() >= OF_LEAD.len() + KEPT.len());
    for row in rows {
        let table: &str = row.get(0);
        let places = OF_LEAD.iter().chain(KEPT).filter(|known| **known == table).count();
        assert_eq!(places, 1, "{table} names a lead: say whether an erasure empties it");
    }
}

/// Anything that is written about a lead keeps it from being erased by a term. This test fails for a table or an
/// instant that was forgotten.
#[tokio::test]
async fn every_instant_of_a_lead_is_looked_at_by_terms_or_not_on_purpose() {
    let base = Base::new().await;
    let sql = "SELECT c.table_name::text, c.column_name::text, c.data_type::text FROM information_schema.columns c \
               WHERE c.table_schema = current_schema() AND (c.table_name = 'lead' OR EXISTS (SELECT FROM information_schema.columns o \
               WHERE o.table_schema = c.table_schema AND o.table_name = c.table_name AND o.column_name = 'lead_id'))";
    let rows = base.client().await.query(sql, &[]).await.expect("read");
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let (table, column, kind): (String, String, &str) = (row.get(0), row.get(1), row.get(2));
        let instants = columns.entry(table).or_default();
        if kind == "timestamp with time zone" {
            instants.push(column);
        }
    }
    let is_left_out = |name: &str| NOT_WRITTEN.iter().any(|(left_out, _)| *left_out == name);
    for (table, instants) in columns.iter().filter(|(table, _)| !KEPT.contains(&table.as_str())) {
        let looked_at = WRITTEN.iter().find(|(known, _)| known == table).map(|(_, columns)| *columns);
        assert_ne!(
            looked_at.is_some(),
            is_left_out(table),
            "{table} is of a lead: terms look at it (WRITTEN), or there is a reason why not (NOT_WRITTEN)"
        );
        for column in instants.iter().filter(|_| looked_at.is_some()) {
            let is_looked_at = looked_at.is_some_and(|columns| columns.contains(&column.as_str()));
            let name = format!("{table}.{column}");
            assert_ne!(is_looked_at, is_left_out(&name), "{name} is an instant of a lead");
        }
    }
    for (name, reason) in NOT_WRITTEN {
        let (table, column) = name.split_once('.').unwrap_or((name, ""));
        let instants = columns.get(table).unwrap_or_else(|| panic!("there is no table {table}"));
        assert!(column.is_empty() || instants.iter().any(|known| known == column), "there is no {name}");
        assert!(!reason.is_empty());
    }
}

/// The end of an attempt locks its job and not its lead. So what it writes is there before the rows are erased, or is
/// never written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_ends_meanwhile_leaves_nothing() {
    let base = Base::new().await;
    let store: Arc<dyn Store> =
        Arc::new(PgStore::connect(&base.url, Default::default()).await.expect("connected"));
    let lead = a_lead(&store).await;
    let job = make(&store, lead, of(JobKind::ClientMail, process(), LENGTH), t(4)).await;
    let mut client = base.client().await;
    let ending = client.transaction().await.expect("begun");
    let locked = ending.query("SELECT id FROM trabajo WHERE id = $1 FOR NO KEY UPDATE", &[&job.0]).await;
    assert_eq!(locked.expect("locked").len(), 1);
    let erase = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.erase_lead(erasure(lead, t(50))).await }
    });
    let other = base.client().await;
    while waiting(&other).await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let noted = "INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok) VALUES ($1, now(), 1, true)";
    ending.execute(noted, &[&job.0]).await.expect("noted");
    ending.commit().await.expect("ended");
    erase.await.expect("no panic").expect("erased");
    while !store.settle_erasure(lead).await.expect("asked") {}
    for table in ["entrega", "trabajo"] {
        let left = client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.expect("counted");
        assert_eq!(left.get::<_, i64>(0), 0, "{table}");
    }
}

const CANARY: &str = "cantarela-amarilla";

/// A lead with the canary in several of its texts.
async fn canary(store: &Arc<dyn Store>, n: i64) -> LeadId {
    let lead = other_lead(store).await;
    let said = Perfil { taste_text: Some(format!("{CANARY} {n}")), ..Perfil::default() };
    store.update_perfil(perfil(lead, said, t(n))).await.expect("updated");
    for _ in 0..3 {
        store.append_turno(turno(lead, &format!("{CANARY} {n}"), t(n))).await.expect("appended");
    }
    store.record_intento(noted(lead, n)).await.expect("recorded");
    lead
}

fn noted(lead: LeadId, n: i64) -> RecordIntento {
    let mut command = intento(lead, 1, t(n));
    command.intento.notas = Some(format!("{CANARY} {n}"));
    command
}

/// The columns of which the server keeps a sample that contains the canary.
async fn samples(client: &tokio_postgres::Client) -> Vec<String> {
    let sql = format!(
        "SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = current_schema() \
         AND (most_common_vals::text LIKE '%{CANARY}%' OR histogram_bounds::text LIKE '%{CANARY}%') ORDER BY 1"
    );
    let rows = client.query(&sql, &[]).await.expect("read");
    rows.iter().map(|row| row.get(0)).collect()
}

/// This includes a table that is empty afterwards, whose samples ANALYZE alone does not change.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sample_of_an_erased_person_is_kept() {
    let base = Base::new().await;
    let store: Arc<dyn Store> =
        Arc::new(PgStore::connect(&base.url, Default::default()).await.expect("connected"));
    let neighbour = a_lead(&store).await;
    store.append_turno(turno(neighbour, "hola", t(1))).await.expect("appended");
    let leads = [canary(&store, 1).await, canary(&store, 2).await, canary(&store, 3).await];
    let client = base.client().await;
    client.batch_execute("ANALYZE").await.expect("analyzed");
    let known = samples(&client).await;
    for column in ["intento.notas", "lead.taste_text", "turno.mensaje"] {
        assert!(known.iter().any(|known| known == column), "{column} in {known:?}");
    }
    for lead in leads {
        store.erase_lead(erasure(lead, t(50))).await.expect("erased");
    }
    store.forget_statistics().await.expect("made anew");
    assert_eq!(samples(&client).await, Vec::<String>::new());
    assert_eq!(store.record(neighbour).await.expect("it is there").conversacion.len(), 1);
    canary(&store, 4).await;
}

#[tokio::test]
async fn files_are_written_anew() {
    let base = Base::new().await;
    let client = base.client().await;
    let tables = ["lead", "turno", "auditoria", "lead_cifra", "cifra", "pg_statistic"];
    let file = async |table: &str| {
        let row = client.query_one("SELECT pg_relation_filenode($1::text::regclass)", &[&table]).await;
        row.expect("a file").get::<_, u32>(0)
    };
    let mut before = Vec::new();
    for table in tables {
        before.push(file(table).await);
    }
    let remains = PgStore::scrub(&base.url).await.expect("scrubbed");
    assert_eq!(remains, None, "the database is ours");
    for (table, before) in tables.into_iter().zip(before) {
        assert_ne!(file(table).await, before, "{table}");
    }
}

/// A role that does not own the database may not vacuum the server's own tables; `scrub` reports it.
#[tokio::test]
async fn what_a_role_may_not_do_is_told() {
    let base = Base::empty().await;
    let role = format!("rol_{}", uuid::Uuid::new_v4().simple());
    let client = base.client().await;
    let made =
        format!("CREATE ROLE {role}; GRANT ALL ON SCHEMA public TO {role}; GRANT {role} TO CURRENT_USER");
    client.batch_execute(&made).await.expect("a role");
    let joint = if base.url.ends_with('?') { "" } else { "&" };
    let url = format!("{}{joint}options=-c%20role%3D{role}", base.url);
    PgStore::migrate(&url).await.expect("migrated");
    let remains = PgStore::scrub(&url).await.expect("scrubbed");
    assert!(remains.is_some_and(|words| words.contains("VACUUM FULL pg_statistic")), "{remains:?}");
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.expect("gone");
}
