//! The files contain nothing of an erased lead, whatever was written and overwritten before.

use embudo_domain::audit::AuditEntry;
use embudo_domain::perfil::Perfil;
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_store::prelude::*;
use embudo_store::rights::{EraseLead, KEPT, NOT_WRITTEN, OF_LEAD, WRITTEN};
use embudo_store_conformance::data::access::entry;
use embudo_store_conformance::data::{perfil, t, turno};

use super::Desk;
use crate::{Options, SqliteStore};

const CANARY: &str = "cantarela-amarilla";

#[tokio::test]
async fn every_table_that_names_a_lead_is_erased_or_kept_on_purpose() {
    let desk = Desk::new().await;
    let sql = "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'lead_id'";
    let tables = desk
        .on_writer(move |c| {
            let mut statement = c.prepare(sql)?;
            let names = statement.query_map((), |row| row.get::<_, String>(0))?;
            Ok(names.collect::<rusqlite::Result<Vec<_>>>()?)
        })
        .await
        .expect("read");
    assert!(tables.len() >= OF_LEAD.len() + KEPT.len(), "{tables:?}");
    for table in tables {
        let places = OF_LEAD.iter().chain(KEPT).filter(|known| **known == table).count();
        assert_eq!(places, 1, "{table} names a lead: say whether an erasure empties it");
        let is_looked_at = WRITTEN.iter().any(|(known, _)| *known == table);
        let is_left_out = NOT_WRITTEN.iter().any(|(known, _)| *known == table) || KEPT.contains(&&*table);
        assert_ne!(is_looked_at, is_left_out, "{table} names a lead: say whether it keeps it from its term");
    }
}

/// The files of the database, and those beside it, that contain the canary.
fn hits(desk: &Desk) -> Vec<String> {
    let files = std::fs::read_dir(desk.folder.path()).expect("a folder");
    let holds = |path: &std::path::Path| {
        let bytes = std::fs::read(path).expect("read");
        bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
    };
    let files = files.map(|file| file.expect("a file").path()).filter(|path| holds(path));
    files.map(|path| path.display().to_string()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_the_log_nor_free_pages_remember() {
    let desk = Desk::new().await;
    let (store, lead) = (&desk.store, desk.lead);
    // Long texts have overflow pages, which are freed; short ones leave gaps in pages that stay in use.
    for n in 0..40 {
        let text = CANARY.repeat(1 + n * 20);
        store.append_turno(turno(lead, &text, t(n as i64))).await.expect("appended");
        let said = Perfil { taste_text: Some(text), ..Perfil::default() };
        store.update_perfil(perfil(lead, said, t(n as i64))).await.expect("updated");
    }
    let touches = store.touches().take().leads.into_iter().collect();
    store.project(touches).await.expect("projected");
    assert!(!hits(&desk).is_empty(), "it is found where it is");
    let audit = AuditEntry { object: Some(lead.to_string()), ..entry(None, 50) };
    let (reason, who, retention) = (ErasureReason::Asked, String::new(), Retention::default());
    store
        .erase_lead(EraseLead { lead, reason, term: None, who, retention, audit, at: t(50) })
        .await
        .expect("erased");
    assert!(store.settle_erasure(lead).await.expect("settled"), "nobody reads");
    let path = desk.folder.path().join("embudo.db");
    SqliteStore::scrub(&path, &Options::default()).expect("scrubbed");
    assert_eq!(hits(&desk), Vec::<String>::new());
    store.ping().await.expect("it goes on");
    assert!(store.record(lead).await.is_err());
}

/// The erasure itself overwrites what it deletes at once, while the server works.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_overwrites_what_it_deletes() {
    let desk = Desk::new().await;
    for n in 0..40 {
        let text = CANARY.repeat(1 + n * 20);
        desk.store.append_turno(turno(desk.lead, &text, t(n as i64))).await.expect("appended");
    }
    let lead = desk.lead;
    let audit = AuditEntry { object: Some(lead.to_string()), ..entry(None, 50) };
    let (reason, who, retention) = (ErasureReason::Asked, String::new(), Retention::default());
    let command = EraseLead { lead, reason, term: None, who, retention, audit, at: t(50) };
    desk.store.erase_lead(command).await.expect("erased");
    assert!(desk.store.settle_erasure(lead).await.expect("settled"));
    assert_eq!(hits(&desk), Vec::<String>::new());
}
