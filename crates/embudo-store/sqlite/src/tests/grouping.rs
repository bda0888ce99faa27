//! Group commit: waiting commands are committed together, and every command gets its own result.

use std::sync::Arc;

use embudo_domain::obra::Obra;
use embudo_domain::perfil::Perfil;
use embudo_store::leads::CreateLead;
use embudo_store::prelude::*;
use embudo_store::{Done, Store, StoreError};
use embudo_store_conformance::data::{create, empresa, new_lead, nobody, perfil, t, turno};

use super::{Desk, is_unavailable, queued};
use crate::failure::Failure;
use crate::{Options, SqliteStore};

#[tokio::test]
async fn what_waits_together_is_committed_once() {
    let desk = Desk::new().await;
    let before = desk.store.stats();
    let (held, gate) = desk.hold_writer();
    let calls: Vec<_> =
        (0..64).map(|n| queued(desk.store.append_turno(turno(desk.lead, "hola", t(n))))).collect();
    drop(gate);
    held.await.expect("opened");
    for call in calls {
        assert_eq!(call.await.expect("appended"), Done::Now);
    }
    let after = desk.store.stats();
    assert_eq!(after.commits - before.commits, 2, "the gate, and all that waited behind it");
    assert_eq!(after.commands - before.commands, 65);
    assert_eq!(desk.turnos().await.len(), 64);
}

#[tokio::test]
async fn a_failing_command_harms_no_neighbour() {
    let desk = Desk::new().await;
    let (a, b) = (turno(desk.lead, "antes", t(1)), turno(desk.lead, "después", t(2)));
    let ids = [a.id, b.id];
    let first = desk.store.list_empresas().await.expect("companies").remove(0);
    let mut repeated = empresa("Otra");
    (repeated.slug, repeated.por_defecto) = (first.slug.clone(), true);

    let (held, gate) = desk.hold_writer();
    let before = queued(desk.store.append_turno(a));
    let to_nobody = queued(desk.store.append_turno(turno(nobody(), "hola", t(1))));
    let a_medias = queued(desk.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        Err::<(), _>(StoreError::FotoNotFound.into())
    }));
    let bad_sql = queued(desk.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        c.execute("UPDATE lead SET nombre = NULL", ()).map(drop).map_err(Failure::from)
    }));
    let panic = queued(desk.on_writer(|c| -> Result<(), Failure> {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        panic!("a defect");
    }));
    let slug = queued(desk.store.create_empresa(repeated, t(1)));
    let after = queued(desk.store.append_turno(b));
    drop(gate);

    held.await.expect("opened");
    assert!(before.await.is_ok());
    assert!(matches!(to_nobody.await, Err(StoreError::LeadNotFound)));
    assert!(matches!(a_medias.await, Err(StoreError::FotoNotFound)));
    assert!(matches!(bad_sql.await, Err(StoreError::Internal(_))));
    assert!(matches!(panic.await, Err(StoreError::Internal(_))));
    assert!(matches!(slug.await, Err(StoreError::SlugTaken)));
    assert!(after.await.is_ok());
    assert_eq!(desk.turnos().await, ids);
    let record = desk.store.record(desk.lead).await.expect("the lead is there");
    assert_ne!(record.lead.nombre, "a medias");
    assert_eq!(desk.store.list_empresas().await.expect("companies"), [first]);
}

/// A profile with an area writes two tables. If the second write fails, the first is undone, also in a batch.
#[tokio::test]
async fn an_area_is_written_whole_or_not_at_all() {
    let desk = Desk::new().await;
    let obra = Obra { m2_estimado: Some(12.0), ..Obra::default() };
    let guessed = CreateLead { obra, ..new_lead("Eva") };
    let lead = create(&(Arc::clone(&desk.store) as Arc<dyn Store>), guessed).await;
    let refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON lead_obra BEGIN SELECT RAISE(ABORT, 'refused'); END";
    desk.on_writer(move |c| Ok(c.execute_batch(refuse)?)).await.expect("created");

    let (held, gate) = desk.hold_writer();
    let area = Perfil { m2_suelo: Some(14.0), estilo: Some("a medias".into()), ..Perfil::default() };
    let written = queued(desk.store.update_perfil(perfil(lead, area, t(1))));
    let neighbour = queued(desk.store.append_turno(turno(desk.lead, "hola", t(2))));
    drop(gate);
    held.await.expect("opened");
    assert!(written.await.is_err());
    assert!(neighbour.await.is_ok());
    let after = desk.store.record(lead).await.expect("a lead").lead.perfil;
    assert_eq!((after.m2_suelo, after.estilo), (None, None));
}

#[tokio::test]
async fn a_lone_command_that_fails_leaves_nothing() {
    let desk = Desk::new().await;
    let a_medias = desk.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        Err::<(), _>(StoreError::FotoNotFound.into())
    });
    assert!(matches!(a_medias.await, Err(StoreError::FotoNotFound)));
    let panic = desk.on_writer(|c| -> Result<(), Failure> {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        panic!("a defect");
    });
    assert!(matches!(panic.await, Err(StoreError::Internal(_))));
    assert_ne!(desk.store.record(desk.lead).await.expect("a lead").lead.nombre, "a medias");
}

#[tokio::test]
async fn a_large_batch_is_split_by_bytes_and_order_is_kept() {
    let desk = Desk::new().await;
    let mensaje = "x".repeat(3 << 20);
    let before = desk.store.stats();
    let (held, gate) = desk.hold_writer();
    let commands: Vec<_> = (0..7).map(|n| turno(desk.lead, &mensaje, t(n))).collect();
    let ids: Vec<_> = commands.iter().map(|c| c.id).collect();
    let calls: Vec<_> = commands.into_iter().map(|c| queued(desk.store.append_turno(c))).collect();
    drop(gate);
    held.await.expect("opened");
    for call in calls {
        call.await.expect("appended");
    }
    assert!(desk.store.stats().commits - before.commits >= 4, "at most two of 3 MiB fit into 8 MiB");
    assert_eq!(desk.turnos().await, ids);
}

#[tokio::test]
async fn a_queued_command_runs_though_nobody_waits_and_though_the_store_closes() {
    let desk = Desk::new().await;
    let (held, gate) = desk.hold_writer();
    for n in 0..100 {
        drop(queued(desk.store.append_turno(turno(desk.lead, "hola", t(n)))));
    }
    drop(held);
    let Desk { store, lead, folder } = desk;
    drop(gate);
    drop(store);
    let path = folder.path().join("embudo.db");
    assert!(!folder.path().join("embudo.db-wal").exists(), "a clean end leaves no log");
    let store = SqliteStore::open(&path, &Options::default()).expect("opened again");
    assert_eq!(store.record(lead).await.expect("a lead").conversacion.len(), 100);
    assert!(!is_unavailable(&store.ping().await));
}
