//! Group commit: what waits together is committed together, and every command answers for itself.

use embudo_store::{Hecho, Store, StoreError};
use embudo_store_conformance::data::{empresa, nadie, t, turno};

use super::{Mesa, is_unavailable, queued};
use crate::failure::Failure;
use crate::{Opciones, SqliteStore};

#[tokio::test]
async fn what_waits_together_is_committed_once() {
    let mesa = Mesa::nueva().await;
    let before = mesa.store.stats();
    let (held, gate) = mesa.hold_writer();
    let calls: Vec<_> =
        (0..64).map(|n| queued(mesa.store.append_turno(turno(mesa.lead, "hola", t(n))))).collect();
    drop(gate);
    held.await.expect("opened");
    for call in calls {
        assert_eq!(call.await.expect("appended"), Hecho::Ahora);
    }
    let after = mesa.store.stats();
    assert_eq!(after.commits - before.commits, 2, "the gate, and all that waited behind it");
    assert_eq!(after.commands - before.commands, 65);
    assert_eq!(mesa.turnos().await.len(), 64);
}

#[tokio::test]
async fn a_failing_command_harms_no_neighbour() {
    let mesa = Mesa::nueva().await;
    let (a, b) = (turno(mesa.lead, "antes", t(1)), turno(mesa.lead, "después", t(2)));
    let ids = [a.id, b.id];
    let primera = mesa.store.list_empresas().await.expect("companies").remove(0);
    let mut repetida = empresa("Otra");
    (repetida.slug, repetida.por_defecto) = (primera.slug.clone(), true);

    let (held, gate) = mesa.hold_writer();
    let antes = queued(mesa.store.append_turno(a));
    let a_nadie = queued(mesa.store.append_turno(turno(nadie(), "hola", t(1))));
    let a_medias = queued(mesa.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        Err::<(), _>(StoreError::FotoNotFound.into())
    }));
    let mal_sql = queued(mesa.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        c.execute("UPDATE lead SET nombre = NULL", ()).map(drop).map_err(Failure::from)
    }));
    let panico = queued(mesa.on_writer(|c| -> Result<(), Failure> {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        panic!("a defect");
    }));
    let slug = queued(mesa.store.create_empresa(repetida, t(1)));
    let despues = queued(mesa.store.append_turno(b));
    drop(gate);

    held.await.expect("opened");
    assert!(antes.await.is_ok());
    assert!(matches!(a_nadie.await, Err(StoreError::LeadNotFound)));
    assert!(matches!(a_medias.await, Err(StoreError::FotoNotFound)));
    assert!(matches!(mal_sql.await, Err(StoreError::Internal(_))));
    assert!(matches!(panico.await, Err(StoreError::Internal(_))));
    assert!(matches!(slug.await, Err(StoreError::SlugTaken)));
    assert!(despues.await.is_ok());
    assert_eq!(mesa.turnos().await, ids);
    let ficha = mesa.store.ficha(mesa.lead).await.expect("the lead is there");
    assert_ne!(ficha.lead.nombre, "a medias");
    assert_eq!(mesa.store.list_empresas().await.expect("companies"), [primera]);
}

#[tokio::test]
async fn a_lone_command_that_fails_leaves_nothing() {
    let mesa = Mesa::nueva().await;
    let a_medias = mesa.on_writer(|c| {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        Err::<(), _>(StoreError::FotoNotFound.into())
    });
    assert!(matches!(a_medias.await, Err(StoreError::FotoNotFound)));
    let panico = mesa.on_writer(|c| -> Result<(), Failure> {
        c.execute("UPDATE lead SET nombre = 'a medias'", ())?;
        panic!("a defect");
    });
    assert!(matches!(panico.await, Err(StoreError::Internal(_))));
    assert_ne!(mesa.store.ficha(mesa.lead).await.expect("a lead").lead.nombre, "a medias");
}

#[tokio::test]
async fn a_large_batch_is_split_by_bytes_and_order_is_kept() {
    let mesa = Mesa::nueva().await;
    let mensaje = "x".repeat(3 << 20);
    let before = mesa.store.stats();
    let (held, gate) = mesa.hold_writer();
    let commands: Vec<_> = (0..7).map(|n| turno(mesa.lead, &mensaje, t(n))).collect();
    let ids: Vec<_> = commands.iter().map(|c| c.id).collect();
    let calls: Vec<_> = commands.into_iter().map(|c| queued(mesa.store.append_turno(c))).collect();
    drop(gate);
    held.await.expect("opened");
    for call in calls {
        call.await.expect("appended");
    }
    assert!(mesa.store.stats().commits - before.commits >= 4, "at most two of 3 MiB fit into 8 MiB");
    assert_eq!(mesa.turnos().await, ids);
}

#[tokio::test]
async fn a_queued_command_runs_though_nobody_waits_and_though_the_store_closes() {
    let mesa = Mesa::nueva().await;
    let (held, gate) = mesa.hold_writer();
    for n in 0..100 {
        drop(queued(mesa.store.append_turno(turno(mesa.lead, "hola", t(n)))));
    }
    drop(held);
    let Mesa { store, lead, carpeta } = mesa;
    drop(gate);
    drop(store);
    let path = carpeta.path().join("embudo.db");
    assert!(!carpeta.path().join("embudo.db-wal").exists(), "a clean end leaves no log");
    let store = SqliteStore::open(&path, &Opciones::default()).expect("opened again");
    assert_eq!(store.ficha(lead).await.expect("a lead").conversacion.len(), 100);
    assert!(!is_unavailable(&store.ping().await));
}
