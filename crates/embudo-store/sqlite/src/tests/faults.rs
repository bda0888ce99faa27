//! A full disk, a lost transaction, a failed commit: nobody is told a lie, and the next batch works.

use embudo_store::Store;
use embudo_store_conformance::data::{t, texto_largo, turno};

use super::{Mesa, is_unavailable, queued};

/// Lets the database grow by so many pages and no more; `None` lifts the limit.
async fn limit_growth(mesa: &Mesa, pages: Option<i64>) {
    let set = mesa.on_writer(move |c| {
        let now: i64 = c.query_row("PRAGMA page_count", (), |r| r.get(0))?;
        let max = pages.map_or(1 << 30, |p| now + p);
        Ok(c.query_row(&format!("PRAGMA max_page_count = {max}"), (), |_| Ok(()))?)
    });
    set.await.expect("the limit is set");
}

#[tokio::test]
async fn a_full_disk_is_unavailable_and_heals() {
    let mesa = Mesa::nueva().await;
    limit_growth(&mesa, Some(40)).await;
    let mensaje = texto_largo(20_000);
    let mut answered = Vec::new();
    let mut refused = 0;
    for ronda in 0..4 {
        let (held, gate) = mesa.hold_writer();
        let commands: Vec<_> = (0..8).map(|n| turno(mesa.lead, &mensaje, t(ronda * 8 + n))).collect();
        let ids: Vec<_> = commands.iter().map(|c| c.id).collect();
        let calls: Vec<_> = commands.into_iter().map(|c| queued(mesa.store.append_turno(c))).collect();
        drop(gate);
        held.await.expect("opened");
        for (call, id) in calls.into_iter().zip(ids) {
            match call.await {
                Ok(_) => answered.push(id),
                failed => {
                    assert!(is_unavailable(&failed), "{failed:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "40 pages do not hold 640 kB");
    assert_eq!(mesa.turnos().await, answered, "exactly what was answered is stored");

    limit_growth(&mesa, None).await;
    let last = turno(mesa.lead, &mensaje, t(99));
    answered.push(last.id);
    mesa.store.append_turno(last).await.expect("there is room again");
    assert_eq!(mesa.turnos().await, answered);
}

#[tokio::test]
async fn a_transaction_that_was_lost_fails_all_its_commands() {
    let mesa = Mesa::nueva().await;
    let (held, gate) = mesa.hold_writer();
    let antes = queued(mesa.store.append_turno(turno(mesa.lead, "antes", t(1))));
    // What SQLite does by itself after some I/O errors.
    let perdida = queued(mesa.on_writer(|c| {
        c.execute_batch("ROLLBACK")?;
        Err::<(), _>(rusqlite::Error::InvalidQuery.into())
    }));
    let despues = queued(mesa.store.append_turno(turno(mesa.lead, "después", t(2))));
    drop(gate);
    held.await.expect("opened");
    assert!(is_unavailable(&antes.await));
    assert!(is_unavailable(&perdida.await));
    assert!(is_unavailable(&despues.await));
    assert!(mesa.turnos().await.is_empty());
    mesa.store.append_turno(turno(mesa.lead, "hola", t(3))).await.expect("the next batch works");
}

#[tokio::test]
async fn a_failed_commit_fails_all_and_heals() {
    let mesa = Mesa::nueva().await;
    let (held, gate) = mesa.hold_writer();
    let bueno = queued(mesa.store.append_turno(turno(mesa.lead, "hola", t(1))));
    let mala = queued(mesa.on_writer(|c| {
        c.execute_batch("PRAGMA defer_foreign_keys = ON")?;
        c.execute("UPDATE lead SET empresa_id = x'00'", ())?;
        Ok(())
    }));
    drop(gate);
    held.await.expect("opened");
    assert!(is_unavailable(&mala.await), "its commit failed");
    assert!(is_unavailable(&bueno.await), "it shared that commit");
    assert!(mesa.turnos().await.is_empty());
    mesa.store.append_turno(turno(mesa.lead, "hola", t(3))).await.expect("the next batch works");
    mesa.store.ping().await.expect("it can be written to");
}

#[tokio::test]
async fn a_write_lock_held_elsewhere_is_unavailable_and_heals() {
    let opciones =
        crate::Opciones { busy_timeout: std::time::Duration::from_millis(20), ..Default::default() };
    let mesa = Mesa::con(&opciones).await;
    let other = rusqlite::Connection::open(mesa.carpeta.path().join("embudo.db")).expect("opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    assert!(is_unavailable(&mesa.store.ping().await));
    assert!(mesa.turnos().await.is_empty(), "reads go on");
    other.execute_batch("ROLLBACK").expect("unlocked");
    mesa.store.ping().await.expect("it can be written to again");
}
