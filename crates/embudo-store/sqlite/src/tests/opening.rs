//! Opening: several at once, a newer database, the file's mode, damage.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Barrier};

use embudo_store::StoreError;
use embudo_store::prelude::*;
use embudo_store_conformance::data::{empresa, t};

use super::Desk;
use crate::{Options, SqliteStore};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_first_starts_at_once_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let barrier = Arc::new(Barrier::new(6));
    let openers: Vec<_> = (0..6)
        .map(|_| {
            let (path, barrier) = (path.clone(), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                SqliteStore::open(&path, &Options::default()).expect("opened")
            })
        })
        .collect();
    let stores: Vec<_> = openers.into_iter().map(|o| o.join().expect("no panic")).collect();
    let first = stores[0].ensure_default_empresa(empresa("Reformas"), t(0)).await.expect("ensured");
    for store in &stores {
        let same = store.ensure_default_empresa(empresa("Otra"), t(1)).await.expect("ensured");
        assert_eq!(same, first);
        store.ping().await.expect("each can write");
    }
}

#[tokio::test]
async fn a_newer_database_is_refused_with_a_reason() {
    let desk = Desk::new().await;
    let newer = desk.on_writer(|c| {
        c.execute("INSERT INTO migracion (numero, nombre, en) VALUES (999, '0999_futuro', 0)", ())?;
        Ok(())
    });
    newer.await.expect("written");
    let path = desk.folder.path().join("embudo.db");
    for error in [
        SqliteStore::open(&path, &Options::default()).err(),
        SqliteStore::migrate(&path, &Options::default()).err(),
    ] {
        let message = error.expect("refused").to_string();
        assert!(message.contains("newer") && message.contains("999"), "{message}");
    }
}

#[tokio::test]
async fn the_files_are_readable_by_their_owner_only() {
    let desk = Desk::new().await;
    for name in ["embudo.db", "embudo.db-wal", "embudo.db-shm"] {
        let mode = std::fs::metadata(desk.folder.path().join(name)).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn what_is_no_database_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    std::fs::write(&path, "esto no es una base de datos, ni lo será nunca".repeat(100)).expect("written");
    assert!(matches!(SqliteStore::open(&path, &Options::default()), Err(StoreError::Internal(_))));
    let nowhere = folder.path().join("no/hay/nada.db");
    assert!(matches!(SqliteStore::open(&nowhere, &Options::default()), Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_value_nothing_could_have_written_names_its_place() {
    let desk = Desk::new().await;
    let damage = desk.on_writer(|c| Ok(c.execute("UPDATE lead SET urgencia = 'ayer'", ())?));
    damage.await.expect("written");
    let Err(StoreError::Internal(message)) = desk.store.record(desk.lead).await else {
        panic!("a damaged row is an error");
    };
    assert!(message.contains("column urgencia") && !message.contains("ayer"), "{message}");
}

/// A database with the last schema before the baseline equals the baseline: only its list of migrations is longer.
#[tokio::test]
async fn the_last_schema_before_the_baseline_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), None);
    assert_eq!(SqliteStore::migrate(&path, &Options::default()).expect("made"), (0, crate::NEWEST));
    let old = rusqlite::Connection::open(&path).expect("opened");
    for n in 1..21 {
        old.execute("INSERT INTO migracion (numero, nombre, en) VALUES (?1, 'before', 0)", [n])
            .expect("made");
    }
    drop(old);
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), Some(crate::NEWEST));
    let versions = SqliteStore::migrate(&path, &Options::default()).expect("taken over");
    assert_eq!(versions, (crate::NEWEST, crate::NEWEST));
    assert!(SqliteStore::open(&path, &Options::default()).is_ok());
}

#[tokio::test]
async fn an_older_database_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let old = rusqlite::Connection::open(&path).expect("opened");
    old.execute_batch(include_str!("../../sql/migracion/create.sql")).expect("made");
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), Some(0));
    old.execute("INSERT INTO migracion (numero, nombre, en) VALUES (20, 'before', 0)", ()).expect("made");
    drop(old);
    let Err(StoreError::Internal(words)) = SqliteStore::open(&path, &Options::default()) else {
        panic!("it is refused");
    };
    assert!(words.contains("version 20") && words.contains("first release"), "{words}");
}

#[tokio::test]
async fn leads_of_version_21_get_their_action() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let old = rusqlite::Connection::open(&path).expect("opened");
    old.execute_batch(include_str!("../../sql/migracion/create.sql")).expect("made");
    old.execute_batch(include_str!("../../migrations/0021_base.sql")).expect("made");
    let [company, new, known, visited] = [1, 2, 3, 4].map(uuid::Uuid::from_u128);
    let now = jiff::Timestamp::now().as_microsecond();
    old.execute_batch(
        "INSERT INTO migracion (numero, nombre, en) VALUES (21, '0021_base', 0);
        INSERT INTO proyeccion (nombre, hasta, visto, visto_en) VALUES ('turno', 0, 0, 0);",
    )
    .expect("written");
    let sql = "INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES (?1, 'Reformas', 'reformas', 1, 0)";
    old.execute(sql, (company,)).expect("written");
    for (lead, at, action, due) in [
        (new, now, None, 253_370_764_800_000_000),
        (known, 1_600_000_000_000_000, None, 253_370_764_800_000_000),
        (visited, now, Some("visita"), now + 3_600_000_000),
    ] {
        let sql = "INSERT INTO lead (id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, busqueda,
            creado_en, actualizado_en) VALUES (?1, ?2, 'Ana', '', '', '', '', '', ?3, ?3)";
        old.execute(sql, (lead, company, at)).expect("written");
        let sql = "INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde) VALUES (?1, ?2, 'nuevo', ?3)";
        old.execute(sql, (lead, company, at)).expect("written");
        let sql = "INSERT INTO lead_actividad (lead_id, empresa_id, actividad_en, accion, accion_en) VALUES (?1, ?2, ?3, ?4, ?5)";
        old.execute(sql, (lead, company, at, action, due)).expect("written");
    }
    drop(old);
    let store = SqliteStore::open(&path, &Options::default()).expect("brought here");
    let store: Arc<dyn embudo_store::Store> = Arc::new(store);
    let leads = [new, known, visited].map(embudo_domain::LeadId);
    embudo_store_conformance::data::inbox::leads_of_version_21_get_their_action(&store, leads).await;
}
