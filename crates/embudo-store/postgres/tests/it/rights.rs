//! What only this engine does for people's rights; what both do is in the conformance suite.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Base, waiting};
use embudo_domain::job::JobKind;
use embudo_store::Store;
use embudo_store::rights::{KEPT, OF_LEAD};
use embudo_store_conformance::data::outbox::{LENGTH, make, of, process};
use embudo_store_conformance::data::{a_lead, t};
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

/// An attempt that ends locks its job and not its lead. What it notes down is there before the rows go, or never.
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

#[tokio::test]
async fn files_are_written_anew() {
    let base = Base::new().await;
    PgStore::scrub(&base.url).await.expect("scrubbed");
}
