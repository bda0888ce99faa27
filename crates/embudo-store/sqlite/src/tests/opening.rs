//! Opening: several at once, a newer database, the file's mode, damage.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Barrier};

use embudo_domain::etapa::Etapa;
use embudo_domain::{EmpresaId, LeadId, Timestamp, TurnoId, UserId};
use embudo_store::inbox::Viewer;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::leads::LeadFilter;
use embudo_store::prelude::*;
use embudo_store::{Done, Outcome, StoreError};
use embudo_store_conformance::data::{empresa, key, t, turno};
use uuid::Uuid;

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

#[tokio::test]
async fn a_database_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), None);
    let old = rusqlite::Connection::open(&path).expect("opened");
    old.execute_batch(include_str!("../../sql/migracion/create.sql")).expect("made");
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), Some(0));
    let base = include_str!("../../migrations/0001_base.sql");
    let rows = "INSERT INTO migracion (numero, nombre, en) VALUES (1, '0001_base', 0);
        INSERT INTO empresa VALUES (randomblob(16), 'Reformas', 'reformas', 1, 0);
        INSERT INTO blob_marca VALUES (randomblob(16), randomblob(32), 5);
        INSERT INTO idempotencia VALUES ('POST /a', 'k', zeroblob(32), 200, NULL, '{}', 0, 5);";
    old.execute_batch(&format!("{base}; {rows}")).expect("made");
    drop(old);
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), Some(1));
    let (from, last) = SqliteStore::migrate(&path, &Options::default()).expect("migrated");
    assert!(from == 1 && last >= 4);
    assert_eq!(SqliteStore::migrate(&path, &Options::default()).expect("migrated"), (last, last));
    assert_eq!(SqliteStore::schema_version(&path).expect("looked up"), Some(last));

    let store = SqliteStore::open(&path, &Options::default()).expect("opened");
    let empresas = store.list_empresas().await.expect("companies");
    assert!(empresas[0].notices && empresas[0].email_avisos.is_none(), "{empresas:?}");
    assert_eq!(store.marked_blobs().await.expect("marks").len(), 1, "a mark outlives the change");
    assert_eq!(store.purge_idempotency(t(0), 10).await.expect("purged"), 1);
}

/// Before outcomes had a type, the HTTP answer itself was stored.
#[tokio::test]
async fn keys_of_an_older_program_are_replayed() {
    let desk = Desk::new().await;
    let rows = "INSERT INTO idempotencia (ambito, clave, cuerpo_sha256, status, cuerpo, trabajos, creado_en, expira_en)
        VALUES ('POST /api/leads/x/conversacion', 'k', ?1, 200, '{\"ok\":true,\"id\":\"00000000-0000-0000-0000-000000000007\"}', '', 0, ?2)";
    let written =
        desk.on_writer(move |c| Ok(c.execute(rows, ([1_u8; 32], t(100).as_microsecond())).map(drop)?));
    written.await.expect("written");
    let idempotency = Some(key("POST /api/leads/x/conversacion", "k", 1, t(1)));
    let command = AppendTurno { idempotency, ..turno(LeadId(Uuid::nil()), "otra", t(1)) };
    let done = desk.store.append_turno(command).await.expect("replayed");
    assert_eq!(done, Done::Before(Outcome::TurnoAppended { id: TurnoId(Uuid::from_u128(7)) }));
}

