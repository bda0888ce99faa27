//! What only this engine does for people's rights; what both do is in the conformance suite.

mod common;

use common::Base;
use embudo_store::rights::{KEPT, OF_LEAD};
use embudo_store_postgres::PgStore;

#[tokio::test]
async fn every_table_that_names_a_lead_is_erased_or_kept_on_purpose() {
    let base = Base::new().await;
    PgStore::migrate(&base.url).await.expect("migrated");
    let sql = "SELECT table_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'lead_id'";
    let rows = base.client().await.query(sql, &[]).await.expect("read");
    assert!(rows.len() >= OF_LEAD.len() + KEPT.len());
    for row in rows {
        let table: &str = row.get(0);
        let places = OF_LEAD.iter().chain(KEPT).filter(|known| **known == table).count();
        assert_eq!(places, 1, "{table} names a lead: say whether an erasure empties it");
    }
}

#[tokio::test]
async fn files_are_written_anew() {
    let base = Base::new().await;
    PgStore::migrate(&base.url).await.expect("migrated");
    PgStore::scrub(&base.url).await.expect("scrubbed");
}