/// Quotes that were made before deliveries were written down know of them from the jobs that are kept, and from simulated events.
#[tokio::test]
async fn quotes_of_before_know_their_deliveries() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let old = rusqlite::Connection::open(&path).expect("opened");
    for tables in [
        include_str!("../../sql/migracion/create.sql"),
        include_str!("../../migrations/0001_base.sql"),
        include_str!("../../migrations/0002_senales.sql"),
        include_str!("../../migrations/0003_presupuestos.sql"),
    ] {
        old.execute_batch(tables).expect("its tables");
    }
    let rows = r#"
        INSERT INTO migracion (numero, nombre, en) VALUES (1, '0001_base', 0), (2, '0002_senales', 0), (3, '0003_presupuestos', 0);
        INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES (randomblob(16), 'a', 'a', 1, 0);
        INSERT INTO lead (id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, busqueda, creado_en, actualizado_en)
        SELECT randomblob(16), id, 'n', 't', '+34', 'e', 'e', 'b', 0, 0 FROM empresa;
        INSERT INTO presupuesto
            (id, empresa_id, lead_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, enviado_en, documento)
        SELECT randomblob(16), empresa_id, id, 2026, v.column1, v.column1 - 6, v.column2, zeroblob(32), 1, '2026-11-14', '2026-12-14',
            v.column1 * 10000000, v.column1 * 10000000 + 5000000, '{}'
        FROM lead, (VALUES (7, 'sustituido'), (8, 'enviado')) v;
        INSERT INTO trabajo (id, empresa_id, lead_id, tipo, carga, estado, intentos, proximo_en, en_duda, creado_en, terminado_en)
        SELECT randomblob(16), empresa_id, id, v.column1, v.column2, v.column3, 1, 0, 0, 75000000, 99000000
        FROM lead, (VALUES
            ('correo_cliente', '{"numero":"2026-0007"}', 'hecho'),
            ('pdf', '{"senal":{"filename":"presupuesto-2026-0008.pdf"}}', 'muerto')) v;
        INSERT INTO evento (empresa_id, lead_id, tipo, simulado, ok, creado_en)
        SELECT empresa_id, id, v.column1, 1, 0, v.column2 * 1000000
        FROM lead, (VALUES ('pdf', 72), ('correo_cliente', 83), ('correo_cliente', 9)) v;
    "#;
    old.execute_batch(rows).expect("filled");
    drop(old);
    let store = SqliteStore::open(&path, &Options::default()).expect("opened");
    let lead = store.list_leads(LeadFilter::default(), None, 10).await.expect("a list").remove(0).lead.id;
    let quotes = store.record(lead).await.expect("a record").presupuestos;
    let told: Vec<_> = quotes
        .iter()
        .map(|p| {
            let deliveries =
                p.deliveries.iter().map(|e| format!("{} {} {}", e.channel, e.state, e.at.as_second()));
            (p.state.as_str(), p.emitido_en.map(Timestamp::as_second), deliveries.collect::<Vec<_>>())
        })
        .collect();
    let texts = |all: [&str; 2]| all.map(str::to_owned).to_vec();
    assert_eq!(
        told,
        [
            ("emitido", Some(85), texts(["email simulada 83", "messaging fallida 99"])),
            ("sustituido", Some(75), texts(["email entregada 99", "messaging simulada 72"])),
        ]
    );
}

/// Leads of before stand where what is known of them puts them.
#[tokio::test]
async fn leads_of_before_get_their_etapa() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let old = rusqlite::Connection::open(&path).expect("opened");
    for tables in [
        include_str!("../../sql/migracion/create.sql"),
        include_str!("../../migrations/0001_base.sql"),
        include_str!("../../migrations/0002_senales.sql"),
        include_str!("../../migrations/0003_presupuestos.sql"),
        include_str!("../../migrations/0004_entregas.sql"),
        include_str!("../../migrations/0006_access.sql"),
    ] {
        old.execute_batch(tables).expect("its tables");
    }
    let rows = "
        INSERT INTO migracion (numero, nombre, en) VALUES (6, 'before', 0);
        INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES (zeroblob(16), 'a', 'a', 1, 0);
        INSERT INTO lead (id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, busqueda, bucle_paso, creado_en, actualizado_en)
        SELECT unhex('000000000000000000000000000000' || '0' || v.column1), zeroblob(16), 'n', 't', '+34', 'e', 'e', 'b',
            CASE WHEN v.column1 = 4 THEN 'esperando_renders' END, 0, 0
        FROM (VALUES (1), (2), (3), (4), (5), (6), (7)) v;
        INSERT INTO turno (id, empresa_id, lead_id, rol, mensaje, creado_en)
        SELECT id, empresa_id, id, 'user', 'm', 0 FROM lead WHERE id > unhex('00000000000000000000000000000001');
        INSERT INTO evento (empresa_id, lead_id, tipo, simulado, ok, creado_en)
        SELECT empresa_id, id, 'perfil_completo', 1, 0, 0 FROM lead WHERE id > unhex('00000000000000000000000000000002');
        INSERT INTO presupuesto
            (id, empresa_id, lead_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento)
        SELECT lead.id, empresa_id, lead.id, 2026, v.column1, 1, v.column2, zeroblob(32), 1, '2026-11-14', '2026-12-14', 0, '{}'
        FROM (VALUES (5, 'emitido'), (6, 'aceptado'), (7, 'rechazado')) v
        JOIN lead ON lead.id = unhex('000000000000000000000000000000' || '0' || v.column1);
    ";
    old.execute_batch(rows).expect("filled");
    drop(old);
    let store = SqliteStore::open(&path, &Options::default()).expect("opened");
    let viewer = Viewer { who: UserId(Uuid::nil()), empresas: vec![EmpresaId(Uuid::nil())] };
    let expected = [
        Etapa::Nuevo,
        Etapa::EnConversacion,
        Etapa::PerfilCompleto,
        Etapa::EsperandoRenders,
        Etapa::PresupuestoEnviado,
        Etapa::Aceptado,
        Etapa::Perdido,
    ];
    for (n, etapa) in (1..).zip(expected) {
        let desk = store.desk(&viewer, LeadId(Uuid::from_u128(n))).await.expect("it exists");
        assert_eq!((desk.etapa, Etapa::of(&desk.facts)), (etapa, etapa), "{n}");
    }
}
